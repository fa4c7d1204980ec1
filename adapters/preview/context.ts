import { isObject } from "#src/base/json.ts";

import type { Attributes, Choice } from "./frame.ts";

/** The style of drawn messages of all platforms; nothing in it comes from elsewhere. */
export function previewStyle(): URL {
  return new URL("preview.css", import.meta.url);
}

/** A JSON object as it goes over the wire. What is drawn may have come from anywhere, so nothing is taken for granted. */
export type Fields = Record<string, unknown>;

/** The objects of a list; none where there is no list. */
export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter((one) => isObject(one)) : [];
}

/** A string, or a number as one; nothing for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The text of a text object; empty without one. */
export function wordsOf(value: unknown): string {
  return isObject(value) ? textOf(value.text) : "";
}

/** What a drawing knows beside the blocks. */
export interface SlackDrawContext {
  /** The name of a person, channel or group; one that nobody knows is shown by its id. */
  name(id: string): string | undefined;
  /** What makes a control work, as attributes of it. Undefined: it is drawn and does nothing. */
  attributes(block: Fields, element: Fields): Attributes | undefined;
  /** `state.values` of a view; empty for a message. */
  values: Fields;
  /** What menus of people offer. */
  people: readonly Choice[];
}

/** For a message of which nothing but its blocks is known, and in which nothing can be done. */
export function stillSlack(): SlackDrawContext {
  return { name: () => undefined, attributes: () => undefined, values: {}, people: [] };
}

type Mentioned = "user" | "role" | "channel";

/** What a drawing knows beside the payload. */
export interface DiscordDrawContext {
  /** Milliseconds since the epoch, for times that are said as a distance. */
  now: number;
  /** The name of somebody or a place; one that nobody knows is shown by its id. */
  name(kind: Mentioned, id: string): string | undefined;
  /** What makes a control work, as attributes of it. Undefined: it is drawn and does nothing. */
  attributes(component: Fields): Attributes | undefined;
  /** Where a file of the message can be fetched, such as `attachment://issues.csv`. */
  file(url: string): { href?: string; note?: string } | undefined;
}

/** For a message of which nothing but its payload is known, and in which nothing can be done. */
export function stillDiscord(now: number): DiscordDrawContext {
  const nothing = (): undefined => undefined;
  return { now, name: nothing, attributes: nothing, file: nothing };
}
