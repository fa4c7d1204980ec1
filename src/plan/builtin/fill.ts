import type { JsonObject } from "#contract/json.ts";

import { fits, type Slot, splitName, toValue } from "../slot.ts";
import { bindExamples, bindNameList, bindNames, bindQuotes, bindRest } from "./bind.ts";
import { toDay } from "./dates.ts";
import { fillCodes } from "./fill-codes.ts";
import { fillDates } from "./fill-dates.ts";
import { fillNames } from "./fill-names.ts";
import { fillPairs } from "./fill-pairs.ts";
import { fillPeople } from "./fill-people.ts";
import {
  fillContext,
  fillForms,
  fillIds,
  fillKeys,
  fillLists,
  fillNumbers,
  fillRepository,
  fillSwitches,
} from "./fill-values.ts";
import { canonicalChoice, fillChoices, fillOperation, fillOrder, fillStatus } from "./fill-words.ts";
import {
  ANY_QUOTED,
  type FillContext,
  type Filling,
  findLabelled,
  isOpen,
  isTaken,
  labelsOf,
  matchPiece,
  namedValues,
  namesOne,
  put,
  SWAPPED,
  valueOf,
  withTold,
} from "./filling.ts";
import { composeJql, fillFurther, jqlSlot, withConditions, withoutConflict } from "./jql.ts";
import { WORK } from "./nouns.ts";
import { composeQualified, qualifiedSlot, withQualifiers } from "./qualifiers.ts";
import { createSheet, type Piece, QUOTED, TAKEN } from "./sheet.ts";
import { dropNoSql, fillSql, takesSql } from "./sql.ts";
import { titleWeight } from "./titles.ts";
import type { ToolEntry } from "./tool-index.ts";
import { hasVerb } from "./verbs.ts";
import { stemOf, STOP_WORDS, type Token, tokenize, wordSet } from "./words.ts";
import type { Wish } from "./wish.ts";
import { fillZones } from "./zones.ts";

export interface Filled {
  entry: ToolEntry;
  args: JsonObject;
  /** Required arguments that the sentence does not hold. */
  missing: string[];
  /** How much in the sentence speaks for this tool: keys, people, codes. */
  strong: number;
  /** Arguments that only got what was left over. */
  guessed: number;
  /** Arguments that earlier calls gave. */
  earlier: string[];
  /** Arguments that only got what the tool takes where nothing is said. */
  assumed: string[];
  /** Further values for one of the arguments: each is a call of its own. */
  others?: { name: string; values: string[] };
  /** Keys that this tool has no use for. */
  strayKeys: number;
  strayQuotes: number;
  strayPaths: number;
  /** Of a search that takes its conditions as one text: how many were said. */
  conditions?: number;
  /** Words that neither the tool nor its arguments explain. */
  stray: Token[];
}

/** Fills a tool's arguments from a wish; a search that wants JQL is asked as one that takes conditions. */
export function fill(entry: ToolEntry, wish: Wish, around: FillContext): Filled {
  const [only, ...others] = entry.slots;
  if (only?.kind === "list" && only.nested.length > 0 && others.length === 0) {
    // A list of one thing, whose properties are named like arguments.
    const one = fillEach({ ...entry, slots: only.nested }, wish, around);
    const isWhole = one.missing.length === 0;
    return {
      ...one,
      entry,
      args: isWhole ? { [only.name]: [one.args] } : {},
      missing: isWhole ? [] : [only.name],
    };
  }
  const slot = wish.tail === undefined ? jqlSlot(entry) : undefined;
  const qualified = slot === undefined ? qualifiedSlot(entry) : undefined;
  if (qualified !== undefined) {
    const filled = fillEach(withQualifiers(entry, qualified), wish, around);
    const args = composeQualified(filled.args, qualified, entry, wish.text);
    // Lists of one repository's issues take the others as well.
    const conditions = Object.keys(filled.args).filter((name) => /^(?:reporter|assignee)$/.test(name)).length;
    return {
      ...filled,
      conditions,
      entry,
      args: args ?? {},
      missing: args === undefined ? [qualified.name] : [],
    };
  }
  if (slot === undefined) {
    const plain = fillEach(entry, wish, around);
    return { ...plain, args: withoutConflict(plain.args, entry) };
  }
  const filled = fillEach(withConditions(entry, slot), wish, around);
  const args = composeJql(filled.args, slot);
  const conditions = Object.keys(filled.args).filter(
    (name) => !/^(?:query|project|order.*)$/.test(name),
  ).length;
  return { ...filled, conditions, entry, args: args ?? {}, missing: args === undefined ? [slot.name] : [] };
}

