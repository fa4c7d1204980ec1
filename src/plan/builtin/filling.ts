import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { KnownName } from "#contract/plan.ts";

import { remember } from "../../base/remember.ts";
import { type Slot, splitName } from "../slot.ts";
import type { DateReader } from "./dates.ts";
import { type Piece, QUOTED, type Sheet, TAKEN } from "./sheet.ts";
import type { ToolEntry } from "./tool-index.ts";
import type { Wish } from "./wish.ts";
import { STOP_WORDS, tokenize } from "./words.ts";

/** What is known besides the sentence. */
export interface FillContext {
  now: Date;
  dates: DateReader;
  /** Arguments of the conversation's last calls, newest first, for "it" and "that one". */
  earlier: JsonObject[];
  /** The id of the one record on the screen. */
  onScreen?: string;
  /** What records are kept in, by code and name, such as projects. */
  known?: readonly KnownName[];
  /** Arguments of the call whose result the wish refers to. */
  context?: JsonObject;
  /** What was only told beside the wish. */
  told?: readonly string[];
}

/** One attempt to fill one tool's arguments from one wish. */
export interface Filling {
  entry: ToolEntry;
  wish: Wish;
  sheet: Sheet;
  around: FillContext;
  args: JsonObject;
  /** Finds that speak for this tool: keys, people, codes, numbers where it wants them. */
  strong: number;
  /** Arguments that only got what was left over. */
  guessed: number;
  /** Arguments that earlier calls gave. */
  earlier: string[];
  /** Further values for one of the arguments: each is a call of its own. */
  others?: { name: string; values: string[] };
  /** Arguments that only got what the tool takes where nothing is said. */
  assumed: string[];
  /** The codes of names, by where those stand. */
  codes: Map<number, string>;
}

export function isOpen(filling: Filling, slot: Slot): boolean {
  return !Object.hasOwn(filling.args, slot.name);
}

export function put(
  filling: Filling,
  slot: Slot,
  value: JsonValue,
  { start, end }: Pick<Piece, "start" | "end">,
  strong = 0,
): void {
  filling.args[slot.name] = value;
  filling.sheet.take(start, end);
  filling.strong += strong;
}

export function isLimit({ words }: Slot): boolean {
  return (
    /^(?:limit|count|max|top|size|n|head)$/.test(words[0] ?? "") ||
    /^(?:page size|per page)$/.test(words.join(" "))
  );
}

/** Whether an argument says which record is meant, or how something is done, and nothing of what it shall be. */
export function namesOne({ kind, words }: Slot): boolean {
  return /^(?:key|keys|id|boolean)$/.test(kind) || /^(?:id|number)$/.test(words.at(-1) ?? "");
}

/** The words that people put before a value of this slot, as pattern sources, the most telling first. */
export function labelsOf(slot: Slot): string[] {
  const { words, kind } = slot;
  const last = words.at(-1) ?? "";
  const labels = [words.join("[ _-]?")];
  // "epic" for `epicIdOrKey`
  const thing = words
    .join(" ")
    .replace(/(?: (?:keys?|ids?|or|name|code|number|path|type|date|string))+$/, "");
  if (thing !== words.join(" ")) labels.push(thing.replaceAll(" ", "[ _-]?"));
  const add = (condition: boolean, ...more: string[]): void => {
    if (condition) labels.push(...more);
  };
  add(kind === "title", "titled", "entitled", "called", "named", "title", "summary", "subject");
  add(kind === "body" && last === "description", "described as", "desc");
  add(
    kind === "body" && last !== "description",
    "saying(?: that)?",
    "that says",
    "which says",
    "reading",
    "say",
  );
  add(kind === "body", "body", "content", "text");
  add(
    /^(?:labels?|tags?)$/.test(last),
    "(?:label|tag) (?:it|this)(?: as| with)?",
    "labell?ed(?: as| with)?",
    "labels?",
    "tagged(?: as| with)?",
    "tags?",
    "flagged(?: as| with)?",
  );
  add(
    /^(?:start|offset|skip)$/.test(words[0] ?? "") && /^(?:integer|number)$/.test(kind),
    "(?:starting )?(?:at|from) (?:the )?(?:character|char|position|index|offset|row|line)",
    "starting (?:at|from|with)",
    "skip(?:ping)?(?: the)?(?: first)?",
    "offset",
  );
  // "branches that contain 4f2a91c" for `contains`
  add(last === "contains" && words[0] !== "not", "(?<!not |n['’]t )contain(?:ing)?", "that have", "with");
  add(
    words.join(" ") === "not contains",
    "(?:not|\\p{L}+n['’]t) (?:yet )?(?:contain|have)",
    "without",
    "not containing",
  );
  add(words[0] === "tail", "last", "final", "end");
  add(
    isLimit(slot),
    "top",
    "first",
    ...(words[0] === "head" ? [] : ["last", "latest"]),
    "newest",
    "limit",
    "max(?:imum)?(?: of)?",
    "at most",
    "up to",
    "only",
  );
  add(/^(?:sort|order)/.test(words[0] ?? ""), "sort(?:ed)? by", "order(?:ed)? by");
  add(words.includes("parent"), "under", "child of", "below");
  add(kind === "key", ...words.filter((word) => word === "before" || word === "after"));
  add(words.includes("epic"), "under(?: the)? epic", "in(?: the)? epic");
  add(last === "priority", "prio");
  add(words.includes("due"), "due (?:on|by)", "due", "deadline");
  add(
    /^(?:temperature|width|height|length|base|radius|age|price|amount|rate|speed|distance|weight)$/.test(
      last,
    ),
    last,
  );
  // "our organisation acme" for `organization`
  return [...new Set(labels)].map((label) => label.replaceAll(/iz(?=ation|e)/g, "i[sz]"));
}

