import { decodeHTML } from "entities";
import type { MarkedToken, Token, Tokens } from "marked";

import { addressOf, MAX_DEPTH, readMarkdown } from "#src/base/markdown.ts";

import { cleanText } from "../../chat/text.ts";
import { drawPlainTable } from "./table.ts";
import { bold, linked, preformatted, words } from "./rich.ts";
import type { Flow, Line, Style } from "./rich.ts";

/** Slack indents lists by at most this. */
const MAX_INDENT = 8;

/**
 * Markdown as rich text by a safe subset: paragraphs, headings, emphasis, code, lists, quotes, tables
 * and http links. Raw HTML is shown as text and an image becomes a link to it.
 */
export function markdownFlow(text: string): Flow[] {
  const source = cleanText(text);
  try {
    return blocks(readMarkdown(source), 0);
  } catch {
    return plainFlow(source);
  }
}

/** A text without formatting, line by line. */
export function plainFlow(text: string): Flow[] {
  return cleanText(text)
    .split("\n")
    .map((line) => words(line));
}

function blocks(tokens: readonly Token[], depth: number): Flow[] {
  const flow: Flow[] = [];
  let afterHeading = false;
  for (const token of tokens) {
    const drawn = block(token, depth);
    const [first] = drawn;
    if (first === undefined) continue;
    // Slack sets lines close together; paragraphs need an empty one between them.
    if (Array.isArray(first) && Array.isArray(flow.at(-1)) && !afterHeading) flow.push([]);
    flow.push(...drawn);
    afterHeading = token.type === "heading";
  }
  return flow;
}

function block(token: Token, depth: number): Flow[] {
  if (depth > MAX_DEPTH) return [words(token.raw)];
  const known = token as MarkedToken;
  switch (known.type) {
    case "space":
    case "def":
      return [];
    case "paragraph":
      return [inlines(known.tokens, depth)];
    case "heading":
      return [inlines(known.tokens, depth, { bold: true })];
    case "code":
      return preformatted(known.text);
    case "blockquote":
      return quote(known, depth);
    case "list":
      return list(known, depth, 0);
    case "table":
      return drawPlainTable(
        known.header.map((cell) => lineText(inlines(cell.tokens, depth))),
        known.rows.map((row) => row.map((cell) => inlines(cell.tokens, depth))),
      );
    case "hr":
      return [words("───")];
    default:
      // Block HTML and anything a later lexer may add: shown, never interpreted.
      return [known.type === "html" ? words(known.text.trim()) : inline(token, depth)];
  }
}

/** Slack's quotes hold lines only: what else stands in a quote follows it. */
function quote(token: Tokens.Blockquote, depth: number): Flow[] {
  const flow: Flow[] = [];
  let lines: Line[] = [];
  const close = (): void => {
    const elements = lines.flatMap((line, index) => (index === 0 ? line : [...words("\n"), ...line]));
    if (elements.length > 0) flow.push({ type: "rich_text_quote", elements });
    lines = [];
  };
  for (const item of blocks(token.tokens, depth + 1)) {
    if (!Array.isArray(item)) {
      close();
      flow.push(item);
    } else if (item.length > 0) {
      lines.push(item);
    }
  }
  close();
  return flow.flatMap(splitQuote);
}

/** A quote that is too long for one block goes on as plain lines. */
function splitQuote(item: Flow): Flow[] {
  if (Array.isArray(item) || item.type !== "rich_text_quote" || JSON.stringify(item).length < 1000)
    return [item];
  return [words("❝"), item.elements, words("❞")];
}

/**
 * Bullets are Slack's own. Numbers are written out: Slack would begin to count anew after each nested
 * list and at each page.
 */
function list(token: Tokens.List, depth: number, indent: number): Flow[] {
  const flow: Flow[] = [];
  const first = typeof token.start === "number" ? token.start : 1;
  for (const [index, item] of token.items.entries()) {
    const lead: Line = [];
    const after: Flow[] = [];
    for (const child of item.tokens) {
      const isLine = child.type === "text" || child.type === "paragraph" || child.type === "checkbox";
      if (isLine && after.length === 0) {
        if (lead.length > 0 && child.type === "paragraph") lead.push(...words("\n"));
        lead.push(...inline(child, depth));
      } else if (child.type === "list") {
        after.push(...list(child as Tokens.List, depth + 1, indent + 1));
      } else {
        after.push(...block(child, depth + 1));
      }
    }
    flow.push(...listItem(lead, token.ordered ? `${first + index}.` : undefined, indent), ...after);
  }
  return flow;
}

/** One point of a list; `mark` is its number in an ordered one. */
export function listItem(line: Line, mark: string | undefined, indent = 0): Flow[] {
  const long = JSON.stringify(line).length > 1000;
  if (mark !== undefined || long || line.length === 0) {
    return [[...words(`${"    ".repeat(indent)}${mark ?? "•"} `), ...line]];
  }
  return [
    {
      type: "rich_text_list",
      style: "bullet",
      elements: [{ type: "rich_text_section", elements: line }],
      ...(indent === 0 ? {} : { indent: Math.min(indent, MAX_INDENT) }),
    },
  ];
}

function inlines(tokens: readonly Token[] | undefined, depth: number, style?: Style): Line {
  return (tokens ?? []).flatMap((token) => inline(token, depth + 1, style));
}

function inline(token: Token, depth: number, style?: Style): Line {
  if (depth > MAX_DEPTH) return words(token.raw, style);
  const known = token as MarkedToken;
  switch (known.type) {
    case "strong":
      return inlines(known.tokens, depth, { ...style, bold: true });
    case "em":
      return inlines(known.tokens, depth, { ...style, italic: true });
    case "del":
      return inlines(known.tokens, depth, { ...style, strike: true });
    case "codespan":
      return words(known.text, { ...style, code: true });
    case "br":
      return words("\n", style);
    case "checkbox":
      return words(known.checked ? "☑ " : "☐ ", style);
    case "link":
      return linked(lineText(inlines(known.tokens, depth)), addressOf(known), style);
    case "image":
      return linked(decodeHTML(known.text), addressOf(known), style);
    case "paragraph":
      return inlines(known.tokens, depth, style);
    case "text":
      return known.tokens === undefined
        ? words(decodeHTML(known.text), style)
        : inlines(known.tokens, depth, style);
    case "escape":
      return words(known.text, style);
    default:
      return words(known.raw, style);
  }
}

/** The words of a line. */
function lineText(line: Line): string {
  return line.map((element) => ("text" in element ? (element.text ?? "") : "")).join("");
}

/** A title line of its own. */
export function titleFlow(text: string): Flow[] {
  return [bold(text.trim() === "" ? "–" : text)];
}
