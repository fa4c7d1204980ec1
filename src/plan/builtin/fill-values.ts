import type { JsonValue } from "#contract/json.ts";

import { fits, type Slot, toValue, upperCodes } from "../slot.ts";
import {
  ANY_QUOTED,
  type Filling,
  findLabelled,
  inTopic,
  isLimit,
  isOpen,
  isTaken,
  labelsOf,
  matchPiece,
  namedValues,
  put,
  valueOf,
} from "./filling.ts";
import type { Piece } from "./sheet.ts";
import { stemOf, STOP_WORDS } from "./words.ts";

/** Keys such as DEMO-12: optional ones by label ("under epic DEMO-10"), the others in order. */
export function fillKeys(filling: Filling): void {
  const slots = filling.entry.slots.filter((slot) => slot.kind === "key");
  for (const slot of slots.filter((each) => !each.required)) fillLabelledKey(filling, slot);
  const keys = filling.clause.keys.filter((key) => isReadable(filling, key) && !inTail(filling, key.start));
  for (const slot of slots.filter((each) => each.required)) {
    const key = keys.shift();
    if (key) {
      put(filling, slot, key.value, key.start, key.end);
      filling.strong += 1;
    } else fillEarlier(filling, slot);
  }
}

/** In quotes a key counts where it is all that is quoted. */
function isReadable(filling: Filling, key: Piece): boolean {
  if (!isTaken(filling, key.start)) return true;
  return filling.sheet
    .openQuotes()
    .some(
      (quote) => quote.value.toUpperCase() === key.value && quote.start < key.start && key.end < quote.end,
    );
}

function fillLabelledKey(filling: Filling, slot: Slot): void {
  const found = findLabelled(filling, slot, "[A-Za-z]\\w{0,15}-\\d{1,9}(?![\\w-])");
  if (!found) return;
  put(filling, slot, valueOf(filling, found).toUpperCase(), found.start, found.end);
  filling.strong += 1;
}

/** "it", "that one": what the conversation's last calls named in an argument of the same name. */
function fillEarlier(filling: Filling, slot: Slot): void {
  const pronoun = /\b(?:it|that one|this one|that|this)(?:\s+(?:issue|ticket|bug|page|one|file))?\b/i.exec(
    filling.sheet.masked,
  );
  if (!pronoun || inTopic(filling, pronoun.index)) return;
  for (const args of filling.around.earlier) {
    const value = Object.hasOwn(args, slot.name) ? args[slot.name] : undefined;
    if (typeof value !== "string") continue;
    put(filling, slot, value, pronoun.index, pronoun.index + pronoun[0].length);
    filling.strong += 1;
    return;
  }
}

const ID = "[A-Za-z]*\\d[\\w-]*";

/** Ids: `page 1001`, `id 1012`, `#17`, the number in an address, a bare number where an id must be. */
export function fillIds(filling: Filling): void {
  const slots = filling.entry.slots.filter((slot) => slot.kind === "id");
  // Where nothing is required, as one of several arguments is enough, the only id is as good as required.
  const isOnly = slots.length === 1 && filling.entry.slots.every(({ required }) => !required);
  for (const slot of slots.toSorted((one, other) => Number(one.required) - Number(other.required))) {
    const isNeeded = slot.required || isOnly;
    const found =
      findLabelled(filling, slot, `(?<=\\s|[:=#])(?:with )?(?:the )?(?:id|number|no\\.?|#)?\\s*${ID}`) ??
      (isNeeded ? findBareId(filling) : undefined);
    if (found) {
      const value = valueOf(filling, found).replace(/^.*\s|^#/, "");
      if (/^[A-Za-z]\w*-\d+$/.test(value)) continue;
      put(filling, slot, toValue(slot, value), found.start, found.end);
      filling.strong += 1;
    } else if (isNeeded) fillEarlier(filling, slot);
  }
}

function findBareId({ sheet, clause }: Filling): Piece | undefined {
  const head = sheet.masked.slice(0, clause.tail?.start);
  return (
    matchPiece(head, /\bid\s*[:=]?\s*([A-Za-z]*\d[\w-]*)/di, true) ??
    matchPiece(head, /https?:\/\/\S*\/(\d+)\b/di, true) ??
    matchPiece(head, /#(\d+)\b/di, true) ??
    matchPiece(head, /(?<![\w./-])([0-9a-f]{8}-[0-9a-f-]{27})(?![\w-])/di) ??
    matchPiece(
      head,
      /(?<=(?:^|\s)(?:page|document|doc|number|no\.?|item|record|entry|order|message|post|note|file|run|build)\s+)(\d+)(?![\w-])/di,
    )
  );
}

/** Codes such as DEMO: "in DEMO", "the MOB project", "space ops". */
export function fillCodes(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "code" || !isOpen(filling, slot)) continue;
    const found = findCode(filling, slot);
    if (!found) continue;
    put(filling, slot, toCode(slot, valueOf(filling, found)), found.start, found.end);
    filling.strong += 0.5;
  }
}

