import type { JsonValue } from "#contract/json.ts";

import { fits, sameWord, type Slot, splitName, toValue } from "../slot.ts";

import { type Anchor, anchorAt, DULL, endWithUnit, pair, properNames, UNIT_BEHIND } from "./bind.ts";
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
  put,
  spokenOf,
  valueOf,
} from "./filling.ts";
import { ISSUE, PAGE } from "./nouns.ts";
import { type Piece, QUOTED } from "./sheet.ts";
import { NUMBER_WORDS, stemOf, STOP_WORDS, tokenize, wordSet } from "./words.ts";

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
    const named = findLabelled(filling, slot, KEY);
    const at = keys.findIndex(({ end }) => end === named?.end);
    const [key] = keys.splice(Math.max(0, at), 1);
    if (key) put(filling, slot, key.value, named ?? key, 1);
    else fillEarlier(filling, slot);
  }
  for (const slot of filling.entry.slots.filter(({ kind }) => kind === "keys")) {
    const values = keys.map(({ value }) => value);
    for (const key of keys.splice(0)) filling.sheet.take(key.start, key.end);
    if (values.length === 0) continue;
    filling.args[slot.name] = slot.items === undefined ? values.join(",") : values;
    filling.strong += 1;
  }
}

/** In quotes a key counts where it is all that is quoted. */
function isReadable(filling: Filling, key: Piece): boolean {
  const isQuoted = ({ value, start, end }: Piece): boolean =>
    value.toUpperCase() === key.value && start < key.start && key.end < end;
  return !isTaken(filling, key.start) || filling.sheet.openQuotes().some(isQuoted);
}

const CONTEXT_KINDS = wordSet("code text path url id title integer number");

/**
 * What goes without saying: of a record that is referred to all that names it ("the second one" is of its repository),
 * and where something is read, the place of the last call.
 */
export function fillContext(filling: Filling): void {
  const { entry, around } = filling;
  const [last = {}] = around.earlier;
  for (const slot of entry.slots) {
    if (!slot.required || !isOpen(filling, slot)) continue;
    const named = CONTEXT_KINDS.has(slot.kind) || isOwner(slot) ? around.context?.[slot.name] : undefined;
    // What is changed stays in the repository as well, where all else that it needs is said.
    const isPlace =
      (isOwner(slot) || takesFolder(slot)) &&
      (!entry.changing || (isRepository(slot) && isOnlyOpen(filling, slot)));
    const value = named ?? (isPlace ? last[slot.name] : undefined);
    if (typeof value !== "string" && typeof value !== "number") continue;
    filling.args[slot.name] = value;
    filling.earlier.push(slot.name);
  }
}

function isRepository({ words }: Slot): boolean {
  return words.some((word) => /^(?:owner|repo|repository)$/.test(word));
}

/** Whether nothing else that has to be given is open but where it is. */
function isOnlyOpen(filling: Filling, slot: Slot): boolean {
  return filling.entry.slots.every(
    (each) => each === slot || !each.required || !isOpen(filling, each) || isRepository(each),
  );
}

/** Whose a repository is belongs to its name. */
function isOwner({ kind, words }: Slot): boolean {
  return kind === "person" && words.join(" ") === "owner";
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
  // "What was said in the comments?"
  const part = /\b(?:the|its)\s+(\p{L}+)/iu.exec(spokenOf(filling))?.[1]?.toLowerCase() ?? "";
  const isPart =
    !entry.changing &&
    slot.kind === "key" &&
    wish.keys.length === 0 &&
    entry.objects.has(stemOf(part)) &&
    !slot.words.some((word) => stemOf(word) === stemOf(part));
  if (isPart && around.onScreen !== undefined && fits(slot, around.onScreen)) {
    filling.args[slot.name] = around.onScreen;
    filling.earlier.push(slot.name);
    return true;
  }
  if (
    around.onScreen === undefined ||
    wish.keys.length > 0 ||
    !wish.changing ||
    !changes.some((each) => entry.intents.has(each) && wish.intents.has(each))
  )
    return false;
  const other = new RegExp(
    `\\b(?:an?|any|some|all|every|another|the)\\s+(?:\\p{L}+\\s+){0,3}(?:${ISSUE}|${PAGE})`,
    "iu",
  );
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
    const noun = "(?:(?:the )?(?:wiki |confluence )?(?:page|document|issue|board|sprint)\\s+)?";
    const labelled = findLabelled(
      filling,
      slot,
      `${noun}(?:(?:with )?(?:the )?(?:id|number|no\\.?|#)\\s*)?${ID}`,
    );
    const found = labelled ?? (slot.required || !slots.some((each) => each.required) ? bare() : undefined);
    const value = found && valueOf(filling, found).replace(/^.*\s|^#/, "");
    const key =
      slot.required && /^(?:issue|ticket)$/.test(slot.words[0] ?? "") ? filling.wish.keys[0] : undefined;
    if (key && !isTaken(filling, key.start)) put(filling, slot, key.value, key, 1);
    else if (found && value !== undefined && (labelled || !/^[A-Za-z]\w*-\d+$/.test(value)))
      put(filling, slot, toValue(slot, value), found, 1);
    else if (slot.required) fillEarlier(filling, slot);
  }
}

