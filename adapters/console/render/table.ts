import { stripVTControlCharacters } from "node:util";

import type { Cell, TableElement } from "#contract/card.ts";
import type { Ruler } from "#src/base/text-width.ts";
import { plainLine } from "#src/base/text.ts";

import { httpAddress, moreNote, type TerminalContext } from "./ink.ts";
import { columnsOf, count, hang, labelled, pad, widest, wrap } from "./layout.ts";

const ROWS_SHOWN = 20;
const CELL_LINES_SHOWN = 6;

export interface Grid {
  head: string[];
  align: ("left" | "right")[];
  /** Styled texts. */
  rows: string[][];
}

export function drawTable(table: TableElement, pen: TerminalContext): string[] {
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
export function drawGrid(grid: Grid, pen: TerminalContext): string[] {
  const widths = columnWidths([grid.head, ...grid.rows], pen.width, pen.ruler);
  return widths === undefined ? drawRecords(grid, pen) : drawBox(grid, widths, pen);
}

export function cellText(cell: Cell, pen: TerminalContext, inTable = false): string {
  if (cell === null) return pen.ink.paint("gray", "–");
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "number") return String(cell);
  if (typeof cell === "string") return plainLine(cell);
  if (!inTable) return pen.ink.badge(cell);
  // The column says what a badge means, and without colour the addresses stand below the table.
  const text = pen.ink.tone(plainLine(cell.text), cell.tone);
  return pen.ink.color ? pen.ink.link(text, cell.href) : text;
}

function drawBox(grid: Grid, widths: number[], pen: TerminalContext): string[] {
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

function boxRow(
  cells: string[],
  widths: number[],
  align: ("left" | "right")[],
  pen: TerminalContext,
): string[] {
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

function cellLines(text: string, columns: number, pen: TerminalContext): string[] {
  const lines = wrap(text, columns, pen.ruler);
  if (pen.more === undefined || lines.length <= CELL_LINES_SHOWN) return lines;
  return [...lines.slice(0, CELL_LINES_SHOWN - 1), pen.ink.paint("gray", "…")];
}

/** Columns that the first cell may take of a record's lines. */
const WIDEST_LEAD = 12;

/** The first cell, the second beside it, and the rest as facts below: `MOB-3  App crashes` over `To Do · High`. */
function drawRecords(grid: Grid, { width, ruler, ink }: TerminalContext): string[] {
  const leads = grid.rows.map(([first = ""]) => columnsOf(first, ruler));
  const lead = Math.max(0, ...leads);
  const isBeside = lead <= Math.min(WIDEST_LEAD, width / 3);
  const indent = " ".repeat(isBeside ? lead + 2 : 2);
  return grid.rows.flatMap(([first = "", second = "", ...rest]) => {
    const name = ink.paint("bold", first);
    const begin = isBeside
      ? labelled(name, second, lead, width, ruler)
      : [...wrap(name, width, ruler), ...(second === "" ? [] : hang(indent, second, width, ruler))];
    const facts = rest.flatMap((text, index) => fact(grid.head[index + 2] ?? "", text)).join(" · ");
    return facts === "" ? begin : [...begin, ...hang(indent, ink.paint("gray", facts), width, ruler)];
  });
}

/** What says little by itself, such as a number, has its label; what is not there is left out. */
function fact(label: string, text: string): string[] {
  const said = stripVTControlCharacters(text);
  if (said === "" || said === "–") return [];
  return [/\p{L}{2}/u.test(said) && said !== "yes" && said !== "no" ? text : `${label} ${text}`];
}

/** The addresses behind the cells; one line when they all are made from the cell's text. */
function linksBelow(table: TableElement, rows: Cell[][], pen: TerminalContext): string[] {
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

/** Longer words, such as addresses, may be broken. */
const LONGEST_WORD = 20;
/** Characters of a cell whose words are weighed. */
const LONGEST_CELL = 1_000;
/** Widths are chosen by the first rows; all of a long table would take too long. */
const ROWS_WEIGHED = 40;

/**
 * Content widths for the columns of a boxed table, head row included, or undefined when they cannot
 * fit into `width`. Each column is at least as wide as its longest word; the rest of the room goes where it makes
 * the table shortest.
 */
function columnWidths(rows: string[][], width: number, ruler: Ruler): number[] | undefined {
  const columns = (rows[0] ?? []).map((_, index) => rows.map((row) => row[index] ?? ""));
  const natural = columns.map((texts) =>
    texts.reduce((most, text) => Math.max(most, widest(text, ruler)), 1),
  );
  const room = width - 3 * natural.length - 1;
  if (sum(natural) <= room) return natural;
  const wordWidths = (text: string): number[] =>
    text
      .slice(0, LONGEST_CELL)
      .split(" ")
      .map((word) => columnsOf(word, ruler));
  const words = columns.map((texts) => texts.slice(0, ROWS_WEIGHED).map(wordWidths));
  const longest = columns.map((texts) =>
    texts.reduce((most, text) => Math.max(most, ...wordWidths(text)), 1),
  );
  const whole = longest.map((word) => Math.min(LONGEST_WORD, word));
  let left = room - sum(whole);
  if (left < 0) return undefined;
  const widths = [...whole];
  while (left > 0) {
    const [column, step] = bestStep(words, widths, natural, left);
    widths[column] = (widths[column] ?? 0) + step;
    left -= step;
  }
  return widths;
}

/** The column to widen and by how much: what saves most for each column of room. */
function bestStep(words: number[][][], widths: number[], natural: number[], left: number): [number, number] {
  const heights = words.map((cells, column) => cells.map((cell) => lineCount(cell, widths[column] ?? 1)));
  const now = cost(heights);
  let best: [number, number] = [widths.indexOf(Math.max(...widths)), left];
  let most = 0;
  for (const [column, cells] of words.entries()) {
    const from = widths[column] ?? 1;
    const limit = Math.min(left, (natural[column] ?? 1) - from);
    for (let step = 1; step <= limit; step += 1) {
      const tried = cells.map((cell) => lineCount(cell, from + step));
      const saved = (now - cost(heights.with(column, tried))) / step;
      if (saved > most) {
        most = saved;
        best = [column, step];
      }
    }
  }
  return best;
}

/** The lines of a table; between equals, the one with fewer lines in its cells. */
function cost(heights: number[][]): number {
  const rows = heights[0]?.length ?? 0;
  let total = 0;
  for (let row = 0; row < rows; row += 1) {
    const lines = heights.map((cells) => cells[row] ?? 1);
    total += 10 * Math.max(...lines) + sum(lines);
  }
  return total;
}

/** How many lines the words take at this width. */
function lineCount(words: number[], width: number): number {
  let lines = 1;
  let used = 0;
  for (const word of words) {
    if (used > 0 && used + 1 + word <= width) used += 1 + word;
    else {
      if (used > 0) lines += 1;
      lines += Math.max(0, Math.ceil(word / width) - 1);
      used = word > width ? word % width : word;
    }
  }
  return lines;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
