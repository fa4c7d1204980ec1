import type { KnownBlock } from "@slack/types";

import type {
  CardElement,
  ChangesElement,
  ErrorElement,
  FieldsElement,
  HeaderElement,
  ListElement,
  ProgressElement,
  SectionElement,
  TableElement,
} from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { type ButtonSpec, foldValue, toButton } from "../../chat/actions.ts";
import { badgeText, glimpse, isShort, jsonSide, LONG_VALUE, previewOf } from "../../chat/card-text.ts";
import { cleanText } from "../../chat/text.ts";
import { buttonBlocks, contextBlocks, fitsButton, lineWithButton } from "./buttons.ts";
import { LIMITS } from "./limits.ts";
import { listItem, markdownFlow, plainFlow, titleFlow } from "./markdown.ts";
import {
  badgeLines,
  bold,
  cellLine,
  type Flow,
  italic,
  type Line,
  linked,
  pack,
  plain,
  preformatted,
  words,
} from "./rich.ts";
import { type DrawnTable, drawTable } from "./table.ts";
import { splitText } from "./text.ts";

/** What a card is laid out from: blocks that stay whole, and tables that may be shared out over pages. */
export type Piece =
  | { type: "block"; block: KnownBlock; /** Belongs to what follows. */ leads?: boolean }
  | { type: "table"; table: DrawnTable; element: TableElement };

export interface DrawContext {
  /** Under which the adapter finds the card again; undefined draws everything unfolded. */
  ref: string | undefined;
  /** Addresses that the card's own link lists show. */
  shownLinks: ReadonlySet<string>;
}

function drawElement(element: CardElement, path: string, context: DrawContext): Piece[] {
  switch (element.type) {
    case "header":
      return blocks(header(element, context));
    case "fields":
      return blocks(pack(fields(element)));
    case "text": {
      const flow = element.format === "markdown" ? markdownFlow : plainFlow;
      return folding(element.text, element.folded === true, path, context, (text) => pack(flow(text)));
    }
    case "table":
      return table(element);
    case "list":
      return blocks(pack(list(element)));
    case "code":
      return folding(element.text, element.folded === true, path, context, (text) =>
        pack(preformatted(text)),
      );
    case "links":
      return blocks(pack([linksLine(element.items)]));
    case "progress":
      return blocks(pack([progressLine(element)]));
    case "changes":
      return changes(element, path, context);
    case "section":
      return section(element, path, context);
    case "actions":
      return blocks(buttonBlocks(element.items.map(toButton)));
    case "footer":
      return blocks(contextBlocks([element.text]));
    default:
      return blocks(pack(error(element)));
  }
}

function blocks(drawn: readonly KnownBlock[]): Piece[] {
  return drawn.map((block) => ({ type: "block", block }));
}

function header(element: HeaderElement, context: DrawContext): KnownBlock[] {
  const text = cleanText(element.text).replaceAll(/\s+/g, " ").trim();
  const [first = "", ...rest] = splitText(text === "" ? "(no title)" : text, LIMITS.header - 2);
  const drawn: KnownBlock[] = [
    { type: "header", text: plain(rest.length === 0 ? first : `${first.trimEnd()} …`, LIMITS.header) },
  ];
  const more = rest.join("");
  if (more !== "") drawn.push(...pack([bold(`… ${more}`)]));

  const badges = element.badges ?? [];
  const small = [element.eyebrow ?? "", ...badges.map(badgeText)];
  if (badges.some((badge) => badge.href !== undefined)) {
    drawn.push(...pack([[...words(element.eyebrow ?? ""), ...badgeLines(badges)]]));
  } else {
    drawn.push(...contextBlocks(small));
  }
  if (element.href !== undefined && !context.shownLinks.has(element.href)) {
    drawn.push(...pack([linked("Open", element.href)]));
  }
  return drawn;
}

function fields(element: FieldsElement): Flow[] {
  return element.items.map((item) => [...bold(item.label), ...words("  "), ...cellLine(item.value)]);
}

function list(element: ListElement): Flow[] {
  return element.items.flatMap((item, index) => {
    const detail = item.detail ?? "";
    const line: Line = [
      ...linked(item.text, item.href),
      ...badgeLines(item.badges),
      ...(detail === "" ? [] : [...words(detail.includes("\n") ? "\n" : "  "), ...italic(detail)]),
    ];
    return listItem(line, element.ordered === true ? `${index + 1}.` : undefined);
  });
}

/** Links side by side. */
export function linksLine(items: readonly { label: string; href: string }[]): Line {
  return items.flatMap((item, index) => [
    ...(index === 0 ? [] : words("  ·  ")),
    ...linked(item.label, item.href),
  ]);
}

const BAR = 20;

/** A bar where both numbers can be drawn, else the amount alone. */
export function progressLine({ label, value, total }: Omit<ProgressElement, "type">): Line {
  const lead: Line = label === "" ? [] : [...bold(label), ...words("  ")];
  if (total === undefined) return [...lead, ...words(String(value))];
  const share = value / total;
  if (!Number.isFinite(share) || total <= 0) return [...lead, ...words(`${value} of ${total}`)];
  const full = Math.round(Math.min(Math.max(share, 0), 1) * BAR);
  const bar = "█".repeat(full) + "░".repeat(BAR - full);
  return [...lead, ...words(`${bar}  ${value} of ${total}`)];
}

