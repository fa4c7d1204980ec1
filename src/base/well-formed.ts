import type { JsonValue } from "#contract/json.ts";

/**
 * Half a surrogate pair has no UTF-8 and no canonical JSON, yet tools and people do send one. It becomes
 * U+FFFD, as every encoder makes of it, so that no outcome goes unrecorded for it.
 */
export function toWellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(toWellFormed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), toWellFormed(item)]),
  );
}