const FORMS: Partial<Record<Slot["kind"], string>> = {
  // "example.com/a" is one too, and "report.pdf" is a file.
  url: "[a-z][a-z0-9+.-]*://[^\\s\\uE000\\uE001]+|(?:[a-z0-9-]+\\.)+(?!(?:pdf|txt|md|json|ya?ml|csv|png|jpe?g|gif|svg|log|tsx?|jsx?|py|html?|docx?|xlsx?|zip|gz)\\b)[a-z]{2,}(?::\\d+)?(?:/[^\\s\\uE000\\uE001]*)?",
  email: "[^\\s@\\uE000\\uE001]+@[^\\s@\\uE000\\uE001]+\\.\\w+",
  path: "(?:~|\\.{1,2})?/[^\\s,\\uE000\\uE001]*|[\\w-]+(?:[/\\\\][\\w.-]+)+/?|[\\w-]+(?:\\.[\\w-]+)*\\.[A-Za-z]\\w{0,4}(?!\\w)",
};
const TIME = "\\d{1,2}:\\d{2}(?:\\s*[ap]\\.?m\\b)?|\\d{1,2}\\s*[ap]\\.?m\\b";
const SHA = "(?=[0-9a-f]*\\d)[0-9a-f]{7,40}(?![\\w-])";
const COMMIT = "(?:(?:the\\s+)?(?:commit|revision)\\s+)?";
const LONG = "(?:w(?:eeks?)?|d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?)";
const DURATION = `\\d+(?:\\.\\d+)?\\s*${LONG}(?:(?:\\s*|\\s+and\\s+)\\d+\\s*${LONG})*(?![\\p{L}\\p{N}])`;
const EXTENSION =
  "(?<=\\b)(?:pdf|txt|md|json|ya?ml|csv|png|jpe?g|gif|svg|log|tsx?|jsx?|py|html?|docx?|xlsx?|zip|gz|xml|toml|sql)(?=\\s+files?\\b|s\\b)";
/** ".pem files": any ending that is written with its dot. */
const ENDING = "(?<=^|\\s)\\.[A-Za-z]\\w{0,5}(?=\\s+files?\\b)";
const GLOB =
  "[^\\s\\uE000\\uE001]*[*?][^\\s\\uE000\\uE001]*[^\\s\\uE000\\uE001?!.,]|[^\\s\\uE000\\uE001]*\\*";
/** "Ends with .bak", and a file by its name. */
const ENDS = "(?<=\\bend(?:s|ing)?\\s+(?:with|in|on)\\s+)\\.?\\w{1,6}";
const FILE = "(?<![\\w/.-])[\\w-]+(?:\\.[\\w-]+)*\\.[A-Za-z]\\w{0,4}(?![\\w/])";

