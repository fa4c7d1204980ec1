import type { JsonObject, JsonValue } from "#contract/json.ts";

import { CountersignError } from "../base/errors.ts";
import { compilePattern, ownPattern } from "../base/pattern.ts";
import type { ArgumentCondition } from "./rules.ts";

/** A condition made ready: why it does not hold for these arguments, or undefined when it does. */
export type CompiledCondition = (args: JsonObject) => string | undefined;

export function compileCondition(condition: ArgumentCondition): CompiledCondition {
  const pattern = condition.matches === undefined ? undefined : compilePattern(condition.matches, ownPattern);
  const { arg } = condition;
  return (args) => {
    const value = valueAt(args, arg);
    if (value === undefined) return `${arg} is not given`;
    const shown = JSON.stringify(value).slice(0, 80);
    if (condition.equals !== undefined && !isSame(condition.equals, value)) return `${arg} is ${shown}`;
    if (condition.in !== undefined && !condition.in.some((one) => isSame(one, value)))
      return `${arg} is ${shown}`;
    if (pattern !== undefined) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const matches = pattern.matches(text);
      // Neither yes nor no would be safe: what is not known is refused.
      if (matches === undefined)
        throw new CountersignError(
          "too_long",
          `expected a shorter ${arg} for the pattern of a policy rule, got ${text.length} characters`,
        );
      if (!matches) return `${arg} is ${shown}`;
    }
    return isWithin(condition, value) ? undefined : `${arg} is ${shown}`;
  };
}

/** The value at a path with dots; own properties only. */
function valueAt(args: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = args;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = value[key];
  }
  return value;
}

function isWithin({ gt, gte, lt, lte }: ArgumentCondition, value: JsonValue): boolean {
  if (gt === undefined && gte === undefined && lt === undefined && lte === undefined) return true;
  if (typeof value !== "number") return false;
  return (
    (gt === undefined || value > gt) &&
    (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt) &&
    (lte === undefined || value <= lte)
  );
}

/** Names and keys are compared without regard to case, so that `ops` cannot slip past a rule for `OPS`. */
function isSame(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === "string" && typeof b === "string") return a.toLowerCase() === b.toLowerCase();
  return JSON.stringify(a) === JSON.stringify(b);
}
