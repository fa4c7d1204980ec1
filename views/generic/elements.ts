import type { CardElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { oneLine } from "#src/base/text.ts";
import { labelText } from "#src/base/statement.ts";
import { humanise } from "#src/base/tool-words.ts";
import type { Words } from "#src/base/words/en.ts";

import { compactJson, toTitle, unpackJson } from "../text.ts";
import { type Budget, fitsCell, omittedBeyond, omittedNote, scalarText, toCell, toTable } from "./table.ts";

/** Deeper values are shown as JSON. */
const MAX_DEPTH = 4;
const MAX_FIELDS = 60;
const MAX_ITEMS = 100;
const JSON_CHARS = 2000;

/** Any JSON value as card elements: nothing is dropped without a word. */
export function toElements(source: JsonValue, budget: Budget, depth = 0): CardElement[] {
  const value = unpackJson(source);
  if (typeof value === "string") return value.trim() === "" ? [nothing(budget)] : prose(value, budget);
  if (typeof value !== "object" || value === null) {
    return value === null ? [nothing(budget)] : [{ type: "text", text: String(value) }];
  }
  if (depth >= MAX_DEPTH || budget.groups <= 0) return [asJson(value, budget)];
  budget.groups -= 1;
  return Array.isArray(value) ? fromArray(value, budget, depth) : fromObject(value, budget, depth);
}

function fromArray(values: JsonValue[], budget: Budget, depth: number): CardElement[] {
  const { say } = budget;
  if (values.length === 0) return [nothing(budget)];
  const unpacked = values.length <= 1000 ? values.map(unpackJson) : values;
  if (unpacked.every((item) => isObject(item) && Object.keys(item).length > 0)) {
    const objects = unpacked.filter((item) => isObject(item));
    const [only] = objects;
    return objects.length === 1 && only !== undefined
      ? fromObject(only, budget, depth)
      : toTable(objects, budget);
  }
  if (unpacked.every((item) => typeof item !== "object" || item === null)) return list(unpacked, say);
  const elements: CardElement[] = [];
  for (const [index, item] of unpacked.slice(0, MAX_ITEMS).entries()) {
    if (budget.groups <= 0) {
      return [...elements, omittedNote(say.amounts.item(values.length - index), say)];
    }
    elements.push({
      type: "section",
      title: say.views.item(index + 1),
      elements: fitsCell(item)
        ? [{ type: "text", text: plainOrNone(item, say) }]
        : toElements(item, budget, depth + 1),
    });
    budget.groups -= 1;
  }
  return [...elements, ...omittedBeyond(values.length, MAX_ITEMS, { of: "item", say })];
}

function list(values: JsonValue[], say: Words): CardElement[] {
  const shown = values.slice(0, MAX_ITEMS);
  const elements: CardElement[] = [
    {
      type: "list",
      items: shown.map((item) => {
        const cell = toCell(typeof item === "string" ? item.slice(0, JSON_CHARS) : item);
        return typeof cell === "object" && cell !== null
          ? { text: cell.text, ...(cell.href === undefined ? {} : { href: cell.href }) }
          : { text: item === null || item === "" ? say.cards.none : oneItem(item) };
      }),
    },
  ];
  if (shown.some((item) => typeof item === "string" && item.length > JSON_CHARS)) {
    elements.push({ type: "text", text: say.views.cutValues });
  }
  return [...elements, ...omittedBeyond(values.length, MAX_ITEMS, { of: "item", say })];
}

function oneItem(item: JsonValue): string {
  const text = scalarText(item);
  return text.length > JSON_CHARS ? `${text.slice(0, JSON_CHARS - 1)}…` : text;
}

/** Short values as fields, then each longer one under its own title. */
export function fromObject(source: JsonObject, budget: Budget, depth: number): CardElement[] {
  const entries = Object.entries(source).map(([key, value]) => [key, unpackJson(value)] as const);
  const { say } = budget;
  if (entries.length === 0) return [nothing(budget)];
  const short = entries.filter(([, value]) => fitsCell(value));
  const long = entries.filter(([, value]) => !fitsCell(value));

  const elements: CardElement[] = [];
  if (short.length > 0) {
    elements.push({
      type: "fields",
      items: short
        .slice(0, MAX_FIELDS)
        .map(([key, value]) => ({ label: label(key, say), value: toCell(value) })),
    });
  }
  if (short.length > MAX_FIELDS) {
    const names = short.slice(MAX_FIELDS, MAX_FIELDS + 40).map(([key]) => key);
    elements.push(
      omittedNote(`${say.amounts.field(short.length - MAX_FIELDS)} (${toTitle(names.join(", "))})`, say),
    );
  }
  for (const [index, [key, value]] of long.entries()) {
    if (budget.groups <= 0) {
      const names = long.slice(index, index + 40).map(([name]) => name);
      elements.push(
        omittedNote(`${say.amounts.group(long.length - index)} (${toTitle(names.join(", "))})`, say),
      );
      break;
    }
    const size = Array.isArray(value) && value.length > 1 ? ` (${say.grouped(value.length)})` : "";
    if (typeof value === "string") budget.groups -= 1;
    elements.push({
      type: "section",
      title: `${label(key, say)}${size}`,
      elements: toElements(value, budget, depth + 1),
    });
  }
  return elements;
}

function label(key: string, say: Words): string {
  return labelText(humanise(oneLine(key, 80)), say);
}

function plainOrNone(value: JsonValue, { cards: say }: Words): string {
  const cell = toCell(value);
  return cell === null || cell === "" ? say.none : typeof cell === "object" ? cell.text : String(cell);
}

function nothing({ say }: Budget): CardElement {
  return { type: "text", text: say.cards.none };
}

function asJson(value: JsonValue, { say }: Budget): CardElement {
  const { text, cut } = compactJson(value, JSON_CHARS);
  return { type: "code", language: "json", text: cut ? `${text}\n${say.views.cutHere}` : text, folded: true };
}

/** Longer text is left to the JSON. */
const MAX_CHARS = 30_000;
/** What is shown of a text when the card is full already. */
const MIN_CHARS = 200;

const MARKDOWN =
  /^#{1,6} \S|^\s{0,3}[-*+] \S|^\s{0,3}\d+[.)] \S|^```|^> \S|\*\*[^*\n]+\*\*|\[[^[\]\n]{1,200}\]\(https?:|^\|.+\|[ \t]{0,20}$/m;
const CODE_START = /^\s*(?:<\?xml|<!doctype|<[a-z][\w:-]*[\s>/]|diff --git|@@ -\d|#!\/)/i;
const CODE_LINE = /[{};]\s*$|^\s*(?:import|export|const|let|var|def|class|function|return|public|private)\b/;

/** Text as markdown, code or plain text, by what it looks like; long text is folded. */
function prose(source: string, budget: Budget): CardElement[] {
  const text = source.slice(0, Math.max(MIN_CHARS, Math.min(MAX_CHARS, budget.chars))).toWellFormed();
  budget.chars -= text.length;
  const shown: CardElement = looksLikeCode(text)
    ? { type: "code", text, folded: true }
    : { type: "text", text, ...(MARKDOWN.test(text) ? { format: "markdown" } : {}), folded: true };
  return [shown, ...omittedBeyond(source.length, text.length, { of: "character", say: budget.say })];
}

function looksLikeCode(text: string): boolean {
  if (CODE_START.test(text)) return true;
  if (/^```/m.test(text)) return false;
  const lines = text
    .split("\n")
    .slice(0, 200)
    .filter((line) => line.trim() !== "");
  return lines.length >= 3 && lines.filter((line) => CODE_LINE.test(line)).length >= lines.length * 0.4;
}
