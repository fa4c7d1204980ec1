import { distance } from "fastest-levenshtein";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Observation, PlanInput, PlannedCommand } from "#contract/plan.ts";

import { isObject } from "../../base/json.ts";
import { shownIn } from "../../base/records.ts";
import { en } from "../../base/words/en.ts";
import { asText } from "../model-text.ts";
import { toValue } from "../slot.ts";
import { entryOf } from "./choose.ts";
import { toDay } from "./dates.ts";
import { fill } from "./fill.ts";
import { type FillContext, isLimit, withTold } from "./filling.ts";
import { isSmallTalk } from "./offer.ts";
import { refersToSomething } from "./refer.ts";
import { createSheet } from "./sheet.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import { isChangeVerb } from "./verbs.ts";
import { titleWeight } from "./titles.ts";
import { stemOf, STOP_WORDS, type Token, tokenize } from "./words.ts";
import type { Wish } from "./wish.ts";

/** A search that the planner makes where no tool is meant for sure. */
export interface Search {
  commands: Exclude<PlannedCommand, { command: "ERROR" }>[];
  notice: string;
}

const QUERY_CHARS = 500;
const CONDITION = /(?<!\S)-?[a-z]+:(?:"[^"]*"|\S+)/gi;
/** What is asked of source code. */
const CODE =
  /\b(?:in|of|our|the|source) code(?:base)?\b|\b(?:which|what) (?:function|class|method|module|file)\b|\bwhere (?:is|are|do|does) .*\b(?:implemented|defined|called|imported|code|logic|handled)\b|\blogic of\b/i;
/** "Have we seen this error before: …" */
const SEEN =
  /^\W*(?:have|has|did) (?:we|you|any(?:one|body)|some(?:one|body)) (?:ever |already )?(?:seen?|ha(?:d|ve)|met|come across|run into|encountered)\b/i;
