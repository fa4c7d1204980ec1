import { decodeHTML } from "entities";
import type { MarkedToken, Token, Tokens } from "marked";

import { addressOf, MAX_DEPTH, readMarkdown } from "#src/base/markdown.ts";

import { cleanText } from "../../chat/text.ts";
import { code, flowLine, linked, words } from "./lines.ts";
import type { Flow, Line, Style } from "./lines.ts";
import { tableFlow } from "./table.ts";

/** Discord has three sizes of headings. */
const MAX_HEADING = 3;

/**
 * Markdown by a safe subset, written anew in Discord's: paragraphs, headings, emphasis, code, lists,
 * quotes, tables and http links. Raw HTML is shown as text and an image becomes a link to it.
 */
export function markdownFlow(text: string): Flow[] {
  return blocksFlow(readMarkdown(cleanText(text)), "", 0);
}

/** `mark` begins every line, as within a quote. */
function blocksFlow(tokens: readonly Token[], mark: string, depth: number): Flow[] {
  const flow: Flow[] = [];
  for (const token of tokens) {
    const drawn = blockFlow(token, mark, depth);
    const isText = token.type === "paragraph" || token.type === "list" || token.type === "blockquote";
    if (drawn.length > 0 && flow.length > 0 && isText && depth === 0) flow.push({ line: [] });
    flow.push(...drawn);
  }
  return flow;
}

function blockFlow(token: Token, mark: string, depth: number): Flow[] {
  if (depth > MAX_DEPTH) return [flowLine(words(token.raw), mark)];
  const known = token as MarkedToken;
  switch (known.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return mark === ""
        ? [flowLine(spans(known.tokens, depth), `${"#".repeat(Math.min(known.depth, MAX_HEADING))} `)]
        : [flowLine(spans(known.tokens, depth, ["bold"]), mark)];
    case "code":
      return [code(known.text)];
    case "blockquote":
      // One level is all that Discord draws.
      return blocksFlow(known.tokens, "> ", depth + 1);
    case "list":
      return listFlow(known, mark, depth, 0);
    case "table":
      return tableFlow(
        known.header.map((cell) => textOf(spans(cell.tokens, depth))),
        known.rows.map((row) => row.map((cell) => spans(cell.tokens, depth))),
      );
    case "hr":
      return [flowLine(words("───"), mark)];
    case "html":
      return [flowLine(words(known.text.trim()), mark)];
    default:
      return [flowLine(spansOf(token, depth), mark)];
  }
}

/** Numbers are written out: a page may begin in the middle of a list. */
function listFlow(token: Tokens.List, mark: string, depth: number, indent: number): Flow[] {
  const first = typeof token.start === "number" ? token.start : 1;
  return token.items.flatMap((item, index): Flow[] => {
    const lead: Line = [];
    const after: Flow[] = [];
    for (const child of item.tokens) {
      if (child.type === "list") {
        after.push(...listFlow(child as Tokens.List, mark, depth + 1, indent + 1));
      } else if (after.length === 0 && ["text", "paragraph", "checkbox"].includes(child.type)) {
        lead.push(...(lead.length > 0 && child.type === "paragraph" ? words("\n") : []));
        lead.push(...spansOf(child, depth));
      } else {
        after.push(...blockFlow(child, mark, depth + 1));
      }
    }
    const point = token.ordered ? `${first + index}. ` : "- ";
    return [flowLine(lead, `${mark}${"  ".repeat(Math.min(indent, 8))}${point}`), ...after];
  });
}

function spans(tokens: readonly Token[] | undefined, depth: number, styles: readonly Style[] = []): Line {
  return (tokens ?? []).flatMap((token) => spansOf(token, depth + 1, styles));
}

function spansOf(token: Token, depth: number, styles: readonly Style[] = []): Line {
  if (depth > MAX_DEPTH) return words(token.raw, ...styles);
  const known = token as MarkedToken;
  switch (known.type) {
    case "strong":
      return spans(known.tokens, depth, [...styles, "bold"]);
    case "em":
      return spans(known.tokens, depth, [...styles, "italic"]);
    case "del":
      return spans(known.tokens, depth, [...styles, "strike"]);
    case "codespan":
      return words(known.text, ...styles, "code");
    case "br":
      return words("\n", ...styles);
    case "checkbox":
      return words(known.checked ? "☑ " : "☐ ", ...styles);
    case "link":
      return linked(textOf(spans(known.tokens, depth)), addressOf(known), ...styles);
    case "image":
      return linked(decodeHTML(known.text), addressOf(known), ...styles);
    case "paragraph":
      return spans(known.tokens, depth, styles);
    case "text":
      return known.tokens === undefined
        ? words(decodeHTML(known.text), ...styles)
        : spans(known.tokens, depth, styles);
    case "escape":
      return words(known.text, ...styles);
    default:
      return words(known.raw, ...styles);
  }
}

function textOf(line: Line): string {
  return line.map(({ text }) => text).join("");
}