function toCode(slot: Slot, text: string): JsonValue {
  return /^[A-Za-z][A-Za-z0-9_]{0,9}$/.test(text) && upperCodes(slot) ? text.toUpperCase() : text;
}

function findCode(filling: Filling, slot: Slot): Piece | undefined {
  const masked = filling.sheet.masked.slice(0, filling.clause.tail?.start);
  const labels = labelsOf(slot).join("|");
  const code = "[A-Z][A-Z0-9_]{1,19}(?![\\w-])";
  const prepositions = "[Ii]n|[Oo]f|[Tt]o|[Ff]or|[Ff]rom|[Ii]nto|[Oo]n|[Ii]nside|[Ww]ithin";
  const cased = (source: string): RegExp => new RegExp(source, "du");
  const upper =
    matchPiece(
      masked,
      cased(`(?:(?:${prepositions})\\s+)?(?:the\\s+)?\\b(?:${labels})\\s+(?:called\\s+|named\\s+)?(${code})`),
      true,
    ) ??
    matchPiece(
      masked,
      cased(`\\b(?:(?:${prepositions})\\s+)?(?:the\\s+)?(?<![\\w-])(${code})\\s+(?:${labels})\\b`),
      true,
    ) ??
    matchPiece(masked, cased(`\\b(?:${prepositions})\\s+(?:the\\s+)?(${code})`), true);
  if (upper) return upper;
  const quoted = findLabelled(filling, slot, ANY_QUOTED);
  if (quoted) return quoted;
  const known = namedValues(slot).map((value) => value.toLowerCase());
  const lower = new RegExp(
    `\\b(?:in|of|to|for|from|into|on)\\s+(?:the\\s+)?(?:(${labels})\\s+)?(?<code>[a-z][a-z0-9_]{1,9})(?:\\s+(${labels}))?(?=\\s*(?:$|[,.;:?!\\uE000\\uE001]|please|pls|(?:labell?ed|titled|called|named|with|under|priority|about|and|assigned|that)\\b))`,
    "dgiu",
  );
  for (const match of masked.matchAll(lower)) {
    const place = match.indices?.groups?.code;
    const word = match.groups?.code?.toLowerCase() ?? "";
    if (!place || STOP_WORDS.has(word) || filling.entry.kin.has(word)) continue;
    const labelled = match[1] !== undefined || match[3] !== undefined;
    const after = /^(?:in|into)\b/i.test(match[0]) || slot.required;
    if (
      labelled ||
      known.includes(word) ||
      (after && upperCodes(slot) && !inTopic(filling, match.index) && word.length <= 5)
    )
      return { value: masked.slice(place[0], place[1]), start: match.index, end: place[1] };
  }
  const wordy = matchPiece(
    masked,
    new RegExp(`\\b(?:${labels})\\s+([a-z][a-z0-9_]{1,9})(?=\\s*(?:$|[,.;:?!]))`, "diu"),
    true,
  );
  return wordy && !STOP_WORDS.has(wordy.value.toLowerCase()) ? wordy : undefined;
}

