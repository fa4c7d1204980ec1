import type { JsonValue } from "#contract/json.ts";

import { type Slot, fits, toValue, upperCodes } from "../slot.ts";
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
import { STOP_WORDS } from "./words.ts";

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
  for (const slot of slots.toSorted((one, other) => Number(one.required) - Number(other.required))) {
    const found =
      findLabelled(filling, slot, `(?<=\\s|[:=#])(?:with )?(?:the )?(?:id|number|no\\.?|#)?\\s*${ID}`) ??
      (slot.required ? findBareId(filling) : undefined);
    if (found) {
      const value = valueOf(filling, found).replace(/^.*\s|^#/, "");
      if (/^[A-Za-z]\w*-\d+$/.test(value)) continue;
      put(filling, slot, toValue(slot, value), found.start, found.end);
      filling.strong += 1;
    } else if (slot.required) fillEarlier(filling, slot);
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
