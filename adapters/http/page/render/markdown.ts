import { type Child, jsx as el } from "hono/jsx";
import type { List, PhrasingContent, Table } from "mdast";

import { parseMarkdown } from "../../../document/markdown.ts";
import { type Block, itemBlocks, linkLabel } from "../../../document/tree.ts";
import { link, scrolling, toHtml, withMoments } from "./element.ts";

/** Markdown as HTML; nothing is loaded, and an image becomes a link to it. */
export function renderMarkdown(text: string): string {
  return toHtml(drawMarkdown(text));
}

export function drawMarkdown(text: string): Child[] {
  return parseMarkdown(text, (part) => part).map(draw);
}

/** The words of a markdown text without its marks, a line for each of its blocks, for a preview. */
export function markdownWords(text: string): string {
  return text
    .replaceAll(/^(?=.*-)[ \t:|-]+$/gm, "")
    .replaceAll(/^[ \t]*\|(.+)\|[ \t]*$/gm, (_, cells: string) => cells.replaceAll("|", " "))
    .replaceAll(/^\s{0,3}(?:#{1,6}|>|[-*+]|\d+[.)])\s+/gm, "")
    .replaceAll(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, "$1")
    .replaceAll(/[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}/g, "")
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/(?<!\s)\s*\n\s*/g, "\n")
    .trim();
}

function draw(block: Block): Child {
  switch (block.type) {
    case "paragraph":
    case "small":
      return el("p", {}, ...phrases(block.children));
    case "heading":
      // Below the card's own title (h3).
      return el(`h${Math.min(block.depth + 3, 6)}`, { class: "cs-md-heading" }, ...phrases(block.children));
    case "code":
      return el("pre", { class: "cs-code", tabindex: 0 }, el("code", {}, block.value));
    case "blockquote":
      return el("blockquote", {}, ...block.children.map(draw));
    case "list":
      return list(block);
    case "table":
      return table(block);
    case "thematicBreak":
      return el("hr", {});
    case "html":
      return el("p", {}, block.value);
    default:
      return undefined;
  }
}

function list({ ordered, start, children }: List): Child {
  const items = children.map((item) =>
    el(
      "li",
      {},
      ...itemBlocks(item).flatMap((block) =>
        block.type === "paragraph" && item.spread !== true ? phrases(block.children) : [draw(block)],
      ),
    ),
  );
  return ordered === true
    ? el("ol", { start: start === 1 ? undefined : start }, ...items)
    : el("ul", {}, ...items);
}

function table({ align, children: [head, ...rows] }: Table): Child {
  const cells = (tag: "td" | "th", row: Table["children"][number] | undefined): Child[] =>
    (row?.children ?? []).map((cell, index) => {
      const side = align?.[index] === "right" ? "cs-right" : undefined;
      return el(tag, { scope: tag === "th" ? "col" : undefined, class: side }, ...phrases(cell.children));
    });
  return scrolling(
    undefined,
    el(
      "table",
      { class: "cs-table" },
      el("thead", {}, el("tr", {}, ...cells("th", head))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...cells("td", row)))),
    ),
  );
}

function phrases(nodes: readonly PhrasingContent[]): Child[] {
  return nodes.flatMap((node): Child | Child[] => {
    switch (node.type) {
      case "moment":
        return withMoments(node.text ?? "");
      case "text":
      case "html":
        return node.value;
      case "strong":
        return el("strong", {}, ...phrases(node.children));
      case "emphasis":
        return el("em", {}, ...phrases(node.children));
      case "delete":
        return el("del", {}, ...phrases(node.children));
      case "inlineCode":
        return el("code", {}, node.value);
      case "break":
        return el("br", {});
      case "link":
        return link(node.url, phrases(node.children));
      case "image":
        return link(node.url, linkLabel(node.alt ?? "", node.url));
      default:
        return undefined;
    }
  });
}
