import type { JsonValue } from "#contract/json.ts";

import { fits, sameWord, type Slot, splitName, toValue, upperCodes } from "../slot.ts";
import { toDay } from "./dates.ts";
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
  spokenOf,
  valueOf,
} from "./filling.ts";
import { type Piece, TAKEN } from "./sheet.ts";
import { hasVerb } from "./verbs.ts";
import { stemOf, STOP_WORDS, wordSet } from "./words.ts";

const KEY = "[A-Za-z][A-Za-z0-9_]{0,15}-\\d{1,9}(?![\\w-])";

/** Keys such as DEMO-12: optional ones by label ("under epic DEMO-10"), the others in order. */
export function fillKeys(filling: Filling): void {
  const slots = filling.entry.slots.filter((slot) => slot.kind === "key");
  for (const slot of slots.filter((each) => !each.required)) {
    const found = findLabelled(filling, slot, KEY);
    if (found) put(filling, slot, valueOf(filling, found).toUpperCase(), found, 1);
  }
  const { tail } = filling.wish;
  const isSaid = ({ start }: Piece): boolean => tail === undefined || start < tail.start || start >= tail.end;
  const keys = filling.wish.keys.filter((key) => isSaid(key) && isReadable(filling, key));
  for (const slot of slots.filter((each) => each.required)) {
    const key = keys.shift();
    if (key) put(filling, slot, key.value, key, 1);
    else fillEarlier(filling, slot);
  }
}

/** In quotes a key counts where it is all that is quoted. */
function isReadable(filling: Filling, key: Piece): boolean {
  const isQuoted = ({ value, start, end }: Piece): boolean =>
    value.toUpperCase() === key.value && start < key.start && key.end < end;
  return !isTaken(filling, key.start) || filling.sheet.openQuotes().some(isQuoted);
}

const CONTEXT_KINDS = wordSet("code text path url id title integer");

/** What goes without saying of a record that is referred to: the repository of "the second one". */
export function fillContext(filling: Filling): void {
  const { context = {} } = filling.around;
  for (const slot of filling.entry.slots) {
    const value =
      slot.required && isOpen(filling, slot) && CONTEXT_KINDS.has(slot.kind) ? context[slot.name] : undefined;
    if (typeof value !== "string" && typeof value !== "number") continue;
    filling.args[slot.name] = value;
    filling.earlier.push(slot.name);
  }
}

/** "it", "that one", "that file": what the conversation's last calls named in an argument of the same name. */
export function fillEarlier(filling: Filling, slot: Slot): void {
  if (fillFromScreen(filling, slot)) return;
  const pronoun = /\b(?:it|them|there|(?:that|this|the same)(?: \p{L}+)?)\b/iu.exec(filling.sheet.masked);
  if (!pronoun || inTopic(filling, pronoun.index)) return;
  const args = filling.around.earlier.find((each) => Object.hasOwn(each, slot.name));
  const value = args?.[slot.name];
  if (typeof value !== "string" && typeof value !== "number") return;
  filling.args[slot.name] = value;
  filling.strong += 1;
  filling.earlier.push(slot.name);
}

/** "Set the due date to friday", "assign to ben": a change of the one record on the screen, as it names no other. */
function fillFromScreen(filling: Filling, slot: Slot): boolean {
  const { wish, entry, around } = filling;
  const changes = ["update", "assign", "comment", "move"] as const;
  if (
    around.onScreen === undefined ||
    !wish.changing ||
    !changes.some((each) => entry.intents.has(each) && wish.intents.has(each))
  )
    return false;
  const other =
    /\b(?:an?|any|some|all|every|another|the)\s+(?:\p{L}+\s+){0,3}(?:issue|ticket|bug|task|story|page|doc)/iu;
  const vague =
    /\b(?:both|all|them|these|those|two|other|latter|former|previous|before|earlier|last|first|second|third|everything)\b/i;
  if (vague.test(spokenOf(filling))) return false;
  if (other.test(spokenOf(filling)) || !fits(slot, around.onScreen)) return false;
  filling.args[slot.name] = around.onScreen;
  filling.strong += 1;
  filling.earlier.push(slot.name);
  return true;
}

const ID = "[A-Za-z]*\\d[\\w-]*";
const BARE_IDS = [
  /\bid\s*[:=]?\s*([A-Za-z]*\d[\w-]*)/di,
  /https?:\/\/\S*\/(\d+)\b/di,
  /#(\d+)\b/di,
  /(?<![\w./-])([0-9a-f]{8}-[0-9a-f-]{27})(?![\w-])/di,
  /(?<=(?:^|\s)(?:page|document|doc|number|no\.?|item|record|entry|order|message|post|note|file|run|build)\s+)(\d+)(?![\w-])/di,
];

