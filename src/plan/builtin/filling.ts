import { createRequire } from "node:module";

import type { JsonObject, JsonValue } from "#contract/json.ts";

import { type Slot, splitName } from "../slot.ts";
import type { Clause } from "./clause.ts";
import { type Piece, QUOTED, type Sheet, TAKEN } from "./sheet.ts";
import type { ToolEntry } from "./tool-index.ts";

/** What is known besides the sentence. */
export interface FillContext {
  actorName: string;
  now: Date;
  dates: DateReader;
  /** Arguments of the conversation's last calls, newest first, for "it" and "that one". */
  earlier: JsonObject[];
}

/** One attempt to fill one tool's arguments from one clause. */
export interface Filling {
  entry: ToolEntry;
  clause: Clause;
  sheet: Sheet;
  around: FillContext;
  args: JsonObject;
  /** Finds that speak for this tool: keys, people, codes, numbers where it wants them. */
  strong: number;
  /** Arguments that only got what was left over. */
  guessed: number;
}

export function isOpen(filling: Filling, slot: Slot): boolean {
  return !Object.hasOwn(filling.args, slot.name);
}

export function put(filling: Filling, slot: Slot, value: JsonValue, start: number, end: number): void {
  filling.args[slot.name] = value;
  filling.sheet.take(start, end);
}

/** The words that people put before a value of this slot, as pattern sources, the most telling first. */
export function labelsOf(slot: Slot): string[] {
  const words = slot.words;
  const labels = [words.join("[ _-]?")];
  if (words.length > 1 && /^(?:key|id|name|code|number)$/.test(words.at(-1) ?? ""))
    labels.push(words.slice(0, -1).join("[ _-]?"));
  const add = (condition: boolean, ...more: string[]): void => {
    if (condition) labels.push(...more);
  };
  const last = words.at(-1) ?? "";
  add(slot.kind === "title", "titled", "entitled", "called", "named", "title", "summary", "subject");
  add(slot.kind === "body" && last === "description", "described as", "desc");
  add(
    slot.kind === "body" && last !== "description",
    "saying(?: that)?",
    "that says",
    "which says",
    "reading",
    "say",
  );
  add(slot.kind === "body", "body", "content", "text");
  add(
    /^(?:labels?|tags?)$/.test(last),
    "labell?ed(?: as| with)?",
    "labels?",
    "tagged(?: as| with)?",
    "tags?",
  );
  add(
    isLimit(slot),
    "top",
    "first",
    "last",
    "latest",
    "newest",
    "limit",
    "max(?:imum)?(?: of)?",
    "at most",
    "up to",
    "only",
  );
  add(/^(?:sort|order)/.test(words[0] ?? ""), "sorted by", "sort by", "ordered by", "order by");
  add(words.includes("parent"), "under", "child of", "below");
  add(words.includes("due"), "due (?:on|by)", "due");
  return [...new Set(labels)];
}

export function isLimit(slot: Slot): boolean {
  return (
    /^(?:limit|count|max|top|size|n|head)$/.test(slot.words[0] ?? "") || slot.words.join(" ") === "page size"
  );
}

/** The first match of `label value`, where `value` has one group; the group's place comes with it. */
export function findLabelled(filling: Filling, slot: Slot, value: string): Piece | undefined {
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:with |and |the |an? |its )*(?:${labelsOf(slot).join("|")})(?:\\s+(?:is|to|of|as)\\b)?\\s*[:=]?\\s*(${value})`,
    "diu",
  );
  return matchPiece(filling.sheet.masked, pattern, true);
}

/** A pattern's first group; its place is that of the whole match when `whole`. The pattern needs the d flag. */
export function matchPiece(masked: string, pattern: RegExp, whole = false): Piece | undefined {
  const match = pattern.exec(masked);
  const group = match?.indices?.[1];
  if (!match || !group || group[0] === group[1]) return undefined;
  return { value: masked.slice(group[0], group[1]), start: whole ? match.index : group[0], end: group[1] };
}

/** The value of a found piece: its own text, or the string behind its quotes. */
export function valueOf(filling: Filling, piece: Piece): string {
  const at = piece.end - piece.value.length;
  if (piece.value.startsWith(QUOTED)) return filling.sheet.quoteAt(at)?.value ?? "";
  return filling.sheet.text.slice(at, piece.end).trim();
}

/** Whether the character at an offset is quoted or understood already. */
export function isTaken({ sheet }: Filling, at: number): boolean {
  const mark = sheet.masked[at];
  return mark === TAKEN || mark === QUOTED;
}

/** Whether an offset stands in what the clause is about, where words are words and not filters. */
export function inTopic({ clause }: Filling, at: number): boolean {
  const { topic, tail } = clause;
  return (
    (topic !== undefined && at >= topic.start && at < topic.end) || (tail !== undefined && at >= tail.start)
  );
}

export const ANY_QUOTED: string = `${QUOTED}+`;

/**
 * The values that a slot's own words name: its enum, else its examples and what its description quotes
 * or writes with a capital inside a sentence ("such as Bug, Task or Story").
 */
export function namedValues(slot: Slot): string[] {
  if (slot.values.length > 0) return slot.values;
  const values = [...slot.examples];
  const pattern =
    /"([^"]{1,30})"|'([^']{1,30})'|`([^`]{1,30})`|(?<=[\p{L}\d,:(;] ?)(?<![.!?] )\b(\p{Lu}[\p{L}]*(?: \p{Lu}\p{L}*)*)/gu;
  for (const match of slot.description.replaceAll(/\be\.g\.,? /gi, "such as ").matchAll(pattern)) {
    const value = match.slice(1).find((group) => group !== undefined);
    if (value !== undefined && match.index > 0) values.push(value);
  }
  return [...new Set(values)].filter((value) => !splitName(value).includes("id"));
}

interface Chrono {
  parse(
    text: string,
    now: Date,
    options: { forwardDate: boolean },
  ): { index: number; text: string; start: { date(): Date } }[];
}

/** Reads dates in plain English. The parser is loaded at the first date slot: most turns have none. */
export interface DateReader {
  /** The first date in the text as `2026-11-21` (local to `now`), with its place. */
  find(text: string, now: Date): { value: Date; start: number; end: number } | undefined;
}

export function createDateReader(): DateReader {
  const load = createRequire(import.meta.url);
  let chrono: Chrono | undefined;
  return {
    find(text, now) {
      chrono ??= load("chrono-node/en") as Chrono;
      const [first] = chrono.parse(text.slice(0, 2000), now, { forwardDate: true });
      return first && { value: first.start.date(), start: first.index, end: first.index + first.text.length };
    },
  };
}

/** The calendar day in the machine's own time zone. */
export function toDay(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
