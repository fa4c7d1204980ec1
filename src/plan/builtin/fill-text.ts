import { distance } from "fastest-levenshtein";

import { fits, sameWord, type Slot, toValue } from "../slot.ts";
import {
  ANY_QUOTED,
  type Filling,
  findLabelled,
  inTopic,
  isOpen,
  labelsOf,
  matchPiece,
  namedValues,
  put,
  toDay,
  valueOf,
} from "./filling.ts";
import { type Piece, QUOTED, TAKEN } from "./sheet.ts";
import { hasVerb } from "./verbs.ts";
import { stemOf, STOP_WORDS, type Token, tokenize } from "./words.ts";

/** Free text after a label ends where something that is understood begins, or a new half-sentence. */
export const FREE: string = `[^${QUOTED}${TAKEN},;\\n]+?`;
export const END: string = `(?=\\s*(?:$|[${QUOTED}${TAKEN},;\\n]|:\\s|\\b(?:with|and (?:assign|set|give|put)|in (?:the )?(?:project|space)|described as|labell?ed|priority|under epic)\\b))`;

/** Titles, then long texts, each by its label, then by the colon, then by what is in quotes. */
export function fillTexts(filling: Filling): void {
  const slots = filling.entry.slots.filter((slot) => isOpen(filling, slot));
  const titles = slots.filter((slot) => slot.kind === "title");
  const others = slots.filter((slot) => slot.kind === "body" || slot.kind === "text");
  for (const slot of others) fillLabelledText(filling, slot);
  for (const slot of titles) if (!fillRenamed(filling, slot)) fillLabelledText(filling, slot);
  const wanted = [...titles, ...others].filter((slot) => slot.required || slot.kind === "body");
  for (const slot of wanted.filter((each) => each.required)) fillUnlabelled(filling, slot);
  const rest = wanted.filter((slot) => !slot.required && isOpen(filling, slot));
  if (rest[0] && filling.entry.changing) fillFromTail(filling, rest[0]);
}

function fillLabelledText(filling: Filling, slot: Slot): boolean {
  const { clause, sheet } = filling;
  const labels = labelsOf(slot).join("|");
  if (clause.tail) {
    // "jql: project = DEMO", "… with the description: …"
    const before = sheet.masked.slice(0, clause.tail.start);
    const label = new RegExp(`(?<![\\p{L}\\p{N}])(?:with )?(?:the )?(?:${labels})\\s*:\\s*$`, "iu").exec(
      before,
    );
    if (label && isFree(filling, clause.tail)) {
      put(filling, slot, toValue(slot, clause.tail.value), label.index, clause.tail.end);
      if (label.index === 0) filling.strong += 1;
      return true;
    }
  }
  const quoted = findLabelled(filling, slot, ANY_QUOTED);
  const free =
    slot.kind === "text"
      ? undefined
      : matchPiece(
          sheet.masked,
          new RegExp(
            `(?<![\\p{L}\\p{N}])(?:with )?(?:the |an? )?(?:${freeLabels(slot).join("|")})\\s+(?:is |of |as |to )?(${FREE})${END}`,
            "diu",
          ),
          true,
        );
  const found = quoted ?? free;
  if (!found || found.value.trim() === "") return false;
  if (!quoted && clause.tail && found.start < clause.tail.start && slot.kind === "body") return false;
  put(filling, slot, toValue(slot, valueOf(filling, found)), found.start, found.end);
  return true;
}

/** Labels that bare words may follow; a noun such as "page content" needs quotes. */
function freeLabels(slot: Slot): string[] {
  if (slot.kind === "title")
    return [
      "titled",
      "entitled",
      "called",
      "named",
      "(?:title|summary|subject) (?:is|of|to)",
      "(?:with|and) (?:the )?(?:title|summary|subject)",
    ];
  const labels = ["saying(?: that)?", "that says", "which says", "say that", "reading"];
  return slot.words.at(-1) === "description"
    ? ["described as", "with (?:the )?description"]
    : [...labels, "with (?:the )?(?:body|content|text)"];
}

