import type { RawTextElement, RichTextBlock, TableBlock } from "@slack/types";

import type { Cell, TableElement } from "#contract/card.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";

import { cellText } from "../../chat/card-text.ts";
import { type Shape, shapeOf } from "../../chat/table.ts";
import { cleanText } from "../../chat/text.ts";
import { cellLine } from "../../chat/line.ts";
import type { Flow } from "../../document/tree.ts";
import { LIMITS, PIECE } from "./limits.ts";
import { plainTable, safeUrl } from "./rich.ts";
import { splitText, weigh } from "./text.ts";

type TableCell = RawTextElement | RichTextBlock;

/** A table that can be drawn row by row, so that the pages of a card can share it out. */
export interface DrawnTable {
  header: TableCell[];
  rows: TableCell[][];
  settings: NonNullable<TableBlock["column_settings"]>;
  /** Some cells, links or columns are not whole in the block; the attached file has them. */
  isCut: boolean;
  source: Shape;
  say: Words;
}

/** What a row may weigh, so that a header and a row fit any page. */
const ROW = PIECE;
/** Cells longer than this are broken into lines; shorter ones, such as keys and dates, stay on one. */
const WRAPPED = 12;
/** What an empty cell weighs, and a linked one beside its text and address. */
const CELL_FRAME = 34;
const LINK_FRAME = 140;

export function drawTable(element: TableElement, say: Words): DrawnTable {
  const source = shapeOf(element, say);
  const shown = Math.min(source.columns.length, LIMITS.table.columns);
  const room = Math.max(12, Math.min(400, Math.floor(ROW / Math.max(1, shown)) - CELL_FRAME));
  let isCut = source.columns.length > shown;
  const draw = (value: Cell): TableCell => {
    const cell = drawCell(value, room, say);
    isCut ||= cell.isCut;
    return cell.cell;
  };
  return {
    header: source.columns.slice(0, shown).map(draw),
    rows: source.rows.map((row) => row.slice(0, shown).map(draw)),
    settings: source.columns.slice(0, shown).map((_, index) => ({
      align: element.columns[index]?.align ?? "left",
      is_wrapped: source.rows.some((row) => cellText(row[index] ?? null, say).length > WRAPPED),
    })),
    isCut,
    source,
    say,
  };
}

function drawCell(value: Cell, room: number, say: Words): { cell: TableCell; isCut: boolean } {
  const whole = oneLine(cleanText(cellText(value, say)));
  const [first = ""] = splitText(whole, room);
  const text =
    first === whole ? whole : `${cutText(first, Math.max(1, first.length - 1)).replace(/…?$/, "")}…`;
  const isShort = first !== whole;
  if (typeof value === "object" && value?.href !== undefined) {
    const url = safeUrl(value.href);
    if (url !== undefined && text !== "" && weigh(url) + LINK_FRAME <= room + ROW / 3) {
      return { cell: linkCell(text, url), isCut: isShort };
    }
    return { cell: textCell(text), isCut: isShort || /^https?:/i.test(value.href) };
  }
  return { cell: textCell(text), isCut: isShort };
}

function textCell(text: string): RawTextElement {
  return { type: "raw_text", text: text === "" ? "–" : text };
}

function linkCell(text: string, url: string): RichTextBlock {
  return {
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [{ type: "link", url, text }] }],
  };
}

/** How many rows from `from` on a table block of at most `weight` can take. */
export function rowsThatFit(table: DrawnTable, from: number, weight: number): number {
  const empty: TableBlock = { type: "table", rows: [table.header], column_settings: table.settings };
  let used = weigh(empty);
  let chars = charsOf(table.header);
  let count = 0;
  for (const row of table.rows.slice(from, from + LIMITS.table.rows - 1)) {
    used += weigh(row) + 1;
    chars += charsOf(row);
    if (used > weight || chars > LIMITS.table.chars) break;
    count += 1;
  }
  return count;
}

/** Characters that Slack counts in a row. */
export function charsOf(row: readonly TableCell[]): number {
  return row.reduce((sum, cell) => sum + ("text" in cell ? cell.text.length : weigh(cell)), 0);
}

export function tableBlock(table: DrawnTable, from: number, count: number): TableBlock {
  return {
    type: "table",
    rows: [table.header, ...table.rows.slice(from, from + count)],
    column_settings: table.settings,
  };
}

/** The same rows without a table block; whole, as nothing is cut there. */
export function plainRows(table: DrawnTable, from: number): Flow[] {
  return plainTable(
    table.source.columns,
    table.source.rows
      .slice(from)
      .map((row) => row.map((value) => (value === null ? [] : cellLine(value, table.say)))),
  );
}
