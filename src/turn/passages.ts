import type { JsonValue } from "#contract/json.ts";

/** About 400 tokens, well within what small embedding models read. */
const PASSAGE_CHARS = 1_400;
const MAX_PASSAGES = 12;

/** A tool's output in pieces that are embedded one by one; the items of a list stay whole where they can. */
export function toPassages(toolId: string, data: JsonValue): string[] {
  const passages: string[] = [];
  let open = "";
  const close = (): void => {
    if (open !== "") passages.push(`${toolId}: ${open}`);
    open = "";
  };
  for (const piece of pieces(data)) {
    if (open !== "" && open.length + piece.length + 1 > PASSAGE_CHARS) close();
    open = open === "" ? piece : `${open}\n${piece}`;
    if (passages.length >= MAX_PASSAGES) return passages;
  }
  close();
  return passages.slice(0, MAX_PASSAGES);
}

function pieces(data: JsonValue): string[] {
  if (data === null || data === "") return [];
  const list = Array.isArray(data) ? data : longestList(data);
  const whole = typeof data === "string" ? data : JSON.stringify(data);
  if (list === undefined || whole.length <= PASSAGE_CHARS) return cut(whole);
  return list.flatMap((item) => cut(typeof item === "string" ? item : JSON.stringify(item)));
}

/** The list that a result is about: `{"total": 3, "issues": […]}`. */
function longestList(data: JsonValue): JsonValue[] | undefined {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  const lists = Object.values(data).filter((value) => Array.isArray(value));
  return lists.toSorted((a, b) => b.length - a.length).find((list) => list.length > 1);
}

function cut(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length && parts.length < MAX_PASSAGES; at += PASSAGE_CHARS) {
    parts.push(text.slice(at, at + PASSAGE_CHARS).toWellFormed());
  }
  return parts;
}
