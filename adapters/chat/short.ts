import type { Card, CardElement, Cell, Inline, ListElement, TableElement } from "#contract/card.ts";
import type { TurnView } from "#contract/present.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { type ButtonSpec, pageValue, resultRef } from "./actions.ts";
import { cellText } from "./card-text.ts";

/** What a message in a channel shows of a list; the rest is one press away. */
const ROWS = 5;
const FACTS = 3;
/** A table of fewer columns is as easy to read as lines. */
const FEW_COLUMNS = 4;
/** More than a page of a list: they open in pages. */
const MANY = 20;
const TITLE = 150;
const FACT = 60;

/** A card for a channel, and how many rows of it are left for who asks for them. */
export interface ShortCard {
  card: Card;
  hidden: number;
}

export interface ShortOptions {
  /** The pages that a message has open, by reference; see ChatParts.pages. */
  pages?: Readonly<Record<string, number>>;
  /** Nobody else reads it: nothing is kept back. Default false. */
  isWhole?: boolean;
  /** A table of up to so many rows shows them in pages by itself. Default 0. */
  turnsItself?: number;
}

/** A conversation with one person, who asked and reads alone: a channel's id in Slack and in Discord. */
const DIRECT = /^(?:slack:[^:]+:D|discord:@me:)/;

/**
 * The card with the first rows of its long list, each as a title and three facts. A result that somebody asked to see
 * more of is whole: one that was opened, a later page of a list, and all in direct messages.
 */
export function shortCard(
  { turnId, channel, results }: TurnView,
  index: number,
  { pages = {}, turnsItself = 0, isWhole = false }: ShortOptions,
): ShortCard | undefined {
  const result = results[index];
  if (isWhole || result === undefined || (result.from ?? 0) > 0 || DIRECT.test(channel)) return undefined;
  if (Object.hasOwn(pages, resultRef(turnId, index))) return undefined;
  const { card } = result;
  const say = wordsOf(card.language);
  const at = card.elements.findIndex((element) => {
    const length = lengthOf(element);
    return length > ROWS && (element.type !== "table" || length > turnsItself);
  });
  const long = card.elements[at];
  if (long === undefined) return undefined;
  const elements = card.elements.map((element, place) => (place === at ? firstRows(element, say) : element));
  // The small print says how it was found.
  return { card: { ...card, elements: elements.map(withoutFooter) }, hidden: lengthOf(long) - ROWS };
}

/** Whether a message keeps rows back that were read already: those come before more are read. */
export function keepsRowsBack(view: TurnView, options: ShortOptions): boolean {
  return view.results.some((_, index) => shortCard(view, index, options) !== undefined);
}

/** Opens all rows that were read, in the message; one that still changes is not opened. */
export function showRows(
  { hidden }: ShortCard,
  { isSettled, language }: TurnView,
  ref: string,
): ButtonSpec[] {
  const { buttons: say } = wordsOf(language);
  const label = hidden > MANY ? say.showAllOf(hidden + ROWS) : say.showMore(hidden);
  return isSettled ? [{ action: "page_next", label, value: pageValue(ref, 0) }] : [];
}

function lengthOf(element: CardElement): number {
  if (element.type === "table") return element.rows.length;
  return element.type === "list" ? element.items.length : 0;
}

function firstRows(element: CardElement, say: Words): CardElement {
  if (element.type === "list") return { ...element, items: element.items.slice(0, ROWS) };
  if (element.type !== "table") return element;
  const { total: _total, ...table } = { ...element, rows: element.rows.slice(0, ROWS) };
  return table.columns.length <= FEW_COLUMNS ? table : asList(table, say);
}

/** A column that names its row, also where our own views call it in another language. */
const NAMES = /^(?:summary|title|name|subject|titel|betreff)$/i;

/** Emptied rather than removed: the paths of folded elements count all elements. */
function withoutFooter(element: CardElement): CardElement {
  return element.type === "footer" ? { type: "fields", items: [] } : element;
}

function asList({ columns, rows }: TableElement, say: Words): ListElement {
  const isNamed = NAMES.test(columns[1]?.label.trim() ?? "");
  const titles = isNamed && rows.every(([id]) => /^\S{1,24}$/.test(cellText(id ?? null, say))) ? 2 : 1;
  return { type: "list", items: rows.map((row) => itemOf(row, columns, { titles, say })) };
}

function itemOf(
  row: readonly Cell[],
  columns: TableElement["columns"],
  { titles, say }: { titles: number; say: Words },
): ListElement["items"][number] {
  const named = row.slice(0, titles);
  const href = named.map((cell) => (isInline(cell) ? cell.href : undefined)).find((one) => one !== undefined);
  const facts = row.slice(titles).flatMap((cell, at) => {
    const text = factOf(cell, columns[titles + at]?.label ?? "", say);
    return text === "" ? [] : [text];
  });
  const title = named.map((cell) => plain(cell, say)).filter((text) => text !== "");
  const detail = facts.slice(0, FACTS).join("  ·  ");
  return {
    text: cutText(oneLine(title.join("  ")), TITLE) || say.cards.noTitle,
    ...(href === undefined ? {} : { href }),
    ...(detail === "" ? {} : { detail }),
  };
}

/** A number or a yes says nothing without what it counts. */
function factOf(cell: Cell, label: string, say: Words): string {
  if (cell === null || cell === "") return "";
  const text = cutText(oneLine(isInline(cell) ? cellText(cell, say) : plain(cell, say)), FACT);
  return typeof cell === "number" || typeof cell === "boolean" ? `${label} ${text}` : text;
}

function plain(cell: Cell, say: Words): string {
  return isInline(cell) ? cell.text : cellText(cell, say);
}

function isInline(cell: Cell): cell is Inline {
  return typeof cell === "object" && cell !== null;
}
