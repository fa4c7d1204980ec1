import type { Attributes, Choice } from "../../chat/draw/look.ts";
import type { Fields } from "../../chat/draw/wire.ts";

/** What a drawing knows beside the blocks. */
export interface Look {
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
export function stillLook(): Look {
  return { name: () => undefined, attributes: () => undefined, values: {}, people: [], places: [] };
}
