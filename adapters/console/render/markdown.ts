import type { MarkedToken, Token, Tokens } from "marked";

import { readMarkdown } from "#src/base/markdown.ts";

import { wrap } from "./layout.ts";
import { narrower, type TerminalContext } from "./ink.ts";
import { plainText } from "#src/base/text.ts";
import { drawGrid } from "./table.ts";

/**
 * The safe subset of Markdown as lines; raw HTML and unsafe links are shown as text. The lexer turns
 * numeric character references into characters, so its texts are made plain once more.
 */
export function drawMarkdown(text: string, pen: TerminalContext): string[] {
  return blocks(readMarkdown(plainText(text)), pen);
}

function blocks(tokens: Token[], pen: TerminalContext): string[] {
  const parts = tokens.map((token) => block(token as MarkedToken, pen)).filter((lines) => lines.length > 0);
  return parts.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function block(token: MarkedToken, pen: TerminalContext): string[] {
  const { ink, width } = pen;
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return wrap(
        ink.paint(token.depth === 1 ? ["bold", "underline"] : "bold", inline(token.tokens, pen)),
        width,
        pen.ruler,
      );
    case "paragraph":
      return wrap(inline(token.tokens, pen), width, pen.ruler);
    case "text":
      return wrap(
        token.tokens === undefined ? decode(token.text) : inline(token.tokens, pen),
        width,
        pen.ruler,
      );
    case "code": {
      const bar = ink.paint("gray", "│ ");
      return wrap(plainText(token.text), Math.max(1, width - 2), pen.ruler).map(
        (line) => bar + ink.paint("cyan", line),
      );
    }
    case "blockquote": {
      const bar = ink.paint("gray", "▏ ");
      return blocks(token.tokens, narrower(pen, 2)).map((line) => bar + line);
    }
    case "list":
      return list(token, pen);
    case "table":
      return drawGrid(
        {
          head: token.header.map((cell) => inline(cell.tokens, pen)),
          align: token.align.map((align) => (align === "right" ? "right" : "left")),
          rows: token.rows.map((row) => row.map((cell) => inline(cell.tokens, pen))),
        },
        pen,
      );
    case "hr":
      return [ink.paint("gray", "─".repeat(Math.min(width, 40)))];
    default:
      return wrap(inline([token], pen), width, pen.ruler);
  }
}

function list(token: Tokens.List, pen: TerminalContext): string[] {
  const first = token.start === "" ? 1 : token.start;
  return token.items.flatMap((item, index) => {
    const mark = item.task
      ? item.checked === true
        ? "☑ "
        : "☐ "
      : token.ordered
        ? `${first + index}. `
        : "• ";
    const tokens = item.tokens.filter((part) => part.type !== "checkbox");
    const inner = narrower(pen, mark.length);
    const parts = tokens.map((part) => block(part as MarkedToken, inner)).filter((lines) => lines.length > 0);
    const lines = parts.flatMap((part, at) => (at > 0 && item.loose ? ["", ...part] : part));
    return lines.length === 0
      ? [mark.trimEnd()]
      : lines.map((line, at) => (at === 0 ? mark : " ".repeat(mark.length)) + line);
  });
}

function inline(tokens: Token[], pen: TerminalContext): string {
  return tokens.map((token) => span(token as MarkedToken, pen)).join("");
}

function span(token: MarkedToken, pen: TerminalContext): string {
  const { ink } = pen;
  switch (token.type) {
    case "strong":
      return ink.paint("bold", inline(token.tokens, pen));
    case "em":
      return ink.paint("italic", inline(token.tokens, pen));
    case "del":
      return ink.paint("strikethrough", inline(token.tokens, pen));
    case "codespan":
      return ink.color ? ink.paint("cyan", plainText(token.text)) : `\`${plainText(token.text)}\``;
    case "br":
      return "\n";
    case "link":
      return ink.paint("underline", ink.link(inline(token.tokens, pen), decode(token.href)));
    case "image":
      return ink.link(`[image: ${decode(token.text) || "no description"}]`, decode(token.href));
    case "text":
      return token.tokens === undefined ? decode(token.text) : inline(token.tokens, pen);
    case "escape":
      return decode(token.text);
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? "\n" : plainText(token.raw.trimEnd());
    default:
      return plainText(token.raw);
  }
}

const NAMED: Record<string, string> = { lt: "<", gt: ">", quot: '"', nbsp: " ", amp: "&" };

/** The lexer resolves numeric character references; these are the named ones that writers use. */
function decode(text: string): string {
  return plainText(
    text.replace(/&(lt|gt|quot|nbsp|amp);/g, (reference, name: string) => NAMED[name] ?? reference),
  );
}
