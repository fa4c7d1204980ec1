import type { Cell, TableElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { Ruler } from "#src/base/text-width.ts";
import type { Words } from "#src/base/words/en.ts";

/** A table whose rows all have one cell per column. */
export interface Shape {
  columns: string[];
  rows: Cell[][];
}

/** Rows may be ragged: short ones are filled up, long ones get columns of their own. */
export function shapeOf(element: TableElement, { cards: say }: Words): Shape {
  const width = element.rows.reduce((most, row) => Math.max(most, row.length), element.columns.length);
  const columns = Array.from({ length: width }, (_, index) => {
    const label = element.columns[index]?.label ?? "";
    return label.trim() === "" ? say.column(index + 1) : label;
  });
  return { columns, rows: element.rows.map((row) => columns.map((_, index) => row[index] ?? null)) };
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
      // Without the sign that stands for its colour.
      const text = typeof value === "object" && value !== null ? value.text : value;
      const href = typeof value === "object" ? value?.href : undefined;
      return linked[index] ? [text, href ?? null] : [text];
    }),
  );
  return [header, ...rows].map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
}

function csvField(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** "Rows 1 to 40 of 500." */
export function rowsNote(
  from: number,
  shown: number,
  rows: number,
  total: number | undefined,
  { cards: say }: Words,
): string | undefined {
  const all = total !== undefined && total > rows ? say.inAll(total) : "";
  if (shown < rows)
    return all === ""
      ? `${say.rows(from + 1, from + shown, rows)}.`
      : `${say.rowsHere(say.rows(from + 1, from + shown, rows))}${all}.`;
  return all === "" ? undefined : `${rows}${all}.`;
}

/** Lists lie no deeper than this in what tools give. */
const MAX_DEPTH = 4;

/** Cells of a table that has fewer values. */
const FEW_CELLS = 20_000;
/** Of a table's cells at least so much has a value. */
const FILLED = 1 / 4;

/**
 * All rows of a table of which a card shows only the first, from the data the card was made of: with the
 * data's own names, nested values as JSON. Of rows that have hardly a name in common the names that most have:
 * each row for itself could name thousands. Undefined where the table is whole or the data has no such list.
 */
export function wholeTable({ rows, total }: TableElement, data: JsonValue): Shape | undefined {
  if (total === undefined || total <= rows.length) return undefined;
  const lists = listsOf(data, 0).filter((list) => list.length > rows.length && list.length <= total);
  const [list] = lists.toSorted((a, b) => b.length - a.length);
  if (list === undefined) return undefined;
  const columns = columnsOf(list);
  return { columns, rows: list.map((row) => columns.map((name) => cellOf(row, name))) };
}

function columnsOf(list: readonly JsonObject[]): string[] {
  const filled = new Map<string, number>();
  for (const row of list) for (const name of Object.keys(row)) filled.set(name, (filled.get(name) ?? 0) + 1);
  const values = [...filled.values()].reduce((sum, one) => sum + one, 0);
  const room = Math.max(1, Math.floor(Math.max(FEW_CELLS, values / FILLED) / list.length));
  if (filled.size <= room) return [...filled.keys()];
  const fullest = [...filled].toSorted(([, a], [, b]) => b - a).slice(0, room);
  const kept = new Set(fullest.map(([name]) => name));
  return [...filled.keys()].filter((name) => kept.has(name));
}

function listsOf(value: JsonValue, depth: number): JsonObject[][] {
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return [];
  if (!Array.isArray(value)) return Object.values(value).flatMap((item) => listsOf(item, depth + 1));
  const isList = value.length > 0 && value.every((item) => isObject(item));
  return isList ? [value] : value.flatMap((item) => listsOf(item, depth + 1));
}

function cellOf(row: JsonObject, name: string): Cell {
  const value = Object.hasOwn(row, name) ? (row[name] ?? null) : null;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/**
 * Rows in a fixed width, with a ruled header; undefined where a cell has line breaks or the whole is wider
 * than `maxWidth` columns.
 */
export function fixedWidth(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
): string | undefined {
  const ruler = new Ruler();
  const widths = columns.map((label, index) =>
    Math.max(ruler.columns(label), ...rows.map((row) => ruler.columns(row[index] ?? "")), 1),
  );
  const width = widths.reduce((sum, each) => sum + each + 2, -2);
  if (width > maxWidth || rows.some((row) => row.some((text) => text.includes("\n")))) return undefined;
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => text + " ".repeat((widths[index] ?? 0) - ruler.columns(text)))
      .join("  ")
      .trimEnd();
  const rule = widths.map((each) => "─".repeat(each));
  return [columns, rule, ...rows].map(line).join("\n");
}
