import {
  type APIComponentInContainer,
  type APIContainerComponent,
  type APITextDisplayComponent,
  ComponentType,
  SeparatorSpacingSize,
} from "discord-api-types/v10";

import type { Card, CardElement, ChartElement, HeaderElement, TableElement, Tone } from "#contract/card.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { type ButtonSpec, pageValue } from "../../chat/actions.ts";
import { chartFile, filesOf, type RenderedFile } from "../../chat/files.ts";
import { rowsNote } from "../../chat/table.ts";
import { cleanText } from "../../chat/text.ts";
import {
  type CardDrawing,
  type CardPart,
  cardParts,
  type CardStyle,
  chartFlow,
  isOpenSection,
  navigationOf,
  splitActions,
} from "../../chat/card-parts.ts";
import { badgeLines, bold, linked, small, words } from "../../chat/line.ts";
import type { Flow } from "../../document/tree.ts";
import { buttonComponent, chunksOf, type DiscordButton, labelOf } from "./buttons.ts";
import { escapeText } from "./escape.ts";
import { BAR, type Budget, LIMITS, MESSAGE_BUDGET } from "./limits.ts";
import { drawTable, pack } from "./markup.ts";

export interface CardOptions extends CardDrawing<Budget, DiscordButton> {
  /** How a chart is shown: as a picture that goes with the message, or in characters (default). */
  charts?: "file" | "text";
  /** The button of a page; those of a message turn it for everybody. */
  pageButton?: (page: number, label: string) => DiscordButton;
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
  const { ref, budget = MESSAGE_BUDGET, buttons: more = [] } = options;
  const { buttons, others } = splitActions(card);
  const [elements, pinned] = isPinned(buttons, more)
    ? [others, inRows([...buttons, ...more])]
    : [card.elements, inRows(more)];
  const say = wordsOf(card.language);
  const charts: RenderedFile[] = [];
  const drawChart = (element: ChartElement): MeasuredComponent[] => {
    if (options.charts !== "file") return texts(chartFlow(element, TEXT_WIDTH));
    const file = chartFile(card, element, options.fileSuffix);
    charts.push(file);
    const component: APIComponentInContainer = {
      type: ComponentType.MediaGallery,
      items: [{ media: { url: `attachment://${file.filename}` }, description: file.title }],
    };
    return [
      { component, specs: [] },
      ...texts(element.note === undefined ? [] : [small(words(element.note))]),
    ];
  };
  const drawn = piecesOf(elements, options.unfold === true ? undefined : ref, say, drawChart);
  // A message needs something to show.
  const title = oneLine(card.title) || say.cards.nothing;
  const pieces = drawn.length === 0 && pinned.length === 0 ? texts([words(title)]) : drawn;
  const taken = costOf(pinned);
  const free = { chars: budget.chars - taken.chars, components: budget.components - taken.components };

  let laid = layOut(pieces, free, say);
  if (laid.length > 1) {
    const less = {
      chars: free.chars - NAVIGATION.chars,
      components: free.components - NAVIGATION.components,
    };
    laid = layOut(pieces, less, say);
  }
  const pages = laid.length;
  const page = Math.min(Math.max(Math.trunc(options.page ?? 0), 0), pages - 1);
  const tables = pieces.flatMap((piece) =>
    "rows" in piece ? [{ isCut: false, element: piece.element }] : [],
  );
  const files = options.files === false ? [] : filesOf(card, tables, pages > 1, options);
  const parts = joined([
    ...(laid[page] ?? []),
    ...navigation(page, pages, { ...options, attached: files, say }),
    ...pinned,
  ]);
  return { parts, containers: containersOf(parts, colorOf(card)), files: [...charts, ...files], page, pages };
}

/** Characters of a chart in a line of a code block, also on a phone. */
const TEXT_WIDTH = 36;

/** The buttons of a card stay in reach on all of its pages, unless they are too many or have more to say. */
function isPinned(own: readonly ButtonSpec[], more: readonly DiscordButton[]): boolean {
  const cost = costOf(inRows([...own, ...more]));
  const isSmall = cost.chars <= PINNED.chars && cost.components <= PINNED.components;
  return isSmall && own.every(({ action, label }) => action !== "prompt" && !isLongLabel(label));
}

function isLongLabel(label: string): boolean {
  return oneLine(cleanText(label)).length > LIMITS.button.label;
}

function navigation(
  page: number,
  pages: number,
  {
    ref,
    pageButton,
    attached,
    say,
  }: Pick<CardOptions, "ref" | "pageButton"> & { attached: readonly RenderedFile[]; say: Words },
): MeasuredComponent[] {
  const { note, buttons } = navigationOf(
    page,
    pages,
    attached,
    (to, action, label): DiscordButton | undefined => {
      if (pageButton !== undefined) return pageButton(to, label);
      return ref === undefined ? undefined : { action, label, value: pageValue(ref, to) };
    },
    say,
  );
  const text = cutText(escapeText(note), NAVIGATION.chars - 40);
  return [...(note === "" ? [] : [measuredText(`-# ${text}`)]), ...inRows(buttons)];
}

const STYLE: CardStyle = {
  bar: BAR,
  foldedTitle: 200,
  fitsButton: () => true,
  isSetApart: isOpenSection,
};

/** What a card is laid out from: components that stay whole, and rows that may be shared out over pages. */
type Piece = MeasuredComponent | { rows: string[][]; element: TableElement };

function piecesOf(
  elements: readonly CardElement[],
  ref: string | undefined,
  say: Words,
  drawChart: (element: ChartElement) => MeasuredComponent[],
): Piece[] {
  return cardParts(elements, ref, STYLE, say).flatMap((part) =>
    part.type === "chart" ? drawChart(part.element) : draw(part, say),
  );
}