/** First what has a form of its own, then words, then free text. */
function fillEach(entry: ToolEntry, wish: Wish, around: FillContext): Filled {
  const filling: Filling = {
    entry,
    wish,
    around,
    sheet: createSheet(wish.text),
    args: {},
    strong: 0,
    guessed: 0,
    earlier: [],
    assumed: [],
    codes: new Map(),
  };
  for (const step of [
    fillSql,
    fillFurther,
    fillKeys,
    fillRepository,
    fillZones,
    fillForms,
    fillIds,
    fillPairs,
    fillObjects,
    fillDates,
    fillNumbers,
    fillFields,
    fillOrder,
    fillPeople,
    fillCodes,
    fillLists,
    fillStatus,
    fillSwitches,
    fillOperation,
    fillChoices,
    fillReplaced,
    bindQuotes,
    bindExamples,
    bindNames,
    bindNameList,
    fillNames,
    (each: Filling): void => {
      bindRest(each, leftovers);
    },
    fillContext,
    fillTexts,
    // What is changed where, once all else is known.
    fillContext,
  ])
    step(filling);
  const strayKeys = wish.keys.filter(
    ({ start }) => (wish.tail === undefined || start < wish.tail.start) && !isTaken(filling, start),
  ).length;
  fillQuery(filling);
  fillAll(filling);
  dropOwnNames(filling);
  dropNoSql(filling);
  const named = new Set(Object.keys(filling.args));
  const inOrder = entry.slots
    .filter(({ name }) => named.has(name))
    .map(({ name }) => [name, filling.args[name] ?? null]);
  return {
    entry,
    args: Object.fromEntries(inOrder) as JsonObject,
    missing: entry.slots.filter((slot) => slot.required && !named.has(slot.name)).map((slot) => slot.name),
    strong: filling.strong,
    guessed: filling.guessed,
    earlier: filling.earlier,
    assumed: filling.assumed,
    ...(filling.others === undefined ? {} : { others: filling.others }),
    strayKeys,
    strayQuotes: filling.sheet.openQuotes().length,
    strayPaths: [...filling.sheet.masked.matchAll(/(?<=^|[\s,])(?:~|\.{1,2})?\/[\w.-]+/g)].length,
    stray: leftovers(filling),
  };
}

/** "Get the stock prices of …": a word that only names the tool is no name of what it shall read. */
function dropOwnNames({ entry, args }: Filling): void {
  if (entry.changing) return;
  for (const { name, kind, values, words } of entry.slots) {
    const value = args[name];
    const [word, ...others] = Array.isArray(value) ? value : [value];
    if (!/^(?:text|title|list)$/.test(kind) || values.length > 0 || others.length > 0) continue;
    if (typeof word !== "string" || !/^\p{Ll}+$/u.test(word)) continue;
    const stem = stemOf(word);
    if (STOP_WORDS.has(word) || entry.objects.has(stem) || words.some((own) => stemOf(own) === stem))
      delete args[name];
  }
}

/** Of what is read and can be narrowed, all where nothing is said. */
function fillAll(filling: Filling): void {
  const { entry } = filling;
  if (entry.changing) return;
  for (const slot of entry.slots) {
    const all = namedValues(slot).find((value) => value.toLowerCase() === "all");
    if (!slot.required || !isOpen(filling, slot) || all === undefined) continue;
    filling.args[slot.name] = all;
    filling.assumed.push(slot.name);
  }
}

/** Free text after a label ends where something that is understood begins, or a new half-sentence. */
const FREE = `[^${QUOTED}${TAKEN},;\\n]+?`;
const END = `(?=\\s*(?:$|[${QUOTED}${TAKEN},;\\n]|:\\s|\\b(?:with|and (?:assign|set|give|put)|in (?:the )?(?:project|space)|described as|labell?ed|priority|under epic)\\b))`;
const renamed = (): RegExp => new RegExp(`\\b(?:to|as|into)\\s+(${ANY_QUOTED}|${FREE})${END}`, "diu");

/** "set the priority of DEMO-3 to high": named fields for an argument that is an object. */
function fillObjects(filling: Filling): void {
  for (const slot of filling.entry.slots) {
    const isText =
      slot.kind === "text" && slot.required && /^JSON (?:string|object)\b/i.test(slot.description);
    if (!(slot.kind === "object" || isText) || !isOpen(filling, slot)) continue;
    if (!(slot.required || filling.entry.changing)) continue;
    const fields = readFields(filling, fieldsOf(filling, slot));
    if (Object.keys(fields).length === 0) continue;
    filling.args[slot.name] = isText ? JSON.stringify(isOfJira(filling) ? inJira(fields) : fields) : fields;
  }
}

/** Whether fields are passed on to Jira as they are. */
function isOfJira({ entry: { tool } }: Filling): boolean {
  return /\bjira\b/i.test(`${splitName(tool.name).join(" ")} ${tool.description}`);
}

/** Fields in the names and forms that Jira's own interface takes. */
function inJira({ due_date, priority, ...fields }: JsonObject): JsonObject {
  return {
    ...fields,
    ...(due_date === undefined ? {} : { duedate: due_date }),
    ...(priority === undefined
      ? {}
      : { priority: typeof priority === "string" ? { name: priority } : priority }),
  };
}

