import { type Slot, upperCodes } from "../slot.ts";

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
  spokenOf,
  valueOf,
} from "./filling.ts";
import type { Piece } from "./sheet.ts";
import { stemOf, STOP_WORDS, wordSet } from "./words.ts";

const CODE = "[A-Z][A-Z0-9_]{1,19}(?![\\w-])";
/** A code that the tool itself names, or the name of what is known by one, wherever it stands: "ops stuff", "the mobile app". */
function namedCode(filling: Filling, slot: Slot, masked: string): Piece | undefined {
  const codes = namedValues(slot).filter((value) => /^[A-Z][A-Z0-9_]{1,9}$/.test(value));
  const names = (filling.around.known ?? []).filter(({ kind }) => slot.words.includes(kind));
  const firsts = names.flatMap(({ name }) =>
    /^[\p{L}]{4,}\s/u.test(name) ? [name.split(" ")[0] ?? ""] : [],
  );
  const lasts = names.flatMap(({ name }) =>
    /\s\p{L}{4,}$/u.test(name) ? [name.split(" ").at(-1) ?? ""] : [],
  );
  firsts.push(...lasts);
  const unique = firsts.filter((first) => firsts.filter((each) => each === first).length === 1);
  const all = [...names.map(({ name }) => name), ...codes, ...names.map(({ id }) => id), ...unique];
  const source = all
    .map((each) => each.replace(/[^\p{L}\p{N} ]/gu, ""))
    .filter((each) => each.length > 1)
    .join("|");
  if (source === "") return undefined;
  const lead = `(?:\\b(?:in|of|to|for|from|into|on|with|w\\/)\\s+)?(?:the\\s+)?(?:(?:${labelsOf(slot).join("|")})\\s+(?:of|for|called|named)\\s+(?:the\\s+)?)?`;
  const found = matchPiece(
    masked,
    new RegExp(
      `${lead}(?<![\\p{L}\\p{N}-])(${source})(?![\\p{L}\\p{N}-])(?:\\s+(?:${labelsOf(slot).join("|")})\\b)?`,
      "diu",
    ),
    true,
  );
  if (!found) return undefined;
  // "open Engineering Handbook": part of a longer name is not the name.
  const isLonger = /^\s+\p{Lu}\p{Ll}/u.test(masked.slice(found.end));
  if (isLonger && !/^(?:in|of|to|for|from|into|on)\b/i.test(masked.slice(found.start))) return undefined;
  // "the page Engineering Handbook" is the page, be the space called the same.
  if (/\b(?:pages?|doc|document|article|guide|issue|ticket)\s+$/i.test(masked.slice(0, found.start)))
    return undefined;
  const said = found.value.toLowerCase();
  const isPart = (name: string): boolean =>
    unique.some((part) => part.toLowerCase() === said && name.split(" ").includes(part));
  const known = names.find(
    ({ name, id }) => name.toLowerCase() === said || id.toLowerCase() === said || isPart(name),
  );
  if (known) filling.codes.set(found.start, known.id);
  return found;
}

export const NO_CODES: ReadonlySet<string> = wordSet(
  "total general particular progress review production person order advance time case done todo backlog closed open finished resolved",
);
const STATE_NAMES =
  /^(?:Progress|Review|Total|January|February|March|April|May|June|July|August|September|October|November|December)/;
const BEFORE_CODE =
  "(?:[Ii]n|[Oo]f|[Tt]o|[Ff]or|[Ff]rom|[Ii]nto|[Oo]n|[Ii]nside|[Ww]ithin|[Dd]oes|[Jj]ust|[Oo]nly)";

/** Codes such as DEMO: "in DEMO", "the MOB project", "space ops"; or the name behind "the … project". */
export function fillCodes(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "code" || !isOpen(filling, slot)) continue;
    const found = findCode(filling, slot);
    if (!found) {
      const all = new RegExp(
        `\\b(?:(?:in|across|over|from|of|on)\\s+)?(?:all|every|any|both|the\\s+(?:two|three|four))\\s+(?:(?:of\\s+)?(?:the|our|my|two|three|four)\\s+)*(?:${labelsOf(slot).join("|")})s?\\b`,
        "iu",
      ).exec(spokenOf(filling));
      if (all && !filling.entry.changing && !isNamed(filling.entry, slot))
        filling.sheet.take(all.index, all.index + all[0].length);
      continue;
    }
    const text = filling.codes.get(found.start) ?? valueOf(filling, found);
    const label = new RegExp(`^\\s+(?:${labelsOf(slot).join("|")})\\b`, "iu").exec(
      filling.sheet.masked.slice(found.end),
    );
    if (label) filling.sheet.take(found.end, found.end + label[0].length);
    // The others of a list are calls of their own, see choose.ts.
    const others = /^(?:\s*(?:,|and|or|&)\s*(?:and\s+)?[A-Z][A-Z0-9_]{1,19}(?![\w-]))+/.exec(
      filling.sheet.masked.slice(found.end),
    );
    if (others) filling.sheet.take(found.end, found.end + others[0].length);
    const isCode = /^[A-Za-z][A-Za-z0-9_]{0,9}$/.test(text) && upperCodes(slot);
    const value = isCode ? text.toUpperCase() : text;
    put(filling, slot, value, found, 0.5);
    if (!others) takeOthers(filling, slot, value);
  }
}

