import type { Cell, TableElement } from "#contract/card.ts";

import { cellText } from "../../chat/card-text.ts";
import { fixedWidth, shapeOf } from "../../chat/table.ts";
import { bold, cellLine, code, type Flow, italic, type Line, pack, small, words } from "./lines.ts";

/** Wider than this, a fixed-width table breaks its lines beside the list of channels. */
const MAX_WIDTH = 58;
/** A first cell that is shorter is a key, which the second one explains. */
const KEY = 16;

/** Discord has no tables: narrow ones without links in a fixed width, the others as two lines a row. */
export interface DrawnTable {
  /** How each row stands on a page: pieces of markup, mostly one. */
  rows: string[][];
  /** Names the columns, above the first row. */
  head: string[];
}

export function drawTable(element: TableElement): DrawnTable | { box: Flow } {
  const { columns, rows } = shapeOf(element);
  const hasLinks = rows.some((row) =>
    row.some((cell) => typeof cell === "object" && cell?.href !== undefined),
  );
  const box =
    hasLinks || rows.length > 40
      ? undefined
      : boxOf(
          columns,
          rows.map((row) => row.map(cellText)),
        );
  if (box !== undefined) return { box };
  return {
    head: pack([small(columns.flatMap((label, at) => [...words(at === 0 ? "" : "  ·  "), ...bold(label)]))]),
    rows: rows.map((row) => pack(recordFlow(columns, row.map(cellOf)))),
  };
}

/** The same for a table that stands in a text. */
export function tableFlow(columns: readonly string[], rows: readonly (readonly Line[])[]): Flow[] {
  const hasLinks = rows.some((row) => row.some((line) => line.some(({ href }) => href !== undefined)));
  const texts = rows.map((row) => columns.map((_, at) => (row[at] ?? []).map(({ text }) => text).join("")));
  const box = hasLinks ? undefined : boxOf(columns, texts);
  return box === undefined ? rows.flatMap((row) => recordFlow(columns, row)) : [box];
}

function boxOf(columns: readonly string[], rows: readonly (readonly string[])[]): Flow | undefined {
  const text = fixedWidth(columns, rows, MAX_WIDTH);
  // In several boxes the header would stand over the first one only.
  return text === undefined || text.length > 800 ? undefined : code(text);
}

function cellOf(value: Cell): Line {
  return value === null || value === "" ? [] : cellLine(value);
}

/** The first cell leads, with the second one where it is a key; the others follow in small print. */
function recordFlow(columns: readonly string[], cells: readonly Line[]): Flow[] {
  const [first = [], second = []] = cells;
  const isKey = first.reduce((sum, { text }) => sum + text.length, 0) <= KEY && cells.length > 1;
  const lead = first.map((span) => ({ ...span, styles: [...(span.styles ?? []), "bold" as const] }));
  const rest = cells
    .slice(isKey ? 2 : 1)
    .flatMap((line, at): Line => [
      ...words(at === 0 ? "" : "  ·  "),
      ...words(`${columns[at + (isKey ? 2 : 1)] ?? ""}: `),
      ...(line.length === 0 ? words("–") : line),
    ]);
  const head = [
    ...(lead.length === 0 ? italic("none") : lead),
    ...(isKey ? [...words("  "), ...second] : []),
  ];
  return rest.length === 0 ? [{ line: head }] : [{ line: head }, small(rest)];
}
