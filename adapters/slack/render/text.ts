import { cleanText, splitText as splitByCost } from "../../chat/text.ts";

/**
 * Data for the `text` of a message, the one place where Slack reads markup: what stands there is seen
 * in notifications only. `&`, `<` and `>` become entities, so there is no mention and no link; the
 * other marks give way to characters that look like them, as Slack knows no escape for them.
 */
export function escapeText(text: string): string {
  return cleanText(text)
    .replaceAll(/:(?=[\w+'-]+:|\/\/)/g, "\u2236")
    .replaceAll("*", "\u2217")
    .replaceAll("~", "\u223C")
    .replaceAll("`", "\u02CB")
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\uFF3F")
    .replaceAll(/^([ \t]*)>/gm, "$1\u203A")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** What a text adds to the JSON of a message at most: Slack may count `<` as the entity it stores. */
export function costOf(text: string): number {
  let cost = 0;
  for (let at = 0; at < text.length; at += 1) cost += unitCost(text.charCodeAt(at));
  return cost;
}

function unitCost(unit: number): number {
  switch (unit) {
    case 0x26: // &
      return 5;
    case 0x3c: // <
    case 0x3e: // >
      return 4;
    case 0x09:
    case 0x0a:
    case 0x22: // "
    case 0x5c: // backslash
      return 2;
    default:
      return 1;
  }
}

/** What blocks weigh in a message, in characters. */
export function weigh(value: unknown): number {
  const json = JSON.stringify(value);
  let weight = json.length;
  for (let at = 0; at < json.length; at += 1) {
    const unit = json.charCodeAt(at);
    if (unit === 0x26) weight += 4;
    else if (unit === 0x3c || unit === 0x3e) weight += 3;
  }
  return weight;
}

/** A text in pieces that cost at most `max` each, as `costOf` counts; together they are the text. */
export function splitText(text: string, max: number): string[] {
  return splitByCost(text, max, unitCost);
}
