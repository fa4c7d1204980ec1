import type { RawTextElement, RichTextBlock, TableBlock } from "@slack/types";

import type { Cell, TableElement } from "#contract/card.ts";

import { badgeText, cellLine, cellText } from "./inline.ts";
import { LIMITS, PIECE } from "./limits.ts";
import { drawPlainTable } from "./plain-table.ts";
import { safeUrl } from "./rich.ts";
import type { Flow } from "./rich.ts";
import { cleanText, cutText, oneLine, splitText, weigh } from "./text.ts";

type TableCell = RawTextElement | RichTextBlock;

/** A table that can be drawn row by row, so that the pages of a card can share it out. */
export interface DrawnTable {
  header: TableCell[];
  rows: TableCell[][];
  settings: NonNullable<TableBlock["column_settings"]>;
  /** Some cells, links or columns are not whole in the block; the attached file has them. */
  isCut: boolean;
  source: Shape;
}

/** A table whose rows all have one cell per column. */
interface Shape {
  columns: string[];
  rows: Cell[][];
}

/** What a row may weigh, so that a header and a row fit any page. */
const ROW = PIECE;
/** Cells longer than this are broken into lines; shorter ones, such as keys and dates, stay on one. */
const WRAPPED = 12;
/** What an empty cell weighs, and a linked one beside its text and address. */
const CELL_FRAME = 34;
const LINK_FRAME = 140;

/** Rows may be ragged: short ones are filled up, long ones get columns of their own. */
export function shapeOf(element: TableElement): Shape {
  const width = element.rows.reduce((most, row) => Math.max(most, row.length), element.columns.length);
  const columns = Array.from({ length: width }, (_, index) => {
    const label = element.columns[index]?.label ?? "";
    return label.trim() === "" ? `Column ${index + 1}` : label;
  });
  return { columns, rows: element.rows.map((row) => columns.map((_, index) => row[index] ?? null)) };
}

export function drawTable(element: TableElement): DrawnTable {
  const source = shapeOf(element);
  const shown = Math.min(source.columns.length, LIMITS.table.columns);
  const room = Math.max(12, Math.min(400, Math.floor(ROW / Math.max(1, shown)) - CELL_FRAME));
  let isCut = source.columns.length > shown;
  const draw = (value: Cell): TableCell => {
    const cell = drawCell(value, room);
    isCut ||= cell.isCut;
    return cell.cell;
  };
  return {
    header: source.columns.slice(0, shown).map(draw),
    rows: source.rows.map((row) => row.slice(0, shown).map(draw)),
    settings: source.columns.slice(0, shown).map((_, index) => ({
      align: element.columns[index]?.align ?? "left",
      is_wrapped: source.rows.some((row) => cellText(row[index] ?? null).length > WRAPPED),
    })),
    isCut,
    source,
  };
}

function drawCell(value: Cell, room: number): { cell: TableCell; isCut: boolean } {
  const whole = oneLine(cleanText(cellText(value)));
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

function charsOf(row: readonly TableCell[]): number {
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
  return drawPlainTable(
    table.source.columns,
    table.source.rows.slice(from).map((row) => row.map((value) => (value === null ? [] : cellLine(value)))),
  );
}

/**
 * The table as CSV (RFC 4180). A column with links is followed by one with their addresses. Text that a
 * spreadsheet would run as a formula gets an apostrophe in front.
 */
export function toCsv(shape: Shape): string {
  const linked = shape.columns.map((_, index) =>
    shape.rows.some((row) => typeof row[index] === "object" && row[index]?.href !== undefined),
  );
  const header = shape.columns.flatMap((label, index) => (linked[index] ? [label, `${label} URL`] : [label]));
  const rows = shape.rows.map((row) =>
    row.flatMap((value, index) => {
      const text = typeof value === "object" && value !== null ? badgeLabel(value) : value;
      const href = typeof value === "object" ? value?.href : undefined;
      return linked[index] ? [text, href ?? null] : [text];
    }),
  );
  return [header, ...rows].map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
}

/** Without the sign that stands for its colour. */
function badgeLabel(value: Exclude<Cell, string | number | boolean | null>): string {
  return badgeText({ text: value.text });
}

function csvField(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
