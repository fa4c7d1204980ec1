import { jsonSide } from "#adapters/chat/card-text.ts";
import { cleanText } from "#adapters/chat/text.ts";
import type { Card, CardElement, Cell } from "#contract/card.ts";
import { en } from "#src/base/words/en.ts";

/** Letters and digits only: layout breaks lines, adds marks and cuts words between pieces. */
export function bare(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Every plain string and number of a card, letters and digits only; formatted text is not among them. */
export function wordsOf(card: Card): string[] {
  return card.elements
    .flatMap(stringsOf)
    .map((text) => bare(cleanText(text)))
    .filter((text) => text !== "");
}

function stringsOf(element: CardElement): string[] {
  switch (element.type) {
    case "header":
      return [element.text, element.eyebrow ?? "", ...(element.badges ?? []).map((badge) => badge.text)];
    case "fields":
      return element.items.flatMap((item) => [item.label, scalar(item.value)]);
    case "text":
      return element.format === "markdown" ? [] : [element.text];
    case "table":
      return [
        element.caption ?? "",
        ...element.columns.map((column) => column.label),
        ...element.rows.flatMap((row) => row.map(scalar)),
      ];
    case "list":
      return element.items.flatMap((item) => [
        item.text,
        item.detail ?? "",
        ...(item.badges ?? []).map((badge) => badge.text),
      ]);
    case "code":
    case "footer":
      return [element.text];
    case "links":
      return element.items.map((item) => item.label);
    case "progress":
      return [
        element.label,
        String(element.value),
        ...(element.total === undefined ? [] : [String(element.total)]),
      ];
    case "changes":
      return element.items.flatMap((item) => [
        item.label,
        ...[item.before, item.after].flatMap((side) => (side === undefined ? [] : jsonSide(side, en))),
      ]);
    case "section":
      return [element.title, ...element.elements.flatMap(stringsOf)];
    case "chart":
      return [element.title, ...element.categories, ...element.series.map(({ name }) => name), element.alt];
    case "actions":
      return element.items.map((item) => item.label);
    default:
      return [element.message, element.detail ?? ""];
  }
}

function scalar(value: Cell): string {
  if (value === null || typeof value === "boolean") return "";
  return typeof value === "object" ? value.text : String(value);
}
