import type { Ruler } from "#src/base/text-width.ts";

import type { Ink } from "./ink.ts";

/** Where and how the parts of a card are drawn. */
export interface Pen {
  ink: Ink;
  /** One for all that is drawn together. */
  ruler: Ruler;
  /** Columns. */
  width: number;
  /** What to type to see all of it, such as `/show 3`; undefined: nothing is shortened. */
  more: string | undefined;
  /** Lines shown of a folded text. */
  foldedLines: number;
  /** Whether the card's actions are written out. */
  actions: boolean;
}

/** A pen for a part that stands `columns` further right. */
export function narrower(pen: Pen, columns: number): Pen {
  return { ...pen, width: Math.max(16, pen.width - columns) };
}

/** The first lines, and a note of how many follow and how to see them. */
export function fold(lines: string[], pen: Pen, limit: number = pen.foldedLines): string[] {
  // Two lines more are shown rather than announced.
  if (pen.more === undefined || lines.length <= limit + 2) return lines;
  const hidden = lines.length - limit;
  return [...lines.slice(0, limit), moreNote(pen, `${hidden} more lines`)];
}

export function moreNote(pen: Pen, what: string): string {
  return pen.ink.paint("gray", pen.more === undefined ? `… ${what}` : `… ${what} · ${pen.more} shows all`);
}
