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
/** What is said for a code: the code itself, the name of what it is of, and a word that only that name has. */
function sayingsOf({ around }: Filling, slot: Slot, shortest: number): Map<string, string> {
  const names = (around.known ?? []).filter(({ kind }) => slot.words.includes(kind));
  const part = new RegExp(`^\\p{L}{${String(shortest)},}$`, "u");
  const parts = names.flatMap(({ name, id }) => {
    const words = name.split(" ");
    return words.length < 2
      ? []
      : [words[0], words.at(-1)].flatMap((word = "") => (part.test(word) ? [[word, id] as const] : []));
  });
  const unique = parts.filter(([word]) => parts.filter(([other]) => other === word).length === 1);
  const all = [
    ...names.map(({ name, id }) => [name, id] as const),
    ...namedValues(slot).flatMap((value) =>
      /^[A-Z][A-Z0-9_]{1,9}$/.test(value) ? [[value, value] as const] : [],
    ),
    ...names.map(({ id }) => [id, id] as const),
    ...unique,
  ];
  const sayings = all.map(([said, id]) => [plainName(said), id] as const);
  return new Map(sayings.filter(([said]) => said.length > 1).toReversed());
}

/** "People & Culture" by its words. */
function plainName(said: string): string {
  return said
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}

/** A code that the tool itself names, or the name of what is known by one, wherever it stands: "ops stuff", "the mobile app". */
function namedCode(filling: Filling, slot: Slot, masked: string): Piece | undefined {
  const sayings = sayingsOf(filling, slot, 4);
  // "For some people" is no space called People & Culture.
  if (slot.words.includes("space"))
    for (const [said] of sayings)
      if (
        !said.includes(" ") &&
        !new RegExp(`${said}\\s+(?:space|wiki|docs|pages)\\b`, "iu").test(masked) &&
        !new RegExp(
          `\\b${said.charAt(0).toUpperCase()}${said.slice(1)}\\b|\\b${said.toUpperCase()}\\b`,
          "u",
        ).test(masked)
      )
        sayings.delete(said);
  // "The app", of the Mobile App: a short word counts behind "the".
  const short = [...sayingsOf(filling, slot, 3)].filter(([said]) => !sayings.has(said));
  for (const [said, id] of short) sayings.set(said, id);
  const isShort = (said: string): boolean => short.some(([one]) => one === said);
  const source = [...sayings.keys()]
    .toReversed()
    .map((said) =>
      isShort(said)
        ? `(?<=\\b(?:in|of|for|from|into|on)\\s+the\\s+)${said}(?=\\s*(?:$|[,.;:!?])|\\s+(?:project|board|space)\\b)`
        : said,
    )
    .join("|")
    .replaceAll(/(?<=\p{L}) (?=\p{L})/gu, "[ &,/-]+");
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
  const isPlaced = /^(?:in|of|to|for|from|into|on|with)\b/i.test(masked.slice(found.start));
  const isLonger = /^\s+\p{Lu}\p{Ll}/u.test(masked.slice(found.end));
  if (isLonger && !isPlaced) return undefined;
  // "the page Engineering Handbook" is the page, be the space called the same.
  if (
    !isPlaced &&
    /\b(?:pages?|doc|document|article|guide|issue|ticket)\s+$/i.test(masked.slice(0, found.start))
  )
    return undefined;
  const id = sayings.get(plainName(found.value));
  if (id !== undefined) filling.codes.set(found.start, id);
  return found;
}

export const NO_CODES: ReadonlySet<string> = wordSet(
  "csv json xml pdf xlsx html markdown excel total general particular progress review production person order advance time case done todo backlog closed open finished resolved",
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
    const isCode = /^[A-Za-z][A-Za-z0-9_]{0,9}$/.test(text) && upperCodes(slot);
    const value = isCode ? text.toUpperCase() : text;
    put(filling, slot, value, found, 0.5);
    takeOthers(filling, slot, value, found);
  }
}

/** "Does MOB have more bugs than OPS", "in shop or app": what is asked of one is asked of each that is known. */
function takeOthers(filling: Filling, slot: Slot, value: string, { start, end }: Piece): void {
  const { entry, sheet } = filling;
  // The others of a list of codes are calls of their own, see choose.ts.
  const listed = /^(?:\s*(?:,|and|or|&)\s*(?:and\s+)?[A-Z][A-Z0-9_]{1,19}(?![\w-]))+/.exec(
    sheet.masked.slice(end),
  );
  if (listed) sheet.take(end, end + listed[0].length);
  if (listed || entry.changing || filling.others !== undefined) return;
  const sayings = sayingsOf(filling, slot, 3);
  const words = [...sayings.keys()].toReversed().join("|");
  if (words === "") return;
  const joint =
    "(?:\\s*(?:,|&|\\/)\\s*|\\s+(?:and|or|than|versus|vs\\.?)\\s+)(?:(?:in|from|of|for|or|and)\\s+)*(?:the\\s+)?";
  const code = "(?:\\b(?:than|versus|vs\\.?|or|and|in|of|for)\\s+)?(?<![\\w-])([A-Z][A-Z0-9_]+)(?![\\w-])";
  const beside = [
    new RegExp(`^${joint}(${words})(?![\\p{L}\\p{N}-])`, "diu").exec(sheet.masked.slice(end)),
    new RegExp(`(?<![\\p{L}\\p{N}-])(${words})${joint}$`, "diu").exec(sheet.masked.slice(0, start)),
  ];
  const values: string[] = [];
  const add = (said: string, from: number, to: number): void => {
    const id = sayings.get(said.toLowerCase());
    if (id === undefined || id === value || values.includes(id)) return;
    values.push(id);
    sheet.take(from, to);
  };
  for (const [at, match] of beside.entries())
    if (match)
      add(
        match[1] ?? "",
        match.index + (at === 0 ? end : 0),
        match.index + (at === 0 ? end : 0) + match[0].length,
      );
  for (const match of spokenOf(filling).matchAll(new RegExp(code, "gu")))
    add(match[1] ?? "", match.index, match.index + match[0].length);
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

/** What is read of "the UI texts" is in no project UI, where it is known which there are. */
function mayBeOne({ entry, around: { known = [] } }: Filling, slot: Slot, code: string): boolean {
  const own = known.filter(({ kind }) => slot.words.includes(kind));
  return entry.changing || own.length === 0 || own.some(({ id }) => id.toUpperCase() === code.toUpperCase());
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
  for (const [at, source] of upper.entries()) {
    const found = matchPiece(masked, new RegExp(source, "du"), true);
    const isLabelled = at < 2;
    if (
      found &&
      !isOthers(filling, slot, found.value) &&
      (isLabelled || mayBeOne(filling, slot, found.value))
    )
      return found;
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
