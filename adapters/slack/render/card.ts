import type { DataTableBlock, KnownBlock, RawNumberElement } from "@slack/types";

import type { Card, CardElement, Cell, ChartElement, HeaderElement, TableElement } from "#contract/card.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { type ButtonSpec, pageValue } from "../../chat/actions.ts";
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
import { badgeText } from "../../chat/card-text.ts";
import { chartFile, filesOf, type RenderedFile } from "../../chat/files.ts";
import { badgeLines, bold, linked, words } from "../../chat/line.ts";
import { rowsNote } from "../../chat/table.ts";
import { cleanText } from "../../chat/text.ts";
import { buttonBlocks, fitsButton, lineWithButton } from "./buttons.ts";
import { BAR, type Budget, LIMITS, MESSAGE_BUDGET, PIECE } from "./limits.ts";
import { contextBlocks, pack, plain } from "./rich.ts";
import { charsOf, type DrawnTable, drawTable, plainRows, rowsThatFit, tableBlock } from "./table.ts";
import { escapeText, splitText, weigh } from "./text.ts";

export interface CardOptions extends CardDrawing<Budget, ButtonSpec> {
  /** False in views, where Slack allows no table block. Default true. */
  tables?: boolean;
  /** The workspace knows the blocks of 2026: tables page by themselves. Default false. */
  native?: boolean;
  /**
   * How a chart is shown: by Slack itself where it takes it, as a file beside the message, or in characters. Default:
   * characters.
   */
  charts?: "native" | "file" | "text";
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
  const { ref, budget = MESSAGE_BUDGET, tables = true, native = false, buttons: more = [] } = options;
  const { buttons, others } = splitActions(card);
  const all = buttonBlocks([...buttons, ...more]);
  // The buttons of a card stay in reach on all of its pages, unless they are too many.
  const [elements, pinned] = weigh(all) <= PIECE ? [others, all] : [card.elements, buttonBlocks(more)];
  const say = wordsOf(card.language);
  const charts: RenderedFile[] = [];
  const drawChart = (element: ChartElement): KnownBlock[] => {
    const { charts: how = "text" } = options;
    const note = contextBlocks([element.note ?? ""]);
    const block = how === "native" ? dataVisualization(element) : undefined;
    if (block !== undefined && weigh(block) <= budget.chars / 2) return [block, ...note];
    if (how === "text") return pack(chartFlow(element, TEXT_WIDTH));
    const file = chartFile(card, element, options.fileSuffix);
    charts.push(file);
    return [...pack([bold(element.title)]), ...contextBlocks([say.charts.inFile(file.filename)]), ...note];
  };
  const drawn = piecesOf(elements, options.unfold === true ? undefined : ref, say, drawChart);
  // A message needs something to show.
  const title = card.title.trim() === "" ? say.cards.nothing : card.title;
  const isEmpty = drawn.length === 0 && pinned.length === 0;
  const pieces = isEmpty ? piecesOf([{ type: "text", text: title }], undefined, say, drawChart) : drawn;
  const free = { chars: budget.chars - weigh(pinned), blocks: budget.blocks - pinned.length };

  const style = { say, tables, ...(native && tables ? { caption: title } : {}) };
  let layout = layOut(pieces, free, style);
  const isCut = tables && pieces.some((piece) => "table" in piece && piece.table.isCut);
  if (layout.length > 1 || isCut) {
    const less = { chars: free.chars - NAVIGATION, blocks: free.blocks - NAVIGATION_BLOCKS };
    layout = layOut(pieces, less, style);
  }
  const pages = layout.length;
  const page = Math.min(Math.max(Math.trunc(options.page ?? 0), 0), pages - 1);
  const shown = pieces.flatMap((piece) =>
    "table" in piece ? [{ isCut: piece.table.isCut, element: piece.element }] : [],
  );
  const attachments = tables ? filesOf(card, shown, pages > 1, options) : [];
  const navigation = navigationOf(
    page,
    pages,
    attachments,
    (to, action, label): ButtonSpec | undefined =>
      ref === undefined ? undefined : { action, label, value: pageValue(ref, to) },
    say,
  );
  return {
    blocks: [
      ...(layout[page] ?? []),
      ...contextBlocks([navigation.note]),
      ...buttonBlocks(navigation.buttons),
      ...pinned,
    ],
    text: cutText(escapeText(card.title.trim() === "" ? say.cards.result : card.title), LIMITS.plainText),
    attachments: [...attachments, ...charts],
    page,
    pages,
  };
}

/** Characters of a chart in a line of a code block, also on a phone. */
const TEXT_WIDTH = 40;

/** What a card is laid out from: blocks that stay whole, and tables that may be shared out over pages. */
type Piece = PlacedBlock | { table: DrawnTable; element: TableElement };

