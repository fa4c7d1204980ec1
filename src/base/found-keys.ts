import type { JsonValue } from "#contract/json.ts";

const MOST = 50;

/** The keys or ids of the items that a result lists, in its order; of a single thing its own. */
export function foundKeys(data: JsonValue): string[] {
  if (typeof data !== "object" || data === null) return [];
  const lists = Array.isArray(data) ? [data] : Object.values(data).filter((value) => Array.isArray(value));
  const keys = lists
    .map((list) => list.flatMap((item) => keyOf(item) ?? []))
    .toSorted((a, b) => b.length - a.length);
  const [most = []] = keys;
  if (most.length > 0) return most.slice(0, MOST);
  const own = Array.isArray(data) ? undefined : keyOf(data);
  return own === undefined ? [] : [own];
}

function keyOf(item: JsonValue): string | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return undefined;
  for (const name of ["key", "id", "issue_key", "page_id"]) {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    if (typeof value === "string" && value !== "" && value.length <= 100) return value;
    if (typeof value === "number") return String(value);
  }
  return undefined;
}
