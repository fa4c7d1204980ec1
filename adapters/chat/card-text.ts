import canonicalize from "canonicalize";

import type { Card, CardElement, Cell, Inline, Tone } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";

/** Chat platforms colour no text: a sign before it says what the colour would. */
const SIGNS: Record<Tone, string> = {
  neutral: "",
  info: "🔵 ",
  good: "🟢 ",
  warn: "🟠 ",
  bad: "🔴 ",
};

export function signOf(tone: Tone | undefined): string {
  return tone === undefined ? "" : SIGNS[tone];
}

/** A badge as text. */
export function badgeText({ text, tone }: Inline): string {
  return `${signOf(tone)}${text}`;
}

/** A value as one text, without its link. */
export function cellText(value: Cell, { cards: say }: Words): string {
  if (value === null) return "";
  if (typeof value === "object") return badgeText(value);
  return typeof value === "boolean" ? (value ? say.yes : say.no) : String(value);
}

/** A JSON value on one side of a change: strings as they are, the rest as canonical JSON. */
export function jsonSide(value: JsonValue, { cards: say }: Words): string {
  if (value === null || value === "") return say.none;
  return typeof value === "string" ? value : jsonText(value);
}

/** Canonical JSON; plain JSON where the canonical form does not exist (lone surrogates). */
function jsonText(value: JsonValue): string {
  try {
    return canonicalize(value) ?? "";
  } catch {
    return JSON.stringify(value);
  }
}

/** What a folded text or code shows: its first lines. */
const PREVIEW_LINES = 6;
const PREVIEW_CHARS = 500;
/** One side of a change that is longer buries the other fields. */
export const LONG_VALUE = 600;

/** Whether folding would hide nothing worth a click. */
export function isShort(text: string): boolean {
  return text.length <= PREVIEW_CHARS && text.split("\n", PREVIEW_LINES + 1).length <= PREVIEW_LINES;
}

/** The first lines of a text, with an ellipsis in the end. */
export function previewOf(text: string): string {
  const lines = text
    .slice(0, PREVIEW_CHARS * 2)
    .split("\n")
    .slice(0, PREVIEW_LINES)
    .join("\n");
  return `${cutText(lines, PREVIEW_CHARS).replace(/…$/, "").trimEnd()} …`;
}

/** What a folded section holds, in a few words. */
export function glimpse(elements: readonly CardElement[], say: Words): string {
  return oneLine(
    elements
      .slice(0, 3)
      .map((element) => glimpseOf(element, say))
      .join(" · "),
    120,
  );
}

function glimpseOf(element: CardElement, say: Words): string {
  switch (element.type) {
    case "header":
    case "text":
    case "code":
    case "footer":
      return element.text.slice(0, 200);
    case "fields":
      return element.items
        .slice(0, 3)
        .map((item) => `${item.label}: ${(cellText(item.value, say) || say.cards.none).slice(0, 100)}`)
        .join(", ");
    case "table":
      return say.amounts.row(element.rows.length);
    case "list":
      return element.items
        .slice(0, 3)
        .map((item) => item.text.slice(0, 100))
        .join(", ");
    case "links":
      return element.items.map((item) => item.label).join(", ");
    case "progress":
      return element.label;
    case "changes":
      return element.items
        .map((item) => `${item.label}: ${jsonSide(item.after ?? item.before ?? null, say).slice(0, 100)}`)
        .join(", ");
    case "section":
    case "chart":
      return element.title;
    case "actions":
      return element.items.map((item) => item.label).join(", ");
    default:
      return element.message.slice(0, 200);
  }
}

/**
 * The element at a place of a card, as the "Show all" button of a folded one names it: `4` is the fifth
 * element, `4.0` the first one in it. Undefined when the card has no such place.
 */
export function elementAt(card: Card, path: string): CardElement | undefined {
  let elements: readonly CardElement[] = card.elements;
  let found: CardElement | undefined;
  for (const step of path.split(".")) {
    found = elements[Number(step)];
    elements = found?.type === "section" ? found.elements : [];
  }
  return found;
}