/** "change the goal of sprint 41 to …": arguments that are fields of what is changed. */
function fillFields(filling: Filling): void {
  const { entry } = filling;
  if (entry.intents.has("update"))
    Object.assign(
      filling.args,
      readFields(
        filling,
        entry.slots.filter((slot) => isOpen(filling, slot) && FIELD_KINDS.has(slot.kind) && !namesOne(slot)),
      ),
    );
}

const FIELD_KINDS = wordSet("text title body choice status person");

function fieldsOf(filling: Filling, slot: Slot): Slot[] {
  const { entry, wish } = filling;
  const own = new Set(entry.slots.flatMap(({ name, words }) => [name, words.join("_"), words.at(-1) ?? ""]));
  // `labels: { set, add, remove }` is meant where labels are spoken of.
  const isNamed = slot.words.some((word) => wish.tokens.some(({ stem }) => stem === stemOf(word)));
  const described = describedFields(slot);
  const ofJira = isOfJira(filling) && entry.intents.has("update") ? describedFields(ALL_FIELDS) : [];
  const more = ofJira.filter(
    ({ name }) => OF_ISSUES.has(name) && !described.some((one) => one.name === name),
  );
  return (slot.nested.length > 0 ? slot.nested : [...described, ...more]).filter(
    ({ name }) =>
      !own.has(name) &&
      !(name === "title" && own.has("summary")) &&
      (isNamed || !/^(?:set|add|remove)$/.test(name)),
  );
}

