import type { Cell, TableElement } from "#contract/card.ts";

import { count } from "./text.ts";

/** A table whose rows all have one cell per column. */
export interface Shape {
  columns: string[];
  rows: Cell[][];
}

/** Rows may be ragged: short ones are filled up, long ones get columns of their own. */
export function shapeOf(element: TableElement): Shape {
  const width = element.rows.reduce((most, row) => Math.max(most, row.length), element.columns.length);
  const columns = Array.from({ length: width }, (_, index) => {
    const label = element.columns[index]?.label ?? "";
    return label.trim() === "" ? `Column ${index + 1}` : label;
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
): string | undefined {
  const all = total !== undefined && total > rows ? ` of ${count(total, "row")} in all` : "";
  if (shown < rows)
    return `Rows ${from + 1} to ${from + shown} of ${rows}${all === "" ? "." : ` here,${all}.`}`;
  return all === "" ? undefined : `${rows}${all}.`;
}
