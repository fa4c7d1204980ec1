import type { Card } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";

export interface ViewResult {
  card: Card;
  /** Items of the main list, where the result has one. */
  rows?: number;
}

/** Pure. Throws when the data does not fit; the manager then shows the generic view instead. */
export type View = (input: ViewInput) => ViewResult;