function error(element: ErrorElement): Flow[] {
  const message = element.message.trim() === "" ? "Something went wrong." : element.message;
  const flow: Flow[] = [[...words("⚠️ "), ...bold(message)]];
  if (element.detail === undefined || element.detail.trim() === "") return flow;
  return [
    ...flow,
    ...(element.detail.includes("\n") ? preformatted(element.detail) : [words(element.detail)]),
  ];
}

function table(element: TableElement): Piece[] {
  const caption = element.caption ?? "";
  const lead: Piece[] =
    caption === "" ? [] : pack(titleFlow(caption)).map((block) => ({ type: "block", block, leads: true }));
  const drawn = drawTable(element);
  if (drawn.rows.length > 0 && drawn.header.length > 0) {
    return [...lead, { type: "table", table: drawn, element }];
  }
  const names = element.columns.map((column) => column.label).filter((label) => label.trim() !== "");
  const none = names.length === 0 ? "No rows." : `No rows (${names.join(", ")}).`;
  return [...lead, ...blocks(pack([italic(none)]))];
}

function folding(
  text: string,
  folded: boolean,
  path: string,
  context: DrawContext,
  draw: (text: string) => KnownBlock[],
): Piece[] {
  if (text.trim() === "") return [];
  const more = folded && !isShort(text) ? showAll(path, context, "Show all") : undefined;
  if (more === undefined) return blocks(draw(text));
  return blocks([...draw(previewOf(text)), ...buttonBlocks([more])]);
}

/** The button that opens what is folded; none where it could not be found again. */
function showAll(path: string, { ref }: DrawContext, label: string): ButtonSpec | undefined {
  if (ref === undefined) return undefined;
  const value = foldValue(ref, path);
  return fitsButton(value) ? { action: "show_all", label, value } : undefined;
}

function changes(element: ChangesElement, path: string, context: DrawContext): Piece[] {
  const long = element.items.some((item) => [item.before, item.after].some(isLong));
  const more = long ? showAll(path, context, "Show all") : undefined;
  const side = (value: JsonValue): string => {
    const text = cleanText(jsonSide(value));
    return more !== undefined && text.length > LONG_VALUE ? previewOf(text) : text;
  };
  const flow = element.items.flatMap((item): Flow[] => {
    const [before, after] = [side(item.before), side(item.after)];
    if (before.length + after.length <= 160 && !/\n/.test(before + after)) {
      return [
        [
          ...bold(item.label),
          ...words("  "),
          ...was(item.before, before),
          ...words("  →  "),
          ...will(item.after, after),
        ],
      ];
    }
    return [
      [...bold(item.label), ...words("  before")],
      ...(isNone(item.before) ? [italic("none")] : preformatted(before)),
      [...bold(item.label), ...words("  after")],
      ...(isNone(item.after) ? [italic("none")] : preformatted(after)),
    ];
  });
  return blocks([...pack(flow), ...(more === undefined ? [] : buttonBlocks([more]))]);
}

function isLong(value: JsonValue): boolean {
  return jsonSide(value).length > LONG_VALUE;
}

function isNone(value: JsonValue): boolean {
  return value === null || value === "";
}

function was(value: JsonValue, text: string): Line {
  return isNone(value) ? italic(text) : words(text, { strike: true });
}

function will(value: JsonValue, text: string): Line {
  return isNone(value) ? italic(text) : words(text);
}

function section(element: SectionElement, path: string, context: DrawContext): Piece[] {
  const title = element.title.trim() === "" ? "More" : cleanText(element.title).trim();
  const more = element.folded === true ? showAll(path, context, "Show all") : undefined;
  if (more !== undefined && title.length <= 300) {
    const hint = glimpse(element.elements);
    return blocks([lineWithButton(hint === "" ? title : `${title}\n${hint}`, more)]);
  }
  const lead: Piece[] = pack([bold(title)]).map((block) => ({ type: "block", block, leads: true }));
  return [...lead, ...drawAll(element.elements, path, context)];
}

/** More open sections than this are set apart by their titles alone. */
const MAX_RULED = 6;

export function drawAll(elements: readonly CardElement[], path: string, context: DrawContext): Piece[] {
  const ruled = path === "" && elements.filter(isOpenSection).length <= MAX_RULED;
  return elements.flatMap((element, index) => {
    const drawn = drawElement(element, path === "" ? String(index) : `${path}.${index}`, context);
    const isApart = ruled && drawn.length > 0 && isSetApart(elements[index - 1], element);
    return isApart ? [{ type: "block", block: { type: "divider" }, leads: true }, ...drawn] : drawn;
  });
}

function isOpenSection(element: CardElement | undefined): boolean {
  return element?.type === "section" && element.folded !== true;
}

/** Where a section begins and ends: what follows it would else seem to be part of it. */
function isSetApart(before: CardElement | undefined, element: CardElement): boolean {
  if (before === undefined || before.type === "header") return false;
  const isBody = !["section", "links", "footer", "actions"].includes(element.type);
  return isOpenSection(element) || (isOpenSection(before) && isBody);
}
