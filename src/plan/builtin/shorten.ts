import type { JsonValue } from "#contract/json.ts";

import { createSheet } from "./sheet.ts";

/** A message cut down to its sentence: long quoted or pasted texts are one character each. */
export interface Shortened {
  text: string;
  /** The sentence itself is longer than anybody reads as one. */
  tooLong: boolean;
  /** Puts the long texts back into a value. */
  restore: (value: JsonValue) => JsonValue;
}

const LONG = 200;
const MAX_SENTENCE = 1500;
/** Stand-ins are private-use characters, so no word of a message is one. */
const FIRST_STAND_IN = 0xe100;
const STAND_IN = /[\uE100-\uE1FF]/g;

/**
 * Reading a sentence costs more than proportionally to its length, so bodies of any size are taken out
 * before and put back after. Nothing is lost.
 */
export function shorten(message: string): Shortened {
  const kept: string[] = [];
  const standIn = (text: string): string => {
    kept.push(text);
    return String.fromCharCode(FIRST_STAND_IN + kept.length - 1);
  };
  const rest = message.replace(/[\uE000-\uE1FF]/g, " ");
  let text = "";
  const { quotes, masked } = createSheet(rest);
  const colon = /[\p{L}\p{N}\uE001)]:\s+(?=\S)/u.exec(masked.slice(0, MAX_SENTENCE));
  const tailAt = colon ? colon.index + colon[0].length : rest.length;
  const tail = rest.slice(tailAt);
  let from = 0;
  for (const { value, start, end } of quotes) {
    if (end > tailAt) break;
    const quoted = value.length > LONG && kept.length < 200 ? `"${standIn(value)}"` : rest.slice(start, end);
    text += squeeze(rest.slice(from, start)) + quoted;
    from = end;
  }
  text += squeeze(rest.slice(from, tailAt)) + (tail.length > LONG ? standIn(tail.trim()) : tail);
  return {
    text: text.slice(0, MAX_SENTENCE),
    tooLong: text.length > MAX_SENTENCE,
    restore: (value) => restored(value, kept),
  };
}

function squeeze(text: string): string {
  return text.replace(/[^\S\n]+/g, " ").replace(/\n[\s]*/g, "\n");
}

function restored(value: JsonValue, kept: string[]): JsonValue {
  if (typeof value === "string")
    return value.replace(STAND_IN, (char) => kept[char.charCodeAt(0) - FIRST_STAND_IN] ?? char);
  if (Array.isArray(value)) return value.map((item) => restored(item, kept));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, restored(item, kept)]));
}
