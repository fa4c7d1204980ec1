import type { Card } from "#contract/card.ts";
import { drawElements, edgeOf } from "./elements.ts";
import { createInk } from "./ink.ts";
import { plainLine } from "#src/base/terminal-text.ts";
import { Ruler } from "#src/base/text-width.ts";

export interface TerminalCardOptions {
  /** Columns of the terminal; no line is wider, down to 20. */
  width: number;
  /** Whether colours and hyperlinks may be used. */
  color: boolean;
  /** What a person types to see the whole card, such as `/show 3`. Absent: nothing is shortened. */
  more?: string;
  /** Lines shown of a folded text (8). */
  foldedLines?: number;
  /** Whether actions are written as commands to type (default), or left to a prompt that follows. */
  actions?: boolean;
}

/** A card as lines for a terminal, without a line break at the end. */
export function renderCardTerminal(card: Card, options: TerminalCardOptions): string {
  const ink = createInk(options.color);
  const edge = edgeOf(card);
  const width = Math.max(20, Math.floor(options.width)) - (edge === undefined ? 0 : 2);
  const pen = {
    ink,
    ruler: new Ruler(),
    width,
    more: options.more,
    foldedLines: options.foldedLines ?? 8,
    actions: options.actions ?? true,
  };
  const lines = drawElements(card.elements, pen);
  if (lines.length === 0) lines.push(plainLine(card.title));
  if (edge === undefined) return lines.join("\n");
  const mark = ink.paint(edge, "▌");
  return lines.map((line) => (line === "" ? mark : `${mark} ${line}`)).join("\n");
}