const SEEN_WORDS: ReadonlySet<string> = new Set(
  "seen see had have met come across run into encountered already ever before".split(" "),
);
const HOW = new RegExp(`^\\W*(?:how|why)\\b|${SEEN.source}`, "i");
const MOST_SEARCHES = 3;
const MOST_WORDS = 10;
/** Words of titles that are looked for together, where all words found nothing. */
const TOGETHER = 3;
/** "Can I deploy today?" orders nothing. */
export const ASKS_LEAVE: RegExp = /^\W*(?:can|may|could|should|shall) (?:i|we)\b/i;
/** "Orders dropped to half, what's the command to …" */
const ASKS_BEHIND = /[,;.!–-]\s+(?:so\s+|and\s+)?(?:what|how|where|who|which|when)(?:['’]?s)?\s/i;
/** What nobody asks of a team's tools. */
const NOT_HERE =
  /^\W*(?:please\s+)?(?:buy|sell|book|order|play|sing|call|ring|dial|wake|cook|dance|turn|switch|paint|drive|recommend|suggest|write|draw|generate|imagine|pretend|translate|calculate|compute|ignore|forget|repeat|roll|flip)\b/i;
/** No team keeps these in its tools. */
const OUTSIDE =
  /\b(?:weather|forecast|jokes?|poems?|songs?|music|pizza|recipes?|movies?|films?|world cup|football|soccer|capital of|president|time is it|what time (?!of\b|does|do|are|was|were|will)|horoscope|stock price|shares of|bitcoin|how (?:tall|old|big|heavy) (?:is|are|was)|meaning of life|robot|human|real person|\d+ ?(?:times|plus|minus|divided by|[*+×x/-]) ?\d+|how much (?:free |used )?(?:memory|ram|disk space)|lottery|your name|who (?:made|are) you|love you)\b/i;
/** Tools that look things up by words, on servers whose word counts: searches of different servers, the likeliest first. */
function searchTools(index: ToolIndex, wish: Wish): ToolEntry[] {
  const lexical = index.rank(wish);
  const isSearch = (entry: ToolEntry): boolean =>
    entry.tool.trusted &&
    entry.tool.annotations.readOnlyHint === true &&
    entry.intents.has("search") &&
    entry.slots.some(({ kind }) => kind === "query") &&
    entry.slots.every(({ kind, required }) => !required || kind === "query");
  const general = (entry: ToolEntry): number =>
    ["issu", "page"].some((stem) => entry.kin.has(stem)) ? 0.5 : 0;
  const score = (entry: ToolEntry): number => (lexical.get(entry.tool.id) ?? 0) + general(entry);
  const servers = new Set<string>();
  return index.entries
    .filter(isSearch)
    .toSorted((one, other) => score(other) - score(one))
    .filter(({ tool }) => !servers.has(tool.server) && servers.add(tool.server))
    .slice(0, MOST_SEARCHES);
}

/** The words that say what somebody wants to know, in their order. */
export function contentWords({ tokens, head, verbless }: Wish): string[] {
  const words = tokens.filter(
    (token, at) =>
      (isContent(token) || isPhrasal(token, tokens[at + 1])) &&
      !isMeasure(token, tokens[at - 1]) &&
      !isWhen(token, tokens[at - 1], tokens[at + 1]) &&
      (verbless || token !== head),
  );
  const telling = words.filter(({ lower }) => !/^(?:issue|ticket|page)s?$/.test(lower));
  return (telling.length > 1 ? telling : words).slice(0, MOST_WORDS).map(({ text }) => text);
}

function isContent({ lower }: Token): boolean {
  return !STOP_WORDS.has(lower) && lower.length > 1;
}

/** "How many days may I carry over?" */
function isPhrasal({ stem }: Token, next: Token | undefined): boolean {
  return stem === "carri" && next?.lower === "over";
}

/** "Who is on call next week?": pages name days, and no days from now. */
function isWhen({ lower }: Token, before: Token | undefined, next: Token | undefined): boolean {
  return (
    /^(?:tomorrow|tonight|yesterday)$/.test(lower) ||
    (isSpan(lower) && /^(?:this|next|last)$/.test(before?.lower ?? "")) ||
    (/^(?:next|last)$/.test(lower) && isSpan(next?.lower ?? ""))
  );
}

function isSpan(word: string): boolean {
  return /^(?:night|week|month|year)$/.test(word);
}

/** "How long does a restore take?", "is there something I should read?" ask for no word of the answer. */
function isMeasure({ lower }: Token, before: Token | undefined): boolean {
  const isWay = lower === "read" && /^(?:to|i|we|you|should|could|can|must)$/.test(before?.lower ?? "");
  return isWay || before?.lower === "how" || /^(?:takes?|took|taken|means?|meant)$/.test(lower);
}

/** Keys struck at random: a word of letters without a vowel. */
function isNoise(message: string): boolean {
  return tokenize(message, 10).some(
    ({ lower }) => /^[a-z]{4,}$/.test(lower) && !/[aeiouy]|^(?:https?|html|psql|grpc|xml)$/.test(lower),
  );
}

/** A look into whatever may know, with the words of the message that say something. */
export function searchFor(
  wish: Wish,
  input: PlanInput,
  index: ToolIndex,
  around: FillContext,
  isWide = false,
): Search | undefined {
  const { message } = input;
  if (
    wish.changing ||
    (wish.order && !ASKS_LEAVE.test(message)) ||
    OUTSIDE.test(message) ||
    NOT_HERE.test(message) ||
    isNoise(message) ||
    // "What happens if I am called at night?" tries nothing out.
    (wish.dryRun && wish.keys.length > 0)
  )
    return undefined;
  // "send Ana an email" is an order, and nothing to look for.
  if (
    wish.verbless &&
    !wish.question &&
    !ASKS_LEAVE.test(message) &&
    !ASKS_BEHIND.test(message) &&
    wish.head?.start === 0 &&
    isChangeVerb(wish.head.lower)
  )
    return undefined;
  // "The learning budget, how much is it" says itself what it is.
  const told = tokenize((around.told ?? []).join(" ")).filter(({ lower }) => !STOP_WORDS.has(lower));
  const isUnnamed = refersToSomething(message) && contentWords(wish).length < 2 && told.length < 2;
  if (isSmallTalk(message) || isUnnamed) return undefined;
  const code = CODE.test(message) ? searchOf("code", input) : undefined;
  if (code !== undefined) return code;
  // Tools that would change something are meant where their own verb begins the message.
  if (
    wish.head &&
    !/\?\W*$/.test(message) &&
    index.entries.some(({ changing, verbs }) => changing && verbs.has(wish.head?.stem ?? ""))
  )
    return undefined;
  const quotes = createSheet(wish.text).quotes.map(({ value }) => value);
  // What is quoted is what is looked for, and the rest says why.
  const words =
    quotes.length > 0
      ? quotes.flatMap((value) => tokenize(value, MOST_WORDS).map(({ text }) => text))
      : contentWords(wish).filter((word) => !(SEEN.test(message) && SEEN_WORDS.has(word.toLowerCase())));
  // "The shop is down. What do I do first?"
  if (words.every((word) => /^(?:first|next|now)$/i.test(word)) && told.length > 0) words.length = 0;
  if (words.length === 0) words.push(...told.slice(0, MOST_WORDS).map(({ text }) => text));
  const asks =
    !wish.verbless ||
    /\?\W*$/.test(message) ||
    /^\W*(?:any|some|every)(?:thing|body|one)\b/i.test(message) ||
    words.length > 1 ||
    // "Printer": a word of what is there.
    words.some((word) => {
      const stem = tokenize(word)[0]?.stem ?? "";
      return index.things.has(stem) || titleWeight(stem, input.known ?? []) > 0;
    });
  const tools = searchTools(index, wish);
  if (!(asks || wish.topic)) return undefined;
  if (tools.length === 0) return searchOf("everything", input);
  const query = wish.topic === undefined ? words.join(" ") : undefined;
  const all = tools.map((entry) => ({ entry, filled: fill(entry, wish, around) }));
  const isExplained = ({ entry, filled }: (typeof all)[number]): boolean =>
    filled.stray.length === 0 &&
    entry.slots.every(({ kind, name }) => kind !== "query" || !Object.hasOwn(filled.args, name)) &&
    Object.keys(filled.args).length > 0;
  const explained = all.filter(isExplained);
  if (explained.length > 0) {
    const commands = explained.map(({ entry, filled }) => toSearch(entry, filled.args));
    return { commands, notice: en.recorded.lookedIn(places(explained.map(({ entry }) => entry))) };
  }
  if (words.length === 0) return undefined;
  // How and why things are so is seldom said in the words of one record.
  const more = HOW.test(message) ? (searchOf("everything", input)?.commands ?? []) : [];
  const commands = all.map(({ entry, filled: { args } }) => {
    const slot = entry.slots.find(({ kind }) => kind === "query");
    if (slot === undefined) return toSearch(entry, args);
    const { [slot.name]: said, ...given } = args;
    // A number in what is only looked for says nothing of how many.
    const named = Object.fromEntries(
      Object.entries(given).filter(
        ([name, value]) =>
          !entry.slots.some((one) => one.name === name && isLimit(one)) && !isToCome(name, value, input.now),
      ),
    );
    // Of a long question no word is a condition.
    const filters = isWide ? {} : named;
    // What became a filter is no word any more.
    const plain =
      typeof said === "string" && Object.keys(filters).length > 0 ? said : (query ?? words.join(" "));
    // A page is found by what was told before the question as well.
    const text = entry.kin.has(stemOf("page")) ? withTold(plain, around.told ?? []) : plain;
    const isAll = said === undefined && Object.keys(filters).length > 0;
    return toSearch(entry, { ...filters, ...(isAll ? {} : { [slot.name]: toValue(slot, text) }) });
  });
  return {
    commands: [...commands, ...more],
    notice: en.recorded.lookedFor(inQuotes(commands), places(tools)),
  };
}

/** What is to come was neither made nor changed: "how many days may I take into next year?" */
function isToCome(name: string, value: JsonValue | undefined, now: Date): boolean {
  return /^(?:created|updated)_/.test(name) && typeof value === "string" && value > toDay(now);
}

/** Whether the search of everything brought something: then no other has to look again. */
export function isAnsweredByAll({ observations, tools }: PlanInput): boolean {
  const ids = new Set(tools.filter(({ searches }) => searches !== undefined).map(({ id }) => id));
  return observations.some((each) => ids.has(each.tool) && each.ok && !isEmpty(each));
}

/** The search of everything, where each of the others was asked and none had anything. */
export function searchLast(input: PlanInput): Search | undefined {
  const isNothing = input.observations.every((each) => each.ok && isEmpty(each));
  return isNothing ? searchOf("everything", input) : undefined;
}

/** The whole message for a tool that searches so much; undefined where there is none, or it was asked. */
function searchOf(
  what: "everything" | "code",
  { tools, message, observations }: PlanInput,
): Search | undefined {
  const tool = tools.find(
    (each) => each.searches === what && each.trusted && each.annotations.readOnlyHint === true,
  );
  if (tool === undefined || observations.some((each) => each.tool === tool.id)) return undefined;
  const args = { query: message.trim().slice(0, QUERY_CHARS) };
  const notice = en.recorded.lookedFor(
    inQuotes([{ command: "QUERY", tool: tool.id, args }]),
    tool.serverTitle ?? tool.server,
  );
  return { commands: [{ command: "QUERY", tool: tool.id, args }], notice };
}

/**
 * One more look with fewer words where a search found nothing: without words that nobody said to look for
 * (`isSaid`), where there are other conditions, else with the longest of them.
 */
export function widen(
  input: PlanInput,
  index: ToolIndex,
  isGuess: boolean,
  isSaid: boolean,
): Search | undefined {
  const { observations } = input;
  const entries = observations.map(({ tool, args }) => entryOf(tool, args, index));
  const searches = observations.map((each, at) => queryOf(each, entries[at]));
  if (observations.length === 0 || searches.includes(undefined)) return undefined;
  const dropped: string[] = [];
  const isFoundElsewhere = ({ tool }: Observation): boolean =>
    observations.some((other) => other.tool !== tool && other.ok && !isEmpty(other));
  const commands = observations.flatMap((each, at) => {
    const { args } = each;
    // Of each tool's looks the last one counts.
    const isLast = !observations.slice(at + 1).some(({ tool }) => tool === each.tool);
    if (!each.ok || !isEmpty(each) || !isLast) return [];
    const [entry, query = ""] = [entries[at], searches[at]];
    const slot = entry?.slots.find(({ kind }) => kind === "query");
    // Conditions in the query are no words: "repo:acme/shop is:issue".
    const conditions = query.match(CONDITION) ?? [];
    const words = tokenize(query.replaceAll(CONDITION, " ")).filter(({ lower }) => !STOP_WORDS.has(lower));
    if (words.length === 0 && conditions.length > 0) return [];
    const weight = ({ stem }: Token): number => titleWeight(stem, input.known ?? [], entry?.tool.server);
    // Words that titles have first: the telling ones together, and then the rarest.
    const told = words
      .filter((word) => weight(word) > 0)
      .toSorted((one, other) => weight(other) - weight(one));
    const most = told.length < words.length ? TOGETHER : Math.max(1, Math.min(TOGETHER, told.length - 1));
    const [longest] =
      told.length > 0 ? told : words.toSorted((one, other) => other.text.length - one.text.length);
    const chosen = words.filter((word) => told.slice(0, most).includes(word));
    if (!entry || entry.changing || !slot || longest === undefined) return [];
    if (words.length < 2) {
      const { [slot.name]: _, ...others } = args;
      const isMeant =
        isGuess || isSaid || createSheet(input.message).quotes.some(({ value }) => value === query);
      const filters = Object.keys(others).filter(
        (name) => !/^(?:limit|order|order_by|sort|cursor)$/.test(name),
      );
      // "Is step 2 done?" is about that, and not about all that is done.
      const isAsked = /^\W*(?:(?:and|so|but)\s+)?(?:is|are|was|were|has|have)\b/i.test(input.message);
      const isOnlyState = isAsked && filters.every((name) => name.startsWith("status"));
      if (slot.required || isMeant || isOnlyState || filters.length === 0) return [];
      dropped.push(query);
      return [toSearch(entry, others)];
    }
    const fewer = chosen.length > 0 ? chosen.map(({ text }) => text) : [longest.text];
    // One word of a long question finds anything; where another place has something, that is the answer.
    const first = asText(observations.find(({ tool }) => tool === each.tool)?.args[slot.name] ?? "");
    const isLong = tokenize(first).filter(({ lower }) => !STOP_WORDS.has(lower)).length > TOGETHER;
    if (isGuess && fewer.length < 2 && isLong && isFoundElsewhere(each)) return [];
    const next = [...fewer, ...conditions].join(" ");
    return [toSearch(entry, { ...(isGuess ? {} : args), [slot.name]: next })];
  });
  if (commands.length === 0) return undefined;
  const empty = observations.findLastIndex(
    (each) => isEmpty(each) && commands.some((one) => one.command === "QUERY" && one.tool === each.tool),
  );
  const first = searches[empty] ?? searches.at(-1) ?? "";
  if (dropped.length === commands.length) return { commands, notice: en.recorded.notThere(dropped[0] ?? "") };
  const what = inQuotes(commands);
  // Where another place has something, nothing was found here alone.
  const tool = entries[empty]?.tool;
  const notice = observations.some((each) => each.ok && !isEmpty(each))
    ? en.recorded.soAlsoThere(tool?.serverTitle ?? tool?.server ?? "", first, what)
    : en.recorded.soAlso(first, what);
  return { commands, notice };
}

function queryOf({ args }: Observation, entry: ToolEntry | undefined): string | undefined {
  const slot = entry?.slots.find(({ kind }) => kind === "query");
  const value = slot && args[slot.name];
  return typeof value === "string" ? value : undefined;
}

export function isEmpty({ data, permit, facts }: Observation): boolean {
  const shown = permit === undefined ? null : data.reveal(permit);
  // What only counts has no rows to show.
  if (isObject(shown) && typeof shown["total"] === "number") return shown["total"] === 0;
  if (facts.rows !== undefined) return facts.rows === 0;
  if (permit === undefined) return false;
  const { record, rows } = shownIn(shown);
  return record === undefined && rows.length === 0;
}

export function toSearch({ call }: ToolEntry, args: JsonObject): Search["commands"][number] {
  return { command: "QUERY", tool: call.tool, args: { ...call.args, ...args } };
}

export function inQuotes(commands: Search["commands"]): string {
  const texts = commands.flatMap(({ args }) =>
    Object.entries(args).flatMap(([name, value]) =>
      /query|search|^q$|term/i.test(name) ? [asText(value)] : [],
    ),
  );
  return texts.length === 0 ? "that" : [...new Set(texts)].map((text) => `“${text}”`).join(" and ");
}

export function places(tools: ToolEntry[]): string {
  const names = tools.map(({ tool }) => tool.serverTitle ?? tool.server);
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

const NOT_FOUND = /not found|no such|does(?: not|n't) exist|unknown|404|enoent|cannot find|could not find/i;

/** "unknown user "Dimitri". People: Dmitri Sokolov": the one value that the server names and that is nearly what was said. */
function respelled(last: Observation, error: string, { slots }: ToolEntry): Search | undefined {
  if (!/unknown|no such|possible|did you mean|expected/i.test(error)) return undefined;
  const said = Object.entries(last.args).find(
    ([, value]) => typeof value === "string" && value.length > 3 && error.includes(`"${value}"`),
  );
  if (said === undefined) return undefined;
  const [name, value] = [said[0], asText(said[1] ?? "")];
  const offered = tokenize(error.slice(error.indexOf(`"${value}"`) + value.length + 2), 60).map(
    ({ text }) => text,
  );
  const near = [...new Map(offered.map((each) => [each.toLowerCase(), each])).values()].filter(
    (each) =>
      each.toLowerCase() !== value.toLowerCase() && distance(each.toLowerCase(), value.toLowerCase()) === 1,
  );
  const [only] = near;
  const query = slots.find(({ kind }) => kind === "query")?.name;
  if (near.length === 0 && /^(?:type|status)$/.test(name) && query !== undefined) {
    // "Open incidents", where issues have no such type: then it is a word to look for.
    const { [name]: _, ...others } = last.args;
    const words = [asText(last.args[query] ?? ""), value.toLowerCase()]
      .filter((part) => part !== "")
      .join(" ");
    const command = { command: "QUERY" as const, tool: last.tool, args: { ...others, [query]: words } };
    return { commands: [command], notice: en.recorded.thereIsNo(`${name} “${value}”`, `“${words}”`) };
  }
  if (only === undefined || near.length > 1) return undefined;
  const command = { command: "QUERY" as const, tool: last.tool, args: { ...last.args, [name]: only } };
  return { commands: [command], notice: en.recorded.thereIsNo(value, only) };
}

/**
 * One more step where another tool may mend the last: a thing that a read did not find under its key is
 * searched for on the same server, once.
 */
export function mend(observations: readonly Observation[], index: ToolIndex): Search | undefined {
  const last = observations.at(-1);
  if (!last || last.ok || observations.length > 1) return undefined;
  const failed = entryOf(last.tool, last.args, index);
  const error =
    last.permit === undefined || last.error === undefined
      ? (last.facts.error ?? "")
      : last.error.reveal(last.permit);
  if (failed && !failed.changing) {
    const again = respelled(last, error, failed);
    if (again) return again;
  }
  if (!failed || failed.changing || failed.intents.has("search") || !NOT_FOUND.test(error)) return undefined;
  const [text] = Object.entries(last.args).flatMap(([name, value]) =>
    typeof value === "string" && !Object.hasOwn(failed.call.args, name) ? [value] : [],
  );
  if (text === undefined) return undefined;
  for (const entry of index.entries) {
    const isRelated =
      entry.tool.server === failed.tool.server && [...entry.kin].some((stem) => failed.kin.has(stem));
    const slot = entry.slots.find((each) => each.kind === "query");
    const hasOthers = entry.slots.some((each) => each.required && each !== slot);
    if (!isRelated || !slot || hasOthers || entry.changing || !entry.intents.has("search")) continue;
    return {
      commands: [toSearch(entry, { [slot.name]: toValue(slot, text) })],
      notice: en.recorded.soSearched(text),
    };
  }
  return undefined;
}
