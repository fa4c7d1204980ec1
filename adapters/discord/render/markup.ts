import type { List, PhrasingContent } from "mdast";

import type { TableElement } from "#contract/card.ts";
import type { Words } from "#src/base/words/en.ts";

import { cellText } from "../../chat/card-text.ts";
import { fixedWidth, shapeOf } from "../../chat/table.ts";
import { cleanText, splitText } from "../../chat/text.ts";
import { bold, cellLine, code, italic, small, words } from "../../chat/line.ts";
import {
  type Block,
  type Flow,
  itemParts,
  type Line,
  linkLabel,
  type Mention,
  partsOf,
  unlinked,
} from "../../document/tree.ts";
import { codeBlock, escapedCost, escapeLabel, escapeText, inlineCode, safeUrl } from "./escape.ts";
import { PIECE } from "./limits.ts";

type Style = "bold" | "italic" | "strike" | "code";

const MENTIONS: Readonly<Record<Mention["of"], string>> = {
  user: "@",
  channel: "#",
  role: "@&",
  usergroup: "@&",
};

/** Data with its look; `href` makes it a link, and `mention` what Discord itself names. */
interface Span {
  text: string;
  styles: readonly Style[];
  href?: string;
  isMention?: boolean;
}

/** Lines, each with a mark in front (`## `, `> `), and boxes of fixed width. */
type Row = { spans: Span[]; mark: string } | { code: string; language: string | undefined };

/** Discord has three sizes of headings, and indents lists by so many steps at most. */
const MAX_HEADING = 3;
const MAX_INDENT = 8;
/** Wider than this, a fixed-width table breaks its lines beside the list of channels. */
const MAX_WIDTH = 58;
/** In several boxes the header of a table would stand over the first one only. */
const LONGEST_BOX = 800;
const MOST_BOX_ROWS = 40;
/** A first cell that is shorter is a key, which the second one explains. */
const KEY = 16;

/** A flow as pieces of markup, each of one or more whole lines and at most `PIECE` long. */
export function pack(flow: readonly Flow[]): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const row of rowsOf(flow, "", true)) {
    for (const text of "code" in row ? boxes(row.code, row.language) : markupLines(row)) {
      if (piece !== "" && piece.length + 1 + text.length > PIECE) {
        pieces.push(piece);
        piece = text;
      } else {
        piece = piece === "" ? text : `${piece}\n${text}`;
      }
    }
  }
  if (piece !== "") pieces.push(piece);
  // Empty lines at the ends of a piece only make a gap.
  return pieces.map((text) => text.replace(/^(?:[ \t]*\n)+/, "").trimEnd()).filter((text) => text !== "");
}

/** `mark` begins every line, as within a quote. */
function rowsOf(flow: readonly Flow[], mark: string, isApart: boolean): Row[] {
  const rows: Row[] = [];
  for (const item of flow) {
    const made = Array.isArray(item) ? [{ spans: spansOf(item), mark }] : rowsOfBlock(item, mark);
    const isText = !Array.isArray(item) && ["paragraph", "list", "blockquote"].includes(item.type);
    if (isApart && isText && made.length > 0 && rows.length > 0) rows.push({ spans: [], mark: "" });
    rows.push(...made);
  }
  return rows;
}

function rowsOfBlock(block: Block, mark: string): Row[] {
  switch (block.type) {
    case "paragraph":
      return [{ spans: spansOf(block.children), mark }];
    case "small":
      return [{ spans: spansOf(block.children), mark: "-# " }];
    case "heading":
      return mark === ""
        ? [{ spans: spansOf(block.children), mark: `${"#".repeat(Math.min(block.depth, MAX_HEADING))} ` }]
        : [{ spans: spansOf(block.children, ["bold"]), mark }];
    case "code":
      return [{ code: block.value, language: languageOf(block.lang) }];
    case "blockquote":
      // One level is all that Discord draws.
      return rowsOf(block.children, "> ", false);
    case "list":
      return listRows(block, mark, 0);
    case "table": {
      const { head, rows } = partsOf(block);
      return rowsOf(plainTable(head.map(wordsOf), rows), "", false);
    }
    case "thematicBreak":
      return [{ spans: [{ text: "───", styles: [] }], mark }];
    case "html":
      return [{ spans: [{ text: block.value, styles: [] }], mark }];
    default:
      return [];
  }
}

