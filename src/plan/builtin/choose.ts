import { isDeepStrictEqual } from "node:util";

import type { JsonObject, JsonValue } from "#contract/json.ts";

import { isObject } from "../../base/json.ts";
import { asText } from "../model-text.ts";
import type { Slot } from "../slot.ts";
import { fill, type Filled } from "./fill.ts";
import { wantedState } from "./fill-words.ts";
import { type FillContext, namedValues, namesOne } from "./filling.ts";
import { type Saying, sayingsIn } from "./sayings.ts";
import { createSheet } from "./sheet.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import { hasVerb, impliedBy, type Intent, isChangeVerb, isKin, isOtherChange } from "./verbs.ts";
import type { Wish } from "./wish.ts";
import { stemOf, STOP_WORDS, type Token, tokenize } from "./words.ts";

/** Below this a guess is not worth a call. */
const CONFIDENT = 1.2;
/** Only so many tools are filled from the sentence; the others are out by their words. */
const TRIED = 40;
const BARE_SEARCHES = 3;
const DOCUMENTATION = stemOf("documentation");

const NEIGHBOURS: Partial<Record<Intent, Partial<Record<Intent, number>>>> = {
  update: { move: 0.6, assign: 0.6 },
  move: { update: 0.5 },
  create: { comment: 0.5 },
  assign: { update: 0.6 },
  comment: { create: 0.3 },
  list: { export: 0.4 },
};

const GENERIC = new Set(
  "show get read list search find create add make open update edit set change delete remove write move give run start"
    .split(" ")
    .map(stemOf),
);

/** What a wish asks for, or undefined where no tool does that. */
export function choose(wish: Wish, index: ToolIndex, around: FillContext): Choice | undefined {
  const [best, ...others] = completeFirst(candidates(wish, index, around), wish);
  if (best && (best.score >= CONFIDENT || isNamedAlone(best, wish))) {
    if (changesNothing(best) || isNameless(best)) return undefined;
    const open = undecided(best, others, wish, index, around);
    return open ?? (isHalfRead(best, wish) ? undefined : toChoice(best, wish));
  }
  return bareSearch(wish, index, around);
}

/** A look at one record, of which nothing says which. */
function isNameless({ entry, args }: Candidate): boolean {
  const named = entry.slots.filter(({ kind }) => kind === "key" || kind === "id" || kind === "title");
  return (
    !entry.changing &&
    entry.intents.has("read") &&
    !["list", "search", "count"].some((intent) => entry.intents.has(intent as Intent)) &&
    named.length > 0 &&
    entry.slots.every(({ required }) => !required) &&
    entry.call.tool === entry.tool.id &&
    Object.keys(args).length === 0
  );
}

/**
 * Of a look-up that takes no words to search for, whether something that was said has no place in it: a number, a name
 * beside values that are none, or what is asked for itself. A person is offered it as a form instead.
 */
function isHalfRead(
  { entry, args, guessed, missing, stray, strayQuotes }: Candidate,
  { text }: Wish,
): boolean {
  if (entry.changing || entry.takesTopic || missing.length > 0) return false;
  const unknown = stray.filter(({ stem }) => !entry.vocabulary.has(stem));
  const values = JSON.stringify(args);
  // The 2 of "m/s^2" is no number of its own, and one that a value has as well is said twice.
  const isNumber = (token: Token): boolean =>
    /\d/.test(token.text) && text[token.start - 1] !== "^" && !values.includes(token.text);
  if (strayQuotes > 0 || stray.some(isNumber)) return true;
  // "The commits by octocat" of a tool that takes no author.
  if (unknown.some(({ start }) => /\bby\s+$/i.test(text.slice(0, start)))) return true;
  // "The tags of acme/shop" of one that lists issues.
  const listed = stemOf((LISTED.exec(text)?.[1] ?? "").toLowerCase());
  if (OF_CODE.has(listed) && !entry.kin.has(listed)) return true;
  const isLoose = ({ name, kind }: Slot): boolean =>
    /^(?:text|title)$/.test(kind) && /^\p{Ll}/u.test(asText(args[name] ?? ""));
  const isNamed = unknown.some((token) => token.start > 0 && /^\p{Lu}/u.test(token.text));
  const isFree = ({ name, kind, required }: Slot): boolean =>
    !required && /^(?:text|title|person|list)$/.test(kind) && !Object.hasOwn(args, name);
  if (isNamed && entry.slots.some((slot) => isLoose(slot) || isFree(slot))) return true;
  if (
    guessed > 0 &&
    entry.slots.some((slot) => isLoose(slot) && !namedIn(asText(args[slot.name] ?? ""), slot))
  )
    return true;
  // A path or an address is what it is about, whatever else is said.
  if (
    entry.slots.some(
      ({ kind, name }) => ADDRESSED.test(kind === "list" ? name : kind) && Object.hasOwn(args, name),
    )
  )
    return false;
  // "Who won the final?"
  const asked = tokenize(ASKED.exec(text)?.[1] ?? /^\W*who\s+(\p{L}+)/iu.exec(text)?.[1] ?? "");
  const last = asked.at(-1)?.stem;
  return (
    unknown.some(({ stem }) => stem === last) &&
    !asked.some(({ stem }) => entry.kin.has(stem) || entry.places.has(stem))
  );
}

const LISTED =
  /^\W*(?:(?:please|show|list|get|give|what|which|are|is|all|the|me|my|our|latest|newest|last|recent|open)\s+)*(\p{L}+)\s+(?:of|in|for|from|on)\b/iu;
/** What a place for code keeps beside files, commits, issues and pull requests. */
const OF_CODE: ReadonlySet<string> = new Set(
  "branch tag release milestone contributor collaborator fork star workflow artifact deployment webhook member"
    .split(" ")
    .map(stemOf),
);
const ADDRESSED = /^(?:path|url|email|id)$|path|url|file/i;

function namedIn(value: string, slot: Slot): boolean {
  return namedValues(slot).some((each) => each.toLowerCase() === value.toLowerCase());
}

