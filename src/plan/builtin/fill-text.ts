import { type Slot, fits, toValue } from "../slot.ts";
import {
  ANY_QUOTED,
  type Filling,
  findLabelled,
  isOpen,
  labelsOf,
  matchPiece,
  put,
  valueOf,
} from "./filling.ts";
import { type Piece, QUOTED, TAKEN } from "./sheet.ts";
import { hasVerb } from "./verb-kin.ts";
import { STOP_WORDS, type Token, tokenize } from "./words.ts";

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
