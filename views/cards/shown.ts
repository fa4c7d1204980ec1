import canonicalize from "canonicalize";

import type { JsonValue } from "#contract/json.ts";

/**
 * Characters that are not seen, or that change how their neighbours are seen: controls, writing
 * direction, zero width, fillers, private use, lone surrogates.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A string of one line that nobody could take for something else, and short enough for a field. */
export function isPlainLine(text: string): boolean {
  return (
    text.length > 0 &&
    text.length <= 200 &&
    text === text.trim() &&
    text.search(UNSEEN) === -1 &&
    // Would read as another JSON value than the string it is.
    !/^(?:["[{]|(?:true|false|null|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$)/i.test(text)
  );
}

/** A text of several lines in which everything can be seen. */
export function isPlainText(text: string): boolean {
  return text.replaceAll(/[\n\t]/g, "").search(UNSEEN) === -1;
}

/** Canonical JSON (RFC 8785) with every unseen character written as its `\u` escape. */
export function exactJson(value: JsonValue): string {
  return unseenAsEscapes(canonicalText(value));
}

/** A line for people: line breaks and unseen characters as escapes, so it stays one line. */
export function exactLine(text: string): string {
  return unseenAsEscapes(text);
}

/** The same for a text that has lines. */
export function exactText(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : unseenAsEscapes(part)))
    .join("");
}

function canonicalText(value: JsonValue): string {
  try {
    return canonicalize(value) ?? "null";
  } catch {
    // Lone surrogates have no canonical form; this one escapes them.
    return JSON.stringify(value);
  }
}

function unseenAsEscapes(text: string): string {
  return text.replaceAll(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
