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
import { glimpse, isShort, jsonSide, LONG_VALUE, previewOf } from "../../chat/card-text.ts";
import { shapeOf } from "../../chat/table.ts";
import { cleanText, oneLine } from "../../chat/text.ts";
import { labelOf } from "./buttons.ts";
import { LIMITS } from "./limits.ts";
import {
  badgeLines,
  bold,
  cellLine,
  code,
  type Flow,
  flowLine,
  italic,
  type Line,
  linked,
  pack,
  plainFlow,
  small,
  words,
} from "./lines.ts";
import { markdownFlow } from "./markdown.ts";
import { drawTable } from "./table.ts";

/** What a card is laid out from. */
export type Piece =
  /** `leads`: belongs to what follows. */
  | { type: "text"; text: string; leads?: boolean }
  | { type: "buttons"; buttons: readonly ButtonSpec[] }
  /** A text with a button at its side. */
  | { type: "section"; text: string; button: ButtonSpec }
  | { type: "separator" }
  /** May be shared out over pages. */
  | { type: "rows"; rows: string[][]; element: TableElement };

export interface DrawContext {
  /** Under which the adapter finds the card again; undefined draws everything unfolded. */
  ref: string | undefined;
}

function drawElement(element: CardElement, path: string, context: DrawContext): Piece[] {
  switch (element.type) {
    case "header":
      return texts(header(element));
    case "fields":
      return texts(fields(element));
    case "text": {
      const flow = element.format === "markdown" ? markdownFlow : plainFlow;
      return folding(element, path, context, flow);
    }
    case "table":
      return table(element);
    case "list":
      return texts(list(element));
    case "code":
      return folding(element, path, context, (text) => [code(text, languageOf(element.language))]);
    case "links":
      return texts([flowLine(linksLine(element.items))]);
    case "progress":
      return texts([flowLine(progressLine(element))]);
    case "changes":
      return changes(element, path, context);
    case "section":
      return section(element, path, context);
    case "actions":
      return buttonPieces(element.items.map(toButton));
    case "footer":
      return texts(element.text.split("\n").map((line) => small(words(line))));
    default:
      return texts(error(element));
  }
}

export function texts(flow: readonly Flow[]): Piece[] {
  return pack(flow).map((text) => ({ type: "text", text }));
}

/** A label that a button cannot hold stands in whole above it, and a value that says something as well. */
function buttonPieces(specs: readonly ButtonSpec[]): Piece[] {
  const lines = specs.flatMap((spec): Flow[] => [
    ...(oneLine(cleanText(spec.label)).length > LIMITS.button.label ? [flowLine(bold(spec.label))] : []),
    ...(spec.action === "prompt" && labelOf(spec) !== oneLine(spec.value) ? [small(words(spec.value))] : []),
  ]);
  const pieces: Piece[] = texts(lines);
  for (let at = 0; at < specs.length; at += LIMITS.row) {
    pieces.push({ type: "buttons", buttons: specs.slice(at, at + LIMITS.row) });
  }
  return pieces;
}

const HEADING = 150;

/** A heading is short; what is longer goes on below it. */
function header(element: HeaderElement): Flow[] {
  const whole = oneLine(cleanText(element.text)) || "(no title)";
  const isLong = whole.length > HEADING;
  const eyebrow = element.eyebrow ?? "";
  const badges = badgeLines(element.badges);
  return [
    ...(eyebrow.trim() === "" ? [] : [small(words(eyebrow))]),
    flowLine(linked(whole, element.href, ...(isLong ? (["bold"] as const) : [])), isLong ? "" : "### "),
    ...(badges.length === 0 ? [] : [flowLine(badges)]),
  ];
}

function fields(element: FieldsElement): Flow[] {
  return element.items.map((item) =>
    flowLine([...bold(item.label), ...words("  "), ...cellLine(item.value)]),
  );
}

function list(element: ListElement): Flow[] {
  return element.items.map((item, index) => {
    const detail = item.detail ?? "";
    const line: Line = [
      ...linked(item.text, item.href),
      ...badgeLines(item.badges),
      ...(detail === "" ? [] : [...words(detail.includes("\n") ? "\n" : "  "), ...italic(detail)]),
    ];
    return flowLine(line, element.ordered === true ? `${index + 1}. ` : "- ");
  });
}

/** Links side by side. */
function linksLine(items: readonly { label: string; href: string }[]): Line {
  return items.flatMap(({ label, href }, index) => [
    ...words(index === 0 ? "" : "  ·  "),
    ...linked(label, href),
  ]);
}

const BAR = 16;

/** A bar where both numbers can be drawn, else the amount alone. */
export function progressLine({ label, value, total }: Omit<ProgressElement, "type">): Line {
  const lead = label === "" ? [] : [...bold(label), ...words("  ")];
  const share = total === undefined || total <= 0 ? Number.NaN : value / total;
  if (!Number.isFinite(share)) {
    return [...lead, ...words(total === undefined ? String(value) : `${value} of ${total}`)];
  }
  const full = Math.round(Math.min(Math.max(share, 0), 1) * BAR);
  return [...lead, ...words(`${"█".repeat(full)}${"░".repeat(BAR - full)}  ${value} of ${total}`)];
}

