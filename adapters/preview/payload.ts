/** A JSON object as it goes over the wire. What is drawn may have come from anywhere, so nothing is taken for granted. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a list; none where there is no list. */
export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** A string, or a number as one; nothing for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The text of a text object; empty without one. */
export function wordsOf(value: unknown): string {
  return isFields(value) ? textOf(value.text) : "";
}

/** An address that may be opened; undefined for every scheme but http and https. */
export function addressOf(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\//i.test(value) ? value : undefined;
}