/** "rename page 1007 to …" */
function fillRenamed(filling: Filling, slot: Slot): boolean {
  if (filling.clause.head?.lower !== "rename") return false;
  const found = matchPiece(
    filling.sheet.masked,
    new RegExp(`\\b(?:to|as|into)\\s+(${ANY_QUOTED}|${FREE})${END}`, "diu"),
    true,
  );
  if (!found) return false;
  put(filling, slot, valueOf(filling, found), found.start, found.end);
  return true;
}

function fillUnlabelled(filling: Filling, slot: Slot): void {
  if (!isOpen(filling, slot)) return;
  if (fillFromTail(filling, slot)) return;
  const [quote] = filling.sheet.openQuotes();
  if (quote) {
    put(filling, slot, toValue(slot, quote.value), quote.start, quote.end);
    return;
  }
  if (slot.kind === "title") {
    fillFromTopic(filling, slot);
    return;
  }
  const that = filling.clause.intents.has("comment")
    ? matchPiece(filling.sheet.masked, /\b(?:that|saying)\s+(\P{C}+)$/du, true)
    : undefined;
  if (that) {
    put(filling, slot, valueOf(filling, that), that.start, that.end);
    return;
  }
  if (filling.entry.changing && filling.entry.intents.size > 0) return;
  fillFromRest(filling, slot);
}

/** "create a ticket for the broken printer": what a new thing is about is its title, if it is more than a word. */
function fillFromTopic(filling: Filling, slot: Slot): void {
  const { topic, intents } = filling.clause;
  if (!topic || !intents.has("create")) return;
  const text = pieceLeft(filling, topic);
  if (!text.includes(" ")) return;
  put(filling, slot, text, topic.start, topic.end);
}

function fillFromTail(filling: Filling, slot: Slot): boolean {
  const { tail } = filling.clause;
  if (!tail || !isFree(filling, tail) || !isOpen(filling, slot)) return false;
  put(filling, slot, toValue(slot, tail.value), tail.start, tail.end);
  return true;
}

/** Nothing behind the colon is taken yet. */
function isFree({ sheet }: Filling, { start, end }: Piece): boolean {
  return !sheet.masked.slice(start, end).includes(TAKEN);
}

/** What is left of the sentence goes to the one argument that takes any text. */
function fillFromRest(filling: Filling, slot: Slot): void {
  // What is left of a sentence is no sentence of another language.
  if (slot.words.some((word) => LANGUAGES.has(word))) return;
  const text = restOf(filling);
  if (text === "" || !fits(slot, text)) return;
  filling.args[slot.name] = toValue(slot, text);
  filling.guessed += 1;
  filling.sheet.take(0, filling.sheet.text.length);
}

const LANGUAGES = new Set(
  "sql jql cql promql graphql regex regexp script code expression lucene xpath".split(" "),
);

/** Search words: what the sentence is about, without what was understood as a verb, a thing or a filter. */
export function fillQuery(filling: Filling): void {
  const slot = filling.entry.slots.find((each) => each.kind === "query");
  if (!slot || !isOpen(filling, slot)) return;
  const { clause, sheet } = filling;
  const used = filling.entry.slots.some((each) => each.kind === "text" && !isOpen(filling, each));
  if (used) return;
  const quotes = sheet.openQuotes();
  const [quote] = quotes;
  const value =
    quote && quotes.length === 1
      ? quote.value
      : clause.topic
        ? withoutThing(filling, pieceLeft(filling, clause.topic))
        : restOf(filling);
  if (value === "") return;
  filling.args[slot.name] = value;
  sheet.take(clause.topic?.start ?? 0, sheet.text.length);
}

/** "search for the checkout timeout issue": the last word says what is searched, where the tool is about that. */
function withoutThing({ clause, entry }: Filling, text: string): string {
  const words = tokenize(text);
  const last = words.at(-1);
  const isThing =
    clause.bareSearch && words.length > 1 && last?.end === text.length && entry.objects.has(last.stem);
  return isThing ? text.slice(0, last.start).trim() : text;
}