function readFields(filling: Filling, nested: readonly Slot[]): JsonObject {
  const fields: JsonObject = {};
  const { sheet, wish } = filling;
  const take = (field: Slot, given: Piece | undefined): void => {
    let found = given;
    const whole = found && valueOf(filling, found);
    // "To High as the agency waits": the level, and why.
    const level = field.name === "priority" ? LEVEL.exec(whole ?? "")?.[0] : undefined;
    const said = level ?? whole;
    if (found && level !== undefined && whole !== undefined && level.length < whole.length)
      found = { ...found, end: found.end - (whole.length - level.length) };
    const value = said === undefined ? undefined : toFieldValue(field, said, filling.around);
    const isQuoted = found?.value.startsWith(QUOTED) === true;
    const isText = field.kind === "title" || field.kind === "body" || field.words.at(-1) === "description";
    if (!found || value === undefined || (typeof value === "string" && !/[\p{L}\p{N}]/u.test(value))) return;
    // "Change the title of DEMO-4" gives none, and "the description of DEMO-6" is no text.
    if (isText && !isQuoted && (STOP_WORDS.has(String(said).toLowerCase()) || KEYED.test(String(said))))
      return;
    fields[field.name] = value;
    sheet.take(found.start, found.end);
  };
  const title = nested.find((each) => each.kind === "title");
  const isOther = /\b(?:labels?|tags?|description|status|priority)\b/i.test(wish.text);
  if (wish.head?.lower === "rename" && title && !isOther)
    take(title, matchPiece(sheet.masked, renamed(), true));
  const record = `(?:${TAKEN}+|[A-Za-z]\\w*-\\d+)`;
  const owner = `\\s*(?:(?:of|on|for|in)\\s+(?:\\p{L}+\\s+)?${record}(?:\\s*(?:,|\\band\\b|&)\\s*${record})*)?\\s*`;
  const between = `${owner}(?:to|as|is|=|:)?\\s*`;
  const strictly = `${owner}(?:\\bto\\b|\\bas\\b|\\bis\\b|\\bon\\b|\\bfor\\b|\\bof\\b(?=\\s+(?!${TAKEN}))|=|:)\\s*`;
  const until = `(?=\\s*(?:$|[${QUOTED}${TAKEN},;\\n]|\\band\\b))`;
  const isCleared = /^(?:remove|clear|drop|delete|unset)$/.test(wish.head?.lower ?? "");
  const setsLists = SWAPPED.test(wish.text) || !/^(?:rename|replace)$/.test(wish.head?.lower ?? "");
  for (const field of nested.filter(({ kind }) => kind === "list" && setsLists)) {
    const item = `(?!with\\b|the\\b|to\\b|from\\b|on\\b|of\\b)(?:${ANY_QUOTED}|[\\p{L}\\p{N}](?:[\\p{L}\\p{N}_.-]*[\\p{L}\\p{N}_-])?)`;
    const label = labelsOf(field).join("|");
    const items = `(${item}(?:\\s*(?:,|\\band\\b)\\s*${item})*)`;
    const found =
      swappedIn(sheet.masked) ??
      matchPiece(
        sheet.masked,
        new RegExp(
          `\\b(?:${label})(?:\\s+(?:on|of|for)\\s+${TAKEN}+)?(?:\\s+${TAKEN}+)?(?:\\s+(?:with|as|to))?\\s*:?\\s+${items}`,
          "diu",
        ),
        true,
      ) ??
      matchPiece(
        sheet.masked,
        new RegExp(`\\b(?:the\\s+|an?\\s+)?(${item})\\s+(?:labels?|tags?)(?![\\p{L}])`, "diu"),
        true,
      );
    if (!found || STOP_WORDS.has(found.value.toLowerCase())) continue;
    const at = found.end - found.value.length;
    const values = [...found.value.matchAll(new RegExp(item, "gu"))].map(({ 0: value, index }) =>
      valueOf(filling, { value, start: at + index, end: at + index + value.length }),
    );
    fields[field.name] = values.filter((value) => value !== "and");
    sheet.take(found.start, found.end);
  }
  for (const field of nested.filter(({ name, kind }) => kind !== "list" && !Object.hasOwn(fields, name))) {
    const label = `(?<![\\p{L}\\p{N}])(?:the |its )?(?:${labelsOf(field).join("|")})(?![\\p{L}\\p{N}])`;
    // What is dictated behind the field is all of it, with its commas.
    const { tail } = wish;
    const dictated =
      tail !== undefined &&
      takesAnyWords(field) &&
      field.kind !== "date" &&
      !field.words.includes("due") &&
      isFree(filling, tail)
        ? new RegExp(`${label}${owner}(?:to|with|as|is)?\\s*:?\\s*$`, "iu").exec(
            sheet.masked.slice(0, tail.start),
          )
        : undefined;
    if (tail && dictated) {
      fields[field.name] = toValue(field, tail.value);
      sheet.take(dictated.index, tail.end);
      continue;
    }
    const named = new RegExp(label, "iu").exec(sheet.masked);
    if (isCleared && named && field.kind !== "list") {
      fields[field.name] = null;
      sheet.take(named.index, named.index + named[0].length);
      continue;
    }
    take(
      field,
      matchPiece(
        sheet.masked,
        new RegExp(
          `${label}${takesAnyWords(field) ? strictly : between}(${ANY_QUOTED}|(?!\\s|(?:of|for|on|from|in(?!\\s+(?:\\d|an?\\s|two|three)))\\b)${FREE})${until}`,
          "diu",
        ),
        true,
      ),
    );
    // "make OPS-6 a task instead of a bug"
    if (field.name === "type" && !Object.hasOwn(fields, field.name))
      take(
        field,
        matchPiece(
          sheet.masked,
          /(?:\b(?:to|into|as)\s+)?\ban?\s+(bug|task|story|epic|incident)\b(?:\s+instead(?: of an? \p{L}+)?)?/diu,
          true,
        ),
      );
    // "bump DEMO-3 to high", "make it low priority"
    if (
      field.name === "priority" &&
      !Object.hasOwn(fields, field.name) &&
      !/\b(?:label|tag)/i.test(wish.text)
    )
      take(
        field,
        matchPiece(
          sheet.masked,
          /(?:\b(?:to|as|a)\s+)?\b(highest|high|medium|low|lowest|critical|urgent)\b(?:\s+prio(?:rity)?)?/diu,
          true,
        ),
      );
  }
  return fields;
}

/** What a label is replaced by, with the place of all that says so. */
function swappedIn(masked: string): Piece | undefined {
  const found = SWAPPED.exec(masked);
  const value = found?.groups?.["instead"];
  return found === null || value === undefined
    ? undefined
    : { value, start: found.index, end: found.index + found[0].length };
}

const LEVEL = /^(?:highest|high|medium|low|lowest|critical|urgent)(?=[\s?.!;,])/i;
const KEYED = /\b[A-Z][A-Z0-9_]{1,9}-\d+\b/;

/** What takes any words needs a word before them that says so. */
function takesAnyWords({ kind, words }: Slot): boolean {
  return (
    kind === "title" ||
    kind === "body" ||
    kind === "date" ||
    words.includes("due") ||
    words.at(-1) === "description"
  );
}

/** Days that are counted from another one, that are over, or that two readers would read differently. */
const UNSURE_DAY =
  /\b(?:earlier|later|before|after|by|last|previous|ago)\b|\d\/\d|\bthe \d+(?!\d|st\b|nd\b|rd\b|th\b)|[A-Z]-\d/i;

function toDate(text: string, around: FillContext): string | undefined {
  const exact =
    /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ??
    /^(?<day>\d{1,2})\.\s?(?<month>\d{1,2})\.\s?(?<year>\d{4})$/.exec(text);
  if (exact) {
    const { year = exact[1], month = exact[2], day = exact[3] } = exact.groups ?? {};
    const date = new Date(Number(year), Number(month) - 1, Number(day), 12);
    return date.getMonth() === Number(month) - 1 ? toDay(date) : undefined;
  }
  const found = UNSURE_DAY.test(text) ? undefined : around.dates.find(text, around.now);
  return found && toDay(found.value);
}

