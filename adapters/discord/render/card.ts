import type { APIContainerComponent } from "discord-api-types/v10";
import { ComponentType } from "discord-api-types/v10";

import type { ActionsElement, Card, CardElement, Tone } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { pageValue, toButton } from "../../chat/buttons.ts";
import type { RenderedFile } from "../../chat/files.ts";
import { filesNote, filesOf } from "../../chat/files.ts";
import { cutText, oneLine } from "../../chat/text.ts";
import type { DiscordButton } from "./buttons.ts";
import { drawAll, texts } from "./draw.ts";
import type { Piece } from "./draw.ts";
import { escapeText } from "./escape.ts";
import { LIMITS, MESSAGE_BUDGET } from "./limits.ts";
import type { Budget } from "./limits.ts";
import { flowLine, words } from "./lines.ts";
import { costOf, layOut, merge, rowLaid, textOf } from "./pages.ts";
import type { Laid } from "./pages.ts";

export interface CardOptions {
  /** A short reference under which the adapter finds the card again; without one nothing is folded or paged. */
  ref?: string;
  /** From 0; a page that does not exist is taken as the nearest one. */
  page?: number;
  /** What the card may take up; at least `LEAST_BUDGET`. Default: a message. */
  budget?: Budget;
  /** Draws all that is folded. */
  unfold?: boolean;
  /** Buttons that the surface adds to those of the card. */
  buttons?: readonly DiscordButton[];
  /** The button of a page; those of a message turn it for everybody. */
  pageButton?: (page: number, label: string) => DiscordButton;
  /** The data the card was made of, to be attached as JSON where the card takes more than one page. */
  data?: JsonValue;
  /** Ends the names of its files, to tell those of several results of one message apart. */
  fileSuffix?: string;
  /** False: nothing is attached, as for what one person sees. Default true. */
  files?: boolean;
}

export interface RenderedCard {
  parts: Laid[];
  containers: APIContainerComponent[];
  /** Full results that do not fit one message; the same for every page. */
  files: RenderedFile[];
  /** Which page this is, from 0, and how many there are. */
  page: number;
  pages: number;
}

/** Room for the line of page and files, and the two buttons that turn pages. */
const NAVIGATION: Budget = { chars: 330, components: 5 };
/** What the card's own buttons may take up to stay in reach on each page. */
const PINNED: Budget = { chars: 250, components: 9 };

/**
 * A card in containers with its colour. Whatever does not fit one message is on further pages, behind a
 * "Show all" button or in an attached file, and the message says so.
 */
export function renderCard(card: Card, options: CardOptions = {}): RenderedCard {
  const { ref, budget = MESSAGE_BUDGET } = options;
  const { flowing, pinned } = split(card, options.buttons ?? []);
  const drawn = drawAll(flowing, "", { ref: options.unfold === true ? undefined : ref });
  // A message needs something to show.
  const title = oneLine(card.title) || "Nothing to show.";
  const pieces = drawn.length === 0 && pinned.length === 0 ? texts([flowLine(words(title))]) : drawn;
  const taken = costOf(pinned);
  const free = { chars: budget.chars - taken.chars, components: budget.components - taken.components };

  let laid = layOut(pieces, free);
  if (laid.length > 1) {
    laid = layOut(pieces, {
      chars: free.chars - NAVIGATION.chars,
      components: free.components - NAVIGATION.components,
    });
  }
  const pages = laid.length;
  const page = Math.min(Math.max(Math.trunc(options.page ?? 0), 0), pages - 1);
  const files = options.files === false ? [] : filesOf(card, tablesOf(pieces), pages > 1, options);
  const parts = [...(laid[page] ?? []), ...navigation(page, pages, files, options), ...pinned].reduce<Laid[]>(
    merge,
    [],
  );
  return { parts, containers: containersOf(parts, colorOf(card)), files, page, pages };
}

/** The buttons of a card stay in reach on all of its pages, unless they are too many. */
function split(card: Card, more: readonly DiscordButton[]): { flowing: CardElement[]; pinned: Laid[] } {
  const isAction = (element: CardElement): element is ActionsElement => element.type === "actions";
  const own = card.elements.filter(isAction).flatMap((element) => element.items.map(toButton));
  const hasLongLabel = own.some(({ label }) => oneLine(label).length > LIMITS.button.label);
  const pinned = inRows([...own, ...more]);
  const cost = costOf(pinned);
  const isSmall = cost.chars <= PINNED.chars && cost.components <= PINNED.components;
  if (isSmall && !hasLongLabel && own.every(({ action }) => action !== "prompt")) {
    // Emptied rather than removed: the paths of folded elements count all elements.
    const emptied = card.elements.map((element) => (isAction(element) ? { ...element, items: [] } : element));
    return { flowing: emptied, pinned };
  }
  return { flowing: card.elements, pinned: inRows(more) };
}

export function inRows(specs: readonly DiscordButton[]): Laid[] {
  return Array.from({ length: Math.ceil(specs.length / LIMITS.row) }, (_, index) =>
    rowLaid(specs.slice(index * LIMITS.row, (index + 1) * LIMITS.row)),
  );
}

function tablesOf(pieces: readonly Piece[]): Parameters<typeof filesOf>[1] {
  return pieces.flatMap((piece) => (piece.type === "rows" ? [{ isCut: false, element: piece.element }] : []));
}

function navigation(
  page: number,
  pages: number,
  files: readonly RenderedFile[],
  { ref, pageButton = pageOf(ref) }: CardOptions,
): Laid[] {
  const notes = [...(pages > 1 ? [`Page ${page + 1} of ${pages}`] : []), ...filesNote(files)];
  const buttons = [
    ...(page > 0 ? [pageButton?.(page - 1, "← Previous")] : []),
    ...(page < pages - 1 ? [pageButton?.(page + 1, "Next →")] : []),
  ].filter((button) => button !== undefined);
  const note = cutText(escapeText(notes.join("  ·  ")), NAVIGATION.chars - 40);
  return [...(notes.length === 0 ? [] : [textOf(`-# ${note}`)]), ...inRows(buttons)];
}

function pageOf(ref: string | undefined): CardOptions["pageButton"] {
  if (ref === undefined) return undefined;
  return (page, label) => ({
    action: label.startsWith("←") ? "page_previous" : "page_next",
    label,
    value: pageValue(ref, page),
  });
}

/** As many containers as the parts need. */
export function containersOf(parts: readonly Laid[], color?: number): APIContainerComponent[] {
  const { containerChildren } = LIMITS;
  return Array.from({ length: Math.ceil(parts.length / containerChildren) }, (_, index) => ({
    type: ComponentType.Container,
    ...(color === undefined ? {} : { accent_color: color }),
    components: parts
      .slice(index * containerChildren, (index + 1) * containerChildren)
      .map(({ component }) => component),
  }));
}

const COLORS: Readonly<Record<Tone, number>> = {
  neutral: 0x80848e,
  info: 0x5865f2,
  good: 0x23a55a,
  warn: 0xf0b232,
  bad: 0xda373c,
};

/** The tone of the card's first badge, where it speaks of a state. */
export function colorOf(card: Card): number {
  if (card.kind === "error") return COLORS.bad;
  if (card.kind !== "approval") return COLORS.info;
  const header = card.elements.find((element) => element.type === "header");
  return COLORS[header?.badges?.[0]?.tone ?? "neutral"];
}