/** Numbers: "limit 5", "top 3", "5 issues", "version 2"; bare ones in order where numbers must be. */
export function fillNumbers(filling: Filling): void {
  const slots = filling.entry.slots.filter((slot) => slot.kind === "integer" || slot.kind === "number");
  const searches = filling.entry.slots.some((slot) => slot.kind === "query");
  for (const slot of slots) {
    const number = slot.kind === "integer" ? "[+-]?\\d+(?![\\w.]\\d|\\w)" : "[+-]?\\d+(?:\\.\\d+)?(?!\\w)";
    const unit = /\bin (seconds|minutes|hours|days|bytes|pixels|percent)\b/
      .exec(slot.description)?.[1]
      ?.replace(/s$/, "s?");
    const units = [...labelsOf(slot), ...(unit === undefined ? [] : [unit])].join("|");
    let found =
      findLabelled(filling, slot, number) ??
      matchPiece(
        filling.sheet.masked,
        new RegExp(`(?<![\\w-])(${number})\\s+(?:${units})(?![\\p{L}\\p{N}])`, "diu"),
      );
    if (!found && isLimit(slot))
      found = matchPiece(filling.sheet.masked, /(?<![\w-])(\d{1,4})\s+(?:\p{L}+\s+)?(?:\p{L}{2,})/du);
    if (!found || (searches && inTopic(filling, found.start))) continue;
    put(filling, slot, Number(valueOf(filling, found)), found.start, found.end);
    filling.strong += 0.5;
  }
  for (const slot of slots.filter((each) => each.required && isOpen(filling, each))) {
    const found = matchPiece(filling.sheet.masked, /(?<![\w.-])([+-]?\d+(?:\.\d+)?)(?![\w-])/du);
    if (!found) return;
    put(filling, slot, Number(found.value), found.start, found.end);
    filling.strong += 0.5;
  }
}

/** Addresses, mail addresses, paths: by their form, in order; optional ones only behind their label. */
export function fillForms(filling: Filling): void {
  const forms: Partial<Record<Slot["kind"], string>> = {
    url: "[a-z][a-z0-9+.-]*://[^\\s\\uE000\\uE001]+",
    email: "[^\\s@\\uE000\\uE001]+@[^\\s@\\uE000\\uE001]+\\.\\w+",
    path: "(?:~|\\.{1,2})?/[^\\s,\\uE000\\uE001]*|[\\w-]+(?:[/\\\\][\\w.-]+)+/?|[\\w-]+(?:\\.[\\w-]+)*\\.[A-Za-z]\\w{0,4}(?!\\w)",
  };
  for (const slot of filling.entry.slots) {
    const isGlob = slot.words.some((word) => word === "pattern" || word === "glob");
    const form =
      isGlob && slot.kind === "text"
        ? GLOB
        : forms[slot.kind === "list" && /path|file/.test(slot.name) ? "path" : slot.kind];
    if (form === undefined || !isOpen(filling, slot)) continue;
    const found =
      findLabelled(filling, slot, `${form}|${ANY_QUOTED}`) ??
      (slot.required ? findForm(filling, form, slot) : undefined);
    if (!found) continue;
    const value = valueOf(filling, found).replace(/[?!.,;]+$/, "");
    put(filling, slot, slot.kind === "list" ? [value] : value, found.start, found.end);
    filling.strong += 1;
    if (slot.kind === "list") addMore(filling, slot, form);
  }
}

const GLOB = "[^\\s\\uE000\\uE001]*[*?][^\\s\\uE000\\uE001]*[^\\s\\uE000\\uE001?!.,]";

function findForm(filling: Filling, form: string, slot: Slot): Piece | undefined {
  const bare = matchPiece(filling.sheet.masked, new RegExp(`(?<![\\w/])(${form})`, "diu"));
  if (bare) return bare;
  const quote = filling.sheet.openQuotes().find(({ value }) => slot.kind === "list" || fits(slot, value));
  return (
    quote && { value: filling.sheet.masked.slice(quote.start, quote.end), start: quote.start, end: quote.end }
  );
}

function addMore(filling: Filling, slot: Slot, form: string): void {
  const items = filling.args[slot.name];
  if (!Array.isArray(items)) return;
  for (
    let found = findForm(filling, form, slot);
    found && items.length < 50;
    found = findForm(filling, form, slot)
  ) {
    items.push(valueOf(filling, found));
    filling.sheet.take(found.start, found.end);
  }
}

