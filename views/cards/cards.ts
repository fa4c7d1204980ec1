import type { Cards } from "#contract/core.ts";

import { approvalCard } from "./approval.ts";

/** The cards that are not tool results, for the composition root to hand to the adapters. */
export function createCards(): Cards {
  return { approval: approvalCard };
}