/** Ids: `page 1001`, `id 1012`, `#17`, the number in an address, a bare number where an id must be. */
export function fillIds(filling: Filling): void {
  const slots = filling.entry.slots.filter((slot) => slot.kind === "id");
  const spoken = spokenOf(filling);
  for (const slot of slots.toSorted((one, other) => Number(one.required) - Number(other.required))) {
    const bare = (): Piece | undefined =>
      BARE_IDS.map((pattern) => matchPiece(spoken, pattern, true)).find((piece) => piece !== undefined);
    const found =
      findLabelled(filling, slot, `(?:(?:with )?(?:the )?(?:id|number|no\\.?|#)\\s*)?${ID}`) ??
      (slot.required || !slots.some((each) => each.required) ? bare() : undefined);
    const value = found && valueOf(filling, found).replace(/^.*\s|^#/, "");
    const key =
      slot.required && /^(?:issue|ticket)$/.test(slot.words[0] ?? "") ? filling.wish.keys[0] : undefined;
    if (key && !isTaken(filling, key.start)) put(filling, slot, key.value, key, 1);
    else if (found && value !== undefined && !/^[A-Za-z]\w*-\d+$/.test(value))
      put(filling, slot, toValue(slot, value), found, 1);
    else if (slot.required) fillEarlier(filling, slot);
  }
}

const FORMS: Partial<Record<Slot["kind"], string>> = {
  url: "[a-z][a-z0-9+.-]*://[^\\s\\uE000\\uE001]+|www\\.[^\\s\\uE000\\uE001]+",
  email: "[^\\s@\\uE000\\uE001]+@[^\\s@\\uE000\\uE001]+\\.\\w+",
  path: "(?:~|\\.{1,2})?/[^\\s,\\uE000\\uE001]*|[\\w-]+(?:[/\\\\][\\w.-]+)+/?|[\\w-]+(?:\\.[\\w-]+)*\\.[A-Za-z]\\w{0,4}(?!\\w)",
};
const TIME = "\\d{1,2}:\\d{2}(?:\\s*[ap]\\.?m\\b)?|\\d{1,2}\\s*[ap]\\.?m\\b";
const SHA = "(?=[0-9a-f]*\\d)[0-9a-f]{7,40}(?![\\w-])";
const GLOB = "[^\\s\\uE000\\uE001]*[*?][^\\s\\uE000\\uE001]*[^\\s\\uE000\\uE001?!.,]";

/** Addresses, mail addresses, paths: by their form, in order; optional ones only behind their label. */
export function fillForms(filling: Filling): void {
  // What takes many must not take what another takes alone.
  for (const slot of filling.entry.slots.toSorted(
    (one, other) => Number(one.kind === "list") - Number(other.kind === "list"),
  )) {
    const isGlob = slot.kind === "text" && slot.words.some((word) => word === "pattern" || word === "glob");
    const kind = slot.kind === "list" && /path|file/.test(slot.name) ? "path" : slot.kind;
    const last = slot.words.at(-1) ?? "";
    const isTime =
      (slot.kind === "text" || slot.kind === "date-time") &&
      last === "time" &&
      !/iso|date/i.test(slot.description);
    const isRevision = slot.kind === "text" && /^(?:revision|commit|sha|ref|hash)$/.test(last);
    const form = isTime
      ? TIME
      : isRevision
        ? SHA
        : isGlob
          ? GLOB
          : isRepoPath(slot)
            ? FORMS.path
            : FORMS[kind];
    if (form === undefined || !isOpen(filling, slot)) continue;
    for (let count = 0; count < 50; count += 1) {
      const found =
        (count === 0 ? findLabelled(filling, slot, `${form}|${ANY_QUOTED}`) : undefined) ??
        (slot.required ? findForm(filling, form, slot) : undefined);
      if (!found) break;
      const text = valueOf(filling, found).replace(/(?<=.)[?!.,;]+$/, "");
      const value = isTime ? toClock(text) : text;
      const before = filling.args[slot.name];
      put(
        filling,
        slot,
        slot.kind !== "list" ? value : [...(Array.isArray(before) ? before : []), value],
        found,
        count === 0 ? 1 : 0,
      );
      if (slot.kind !== "list") break;
    }
    if (slot.required && isOpen(filling, slot) && kind === "path") fillEarlier(filling, slot);
  }
}

/** "6:45 pm" as 18:45. */
function toClock(text: string): string {
  const [, hour = "", minute = "00", half = ""] = /(\d{1,2})(?::(\d{2}))?\s*([ap])?/i.exec(text) ?? [];
  const hours = (Number(hour) % (half === "" ? 24 : 12)) + (/p/i.test(half) ? 12 : 0);
  return `${String(hours).padStart(2, "0")}:${minute}`;
}

/** "owner/name" and the folder of a repository are written like paths. */
function isRepoPath({ kind, description, words }: Slot): boolean {
  return kind === "code" && words.includes("repo") && /\bpath\b|\bdirectory\b/i.test(description);
}

function findForm(filling: Filling, form: string, slot: Slot): Piece | undefined {
  const all = [...filling.sheet.masked.matchAll(new RegExp(`(?<![\\w/])(?:${form})`, "giu"))].map(
    ({ 0: value, index }): Piece => ({ value, start: index, end: index + value.length }),
  );
  const takesFolder =
    slot.kind !== "list" &&
    slot.words.some((word) => /^(?:repo|repository|dir|directory|folder|root|workspace|cwd)$/.test(word));
  const isFolder = ({ value }: Piece): boolean => !/\.[A-Za-z]\w{0,4}[?!.,;]*$/.test(value);
  const bare = takesFolder ? (all.find(isFolder) ?? all[0]) : all[0];
  if (bare) return bare;
  const quote = filling.sheet.openQuotes().find(({ value }) => slot.kind === "list" || fits(slot, value));
  return quote && { ...quote, value: filling.sheet.masked.slice(quote.start, quote.end) };
}

/** "owner/name", for a tool that takes the two apart, or as one. */
export function fillRepository(filling: Filling): void {
  const { slots } = filling.entry;
  const owner = slots.find(({ words }) => words.join(" ") === "owner");
  const name = slots.find(({ words }) => /^(?:repo|repository)(?: name)?$/.test(words.join(" ")));
  const found =
    name && matchPiece(filling.sheet.masked, /(?<![\w/.-])([A-Za-z][\w-]*\/[A-Za-z][\w.-]*\w)(?![\w/])/du);
  if (!name || !found || !isOpen(filling, name) || isRepoPath(name)) return;
  const [first = "", second = ""] = found.value.split("/");
  if (owner && isOpen(filling, owner)) filling.args[owner.name] = first;
  put(filling, name, owner ? second : found.value, found, 1);
}

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
  const lead = "(?:\\b(?:in|of|to|for|from|into|on|with|w\\/)\\s+)?(?:the\\s+)?";
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

const NO_CODES = wordSet(
  "total general particular progress review production person order advance time case",
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
    if (!found) continue;
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
    put(filling, slot, isCode ? text.toUpperCase() : text, found, 0.5);
  }
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
    if (found) return found;
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
  const titled = upperCodes(slot)
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
    const isShort = isPlaced && upperCodes(slot) && !inTopic(filling, match.index) && word.length <= 5;
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

const WORDS: Record<string, number> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
};
const NUMBER = `[$€£]?[+-]?\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|[$€£]?[+-]?\\d+(?:\\.\\d+)?|(?:${Object.keys(WORDS).join("|")})\\b`;