/** Numbers are written out: a page may begin in the middle of a list. */
function listRows({ ordered, start, children }: List, mark: string, indent: number): Row[] {
  return children.flatMap((item, index): Row[] => {
    const { lead, below } = itemParts(item);
    const point = ordered === true ? `${(start ?? 1) + index}. ` : "- ";
    return [
      { spans: spansOf(lead), mark: `${mark}${"  ".repeat(Math.min(indent, MAX_INDENT))}${point}` },
      ...below.flatMap((block) =>
        block.type === "list" ? listRows(block, mark, indent + 1) : rowsOfBlock(block, mark),
      ),
    ];
  });
}

/** Discord colours what it is told the language of; any other word would be shown. */
function languageOf(language: string | null | undefined): string | undefined {
  return language != null && /^[a-z]{1,12}$/.test(language) ? language : undefined;
}

/** Discord has no tables: narrow ones without links in a fixed width, the others as two lines a row. */
export interface DrawnTable {
  /** How each row stands on a page: pieces of markup, mostly one. */
  rows: string[][];
  /** Names the columns, above the first row. */
  head: string[];
}

export function drawTable(element: TableElement, say: Words): DrawnTable | { box: Flow } {
  const { columns, rows } = shapeOf(element, say);
  const hasLinks = rows.some((row) =>
    row.some((cell) => typeof cell === "object" && cell?.href !== undefined),
  );
  const texts = rows.map((row) => row.map((cell) => cellText(cell, say)));
  const box = hasLinks || rows.length > MOST_BOX_ROWS ? undefined : boxOf(columns, texts);
  if (box !== undefined) return { box };
  const lines = rows.map((row) =>
    row.map((cell) => (cell === null || cell === "" ? [] : cellLine(cell, say))),
  );
  return {
    head: pack([small(columns.flatMap((label, at) => [...words(at === 0 ? "" : "  ·  "), ...bold(label)]))]),
    rows: lines.map((row) => pack(recordFlow(columns, row))),
  };
}

/** The same for a table that stands in a text. */
function plainTable(columns: readonly string[], rows: readonly (readonly Line[])[]): Flow[] {
  const hasLinks = rows.some((row) =>
    row.some((line) => spansOf(line).some(({ href }) => href !== undefined)),
  );
  const texts = rows.map((row) => columns.map((_, at) => wordsOf(row[at] ?? [])));
  const box = hasLinks ? undefined : boxOf(columns, texts);
  return box === undefined ? rows.flatMap((row) => recordFlow(columns, row)) : [box];
}

function boxOf(columns: readonly string[], rows: readonly (readonly string[])[]): Flow | undefined {
  const text = fixedWidth(columns, rows, MAX_WIDTH);
  return text === undefined || text.length > LONGEST_BOX ? undefined : code(text);
}

/** The first cell leads, with the second one where it is a key; the others follow in small print. */
function recordFlow(columns: readonly string[], cells: readonly Line[]): Flow[] {
  const [first = [], second = []] = cells;
  const isKey = wordsOf(first).length <= KEY && cells.length > 1;
  const rest = cells
    .slice(isKey ? 2 : 1)
    .flatMap((line, at): Line => [
      ...words(at === 0 ? "" : "  ·  "),
      ...words(`${columns[at + (isKey ? 2 : 1)] ?? ""}: `),
      ...(line.length === 0 ? words("–") : line),
    ]);
  const lead: Line = first.length === 0 ? italic("none") : [{ type: "strong", children: [...first] }];
  const head = [...lead, ...(isKey ? [...words("  "), ...second] : [])];
  return rest.length === 0 ? [head] : [head, small(rest)];
}