interface PlacedBlock {
  block: KnownBlock;
  /** Belongs to what follows. */
  leads: boolean;
}

/** More open sections than this are set apart by their titles alone. */
const MAX_RULED = 6;

const STYLE: CardStyle = {
  bar: BAR,
  foldedTitle: 300,
  fitsButton,
  isSetApart(element, before, all) {
    // Where a section begins and ends: what follows it would else seem to be part of it.
    const isBody = !["section", "links", "footer", "actions"].includes(element.type);
    const isEdge = isOpenSection(element) || (isOpenSection(before) && isBody);
    return isEdge && all.filter(isOpenSection).length <= MAX_RULED;
  },
};

function piecesOf(
  elements: readonly CardElement[],
  ref: string | undefined,
  say: Words,
  drawChart: (element: ChartElement) => KnownBlock[],
): Piece[] {
  const shownLinks = new Set(
    elements.flatMap((element) => (element.type === "links" ? element.items.map(({ href }) => href) : [])),
  );
  return cardParts(elements, ref, STYLE, say).flatMap((part): Piece[] => {
    if (part.type === "table") {
      return [{ table: drawTable(part.element, say), element: part.element }];
    }
    if (part.type === "chart") return drawChart(part.element).map((block) => ({ block, leads: false }));
    const leads = part.type === "divider" || (part.type === "flow" && part.leads === true);
    return blocksOf(part, shownLinks, say).map((block) => ({ block, leads }));
  });
}

function blocksOf(
  part: Exclude<CardPart, { type: "table" | "chart" }>,
  shownLinks: ReadonlySet<string>,
  say: Words,
): KnownBlock[] {
  switch (part.type) {
    case "flow":
      return pack(part.flow);
    case "header":
      return header(part.element, shownLinks, say);
    case "buttons":
      return buttonBlocks(part.buttons);
    case "folded":
      return [lineWithButton(part.hint === "" ? part.title : `${part.title}\n${part.hint}`, part.button)];
    default:
      return [{ type: "divider" }];
  }
}

/** `shownLinks`: addresses that the card's own link lists show. */
function header(
  { text, href, eyebrow = "", badges = [] }: HeaderElement,
  shownLinks: ReadonlySet<string>,
  say: Words,
): KnownBlock[] {
  const whole = oneLine(cleanText(text)) || say.cards.noTitle;
  const [first = "", ...rest] = splitText(whole, LIMITS.header - 2);
  const hasLinks = badges.some((badge) => badge.href !== undefined);
  return [
    { type: "header", text: plain(rest.length === 0 ? first : `${first.trimEnd()} …`, LIMITS.header) },
    ...(rest.length === 0 ? [] : pack([bold(`… ${rest.join("")}`)])),
    ...(hasLinks
      ? pack([[...words(eyebrow), ...badgeLines(badges)]])
      : contextBlocks([eyebrow, ...badges.map(badgeText)])),
    ...(href === undefined || shownLinks.has(href) ? [] : pack([linked(say.buttons.open, href)])),
  ];
}

/** Fewer rows than this at the end of a page are better on the next one. */
const MIN_ROWS = 4;
/** More rows than this are worth a page of their own rather than a table in plain text. */
const MANY_ROWS = 12;
/** Room for the line that says which rows a page shows. */
const NOTE = 220;

interface TableStyle {
  say: Words;
  /** Whether there are table blocks. */
  tables: boolean;
  /** Where tables may page by themselves: what one without a caption of its own is called. */
  caption?: string;
}

/**
 * Pieces laid on pages, each within the budget. Nothing is left out. A page has one table block at most
 * (none without `tables`); further tables on it are drawn as text.
 */
