import canonicalize from "canonicalize";

import type { Cell, Inline, Tone } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

/** Chat platforms colour no text: a sign before it says what the colour would. */
const SIGNS: Record<Tone, string> = {
  neutral: "",
  info: "🔵 ",
  good: "🟢 ",
  warn: "🟠 ",
  bad: "🔴 ",
};

export function signOf(tone: Tone | undefined): string {
  return tone === undefined ? "" : SIGNS[tone];
}

/** A badge as text. */
export function badgeText({ text, tone }: Inline): string {
  return `${signOf(tone)}${text}`;
}

/** A value as one text, without its link. */
export function cellText(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "object") return badgeText(value);
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

/** A JSON value on one side of a change: strings as they are, the rest as canonical JSON. */
export function jsonSide(value: JsonValue): string {
  if (value === null || value === "") return "none";
  return typeof value === "string" ? value : jsonText(value);
}

/** Canonical JSON; plain JSON where the canonical form does not exist (lone surrogates). */
function jsonText(value: JsonValue): string {
  try {
    return canonicalize(value) ?? "";
  } catch {
    return JSON.stringify(value);
  }
}
