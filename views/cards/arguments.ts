import type { CardElement, Cell, FieldsElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";

import { exactJson, isPlainLine, isPlainText } from "./shown.ts";

/**
 * Every argument as it will be sent. Short values stand in fields; several lines and nested values
 * each in a code block of their own, where no line of theirs can pass for one of the card's. Strings
 * that could be taken for another value, or hold what cannot be seen, are written as JSON.
 */
export function argumentElements(args: JsonObject): CardElement[] {
  const entries = Object.entries(args);
  if (entries.length === 0) return [{ type: "text", text: "No arguments." }];
  const elements: CardElement[] = [];
  let fields: FieldsElement | undefined;
  for (const [name, value] of entries) {
    const cell = oneLineValue(value);
    if (cell === undefined) {
      fields = undefined;
      elements.push({ type: "section", title: exactName(name), elements: [block(value)] });
    } else {
      if (fields === undefined) {
        fields = { type: "fields", items: [] };
        elements.push(fields);
      }
      fields.items.push({ label: exactName(name), value: cell });
    }
  }
  return elements;
}

function oneLineValue(value: JsonValue): Cell | undefined {
  if (typeof value === "string" && isPlainLine(value)) return value;
  if (typeof value === "object" && value !== null) return undefined;
  if (typeof value === "string" && value.includes("\n")) return undefined;
  const text = exactJson(value);
  return text.length <= 200 ? text : undefined;
}

function block(value: JsonValue): CardElement {
  if (typeof value === "string" && isPlainText(value)) return { type: "code", text: value, folded: false };
  return { type: "code", text: exactJson(value), language: "json", folded: false };
}

/** A name that could be taken for something else is written as JSON. */
export function exactName(name: string): string {
  return /^[\w.-]{1,80}$/.test(name) ? name : exactJson(name);
}