function toFieldValue(field: Slot, said: string, around: FillContext): JsonObject[string] | undefined {
  const text = said.replace(/^(?:to|as)\s+/i, "");
  if (field.kind === "date" || field.words.includes("due")) return toDate(text, around);
  if (field.kind === "person" && /^(?:me|myself)$/i.test(text)) return "me";
  const value = toValue(field, text);
  return typeof value === "string" && field.kind !== "title" && field.kind !== "body"
    ? canonicalChoice(field.name, value, field.values)
    : value;
}

/** Of an issue nobody has to name its fields. */
const OF_ISSUES = wordSet("summary description priority labels due_date");
const ALL_FIELDS = { name: "fields", description: "" };

const COMMON_FIELDS =
  "summary title description priority labels assignee status due_date type name body".split(" ");

/** Where a schema leaves the fields of an object open, its description names them. */
function describedFields({ name, description }: Pick<Slot, "name" | "description">): Slot[] {
  const text = description.toLowerCase();
  const named = COMMON_FIELDS.filter((name) => text.includes(name.replace("_", " ")) || text.includes(name));
  // What is open for anything is no place for what has a name.
  const isOpenTo =
    named.length === 0 && /^(?:fields|updates?|changes|properties|attributes|values|data)$/.test(name);
  return (isOpenTo ? COMMON_FIELDS : named).map((field) => ({
    name: field,
    words: field.split("_"),
    description: "",
    required: false,
    kind: field === "labels" ? "list" : field === "summary" || field === "title" ? "title" : "text",
    values: [],
    examples: [],
    nested: [],
  }));
}

/** 'Update page 12 with "…"': what it is replaced with is its text, and no title. */
function fillReplaced(filling: Filling): void {
  const { entry, sheet, wish } = filling;
  const slot = entry.slots.find((each) => /^(?:content|body|text)$/.test(each.name) && isOpen(filling, each));
  if (
    !entry.intents.has("update") ||
    slot === undefined ||
    /\b(?:title|name|rename\p{L}*)\b/iu.test(wish.text)
  )
    return;
  const found = matchPiece(
    sheet.masked,
    new RegExp(
      `\\b(?:with|to say|to read)\\s+(?:the\\s+)?(?:(?:new\\s+)?(?:text|content|body|words)\\s+)?(${ANY_QUOTED})`,
      "diu",
    ),
    true,
  );
  if (found) put(filling, slot, valueOf(filling, found), found);
}

/** Titles, then long texts, each by its label, then by the colon, then by what is in quotes. */
function fillTexts(filling: Filling): void {
  const slots = filling.entry.slots.filter((slot) => isOpen(filling, slot));
  const titles = slots.filter((slot) => slot.kind === "title");
  const others = slots.filter((slot) => slot.kind === "body" || slot.kind === "text");
  for (const slot of others) fillLabelledText(filling, slot);
  for (const slot of titles) {
    const found =
      filling.wish.head?.lower === "rename" ? matchPiece(filling.sheet.masked, renamed(), true) : undefined;
    if (found) put(filling, slot, valueOf(filling, found), found);
    else fillLabelledText(filling, slot);
  }
  const wanted = [...titles, ...others].filter((slot) => slot.required || slot.kind === "body");
  for (const slot of wanted.filter((each) => each.required)) fillUnlabelled(filling, slot);
  for (const slot of titles.filter((each) => each.required && isOpen(filling, each)))
    fillSubject(filling, slot);
  fillTextList(filling);
  const [rest] = wanted.filter((slot) => !slot.required && isOpen(filling, slot));
  if (rest && filling.entry.changing) fillFromTail(filling, rest);
}

/** "A task in OPS to renew the certificate", "a bug that the app crashes": what the new thing is about. */
function fillSubject(filling: Filling, slot: Slot): void {
  if (!filling.entry.intents.has("create")) return;
  const { text, masked } = filling.sheet;
  const found = matchPiece(
    text,
    new RegExp(
      `\\b${WORK}\\b[^,;:]*?\\s(?:that|to|about|where|because|for)\\s+(${FREE}\\s${FREE})${END}`,
      "diu",
    ),
  );
  const isOpenText = found !== undefined && masked.slice(found.start, found.end) === found.value;
  if (isOpenText) put(filling, slot, toValue(slot, found.value.trim()), found);
}

