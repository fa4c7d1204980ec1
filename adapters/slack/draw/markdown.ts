import { type Child, jsx as el } from "hono/jsx";
import type { Token, Tokens } from "marked";

import { readMarkdown } from "#src/base/markdown.ts";

import { code, link, pre, quote } from "./inline.ts";

/** The text of a `markdown` block. HTML in it is text, and an image is its description. */
export function drawMarkdown(text: string): Child[] {
  return readMarkdown(text).map(drawBlock);
}

function drawBlock(token: Token): Child {
  switch (token.type) {
    case "heading":
      return el("div", { class: "sl-heading" }, ...children(token));
    case "paragraph":
    case "text":
      return el("div", { class: "sl-text" }, ...children(token));
    case "code":
      return pre((token as Tokens.Code).text);
    case "blockquote":
      return quote(...((token as Tokens.Blockquote).tokens ?? []).map(drawBlock));
    case "hr":
      return el("hr", { class: "sl-divider" });
    case "list": {
      const { ordered, items } = token as Tokens.List;
      const drawn = items.map((item) => el("li", null, ...item.tokens.map(drawBlock)));
      return el(ordered ? "ol" : "ul", { class: "sl-list" }, ...drawn);
    }
    case "table": {
      const { header, rows } = token as Tokens.Table;
      const row = (tag: "th" | "td", cells: readonly Tokens.TableCell[]): Child =>
        el("tr", null, ...cells.map((cell) => el(tag, null, ...cell.tokens.map(drawInline))));
      return el("table", { class: "sl-table" }, row("th", header), ...rows.map((cells) => row("td", cells)));
    }
    case "space":
    case "def":
      return null;
    default:
      return el("div", { class: "sl-text" }, token.raw);
  }
}

function children(token: Token): Child[] {
  return "tokens" in token && token.tokens !== undefined ? token.tokens.map(drawInline) : [token.raw];
}

function drawInline(token: Token): Child {
  switch (token.type) {
    case "strong":
      return el("strong", null, ...children(token));
    case "em":
      return el("em", null, ...children(token));
    case "del":
      return el("s", null, ...children(token));
    case "codespan":
      return code((token as Tokens.Codespan).text);
    case "br":
      return el("br", null);
    case "link":
      return link((token as Tokens.Link).href, (token as Tokens.Link).text);
    case "escape":
      return (token as Tokens.Escape).text;
    case "text":
      return "tokens" in token && token.tokens !== undefined ? children(token) : (token as Tokens.Text).text;
    default:
      return token.raw;
  }
}