function spansOf(line: readonly PhrasingContent[], styles: readonly Style[] = []): Span[] {
  return line.flatMap((node): Span[] => {
    switch (node.type) {
      case "text":
      case "html":
        return [{ text: node.value, styles }];
      case "strong":
        return spansOf(node.children, [...styles, "bold"]);
      case "emphasis":
        return spansOf(node.children, [...styles, "italic"]);
      case "delete":
        return spansOf(node.children, [...styles, "strike"]);
      case "inlineCode":
        return [{ text: node.value, styles: [...styles, "code"] }];
      case "break":
        return [{ text: "\n", styles }];
      case "link":
        return [linkSpan(wordsOf(node.children), node.url, styles)];
      case "image":
        return [linkSpan(node.alt ?? "", node.url, styles)];
      case "mention":
        return [{ text: `<${MENTIONS[node.of]}${node.id}>`, styles: [], isMention: true }];
      case "moment":
        return [{ text: `<t:${Math.floor(node.at / 1000)}:f>`, styles: [], isMention: true }];
      default:
        return [];
    }
  });
}

function linkSpan(text: string, href: string, styles: readonly Style[]): Span {
  const address = cleanText(href);
  const label = linkLabel(text, address);
  return safeUrl(href) === undefined
    ? { text: unlinked(label, address), styles }
    : { text: label, styles, href };
}

function wordsOf(line: readonly PhrasingContent[]): string {
  return spansOf(line)
    .map(({ text }) => text)
    .join("");
}

/** In as many boxes as it needs. */
function boxes(text: string, language?: string): string[] {
  const cost = (unit: number): number => (unit === 0x60 ? 2 : 1);
  return splitText(text, PIECE - 30, cost).map((part) => codeBlock(part.replace(/\n$/, ""), language));
}

/** A line as markup, in several lines where it has line breaks or is too long. */
function markupLines({ spans, mark }: { spans: readonly Span[]; mark: string }): string[] {
  const lines: string[] = [];
  let current = "";
  const close = (): void => {
    // A point of a list or a heading is not begun anew.
    const lead = lines.length === 0 ? mark : (/^(?:> |-# )+/.exec(mark)?.[0] ?? "");
    lines.push(`${lead}${current}`.trimEnd());
    current = "";
  };
  for (const span of spans) {
    for (const [index, part] of span.text.split("\n").entries()) {
      if (index > 0) close();
      for (const text of splitText(part, PIECE / 3, escapedCost)) {
        const drawn = markup({ ...span, text });
        if (current !== "" && mark.length + current.length + drawn.length > PIECE - 10) close();
        current += current === "" ? drawn : `${seam(current, drawn)}${drawn}`;
      }
    }
  }
  close();
  return lines;
}

/** Marks that touch are read as one longer mark, and brackets as a link. */
function seam(before: string, after: string): string {
  const isMark = /[*_~`]$/.test(before) && /^[*_~`]/.test(after);
  return isMark || (before.endsWith("]") && after.startsWith("(")) ? "\u200B" : "";
}

function markup({ text, styles, href, isMention = false }: Span): string {
  const inner = text.trim();
  if (inner === "" || isMention) return text;
  const lead = text.slice(0, text.length - text.trimStart().length);
  const tail = text.slice(lead.length + inner.length);
  const url = href === undefined ? undefined : safeUrl(href);
  const core = url === undefined ? plain(inner, styles) : link(inner, url, href);
  // The marks stand outside of the link, where Discord looks for them.
  const marks = [...new Set(styles)].map((style) => MARKS[style]);
  return `${lead}${marks.reduce((within, mark) => `${mark}${within}${mark}`, core)}${tail}`;
}

function plain(text: string, styles: readonly Style[]): string {
  return styles.includes("code") ? inlineCode(text) : escapeText(text);
}

function link(text: string, url: string, href: string | undefined): string {
  return text === url && text === href ? `<${url}>` : `[${escapeLabel(text)}](<${url}>)`;
}

const MARKS: Readonly<Record<Style, string>> = { bold: "**", italic: "*", strike: "~~", code: "" };