/** Texts for the one list that is left: what is in quotes, or behind the colon. */
function fillTextList(filling: Filling): void {
  const { entry, sheet, wish } = filling;
  const [slot, ...others] = entry.slots.filter(
    ({ kind, name, required }) => kind === "list" && required && !Object.hasOwn(filling.args, name),
  );
  if (slot === undefined || others.length > 0 || (slot.items !== undefined && slot.items !== "string"))
    return;
  const texts = sheet.openQuotes();
  if (wish.tail && isFree(filling, wish.tail) && texts.length === 0) texts.push(wish.tail);
  for (const { start, end } of texts) sheet.take(start, end);
  // Of a thing that is named and described nothing else need be known.
  const isKnown =
    entry.changing && entry.slots.filter(({ name, required }) => required && name !== slot.name).length > 1;
  if (texts.length > 0 || isKnown) filling.args[slot.name] = texts.map(({ value }) => value);
}

function fillLabelledText(filling: Filling, slot: Slot): void {
  const { wish, sheet } = filling;
  const labels = labelsOf(slot).join("|");
  if (wish.tail && isFree(filling, wish.tail)) {
    // "jql: project = DEMO", "… with the description: …"
    const label = new RegExp(`(?<![\\p{L}\\p{N}])(?:with )?(?:the )?(?:${labels})\\s*:\\s*$`, "iu").exec(
      sheet.masked.slice(0, wish.tail.start),
    );
    if (label) {
      put(
        filling,
        slot,
        toValue(slot, wish.tail.value),
        { start: label.index, end: wish.tail.end },
        label.index === 0 ? 1 : 0,
      );
      return;
    }
  }
  const quoted = findLabelled(filling, slot, ANY_QUOTED);
  const free = `(?<![\\p{L}\\p{N}])(?:with )?(?:the |an? )?(?:${freeLabels(slot).join("|")})\\s+(?:is |of |as |to )?(${FREE})${END}`;
  const found =
    quoted ?? (slot.kind === "text" ? undefined : matchPiece(sheet.masked, new RegExp(free, "diu"), true));
  if (!found || found.value.trim() === "") return;
  if (!quoted && wish.tail && found.start < wish.tail.start && slot.kind === "body") return;
  put(filling, slot, toValue(slot, valueOf(filling, found)), found);
}

/** Labels that bare words may follow; a noun such as "page content" needs quotes. */
function freeLabels({ kind, words }: Slot): string[] {
  if (kind === "title")
    return [
      "titled",
      "entitled",
      "called",
      "named",
      "(?:title|summary|subject) (?:is|of|to)",
      "(?:with|and) (?:the )?(?:title|summary|subject)",
    ];
  return words.at(-1) === "description"
    ? ["described as", "with (?:the )?description"]
    : [
        "saying(?: that)?",
        "that says",
        "which says",
        "say that",
        "reading",
        "with (?:the )?(?:body|content|text)",
        ...(words.at(-1) === "message" ? ["with (?:the |an? )?(?:\\p{L}+ )?message"] : []),
      ];
}

function fillUnlabelled(filling: Filling, slot: Slot): void {
  if (!isOpen(filling, slot) || fillFromTail(filling, slot)) return;
  const { sheet, wish, entry } = filling;
  const [quote] = sheet.openQuotes();
  if (quote) return put(filling, slot, toValue(slot, quote.value), quote);
  // "create a ticket for the broken printer": what a new thing is about is its title, if it is more than a word.
  if (slot.kind === "title" && wish.intents.has("create")) {
    const text = wish.topic ? pieceLeft(filling, wish.topic) : "";
    if (wish.topic && text.includes(" ") && !ASIDE.test(text)) return put(filling, slot, text, wish.topic);
    // "a bug for MOB, crash on startup, high priority"
    const piece = matchPiece(
      sheet.masked,
      new RegExp(`(?:,|\\s[–-])\\s+([^,${TAKEN}${QUOTED}]+\\s[^,${TAKEN}${QUOTED}]+?)(?=\\s*(?:,|$))`, "diu"),
    );
    if (piece && !ASIDE.test(piece.value)) put(filling, slot, valueOf(filling, piece), piece);
    return;
  }
  const that =
    wish.intents.has("comment") && slot.kind === "body"
      ? matchPiece(
          sheet.masked,
          /\b(?:that|saying)\s+(?!(?:on|under|to)\s+(?:it|this)\b)(\S+\s\P{C}+)$/du,
          true,
        )
      : undefined;
  if (that) return put(filling, slot, valueOf(filling, that), that);
  // "comment DEMO-5 looks good to me"
  const plain =
    wish.intents.has("comment") && slot.kind === "body"
      ? new RegExp(
          `^\\W*(?:comment|reply|add a comment|note)(?: on| to)?\\s+${TAKEN}+\\s+(?!for\\b|please\\b|that\\b|with\\b|what\\b|about\\b)(\\P{C}*\\p{L}\\P{C}*)$`,
          "diu",
        )
      : undefined;
  const body = plain && matchPiece(sheet.masked, plain);
  if (body) return put(filling, slot, valueOf(filling, body), body);
  // "echo hello world": what follows the tool's own verb goes to the one argument that takes any text.
  const isOwnVerb =
    wish.head !== undefined &&
    entry.verbs.has(wish.head.stem) &&
    entry.slots.filter(({ required }) => required).length === 1;
  if (
    !isOwnVerb ||
    (entry.changing && entry.intents.size > 0) ||
    slot.words.some((word) => LANGUAGES.has(word))
  )
    return;
  const text = pieceLeft(filling, {
    start: Math.max(wish.bodyAt, wish.head?.end ?? 0),
    end: sheet.text.length,
  });
  // "add a business insight" says in the tool's own words what is wanted, and not what it is.
  const isThing = tokenize(text).every(
    ({ stem, lower }) => entry.vocabulary.has(stem) || STOP_WORDS.has(lower) || lower === "new",
  );
  if (isThing || !fits(slot, text) || (slot.kind !== "body" && slot.kind !== "text")) return;
  filling.args[slot.name] = toValue(slot, text);
  filling.guessed += 1;
  sheet.take(0, sheet.text.length);
}