/** Addresses, mail addresses, paths: by their form, in order; optional ones only behind their label. */
export function fillForms(filling: Filling): void {
  fillInside(filling);
  // What takes many must not take what another takes alone.
  for (const slot of filling.entry.slots.toSorted(
    (one, other) => Number(one.kind === "list") - Number(other.kind === "list"),
  )) {
    const isGlob = slot.kind === "text" && slot.words.some((word) => word === "pattern" || word === "glob");
    const kind = slot.kind === "list" && /path|file/.test(slot.name) ? "path" : slot.kind;
    const last = slot.words.at(-1) ?? "";
    const isTime = isClock(slot);
    const isRevision =
      slot.kind === "text" &&
      (/^(?:revision|commit|sha|ref|hash)$/.test(last) ||
        /\bcommit (?:sha|hash|id)\b/i.test(slot.description));
    const form = isTime
      ? TIME
      : isDuration(slot)
        ? DURATION
        : isRevision
          ? SHA
          : isGlob
            ? `${GLOB}|${EXTENSION}|${ENDING}|${ENDS}|${FILE}`
            : isRepoPath(slot)
              ? FORMS.path
              : FORMS[kind];
    if (form === undefined || !isOpen(filling, slot)) continue;
    for (let count = 0; count < 50; count += 1) {
      const found =
        (count === 0
          ? findLabelled(filling, slot, `${isRevision ? COMMIT : ""}(?:${form})|${ANY_QUOTED}`)
          : undefined) ?? (slot.required || isTime ? findForm(filling, form, slot) : undefined);
      if (!found) break;
      const said = valueOf(filling, found).replace(/(?<=.)[?!.,;:]+$/, "");
      const text = isRevision ? said.replace(new RegExp(`^${COMMIT}`, "i"), "") : said;
      const isFileType = isGlob && !/[*?]/.test(text);
      const value = isTime
        ? /\d\s*[ap]m\b/i.test(slot.description)
          ? text
          : toClock(text)
        : isFileType
          ? new RegExp(`^${FILE}$`).test(text)
            ? `**/${text}`
            : `**/*.${text.replace(/^\./, "")}`
          : isDuration(slot)
            ? toDuration(text)
            : kind === "path" && slot.kind === "path"
              ? inFolder(filling, text)
              : kind === "url" && !/^[a-z][a-z0-9+.-]*:/i.test(text)
                ? `https://${text}`
                : text;
      const before = filling.args[slot.name];
      put(
        filling,
        slot,
        slot.kind !== "list" ? value : [...(Array.isArray(before) ? before : []), value],
        found,
        // Nobody gives an address for nothing.
        count > 0 ? 0 : kind === "url" ? 1.8 : 1,
      );
      if (slot.kind !== "list") break;
    }
    if (kind === "url" && !isOpen(filling, slot)) furtherUrls(filling, slot);
    if (slot.required && isOpen(filling, slot) && kind === "path") fillEarlier(filling, slot);
  }
  dropBarePaths(filling);
}

/** Of a change with one path from the root, a bare file name may be anywhere: it is asked for. */
function dropBarePaths({ entry, args }: Filling): void {
  const paths = entry.slots.flatMap(({ kind, name }) => {
    const value = args[name];
    return kind === "path" && typeof value === "string" ? [{ name, value }] : [];
  });
  if (!entry.changing || !paths.some(({ value }) => /^[~/]/.test(value))) return;
  for (const { name, value } of paths) if (!/[/\\]/.test(value)) Reflect.deleteProperty(args, name);
}

const INSIDE =
  /(?:\b(?:(?:called|named|folder|directory|file)\s+)?(?<name>(?<=\b(?:called|named|folder|directory|file)\s+)(?!called\b|named\b)[\w.-]+|[\w-]+(?:\.[\w-]+)+)\s+)?\b(?:in|inside|under|within|below)\s+(?:the\s+)?(?:(?:folder|directory|dir)\s+)?(?<folder>(?:~|\.{1,2})?\/[^\s,\uE000\uE001]*[^\s,.?!\uE000\uE001])/i;

/** "A folder in /srv/data": where something is changed is not what is changed; "notes.md in /srv/data" is one path. */
function fillInside(filling: Filling): void {
  const { entry, sheet } = filling;
  const slot = entry.slots.find((each) => each.kind === "path" && each.required);
  const isOpened =
    !entry.changing &&
    entry.objects.has("file") &&
    entry.intents.has("read") &&
    entry.slots.every(({ required, name }) => !required || name === slot?.name) &&
    /^\W*(?:please\s+)?(?:show|open|read|cat|print|display|view|get)\b/i.test(sheet.masked);
  const found = (entry.changing || isOpened) && slot && !takesFolder(slot) ? INSIDE.exec(sheet.masked) : null;
  const { name, folder = "" } = found?.groups ?? {};
  if (isOpened && name?.includes(".") !== true) return;
  if (!slot || found === null || /\.\w{1,5}$/.test(folder)) return;
  const place = { start: found.index, end: found.index + found[0].length };
  if (name === undefined) sheet.take(place.start, place.end);
  else put(filling, slot, `${folder.replace(/\/$/, "")}/${name}`, place, 1);
}

/** "fetch https://a.example and https://b.example" */
function furtherUrls(filling: Filling, slot: Slot): void {
  const urls = filling.entry.slots.filter(({ kind }) => kind === "url");
  if (filling.entry.changing || urls.length > 1) return;
  const values: string[] = [];
  for (let found = findForm(filling, FORMS.url ?? "", slot); found && values.length < 10;) {
    values.push(valueOf(filling, found).replace(/[?!.,;]+$/, ""));
    filling.sheet.take(found.start, found.end);
    found = findForm(filling, FORMS.url ?? "", slot);
  }
  if (values.length > 0) filling.others = { name: slot.name, values };
}

/** Whether the argument is a time of day. */
export function isClock({ kind, words, description }: Slot): boolean {
  return (
    (kind === "text" || kind === "date-time") && words.at(-1) === "time" && !/iso|date/i.test(description)
  );
}