/** What somebody wants to know: "Calculate the area of …", "What is the mean of …". */
const ASKED =
  /^\W*(?:(?:please|can you|could you)\s+)*(?:what(?:['’]s| is| are| was| were)|calculate|compute|find(?: out)?|get|determine|identify|estimate|tell|give|show)\s+(?:me\s+)?(?:the\s+|an?\s+)?(.+?)(?=\s+(?:of|for|in|from|between|to|at|on|by|with|is|are|was|were|given|if|that|which|who|using|needs?|an?|the|it|i|we|you)\b|[,.?]|$)/i;

/** "Show me all epics" is for a tool that lists some, and not for one that has to be told which. */
function completeFirst(found: readonly Candidate[], wish: Wish): readonly Candidate[] {
  const [best] = found;
  if (best === undefined || best.entry.changing || best.missing.length === 0) return found;
  const isPlural = wish.tokens.some(
    ({ lower, stem }) => /[^s]s$/.test(lower) && best.entry.objects.has(stem),
  );
  const whole = found.find(
    ({ entry, missing, stray, args }) =>
      !entry.changing && missing.length + stray.length === 0 && Object.keys(args).length > 0,
  );
  return isPlural && whole ? [whole, ...found.filter((one) => one !== whole)] : found;
}

/** "fetch something": the tool's own verb and nothing that is not understood. */
function isNamedAlone({ entry, missing, stray, strayKeys, score }: Candidate, { head }: Wish): boolean {
  const isOwn = head !== undefined && entry.verbs.has(head.stem) && !GENERIC.has(head.stem);
  return isOwn && missing.length > 0 && stray.length + strayKeys === 0 && score > 0;
}

/** The tools that may be meant, the likeliest first. The same wish is read in many ways of one message. */
export function candidates(wish: Wish, index: ToolIndex, around: FillContext): readonly Candidate[] {
  const before = ranked.get(wish);
  if (before?.index === index && isDeepStrictEqual(before.around, around)) return before.found;
  const found = rank(wish, index, around);
  ranked.set(wish, { index, around, found });
  return found;
}

interface Ranked {
  index: ToolIndex;
  around: FillContext;
  found: readonly Candidate[];
}

const ranked = new WeakMap<Wish, Ranked>();

function rank(wish: Wish, index: ToolIndex, around: FillContext): Candidate[] {
  const lexical = index.rank(wish);
  const sayings = wish.changing
    ? []
    : sayingsIn(createSheet(wish.text).masked.slice(0, wish.tail?.start)).filter(({ told }) =>
        index.entries.some(({ changing, about }) => !changing && told.test(about)),
      );
  const spokenOf = ({ changing, about }: ToolEntry): Saying[] =>
    changing ? [] : sayings.filter(({ told }) => told.test(about));
  const likelihood = (entry: ToolEntry): number =>
    wish.howTo && isWritten(entry)
      ? 1
      : (lexical.get(entry.tool.id) ?? 0) +
        (spokenOf(entry).length > 0 ? 1 : 0) +
        (wish.keys.length > 0 && entry.slots.some(({ kind, required }) => kind === "key" && required)
          ? 0.3
          : 0) +
        (wish.head !== undefined && hasVerb(entry.verbs, wish.head.stem) ? 0.2 : 0);
  const likely =
    index.entries.length <= TRIED * 2
      ? index.entries
      : index.entries
          .filter(
            (entry) =>
              lexical.has(entry.tool.id) ||
              spokenOf(entry).length > 0 ||
              (wish.howTo && isWritten(entry)) ||
              (wish.keys.length > 0 && entry.slots.some((slot) => slot.kind === "key" && slot.required)),
          )
          .toSorted((one, other) => likelihood(other) - likelihood(one))
          .slice(0, TRIED);
  const number = /\bpage\s+#?(\d{3,})(?![\w-])/i.exec(wish.text)?.[1];
  const paged = index.entries.some(({ changing, slots }) => !changing && slots.some(isPageId))
    ? number
    : undefined;
  const found: Candidate[] = [];
  for (const entry of likely) {
    const intent = intentScore(wish, entry);
    if (intent <= 0) continue;
    const spoken = spokenOf(entry);
    const filled = without(fill(entry, wish, around), spoken);
    if (spoken.length === 0 && !isSupported(wish, entry, filled, index)) continue;
    if (entry.changing && (speaksOfOther(wish, entry) || isForOther(wish, entry, index))) continue;
    const byVerb = wish.head !== undefined && hasVerb(entry.verbs, wish.head.stem);
    if (entry.changing && byVerb && !isOrdered(wish, filled)) continue;
    // A quoted text that has no place would be lost where something is written.
    if (entry.changing && filled.strayQuotes > 0 && filled.missing.length === 0) continue;
    // "Commit what is staged": the verb is another tool's own.
    if (!entry.changing && !byVerb && wish.verbless && isOthersVerb(wish, index)) continue;
    if (!entry.changing && !entry.takesTopic && isStrangeOrder(wish, entry)) continue;
    // A read that names a record is about that record.
    if (!entry.changing && wish.keys.length > 0 && filled.strayKeys >= wish.keys.length && takesKeys(index))
      continue;
    // So is one that names a page by its number.
    if (!entry.changing && paged !== undefined && !takesId(entry, filled.args, paged)) continue;
    // The schema of its tool does not say what this needs, so nobody would be asked for it.
    if (filled.missing.length > 0 && entry.call.tool !== entry.tool.id) continue;
    // A key says more than the words around it: "is OPS-2 done yet" is about OPS-2.
    const words = filled.strong >= 1 ? 0.4 : 0.7;
    const score =
      words * (lexical.get(entry.tool.id) ?? 0) +
      pathScore(filled) +
      (spoken.length > 0 ? SPOKEN : 0) +
      (movesTo(wish, entry) ? 0.6 : 0) +
      intent +
      objectScore(wish, filled, index, spoken.length > 0 ? [] : sayings) +
      (saysName(wish, filled, index) ? 0.6 : 0) -
      (!entry.takesTopic && isDescribed(wantedWords(wish, entry), filled) ? -0.5 : excess(wish, entry)) -
      waste(wish, filled) +
      fitScore(filled) +
      filterScore(filled) -
      (isForPart(wish, entry, index) ? FOR_PART : 0) -
      // A record is named, and it wants another kind of record.
      (entry.changing && filled.strayKeys > 0 && filled.missing.length > 0 ? 1 : 0) +
      thingScore(wish, filled, index) +
      usageScore(filled, index);
    found.push({ ...filled, score });
  }
  // "start sprint 42" is for the tool that starts sprints, and for none that begins something else.
  const said = new Set(wish.tokens.map(({ stem }) => stem));
  const saysVerb = ({ entry }: Candidate): boolean => entry.verbs.has(wish.head?.stem ?? "");
  const isNamed = ({ objects }: ToolEntry): boolean =>
    [...objects].every((stem) => said.has(stem) || index.common.has(stem));
  // A label of a page is added to no issue.
  const isNamedWhole = found.some(
    (one) => one.entry.changing && saysVerb(one) && isNamed(one.entry) && one.strayKeys === 0,
  );
  const meant = found.filter((one) => !isNamedWhole || !one.entry.changing || saysVerb(one));
  const sorted = meant.toSorted(
    (one, other) => other.score - one.score || (one.entry.tool.id < other.entry.tool.id ? -1 : 1),
  );
  // "DEPRECATED: Use read_text_file instead."
  const advice = DEPRECATED.exec(sorted[0]?.entry.tool.description ?? "")?.[0] ?? "";
  const successor = sorted.find(({ entry }) => advice.includes(entry.tool.name));
  return successor ? [successor, ...sorted.filter((one) => one !== successor)] : sorted;
}

function isPageId({ kind, words }: Slot): boolean {
  return kind === "id" && words.includes("page");
}

function takesId({ slots }: ToolEntry, args: JsonObject, id: string): boolean {
  return slots.some(({ kind, name }) => kind !== "query" && asText(args[name] ?? "") === id);
}

/** What a server says to call instead of a tool. */
const DEPRECATED = /\bdeprecated\b.*/is;

/** Who says in other words what a tool shows means it, whatever words others have. */
const SPOKEN = 1.4;

/** Without the words that are explained by what is said with them. */
function without(filled: Filled, sayings: readonly Saying[]): Filled {
  return sayings.length === 0
    ? filled
    : { ...filled, stray: filled.stray.filter((token) => !isWithin(token, sayings)) };
}

function isWithin({ start, end }: Token, sayings: readonly Saying[]): boolean {
  return sayings.some((one) => start >= one.start && end <= one.end);
}

/** "My open tickets" are what `get_my_open_issues` is for: all of its name is said, and nothing else. */
function saysName({ tokens }: Wish, { entry, stray }: Filled, { common }: ToolIndex): boolean {
  if (entry.changing || stray.length > 0) return false;
  const said = new Set(tokens.map(({ stem }) => stem));
  const own = [...entry.objects].filter((stem) => !entry.places.has(stem) && !RECORDS.has(stem));
  const isKnown = [...entry.objects].some((stem) => RECORDS.has(stem) || common.has(stem));
  return own.length > 1 && isKnown && own.every((stem) => said.has(stem));
}

/**
 * "Delete ABC-1" is about ABC-1, and not about its votes: of a record that is named by its key alone no tool
 * changes something else, unless the wish begins with the tool's own verb or speaks of that.
 */
function isForOther(
  wish: Wish,
  { objects, places, verbs }: ToolEntry,
  { common, hasKeys }: ToolIndex,
): boolean {
  const { head, keys, tokens, intents } = wish;
  const isOwn =
    head !== undefined &&
    ((verbs.has(head.stem) && (wish.verbless || !GENERIC.has(head.stem))) || isKin(verbs, head.lower));
  if (keys.length === 0 || !hasKeys || isOwn) return false;
  const said = new Set(tokens.map(({ stem }) => stem));
  const isOther = (stem: string): boolean =>
    !said.has(stem) &&
    !places.has(stem) &&
    !common.has(stem) &&
    !RECORDS.has(stem) &&
    !(stem === "comment" && intents.has("comment"));
  return [...objects].some(isOther);
}

const RECORDS: ReadonlySet<string> = new Set(
  "issue ticket bug story task record item status state to of for in on by and or a an the"
    .split(" ")
    .map(stemOf),
);

/** "Change the reporter to ben" is no change of a tool that knows no reporter. */
function speaksOfOther({ tokens, tail }: Wish, { vocabulary, slots }: ToolEntry): boolean {
  const known = new Set([
    ...vocabulary,
    ...slots.flatMap(({ nested }) => nested.flatMap(({ words }) => words.map(stemOf))),
  ]);
  return tokens.some(
    ({ lower, stem, start }) => FIELDS.has(lower) && !known.has(stem) && start < (tail?.start ?? Infinity),
  );
}

const FIELDS: ReadonlySet<string> = new Set(
  "reporter watcher watchers sprint estimate points components component versions version attachment attachments worklog votes vote".split(
    " ",
  ),
);

function takesKeys({ entries }: ToolIndex): boolean {
  return entries.some(
    ({ changing, slots }) => !changing && slots.some(({ kind, required }) => kind === "key" && required),
  );
}

/** "Commits since monday" are things: nobody orders in the plural. */
function isPlural({ lower, stem }: Token): boolean {
  return /\p{L}[^s]s$/u.test(lower) && lower !== stem;
}

function isOthersVerb({ head, text, keys }: Wish, { entries }: ToolIndex): boolean {
  if (head === undefined || head.start !== 0 || keys.length > 0 || isPlural(head)) return false;
  if (STATE.test(text) || PREPOSITION.test(text.slice(head.end))) return false;
  const isOwn = isChangeVerb(head.lower);
  return entries.some(
    ({ changing, verbs }) => changing && ((isOwn && verbs.has(head.stem)) || isKin(verbs, head.lower)),
  );
}

/** "Revert 4f2a91c in /srv/app": an order that no word of the tool has is no wish to look. */
function isStrangeOrder({ head, text, verbless, question }: Wish, { vocabulary, verbs }: ToolEntry): boolean {
  if (head === undefined || head.start !== 0 || !verbless || question || !isOtherChange(head.lower))
    return false;
  if (STATE.test(text) || PREPOSITION.test(text.slice(head.end))) return false;
  return !vocabulary.has(head.stem) && !hasVerb(verbs, head.stem);
}

function intentScore(wish: Wish, entry: ToolEntry): number {
  const ownVerb = wish.head !== undefined && hasVerb(entry.verbs, wish.head.stem);
  if (entry.changing && !wish.changing && !ownVerb) return 0;
  if (!entry.changing && wish.changing && !ownVerb) return 0;
  // As an order "page" and "call" are no things: "call me a taxi" is not about who is on call.
  if (wish.order && !ownVerb && wish.head)
    if (
      !entry.vocabulary.has(wish.head.stem) ||
      entry.objects.has(wish.head.stem) ||
      /^\p{L}+\s+(?:me|us|him|her|them)\b/iu.test(wish.text)
    )
      return 0;
  if (entry.intents.size === 0) return ownVerb ? 1 : wish.changing ? 0 : 0.4;
  let score = ownVerb && !GENERIC.has(wish.head?.stem ?? "") ? 1 : 0;
  // "add the label …": the verb of the tool's name, and its thing.
  if (ownVerb && entry.changing && wish.tokens.some(({ stem }) => entry.objects.has(stem)))
    score = Math.max(score, 0.8);
  // "tag ABC-1 with …": the tool that adds tags
  if (entry.changing && wish.intents.has("update") && wish.head && entry.kin.has(wish.head.stem)) score = 1;
  // "Move ABC-1 under the epic ABC-2" for a tool that links to epics
  if (entry.intents.has("link") && wish.intents.has("move"))
    if (
      wish.tokens.some(({ stem }) => entry.objects.has(stem) && !RECORDS.has(stem) && !entry.places.has(stem))
    )
      score = Math.max(score, 0.8);
  for (const [intent, weight] of wish.intents) {
    if (entry.intents.has(intent)) score = Math.max(score, weight);
    for (const [near, share] of Object.entries(NEIGHBOURS[intent] ?? {}) as [Intent, number][])
      if (entry.intents.has(near)) score = Math.max(score, weight * share);
  }
  return score;
}

/** The words that name what is wanted: before the topic, outside of quotes. */
function wantedWords(wish: Wish, { takesTopic }: ToolEntry): Token[] {
  const end = Math.min(
    (takesTopic ? wish.topic?.start : undefined) ?? Infinity,
    wish.tail?.start ?? Infinity,
  );
  return wish.tokens.filter(
    (token) =>
      token.start < end &&
      !STOP_WORDS.has(token.lower) &&
      !/^[\d.,]+$/.test(token.text) &&
      (wish.verbless || token !== wish.head),
  );
}

const KIN_OF_OTHER = 0.7;

/** `others` are what is said of other tools: their words speak for none. */
function objectScore(
  wish: Wish,
  { entry, strong }: Filled,
  index: ToolIndex,
  others: readonly Saying[],
): number {
  let score = 0;
  for (const token of wantedWords(wish, entry)) {
    const { stem } = token;
    if (isWithin(token, others)) continue;
    if (entry.objects.has(stem)) score += 1;
    // "Boards" are projects only where no tool is about boards.
    else if (entry.kin.has(stem))
      score += index.named.has(`${entry.tool.server} ${stem}`) ? KIN_OF_OTHER : 0.9;
    else if (entry.places.has(stem)) score += 0.5;
    else if (entry.fields.has(stem)) score += 0.4;
    else if (entry.vocabulary.has(stem)) score += strong >= 1 ? 0.05 : 0.25;
    else if (index.things.has(stem)) score -= 0.4;
  }
  for (const token of wish.tokens)
    if (
      wish.topic &&
      token.start >= wish.topic.start &&
      token.end <= wish.topic.end &&
      entry.objects.has(token.stem)
    )
      score += 0.3;
  if (namesAtEnd(wish, entry)) score += 1;
  // "Which city is the capital of Mongolia?" asks for a capital.
  const asked = /\b(?:is|are|was|were)\s+the\s+(?:\p{L}+\s+)?(\p{L}+)\s+of\b/iu.exec(wish.text)?.[1];
  if (asked !== undefined && entry.objects.has(stemOf(asked.toLowerCase()))) score += 0.6;
  // How something is done is written down somewhere, if there is such a place.
  if (wish.howTo) score += isWritten(entry) ? 1 : index.things.has(DOCUMENTATION) ? -2 : 0;
  return Math.min(score, asked === undefined ? 2 : 2.6);
}

/** "search for the checkout timeout issue" asks for issues. */
function namesAtEnd({ bareSearch, topic, tokens }: Wish, { objects }: ToolEntry): boolean {
  if (!bareSearch || topic === undefined) return false;
  const inside = tokens.filter(({ start, end }) => start >= topic.start && end <= topic.end);
  const last = inside.at(-1);
  return inside.length > 1 && last !== undefined && objects.has(last.stem);
}

/** A record is not read without saying which, nothing is exported unasked, and a code is there for something. */
function waste(wish: Wish, { entry, args, stray }: Filled): number {
  const named = entry.slots.filter(({ kind }) => kind === "key" || kind === "id" || kind === "title");
  const isNameless =
    entry.intents.has("read") &&
    !/\d/.test(wish.text) &&
    named.length > 0 &&
    named.every(({ name, required }) => !required && !Object.hasOwn(args, name));
  const isExport = entry.intents.has("export") && !wish.intents.has("export");
  const codes = stray.filter(({ text }) => /^[A-Z]{2,10}$/.test(text)).length;
  return (isNameless ? 1.2 : 0) + (isExport ? 0.5 : 0) + 0.5 * codes;
}

/** Of two tools that fit alike the plain one: what a name speaks of and the wish does not is for others. */
function excess({ tokens }: Wish, { objects, places, kin, fields }: ToolEntry): number {
  const said = new Set(tokens.map(({ stem }) => stem));
  const isSaid = (stem: string): boolean => said.has(stem) || places.has(stem) || fields.has(stem);
  const extra = [...objects].filter(
    (stem) => !isSaid(stem) && ![...kin].some((each) => said.has(each) && objects.size === 1),
  );
  return Math.min(0.15 * Math.max(0, extra.length - (objects.size === extra.length ? 1 : 0)), 0.45);
}

const FOR_PART = 0.5;

/** "Show page 12" is no wish for `get_page_views`, where `get_page` is there: nobody spoke of its views. */
function isForPart({ tokens }: Wish, entry: ToolEntry, index: ToolIndex): boolean {
  if (entry.changing) return false;
  const said = new Set(tokens.map(({ stem }) => stem));
  const isSaid = (stem: string): boolean => said.has(stem) || entry.places.has(stem);
  return index.entries.some((other) => {
    const isPlain =
      other !== entry &&
      !other.changing &&
      other.tool.server === entry.tool.server &&
      [...other.verbs].some((verb) => entry.verbs.has(verb)) &&
      [...other.kin].some((stem) => said.has(stem)) &&
      [...other.objects].every((stem) => entry.kin.has(stem) || index.common.has(stem));
    const more = [...entry.objects].filter((stem) => !other.objects.has(stem));
    if (!isPlain || more.every(isSaid)) return false;
    // "Issues assigned to ben" are no assignable users.
    const isOther = [...said].some(
      (stem) => index.things.has(stem) && other.kin.has(stem) && !entry.kin.has(stem),
    );
    return isOther || !more.some(isSaid);
  });
}

/** A path without an ending is a folder, and one with an ending is a file. */
function pathScore({ entry, args }: Filled): number {
  const slot = entry.slots.find(({ kind, required }) => kind === "path" && required);
  const path = slot && args[slot.name];
  if (typeof path !== "string") return 0;
  const takesFolders = ["directori", "folder", "tree"].some((stem) => entry.objects.has(stem));
  const isFile = /\.[A-Za-z]\w{0,4}$/.test(path);
  return takesFolders === !isFile ? 0.3 : entry.objects.has("file") || takesFolders ? -0.5 : 0;
}

/** Whether the wish names a state and the tool moves records from one to another, be it by the id of the way there. */
function movesTo(wish: Wish, { slots }: ToolEntry): boolean {
  return (
    wish.intents.has("move") &&
    wantedState(wish) !== undefined &&
    slots.some(({ words }) => words.includes("transition") || words.includes("status"))
  );
}

/** Who asks for "the spaces" hardly wants pages with that word where another tool is about spaces. */
function thingScore(wish: Wish, { entry, args }: Filled, index: ToolIndex): number {
  const slot = entry.slots.find(({ kind }) => kind === "query");
  const query = slot === undefined ? undefined : args[slot.name];
  if (wish.topic !== undefined || wish.bareSearch || typeof query !== "string") return 0;
  const stems = tokenize(query, 10).map(({ stem }) => stem);
  return stems.every((stem) => index.things.has(stem) && !entry.kin.has(stem)) ? -0.8 : 0;
}

/** Of two reads the one that takes what was said as its conditions. */
function filterScore({ entry, args, assumed, conditions }: Filled): number {
  if (conditions !== undefined) return Math.min(0.6 * conditions, 0.9);
  if (entry.changing) return 0;
  const said = entry.slots.filter(
    ({ name, kind, required, words }) =>
      !required &&
      (entry.takesTopic ? CONDITIONS.has(kind) : /^(?:sort|order)/.test(words[0] ?? "")) &&
      Object.hasOwn(args, name) &&
      !assumed.includes(name),
  );
  return Math.min(0.6 * said.length, 0.9);
}

const CONDITIONS: ReadonlySet<string> = new Set(["enum", "status", "choice", "person", "date", "list"]);

function isWritten({ kin }: ToolEntry): boolean {
  return kin.has(DOCUMENTATION);
}

function fitScore(filled: Filled): number {
  const searches =
    Object.keys(filled.args).length > 0 && filled.entry.slots.some((slot) => slot.kind === "query");
  const keys = filled.strong > 0 ? 0 : filled.strayKeys;
  return (
    0.7 * Math.min(filled.strong, 3) -
    (filled.entry.changing ? 0.6 : 1.2) * filled.missing.length -
    keys -
    // What somebody quotes is to stand somewhere, above all where something is written.
    (filled.entry.changing ? 1.2 : 0.5) * filled.strayQuotes -
    filled.strayPaths -
    0.5 * filled.guessed -
    (searches ? 0 : Math.min(0.25 * unexplained(filled).length, 1)) -
    0.3 * filled.stray.filter(({ text }) => /^\d+$/.test(text)).length
  );
}

/** The words that not even the tool's description has; a tool that is about records says much of them in passing. */
function unexplained({ stray, entry: { vocabulary, takesTopic } }: Filled): Token[] {
  return takesTopic ? stray : stray.filter(({ stem }) => !vocabulary.has(stem));
}

/**
 * Whether anything beyond a common verb says that this tool is meant: the thing in its name, an argument
 * of a form that only it takes, its own rare verb, or most of the words in its description.
 */
function isSupported(wish: Wish, entry: ToolEntry, filled: Filled, index: ToolIndex): boolean {
  const words = wantedWords(wish, entry);
  const named = words.some(({ stem }) => entry.kin.has(stem) || entry.places.has(stem));
  if (
    entry.intents.has("link") &&
    filled.strong >= 2 &&
    (wish.intents.has("link") || (named && wish.intents.has("move")))
  )
    return true;
  const rareVerb =
    wish.head !== undefined && hasVerb(entry.verbs, wish.head.stem) && !GENERIC.has(wish.head.stem);
  if (wish.changing && !rareVerb) {
    const noun = directObject(wish, index.things);
    if (noun === undefined)
      return (
        named ||
        (!isForFile(wish, entry) && filled.strong >= 1 && (filled.stray.length === 0 || movesTo(wish, entry)))
      );
    if (
      filled.strong >= 1 &&
      Object.values(filled.args).some(
        (value) =>
          (isObject(value) && Object.keys(value).length > 0) ||
          (typeof value === "string" && value.startsWith('{"')),
      )
    )
      return true;
    // "Add label ui to issue 12": each of its words has its place.
    const isWhole = filled.missing.length + filled.stray.length === 0 && filled.strong >= 1;
    if (named && isWhole && entry.intents.has("update") && !changesNothing(filled)) return true;
    return isObjectOf(entry, noun) && (named || filled.strong >= 1 || isValueOf(entry, noun));
  }
  // "Incident process" is about no incident.
  const isTaken = (word: Token): boolean =>
    word === words.at(-1) &&
    entry.slots.some(
      ({ name, kind }) =>
        (kind === "choice" || kind === "enum" || kind === "status") &&
        stemOf(asText(filled.args[name] ?? "").toLowerCase()) === word.stem,
    );
  if (
    named ||
    rareVerb ||
    filled.strong >= 1 ||
    words.some((word) => isTaken(word) || isValueOf(entry, word))
  )
    return true;
  const searches = entry.slots.some((slot) => slot.kind === "query");
  if (wish.howTo) return isWritten(entry) && searches;
  // "What is waiting for review, oldest first": conditions of a search, and no other word.
  const said = entry.slots.filter(
    ({ kind, name }) => (CONDITIONS.has(kind) || kind === "code") && Object.hasOwn(filled.args, name),
  );
  if ((filled.conditions ?? 0) > 1 && filled.stray.length === 0) return true;
  const isOwn = said.some(({ kind }) => kind === "status" || kind === "person" || kind === "list");
  if (searches && !entry.changing && filled.stray.length === 0 && isOwn && said.length > 1) return true;
  if (searches && namesAtEnd(wish, entry)) return true;
  // "search the mailbox for …": a place that only its description names.
  const place = wish.bareSearch && searches && words.length > 0;
  if (place && words.every(({ stem }) => entry.vocabulary.has(stem))) return true;
  return isDescribed(words, filled);
}

/** "Add README.md to the index" makes nothing but a file of this name. */
function isForFile({ text, bodyAt }: Wish, { intents, kin, fields }: ToolEntry): boolean {
  const isFile = /^\s*(?:the\s+)?[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,4}(?![\w/])/i.test(text.slice(bodyAt));
  return isFile && intents.has("create") && !kin.has("file") && !fields.has("file");
}

/** Most of what is wanted stands in what the tool says of itself, or became its arguments. */
function isDescribed(words: readonly Token[], { entry, stray }: Filled): boolean {
  const known = words.filter(({ stem }) => entry.vocabulary.has(stem));
  const left = words.filter((word) => known.includes(word) || stray.includes(word));
  return known.length >= 2 && known.length / left.length > 0.6;
}

/**
 * Whether a change of the tool can have this object. "Remove the comment on DEMO-1" must not find the tool
 * that removes DEMO-1, so only changes of a thing may name one of its parts.
 */
function isObjectOf(entry: ToolEntry, noun: Token): boolean {
  if (entry.kin.has(noun.stem) || entry.places.has(noun.stem)) return true;
  if (isValueOf(entry, noun)) return true;
  return !entry.intents.has("delete") && !entry.intents.has("create") && entry.vocabulary.has(noun.stem);
}

/** "Create an epic": the thing is one of the kinds that an argument lists. */
function isValueOf(entry: ToolEntry, noun: Token): boolean {
  return entry.slots.some((slot) =>
    namedValues(slot).some((value) => stemOf(value.toLowerCase()) === noun.stem),
  );
}

/** The last word of what follows the verb: "a new bug ticket" is a ticket. */
function directObject(wish: Wish, things: ReadonlySet<string>): Token | undefined {
  // "Add the label …": the phrase that opens the wish names the thing as well.
  const opened = wish.tokens.find(
    ({ stem, start, end }) => start > 0 && end <= wish.bodyAt && things.has(stem) && !STOP_WORDS.has(stem),
  );
  if (opened !== undefined && wish.head?.start === 0) return opened;
  const rest = wish.text.slice(wish.bodyAt);
  const phrase =
    /^\s*(?:(?:me|us|a|an|the|my|our|new|another|this|that|all|some|old|wiki)\s+)*((?:(?!(?:in|on|to|for|of|about|from|titled|called|named|with|as|at|into|under|that|saying|and|by)\b)[\p{L}][\p{L}'’]*\s*)+)/iu.exec(
      rest,
    );
  if (!phrase?.[1]) return undefined;
  const end = wish.bodyAt + phrase[0].trimEnd().length;
  // "Add src/price.ts" names no thing.
  if (/^[/.\\]\w/.test(wish.text.slice(end))) return undefined;
  const last = wish.tokens.findIndex((token) => token.end === end);
  const [before, noun] = [wish.tokens[last - 1], wish.tokens[last]];
  // "delete the entity Acme": the thing stands before its name.
  // "add the labels urgent and disk", "the columns phone and birthday": the thing stands before what it is called.
  const inside = wish.tokens.slice(
    wish.tokens.findIndex(({ start }) => start >= wish.bodyAt),
    last + 1,
  );
  const thing = inside.findLast(({ stem }) => things.has(stem));
  if (thing !== undefined) return thing;
  const isName =
    noun !== undefined &&
    before !== undefined &&
    /^\p{Lu}/u.test(noun.text) &&
    /^\p{Ll}/u.test(before.text) &&
    before.start >= wish.bodyAt &&
    !STOP_WORDS.has(before.lower);
  return isName ? before : noun;
}

/** Several keys are one call for each: "show DEMO-1 and DEMO-2", "delete pages 1003 and 1004". */
function toChoice(best: Candidate, wish: Wish): Choice {
  const { entry, args, earlier } = best;
  const keyed = entry.slots.filter(({ required, kind }) => required && (kind === "key" || kind === "id"));
  const codes = entry.slots.filter(
    ({ kind, name }) => (kind === "code" || kind === "person") && Object.hasOwn(args, name),
  );
  // Of two people the wish is for both: "assigned to dmitri or farid".
  codes.sort(
    (one, other) =>
      enumerated(wish.text, asText(args[other.name] ?? ""), other).length -
      enumerated(wish.text, asText(args[one.name] ?? ""), one).length,
  );
  const [slot, ...others] = keyed.length > 0 || entry.changing ? keyed : codes.slice(0, 1);
  const first = slot ? args[slot.name] : undefined;
  const implied = new Set(impliedBy(entry.verbs));
  const unexplained = best.stray.filter(
    ({ start, stem }) => start !== wish.head?.start && !implied.has(stem),
  );
  const [from, to] = [unexplained[0], unexplained.at(-1)];
  const isLeft = entry.changing && from && to && best.missing.length === 0;
  const left = isLeft ? { text: wish.text.slice(from.start, to.end), words: unexplained } : undefined;
  const one = {
    changing: entry.changing,
    isAnchored: isAnchored(best, wish),
    earlier,
    ...(left === undefined ? {} : { left }),
  };
  const { others: further } = best;
  if (further !== undefined)
    return {
      ...one,
      calls: [args[further.name] ?? null, ...further.values].map((value) => ({
        entry,
        args: { ...args, [further.name]: value },
      })),
    };
  if (!slot || others.length > 0 || typeof first !== "string") return { ...one, calls: [{ entry, args }] };
  const all = slot.kind === "key" && !entry.changing ? wish.keys.map((key) => key.value) : [];
  const values = [...new Set([first, ...all, ...enumerated(wish.text, first, slot)])];
  const unused = wish.keys.map(({ value }) => value).filter((key) => !values.includes(key));
  return {
    ...one,
    ...(entry.changing && unused.length > 0 && best.strayKeys > values.length - 1
      ? { left: { text: unused.join(" "), words: tokenize(unused.join(" ")) } }
      : {}),
    isAnchored: isAnchored({ ...best, strayKeys: best.strayKeys - (values.length - 1) }, wish),
    calls: values.map((value) => ({ entry, args: { ...args, [slot.name]: value } })),
  };
}

/** Free words are anchored where they are quoted or dictated; everything else has a form or a list of its own. */
function isAnchored(
  { entry, args, missing, guessed, stray, strayKeys, strayQuotes, strayPaths }: Filled,
  wish: Wish,
): boolean {
  const given = [...createSheet(wish.text).quotes.map(({ value }) => value), wish.tail?.value];
  const isLoose = entry.slots.some(
    ({ kind, name }) =>
      FREE_KINDS.has(kind) && Object.hasOwn(args, name) && !given.includes(asText(args[name] ?? "")),
  );
  return (
    !isLoose &&
    missing.length + guessed + stray.length + Math.max(0, strayKeys) + strayQuotes + strayPaths === 0
  );
}

const FREE_KINDS: ReadonlySet<string> = new Set(["query", "title", "body", "text"]);

/** The keys or ids that are listed right behind the first one. */
function enumerated(text: string, first: string, slot: Slot): string[] {
  const start = text.toUpperCase().indexOf(first.toUpperCase());
  if (start === -1) return [];
  const form =
    slot.kind === "key"
      ? "[A-Za-z]\\w{0,15}-\\d{1,9}"
      : slot.kind === "code"
        ? "[A-Z][A-Z0-9_]{1,19}"
        : slot.kind === "person"
          ? "\\p{L}[\\p{L}'’-]+(?=\\W*$|\\s+(?:in|is|are|have|working|has|that|which|with|who)\\b|,|\\s+(?:and|or)\\b)"
          : "\\d+";
  const list = new RegExp(
    `^(?:\\s*(?:,|and|${slot.kind === "code" || slot.kind === "person" ? "or|" : ""}&|\\+|plus|as well as)\\s*(?:(?:and|also|then)\\s+)*${form}(?![\\w-]))+`,
    slot.kind === "code" ? "u" : "iu",
  ).exec(text.slice(start + first.length));
  return [...(list?.[0] ?? "").matchAll(new RegExp(form, "gu"))]
    .map(([value]) => (slot.kind === "person" ? value : value.toUpperCase()))
    .filter((value) => !/^(?:and|or)$/i.test(value));
}

/** "Search for printers" says not where: ask every search there is, if they are few. */
function bareSearch(wish: Wish, index: ToolIndex, around: FillContext): Choice | undefined {
  if (!wish.bareSearch) return undefined;
  const searches = index.entries.filter(
    (entry) =>
      entry.intents.has("search") && !entry.changing && entry.slots.some((slot) => slot.kind === "query"),
  );
  const calls = searches
    .map((entry) => fill(entry, wish, around))
    .filter(
      ({ missing, args, entry }) =>
        missing.length === 0 &&
        entry.slots.some((slot) => slot.kind === "query" && Object.hasOwn(args, slot.name)),
    )
    .map(({ entry, args }) => ({ entry, args }));
  return calls.length > 0 && calls.length <= BARE_SEARCHES
    ? { calls, changing: false, isAnchored: true, earlier: [] }
    : undefined;
}

/** A tool that may be meant, with its arguments as far as they are said. */
export interface Candidate extends Filled {
  score: number;
}

/** Calls that a wish asks for. */
export interface Choice {
  calls: { entry: ToolEntry; args: JsonObject }[];
  changing: boolean;
  /** The wish holds every value, and nothing of it was left over. */
  isAnchored: boolean;
  /** Arguments that earlier calls gave. */
  earlier: string[];
  /** Words of a change that nothing of it explains, and the text that they stand in. */
  left?: { text: string; words: Token[] };
  /** Reads that tell values of a change: its calls are known once these were made, as far as they tell them. */
  reads?: { entry: ToolEntry; args: JsonObject }[];
  /** The value that is made from the one in the record, and how: another change of it goes on from there. */
  grown?: { name: string; from: (before: JsonValue) => JsonValue };
  /** A passage that does not stand just once in the text that was to be changed. */
  absent?: string;
  /** See Plan.isAdrift. */
  isAdrift?: boolean;
  /** The wish in the person's words. */
  said?: string;
  /** It was wished for after what stands before it, as with "then". */
  isAfter?: boolean;
}

/** The thing that a call makes its tool do. */
export function entryOf(tool: string, args: JsonObject, { entries }: ToolIndex): ToolEntry | undefined {
  return entries.find(
    ({ call }) =>
      call.tool === tool && Object.entries(call.args).every(([name, value]) => args[name] === value),
  );
}

const POINTS =
  /^(?:the|an?|this|these|those|my|our|your|his|her|their|its|all|every|everything|each|both|it|them|him|me|us)$/;
/** "Deploy status of web-shop" is no order to deploy. */
const STATE =
  /^\p{L}+\s+(?:status|state|date|rate|count|history|logs?|notes|progress|version)\s+(?:of|for)\b/iu;
const PREPOSITION = /^\s+(?:of|for|from|about|by)\b/i;
const FINITE = /\b(?:is|are|was|were|isn['’]?t|aren['’]?t|has|have|had|been|will|did|does|do)\b/i;

/**
 * Whether the wish's verb orders what the entry does, by the verb of its name or by one that means the
 * same. What only means the same may be a noun as well ("release date of web-shop", "mail from ben"), so
 * it has to stand before what it is done to, and not in a question.
 */
function isOrdered(wish: Wish, { entry, args }: Filled): boolean {
  const { head, tail, tokens, text } = wish;
  if (head === undefined) return false;
  const rest = text.slice(head.end, tail?.start);
  if (!wish.changing && isPlural(head)) return false;
  if (entry.verbs.has(head.stem))
    return wish.changing || !(/^\s+of\b/i.test(rest) || STATE.test(text.slice(head.start)));
  if (!isKin(entry.verbs, head.lower) || PREPOSITION.test(rest)) return false;
  const [first, ...others] = tokens.filter(({ start }) => start >= head.end);
  const [next, second] = /^(?:to|back)$/.test(first?.lower ?? "") ? others : [first, ...others];
  // "squash and merge pull request 58"
  if (next?.lower === "and" && second !== undefined && entry.verbs.has(second.stem)) return !wish.question;
  if (wish.question || next === undefined || FINITE.test(spoken(wish, head))) return false;
  // "reboot that server", but not "confirm that it works"
  if (next.lower === "that") return /^\s+that\s+\p{L}+\W*$/u.test(rest);
  if (POINTS.test(next.lower)) return true;
  if (entry.kin.has(next.stem) || entry.places.has(next.stem)) return true;
  return Object.values(args)
    .flat()
    .some((value) => typeof value === "string" && begins(value, next));
}

/** What follows the verb, without what is quoted or stands behind a colon. */
function spoken({ tokens, tail }: Wish, head: Token): string {
  const end = tail?.start ?? Infinity;
  return tokens
    .filter((token) => token.start >= head.end && token.start < end)
    .map(({ lower }) => lower)
    .join(" ");
}

/** Whether a value begins with a word that is its name, and not a noun with more about it ("date of …"). */
function begins(value: string, { lower }: Token): boolean {
  const text = value.toLowerCase().replace(/^[^\p{L}\p{N}]+/u, "");
  return text.startsWith(lower) && !PREPOSITION.test(text.slice(lower.length));
}

/** Of two things that one tool does, a person says which where their scores are this near. */
const ALIKE = 0.02;

/**
 * The tool without what it shall do, where the words fit several of the things it does alike: a person is
 * asked which.
 */
function undecided(
  best: Candidate,
  others: Candidate[],
  wish: Wish,
  index: ToolIndex,
  around: FillContext,
): Choice | undefined {
  const { call } = best.entry;
  const said = ({ entry }: Candidate): boolean => entry.verbs.has(wish.head?.stem ?? "");
  const alike = others.filter(
    (other) =>
      other.entry.call.tool === call.tool && best.score - other.score < ALIKE && (said(other) || !said(best)),
  );
  const whole = index.wholes.find(({ tool }) => tool.id === call.tool);
  if (alike.length === 0 || whole === undefined) return undefined;
  const { args } = fill(whole, wish, around);
  const rest = Object.entries(args).filter(([name]) => !Object.hasOwn(call.args, name));
  return {
    calls: [{ entry: whole, args: Object.fromEntries(rest) }],
    changing: [best, ...alike].some(({ entry }) => entry.changing),
    isAnchored: false,
    earlier: [],
  };
}

/**
 * Of two tools that take the same key, the one whose argument most tools share is the plain one, and of
 * those the one that is about what the key names.
 */
function usageScore({ entry, args }: Filled, index: ToolIndex): number {
  const slots = entry.slots.filter((slot) => slot.required && Object.hasOwn(args, slot.name));
  if (slots.length === 0) return 0;
  const most = Math.max(1, ...slots.map((slot) => index.usage.get(slot.name) ?? 0));
  const isOwn = slots.some(
    ({ kind, words }) => kind === "key" && words.some((word) => entry.objects.has(stemOf(word))),
  );
  return 0.6 * (1 - 1 / most) + (isOwn ? 0.1 : 0);
}

/** Where a record is, and nothing of what it shall be. */
function isPlace({ words }: Slot): boolean {
  return /^(?:owner|repo|repository|organization|workspace)$/.test(words.at(-1) ?? "");
}

/** A change that only says of what, and not what would be different or new. */
function changesNothing({ entry, args, missing }: Filled): boolean {
  if (missing.length > 0) return false;
  const named = entry.slots.filter((slot) => Object.hasOwn(args, slot.name));
  const rest = entry.slots.filter((slot) => !slot.required && slot.kind !== "boolean");
  // A place before or behind another record is one of two that nobody has to give.
  // Which version of it is meant is no change of it.
  if (rest.every(({ words }) => /^(?:sha|hash|etag|revision)$/.test(words.at(-1) ?? ""))) return false;
  const isPlacing = rest.filter(({ kind }) => kind === "key").length > 1;
  const saysMore =
    ["update", "create"].some((intent) => entry.intents.has(intent as Intent)) || entry.verbs.has("move");
  if (!isPlacing && !saysMore) return false;
  return (
    rest.length > 0 &&
    named.length > 0 &&
    named.every((slot) => (namesOne(slot) || isPlace(slot)) && (slot.required || slot.kind === "boolean"))
  );
}