function inTail({ clause }: Filling, at: number): boolean {
  return clause.tail !== undefined && at >= clause.tail.start;
}

const NAME = "[\\p{L}\\p{N}_][\\p{L}\\p{N}_./@-]*";
const BEHIND = "\\b(?:in|of|for|on)\\s+(?:the\\s+)?";
const KINDS = new Set(["text", "title", "code", "id"]);
const NO_NAMES =
  /^(?:in|on|of|to|for|from|with|and|or|the|a|an|is|are|was|that|this|it|all|by|at|into|named|called|healthy|up|down|now|please|about)$/i;

/**
 * Names behind the thing they belong to ("the service payments", "employee Dmitri Petrov", "invoice
 * INV-2044"), and at the end behind a preposition ("latest commits in web-shop"), for required
 * arguments of tools that make nothing new.
 */
export function fillNames(filling: Filling): void {
  const { entry } = filling;
  if (entry.intents.has("create") || entry.intents.has("comment")) return;
  // Where a key is wanted, what looks like one is that.
  if (entry.slots.some((slot) => slot.kind === "key")) return;
  for (const slot of entry.slots) {
    if (!slot.required || !isOpen(filling, slot) || !KINDS.has(slot.kind)) continue;
    if (!fillBehindNoun(filling, slot)) fillBehindPreposition(filling, slot);
  }
}