/** "Does MOB have more bugs than OPS": what is asked of one is asked of each that is known. */
function takeOthers(filling: Filling, slot: Slot, value: string): void {
  const { entry, around, sheet } = filling;
  const ids = (around.known ?? []).filter(({ kind }) => slot.words.includes(kind)).map(({ id }) => id);
  if (entry.changing || filling.others !== undefined) return;
  const values: string[] = [];
  for (const match of spokenOf(filling).matchAll(
    /(?:\b(?:than|versus|vs\.?|or|and|in|of|for)\s+)?(?<![\w-])([A-Z][A-Z0-9_]+)(?![\w-])/g,
  )) {
    const id = match[1] ?? "";
    if (!ids.includes(id) || id === value || values.includes(id)) continue;
    values.push(id);
    sheet.take(match.index, match.index + match[0].length);
  }
  if (values.length > 0) filling.others = { name: slot.name, values };
}

/** "All projects" is what a tool that lists projects is asked for. */
function isNamed({ objects }: Filling["entry"], { words }: Slot): boolean {
  return words.some((word) => objects.has(stemOf(word)));
}

/** A code that is known, but of something else: MOB is no space. */
function isOthers({ around: { known = [] } }: Filling, slot: Slot, code: string): boolean {
  const kinds = known.filter(({ id }) => id.toUpperCase() === code.toUpperCase()).map(({ kind }) => kind);
  return kinds.length > 0 && !kinds.some((kind) => slot.words.includes(kind));
}

function findCode(filling: Filling, slot: Slot): Piece | undefined {
  const masked = spokenOf(filling);
  const labels = labelsOf(slot).join("|");
  const upper = [
    `(?:${BEFORE_CODE}\\s+)?(?:the\\s+)?\\b(?:${labels})\\s+(?:called\\s+|named\\s+)?(${CODE})`,
    `\\b(?:${BEFORE_CODE}\\s+)?(?:the\\s+)?(?<![\\w-])(${CODE})\\s+(?:${labels})\\b`,
    `\\b${BEFORE_CODE}\\s+(?:the\\s+)?(${CODE})`,
    ...(filling.entry.changing
      ? []
      : [`(?<![\\w-])(${CODE})(?=['’]s\\b|\\s+(?:issues|tickets|bugs|pages|tasks|has|have)\\b)`]),
  ];
  for (const source of upper) {
    const found = matchPiece(masked, new RegExp(source, "du"), true);
    if (found && !isOthers(filling, slot, found.value)) return found;
  }
  const quoted = findLabelled(filling, slot, ANY_QUOTED);
  if (quoted) return quoted;
  const own = namedCode(filling, slot, masked);
  if (own) return own;
  const named = matchPiece(
    masked,
    new RegExp(
      `\\b(?:in|of|to|for|from|into)\\s+(?:the\\s+)?((?:(?!the\\b|in\\b|of\\b|to\\b)\\p{L}[\\p{L}\\d-]*\\s+){1,3}?)(?:${labels})(?![\\p{L}])`,
      "diu",
    ),
    true,
  );
  if (named && !STOP_WORDS.has(named.value.trim().toLowerCase()) && !inTopic(filling, named.start)) {
    const label = new RegExp(`^(?:${labels})`, "iu").exec(masked.slice(named.end));
    filling.sheet.take(named.end, named.end + (label?.[0].length ?? 0));
    return named;
  }
  // Where it is known what there is, nothing else is guessed from a word in lower case.
  const isListed = (filling.around.known ?? []).some(({ kind }) => slot.words.includes(kind));
  const titled =
    !isListed && upperCodes(slot)
      ? matchPiece(
          masked,
          /\b[Ii]n\s+(?:the\s+)?(\p{Lu}\p{Ll}+(?:\s+\p{Lu}\p{Ll}+)*)(?!\s+(?:\d|at|on)\b)/du,
          true,
        )
      : undefined;
  if (titled && !inTopic(filling, titled.start) && !STATE_NAMES.test(titled.value)) return titled;
  const known = namedValues(slot).map((value) => value.toLowerCase());
  const lower = new RegExp(
    `\\b(?:in|of|to|for|from|into|on)\\s+(?:the\\s+)?(?:(${labels})\\s+)?(?<code>[a-z][a-z0-9_]{1,9})(?:\\s+(${labels}))?(?=\\s*(?:$|[,.;:?!\\uE000\\uE001]|please|pls|(?:labell?ed|titled|called|named|with|under|priority|about|and|assigned|that)\\b))`,
    "dgiu",
  );
  for (const match of masked.matchAll(lower)) {
    const place = match.indices?.groups?.code;
    const word = match.groups?.code?.toLowerCase() ?? "";
    if (!place || STOP_WORDS.has(word) || NO_CODES.has(word) || filling.entry.kin.has(stemOf(word))) continue;
    const isLabelled = match[1] !== undefined || match[3] !== undefined;
    const isPlaced = /^(?:in|into)\b/i.test(match[0]) || slot.required;
    const mayBeShort = !filling.entry.changing || filling.entry.intents.has("create");
    const isShort =
      !isListed &&
      mayBeShort &&
      isPlaced &&
      upperCodes(slot) &&
      !inTopic(filling, match.index) &&
      word.length <= 5;
    if (isLabelled || known.includes(word) || isShort)
      return { value: masked.slice(place[0], place[1]), start: match.index, end: place[1] };
  }
  const wordy = matchPiece(
    masked,
    new RegExp(`\\b(?:${labels})\\s+([a-z][a-z0-9_]{1,9})(?=\\s*(?:$|[,.;:?!]))`, "diu"),
    true,
  );
  return wordy && !STOP_WORDS.has(wordy.value.toLowerCase()) ? wordy : undefined;
}