/** A piece without the filters that were taken from it, trimmed of small words and marks. */
function pieceLeft({ sheet }: Filling, { start, end }: Piece): string {
  let text = "";
  for (let at = start; at < end; at += 1) {
    const mark = sheet.masked[at];
    text += mark === TAKEN ? " " : (sheet.text[at] ?? "");
  }
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(?:the|an?|our|my|any|some)\s+/i, "")
    .replace(/^(?:(?:named|called|titled)|(?:by|with) the (?:name|title)(?: of)?)\s+/i, "")
    .replace(/[\s?!.,;]+$/, "")
    .replace(/\s+(?:in|on|for|of|to|the|please|pls|plz|thanks|thx)$/i, "")
    .trim();
}

/** The words that nothing has explained yet. */
export function leftovers(filling: Filling): Token[] {
  const { clause, entry, sheet } = filling;
  return clause.tokens.filter(
    (token) =>
      token.start >= clause.bodyAt &&
      sheet.masked[token.start] !== TAKEN &&
      sheet.masked[token.start] !== QUOTED &&
      (token !== clause.head || (clause.verbless && !hasVerb(entry.verbs, token.stem))) &&
      !STOP_WORDS.has(token.lower) &&
      !isKin(entry.kin, token) &&
      !entry.places.has(token.stem),
  );
}

function isKin(kin: Set<string>, token: Token): boolean {
  return kin.has(token.stem);
}

function restOf(filling: Filling): string {
  const left = leftovers(filling);
  const first = left[0];
  const last = left.at(-1);
  if (!first || !last) return "";
  return pieceLeft(filling, { value: "", start: first.start, end: last.end });
}

/** What teams call the states of work, where a schema names none. */
const STATES = {
  todo: ["To Do", "Open", "New", "Backlog", "Reopened"],
  doing: ["In Progress", "Started", "Doing", "Active"],
  done: ["Done", "Closed", "Resolved", "Completed", "Finished"],
  other: ["In Review", "Blocked", "On Hold", "Ready for QA", "Cancelled"],
} as const;

/** The state that a verb moves to. */
const REACHES: Record<string, keyof typeof STATES> = {
  close: "done",
  resolve: "done",
  finish: "done",
  complete: "done",
  reopen: "todo",
  start: "doing",
};

/** Words for the usual open choices, by the last word of the argument's name. */
const CHOICES: Record<string, string[]> = {
  priority: ["Highest", "High", "Medium", "Low", "Lowest", "Critical", "Urgent", "Minor", "Major"],
  severity: ["Critical", "High", "Medium", "Low", "Minor", "Major"],
  type: [
    "Bug",
    "Task",
    "Story",
    "Epic",
    "Incident",
    "Improvement",
    "Blocks",
    "Duplicates",
    "Relates to",
    "Clones",
    "Causes",
  ],
};

/** States: "status Done", "to In Progress", "as done", "close it", "which are blocked". */
export function fillStatus(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    const stately =
      slot.kind === "status" ||
      (slot.kind === "enum" && slot.words.some((word) => /^(?:status|state|stage)$/.test(word)));
    if (!stately || !isOpen(filling, slot)) continue;
    if (slot.required || filling.clause.intents.has("move")) fillReached(filling, slot);
    else fillWithin(filling, slot);
  }
}

function fillReached(filling: Filling, slot: Slot): void {
  const { sheet, clause } = filling;
  const target =
    findLabelled(filling, slot, `${ANY_QUOTED}|[\\p{L}][\\p{L} -]*[\\p{L}]`) ??
    matchPiece(
      sheet.masked,
      new RegExp(`\\b(?:back )?(?:to|as|into)\\s+(?:be\\s+)?(${ANY_QUOTED}|\\p{L}[\\p{L} -]*\\p{L})`, "diu"),
      true,
    );
  if (target) {
    const wanted = valueOf(filling, target).replace(
      /\s+(?:(?:please|pls|plz|now|thanks|for me)$|and\s).*$/i,
      "",
    );
    if (/^(?:move|transition|mark|status)$/.test(clause.head?.lower ?? "") || isState(slot, wanted)) {
      put(filling, slot, canonicalState(slot, wanted), target.start, target.end);
      return;
    }
  }
  const reached = REACHES[clause.head?.lower ?? ""];
  if (reached === undefined) return;
  const named = namedValues(slot);
  const value =
    STATES[reached].find((each) => named.length === 0 || named.some((name) => sameWord(name, each))) ??
    STATES[reached][0];
  filling.args[slot.name] = canonicalState(slot, value);
}

