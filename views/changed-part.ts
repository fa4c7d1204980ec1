import type { JsonValue } from "#contract/json.ts";

/** Lines that stay around what changes, so that it can be found. */
const AROUND = 1;

/**
 * The two sides of a change; of long texts only the lines that differ with their neighbours. "…" stands for lines
 * that stay as they are.
 */
export function changedPart(before: JsonValue, after: JsonValue): { before: JsonValue; after: JsonValue } {
  if (typeof before !== "string" || typeof after !== "string" || before === after) return { before, after };
  const [old, now] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const [from, left] = [Math.max(0, start - AROUND), Math.max(0, end - AROUND)];
  const part = (lines: readonly string[]): string =>
    [...(from > 0 ? ["…"] : []), ...lines.slice(from, lines.length - left), ...(left > 0 ? ["…"] : [])].join(
      "\n",
    );
  return { before: part(old), after: part(now) };
}
