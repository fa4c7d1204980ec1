import type { MarkedToken, Token, Tokens } from "marked";

import { addressOf, MAX_DEPTH, readMarkdown } from "#src/base/markdown.ts";

import { cleanText, el, escapeHtml, type Html, join, link, type TagName } from "./element.ts";

/**
 * Markdown as HTML by a safe subset: paragraphs, headings, emphasis, code, lists, quotes, tables and
 * http links. Raw HTML is shown as text, an image becomes a link to it, and nothing is loaded.
 */
export function renderMarkdown(text: string): Html {
  return blocks(readMarkdown(cleanText(text)), 0);
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

function blocks(tokens: readonly Token[], depth: number): Html {
  return join(tokens.map((token) => block(token, depth)));
}

function block(token: Token, depth: number): Html | undefined {
  if (depth > MAX_DEPTH) return el("p", {}, token.raw);
  const known = token as MarkedToken;
  switch (known.type) {
    case "space":
    case "def":
      return undefined;
    case "paragraph":
      return el("p", {}, inlines(known.tokens, depth));
    case "heading":
      return el(headingTag(known.depth), { class: "cs-md-heading" }, inlines(known.tokens, depth));
    case "code":
      return el("pre", { class: "cs-code", tabindex: 0 }, el("code", {}, known.text));
    case "blockquote":
      return el("blockquote", {}, blocks(known.tokens, depth + 1));
    case "list":
      return list(known, depth);
    case "table":
      return table(known, depth);
    case "hr":
      return el("hr", {});
    default:
      // Block HTML and anything a later lexer may add: shown, never interpreted.
      return known.type === "html" ? el("p", {}, known.text.trim()) : inline(token, depth);
  }
}

function list(token: Tokens.List, depth: number): Html {
  const start = typeof token.start === "number" && token.start !== 1 ? token.start : undefined;
  return el(
    token.ordered ? "ol" : "ul",
    { start: token.ordered ? start : undefined },
    ...token.items.map((item) => el("li", {}, blocks(item.tokens, depth + 1))),
  );
}

function table(token: Tokens.Table, depth: number): Html {
  const side = (align: string | null): string | undefined => (align === "right" ? "cs-right" : undefined);
  const head = token.header.map((cell) =>
    el("th", { scope: "col", class: side(cell.align) }, inlines(cell.tokens, depth)),
  );
  const rows = token.rows.map((row) =>
    el("tr", {}, ...row.map((cell) => el("td", { class: side(cell.align) }, inlines(cell.tokens, depth)))),
  );
  return el(
    "div",
    { class: "cs-table-scroll", tabindex: 0 },
    el("table", { class: "cs-table" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)),
  );
}

function inlines(tokens: readonly Token[] | undefined, depth: number): Html {
  return join((tokens ?? []).map((token) => inline(token, depth + 1)));
}

function inline(token: Token, depth: number): Html {
  if (depth > MAX_DEPTH) return words(token.raw);
  const known = token as MarkedToken;
  switch (known.type) {
    case "strong":
      return el("strong", {}, inlines(known.tokens, depth));
    case "em":
      return el("em", {}, inlines(known.tokens, depth));
    case "del":
      return el("del", {}, inlines(known.tokens, depth));
    case "codespan":
      return el("code", {}, known.text);
    case "br":
      return el("br", {});
    case "checkbox":
      return join([known.checked ? "☑ " : "☐ "]);
    case "link":
      return link(addressOf(known), inlines(known.tokens, depth));
    case "image":
      return link(addressOf(known), words(known.text === "" ? known.href : known.text));
    case "text":
      return known.tokens === undefined ? words(known.text) : inlines(known.tokens, depth);
    case "escape":
      return words(known.text);
    default:
      return join([known.raw]);
  }
}

/**
 * Text in which markdown's character references (`&lt;`) still stand: they are kept, as they can
 * only ever become text, and everything else is escaped.
 */
function words(text: string): Html {
  return {
    html: escapeHtml(text).replaceAll(/&amp;(#\d{1,7}|#[xX][\dA-Fa-f]{1,6}|[A-Za-z]\w{1,30});/g, "&$1;"),
  };
}

/** Below the card's own title (h3). */
function headingTag(depth: number): TagName {
  return depth === 1 ? "h4" : depth === 2 ? "h5" : "h6";
}
