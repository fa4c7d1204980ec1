import type { ListItem } from "mdast";

import type {
  ActionsElement,
  Card,
  CardElement,
  ChartElement,
  HeaderElement,
  TableElement,
} from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import { oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";

import { chartLines } from "../document/chart-lines.ts";
import { parseMarkdown } from "../document/markdown.ts";
import { type Block, drawElement, type ElementDrawers, type Flow, type Line } from "../document/tree.ts";
import { type ButtonSpec, foldValue, toButton } from "./actions.ts";
import { glimpse, isShort, jsonSide, LONG_VALUE, previewOf } from "./card-text.ts";
import { filesNote, type RenderedFile } from "./files.ts";
import { shapeOf } from "./table.ts";
import { cleanText } from "./text.ts";
import {
  badgeLines,
  bold,
  cellLine,
  code,
  italic,
  linked,
  linksLine,
  plainFlow,
  progressLine,
  small,
  struck,
  words,
} from "./line.ts";

/** What a chat lays a card out from. */
export type CardPart =
  /** `leads`: belongs to what follows. */
  | { type: "flow"; flow: Flow[]; leads?: boolean }
  | { type: "header"; element: HeaderElement }
  /** With rows, under a caption that stands before it. */
  | { type: "table"; element: TableElement }
  | { type: "chart"; element: ChartElement }
  | { type: "buttons"; buttons: ButtonSpec[] }
  /** A section that is folded, and what opens it. */
  | { type: "folded"; title: string; hint: string; button: ButtonSpec }
  | { type: "divider" };

/** How a chat wants its cards. */
export interface CardStyle {
  /** Characters of a bar. */
  bar: number;
  /** Longer titles of sections are shown with all that is below them. */
  foldedTitle: number;
  /** Whether a button can hold a value. */
  fitsButton: (value: string) => boolean;
  /** Whether a line stands between an element of a card and the one before it. */
  isSetApart: (element: CardElement, before: CardElement, all: readonly CardElement[]) => boolean;
}

/** What a message draws of a card; `Size` is what a platform measures it in. */
export interface CardDrawing<Size, Button> {
  /**
   * A short reference (at most 200 characters) under which the adapter finds the card again; the buttons that turn
   * pages and unfold carry it. Without one nothing is folded or paged.
   */
  ref?: string;
  /** From 0; a page that does not exist is taken as the nearest one. */
  page?: number;
  /** What the card may take up; at least `LEAST_BUDGET`. Default: a message. */
  budget?: Size;
  /** Draws all that is folded. */
  unfold?: boolean;
  /** Buttons that the surface adds to those of the card. */
  buttons?: readonly Button[];
  /** The data the card was made of, to be attached as JSON where the card takes more than one page. */
  data?: JsonValue;
  /** Ends the names of its files, to tell those of several results of one message apart. */
  fileSuffix?: string;
}

interface Place {
  style: CardStyle;
  /** What the card is written in. */
  say: Words;
  /** Under which the adapter finds the card again; undefined shows everything unfolded. */
  ref: string | undefined;
  /** Of the element: `4.0` is the first one in the fifth. */
  path: string;
}

/** Markdown as chats show it. */
export function markdownFlow(text: string): Block[] {
  return parseMarkdown(text, cleanText);
}

/** A card as the parts of a message, from its first to its last. Without `ref` nothing is folded. */
export function cardParts(
  elements: readonly CardElement[],
  ref: string | undefined,
  style: CardStyle,
  say: Words,
): CardPart[] {
  return elements.flatMap((element, index) => {
    const parts = drawElement(element, PARTS, { style, say, ref, path: String(index) });
    const before = elements[index - 1];
    const isApart = parts.length > 0 && before !== undefined && before.type !== "header";
    return isApart && style.isSetApart(element, before, elements) ? [{ type: "divider" }, ...parts] : parts;
  });
}

export function isOpenSection(element: CardElement): boolean {
  return element.type === "section" && element.folded !== true;
}

/** The buttons of a card, and its elements without them. */
export function splitActions(card: Card): { buttons: ButtonSpec[]; others: CardElement[] } {
  const isAction = (element: CardElement): element is ActionsElement => element.type === "actions";
  return {
    buttons: card.elements.filter(isAction).flatMap((element) => element.items.map(toButton)),
    // Emptied rather than removed: the paths of folded elements count all elements.
    others: card.elements.map((element) => (isAction(element) ? { ...element, items: [] } : element)),
  };
}

const PARTS: ElementDrawers<CardPart[], Place> = {
  header: (element) => [{ type: "header", element }],
  chart: (element) => [{ type: "chart", element }],
  fields: ({ items }, { say }) =>
    flow(items.map(({ label, value }) => [...bold(label), ...words("  "), ...cellLine(value, say)])),
  text: (element, place) => folding(element, place, element.format === "markdown" ? markdownFlow : plainFlow),
  code: (element, place) => folding(element, place, (text) => [code(text, element.language)]),
  links: ({ items }) => flow([linksLine(items)]),
  progress: (element, { style, say }) => flow([progressLine(element, style.bar, say)]),
  actions: ({ items }) => [{ type: "buttons", buttons: items.map(toButton) }],
  footer: ({ text }) => flow([small(words(text))]),

  list({ ordered = false, items }) {
    const children = items.map(({ text, href, badges, detail = "" }): ListItem => {
      const more = detail === "" ? [] : [...words(detail.includes("\n") ? "\n" : "  "), ...italic(detail)];
      const line = [...linked(text, href), ...badgeLines(badges), ...more];
      return { type: "listItem", children: [{ type: "paragraph", children: line }] };
    });
    return flow([{ type: "list", ordered, children }]);
  },

  table(element, { say }) {
    const { caption = "", columns } = element;
    const lead = caption === "" ? [] : [leading(bold(caption))];
    if (element.rows.length > 0 && shapeOf(element, say).columns.length > 0) {
      return [...lead, { type: "table", element }];
    }
    const names = columns.map((column) => column.label).filter((label) => label.trim() !== "");
    return [
      ...lead,
      ...flow([italic(names.length === 0 ? say.cards.noRows : say.cards.noRowsOf(names.join(", ")))]),
    ];
  },

  error({ message, detail = "" }, { say }) {
    const said = [...words("⚠️ "), ...bold(message.trim() === "" ? say.cards.wentWrong : message)];
    if (detail.trim() === "") return flow([said]);
    return flow([said, detail.includes("\n") ? code(detail) : words(detail)]);
  },

  changes({ items }, place) {
    const { say } = place;
    const isLong = items.some(({ before, after }) =>
      [before, after].some((value) => jsonSide(value ?? null, say).length > LONG_VALUE),
    );
    const more = isLong ? showAll(place) : [];
    const side = (value: JsonValue): string => {
      const text = cleanText(jsonSide(value, say));
      return more.length > 0 && text.length > LONG_VALUE ? previewOf(text) : text;
    };
    const lines = items.flatMap(({ label, before, after }): Flow[] => {
      if (before === undefined || after === undefined) {
        const value = side(before ?? after ?? null);
        const isLine = value.length <= 160 && !value.includes("\n");
        return isLine ? [[...bold(label), ...words("  "), ...words(value)]] : [bold(label), code(value)];
      }
      const [was, will] = [side(before), side(after)];
      if (was.length + will.length <= 160 && !/\n/.test(was + will)) {
        const old = isNone(before) ? italic(was) : struck(was);
        const now = isNone(after) ? italic(will) : words(will);
        return [[...bold(label), ...words("  "), ...old, ...words("  →  "), ...now]];
      }
      return [
        [...bold(label), ...words(`  ${say.cards.before}`)],
        isNone(before) ? italic(was) : code(was),
        [...bold(label), ...words(`  ${say.cards.after}`)],
        isNone(after) ? italic(will) : code(will),
      ];
    });
    return [...flow(lines), ...more];
  },

  section({ title: said, folded, elements }, place) {
    const title = oneLine(cleanText(said)) || place.say.cards.more;
    const [more] = folded === true && title.length <= place.style.foldedTitle ? showAll(place) : [];
    if (more !== undefined) {
      return [{ type: "folded", title, hint: glimpse(elements, place.say), button: more.buttons[0] }];
    }
    const inner = elements.flatMap((element, index) =>
      drawElement(element, PARTS, { ...place, path: `${place.path}.${index}` }),
    );
    return [leading(bold(title)), ...inner];
  },
};

/** A chart in characters, where there is no picture. */
export function chartFlow(element: ChartElement, width: number): Flow[] {
  const { title, note = "" } = element;
  return [
    bold(title),
    code(chartLines(element, width, cleanText).join("\n")),
    ...(note === "" ? [] : [small(words(note))]),
  ];
}

function flow(flow: Flow[]): CardPart[] {
  return flow.length === 0 ? [] : [{ type: "flow", flow }];
}

function leading(line: Line): CardPart {
  return { type: "flow", flow: [line], leads: true };
}

/** The first lines of a long text, and a way to open the rest. */
function folding(
  { text, folded = false }: { text: string; folded?: boolean },
  place: Place,
  read: (text: string) => Flow[],
): CardPart[] {
  if (text.trim() === "") return [];
  const more = folded && !isShort(text) ? showAll(place) : [];
  return [...flow(read(more.length === 0 ? text : previewOf(text))), ...more];
}

/** The button that opens what is folded; none where it could not be found again. */
function showAll({ ref, path, style, say }: Place): { type: "buttons"; buttons: [ButtonSpec] }[] {
  if (ref === undefined) return [];
  const value = foldValue(ref, path);
  if (!style.fitsButton(value)) return [];
  return [{ type: "buttons", buttons: [{ action: "show_all", label: say.buttons.showAll, value }] }];
}

function isNone(value: JsonValue): boolean {
  return value === null || value === "";
}

/** What stands below one of several pages: which it is, where all of it is, and how to turn it. */
export function navigationOf<Button>(
  page: number,
  pages: number,
  files: readonly RenderedFile[],
  button: (page: number, action: "page_previous" | "page_next", label: string) => Button | undefined,
  say: Words,
): { note: string; buttons: Button[] } {
  const notes = [...(pages > 1 ? [say.cards.page(page + 1, pages)] : []), ...filesNote(files, say)];
  const buttons = [
    page > 0 ? button(page - 1, "page_previous", say.buttons.previous) : undefined,
    page < pages - 1 ? button(page + 1, "page_next", say.buttons.next) : undefined,
  ].filter((made) => made !== undefined);
  return { note: notes.join("  ·  "), buttons };
}