/** Numbers: "limit 5", "top 3", "5 issues", "version 2", "$1,200"; bare ones in order where numbers must be. */
export function fillNumbers(filling: Filling): void {
  const isNumber = ({ kind }: Slot): boolean => kind === "integer" || kind === "number";
  const slots = filling.entry.slots.filter(isNumber);
  const searches = filling.entry.slots.some((slot) => slot.kind === "query");
  const read = (slot: Slot, { value }: Piece): number | undefined => {
    const number = WORDS[value.toLowerCase()] ?? Number(value.replace(/[$€£,]/g, ""));
    return slot.kind === "integer" && !Number.isInteger(number) ? undefined : number;
  };
  const take = (slot: Slot, found: Piece | undefined): boolean => {
    const value = found && read(slot, found);
    if (!found || value === undefined || (searches && inTopic(filling, found.start))) return false;
    // "5%" of an argument that is a share of one is 0.05; of any other it is 5.
    const isShare =
      slot.kind === "number" &&
      /^\s*%/.test(filling.sheet.masked.slice(found.end)) &&
      /decimal|fraction|0\.\d/i.test(slot.description);
    put(filling, slot, isShare ? value / 100 : value, found, 0.5);
    return true;
  };
  for (const slot of slots) {
    const unit = /\bin (seconds|minutes|hours|days|bytes|pixels|percent|years|meters|km)\b/.exec(
      slot.description,
    )?.[1];
    const own =
      /^(?:kg|g|lbs?|cm|mm|m|km|miles|ms|seconds|minutes|hours|days|weeks|months|years|usd|eur|celsius|fahrenheit|percent)$/.exec(
        slot.words.at(-1) ?? "",
      )?.[0];
    const units = [
      ...(own === undefined ? [] : [own.replace(/s$/, "s?")]),
      ...labelsOf(slot),
      ...(unit === undefined ? [] : [`${unit.replace(/s$/, "")}s?`]),
    ].join("|");
    const end = "(?![\\w]|[.,]\\d|-\\w)";
    const ahead = new RegExp(`(?<![\\w.-])(${NUMBER})(?:\\s*|-)(?:${units})(?![\\p{L}\\p{N}])`, "diu");
    const found =
      findLabelled(filling, slot, `(?:${NUMBER})${end}`) ?? matchPiece(filling.sheet.masked, ahead);
    const many =
      /(?<=^|\b(?:show|list|top|first|last|latest|newest|oldest|the|me|only|just|find|get|give|any|next|recent)\s+)(\d{1,4}|two|three|four|five|ten)\s+(?:\p{L}+\s+)?(?:\p{L}{2,})/diu;
    take(slot, found ?? (isLimit(slot) ? matchPiece(filling.sheet.masked, many) : undefined));
  }
  const bare = new RegExp(`(?<![\\w.-])(${NUMBER})(?![\\w-])`, "diu");
  for (const slot of slots.filter((each) => each.required && isOpen(filling, each)))
    if (!take(slot, matchPiece(filling.sheet.masked, bare))) break;
  for (const slot of filling.entry.slots.filter(
    ({ kind, items }) => kind === "list" && items !== undefined && /^(?:integer|number)$/.test(items),
  ))
    fillNumberList(filling, slot);
}

function fillNumberList(filling: Filling, slot: Slot): void {
  const list = /\[?\s*((?:[+-]?\d+(?:\.\d+)?)(?:\s*(?:,|\band\b|,\s*and\b)\s*[+-]?\d+(?:\.\d+)?)+)\s*\]?/diu;
  const found = matchPiece(filling.sheet.masked, list, true);
  if (!found || !isOpen(filling, slot)) return;
  put(
    filling,
    slot,
    [...found.value.matchAll(/[+-]?\d+(?:\.\d+)?/g)].map(([number]) => Number(number)),
    found,
    1,
  );
}

const PERSON =
  "@?[\\p{L}][\\p{L}\\p{N}_’'-]*?(?:\\.[\\p{L}\\p{N}_-]+)*(?=['’]s\\b|[^\\p{L}\\p{N}_’'-]|$)|<@[A-Z0-9]+>";
