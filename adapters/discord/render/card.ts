import {
  type APIComponentInContainer,
  type APIContainerComponent,
  type APITextDisplayComponent,
  ComponentType,
  SeparatorSpacingSize,
} from "discord-api-types/v10";

import type { ActionsElement, Card, CardElement, Tone } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { pageValue, toButton } from "../../chat/actions.ts";
import { filesNote, filesOf, type RenderedFile } from "../../chat/files.ts";
import { rowsNote } from "../../chat/table.ts";
import { cutText, oneLine } from "../../chat/text.ts";
import { buttonComponent, type DiscordButton, labelOf, rowsOf } from "./buttons.ts";
import { drawAll, type Piece, texts } from "./draw.ts";
import { escapeText } from "./escape.ts";
import { type Budget, LIMITS, MESSAGE_BUDGET } from "./limits.ts";
import { flowLine, words } from "./lines.ts";

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
  parts: MeasuredComponent[];
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
  const parts = [...(laid[page] ?? []), ...navigation(page, pages, files, options), ...pinned].reduce<
    MeasuredComponent[]
  >(merge, []);
  return { parts, containers: containersOf(parts, colorOf(card)), files, page, pages };
}

/** The buttons of a card stay in reach on all of its pages, unless they are too many. */
function split(
  card: Card,
  more: readonly DiscordButton[],
): { flowing: CardElement[]; pinned: MeasuredComponent[] } {
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

export function inRows(specs: readonly DiscordButton[]): MeasuredComponent[] {
  return Array.from({ length: Math.ceil(specs.length / LIMITS.row) }, (_, index) =>
    measuredRow(specs.slice(index * LIMITS.row, (index + 1) * LIMITS.row)),
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
): MeasuredComponent[] {
  const notes = [...(pages > 1 ? [`Page ${page + 1} of ${pages}`] : []), ...filesNote(files)];
  const buttons = [
    ...(page > 0 ? [pageButton?.(page - 1, "← Previous")] : []),
    ...(page < pages - 1 ? [pageButton?.(page + 1, "Next →")] : []),
  ].filter((button) => button !== undefined);
  const note = cutText(escapeText(notes.join("  ·  ")), NAVIGATION.chars - 40);
  return [...(notes.length === 0 ? [] : [measuredText(`-# ${note}`)]), ...inRows(buttons)];
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
export function containersOf(parts: readonly MeasuredComponent[], color?: number): APIContainerComponent[] {
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

/** A part of a message, and the buttons in it. */
export interface MeasuredComponent {
  component: APIComponentInContainer;
  specs: readonly DiscordButton[];
  leads?: boolean;
}

/** Room for the line that says which rows a page shows. */
const NOTE = 80;

/** Pieces laid on pages, each within the budget. Nothing is left out. */
function layOut(pieces: readonly Piece[], budget: Budget): MeasuredComponent[][] {
  const pages: MeasuredComponent[][] = [];
  let page: MeasuredComponent[] = [];

  const turn = (): void => {
    const carried: MeasuredComponent[] = [];
    while (page.length > 1 && page.at(-1)?.leads === true) carried.unshift(...page.splice(-1));
    pages.push(page);
    page = carried;
  };
  const fits = (laid: MeasuredComponent, reserve = 0): boolean => {
    const cost = costOf(merge(page, laid));
    return cost.chars + reserve <= budget.chars && cost.components <= budget.components;
  };
  const place = (laid: MeasuredComponent, reserve = 0): void => {
    if (page.length > 0 && !fits(laid, reserve)) turn();
    page = merge(page, laid);
  };

  for (const piece of pieces) {
    if (piece.type !== "rows") {
      place(measure(piece));
      continue;
    }
    const { rows, element } = piece;
    let from = 0;
    const note = (to: number): void => {
      const text = rowsNote(from, to - from, rows.length, element.total);
      if (text !== undefined) page = merge(page, measuredText(`-# ${text}`));
      from = to;
    };
    for (const [index, texts] of rows.entries()) {
      for (const text of texts) {
        if (page.some((laid) => laid.leads !== true) && !fits(measuredText(text), NOTE)) {
          if (index > from) note(index);
          turn();
        }
        place(measuredText(text), NOTE);
      }
    }
    note(rows.length);
  }
  if (page.length > 0 || pages.length === 0) pages.push(page);
  return pages;
}

function measure(piece: Exclude<Piece, { type: "rows" }>): MeasuredComponent {
  switch (piece.type) {
    case "text":
      return { ...measuredText(piece.text), ...(piece.leads === true ? { leads: true } : {}) };
    case "buttons":
      return measuredRow(piece.buttons);
    case "section": {
      const component: APIComponentInContainer = {
        type: ComponentType.Section,
        components: [{ type: ComponentType.TextDisplay, content: piece.text }],
        accessory: buttonComponent(piece.button),
      };
      return { component, specs: [piece.button] };
    }
    default: {
      const component: APIComponentInContainer = {
        type: ComponentType.Separator,
        spacing: SeparatorSpacingSize.Small,
      };
      return { component, specs: [], leads: true };
    }
  }
}

/** At most five of them. */
export function measuredRow(specs: readonly DiscordButton[]): MeasuredComponent {
  const [component] = rowsOf(specs.map(buttonComponent));
  if (component === undefined) throw new Error("expected a button for the row, got none");
  return { component, specs };
}

export function measuredText(content: string): MeasuredComponent & { component: APITextDisplayComponent } {
  return { component: { type: ComponentType.TextDisplay, content }, specs: [] };
}

/** Text joins the text before it: one component holds both. */
export function merge(page: readonly MeasuredComponent[], laid: MeasuredComponent): MeasuredComponent[] {
  const last = page.at(-1);
  // What leads has to be able to go to the next page by itself.
  if (last === undefined || last.leads !== laid.leads) return [...page, laid];
  const [above, below] = [last.component, laid.component];
  if (above.type !== ComponentType.TextDisplay || below.type !== ComponentType.TextDisplay) {
    return [...page, laid];
  }
  const content = `${above.content}\n${below.content}`;
  return [...page.slice(0, -1), { ...last, component: { ...above, content } }];
}

/** What the parts take up, with the containers that they will stand in. */
export function costOf(page: readonly MeasuredComponent[]): Budget {
  let chars = 0;
  let components = Math.ceil(page.length / LIMITS.containerChildren);
  for (const { component, specs } of page) {
    chars += specs.reduce((sum, spec) => sum + labelOf(spec).length, 0);
    switch (component.type) {
      case ComponentType.TextDisplay:
        chars += component.content.length;
        components += 1;
        break;
      case ComponentType.Section:
        chars += component.components.reduce((sum, { content }) => sum + content.length, 0);
        components += 2 + component.components.length;
        break;
      case ComponentType.ActionRow:
        components += 1 + component.components.length;
        break;
      default:
        components += 1;
    }
  }
  return { chars, components };
}
