import type { List, PhrasingContent } from "mdast";

import { plainText } from "#src/base/text.ts";

import { parseMarkdown } from "../../document/markdown.ts";
import { type Block, partsOf } from "../../document/tree.ts";
import { narrower, type TerminalContext } from "./ink.ts";
import { wrap } from "./layout.ts";
import { drawGrid } from "./table.ts";

/** Markdown as lines; raw HTML and unsafe links are shown as text. */
export function drawMarkdown(text: string, pen: TerminalContext): string[] {
  return drawBlocks(parseMarkdown(text, plainText), pen, true);
}

/** `isAiry`: with an empty line between them. */
function drawBlocks(blocks: readonly Block[], pen: TerminalContext, isAiry: boolean): string[] {
  const parts = blocks.map((block) => drawBlock(block, pen)).filter((lines) => lines.length > 0);
  return parts.flatMap((lines, index) => (isAiry && index > 0 ? ["", ...lines] : lines));
}

function drawBlock(block: Block, pen: TerminalContext): string[] {
  const { ink, width, ruler } = pen;
  switch (block.type) {
    case "paragraph":
    case "small":
      return wrap(inline(block.children, pen), width, ruler);
    case "heading": {
      const title = inline(block.children, pen);
      return wrap(ink.paint(block.depth === 1 ? ["bold", "underline"] : "bold", title), width, ruler);
    }
    case "code": {
      const bar = ink.paint("gray", "│ ");
      const lines = wrap(block.value, Math.max(1, width - 2), ruler);
      return lines.map((line) => bar + ink.paint("cyan", line));
    }
    case "blockquote": {
      const bar = ink.paint("gray", "▏ ");
      return drawBlocks(block.children, narrower(pen, 2), true).map((line) => bar + line);
    }
    case "list":
      return list(block, pen);
    case "table": {
      const { head, rows } = partsOf(block);
      const grid = {
        head: head.map((cell) => inline(cell, pen)),
        align: head.map((_, at) => (block.align?.[at] === "right" ? "right" : "left")),
        rows: rows.map((row) => row.map((cell) => inline(cell, pen))),
      };
      return drawGrid(grid, pen);
    }
    case "thematicBreak":
      return [ink.paint("gray", "─".repeat(Math.min(width, 40)))];
    case "html":
      return wrap(html(block.value), width, ruler);
    default:
      return [];
  }
}

function list({ ordered, start, children }: List, pen: TerminalContext): string[] {
  return children.flatMap(({ checked, spread, children: blocks }, index) => {
    const point = ordered === true ? `${(start ?? 1) + index}. ` : "• ";
    const mark = typeof checked === "boolean" ? (checked ? "☑ " : "☐ ") : point;
    const lines = drawBlocks(blocks, narrower(pen, mark.length), spread === true);
    return lines.length === 0
      ? [mark.trimEnd()]
      : lines.map((line, at) => (at === 0 ? mark : " ".repeat(mark.length)) + line);
  });
}

function inline(line: readonly PhrasingContent[], pen: TerminalContext): string {
  return line.map((node) => span(node, pen)).join("");
}

function span(node: PhrasingContent, pen: TerminalContext): string {
  const { ink } = pen;
  switch (node.type) {
    case "text":
      return node.value;
    case "strong":
      return ink.paint("bold", inline(node.children, pen));
    case "emphasis":
      return ink.paint("italic", inline(node.children, pen));
    case "delete":
      return ink.paint("strikethrough", inline(node.children, pen));
    case "inlineCode":
      return ink.color ? ink.paint("cyan", node.value) : `\`${node.value}\``;
    case "break":
      return "\n";
    case "link":
      return ink.paint("underline", ink.link(inline(node.children, pen), node.url));
    case "image":
      return ink.link(`[image: ${node.alt === "" ? "no description" : node.alt}]`, node.url);
    case "html":
      return html(node.value);
    default:
      return "";
  }
}

function html(text: string): string {
  return /^<br\s*\/?>$/i.test(text.trim()) ? "\n" : text.trimEnd();
}