function draw(part: Exclude<CardPart, { type: "chart" }>, say: Words): Piece[] {
  switch (part.type) {
    case "flow":
      return texts(part.flow, part.leads);
    case "header":
      return texts(header(part.element, say));
    case "table":
      return table(part.element, say);
    case "buttons":
      return buttonPieces(part.buttons);
    case "folded": {
      const flow = [bold(part.title), ...(part.hint === "" ? [] : [small(words(part.hint))])];
      const component: APIComponentInContainer = {
        type: ComponentType.Section,
        components: [{ type: ComponentType.TextDisplay, content: pack(flow).join("\n") }],
        accessory: buttonComponent(part.button),
      };
      return [{ component, specs: [part.button] }];
    }
    default: {
      const component: APIComponentInContainer = {
        type: ComponentType.Separator,
        spacing: SeparatorSpacingSize.Small,
      };
      return [{ component, specs: [], leads: true }];
    }
  }
}

function texts(flow: readonly Flow[], leads = false): MeasuredComponent[] {
  return pack(flow).map((text) => ({ ...measuredText(text), ...(leads ? { leads } : {}) }));
}

const HEADING = 150;

/** A heading is short; what is longer goes on below it. */
function header({ text, href, eyebrow = "", badges = [] }: HeaderElement, say: Words): Flow[] {
  const whole = oneLine(cleanText(text)) || say.cards.noTitle;
  const children = linked(whole, href);
  const title: Flow =
    whole.length > HEADING ? [{ type: "strong", children }] : { type: "heading", depth: 3, children };
  return [
    ...(eyebrow.trim() === "" ? [] : [small(words(eyebrow))]),
    title,
    ...(badges.length === 0 ? [] : [badgeLines(badges)]),
  ];
}

function table(element: TableElement, say: Words): Piece[] {
  const drawn = drawTable(element, say);
  if ("rows" in drawn) {
    const head = drawn.head.map((text) => ({ ...measuredText(text), leads: true }));
    return [...head, { rows: drawn.rows, element }];
  }
  const { total = 0, rows } = element;
  const note = total > rows.length ? [small(words(`${rows.length}${say.cards.inAll(total)}.`))] : [];
  return texts([drawn.box, ...note]);
}

/** A label that a button cannot hold stands in whole above it, and a value that says something as well. */
function buttonPieces(specs: readonly ButtonSpec[]): MeasuredComponent[] {
  const lines = specs.flatMap((spec): Flow[] => [
    ...(isLongLabel(spec.label) ? [bold(spec.label)] : []),
    ...(spec.action === "prompt" && labelOf(spec) !== oneLine(spec.value) ? [small(words(spec.value))] : []),
  ]);
  return [...texts(lines), ...inRows(specs)];
}

/** Buttons in rows of five. */
export function inRows(specs: readonly DiscordButton[]): MeasuredComponent[] {
  return chunksOf(specs, LIMITS.row).map((row) => ({
    component: { type: ComponentType.ActionRow, components: row.map(buttonComponent) },
    specs: row,
  }));
}

/** As many containers as the parts need; one ends where a line stands between two parts, if there is one. */
export function containersOf(parts: readonly MeasuredComponent[], color?: number): APIContainerComponent[] {
  const containers: APIContainerComponent[] = [];
  let rest = parts.map(({ component }) => component);
  while (rest.length > 0) {
    const most = rest.length > LIMITS.containerChildren ? LIMITS.containerChildren : rest.length;
    const line = rest.slice(0, most + 1).findLastIndex(({ type }) => type === ComponentType.Separator);
    const isCut = most < rest.length && line > 0;
    const end = isCut ? line : most;
    containers.push({
      type: ComponentType.Container,
      ...(color === undefined ? {} : { accent_color: color }),
      components: rest.slice(0, end),
    });
    rest = rest.slice(isCut ? end + 1 : end);
  }
  return containers;
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
function layOut(pieces: readonly Piece[], budget: Budget, say: Words): MeasuredComponent[][] {
  const pages: MeasuredComponent[][] = [];
  let page: MeasuredComponent[] = [];

  const turn = (carries = true): void => {
    const last = carries ? page.findLastIndex(({ leads }) => leads !== true) : page.length;
    const end = Math.max(1, last + 1);
    pages.push(page.slice(0, end));
    page = page.slice(end);
  };
  const fits = (laid: MeasuredComponent, reserve = 0): boolean => {
    const cost = costOf(merge(page, laid));
    return cost.chars + reserve <= budget.chars && cost.components <= budget.components;
  };
  const place = (laid: MeasuredComponent, reserve = 0): void => {
    if (page.length > 0 && !fits(laid, reserve)) turn();
    // What leads may itself fill a page.
    if (page.length > 0 && !fits(laid, reserve)) turn(false);
    page = merge(page, laid);
  };

  for (const piece of pieces) {
    if (!("rows" in piece)) {
      place(piece);
      continue;
    }
    const { rows, element } = piece;
    let from = 0;
    const note = (to: number): void => {
      const text = rowsNote(from, to - from, rows.length, element.total, say);
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

export function measuredText(content: string): MeasuredComponent & { component: APITextDisplayComponent } {
  return { component: { type: ComponentType.TextDisplay, content }, specs: [] };
}

/** A flow as components. */
export function measuredTexts(flow: readonly Flow[]): MeasuredComponent[] {
  return joined(texts(flow));
}

function joined(parts: readonly MeasuredComponent[]): MeasuredComponent[] {
  return parts.reduce<MeasuredComponent[]>(merge, []);
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