/** How much it matters, or who has how much to do, is no title of what is made. */
const ASIDE =
  /^(?:it|this|that)(?:['’]?s| is)\s+(?:\p{L}+\s+)?(?:urgent|important|critical|needed|a blocker|asap|(?:low|high|medium)(?:est)?(?: prio\w*)?)\W*$|^\p{L}+\s+(?:already\s+(?:has|have)\b|(?:has|have)\s+(?:too many|enough|too much)\b|is\s+(?:away|out|off|busy|on (?:holiday|vacation|leave))\b)/iu;

function fillFromTail(filling: Filling, slot: Slot): boolean {
  const { tail } = filling.wish;
  if (!tail || !isFree(filling, tail) || !isOpen(filling, slot)) return false;
  // 'A bug in MOB: "Cart badge shows 0"?' asks for it, and is no question itself.
  const quoted = /^["“]([^"”]+)["”]\s*[?.!]*$/u.exec(tail.value)?.[1];
  put(filling, slot, toValue(slot, slot.kind === "title" ? (quoted ?? tail.value) : tail.value), tail);
  return true;
}

/** Nothing behind the colon is taken yet. */
function isFree({ sheet }: Filling, { start, end }: Piece): boolean {
  return !sheet.masked.slice(start, end).includes(TAKEN);
}

/** What is left of a sentence is no sentence of another language. */
const LANGUAGES = wordSet("sql jql cql promql graphql regex regexp script code expression lucene xpath");

/** Search words: what the sentence is about, without what was understood as a verb, a thing or a filter. */
function fillQuery(filling: Filling): void {
  const slot = filling.entry.slots.find((each) => each.kind === "query");
  if (!slot || !isOpen(filling, slot) || takesSql(filling, slot)) return;
  const { wish, sheet, entry } = filling;
  if (entry.slots.some((each) => each.kind === "text" && !isOpen(filling, each))) return;
  const quotes = sheet.openQuotes();
  const [quote] = quotes;
  // What changes something is not made of words that are left over.
  if (entry.changing && !quote) return;
  // How something is done is looked for by all that was said of it.
  const isAll = wish.howTo && !STRONG_TOPIC.test(wish.text);
  const value =
    quote && quotes.length === 1
      ? quote.value
      : isAll
        ? contentOf(filling)
        : wish.topic
          ? [saidBy(filling), withoutThing(filling, pieceLeft(filling, wish.topic))].filter(Boolean).join(" ")
          : restOf(filling);
  // "The disk alert went off. Where do I look first?" is about what was told.
  const told = isTelling(value) || quote ? "" : withTold("", filling.around.told ?? []).trim();
  const words = told === "" ? value : told;
  if (value === "") return;
  filling.args[slot.name] = words;
  const left = leftovers(filling);
  const [start, end] = wish.topic
    ? [wish.topic.start, wish.topic.end]
    : [left[0]?.start ?? 0, left.at(-1)?.end ?? 0];
  sheet.take(start, end);
  if (quote) sheet.take(quote.start, quote.end);
}

/** Whether words say anything by themselves: "that", "first" and "isn't there" do not. */
function isTelling(words: string): boolean {
  return tokenize(words).some(
    ({ lower }) => !STOP_WORDS.has(lower) && !/^(?:first|next|last|now|there)$/.test(lower),
  );
}

const STRONG_TOPIC = /\b(?:about|regarding|concerning|related to)\b/i;

/** The words of a question that say something, in their order. */
function contentOf(filling: Filling): string {
  const { wish, sheet } = filling;
  const words = wish.tokens
    .filter(
      ({ lower, start }) =>
        !STOP_WORDS.has(lower) && sheet.masked[start] !== TAKEN && sheet.masked[start] !== QUOTED,
    )
    .map(({ text }) => text)
    .join(" ");
  return filling.entry.kin.has(stemOf("page")) ? withTold(words, filling.around.told ?? []) : words;
}

/** "what do our API guidelines say about errors": whose words they are is looked for as well. */
function saidBy({ wish, entry }: Filling): string {
  const who =
    /^what (?:does|do|did) (?:the |our |my )?(.{1,40}?) (?:say|says|tell|know)\b/i.exec(wish.text)?.[1] ?? "";
  const words = tokenize(who).filter(
    ({ lower, stem }) => !STOP_WORDS.has(lower) && !entry.kin.has(stem) && !entry.places.has(stem),
  );
  return words.length < 2 ? "" : who;
}

/** "search for the checkout timeout issue": the last word says what is searched, where the tool is about that. */
function withoutThing({ entry }: Filling, text: string): string {
  const words = tokenize(text);
  const last = words.at(-1);
  const isThing = words.length > 1 && last?.end === text.length && entry.kin.has(last.stem);
  return isThing ? text.slice(0, last.start).trim() : text;
}

/** A piece without the filters that were taken from it, trimmed of small words and marks. */
function pieceLeft({ sheet }: Filling, { start, end }: Pick<Piece, "start" | "end">): string {
  const text = sheet.text
    .slice(start, end)
    .split("")
    .map((char, at) => (sheet.masked[start + at] === TAKEN ? " " : char))
    .join("");
  return text
    .replace(/\s+/g, " ")
    .replace(/^[\s,.;:–-]+/, "")
    .replace(/^(?:(?:the|an?|our|my|any|some|that|those|these)\s+)+/i, "")
    .replace(/^(?:(?:named|called|titled)|(?:by|with) the (?:name|title)(?: of)?)\s+/i, "")
    .replace(/[\s?!.,;]+$/, "")
    .replace(
      /(?:\s+(?:in|on|for|of|to|the|by|with|and|that|are|is|were|was|from|please|pls|plz|thanks|thx|yet|now|first|lately|recently))+$/i,
      "",
    )
    .trim();
}

/** The words that nothing has explained yet. */
function leftovers({ wish, entry, sheet }: Filling): Token[] {
  return wish.tokens.filter(
    (token) =>
      token.start >= wish.bodyAt &&
      !wish.keys.some(({ start }) => start === token.start) &&
      sheet.masked[token.start] !== TAKEN &&
      sheet.masked[token.start] !== QUOTED &&
      !(entry.takesTopic && /^(?:items?|moment|work|pieces?|undertakings?)$/.test(token.lower)) &&
      (token !== wish.head || (wish.verbless && !hasVerb(entry.verbs, token.stem))) &&
      !STOP_WORDS.has(token.lower) &&
      !/\bhow\s+$/i.test(wish.text.slice(0, token.start)) &&
      (isPartOfName(wish, token) || (!entry.kin.has(token.stem) && !entry.places.has(token.stem))),
  );
}

/** "Engineering Handbook": the word for a thing is part of its name where it is written like one. */
function isPartOfName({ tokens, text }: Wish, token: Token): boolean {
  const before = tokens[tokens.indexOf(token) - 1];
  if (before === undefined || text.slice(before.end, token.start) !== " " || before.start === 0) return false;
  return /^\p{Lu}\p{Ll}/u.test(token.text) && /^\p{Lu}\p{Ll}/u.test(before.text);
}

function restOf(filling: Filling): string {
  const left = leftovers(filling);
  const { text } = filling.wish;
  const isFiltered = filling.entry.slots.some(
    ({ name, kind }) =>
      kind !== "query" && Object.hasOwn(filling.args, name) && !filling.assumed.includes(name),
  );
  // Beside conditions, what is looked for are not the words of a clause that tells whose wish it is.
  const clause = isFiltered ? CLAUSE.exec(text.slice(left[0]?.start ?? 0)) : null;
  const from = (left[0]?.start ?? 0) + (clause?.index ?? Infinity);
  const near = left.filter(({ start }) => start < from);
  // Of a count, or beside other conditions, words that no title has and no topic says are about nothing that is kept.
  const { known = [] } = filling.around;
  const isTelling = near.some(({ stem }) => titleWeight(stem, known, filling.entry.tool.server) > 0);
  const isKnown = known.some(({ kind, server }) => kind === "issue" && server === filling.entry.tool.server);
  const said = filling.wish.counts && isKnown && !isTelling ? [] : near;
  const [first, last] = [said[0], said.at(-1)];
  return first && last ? pieceLeft(filling, { start: first.start, end: last.end }) : "";
}

/** "… that I could take", "… so we can plan", "… would be perfect" */
const CLAUSE =
  /\b(?:that|which|who|so that|so|as|because|since|for)\s+(?:i|we|you|they|he|she|it)\b|\b(?:i|we|you|they|he|she)\s+(?:can|could|would|should|will|may|might|want|need|have to)\b|\b(?:would|could|should|will|can|must)\s+(?:be|wait|have|do|help|go)\b/i;