/** As a filter, a state only counts where it is labelled or stands outside of what is searched for. */
function fillWithin(filling: Filling, slot: Slot): void {
  const { sheet } = filling;
  const labelled = findLabelled(filling, slot, `${ANY_QUOTED}|in progress|in review|to do|[\\p{L}]+`);
  if (labelled && !inTopic(filling, labelled.start)) {
    put(filling, slot, canonicalState(slot, valueOf(filling, labelled)), labelled.start, labelled.end);
    return;
  }
  const states = [...new Set([...namedValues(slot), ...Object.values(STATES).flat()])].toSorted(
    (one, other) => other.length - one.length,
  );
  const words = states.map((state) => state.replace(/[^\p{L}\p{N} ]/gu, "").replaceAll(" ", "[ -]?"));
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(${words.filter((word) => word.length > 2).join("|")})(?![\\p{L}\\p{N}])`,
    "digu",
  );
  for (const match of sheet.masked.matchAll(pattern)) {
    if (inTopic(filling, match.index) || /^new$/i.test(match[0])) continue;
    put(filling, slot, canonicalState(slot, match[0]), match.index, match.index + match[0].length);
    return;
  }
}

function isState(slot: Slot, text: string): boolean {
  return [...namedValues(slot), ...Object.values(STATES).flat()].some((each) => sameWord(each, text));
}

function canonicalState(slot: Slot, text: string): string {
  const known = [...namedValues(slot), ...Object.values(STATES).flat()];
  return (
    known.find((each) => sameWord(each, text)) ??
    near(known, text) ??
    (text === text.toLowerCase() ? titleCase(text) : text)
  );
}

function titleCase(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
}

/** Enums and open choices: "priority high", "high priority", "a bug", "sorted by size". */
export function fillChoices(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if ((slot.kind !== "enum" && slot.kind !== "choice") || !isOpen(filling, slot)) continue;
    const named = namedValues(slot);
    const values =
      named.length > 0 || slot.kind === "enum" ? named : (CHOICES[slot.words.at(-1) ?? ""] ?? []);
    const found = findChoice(filling, slot, values);
    if (found) put(filling, slot, found.value, found.start, found.end);
  }
}

function findChoice(
  filling: Filling,
  slot: Slot,
  values: string[],
): { value: string; start: number; end: number } | undefined {
  const { masked } = filling.sheet;
  const labelled = findLabelled(filling, slot, `${ANY_QUOTED}|[\\p{L}\\p{N}_-]+`);
  if (labelled) {
    const text = valueOf(filling, labelled);
    const value = values.find((each) => sameWord(each, text)) ?? byStem(values, text) ?? near(values, text);
    if (value !== undefined) return { value, start: labelled.start, end: labelled.end };
  }
  const before = matchPiece(
    masked,
    new RegExp(`((?:with )?(?:an? )?[\\p{L}-]+)\\s+(?:${labelsOf(slot).join("|")})(?![\\p{L}\\p{N}])`, "diu"),
    true,
  );
  if (before) {
    const text = before.value.replace(/^(?:with )?(?:an? )?/i, "");
    const value = values.find((each) => sameWord(each, text)) ?? near(values, text);
    const end = before.end + (/^\s+[\p{L}_-]+/u.exec(masked.slice(before.end))?.[0].length ?? 0);
    if (value !== undefined) return { value, start: before.start, end };
  }
  return slot.kind === "enum" || slot.required || standsAlone(filling, slot)
    ? findAlone(filling, values, slot.required)
    : undefined;
}

/** "create a bug": the kind of a new thing is said without a label. */
function standsAlone({ clause }: Filling, slot: Slot): boolean {
  return slot.words.at(-1) === "type" && clause.intents.has("create");
}

function findAlone(
  filling: Filling,
  values: string[],
  anywhere: boolean,
): { value: string; start: number; end: number } | undefined {
  for (const value of values.toSorted((one, other) => other.length - one.length)) {
    const words = tokenize(value).map(({ stem }) => stem);
    const tokens = filling.clause.tokens;
    for (let at = 0; at + words.length <= tokens.length; at += 1) {
      const run = tokens.slice(at, at + words.length);
      const [first] = run;
      const last = run.at(-1);
      if (!first || !last || !run.every(({ stem }, place) => stem === words[place])) continue;
      // The verb says what to do, and not how: "merge pull request 17".
      if (first === filling.clause.head && filling.entry.verbs.has(first.stem)) continue;
      if (filling.sheet.masked[first.start] === "\uE000" || (!anywhere && inTopic(filling, first.start)))
        continue;
      return { value, start: first.start, end: last.end };
    }
  }
  return undefined;
}

function byStem(values: string[], text: string): string | undefined {
  return values.find((each) => stemOf(each.toLowerCase()) === stemOf(text.toLowerCase()));
}

/** A value that is one slip of the keyboard away. */
function near(values: string[], text: string): string | undefined {
  const lower = text.toLowerCase();
  if (lower.length < 4 || lower.length > 40) return undefined;
  return values.find(
    (each) => Math.abs(each.length - lower.length) <= 1 && distance(each.toLowerCase(), lower) <= 1,
  );
}

/** Switches that the sentence names: "dry run", "with images", "without sizes". */
export function fillSwitches(filling: Filling): void {
  const { clause, sheet } = filling;
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "boolean" || !isOpen(filling, slot)) continue;
    const words = slot.words.filter((word) => !["include", "is", "with", "use", "enable"].includes(word));
    if (/^dry[_-]?run$/i.test(slot.name) && clause.dryRun) filling.args[slot.name] = true;
    if (words.length === 0 || !isOpen(filling, slot)) continue;
    const found = matchPiece(
      sheet.masked,
      new RegExp(
        `(?<![\\p{L}\\p{N}])((?:with(?:out)?|no|including|excluding)?\\s*(?:the |an? )?${words.join("[ _-]?")}s?)(?![\\p{L}\\p{N}])`,
        "diu",
      ),
    );
    if (!found || inTopic(filling, found.start)) continue;
    put(filling, slot, !/^(?:without|no|excluding)\b/i.test(found.value), found.start, found.end);
  }
}

/** Lists: "labelled checkout, mobile". */
export function fillLists(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "list" || !isOpen(filling, slot)) continue;
    const item = `(?:${ANY_QUOTED}|[\\p{L}\\p{N}][\\p{L}\\p{N}_.-]*)`;
    const found = findLabelled(
      filling,
      slot,
      `${item}(?:\\s*,\\s*(?:and\\s+)?${item}|\\s+and\\s+(?!assign|set|give|put)${item})*`,
    );
    if (!found) continue;
    const at = found.end - found.value.length;
    const items = [...found.value.matchAll(new RegExp(item, "gu"))]
      .filter(([text]) => text.toLowerCase() !== "and")
      .map((match) =>
        valueOf(filling, {
          value: match[0],
          start: at + match.index,
          end: at + match.index + match[0].length,
        }),
      );
    put(
      filling,
      slot,
      items.map((text) => slot.values.find((each) => sameWord(each, text)) ?? text),
      found.start,
      found.end,
    );
  }
}

/** Dates in plain words for arguments that want one. */
export function fillDates(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if ((slot.kind !== "date" && slot.kind !== "date-time") || !isOpen(filling, slot)) continue;
    const label = slot.required
      ? 0
      : new RegExp(`(?<![\\p{L}\\p{N}])(?:${labelsOf(slot).join("|")})(?![\\p{L}\\p{N}])`, "iu").exec(
          filling.sheet.masked,
        )?.index;
    if (label === undefined) continue;
    const found = filling.around.dates.find(filling.sheet.masked.slice(label), filling.around.now);
    if (!found) continue;
    const value = slot.kind === "date" ? toDay(found.value) : found.value.toISOString();
    put(filling, slot, value, label, label + found.end);
  }
}

/** The value of a field by its name, as `update … fields` wants it: canonical where a word is known. */
export function canonicalChoice(name: string, text: string, values: string[]): string {
  const last = name.split(/[_ -]/).at(-1) ?? name;
  const known = [
    ...values,
    ...(CHOICES[last] ?? []),
    ...(last === "status" ? Object.values(STATES).flat() : []),
  ];
  return known.find((each) => sameWord(each, text)) ?? (CHOICES[last] ? (near(known, text) ?? text) : text);
}