function error({ message, detail = "" }: ErrorElement): Flow[] {
  const said = message.trim() === "" ? "Something went wrong." : message;
  return [
    flowLine([...words("⚠️ "), ...bold(said)]),
    ...(detail.trim() === "" ? [] : detail.includes("\n") ? [code(detail)] : [flowLine(words(detail))]),
  ];
}

function table(element: TableElement): Piece[] {
  const caption = element.caption ?? "";
  const lead = caption === "" ? [] : leading([flowLine(bold(caption))]);
  if (element.rows.length > 0 && shapeOf(element).columns.length > 0) {
    const drawn = drawTable(element);
    if ("box" in drawn) {
      const { total = 0, rows } = element;
      const note = total > rows.length ? [small(words(`${rows.length} of ${total} rows in all.`))] : [];
      return [...lead, ...texts([drawn.box, ...note])];
    }
    const head = drawn.head.map((text): Piece => ({ type: "text", text, leads: true }));
    return [...lead, ...head, { type: "rows", rows: drawn.rows, element }];
  }
  const names = element.columns.map((column) => column.label).filter((label) => label.trim() !== "");
  const none = names.length === 0 ? "No rows." : `No rows (${names.join(", ")}).`;
  return [...lead, ...texts([flowLine(italic(none))])];
}

function leading(flow: readonly Flow[]): Piece[] {
  return pack(flow).map((text) => ({ type: "text", text, leads: true }));
}

/** The first lines of a long text, and a way to open the rest. */
function folding(
  { text, folded = false }: { text: string; folded?: boolean },
  path: string,
  context: DrawContext,
  flow: (text: string) => Flow[],
): Piece[] {
  if (text.trim() === "") return [];
  const more = folded && !isShort(text) ? showAll(path, context) : [];
  return [...texts(flow(more.length === 0 ? text : previewOf(text))), ...more];
}

/** The button that opens what is folded; none where it could not be found again. */
function showAll(path: string, { ref }: DrawContext): Piece[] {
  if (ref === undefined) return [];
  return buttonPieces([{ action: "show_all", label: "Show all", value: foldValue(ref, path) }]);
}

function changes({ items }: ChangesElement, path: string, context: DrawContext): Piece[] {
  const isLong = items.some((item) =>
    [item.before, item.after].some((value) => jsonSide(value).length > LONG_VALUE),
  );
  const more = isLong ? showAll(path, context) : [];
  const side = (value: JsonValue): string => {
    const text = cleanText(jsonSide(value));
    return more.length > 0 && text.length > LONG_VALUE ? previewOf(text) : text;
  };
  const flow = items.flatMap(({ label, before, after }): Flow[] => {
    const [was, will] = [side(before), side(after)];
    if (was.length + will.length <= 160 && !/\n/.test(was + will)) {
      const old = isNone(before) ? italic(was) : words(was, "strike");
      const now = isNone(after) ? italic(will) : words(will);
      return [flowLine([...bold(label), ...words("  "), ...old, ...words("  →  "), ...now])];
    }
    const boxed = (value: JsonValue, text: string): Flow =>
      isNone(value) ? flowLine(italic(text)) : code(text);
    return [
      flowLine([...bold(label), ...words("  before")]),
      boxed(before, was),
      flowLine([...bold(label), ...words("  after")]),
      boxed(after, will),
    ];
  });
  return [...texts(flow), ...more];
}

function isNone(value: JsonValue): boolean {
  return value === null || value === "";
}

function section(element: SectionElement, path: string, context: DrawContext): Piece[] {
  const title = oneLine(cleanText(element.title)) || "More";
  if (element.folded === true && context.ref !== undefined && title.length <= 200) {
    const hint = glimpse(element.elements);
    const flow = [flowLine(bold(title)), ...(hint === "" ? [] : [small(words(hint))])];
    const button: ButtonSpec = {
      action: "show_all",
      label: "Show all",
      value: foldValue(context.ref, path),
    };
    return [{ type: "section", text: pack(flow).join("\n"), button }];
  }
  return [...leading([flowLine(bold(title))]), ...drawAll(element.elements, path, context)];
}

export function drawAll(elements: readonly CardElement[], path: string, context: DrawContext): Piece[] {
  return elements.flatMap((element, index) => {
    const drawn = drawElement(element, path === "" ? String(index) : `${path}.${index}`, context);
    const before = elements[index - 1];
    const isApart = path === "" && drawn.length > 0 && element.type === "section" && element.folded !== true;
    return isApart && before !== undefined && before.type !== "header"
      ? [{ type: "separator" as const }, ...drawn]
      : drawn;
  });
}

/** Discord colours what it is told the language of; any other word would be shown. */
function languageOf(language: string | undefined): string | undefined {
  return language !== undefined && /^[a-z]{1,12}$/.test(language) ? language : undefined;
}
