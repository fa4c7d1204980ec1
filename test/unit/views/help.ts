import type { Card, CardElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonValue } from "#contract/json.ts";
import { createViews } from "#views/manager.ts";

/** A successful call of a tool, as the core hands it to the views. */
export function input(name: string, data: JsonValue, more: Partial<ViewInput> = {}): ViewInput {
  return { toolId: `demo.${name}`, server: "demo", name, args: {}, ok: true, data, ...more };
}

/** The card of one view, which must not fall back. */
export function show(view: string, data: JsonValue, more: Partial<ViewInput> = {}): Card {
  const views = createViews({ tool: view }, (message) => {
    throw new Error(message);
  });
  return views.result(input("tool", data, more)).card;
}

/** Every element of a card, those in sections too. */
export function flatten(elements: readonly CardElement[]): CardElement[] {
  return elements.flatMap((element) =>
    element.type === "section" ? [element, ...flatten(element.elements)] : [element],
  );
}

/** The elements of one type. */
export function all<T extends CardElement["type"]>(card: Card, type: T): Extract<CardElement, { type: T }>[] {
  return flatten(card.elements).filter(
    (element): element is Extract<CardElement, { type: T }> => element.type === type,
  );
}

/** The fields of a card as a record. */
export function fieldsOf(card: Card): Record<string, unknown> {
  return Object.fromEntries(
    all(card, "fields").flatMap(({ items }) => items.map(({ label, value }) => [label, value])),
  );
}

/** Every string of a card. */
export function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