const bounded = (source: string): string => `(?<![\\p{L}\\p{N}])(?:${source})`;

/** The first `label value` in the text, where `value` is one form; its place is that of both. */
export function findLabelled(filling: Filling, slot: Slot, value: string): Piece | undefined {
  // "a" and "b" are articles and names unless they are set to something.
  const glue =
    slot.name.length === 1
      ? "\\s*(?:[:=]|\\bis\\b|\\bas\\b)\\s*"
      : "(?:\\s+(?:is|to|of|as|at|being|set to|equal to)\\b)*\\s*[:=]?\\s*(?:an?\\s+)?";
  const pattern = `(?:with |and |the |an? |its |any )*${bounded(labelsOf(slot).join("|"))}${glue}(${value})`;
  return matchPiece(filling.sheet.masked, labelPattern(bounded(pattern)), true);
}

/** Each argument of a tool is looked for in the same way in each message. */
const MOST_LABELS = 2_000;
const labelPattern = remember(MOST_LABELS, (pattern) => new RegExp(pattern, "diu"));

/** A pattern's first group; its place is that of the whole match when `whole`. The pattern needs the d flag. */
export function matchPiece(masked: string, pattern: RegExp, whole = false): Piece | undefined {
  const match = pattern.exec(masked);
  const group = match?.indices?.[1];
  if (!match || !group || group[0] === group[1]) return undefined;
  return { value: masked.slice(group[0], group[1]), start: whole ? match.index : group[0], end: group[1] };
}

/** The value of a found piece: its own text, or the string behind its quotes. */
export function valueOf(filling: Filling, { value, end }: Piece): string {
  const at = end - value.length;
  if (value.startsWith(QUOTED)) return filling.sheet.quoteAt(at)?.value ?? "";
  return filling.sheet.text.slice(at, at + value.length).trim();
}

/** Whether the character at an offset is quoted or understood already. */
export function isTaken({ sheet }: Filling, at: number): boolean {
  return sheet.masked[at] === TAKEN || sheet.masked[at] === QUOTED;
}

/** Whether an offset stands in what the wish is about, where words are words and not filters. */
export function inTopic({ wish: { topic, tail }, entry }: Filling, at: number): boolean {
  return (
    (topic !== undefined && entry.takesTopic && at >= topic.start && at < topic.end) ||
    (tail !== undefined && at >= tail.start && at < tail.end)
  );
}

/** The sentence without what somebody dictates behind a colon. */
export function spokenOf({ sheet, wish: { tail } }: Filling): string {
  if (tail === undefined) return sheet.masked;
  const { start, end } = tail;
  return sheet.masked.slice(0, start) + QUOTED.repeat(end - start) + sheet.masked.slice(end);
}

/** "Swap the label payments for checkout" */
export const SWAPPED: RegExp =
  /\b(?:swap|replace|exchange|switch|change)\s+(?:the\s+|its\s+)?(?:labels?|tags?)\s+(?<former>[\p{L}\p{N}_.-]+)\s+(?:for|with|to|by|into)\s+(?:the\s+)?(?:(?:label|tag)\s+)?(?<instead>[\p{L}\p{N}_.-]*[\p{L}\p{N}])/iu;

export const ANY_QUOTED: string = `${QUOTED}+`;

/**
 * The values that a slot's own words name: its enum, else its examples and what its description quotes
 * or writes with a capital inside a sentence ("such as Bug, Task or Story").
 */
export function namedValues(slot: Slot): readonly string[] {
  let values = named.get(slot);
  if (values === undefined) {
    values = slot.values.length > 0 ? slot.values : readNamed(slot);
    named.set(slot, values);
  }
  return values;
}

/** The values of which a description says that they are all: "Can be 'summary' or 'detailed'". */
export function closedValues({ kind, description }: Slot): string[] {
  const list =
    kind === "text"
      ? /\b(?:can be|choices are|options(?: are)?|either|one of|possible values are|should be|must be)\b[^.]*/i.exec(
          description,
        )?.[0]
      : undefined;
  const values = [...(list ?? "").matchAll(/["'`]([^"'`]{1,30})["'`]/g)].map(([, value = ""]) => value);
  return values.length > 1 && !/e\.g|such as|like\b/i.test(list ?? "") ? values : [];
}

const named = new WeakMap<Slot, readonly string[]>();

function readNamed(slot: Slot): string[] {
  const values = [...slot.examples];
  const pattern =
    /"([^"]{1,30})"|'([^']{1,30})'|`([^`]{1,30})`|(?<=[\p{L}\d,:(;] ?)(?<![.!?] )\b(\p{Lu}[\p{L}]*(?: \p{Lu}\p{L}*)*)/gu;
  for (const match of slot.description.replaceAll(/\be\.g\.,? /gi, "such as ").matchAll(pattern)) {
    const value = match.slice(1).find((group) => group !== undefined);
    if (value !== undefined && match.index > 0) values.push(value);
  }
  return [...new Set(values)].filter((value) => !splitName(value).includes("id"));
}

const MOST_TOLD = 8;

/** Words with those that say something of what was told beside them. */
export function withTold(words: string, told: readonly string[]): string {
  const more = tokenize(told.join(" ")).filter(({ lower }) => !STOP_WORDS.has(lower) && lower.length > 2);
  const said = new Set(tokenize(words).map(({ stem }) => stem));
  const others = [...new Map(more.map((word) => [word.stem, word])).values()].filter(
    ({ stem }) => !said.has(stem),
  );
  return [words, ...others.slice(0, MOST_TOLD).map(({ text }) => text)].join(" ");
}
