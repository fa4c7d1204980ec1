import canonicalize from "canonicalize";

import type { Cell, Inline, Tone } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { italic, linked, words } from "./rich.ts";
import type { Line } from "./rich.ts";

/** Slack colours no text: a sign before it says what the colour would. */
const SIGNS: Record<Tone, string> = {
  neutral: "",
  info: "🔵 ",
  good: "🟢 ",
  warn: "🟠 ",
  bad: "🔴 ",
};

/** A badge as text. */
export function badgeText(item: Inline): string {
  return `${item.tone === undefined ? "" : SIGNS[item.tone]}${item.text}`;
}

export function badgeLine(item: Inline): Line {
  return [...words(item.tone === undefined ? "" : SIGNS[item.tone]), ...linked(item.text, item.href)];
}

/** Pieces of text side by side. */
export function badgeLines(items: readonly Inline[] | undefined): Line {
  return (items ?? []).flatMap((item) => [...words("  "), ...badgeLine(item)]);
}

/** A value as people read it; an absent one is "none". */
export function cellLine(value: Cell): Line {
  if (value === null || value === "") return italic("none");
  return typeof value === "object" ? badgeLine(value) : words(cellText(value));
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
