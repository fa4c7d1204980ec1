import type { KnownBlock } from "@slack/types";

import type { ActionsElement, Card, CardElement } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { type ButtonSpec, pageValue, toButton } from "../../chat/actions.ts";
import { filesNote, filesOf, type RenderedFile } from "../../chat/files.ts";
import { rowsNote } from "../../chat/table.ts";
import { cutText } from "../../chat/text.ts";
import { buttonBlocks, contextBlocks } from "./buttons.ts";
import { drawAll, type Piece } from "./draw.ts";
import { type Budget, LIMITS, MESSAGE_BUDGET, PIECE } from "./limits.ts";
import { pack } from "./rich.ts";
import { plainRows, rowsThatFit, tableBlock } from "./table.ts";
import { escapeText, weigh } from "./text.ts";

export interface CardOptions {
  /**
   * A short reference (at most 200 characters) under which the adapter finds the card again; the buttons
   * that turn pages and unfold carry it. Without one nothing is folded.
   */
  ref?: string;
  /** From 0; a page that does not exist is taken as the nearest one. */
  page?: number;
  /** What the blocks may take up; at least `LEAST_BUDGET`. Default: a message. */
  budget?: Budget;
  /** False in views, where Slack allows no table block. Default true. */
  tables?: boolean;
  /** Draws all that is folded. */
  unfold?: boolean;
  /** Buttons that the surface adds to those of the card. */
  buttons?: readonly ButtonSpec[];
  /** The data the card was made of, to be attached as JSON where the card takes more than one page. */
  data?: JsonValue;
  /** Ends the names of its files, to tell those of several results of one message apart. */
  fileSuffix?: string;
}

export interface RenderedCard {
  blocks: KnownBlock[];
  /** For notifications, escaped. */
  text: string;
  /** Full results that do not fit one message; the same for every page. */
  attachments: RenderedFile[];
  /** Which page this is, from 0, and how many there are. */
  page: number;
  pages: number;
}

/** Room for the page number, its buttons and the line about files. */
const NAVIGATION = 1700;
const NAVIGATION_BLOCKS = 3;

/**
 * A card as Block Kit. Whatever does not fit one message is on further pages, behind a "Show all" button
 * or in an attached file, and the message says so. The card's own buttons stand on every page.
 */
export function renderCard(card: Card, options: CardOptions = {}): RenderedCard {
  const { ref, budget = MESSAGE_BUDGET, tables = true } = options;
  const { flowing, pinned } = split(card, options.buttons ?? []);
  const drawn = drawAll(flowing, "", {
    ref: options.unfold === true ? undefined : ref,
    shownLinks: linksOf(card.elements),
  });
  // A message needs something to show.
  const pieces = drawn.length === 0 && pinned.length === 0 ? emptyCard(card) : drawn;
  const free = {
    chars: budget.chars - weigh(pinned),
    blocks: budget.blocks - pinned.length,
  };

  let layout = layOut(pieces, free, tables);
  const isCut = tables && pieces.some((piece) => piece.type === "table" && piece.table.isCut);
  if (layout.pages.length > 1 || isCut) {
    const less = { chars: free.chars - NAVIGATION, blocks: free.blocks - NAVIGATION_BLOCKS };
    layout = layOut(pieces, less, tables);
  }
  const pages = layout.pages.length;
  const page = Math.min(Math.max(Math.trunc(options.page ?? 0), 0), pages - 1);
  const attachments = tables ? filesOf(card, tablesOf(pieces), pages > 1, options) : [];
  return {
    blocks: [...(layout.pages[page] ?? []), ...navigation(page, pages, ref, attachments), ...pinned],
    text: cutText(escapeText(card.title.trim() === "" ? "Result" : card.title), LIMITS.plainText),
    attachments,
    page,
    pages,
  };
}

function emptyCard(card: Card): Piece[] {
  return drawAll([{ type: "text", text: card.title.trim() === "" ? "Nothing to show." : card.title }], "", {
    ref: undefined,
    shownLinks: new Set(),
  });
}

/** The buttons of a card stay in reach on all of its pages, unless they are too many. */
function split(card: Card, more: readonly ButtonSpec[]): { flowing: CardElement[]; pinned: KnownBlock[] } {
  const isAction = (element: CardElement): element is ActionsElement => element.type === "actions";
  const specs = [
    ...card.elements.filter(isAction).flatMap((element) => element.items.map(toButton)),
    ...more,
  ];
  const pinned = buttonBlocks(specs);
  if (weigh(pinned) <= PIECE) {
    // Emptied rather than removed: the paths of folded elements count all elements.
    const emptied = card.elements.map((element) => (isAction(element) ? { ...element, items: [] } : element));
    return { flowing: emptied, pinned };
  }
  return { flowing: card.elements, pinned: buttonBlocks(more) };
}

function tablesOf(pieces: readonly Piece[]): Parameters<typeof filesOf>[1] {
  return pieces.flatMap((piece) =>
    piece.type === "table" ? [{ isCut: piece.table.isCut, element: piece.element }] : [],
  );
}

function linksOf(elements: readonly CardElement[]): Set<string> {
  return new Set(
    elements.flatMap((element) => (element.type === "links" ? element.items.map((item) => item.href) : [])),
  );
}

function navigation(
  page: number,
  pages: number,
  ref: string | undefined,
  files: readonly RenderedFile[],
): KnownBlock[] {
  const notes = [...(pages > 1 ? [`Page ${page + 1} of ${pages}`] : []), ...filesNote(files)];
  const turns: ButtonSpec[] = [];
  if (ref !== undefined && page > 0) {
    turns.push({ action: "page_previous", label: "← Previous", value: pageValue(ref, page - 1) });
  }
  if (ref !== undefined && page < pages - 1) {
    turns.push({ action: "page_next", label: "Next →", value: pageValue(ref, page + 1) });
  }
  return [...(notes.length === 0 ? [] : contextBlocks([notes.join("  ·  ")])), ...buttonBlocks(turns)];
}

interface Layout {
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
function layOut(pieces: readonly Piece[], budget: Budget, tables: boolean): Layout {
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
