import { decodeHTMLStrict } from "entities";
import { Lexer, type MarkedToken, type Token, type Tokens, type TokensList } from "marked";
import type { List, ListItem, PhrasingContent, Table } from "mdast";

import { splitMoments } from "#src/base/moments.ts";

import type { Block } from "./tree.ts";

/** Deeper nesting than any person writes is shown as its source. */
export const MAX_DEPTH = 24;
const MAX_CHARS = 100_000;
/** Each line may begin something: a point of a list, a row of a table. */
export const MAX_LINES = 2_500;
/**
 * The lexer looks from every mark to the end of its paragraph, some for all the marks between: marks
 * times characters say what a paragraph costs, a million about 2.5 ms.
 */
const MAX_PARAGRAPH = 2_000_000;
const MAX_ALL = 30_000_000;
/** What an item of a list and a run of words cost at the least. */
const EACH_BLOCK = 15_000;
const EACH_RUN = 4_000;
const MARKS = /[!&*:<>@[\\\]_`~]/g;

/** The lexer of every surface: what would cost it too much stays text. */
class GuardedLexer extends Lexer {
  private depth = 0;
  private left = MAX_ALL;
  private known: number | undefined;

  override blockTokens(src: string, tokens: Token[] = [], isClipped?: boolean): Token[] & TokensList {
    this.left -= EACH_BLOCK;
    if (this.depth >= MAX_DEPTH || this.left < 0) {
      tokens.push({ type: "text", raw: src, text: src, tokens: [{ type: "text", raw: src, text: src }] });
      return tokens as Token[] & TokensList;
    }
    this.depth += 1;
    const read = super.blockTokens(src, tokens, isClipped);
    this.depth -= 1;
    return read as Token[] & TokensList;
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    // All definitions are read before the first paragraph.
    this.known ??= Object.keys(this.tokens.links).length;
    const cost = EACH_RUN + (src.match(MARKS)?.length ?? 0) * src.length + this.known;
    if (cost > MAX_PARAGRAPH || cost > this.left) {
      tokens.push({ type: "text", raw: src, text: src });
      return tokens;
    }
    this.left -= cost;
    return super.inlineTokens(src, tokens);
  }
}

/**
 * Markdown as its tokens; what is longer than people write, in characters or lines, is a box of its source.
 * The conversion is made here and not by the platform: so only what a renderer makes can become a mention,
 * a link or a format, and the parts of a long text can be laid on several pages. Takes at most some tens
 * of milliseconds, whatever the text.
 */
export function readMarkdown(source: string): Token[] {
  const text = source.replaceAll(/\r\n?/g, "\n");
  const end = text.length > MAX_CHARS ? 0 : endOfLines(text, MAX_LINES);
  try {
    return [...new GuardedLexer({ gfm: true }).lex(text.slice(0, end)), ...box(text.slice(end))];
  } catch {
    // Nesting that exhausts the lexer's stack: the source is still readable.
    return box(text);
  }
}

function box(text: string): Tokens.Code[] {
  return text.trim() === "" ? [] : [{ type: "code", raw: text, text }];
}

function endOfLines(text: string, lines: number): number {
  let end = 0;
  for (let line = 0; line < lines; line += 1) {
    const next = text.indexOf("\n", end);
    if (next === -1) return text.length;
    end = next + 1;
  }
  return end;
}

/** What makes a text fit to be shown on a surface; applied to each text of the tree. */
export type Clean = (text: string) => string;

/**
 * Markdown as a tree, by a safe subset: paragraphs, headings, emphasis, code, lists, quotes, tables and
 * links; raw HTML stays what it is, a text. Nothing is nested deeper than `MAX_DEPTH`.
 */
export function parseMarkdown(source: string, clean: Clean): Block[] {
  return blocksOf(readMarkdown(clean(source)), { clean, depth: 0 });
}

interface Place {
  clean: Clean;
  depth: number;
}

function blocksOf(tokens: readonly Token[], place: Place): Block[] {
  return tokens.flatMap((token) => blockOf(token as MarkedToken, place));
}

function blockOf(token: MarkedToken, place: Place): Block[] {
  const { clean } = place;
  if (place.depth > MAX_DEPTH) return [paragraph([text(clean(token.raw))])];
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "heading":
      return [
        { type: "heading", depth: headingDepth(token.depth), children: phrasesOf(token.tokens, place) },
      ];
    case "code":
      return [{ type: "code", value: clean(token.text) }];
    case "blockquote":
      return [{ type: "blockquote", children: blocksOf(token.tokens, deeper(place)) }];
    case "list":
      return [listOf(token, place)];
    case "table":
      return [tableOf(token, place)];
    case "hr":
      return [{ type: "thematicBreak" }];
    case "html":
      return [{ type: "html", value: clean(token.text.trim()) }];
    case "paragraph":
      return [paragraph(phrasesOf(token.tokens, place))];
    default:
      // Lines of a point of a list, and anything a later lexer may add.
      return [paragraph(phraseOf(token, place))];
  }
}

function paragraph(children: PhrasingContent[]): Block {
  return { type: "paragraph", children };
}

function headingDepth(depth: number): 1 | 2 | 3 | 4 | 5 | 6 {
  return Math.min(Math.max(depth, 1), 6) as 1 | 2 | 3 | 4 | 5 | 6;
}

function deeper({ clean, depth }: Place): Place {
  return { clean, depth: depth + 1 };
}

function listOf({ ordered, start, loose, items }: Tokens.List, place: Place): List {
  return {
    type: "list",
    ordered,
    ...(typeof start === "number" ? { start } : {}),
    spread: loose,
    children: items.map(({ tokens, task, checked, loose: spread }): ListItem => ({
      type: "listItem",
      spread,
      ...(task ? { checked: checked === true } : {}),
      children: blocksOf(tokens, deeper(place)),
    })),
  };
}

function tableOf({ header, align, rows }: Tokens.Table, place: Place): Table {
  return {
    type: "table",
    align,
    children: [header, ...rows].map((cells) => ({
      type: "tableRow",
      children: cells.map(({ tokens }) => ({ type: "tableCell", children: phrasesOf(tokens, place) })),
    })),
  };
}

function phrasesOf(tokens: readonly Token[] | undefined, place: Place): PhrasingContent[] {
  return (tokens ?? []).flatMap((token) => phraseOf(token as MarkedToken, deeper(place)));
}

function phraseOf(token: MarkedToken, place: Place): PhrasingContent[] {
  const { clean } = place;
  if (place.depth > MAX_DEPTH) return [text(clean(token.raw))];
  switch (token.type) {
    case "strong":
      return [{ type: "strong", children: phrasesOf(token.tokens, place) }];
    case "em":
      return [{ type: "emphasis", children: phrasesOf(token.tokens, place) }];
    case "del":
      return [{ type: "delete", children: phrasesOf(token.tokens, place) }];
    case "codespan":
      return [{ type: "inlineCode", value: clean(token.text) }];
    case "br":
      return [{ type: "break" }];
    case "checkbox":
      return [];
    case "link": {
      const url = token.autolink === true ? token.href : decodeHTMLStrict(token.href);
      return [{ type: "link", url, children: phrasesOf(token.tokens, place) }];
    }
    case "image": {
      const alt = clean(decodeHTMLStrict(token.text));
      return [{ type: "image", url: decodeHTMLStrict(token.href), alt }];
    }
    case "text":
      return token.tokens === undefined
        ? inOwnTime(clean(decodeHTMLStrict(token.text)))
        : phrasesOf(token.tokens, place);
    case "escape":
      return [text(clean(token.text))];
    case "html":
      return [{ type: "html", value: clean(token.raw) }];
    default:
      return [text(clean(token.raw))];
  }
}

/** A text whose moments, written as cards write them, each reader sees in their own time. */
function inOwnTime(value: string): PhrasingContent[] {
  return splitMoments(value).map((part) =>
    typeof part === "string" ? text(part) : { type: "moment", ...part },
  );
}

function text(value: string): PhrasingContent {
  return { type: "text", value };
}
