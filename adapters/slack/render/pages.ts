import type { KnownBlock } from "@slack/types";

import { rowsNote } from "../../chat/table.ts";
import { contextBlocks } from "./buttons.ts";
import type { Piece } from "./draw.ts";
import type { Budget } from "./limits.ts";
import { pack } from "./rich.ts";
import { plainRows, rowsThatFit, tableBlock } from "./table.ts";
import { weigh } from "./text.ts";

export interface Layout {
  pages: KnownBlock[][];
  /** Some table is shared out over several pages. */
  splitsTable: boolean;
}

interface Placed {
  block: KnownBlock;
  leads: boolean;
}

/** Fewer rows than this at the end of a page are better on the next one. */
const MIN_ROWS = 4;
/** More rows than this are worth a page of their own rather than a table in plain text. */
const MANY_ROWS = 12;
/** Room for the line that says which rows a page shows. */
const NOTE = 220;

/**
 * Pieces laid on pages, each within the budget. Nothing is left out. A page has one table block at most
 * (none without `tables`); further tables on it are drawn as text.
 */
export function layOut(pieces: readonly Piece[], budget: Budget, tables: boolean): Layout {
  const pages: Placed[][] = [];
  let page: Placed[] = [];
  let chars = 0;
  let hasTable = false;
  let splitsTable = false;

  const turn = (): void => {
    const carried: Placed[] = [];
    while (page.length > 1 && page.at(-1)?.leads === true) carried.unshift(...page.splice(-1));
    pages.push(page);
    page = carried;
    chars = carried.reduce((sum, placed) => sum + weigh(placed.block) + 1, 2);
    hasTable = false;
  };
  const place = (block: KnownBlock, leads = false): void => {
    const weight = weigh(block) + 1;
    if (page.length > 0 && (chars + weight > budget.chars || page.length >= budget.blocks)) turn();
    page.push({ block, leads });
    chars += weight;
  };
  const hasContent = (): boolean => page.some((placed) => !placed.leads);

  for (const piece of pieces) {
    if (piece.type === "block") {
      place(piece.block, piece.leads);
      continue;
    }
    const { table, element } = piece;
    const rows = table.rows.length;
    for (let from = 0; from < rows;) {
      const left = rows - from;
      if (!tables || (hasTable && left <= MANY_ROWS)) {
        for (const block of pack(plainRows(table, from))) place(block);
        const note = rowsNote(from, left, rows, element.total);
        if (note !== undefined) for (const block of contextBlocks([note])) place(block);
        break;
      }
      const room = budget.blocks - page.length >= 2 ? budget.chars - chars - NOTE : 0;
      const fitting = hasTable ? 0 : rowsThatFit(table, from, room);
      if (fitting < Math.min(left, MIN_ROWS) && hasContent()) {
        turn();
        continue;
      }
      const shown = Math.max(1, fitting);
      const note = rowsNote(from, shown, rows, element.total);
      const block = tableBlock(table, from, shown);
      page.push({ block, leads: false });
      chars += weigh(block) + 1;
      if (note !== undefined) for (const line of contextBlocks([note])) place(line);
      hasTable = true;
      from += shown;
      if (from < rows) {
        splitsTable = true;
        turn();
      }
    }
  }
  if (page.length > 0 || pages.length === 0) pages.push(page);
  return { pages: pages.map((placed) => placed.map(({ block }) => block)), splitsTable };
}
