import type { Attributes, Choice } from "../../chat/draw/look.ts";
import type { Fields } from "../../chat/draw/wire.ts";

export type Mentioned = "user" | "role" | "channel";

/** What a drawing knows beside the payload. */
export interface Look {
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
export function stillLook(now: number): Look {
  return {
    now,
    name: () => undefined,
    attributes: () => undefined,
    choices: () => [],
    file: () => undefined,
  };
}
