import type { PlanInput } from "#contract/plan.ts";

import { createVerbs } from "./builtin/verbs.ts";
import { splitWishes } from "./builtin/split.ts";
import { isLarge } from "./observation.ts";

const verbs = createVerbs();

/**
 * Whether the turn has made one call, which brought a small result, and the message holds one wish: then
 * the answer is most likely the next step. A message with two wishes is decided on again.
 */
export function isOneSmallResult(input: PlanInput): boolean {
  const [only, ...others] = input.observations;
  if (only === undefined || others.length > 0 || !only.ok || only.permit === undefined) return false;
  return !isLarge(only) && splitWishes(input.message, verbs, NOTHING).length <= 1;
}

const NOTHING: ReadonlySet<string> = new Set();