function fillBehindNoun(filling: Filling, slot: Slot): boolean {
  const { masked } = filling.sheet;
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(\\p{L}+)\\s+(?:called\\s+|named\\s+)?(${NAME}(?:\\s+\\p{Lu}[\\p{L}-]+){0,2})`,
    "dgu",
  );
  for (let from = 0; ;) {
    pattern.lastIndex = from;
    const match = pattern.exec(masked);
    const place = match?.indices?.[2];
    if (match === null || place === undefined) return false;
    from = match.index + (match[1]?.length ?? 1);
    const stem = stemOf((match[1] ?? "").toLowerCase());
    const isLabel = filling.entry.objects.has(stem) || slot.words.some((word) => stemOf(word) === stem);
    const value = match[2] ?? "";
    if (!isLabel || !isName(filling, slot, value) || inTopic(filling, place[0])) continue;
    put(filling, slot, toValue(slot, value), match.index, place[1]);
    filling.strong += 1;
    return true;
  }
}

function fillBehindPreposition(filling: Filling, slot: Slot): boolean {
  if (slot.kind !== "code" && slot.kind !== "text") return false;
  const { masked } = filling.sheet;
  const match =
    new RegExp(`${BEHIND}(${NAME})\\s*[?.!]*$`, "du").exec(masked) ??
    // In the middle it has to look like a name of something technical: "did the builds of web-shop pass".
    new RegExp(`${BEHIND}(\\p{L}[\\p{L}\\p{N}]*(?:[_./-][\\p{L}\\p{N}]+)+)(?=\\s)`, "du").exec(masked);
  const place = match?.indices?.[1];
  const value = match?.[1] ?? "";
  if (match === null || place === undefined || !isName(filling, slot, value)) return false;
  if (inTopic(filling, place[0]) && place[1] < masked.length) return false;
  put(filling, slot, toValue(slot, value), match.index, place[1]);
  filling.strong += 0.5;
  return true;
}

function isName({ entry }: Filling, slot: Slot, value: string): boolean {
  const stem = stemOf(value.toLowerCase());
  const [first = ""] = value.split(/\s+/);
  if (NO_NAMES.test(first) || STOP_WORDS.has(first.toLowerCase())) return false;
  if (entry.objects.has(stem) || entry.verbs.has(stem)) return false;
  return slot.kind === "code" ? /^[\p{L}][\p{L}\p{N}_./-]*$/u.test(value) : fits(slot, value);
}

const PERSON = "@?[\\p{L}][\\p{L}\\p{N}._'’-]*|<@[A-Z0-9]+>";
const NOBODY = new Set(
  "the a an it this that them someone somebody nobody anyone who whom what everyone to of for on from in by".split(
    " ",
  ),
);
const SELF = new Set(["me", "myself", "my", "mine", "i"]);

/** People: "assigned to ben", "ben's tickets", "what is ben working on", "my issues". */
export function fillPeople(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "person" || !isOpen(filling, slot)) continue;
    if (fillNobody(filling, slot)) continue;
    const found = findPerson(filling, slot);
    if (!found) continue;
    const value = valueOf(filling, found);
    put(
      filling,
      slot,
      SELF.has(value.toLowerCase()) ? filling.around.actorName || "me" : value.replace(/^@/, ""),
      found.start,
      found.end + (BUSY.exec(filling.sheet.masked.slice(found.end))?.[0].length ?? 0),
    );
    filling.strong += 1;
  }
}

/** What people are said to do with their work. */
const BUSY = /^\s+(?:currently\s+|now\s+)?(?:working on|busy with|doing|have)\b/i;

/** "to nobody": the word for it that the tool's description gives. */
function fillNobody(filling: Filling, slot: Slot): boolean {
  const word = namedValues(slot).find((value) => /^(?:unassigned|nobody|none)$/i.test(value));
  const found = matchPiece(
    filling.sheet.masked,
    /\b((?:assigned )?to (?:nobody|no one|noone|none)|un-?assign(?:ed)?)\b/di,
  );
  if (word === undefined || !found || inTopic(filling, found.start)) return false;
  put(filling, slot, word, found.start, found.end);
  filling.strong += 1;
  return true;
}

function findPerson(filling: Filling, slot: Slot): Piece | undefined {
  const masked = filling.sheet.masked.slice(0, filling.clause.tail?.start);
  const author = slot.words.some((word) => ["reporter", "author", "creator"].includes(word));
  const { intents } = filling.clause;
  const ways = author
    ? ["(?:reported|created|written|opened|filed|raised) by", "reporter", "author"]
    : [
        "assigned to",
        "(?:and )?assign(?:ed)?(?: it| this| that)? to",
        "(?:owned|handled) by",
        "owner",
        "assignee",
        "(?:and )?give (?:it|this|that) to",
      ];
  const patterns = ways.map((way) => `\\b(?:${way})\\s*[:=]?\\s*(${PERSON})`);
  if (slot.required || intents.has("assign"))
    patterns.push(`\\bto\\s+(?:the\\s+)?(${PERSON})`, `\\bfor\\s+(${PERSON})$`);
  if (!filling.entry.changing && !author)
    patterns.push(
      `(?:what(?:['’]?s| is| are| am)|is|are|am)\\s+(${PERSON})(?=\\s+(?:currently\\s+|now\\s+)?(?:working on|doing|busy with))`,
      `\\bdo(?:es)?\\s+(${PERSON})(?=\\s+have\\b)`,
      `(?:^|\\s)(my|mine)\\b`,
      `(?:^|\\s)(\\p{L}[\\p{L}\\p{N}]*)['’]s\\s+(?:\\p{L}+\\s+)?(?:${[...OWNED].join("|")})`,
      `\\bon (\\p{L}+)(?:['’]s)? plate\\b`,
    );
  for (const pattern of patterns) {
    const piece = matchPiece(masked, new RegExp(pattern, "diu"), true);
    if (!piece || NOBODY.has(piece.value.toLowerCase()) || /^(?:we|you|they|anyone)$/i.test(piece.value))
      continue;
    if (/^what/i.test(piece.value) || isTaken(filling, piece.start)) continue;
    return withSurname(masked, piece);
  }
  return undefined;
}

const OWNED = new Set(
  "issues? tickets? tasks? bugs? work stuff pages? documents? items? cards? orders? files? backlog".split(
    " ",
  ),
);

function withSurname(masked: string, piece: Piece): Piece {
  if (!/^@?\p{Lu}/u.test(piece.value)) return piece;
  const surname = /^(?:\s+\p{Lu}[\p{L}'’-]*){1,2}/u.exec(masked.slice(piece.end));
  if (!surname) return piece;
  return { value: piece.value + surname[0], start: piece.start, end: piece.end + surname[0].length };
}