const NOBODY = wordSet(
  `the a an it this that them someone somebody nobody anyone who whom what everyone to of for on from in by we you
  they him her his hers them reporter assignee creator author owner team same other not done high low todo medium highest lowest urgent critical progress review backlog`,
);
const SELF = wordSet("me myself my mine i");
/** What people are said to do with their work. */
const BUSY =
  /^\s+(?:(?:currently|now|still)\s+)?(?:working on|busy with|doing|up to|have|has|(?:reported|created|opened|filed|raised|wrote|written|logged)\b|(?:report|create|open|file|raise|write|log)(?=\W*$|\s+(?:in|for|on|last|this|since|yesterday|today)\b))/i;
const OWNED =
  "issues? tickets? tasks? bugs? stor(?:y|ies) epics? work stuff pages? documents? items? cards? orders? files? backlog ones? queue".replaceAll(
    " ",
    "|",
  );

/** People: "assigned to ben", "ben's tickets", "what is ben working on", "my issues". */
export function fillPeople(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "person" || !isOpen(filling, slot) || fillNobody(filling, slot)) continue;
    const found = findPerson(filling, slot);
    if (!found) continue;
    const value = valueOf(filling, found);
    const others = filling.entry.changing
      ? null
      : /^\s+(?:and|or|,)\s+\p{L}[\p{L}'’-]+(?=\W*$|\s+(?:in|is|are|have|working)\b)/iu.exec(
          filling.sheet.masked.slice(found.end),
        );
    if (others) filling.sheet.take(found.end, found.end + others[0].length);
    const self = filling.around.actorName === "" ? "me" : filling.around.actorName;
    const last = found.end + (others?.[0].length ?? 0);
    const end = last + (BUSY.exec(filling.sheet.masked.slice(last))?.[0].length ?? 0);
    put(filling, slot, SELF.has(value.toLowerCase()) ? self : value.replace(/^@/, ""), { ...found, end }, 1);
  }
}

