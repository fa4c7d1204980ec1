import type { JsonValue } from "#contract/json.ts";

/** Tool data as text of at most `limit` characters; a cut is marked with what was left out. */
export function cutForModel(data: JsonValue, limit: number): string {
  const text = typeof data === "string" ? data : JSON.stringify(data, null, 1);
  if (text.length <= limit) return text;
  return `${text.slice(0, Math.max(0, limit))}\n[cut: ${Math.max(0, limit)} of ${text.length} characters are shown]`;
}
