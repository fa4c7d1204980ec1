import type { Cell, TableElement } from "#contract/card.ts";

/** A table as a file for spreadsheets (RFC 4180). */
export function toCsv(table: TableElement): string {
  return CSV_MARK + linesOf(table).map(csvLine).join("");
}

/** With which a file begins: by it Excel knows UTF-8. */
export const CSV_MARK = "\uFEFF";

/** One line, with its end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(",")}\r\n`;
}

/** Of an answer that is saved as a file. */
export function csvHeaders(fileName: string): Record<string, string> {
  return {
    "content-type": "text/csv; charset=utf-8; header=present",
    "content-disposition": `attachment; filename="${fileName}"`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}

/** Tabs and line ends in a cell would end it, so they become spaces. */
export function toTsv(table: TableElement): string {
  const lines = linesOf(table).map((cells) =>
    cells.map((cell) => cell.replaceAll(/[\t\r\n]+/g, " ")).join("\t"),
  );
  return `${lines.join("\n")}\n`;
}

function linesOf({ columns, rows }: TableElement): string[][] {
  return [columns.map(({ label }) => harmless(label)), ...rows.map((row) => row.map(textOf))];
}

function textOf(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  return harmless(typeof cell === "string" ? cell : cell.text);
}

/**
 * Spreadsheets take what begins with one of these for a formula, which can send what else stands in the sheet
 * elsewhere; an apostrophe before it makes it text (OWASP, CSV Injection). Also after blanks, which some leave out.
 */
export function harmless(text: string): string {
  return /^[\s\u00A0\uFEFF]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
