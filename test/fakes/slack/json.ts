import type { Fields } from "./types.ts";

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string, or a number as one; `none` for anything else. */
export function asText(value: unknown, none = ""): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : none;
}
