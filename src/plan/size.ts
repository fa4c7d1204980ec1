import type { JsonValue } from "#contract/json.ts";

/** Tool data as text of at most `limit` characters; a cut is marked with what was left out. */
export function cutForModel(data: JsonValue, limit: number): string {
  const text = typeof data === "string" ? data : JSON.stringify(data, null, 1);
  const most = Math.max(0, limit);
  if (text.length <= most) return text;
  return `${firstCharacters(text, most)}\n[cut: ${most} of ${text.length} characters are shown]`;
}

/** The first `count` UTF-16 units, or one less where a letter outside the basic plane would be cut in two. */
export function firstCharacters(text: string, count: number): string {
  const isSplit = count > 0 && count < text.length && (text.codePointAt(count - 1) ?? 0) > 0xffff;
  return text.slice(0, isSplit ? count - 1 : count);
}
