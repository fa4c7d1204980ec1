import type { Ruler } from "#src/base/text-width.ts";

import { columnsOf, widest } from "./layout.ts";

/** A column narrower than this, where its content is wider, is not worth a table. */
const NARROWEST = 6;
/** Longer words, such as addresses, may be broken. */
const LONGEST_WORD = 20;
/** Characters of a cell whose words are weighed. */
const LONGEST_CELL = 1_000;
/** Widths are chosen by the first rows; all of a long table would take too long. */
const ROWS_WEIGHED = 40;

/**
 * Content widths for the columns of a boxed table, head row included, or undefined when they cannot
 * fit into `width`. Each column is at least as wide as its longest word where that is possible; the
 * rest of the room goes where it makes the table shortest.
 */
export function columnWidths(rows: string[][], width: number, ruler: Ruler): number[] | undefined {
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
  const widths = sum(whole) <= room ? whole : natural.map((wanted) => Math.min(wanted, NARROWEST));
  let left = room - sum(widths);
  if (left < 0) return undefined;
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
