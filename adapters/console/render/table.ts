import type { Cell, TableElement } from "#contract/card.ts";
import { httpAddress } from "./ink.ts";
import { count, pad, wrap } from "./layout.ts";
import { columnWidths } from "./columns.ts";
import { moreNote, type Pen } from "./pen.ts";
import { plainLine } from "#src/base/terminal-text.ts";

const ROWS_SHOWN = 20;
const CELL_LINES_SHOWN = 6;

export interface Grid {
  head: string[];
  align: ("left" | "right")[];
  /** Styled texts. */
  rows: string[][];
}

export function drawTable(table: TableElement, pen: Pen): string[] {
  const columns = table.columns.length;
  const shown = pen.more === undefined ? table.rows : table.rows.slice(0, ROWS_SHOWN);
  const grid: Grid = {
    head: table.columns.map((column) => plainLine(column.label)),
    align: table.columns.map((column) => column.align ?? "left"),
    rows: shown.map((row) =>
      Array.from({ length: columns }, (_, index) => cellText(row[index] ?? null, pen, true)),
    ),
  };
  const lines: string[] = [];
  if (table.caption !== undefined)
    lines.push(...wrap(pen.ink.paint("bold", plainLine(table.caption)), pen.width, pen.ruler));
  lines.push(...(table.rows.length === 0 ? [pen.ink.paint("gray", "(no rows)")] : drawGrid(grid, pen)));
  const hidden = table.rows.length - shown.length;
  if (hidden > 0) lines.push(...wrap(moreNote(pen, count(hidden, "more row")), pen.width, pen.ruler));
  const elsewhere = (table.total ?? 0) - table.rows.length;
  if (elsewhere > 0) {
    const where = table.rows.length === 0 ? "" : ` of ${table.total} at the source`;
    lines.push(
      ...wrap(pen.ink.paint("gray", `… ${count(elsewhere, "more row")}${where}`), pen.width, pen.ruler),
    );
  }
  return pen.ink.color ? lines : [...lines, ...linksBelow(table, shown, pen)];
}

/** Boxes where the columns fit, else one record below the other. */
export function drawGrid(grid: Grid, pen: Pen): string[] {
  const widths = columnWidths([grid.head, ...grid.rows], pen.width, pen.ruler);
  return widths === undefined ? drawRecords(grid, pen) : drawBox(grid, widths, pen);
}

export function cellText(cell: Cell, pen: Pen, inTable = false): string {
  if (cell === null) return pen.ink.paint("gray", "–");
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "number") return String(cell);
  if (typeof cell === "string") return plainLine(cell);
  if (!inTable) return pen.ink.badge(cell);
  // The column says what a badge means, and without colour the addresses stand below the table.
  const text = pen.ink.tone(plainLine(cell.text), cell.tone);
  return pen.ink.color ? pen.ink.link(text, cell.href) : text;
}

function drawBox(grid: Grid, widths: number[], pen: Pen): string[] {
  const border = (text: string): string => pen.ink.paint("gray", text);
  const rule = (left: string, middle: string, right: string): string =>
    border(left + widths.map((columns) => "─".repeat(columns + 2)).join(middle) + right);
  const body = grid.rows.map((row) => boxRow(row, widths, grid.align, pen));
  // Rows of several lines run into each other without a rule between them.
  const rules = body.filter((lines) => lines.length > 1).length > body.length / 2;
  return [
    rule("╭", "┬", "╮"),
    ...boxRow(
      grid.head.map((label) => pen.ink.paint("bold", label)),
      widths,
      grid.align,
      pen,
    ),
    rule("├", "┼", "┤"),
    ...body.flatMap((lines, index) => (rules && index > 0 ? [rule("├", "┼", "┤"), ...lines] : lines)),
    rule("╰", "┴", "╯"),
  ];
}

function boxRow(cells: string[], widths: number[], align: ("left" | "right")[], pen: Pen): string[] {
  const parts = widths.map((columns, index) => cellLines(cells[index] ?? "", columns, pen));
  const height = Math.max(...parts.map((lines) => lines.length));
  const bar = pen.ink.paint("gray", "│");
  return Array.from({ length: height }, (_, line) => {
    const row = widths.map((columns, index) =>
      pad(parts[index]?.[line] ?? "", columns, align[index], pen.ruler),
    );
    return `${bar} ${row.join(` ${bar} `)} ${bar}`;
  });
}

function cellLines(text: string, columns: number, pen: Pen): string[] {
  const lines = wrap(text, columns, pen.ruler);
  if (pen.more === undefined || lines.length <= CELL_LINES_SHOWN) return lines;
  return [...lines.slice(0, CELL_LINES_SHOWN - 1), pen.ink.paint("gray", "…")];
}

function drawRecords(grid: Grid, pen: Pen): string[] {
  return grid.rows.flatMap((row, number) => {
    const lines = grid.head.flatMap((label, index) => {
      const text = `${pen.ink.paint("bold", label)}: ${row[index] ?? ""}`;
      return wrap(text, pen.width, pen.ruler);
    });
    return number === 0 ? lines : [pen.ink.paint("gray", "─".repeat(Math.min(pen.width, 20))), ...lines];
  });
}

/** The addresses behind the cells; one line when they all are made from the cell's text. */
function linksBelow(table: TableElement, rows: Cell[][], pen: Pen): string[] {
  return table.columns.flatMap((column, index) => {
    const links = rows.flatMap((row) => {
      const cell = row[index];
      if (typeof cell !== "object" || cell === null) return [];
      const href = httpAddress(cell.href);
      return href === undefined ? [] : [{ text: plainLine(cell.text), href }];
    });
    const first = links[0];
    if (first === undefined) return [];
    const stem = first.href.endsWith(first.text) ? first.href.slice(0, -first.text.length) : undefined;
    if (stem !== undefined && first.text !== "" && links.every((link) => link.href === stem + link.text)) {
      return wrap(`${plainLine(column.label)}: ${stem}<${plainLine(column.label)}>`, pen.width, pen.ruler);
    }
    return links.flatMap((link) => wrap(`${link.text}: ${link.href}`, pen.width, pen.ruler));
  });
}