/** "to nobody", "unassigned", "without an assignee": the word for it that the tool's description gives. */
function fillNobody(filling: Filling, slot: Slot): boolean {
  const word = namedValues(slot).find((value) => /^(?:unassigned|nobody|none)$/i.test(value));
  const isOwner = !/reporter|author|creator/.test(slot.words.join(" "));
  const found = matchPiece(
    filling.sheet.masked,
    /\b((?:take \p{L}+ off|(?:remove|clear|drop) (?:the )?(?:assignee|owner))\b|(?:assigned )?to (?:nobody|no one|noone|none|anyone)\b|un-?assign(?:ed)?\b|(?:has|have|with|without|no|not)(?: \p{L}+)? (?:assignee|owner|assigned(?: to \p{L}+)?)\b|(?:nobody|no one)(?:['’]s)?\s+(?:is\s+)?(?:working on|assigned to|owns|has|took|takes)\b)/diu,
  );
  if (word === undefined || !isOwner || !found || inTopic(filling, found.start)) return false;
  put(filling, slot, word, found, 1);
  return true;
}

function findPerson(filling: Filling, slot: Slot): Piece | undefined {
  const masked = spokenOf(filling);
  const isAuthor = slot.words.some((word) => /reporter|author|creator/.test(word));
  const ways = isAuthor
    ? [
        "(?:reported|created|written|opened|filed|raised|made|added) by",
        "reporter",
        "author",
        "(?<!(?:sort|sorted|order|ordered|group|grouped|filter|assigned|owned|due) )by(?= (?:\\p{L}+\\W*$))(?! (?:prio|priority|status|date|due|type|assignee|project|name|title|key|last|created|updated|creation|age|urgency|deadline|default|hand|far|accident|mistake|now|then)\\b)",
      ]
    : [
        "(?:re-?)?assign(?:ed)?(?: it| this| that)? to",
        "(?:owned|handled) by",
        "(?:is|are|sits?|lies?) (?:still )?with",
        "owner",
        "assignee",
        "(?:and )?(?:give|hand)(?: it| this| that)?(?: over)? to",
      ];
  const patterns = ways.map((way) => `\\b(?:${way})\\s*[:=]?\\s*(${PERSON})`);
  if (slot.required || filling.wish.intents.has("assign"))
    patterns.push(`\\bto\\s+(?:the\\s+)?(${PERSON})`, `\\bfor\\s+(${PERSON})$`);
  if (!isAuthor && filling.wish.intents.has("create")) patterns.push(`,\\s*for\\s+(${PERSON})`);
  if (isAuthor && !filling.entry.changing)
    patterns.push(
      `(?:did|have|has)\\s+(${PERSON})\\s+(?:report|create|open|file|raise|write)`,
      `(?:that|which|issues|tickets|bugs|pages)?\\s*(\\p{L}+)\\s+(?:reported|created|opened|filed|raised|wrote)\\b`,
    );
  if (!filling.entry.changing && !isAuthor)
    patterns.push(
      `(?:what(?:['’]?s| is| are| am)|is|are|am)\\s+(${PERSON})(?=\\s+(?:and\\s+\\p{L}+\\s+)?(?:currently\\s+|now\\s+)?(?:working on|doing|busy with|up to))`,
      `\\b(?:do|does|did)(?:es)?\\s+(${PERSON})(?=(?:\\s+\\p{Lu}\\p{L}+)?\\s+(?:still\\s+|currently\\s+)?have\\b(?! to\\b))`,
      `(?:^|\\b(?:that|which|tickets|issues|bugs|tasks|stories|what|everything|stuff|things|does)\\s+)(\\p{L}+)(?=\\s+(?:has|have|is working on)\\b(?! (?:been|to)\\b))`,
      `\\b(?:did|has|have)\\s+(${PERSON})(?=\\s+(?:finish|close|complete|resolve|ship|done|do\\b|been working))`,
      `(?:^|\\s)(my)\\s+(?:\\p{L}+\\s+){0,3}?(?:${OWNED})(?![\\p{L}])`,
      `(?:^|\\s)(mine)\\b`,
      `\\bwhat (?:has|have|is|does) (${PERSON}) (?:got|have|doing|on|(?:still )?to do|left)\\b`,
      `(?:issues|tickets|bugs|tasks|stuff|work|things)\\s+(?:that\\s+)?(?:are\\s+)?(?:do\\s+|have\\s+)?(i)\\s+(?:have|own|need|got)`,
      `\\b(?:do|did|have)\\s+(i)\\s+(?:still\\s+)?(?:have|got)(?!\\s+to\\b)`,
      `\\bfor (me)\\W*$`,
      `(?:^|\\s)(\\p{L}[\\p{L}\\p{N}]*)['’]s\\s+(?:\\p{L}+\\s+){0,3}(?:${OWNED})(?![\\p{L}])`,
      `^(?:and\\s+|only\\s+|just\\s+|what about\\s+|how about\\s+)?(\\p{L}+)['’]s\\W*$`,
      `\\bon (\\p{L}+)(?:['’]s)? plate\\b`,
    );
  for (const pattern of patterns) {
    const piece = matchPiece(masked, new RegExp(pattern, "diu"), true);
    const said = piece?.value.toLowerCase() ?? "";
    if (
      !piece ||
      (STOP_WORDS.has(said) && !SELF.has(said)) ||
      NOBODY.has(said) ||
      isTaken(filling, piece.end - 1)
    )
      continue;
    if (
      /^(?:what|which|anyone|everybody|projects?|issues?|tickets?|bugs?|pages?|spaces?)$/i.test(
        piece.value,
      ) ||
      filling.entry.kin.has(stemOf(piece.value.toLowerCase()))
    )
      continue;
    if (/^\p{Lu}{2,}$/u.test(piece.value)) continue;
    if (/^\p{Ll}+s$/u.test(piece.value) && filling.entry.vocabulary.has(stemOf(said))) continue;
    return withSurname(masked, piece);
  }
  return undefined;
}

function withSurname(masked: string, piece: Piece): Piece {
  if (!/^@?\p{Lu}/u.test(piece.value)) return piece;
  const surname = /^(?:\s+\p{Lu}\p{Ll}[\p{L}'’-]*){1,2}/u.exec(masked.slice(piece.end));
  if (!surname) return piece;
  return { value: piece.value + surname[0], start: piece.start, end: piece.end + surname[0].length };
}

/** What a range of days is about, by the word of its argument. */
const ROLES: readonly [RegExp, RegExp][] = [
  [
    /^(?:created?|opened|reported|filed)$/,
    /\b(?:created?|opened|reported|filed|raised|added|new(?:est)?|logged|wrote|written)\b/i,
  ],
  [
    /^(?:updated?|modified|changed)$/,
    /\b(?:updated?|changed?|modified|touched|edited|moved|active|happened|latest)\b/i,
  ],
  [/^(?:due|deadline)$/, /\b(?:due|deadline|overdue)\b/i],
];

/** Dates in plain words: one day by its label, ranges by what they are about and whether they begin or end there. */
export function fillDates(filling: Filling): void {
  const slots = filling.entry.slots.filter(
    (slot) => (slot.kind === "date" || slot.kind === "date-time") && isOpen(filling, slot),
  );
  if (slots.length === 0) return;
  const { around, sheet } = filling;
  const toText = (slot: Slot, date: Date): string =>
    slot.kind === "date" ? toDay(date) : date.toISOString();
  fillRange(filling, slots, toText);
  for (const slot of slots.filter((each) => isOpen(filling, each) && sideOf(each) === undefined)) {
    const label = new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${labelsOf(slot).join("|")})(?![\\p{L}\\p{N}])`,
      "iu",
    ).exec(sheet.masked)?.index;
    const from = label ?? (slot.required ? 0 : undefined);
    const found = from === undefined ? undefined : around.dates.find(sheet.masked.slice(from), around.now);
    if (from !== undefined && found) {
      const start = label ?? from + found.start;
      put(filling, slot, toText(slot, found.value), { start, end: from + found.end }, 0.5);
    }
  }
}

function fillRange(filling: Filling, slots: Slot[], toText: (slot: Slot, date: Date) => string): void {
  const { sheet, around } = filling;
  const sided = slots.filter((slot) => sideOf(slot) !== undefined);
  if (sided.length === 0) return;
  const spoken = spokenOf(filling);
  const overdue =
    /\b(?:overdue(?!\s+(?:issue|ticket|bug|invoice)\b)|past (?:its |their |the )?due(?: date)?|past (?:its |their )?deadline|missed (?:its |their |the )?(?:deadline|due date)s?|deadlines? (?:that )?(?:have |has )?(?:we )?(?:have )?missed|late)\b/i.exec(
      spoken,
    );
  const span = overdue
    ? { to: around.now, start: overdue.index, end: overdue.index + overdue[0].length }
    : around.dates.span(spoken, around.now);
  if (
    !span ||
    (!overdue &&
      inTopic(filling, span.start) &&
      !/^(?:since|in the last|this|last)/i.test(spoken.slice(span.start)))
  )
    return;
  const roles = [...new Set(sided.map(roleOf))];
  const near = spoken.slice(Math.max(0, span.start - 40), span.end + 25);
  const isSaid = (role: string): boolean => ROLES.some(([own, said]) => own.test(role) && said.test(near));
  const role =
    roles.length === 1
      ? roles[0]
      : (roles.find((each) => /due/.test(each) && isSaid(each)) ??
        roles.find(isSaid) ??
        roles.find((each) =>
          (/^(?:bugs|issues|tickets|stories|tasks|pages)\s+(?:from|of)|new\b/i.test(filling.wish.text)
            ? /created/
            : /updated/
          ).test(each),
        ));
  let done = false;
  for (const slot of sided.filter((each) => roleOf(each) === role)) {
    const date = sideOf(slot) === "from" ? span.from : span.to;
    if (date === undefined) continue;
    // The last day that is over.
    filling.args[slot.name] = toText(
      slot,
      overdue ? new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1, 12) : date,
    );
    done = true;
  }
  if (!done) return;
  const states = overdue ? filling.entry.slots.find(({ values }) => values.includes("open")) : undefined;
  if (states && isOpen(filling, states)) filling.args[states.name] = "open";
  const verb =
    /(?:\b(?:that (?:were|are|is)|which (?:were|are)|were|are|is)\s+)?\b(?:created|opened|reported|filed|raised|added|logged|updated|changed|modified|touched|edited|due)\s+(?:(?:on|by|at)\s+)?$/i.exec(
      spoken.slice(0, span.start),
    );
  sheet.take(verb?.index ?? span.start, span.end);
  filling.strong += 0.25;
}

/** Whether a range begins or ends with the argument's day. */
function sideOf({ words }: Slot): "from" | "to" | undefined {
  const [first = ""] = words;
  const ends = [first, words.at(-1) ?? ""];
  if (ends.some((word) => /^(?:after|since|from|start|begin|min)$/.test(word))) return "from";
  return ends.some((word) => /^(?:before|until|to|end|till|max)$/.test(word)) ? "to" : undefined;
}

function roleOf({ words }: Slot): string {
  return words.find((word) => ROLES.some(([own]) => own.test(word))) ?? "";
}

/** Switches that the sentence names: "dry run", "with images", "without sizes". */
export function fillSwitches(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "boolean" || !isOpen(filling, slot)) continue;
    const words = slot.words.filter((word) => !["include", "is", "with", "use", "enable"].includes(word));
    if (/^dry[_-]?run$/i.test(slot.name) && filling.wish.dryRun) filling.args[slot.name] = true;
    if (words.length === 0 || !isOpen(filling, slot)) continue;
    const named = `((?:with(?:out)?|no|including|excluding)?\\s*(?:the |an? )?${words.join("[ _-]?")}s?)`;
    const found = matchPiece(
      filling.sheet.masked,
      new RegExp(`(?<![\\p{L}\\p{N}])${named}(?![\\p{L}\\p{N}])`, "diu"),
    );
    if (found && !inTopic(filling, found.start))
      put(filling, slot, !/^(?:without|no|excluding)\b/i.test(found.value), found);
  }
}

/** Lists: "labelled checkout, mobile". */
export function fillLists(filling: Filling): void {
  const item = `(?:${ANY_QUOTED}|[\\p{L}\\p{N}][\\p{L}\\p{N}_.-]*)`;
  const more = `(?:\\s*,\\s*(?:and\\s+)?${item}|\\s+and\\s+(?!assign|set|give|put)${item})*`;
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "list" || !isOpen(filling, slot)) continue;
    const found =
      findLabelled(filling, slot, `${item}${more}`) ??
      labelBehind(filling, slot, item) ??
      namesBehind(filling, slot, item, more);
    if (!found || (found.value.length < 30 && STOP_WORDS.has(found.value.toLowerCase()))) continue;
    const at = found.end - found.value.length;
    const items = [...found.value.matchAll(new RegExp(item, "gu"))]
      .filter(([text]) => text.toLowerCase() !== "and")
      .map(({ 0: text, index }) =>
        valueOf(filling, { value: text, start: at + index, end: at + index + text.length }),
      )
      .map((text): JsonValue => slot.values.find((each) => sameWord(each, text)) ?? text);
    put(filling, slot, items, found, 1);
  }
}

/** "delete the entity Acme", "the columns phone and birthday": names behind the word for what the list is of. */
function namesBehind(filling: Filling, slot: Slot, item: string, more: string): Piece | undefined {
  const [first = "", last = ""] = [slot.words[0], slot.words.at(-1)];
  const noun = /^(?:names?|ids?|keys?)$/.test(last) && slot.words.length > 1 ? first : last;
  if (!slot.required || (slot.items !== undefined && slot.items !== "string")) return undefined;
  const own = splitName(filling.entry.tool.name)
    .filter((word) => filling.entry.objects.has(stemOf(word)))
    .join("|");
  const forms = `${own === "" ? noun : own}|${noun}|${noun.replace(/ies$/, "y").replace(/s$/, "")}|${noun.replace(/y$/, "ies")}`;
  return matchPiece(
    filling.sheet.masked,
    new RegExp(`\\b(?:${forms})s?\\s+(?:called\\s+|named\\s+)?(${item}${more})`, "diu"),
    true,
  );
}

/** "with the checkout label" */
function labelBehind(filling: Filling, slot: Slot, item: string): Piece | undefined {
  if (!/^(?:labels?|tags?)$/.test(slot.words.at(-1) ?? "")) return undefined;
  return matchPiece(
    filling.sheet.masked,
    new RegExp(
      `(?:with|add|has|have|having)\\s+(?:the\\s+|an?\\s+)?(${item})\\s+(?:labels?|tags?)(?![\\p{L}])`,
      "diu",
    ),
    true,
  );
}

const NAME = "[\\p{L}\\p{N}_][\\p{L}\\p{N}_./@-]*";
const PROPER =
  "\\p{Lu}[\\p{L}\\p{N}'’&./_-]*(?:,?\\s+(?:(?:of|de|the|and)\\s+)?\\p{Lu}[\\p{L}\\p{N}'’&.-]*)*";
const NO_NAMES =
  /^(?:in|on|of|to|for|from|with|and|or|the|a|an|is|are|was|that|this|it|all|by|at|into|named|called|healthy|up|down|now|please|about)$/i;
const NAMED_KINDS = wordSet("text title code id");

/** What stands before a name that is the value of an argument, by a word of the argument. */
const PREPOSITIONS: readonly [RegExp, string][] = [
  [/^(?:from|origin|source|start|departure|sender|base)$/, "from|starting (?:at|from)|leaving|based on|off"],
  [/^(?:to|destination|target|end|arrival|recipient|into)$/, "to|into|towards|against|arriving (?:at|in)"],
  [
    /^(?:location|city|place|country|region|state|area|town|address|venue|timezone)$/,
    "in|at|near|around|for|of|from",
  ],
  [/^languages?$/, "to|into|in"],
  [/^(?:repo|repository|project|space|board)$/, "in|of|for|on|from|to"],
  [/^(?:environment|env|branch|channel|folder|region|stage)$/, "in|to|on|from"],
  [/^(?:author|artist|composer|creator|director|by)$/, "by|from|of"],
];

/**
 * Names behind the thing they belong to ("the service payments", "employee Dmitri Petrov"), behind the
 * preposition that fits their argument ("from Berlin to Lisbon"), or the only one there is behind any.
 */
export function fillNames(filling: Filling): void {
  const { entry } = filling;
  if (entry.slots.some((slot) => slot.kind === "key")) return;
  const makes = entry.intents.has("create") || entry.intents.has("comment");
  for (const slot of entry.slots) {
    if (!isOpen(filling, slot) || !(NAMED_KINDS.has(slot.kind) || (slot.kind === "person" && slot.required)))
      continue;
    if (makes && (slot.kind === "title" || slot.kind === "text")) {
      if (slot.required && slot.words.some((word) => entry.objects.has(stemOf(word))))
        fillNewName(filling, slot);
      const role = PREPOSITIONS.find(([word]) => slot.words.some((each) => word.test(each)))?.[1];
      if (
        isOpen(filling, slot) &&
        slot.kind === "text" &&
        role !== undefined &&
        /base|from|source|origin/.test(slot.words.join(" "))
      )
        fillBehind(filling, slot, role);
      continue;
    }
    if (slot.required && entry.changing && fillDirect(filling, slot)) continue;
    if (slot.required && fillBehindNoun(filling, slot)) continue;
    if (slot.kind === "title" && !slot.required && !entry.changing && fillTitled(filling, slot)) continue;
    if (slot.required && isOpen(filling, slot) && fillBefore(filling, slot)) continue;
    const own = PREPOSITIONS.find(([word]) => slot.words.some((each) => word.test(each)))?.[1];
    if (own !== undefined && (slot.required || slot.kind !== "code")) fillBehind(filling, slot, own);
    else if (slot.required && (slot.kind === "code" || slot.kind === "text" || slot.kind === "title"))
      fillBehind(filling, slot, entry.changing ? "of|for" : "in|of|for|on|about");
  }
}

/** "create the branch hotfix-2": a technical name behind the word for the new thing. */
function fillNewName(filling: Filling, slot: Slot): void {
  const things = slot.words.filter((word) => filling.entry.objects.has(stemOf(word))).join("|");
  const name = new RegExp(
    `\\b(?:${things})\\s+(?:called\\s+|named\\s+)?([\\p{L}][\\p{L}\\p{N}]*(?:[_./-][\\p{L}\\p{N}]+)+)(?![\\w/])`,
    "diu",
  );
  const found = matchPiece(filling.sheet.masked, name, true);
  if (found) put(filling, slot, valueOf(filling, found), found, 1);
}

/** "restart payments in staging": what directly follows the tool's own verb, up to a preposition. */
function fillDirect(filling: Filling, slot: Slot): boolean {
  const { wish, entry, sheet } = filling;
  if (wish.head === undefined || !hasVerb(entry.verbs, wish.head.stem) || slot.kind === "id") return false;
  const match =
    /^\s+(?:the\s+)?([\p{L}\p{N}_][\p{L}\p{N}_./-]*)(?=\s*(?:$|[,.!?]|(?:in|on|to|from|at)\b))/u.exec(
      sheet.masked.slice(wish.head.end),
    );
  const value = match?.[1] ?? "";
  if (match === null || !isName(filling, slot, value) || entry.kin.has(stemOf(value.toLowerCase())))
    return false;
  put(filling, slot, toValue(slot, value), { start: wish.head.end, end: wish.head.end + match[0].length }, 1);
  return true;
}

/** "the develop branch", "the customers table": a name before the word for what it is of. */
function fillBefore(filling: Filling, slot: Slot): boolean {
  const nouns = slot.words.filter((word) => !/^(?:name|id|key|code|path)$/.test(word));
  if (nouns.length !== 1 || slot.words.length < 2) return false;
  const found = matchPiece(
    filling.sheet.masked,
    new RegExp(`\\b(?:the\\s+|to\\s+)(${NAME})\\s+${nouns[0] ?? ""}(?![\\p{L}])`, "diu"),
    true,
  );
  if (!found || !isName(filling, slot, found.value)) return false;
  put(filling, slot, toValue(slot, valueOf(filling, found)), found, 1);
  return true;
}

/** "open the page Feature flags": a title behind the word for the thing, up to the end. */
function fillTitled(filling: Filling, slot: Slot): boolean {
  const { entry, sheet, wish } = filling;
  const match = /(?<![\p{L}\p{N}])(\p{L}+)\s+(?:called\s+|named\s+|titled\s+)?(?=[\p{Lu}\uE001])/u.exec(
    sheet.masked,
  );
  const isNoun = match !== null && match.index > 0 && entry.kin.has(stemOf((match[1] ?? "").toLowerCase()));
  if (!isNoun || wish.keys.length > 0) return false;
  const start = match.index + match[0].length;
  const quote = sheet.quoteAt(start);
  const value = quote ? quote.value : sheet.text.slice(start).replace(/[\s?!.]+$/, "");
  if (value.length < 2 || (!quote && sheet.masked.slice(start).includes(TAKEN))) return false;
  put(filling, slot, value, { start: match.index, end: quote?.end ?? sheet.text.length }, 1);
  return true;
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
    const isLabel =
      (filling.entry.objects.has(stem) &&
        !(filling.entry.places.has(stem) && /^\p{Ll}+$/u.test(match[2] ?? ""))) ||
      slot.words.some((word) => stemOf(word) === stem);
    const value = (match[2] ?? "").replace(/[.,]+$/, "");
    if (!isLabel || !isName(filling, slot, value) || inTopic(filling, place[0])) continue;
    put(filling, slot, toValue(slot, value), { start: match.index, end: place[1] }, 1);
    return true;
  }
}

function fillBehind(filling: Filling, slot: Slot, prepositions: string): void {
  const { masked } = filling.sheet;
  const own = slot.words.filter((word) => word.length > 2 && !/^(?:from|into)$/.test(word)).join("|");
  const before = `\\b(?:${prepositions})\\s+(?:the\\s+)?(?:city of\\s+)?${own === "" ? "" : `(?:(?:${own})\\s+)?`}`;
  const sources = [
    `(?<=${before})(${PROPER})`,
    `(?<=${before})(${NAME})\\s*[?.!]*$`,
    // In the middle it has to look like a name of something technical: "did the builds of web-shop pass".
    `(?<=${before})(\\p{L}[\\p{L}\\p{N}]*(?:[_./-][\\p{L}\\p{N}]+)+)(?=\\s)`,
  ];
  for (const source of sources) {
    const match = new RegExp(source, "du").exec(masked);
    const place = match?.indices?.[1];
    const value = (match?.[1] ?? "").replace(/[.,]+$/, "").replace(/['’]s$/, "");
    if (match === null || place === undefined || value.includes(TAKEN) || !isName(filling, slot, value))
      continue;
    if (inTopic(filling, place[0]) && place[1] < masked.replace(/\W+$/, "").length && !/^\p{Lu}/u.test(value))
      continue;
    const cue = new RegExp(`${before}$`, "iu").exec(masked.slice(0, place[0]));
    const zone = slot.words.some((word) => /^(?:timezone|zone)$/.test(word)) ? zoneOf(value) : value;
    put(
      filling,
      slot,
      toValue(slot, zone),
      { start: cue?.index ?? place[0], end: place[0] + value.length },
      0.5,
    );
    return;
  }
}

/** The zone of a city, as Asia/Tokyo for Tokyo. */
function zoneOf(place: string): string {
  const wanted = place.toLowerCase().replaceAll(" ", "_");
  const named = (zone: string): boolean =>
    zone.toLowerCase() === wanted || zone.toLowerCase().endsWith(`/${wanted}`);
  return Intl.supportedValuesOf("timeZone").find(named) ?? place;
}

function isName({ entry }: Filling, slot: Slot, value: string): boolean {
  const stem = stemOf(value.toLowerCase());
  const [first = ""] = value.split(/\s+/);
  if (
    slot.words.some((word) => stemOf(word) === stem) ||
    (slot.kind === "code" && NO_CODES.has(first.toLowerCase()))
  )
    return false;
  if (value === "" || NO_NAMES.test(first) || STOP_WORDS.has(first.toLowerCase())) return false;
  if (entry.objects.has(stem) || entry.verbs.has(stem) || (slot.kind === "id" && !/\d/.test(value)))
    return false;
  return slot.kind === "code" ? /^[\p{L}][\p{L}\p{N}_./-]*$/u.test(value) : fits(slot, value);
}
