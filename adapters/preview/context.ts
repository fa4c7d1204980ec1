import type { Fields } from "./payload.ts";

/** Something to choose: what is sent, and what a person reads. */
export type Choice = readonly [value: string, label: string];

/** Attributes of an element, such as those that make a control work. */
export type Attributes = Readonly<Record<string, string>>;

/** What a drawing knows beside the blocks. */
export interface SlackDrawContext {
  /** The name of a person, channel or group; one that nobody knows is shown by its id. */
  name(id: string): string | undefined;
  /** What makes a control work, as attributes of it. Undefined: it is drawn and does nothing. */
  attributes(block: Fields, element: Fields): Attributes | undefined;
  /** `state.values` of a view; empty for a message. */
  values: Fields;
  people: readonly Choice[];
  places: readonly Choice[];
}

/** For a message of which nothing but its blocks is known, and in which nothing can be done. */
export function stillSlack(): SlackDrawContext {
  return { name: () => undefined, attributes: () => undefined, values: {}, people: [], places: [] };
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
  /** What the menus of Discord offer that list people, roles or channels. */
  choices(kind: Mentioned): readonly Choice[];
  /** Where a file of the message can be fetched, such as `attachment://issues.csv`. */
  file(url: string): { href?: string; note?: string } | undefined;
}

/** For a message of which nothing but its payload is known, and in which nothing can be done. */
export function stillDiscord(now: number): DiscordDrawContext {
  return {
    now,
    name: () => undefined,
    attributes: () => undefined,
    choices: () => [],
    file: () => undefined,
  };
}