/** Whether the argument is how long something takes, as in "1h 30m". */
export function isDuration({ kind, description }: Slot): boolean {
  return kind === "text" && /['"`]\d+[hm]\b/.test(description);
}

/** "90 minutes" as 90m. */
function toDuration(text: string): string {
  return [...text.matchAll(/(\d+(?:\.\d+)?)\s*([wdhm])/gi)]
    .map(([, count = "", unit = ""]) => `${count}${unit.toLowerCase()}`)
    .join(" ");
}

/** A bare file name in the folder that the conversation is about: where the message points there, or reads it. */
function inFolder({ wish, around, entry }: Filling, text: string): string {
  const isBare = /^[\w-]+(?:\.[\w-]+)+$/.test(text);
  const isThere = /\b(?:there|(?:that|this|the same|the) (?:folder|directory))\b/i.test(wish.text);
  if (!isBare || (entry.changing && !isThere)) return text;
  const names = entry.slots.filter(({ kind }) => kind === "path").map(({ name }) => name);
  const said = around.earlier
    .slice(0, isThere ? undefined : 1)
    .flatMap((args) =>
      Object.entries(args).flatMap(([name, value]) =>
        typeof value === "string" && (names.includes(name) || /path|dir|folder/i.test(name)) ? [value] : [],
      ),
    );
  const folder = said.find((each) => /^(?:~|\.{0,2}\/)/.test(each) && !/\.\w{1,5}$/.test(each));
  return folder === undefined ? text : `${folder.replace(/\/$/, "")}/${text}`;
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

function takesFolder({ kind, words }: Slot): boolean {
  return (
    kind !== "list" &&
    words.some((word) => /^(?:repo|repository|dir|directory|folder|root|workspace|cwd)$/.test(word))
  );
}

function findForm(filling: Filling, form: string, slot: Slot): Piece | undefined {
  const all = [...filling.sheet.masked.matchAll(new RegExp(`(?<![\\w/:])(?!//)(?:${form})`, "giu"))].map(
    ({ 0: value, index }): Piece => ({ value, start: index, end: index + value.length }),
  );
  const isFolder = ({ value }: Piece): boolean => !/\.[A-Za-z]\w{0,4}[?!.,;]*$/.test(value);
  // Where a pattern is looked for, it is looked for in a folder.
  const isSought = filling.entry.slots.some(
    ({ words }) => words.at(-1) === "pattern" || words.at(-1) === "glob",
  );
  const bare =
    takesFolder(slot) || (isSought && slot.kind === "path")
      ? (all.find((each) => isFolder(each) && /^[~./]/.test(each.value)) ?? all.find(isFolder))
      : all[0];
  if (bare) return bare;
  const isQuoted = (value: string): boolean =>
    fits(slot, value) && (slot.kind !== "path" || /[./\\~]/.test(value));
  const quote = filling.sheet.openQuotes().find(({ value }) => slot.kind === "list" || isQuoted(value));
  return quote && { ...quote, value: filling.sheet.masked.slice(quote.start, quote.end) };
}

/** "owner/name", for a tool that takes the two apart, or as one. */
export function fillRepository(filling: Filling): void {
  const { slots } = filling.entry;
  const owner = slots.find(({ words }) => words.join(" ") === "owner");
  const name = slots.find(({ words }) => /^(?:repo|repository)(?: name)?$/.test(words.join(" ")));
  const named = "([A-Za-z][\\w-]*\\/[A-Za-z][\\w.-]*\\w)(?![\\w/])";
  // "src/app.ts in acme/shop": a file may be written alike.
  const found =
    name &&
    (matchPiece(
      filling.sheet.masked,
      new RegExp(`(?<=\\b(?:in|of|from|on|to|for|repo|repository)\\s+)${named}`, "du"),
    ) ??
      matchPiece(filling.sheet.masked, new RegExp(`(?<![\\w/.-])${named}`, "du")));
  if (!name || !found || !isOpen(filling, name) || isRepoPath(name)) return;
  const [first = "", second = ""] = found.value.split("/");
  if (owner && isOpen(filling, owner)) filling.args[owner.name] = first;
  put(filling, name, owner ? second : found.value, found, 1);
}

const NUMBER = `(?<!\\^)(?!\\d+(?:\\.\\d+)?\\s*(?:\\*|\\^|pi\\b|π|[xyz]\\s*[\\^*+/-]))(?:[$€£]?[+-]?\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|[$€£]?[+-]?\\d+(?:\\.\\d+)?)|(?:${Object.keys(NUMBER_WORDS).join("|")})\\b`;

const SCALES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };
const SHARES = wordSet("rate return yield growth interest probability ratio share");

/** Whether an argument is a share of one, and no count of hundredths. */
function takesShare({ words, description }: Slot): boolean {
  if (/percent|%/i.test(description)) return /decimal|fraction/i.test(description);
  return /decimal|fraction|0\.\d/i.test(description) || words.some((word) => SHARES.has(word));
}

/** Numbers: "limit 5", "top 3", "5 issues", "version 2", "$1,200"; bare ones in order where numbers must be. */
const A_RECORD = /(?:\b(?:page|issue|ticket|bug|task|story|number|pr|pull request|version)\s+|#)$/i;

export function fillNumbers(filling: Filling): void {
  const isNumber = ({ kind }: Slot): boolean => kind === "integer" || kind === "number";
  const slots = filling.entry.slots.filter(isNumber);
  const searches = filling.entry.slots.some((slot) => slot.kind === "query");
  const take = (slot: Slot, found: Piece | undefined, strong = 0.5): boolean => {
    if (!found || (searches && inTopic(filling, found.start))) return false;
    // "Page 1010" is not so many pages.
    const before = filling.sheet.masked.slice(0, found.start);
    if (isLimit(slot) && A_RECORD.test(before)) return false;
    // … nor the version of another one.
    if (slot.words.at(-1) === "version" && /\bpage\s+#?$/i.test(before)) return false;
    const behind = filling.sheet.masked.slice(found.end);
    // "5%" of an argument that is a share of one is 0.05; of any other it is 5.
    const isShare = slot.kind === "number" && /^\s*(?:%|percent\b)/i.test(behind) && takesShare(slot);
    const [scale = "", word = ""] = /^\s*(thousand|million|billion)\b/i.exec(behind) ?? [];
    const whole = { ...found, end: found.end + scale.length };
    const end = searches ? found.end : endWithUnit(filling, slot, whole);
    const value = NUMBER_WORDS[found.value.toLowerCase()] ?? Number(found.value.replace(/[$€£,]/g, ""));
    const number = Number(
      ((value * (SCALES[word.toLowerCase()] ?? 1)) / (isShare ? 100 : 1)).toPrecision(12),
    );
    if (slot.kind === "integer" && !Number.isInteger(number)) return false;
    put(filling, slot, number, { start: found.start, end }, strong);
    return true;
  };
  fillClock(filling, slots);
  fillAbreast(filling, slots, take);
  for (const slot of slots.filter((each) => isOpen(filling, each))) {
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
      /(?<=^|\b(?:show|list|top|first|last|latest|newest|oldest|the|our|my|us|me|only|just|find|get|give|any|next|recent)\s+)(\d{1,4}|two|three|four|five|six|seven|eight|ten)\s+(?!to\s+go\b|percent\b|left\b)(?:\p{L}+\s+)?(?:\p{L}{2,})/diu;
    take(slot, found ?? (isLimit(slot) ? matchPiece(filling.sheet.masked, many) : undefined));
  }
  bindNumbers(filling, slots, take);
  for (const slot of filling.entry.slots.filter(
    ({ kind, items }) => kind === "list" && items !== undefined && /^(?:integer|number)$/.test(items),
  ))
    fillNumberList(filling, slot);
}

/** "At 6:30", of what takes hours and minutes apart. */
function fillClock(filling: Filling, slots: readonly Slot[]): void {
  const [hours, minutes] = ["hour", "minute"].map((unit) =>
    slots.find(({ words, required }) => required && stemOf(words.at(-1) ?? "") === stemOf(unit)),
  );
  const found = matchPiece(filling.sheet.masked, /(?<![\d:])(\d{1,2}:\d{2})(?![\d:])/du);
  if (!hours || !minutes || !found) return;
  const [hour = "", minute = ""] = found.value.split(":");
  put(filling, hours, Number(hour), found, 0.5);
  put(filling, minutes, Number(minute), found, 0.5);
}

/** "Its base and height as 6cm and 10cm": as many numbers as arguments that are named, in their order. */
function fillAbreast(
  filling: Filling,
  slots: readonly Slot[],
  take: (slot: Slot, found: Piece) => boolean,
): void {
  const number = "[$€£]?[+-]?\\d[\\d,]*(?:\\.\\d+)?\\s*(?:%|°\\p{L}|\\p{L}+(?:\\/\\p{L}+)?)?";
  const said = slots.flatMap((slot) => {
    const at = new RegExp(`(?<![\\p{L}])(?:${labelsOf(slot).join("|")})(?![\\p{L}])`, "iu").exec(
      filling.sheet.masked,
    );
    return at ? [{ slot, start: at.index, end: at.index + at[0].length }] : [];
  });
  const named = said.toSorted((one, other) => one.start - other.start);
  const [last, ...before] = named.toReversed();
  if (!last || before.length === 0) return;
  const isListed = named.every(
    ({ end }, at) =>
      named[at + 1] === undefined ||
      /^\s*(?:,|and|,\s*and)\s+(?:the\s+|its\s+)?$/i.test(
        filling.sheet.masked.slice(end, named[at + 1]?.start),
      ),
  );
  const values = new RegExp(
    `^\\s*(?:values?\\s+)?(?:(?:as|of|are|being|is|equal to|:|=)\\s*)*(${number}(?:\\s*(?:,|and|,\\s*and)\\s*${number})+)(?:,?\\s*respectively)?`,
    "diu",
  ).exec(filling.sheet.masked.slice(last.end));
  const from = last.end + (values?.indices?.[1]?.[0] ?? 0);
  const numbers = [...(values?.[1] ?? "").matchAll(/[$€£]?[+-]?\d+(?:,\d{3})*(?:\.\d+)?/g)];
  if (!isListed || numbers.length !== named.length) return;
  for (const [at, { slot }] of named.entries()) {
    const { 0: value = "", index = 0 } = numbers[at] ?? {};
    take(slot, { value, start: from + index, end: from + index + value.length });
  }
}

/** The other numbers, by the words around them; what must be there takes what is left, in order. */
function bindNumbers(
  filling: Filling,
  slots: readonly Slot[],
  take: (slot: Slot, found: Piece, strong?: number) => boolean,
): void {
  const anchors = (source: string): Anchor[] =>
    [
      ...filling.sheet.masked.matchAll(
        new RegExp(`(?<![\\w.-])(?:${source})(?:(?=${UNIT_BEHIND})|(?![\\w-]|[.,]\\d))`, "giu"),
      ),
    ].map(({ 0: value, index }) => anchorAt(filling, value, index, index + value.length));
  // "A sprint called Sprint 9": a number in a name is no number of anything.
  const own = new Set(slots.flatMap(({ words }) => words.map(stemOf)));
  const isNamed = ({ start, before }: Anchor): boolean =>
    (filling.entry.intents.has("create") &&
      filling.entry.objects.has(before[0] ?? "") &&
      !before.slice(0, 2).some((stem) => own.has(stem))) ||
    /\b(?:called|named|titled)\s+(?:\p{Lu}[\p{L}\p{N}]*\s+)*$/u.test(filling.sheet.masked.slice(0, start));
  const digits = anchors(NUMBER).filter((anchor) => /\d/.test(anchor.value) && !isNamed(anchor));
  const words = anchors(NUMBER).filter(({ value }) => !/\d/.test(value));
  const open = (): Slot[] => slots.filter((slot) => isOpen(filling, slot));
  const isSearch = filling.entry.slots.some(({ kind }) => kind === "query" || kind === "key");
  const least = (slot: Slot): number => (slot.required ? 0.7 : isSearch ? Infinity : 1.3);
  pair(open(), digits, least, take);
  const isLeft = (anchor: Anchor): boolean => !isTaken(filling, anchor.start);
  if (!isSearch && !open().some(({ required }) => required))
    pair(open(), digits.filter(isLeft), () => 0.9, take);
  // "One of the pull requests" is not number 1.
  const countable = (): Slot[] =>
    open().filter(({ words: said }) => !/^(?:number|id|key)$/.test(said.at(-1) ?? ""));
  pair(countable(), words, (slot) => Math.max(1.3, least(slot)), take);
  const left = digits.filter(({ start }) => !isTaken(filling, start));
  for (const [at, slot] of open()
    .filter(({ required }) => required)
    .entries()) {
    const number =
      left[at] ??
      (open().filter(({ required }) => required).length === 1 && countable().includes(slot)
        ? words.find(({ start }) => !isTaken(filling, start))
        : undefined);
    if (number === undefined || !take(slot, number, 0.3)) break;
  }
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

/** Words of a switch's name that say no more than that it is one. */
const SWITCHING = wordSet("include is with use enable consider show return account");

/** Switches that the sentence names: "dry run", "with images", "without sizes". */
export function fillSwitches(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "boolean" || !isOpen(filling, slot)) continue;
    const words = slot.words
      .filter((word) => !SWITCHING.has(word))
      .map((word) => (/^stats?$/.test(word) ? "stat(?:istic)?" : word));
    if (/^dry[_-]?run$/i.test(slot.name) && filling.wish.dryRun) filling.args[slot.name] = true;
    if (words.length === 0 || !isOpen(filling, slot)) continue;
    const named = `((?:with(?:out)?|no|including|excluding)?\\s*(?:the |an? )?${words.join("[ _-]?")}s?)`;
    // "with transfers allowed" for `allow_transfer`
    const [verb = "", noun = ""] = words;
    const turned =
      words.length === 2
        ? `((?:with(?:out)?|no)?\\s*${noun.replace(/s$/, "")}s?\\s+(?:\\p{L}+\\s+)?${verb}(?:e?d)?)`
        : "(?!)";
    const inDetail = /^details?$/.test(words.join())
      ? "((?:in (?:more )?detail|(?:in-depth|detailed?)(?= (?:info|desc|rep|data|stat|anal)\\p{L}*)))"
      : "(?!)";
    // "as html" for what returns "the actual HTML content"
    const forms = (slot.description.match(/\b[A-Z]{3,5}\b/g) ?? []).join("|");
    const inForm = forms === "" ? "(?!)" : `((?:as|in|the) (?:${forms})(?: source| code)?)`;
    const found = [named, turned, inForm, inDetail]
      .map((source) =>
        matchPiece(filling.sheet.masked, new RegExp(`(?<![\\p{L}\\p{N}])${source}(?![\\p{L}\\p{N}])`, "diu")),
      )
      .find((each) => each !== undefined);
    // "with the content "…"" says what it is.
    const isSaid = found && new RegExp(`^\\s*[:${QUOTED}]`).test(filling.sheet.masked.slice(found.end));
    const isNot =
      /^(?:without|no|excluding)\b/i.test(found?.value ?? "") ||
      /\b(?:\p{L}+n['’]t|not|never|without)\s+(?:\p{L}+\s+){0,2}$/iu.test(
        filling.sheet.masked.slice(0, found?.start),
      );
    if (found && !isSaid && !inTopic(filling, found.start)) put(filling, slot, !isNot, found);
  }
}

/** Lists: "labelled checkout, mobile". */
export function fillLists(filling: Filling): void {
  const item = `(?:${ANY_QUOTED}|[\\p{L}\\p{N}](?:[\\p{L}\\p{N}_.-]*[\\p{L}\\p{N}_-])?)`;
  const more = `(?:(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+)(?!(?:and|assign|set|give|put|description|desc|prio|priority|due|type|epic|parent|assignee|owner|summary|title|body|text|project|status)\\b)${item})*`;
  for (const slot of filling.entry.slots) {
    if (slot.kind !== "list" || !isOpen(filling, slot)) continue;
    // "Everything labelled on-call" is asked of the issues, where nothing says that pages are meant.
    if (isOfPages(filling.entry) && LABELS.test(slot.name) && !PAGES.test(filling.sheet.masked)) continue;
    if (slot.values.length > 0 && fillListed(filling, slot)) continue;
    const found =
      peopleIn(filling, slot, item) ??
      labelsAhead(filling, slot, item) ??
      findLabelled(filling, slot, `${item}${more}`) ??
      namesBehind(filling, slot, item, more);
    const said = found?.value.toLowerCase() ?? "";
    if (!found || (found.value.length < 30 && (STOP_WORDS.has(said) || DULL.has(said)))) continue;
    // "A story: return label inside the app": what something new is called is dictated.
    const { intents, tail } = filling.wish;
    const isInside =
      tail !== undefined &&
      found.start >= tail.start &&
      !/[.!?;,]\s*(?:(?:please|pls|and|with|also)\s+)*$/i.test(
        filling.sheet.masked.slice(tail.start, found.start),
      );
    if (intents.has("create") && isInside) continue;
    const at = found.end - found.value.length;
    const names = namesFrom(filling, at);
    if (names.length > 0) {
      put(
        filling,
        slot,
        names.map(({ value }) => value),
        { start: found.start, end: names.at(-1)?.end ?? found.end },
        1,
      );
      continue;
    }
    const items = [...found.value.matchAll(new RegExp(item, "gu"))]
      .filter(
        ([text]) => !STOP_WORDS.has(text.toLowerCase()) && (text.length > 1 || /[\d\p{Lu}]/u.test(text)),
      )
      .map(({ 0: text, index }) =>
        valueOf(filling, { value: text, start: at + index, end: at + index + text.length }),
      )
      .map((text): JsonValue => slot.values.find((each) => sameWord(each, text)) ?? text);
    if (items.length === 0) continue;
    put(filling, slot, items, found, 1);
    const word = /^\s+(?:labels?|tags?)\b/i.exec(filling.sheet.masked.slice(found.end))?.[0] ?? "";
    filling.sheet.take(found.end, found.end + word.length);
  }
}

const LABELS = /^(?:labels?|tags?)$/;
const PAGES = new RegExp(`\\b(?:${PAGE}|articles?|confluence|wiki)s?\\b`, "i");

function isOfPages({ kin, changing }: Filling["entry"]): boolean {
  return !changing && kin.has(stemOf("page"));
}

/** "Santa Barbara and Monterey": names of several words that are listed from a place on; none where each is one word. */
function namesFrom(filling: Filling, at: number): Anchor[] {
  const names: Anchor[] = [];
  for (const name of properNames(filling)) {
    const between = filling.sheet.masked.slice(names.at(-1)?.end ?? at, name.start);
    if (
      name.start >= at &&
      (names.length === 0 ? between === "" : /^\s*(?:,|and|,\s*and)\s+$/i.test(between))
    )
      names.push(name);
  }
  return names.some(({ value }) => value.includes(" ")) ? names : [];
}

/** "With a patio and wi-fi": all of a list's own values that are said. */
function fillListed(filling: Filling, slot: Slot): boolean {
  const said = filling.wish.tokens.filter(
    ({ lower, start }) => !STOP_WORDS.has(lower) && !isTaken(filling, start) && !inTopic(filling, start),
  );
  const values = slot.values.flatMap((value) => {
    const words = tokenize(value.replaceAll("_", " ")).map(({ stem }) => stem);
    const at = said.findIndex((_, from) => words.every((stem, place) => said[from + place]?.stem === stem));
    return at === -1 ? [] : [{ value, words: said.slice(at, at + words.length) }];
  });
  if (values.length === 0) return false;
  const places = values.flatMap(({ words }) => words);
  for (const { start, end } of places) filling.sheet.take(start, end);
  filling.args[slot.name] = values
    .toSorted((one, other) => (one.words[0]?.start ?? 0) - (other.words[0]?.start ?? 0))
    .map(({ value }) => value);
  filling.strong += 0.5;
  return true;
}

/** "Assign it to jonas and ana", "reviewers jonas": people for a list of them. */
function peopleIn({ sheet, entry }: Filling, slot: Slot, item: string): Piece | undefined {
  const last = slot.words.at(-1) ?? "";
  if (!entry.changing || !/^(?:assignees|reviewers|watchers|members|participants)$/.test(last))
    return undefined;
  const way =
    last === "assignees"
      ? "(?:re-?)?assign(?:ed)?(?:\\s+(?:it|this|that|them))?\\s+to|(?<=^\\W*(?:re-?)?assign\\b[^,;:]{0,80}\\s)to|(?:give|hand)\\s+(?:it|this)\\s+to|assignees?"
      : `${last.replace(/s$/, "")}s?|(?:ask|request)(?:\\s+\\p{L}+)?\\s+from`;
  const person = `(?!(?:me|my|myself|nobody|no|the|an?)\\b)@?${item}`;
  const found = matchPiece(
    sheet.masked,
    new RegExp(
      `(?:\\band\\s+)?\\b(?:${way})\\s*:?\\s+(${person}(?:(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+)(?!(?:assign|set|give|put|add|label|close|with)\\b)${person})*)`,
      "diu",
    ),
    true,
  );
  return found && STOP_WORDS.has(found.value.toLowerCase()) ? undefined : found;
}

/** "with the security label", "alerts label": of what is looked for, the word before it. */
function labelsAhead({ entry, sheet }: Filling, slot: Slot, item: string): Piece | undefined {
  if (entry.changing || !/^(?:labels?|tags?)$/.test(slot.words.at(-1) ?? "")) return undefined;
  const found = matchPiece(
    sheet.masked,
    new RegExp(
      `(?:\\b(?:with|has|have|having|of|under|and)\\s+)?(?:\\bthe\\s+)?(?<![\\p{L}\\p{N}-])(${item})\\s+(?:labels?|tags?)(?![\\p{L}\\p{N}])(?!\\s*(?:[:=]|is\\b|are\\b|named\\b|called\\b))`,
      "diu",
    ),
    true,
  );
  const said = found?.value.toLowerCase() ?? "";
  if (!found || STOP_WORDS.has(said) || NO_LABEL.test(said)) return undefined;
  // "It is printing blank labels"
  if (/\b\p{L}+ing\s+$/iu.test(sheet.masked.slice(0, found.start))) return undefined;
  const word = /^\s+\p{L}+/u.exec(sheet.masked.slice(found.end))?.[0].length ?? 0;
  const behind = sheet.masked.slice(found.end + word);
  // "The label security" says it behind the word.
  if (
    /^(?:with|the|by|per)$/.test(said) ||
    (/^(?:what|which|how)\b/i.test(sheet.masked) && behind.trim() === "")
  )
    return undefined;
  return found;
}

const NO_LABEL =
  /^(?:no|any|same|without|wrong|new|a|an|per|by|longer|which|what|whose|these|those|different|own)$/;

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
    new RegExp(
      `\\b(?:${forms})s?\\s+(?:called\\s+|named\\s+)?(?!(?:between|of|in|on|for|from|to|with|and|by|at|under|over|above|below|about|than|that|which|using)\\b)(${item}${more})`,
      "diu",
    ),
    true,
  );
}