function layOut(
  pieces: readonly Piece[],
  budget: Budget,
  { say, tables, caption }: TableStyle,
): KnownBlock[][] {
  const pages: PlacedBlock[][] = [];
  let page: PlacedBlock[] = [];
  let chars = 0;
  let hasTable = false;

  const turn = (): void => {
    const carried: PlacedBlock[] = [];
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
    if ("block" in piece) {
      place(piece.block, piece.leads);
      continue;
    }
    const { table, element } = piece;
    const rows = table.rows.length;
    for (let from = 0; from < rows;) {
      const left = rows - from;
      if (!tables || (hasTable && left <= MANY_ROWS)) {
        for (const block of pack(plainRows(table, from))) place(block);
        const note = rowsNote(from, left, rows, element.total, say);
        if (note !== undefined) for (const block of contextBlocks([note])) place(block);
        break;
      }
      const room = budget.blocks - page.length >= 2 ? budget.chars - chars - NOTE : 0;
      const whole =
        from > 0 || hasTable || caption === undefined
          ? undefined
          : dataTable(table, element, caption || say.cards.results, room);
      if (whole !== undefined) {
        // It says its caption itself, unless that is cut.
        const isSaid = whole.caption === oneLine(cleanText(element.caption ?? ""));
        if (isSaid && isCaption(page.at(-1))) page.pop();
        place(whole);
        const note = rowsNote(0, rows, rows, element.total, say);
        if (note !== undefined) for (const line of contextBlocks([note])) place(line);
        hasTable = true;
        break;
      }
      const fitting = hasTable ? 0 : rowsThatFit(table, from, room);
      if (fitting < Math.min(left, MIN_ROWS) && hasContent()) {
        turn();
        continue;
      }
      const shown = Math.max(1, fitting);
      const note = rowsNote(from, shown, rows, element.total, say);
      const block = tableBlock(table, from, shown);
      page.push({ block, leads: false });
      chars += weigh(block) + 1;
      if (note !== undefined) for (const line of contextBlocks([note])) place(line);
      hasTable = true;
      from += shown;
      if (from < rows) turn();
    }
  }
  if (page.length > 0 || pages.length === 0) pages.push(page);
  return pages.map((placed) => placed.map(({ block }) => block));
}

function isCaption(placed: PlacedBlock | undefined): boolean {
  return placed?.leads === true && placed.block.type === "rich_text";
}

/** Rows of one page; Slack turns the pages, sorts and filters by itself. */
const PAGE_SIZE = 5;

/**
 * The whole table as one that pages by itself; undefined where it does not fit Slack's limits, or `weight`
 * as `weigh` counts. `title` is its caption where it has none.
 */
function dataTable(
  table: DrawnTable,
  element: TableElement,
  title: string,
  weight: number,
): DataTableBlock | undefined {
  const { header, rows } = table;
  const { table: limits, dataTableRows } = LIMITS;
  if (rows.length === 0 || rows.length > dataTableRows || header.length > limits.columns) return undefined;
  const chars = [header, ...rows].reduce((sum, row) => sum + charsOf(row), 0);
  if (chars > limits.chars) return undefined;
  const caption = oneLine(cleanText(element.caption ?? "")) || oneLine(cleanText(title));
  const block: DataTableBlock = {
    type: "data_table",
    caption: cutText(caption, LIMITS.caption),
    rows: [
      header,
      ...rows.map((row, index) =>
        row.map((cell, column) => numberCell(table.source.rows[index]?.[column] ?? null) ?? cell),
      ),
    ],
    page_size: PAGE_SIZE,
  };
  return weigh(block) <= weight ? block : undefined;
}

/** Numbers are sorted as numbers. */
function numberCell(value: Cell): RawNumberElement | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return { type: "raw_number", value, text: String(value) };
}

/** Not among the types of the package yet: https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block */
interface DataVisualization {
  type: "data_visualization";
  title: string;
  chart:
    | { type: "pie"; segments: Point[] }
    | {
        type: "bar" | "line";
        series: { name: string; data: Point[] }[];
        axis_config: { categories: string[] };
      };
}

interface Point {
  label: string;
  value: number;
}

/** A chart that Slack draws by itself; undefined where it is beyond what Slack takes. */
export function dataVisualization({ kind, title, categories, series }: ChartElement): KnownBlock | undefined {
  const { points, series: mostSeries, segments, label, title: mostTitle } = LIMITS.chart;
  const labels = categories.map((one) => short(one, label));
  const names = series.map(({ name }) => short(name, label));
  const isAlike = new Set(labels).size < labels.length || new Set(names).size < names.length;
  const isHoled = series.some(({ values }) => values.some((value) => value === null));
  const isMuch = labels.length > (kind === "pie" ? segments : points) || series.length > mostSeries;
  if (isAlike || isHoled || isMuch || [...labels, ...names].includes("")) return undefined;
  const data = (values: readonly (number | null)[]): Point[] =>
    labels.map((one, at) => ({ label: one, value: values[at] ?? 0 }));
  const [first = []] = series.map(({ values }) => data(values));
  if (kind === "pie" && first.some(({ value }) => value <= 0)) return undefined;
  const block: DataVisualization = {
    type: "data_visualization",
    title: short(title, mostTitle) || labels.join(", ").slice(0, mostTitle),
    chart:
      kind === "pie"
        ? { type: "pie", segments: first }
        : {
            type: kind,
            series: series.map(({ values }, at) => ({ name: names[at] ?? "", data: data(values) })),
            axis_config: { categories: labels },
          },
  };
  return block as unknown as KnownBlock;
}

function short(text: string, most: number): string {
  return cutText(oneLine(cleanText(text)), most);
}
