import type { JsonObject } from "#contract/json.ts";
import type { KnownName, PlanInput } from "#contract/plan.ts";

import { isQuestion, passagesFor, questionIn } from "../../base/passage.ts";
import {
  cellInstead,
  columnAsked,
  headingIn,
  insteadOf,
  itemNumbered,
  lastItem,
  lastPart,
  likeliest,
  lineOf,
  lineWith,
  type Page,
  type Place,
  partMeant,
  placesOf,
  rowFrom,
  rowOf,
  tellingIn,
  withoutTail,
} from "./page-places.ts";
import { asOthers, takenOver, takesOver } from "./page-duties.ts";
import { rowInWords, saysRow } from "./row-in-words.ts";
import { createSheet, unquoted } from "./sheet.ts";
import { folded, kindOf, type Valued, valuesIn } from "./value-kinds.ts";
import { STOP_WORDS, tokenize } from "./words.ts";

// What a message changes within the text of a page that is read: the arguments of the tool that does it.

/** The arguments, and what else was said that they do not do. */
export interface Edit extends JsonObject {
  told?: string[];
}

const VERBS =
  "replace|change|swap(?:\\s+out)?|correct|fix(?:ing)?|update|set|put|make|edit|adjust|rewrite|amend|enter|write";
/** What stands between an old and a new value, by itself, behind "change", and behind "swap". */
const BECOMES =
  /\s*(?:-+>|→|=+>)\s*|\s+(?:(?:should|ought\s+to)\s+(?:now\s+)?(?:be|say|read)|has\s+to\s+(?:be|say)|must\s+(?:be|say)|is\s+now|are\s+now|becomes?)\s+(?:now\s+)?/giu;
const TO = /\s+(?:by|with|to|into)\s+/giu;
const FOR = /\s+(?:for|with)\s+/giu;
const SWAPS = /\b(?:swap(?:\s+out)?|exchange)\s/iu;
/** What stands between a new and an old value. */
const NOT =
  /\s+(?:instead\s+of|rather\s+than)\s+|,?\s+(?:(?:and|but)\s+)?(?:now\s+)?not\s+(?:on\s+|in\s+|from\s+|only\s+)?|\s*\(\s*(?:it\s+)?(?:was|were|not|instead\s+of)\s+|\s+still\s+(?:has|says|reads)\s+/giu;
const ORDERS = new RegExp(`\\b(?:${VERBS})\\b`, "iu");
const FROM = /\bfrom\s+[^.,;:]{1,40}\s+to\s/iu;
const CHANGES = new RegExp(
  `\\b(?:${VERBS})\\b[^.!?]*?\\s(?:by|with|to|into|for|as|on)\\s|${FROM.source}|${BECOMES.source}|${NOT.source}`,
  "iu",
);
const ADDS = /\b(?:add|append|insert|put|write|include|mention)\b/iu;
const MORE_PART = "row|line|bullet(?:\\s+point)?|point|item|entry|step|rule|sentence|paragraph|(?:check)?box";
const NEW_PART = new RegExp(
  `\\b(?:new|another|an?|one\\s+more|as\\s+another)\\s+(?:new\\s+|more\\s+|\\p{L}+(?:th|rd|nd)\\s+)?(?<noun>${MORE_PART})\\b|\\badd\\s+a\\s+new\\s+(?<one>one)\\b`,
  "iu",
);
const REMOVAL =
  "remove|delete|drop|strike|take\\s+out|cut|take\\s+(?:it|that|this)\\s+out|cross\\s+out|get\\s+rid\\s+of|kill|lose";
const GOES = "has\\s+to\\s+go|must\\s+go|can\\s+go";
const REMOVES = new RegExp(`\\b(?:${REMOVAL}|${GOES})\\b`, "iu");
const PART = `${MORE_PART}|bit|part`;
const REMOVED = new RegExp(
  `\\b(?:${REMOVAL})\\s+(?:the\\s+)?(?:(?<last>last)\\s+(?<end>${PART})\\b|(?<noun>${PART})\\s+(?:about|with|on|for|of|from|that\\s+(?:says|mentions)|saying)?\\s*(?:the\\s+)?(?<about>[^,;:]{2,80}?)(?=\\s*(?:$|[,;:.!]|\\s(?:please|pls)\\b))|(?<before>[^,;:.]{2,60}?)(?:['’]s)?\\s+(?<kind>${PART})\\b)|\\bthe\\s+last\\s+(?<lastgone>${PART})\\b[^.!?]{0,80}\\s(?:${GOES})\\b|(?:^|[.!,]\\s)\\W*(?:the\\s+)?(?<gone>[^,;:.]{2,60}?)\\s+(?<what>${PART})\\s+(?:${GOES})\\b`,
  "iu",
);
const CELL = new RegExp(
  `\\b(?:(?:put|set|write|make|enter)\\s+(?<new>[^,;:]{1,60}?)\\s+(?:as|for|on)\\s+(?:the\\s+)?(?<column>[\\p{L}-]+)\\s+(?:for|on|of|in)\\s+(?<row>[^,;:]{2,60}?)|(?:change|set|make|update)\\s+(?:the\\s+)?(?<field>[\\p{L}-]+)\\s+(?:for|on|of|in)\\s+(?<where>[^,;:]{2,60}?)\\s+(?:to|into)\\s+(?<now>[^,;:]{1,60}?))(?=\\s*(?:$|[,.;!]|\\s(?:please|pls|instead)\\b))`,
  "iu",
);
/** What goes on behind a new value. */
const ENDS =
  /\s*(?:[;!?)]|[,.](?=\s|$)|\s(?:please|pls|plz|thanks|thx|from\s+now|since|because|as\s+of|in\s+the|on\s+the|now|where(?:ver)?|while)\b|\s(?:and|then)\s+(?:add|remove|delete|drop|tell|say|comment|close|assign|make|set|put|change|also)\b|[\p{Extended_Pictographic}]).*$/isu;
/** "Should be 30 April", "it moved to 10:30", ": within 45 min" */
const SAYS_VALUE =
  /(?:\bshould\s+(?:now\s+)?(?:be|say|read)|\b(?:must|has\s+to)\s+(?:be|say)|\b(?:is|are|it['’]?s|that['’]?s)(?:\s+now)?|\b(?:moved|raised?|lower(?:ed)?|cut|changed?|set|update|correct|fix|bring|extend(?:ed)?)\b[^.;:!?]{0,60}?\sto|\b(?:must|should|has\s+to)\b[^.;:!?]{0,30}?\s(?:by|at|on|until|within)|\b(?:are|is)\s+(?:only|kept|open|paid)|\bmake\s+(?:it|that|this)|\bwrite|:)(?=\s+["“]?(?<value>[^"“”;?!]{1,80}))/giu;
const UNDER = /^\W*(?:under|below)\s/iu;
/** "And “meet the cat” to week one", behind a line that was added. */
const ONE_MORE = /^\W*(?:and|also|plus)\s+["“]/iu;
const NEW_SECTION =
  /\b(?:an?|another|new)\s+(?:new\s+)?(?:section|heading|chapter)\s+(?:(?:called|named|titled|about)\s+)?["“](?<title>[^"“”]{2,80})["”]\W*$/iu;

/** "Add a section Apple Silicon at the end: …" */
const OF_SECTION =
  /\b(?:add|append|write|put)\s+(?:an?|another)\s+(?:new\s+)?(?:section|heading|chapter)\s+(?:(?:called|named|titled|about)\s+)?(?!(?:to|on|in|at|under|below|with)\b)(?<title>[\p{L}\d][^:,.;\uE001]{1,50}?)(?=\s+(?:at|to|in|on)\s+(?:the|our|that|this)\b|\s*(?::|$)|\s*\uE001)/iu;

/** Whether a message, `said` without the name of its page, may be for a change of what that says. */
export function isEdit(said: string, message: string): boolean {
  const { masked, quotes } = createSheet(said);
  const isAsked = isQuestion(message) || /\?\s*$/.test(message) || isOnlyAsked(masked);
  // What is dictated behind a colon may speak of anything.
  const head = masked.split(/\s*:\s/)[0] ?? "";
  if (OF_OTHERS.test(head) || NEW_ONE.test(masked) || (isAsked && !ASKS_FOR.test(masked))) return false;
  const hasText = quotes.length > 0 || /:\s/.test(masked);
  return (
    [CHANGES, VALUE_ALONE, THAT].some((pattern) => pattern.test(masked)) ||
    ONE_MORE.test(said) ||
    saysRow(masked) ||
    MAKES.test(said) ||
    TICKS.test(masked) ||
    takesOver(masked) ||
    (UPDATES.test(masked) && /\d/.test(masked)) ||
    // "Put it under the runbooks page" is of something else.
    (hasText && [ADDS, NEW_PART, UNDER].some((pattern) => pattern.test(masked))) ||
    (REMOVES.test(masked) && (REMOVED.test(said) || quotes.length > 0))
  );
}

/** "Is it still ten days? Emi claims it was changed": a question, and no order behind it. */
function isOnlyAsked(masked: string): boolean {
  const rest = masked.replaceAll(ASKED, " ");
  return rest !== masked && ![ORDERS, ADDS, REMOVES, TICKS].some((pattern) => pattern.test(rest));
}

const ASKED =
  /(?<=^|[.!?:]\s+)\W*(?:(?:and|so|but)\s+)?(?:is|are|was|were|do|does|did|has|have|what|which|who|when|where|why|how)\b[^.?!]*\?/giu;

/** Whether it is worth while to look for the page that a message may be for. */
export function mayEdit(message: string): boolean {
  const signs = [TICKS, CHANGES, ADDS, NEW_PART, UNDER, THAT, UPDATES, REMOVES, MAKES, VALUE_ALONE];
  return /:\s|["“]/.test(message) || takesOver(message) || signs.some((pattern) => pattern.test(message));
}

/** "The stand-up must now be in by 10:00" */
const UPDATES = /\b(?:now|these\s+days|no\s+longer|any\s?more|must|instead|since)\b/iu;
/** "Make it “above 800 ms”", "write 20" */
const MAKES = /\b(?:make|write|set)\s+(?:(?:it|that|this)\s+)?["“\d]/iu;
/** "It's 42 € now", "level 2: within 45 min", "let's say …" */
const VALUE_ALONE = /^\W*it(?:['’]?s|\s+is)\s|(?:^|[.!]\s)[^.?!:]{0,60}:\s|\blet['’]?s\s+say\b/iu;
/** "Create a page called …", "write up a story" */
const NEW_ONE =
  /\b(?:create|make|write(?:\s+up)?|start|draft|add|file|open|need)\s+(?:me\s+|us\s+)?(?:an?|another|new)\s+(?:new\s+)?(?:[\p{L}-]+\s+)?(?:page|story|task)s?\b|\b(?:create|make|file|open|add)\s[^.:]{0,30}\b(?:pages|stories|tasks)\b|\bnew\s+(?:wiki\s+)?(?:page|story|task)\b|(?:^|:\s*)(?:story|task)\b/iu;
/** What is asked, and not asked for. */
const ASKS_FOR = /\b(?:can|could|would|will)\s+(?:you|u|we)\b|\bplease\b|\bpls\b|\bmind\b/iu;
/** Of issues and of pages as such, and of nothing that a page says. */
const OF_OTHERS =
  /\b[A-Z][A-Z0-9_]*-\d+\b|\b(?:issues?|tickets?|bugs?|epics?|sprints?|jira|labels?|tags?|comments?|remarks?|notes?|board|priority|assign\w*|due\s+date|status)\b|\b(?:the|its)\s+(?:title|name|parent|space)\b|\b(?:rename|retitle|move|link|body|contents?)\b|\bversion\s+\d|\btext\s+of\s+(?:the|this)\s+page\b|\bi\s+meant?\b/iu;

/** What somebody wants to be something else, or gone, where nothing on the page is that. */
export function wordsToChange(said: string): string | undefined {
  const found = LOST.exec(said);
  const { old, quoted = old, words, former } = found?.groups ?? {};
  const { masked, quotes } = createSheet(said);
  const at = (found?.index ?? 0) + 1;
  if (ADDS.test(masked) && quotes.some(({ start, end }) => at > start && at < end)) return undefined;
  const own = quoted ?? (words ?? former)?.trim();
  return own === undefined || /^(?:it|that|this|them|these|those)$/i.test(own) ? undefined : own;
}

/** `"by 14:30" should be "within 60 minutes"` */
const OLD_QUOTED =
  '["“](?<old>[^"“”]{1,200})["”]\\s+(?:should|must|ought\\s+to|has\\s+to|needs\\s+to)\\s+(?:now\\s+|rather\\s+)?(?:be|say|read|become)\\b';
const REPLACED = new RegExp(OLD_QUOTED, "iu");

const LOST = new RegExp(
  `${OLD_QUOTED}|\\b(?:replace|change|swap(?:\\s+out)?|correct|fix|${REMOVAL})\\s+(?:(?:the\\s+(?:words?|sentence|text|line)\\s+)?["“](?<quoted>[^"“”]{1,200})["”]|(?<words>[^,;:.]{2,80}?)\\s+(?:to|by|with|into)\\s+\\S)|\\binstead\\s+of\\s+(?<former>[^,;:.!?]{2,60})`,
  "iu",
);

/**
 * The arguments that make a page what a message says of it. `whole` is the message without the page's name, `title` what the
 * page is called.
 */
export function editOf(
  whole: string,
  { page, title, body }: { page: Page; title: string; body: string },
  input: PlanInput,
): Edit | undefined {
  const { known = [] } = input;
  const { said, kept } = withoutKept(whole);
  const sheet = createSheet(said);
  const names = namesIn(known);
  // What does not stand there is not what a word of it stands for.
  const old = REPLACED.exec(said)?.groups?.["old"];
  if (old !== undefined && placesOf(old, page).length === 0) return undefined;
  return (
    ticked(said, sheet.masked, page) ??
    takenOver(said, page, input) ??
    newRow(said, page, input) ??
    ofAnswer(said, { page, title, body }, input, names) ??
    removed(said, sheet.masked, page) ??
    (QUOTED_CELL.test(said) ? cell(said, page) : undefined) ??
    instead(said, { page, title, names, kept }) ??
    wordedAnew(said, page) ??
    cell(said, page) ??
    added(said, sheet.masked, page, input) ??
    // Behind "Travel page: …" nothing but the order is left.
    byKind(said.replace(/^[\s:,–-]+/, ""), { page, title, names, kept })
  );
}

/** What is said without what shall stay as it is, and that: "…, the normal 140 stays". */
function withoutKept(whole: string): { said: string; kept: string } {
  if (/["“]/.test(whole) || ADDS.test(/^.*:\s/s.exec(whole)?.[0] ?? "")) return { said: whole, kept: "" };
  const kept = [...whole.matchAll(KEPT)].map(([clause]) => clause).join(" ");
  return { said: whole.replace(KEPT, ""), kept };
}

const KEPT =
  /(?:\s*[,;(–-]+\s*|(?<=[.!])\s+)(?:(?:and|but|while)\s+)?[^,.;:!?()]{2,60}?\s(?:stays?|remains?|(?:is|are)\s+(?:unchanged|fine|still\s+the\s+same))(?:\s+(?:at\s+\S+|the\s+same|as\s+(?:it|they)\s+(?:is|are|was|were)|so|there|unchanged))?\)?(?=\s*(?:$|[,.;!)]))/giu;

/** "Tick off the runner", "untick the laptop box" */
const TICKS =
  /\b(?<un>un)?(?:tick|check(?=\s+(?:(?:it|that|this|the)\b[^.!?]{0,60}\b)?(?:off|box)\b))(?:s|ed|ing)?\b(?:\s+off\b)?(?!\s+(?:all|every|each)\b)/iu;

/** The box of an item, the other way: of those that are, the one that has most of what is said. */
function ticked(said: string, masked: string, page: Page): Edit | undefined {
  const tick = TICKS.exec(masked);
  if (tick === null) return undefined;
  const isDone = tick.groups?.["un"] !== undefined;
  const [before, after] = isDone ? ["[x]", "[ ]"] : ["[ ]", "[x]"];
  const stems = new Set(tellingIn(said.replace(tick[0], " ").replace(/\b(?:check)?box(?:es)?\b/gi, " ")));
  const scored = page
    .filter(({ mark = "" }) => (isDone ? /\[[xX]\]/ : /\[ \]/).test(mark))
    .map(({ text }) => ({ text, score: tellingIn(text).filter((stem) => stems.has(stem)).length }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const [item, ...others] = scored.filter(({ score }) => score === best);
  return best === 0 || item === undefined || others.length > 0
    ? undefined
    : { passage: `${before} ${item.text}`, replacement: `${after} ${item.text}` };
}

function removed(said: string, masked: string, page: Page): Edit | undefined {
  const verb = REMOVES.exec(masked);
  if (verb === null) return undefined;
  const { lastgone, last = lastgone, end = lastgone, ...parts } = REMOVED.exec(said)?.groups ?? {};
  const { noun, about, before, kind = noun, gone, what } = parts;
  const { quotes } = createSheet(said);
  const isThat =
    /\s(?:it|that|this)\s/i.test(verb[0]) ||
    /^(?:that|this)\b/i.test(said.slice(verb.index + verb[0].length).trim());
  const quote = gone === undefined ? quotes.find(({ start }) => isThat || start > verb.index) : undefined;
  const place = quote && likeliest(placesOf(quote.value, page), said);
  const passage =
    quote !== undefined
      ? place && withComma(place)
      : last !== undefined && end !== undefined
        ? lastPart(end, page)
        : partMeant(about ?? before ?? gone ?? "", kind ?? what ?? "", page);
  if (passage === undefined) return undefined;
  const done = Math.max(verb.index + verb[0].length, isThat ? 0 : (quote?.end ?? 0));
  const [own = "", ...others] = said.slice(done).split(/(?<=[.!?])\s+|,\s+|\s+(?=and\s)/);
  const rest = ORDERS.test(own) || ADDS.test(own) ? [own, ...others] : others;
  return { passage, ...toldOf(rest) };
}

/** The text of a place, with the comma before it where it is one of several parts. */
function withComma({ line, start, end }: Place): string {
  const isPart = line.text.slice(0, start).endsWith(", ") && /^\s*(?:[,.;!?)]|$)/.test(line.text.slice(end));
  return line.text.slice(isPart ? start - 2 : start, end);
}

/** More of them are no order that people give. */
const MOST_JOINTS = 6;

interface Where {
  page: Page;
  title: string;
  names: ReadonlySet<string>;
  /** What is said to stay. */
  kept: string;
}

/** Other words in place of some that stand on the page: "30 June, not 31 March", "140 → 150", `"a" should be "b"`. */
function instead(said: string, where: Where): Edit | undefined {
  const { page, names } = where;
  const { quotes, masked } = createSheet(said);
  const [one, other, ...more] = quotes;
  // Of two texts in quotes the one that stands there is the old one.
  if (one !== undefined && other !== undefined && more.length === 0 && !ANOTHER.test(masked)) {
    const there = [one, other].filter(({ value }) => placesOf(value, page).length > 0);
    const [old] = there;
    const now = old === one ? other : one;
    if (old !== undefined && there.length === 1)
      return made({ old: old.value, now: now.value, said, page, beside: [] });
  }
  // What is to be added may well say "instead of".
  const isText = (at: number): boolean =>
    ADDS.test(masked) && quotes.some(({ start, end }) => at > start && at < end);
  const joints = (pattern: RegExp, from = 0): [string, string][] =>
    [...said.matchAll(pattern)]
      .slice(0, MOST_JOINTS)
      .filter(({ index }) => !isText(index))
      .flatMap(({ index, 0: joint }): [string, string][] =>
        index >= from ? [[said.slice(0, index), said.slice(index + joint.length)]] : [],
      );
  for (const [before, after] of joints(NOT)) {
    const old = startOn(after, page);
    const own = before.replace(/[\s,.;]+$/, "");
    const about =
      old === undefined ? "" : said.replace(endLike(own, old, names) ?? "", " ").replace(old, " ");
    const place = old === undefined ? undefined : likeliest(placesOf(old, page), about);
    if (old === undefined || place === undefined) continue;
    const now = endLike(withoutTail(own, place), old, names);
    const end = after.indexOf(old) + old.length;
    if (now !== undefined && isTelling(now))
      return made({ old, now, said, page, beside: [before, after.slice(end)] });
  }
  const ordered = Math.min(...[ORDERS, FROM].map((pattern) => pattern.exec(said)?.index ?? said.length));
  const swapped = SWAPS.exec(said)?.index ?? said.length;
  for (const [before, after] of [...joints(BECOMES), ...joints(FOR, swapped), ...joints(TO, ordered)]) {
    const now = valueAt(after);
    const old = now === undefined || now === "" ? undefined : oldFor(now, before, where);
    if (old === undefined || now === undefined) continue;
    const own = made({
      old,
      now,
      said,
      page,
      beside: [before, after.slice(after.indexOf(now) + now.length)],
    });
    if (own !== undefined) return own;
  }
  return undefined;
}

/** "Make it “The first Wednesday of the month”": what begins and ends like a text in quotes. */
function wordedAnew(said: string, page: Page): Edit | undefined {
  const { quotes, masked } = createSheet(said);
  const [quote, ...others] = quotes;
  if (quote === undefined || others.length > 0 || ANOTHER.test(masked) || !MADE_SO.test(said))
    return undefined;
  const words = quote.value.split(/\s+/);
  const [first = "", last = ""] = [words[0], words.at(-1)].map((word) =>
    word?.replace(/^\P{L}+|\P{L}+$/gu, ""),
  );
  if (words.length < LEAST_LIKE || first === "" || last === "") return undefined;
  const found = page.flatMap((line) =>
    placesOf(first, [line]).flatMap(({ start }) =>
      placesOf(last, [line])
        .filter(({ end }) => end > start)
        .slice(0, 1)
        .map(({ end }) => ({ line, start, end })),
    ),
  );
  const own = new Set(tellingIn(quote.value));
  const like = found.filter(({ line, start, end }) => {
    const stems = tellingIn(line.text.slice(start, end));
    const share = stems.filter((stem) => own.has(stem)).length / Math.max(1, stems.length, own.size);
    return share >= LEAST_SHARE && line.text.slice(start, end) !== quote.value;
  });
  const [place, ...more] = like;
  return place === undefined || more.length > 0 ? undefined : insteadOf(place, quote.value, page);
}

const MADE_SO =
  /\b(?:make\s+(?:it|that)|(?:should|ought\s+to|must)\s+(?:say|read|be)|to\s+read)\s*:?\s*["“]/iu;
const LEAST_LIKE = 3;
const LEAST_SHARE = 0.5;

/**
 * What a new value stands for: the end of what was said before it, where that stands on the page and the rest of that
 * clause is about its line; for a number the last number that stands there.
 */
function oldFor(now: string, before: string, { page, title, names }: Where): string | undefined {
  const quote = QUOTE_END.exec(before)?.[1];
  if (quote !== undefined) return placesOf(quote, page).length > 0 ? quote : undefined;
  const clause = before.slice(
    Math.max(0, ...[...before.matchAll(CLAUSE)].map(({ index, 0: cut }) => index + cut.length)),
  );
  const plain = now.replace(/^(?:at|on|in|until|by|within|above|below|the|up\s+to)\s+/i, "");
  const kind = kindOf(plain, names);
  // "Is now at 10:30": the value alone is another.
  if (kind !== undefined && plain !== now) return undefined;
  const words = clause.trim().split(/\s+/);
  if (kind !== undefined) {
    const same = valuesIn(clause, names).filter(
      (one) => one.kind === kind && placesOf(one.text, page).length > 0,
    );
    const last = same.at(-1);
    if (last !== undefined) return now.includes(" ") ? withUnit(last, clause, page) : last.text;
  }
  for (const [at] of words.entries()) {
    const end = words
      .slice(at)
      .join(" ")
      .replace(/[,;:]+$/, "");
    const place = isTelling(end) ? likeliest(placesOf(end, page), before) : undefined;
    if (place === undefined) continue;
    const around = new Set(tellingIn(`${place.line.text} ${place.line.under} ${title}`));
    const rest = tellingIn(words.slice(0, at).join(" ").replace(ORDERS, " "));
    const isKind = kind === undefined || kindOf(end, names) === kind;
    return isKind && rest.every((stem) => around.has(stem)) ? end : undefined;
  }
  return undefined;
}

/** "31 March" of the 31, where both stand there: the longest that begins with a value. */
function withUnit({ start, end, text }: Valued, clause: string, page: Page): string {
  const words =
    clause
      .slice(end)
      .match(/^(?:\s+\S+){1,3}/)?.[0]
      .trim()
      .split(/\s+/) ?? [];
  for (let count = words.length; count > 0; count -= 1) {
    const longer = `${clause.slice(start, end)} ${words.slice(0, count).join(" ")}`.replace(/[,;:]+$/, "");
    if (placesOf(longer, page).length > 0) return longer;
  }
  return text;
}

const CLAUSE = /[.;!?:]\s+|,\s+|\bfrom\s+|\b(?:please|pls|can|could|would)\s+(?:you\s+)?/giu;

interface Found {
  old: string;
  now: string;
  said: string;
  page: Page;
  /** What is said before and behind the two. */
  beside: string[];
}

function made({ old, now, said, page, beside: [before = "", behind = ""] }: Found): Edit | undefined {
  const place = likeliest(placesOf(old, page), said.replace(now, " ").replace(old, " "));
  const own = place && withoutTail(now, place);
  if (place === undefined || own === undefined || own.toLowerCase() === old.toLowerCase()) return undefined;
  // What else is said may be another order.
  return { ...insteadOf(place, own, page), ...toldOf(ANOTHER.test(before) ? [before, behind] : [behind]) };
}

/** What else was said, sentence by sentence. */
function toldOf(texts: readonly string[]): { told?: string[] } {
  const told = texts
    .flatMap((text) => text.split(/(?<=[.!?])\s+/))
    .map((text) => text.replace(/^[\s"”'’,.;:)!?–-]+|[\s,;:(–-]+$/g, ""))
    .filter((text) => tokenize(text).length > 2);
  return told.length === 0 ? {} : { told };
}

/** What is another order than the one for other words. */
const ANOTHER = /\b(?:add|append|insert|include|remove|delete|drop)\b/iu;
const QUOTE_END = /["“”'‘’]([^"“”]{1,300}?)["“”'‘’]\s*$/u;
const QUOTE_START = /^\s*["“”'‘’]([^"“”]{1,300}?)["“”'‘’](?![\p{L}\p{N}])/u;
const MOST_WORDS = 12;

/** The longest beginning of a text that stands on the page; what is quoted there is that, or nothing. */
function startOn(text: string, page: Page): string | undefined {
  const quote = QUOTE_START.exec(text)?.[1];
  if (quote !== undefined) return placesOf(quote, page).length > 0 ? quote : undefined;
  const words = text.trim().split(/\s+/).slice(0, MOST_WORDS);
  return words
    .map((_word, at) =>
      words
        .slice(0, words.length - at)
        .join(" ")
        .replace(/[.,;:!?)]+$/, ""),
    )
    .find((start) => isTelling(start) && placesOf(start, page).length > 0);
}

const NOBODY: ReadonlySet<string> = new Set();

/** Words that nobody would mean to change are met by chance. */
function isTelling(words: string): boolean {
  return tokenize(words).some(
    ({ lower, text }) =>
      /^(?:\d.*|\p{Lu})$/u.test(text) ||
      kindOf(text, NOBODY) !== undefined ||
      (lower.length > 1 && !STOP_WORDS.has(lower)),
  );
}

/** What a new value is: what is quoted, else what stands up to where something else begins. */
function valueAt(text: string): string | undefined {
  const quote = QUOTE_START.exec(text)?.[1];
  return quote ?? text.replace(ENDS, "").trim();
}

/** The end of a text that is like an old value: a name for a name, a number for a number. */
function endLike(text: string, old: string, names: ReadonlySet<string>): string | undefined {
  const quote = QUOTE_END.exec(text)?.[1];
  if (quote !== undefined) return quote;
  const words = text
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[,;:]+$/, "").replace(/['’]s$/, ""));
  const shapeOf = (own: readonly string[]): string => own.map((word) => kindOf(word, names) ?? "-").join(" ");
  const wanted = old.split(/\s+/);
  const shape = shapeOf(wanted);
  const starts = words.map((_word, at) => words.length - wanted.length - at).filter((at) => at >= 0);
  const at = /^[- ]*$/.test(shape)
    ? starts[0]
    : starts.find((start) => shapeOf(words.slice(start, start + wanted.length)) === shape);
  return at === undefined ? undefined : words.slice(at, at + wanted.length).join(" ");
}

/** A value of a kind that the one line which is spoken of has once: "the carry-over date should be 30 April". */
function byKind(said: string, where: Where): Edit | undefined {
  for (const { groups } of [...said.matchAll(SAYS_VALUE)].slice(0, MOST_JOINTS)) {
    const value = groups?.["value"] ?? "";
    const [first, ...further] = valuesIn(value, where.names);
    // "The second Friday": the one that has the other beside it.
    const beside = further.filter(({ start }) => value.slice(first?.end, start).trim() === "");
    for (const own of first === undefined ? [] : [first, ...beside]) {
      const place = placeOfKind(own, value, said, where);
      if (place === undefined) continue;
      const told = ANOTHER.test(said) ? toldOf([said.replace(value, "…")]) : {};
      return { ...insteadOf(place, own.text, where.page), ...told };
    }
  }
  return undefined;
}

function placeOfKind(
  own: Valued,
  value: string,
  said: string,
  { page, title, names, kept }: Where,
): Place | undefined {
  const staying = new Set(valuesIn(kept, names).map(({ text }) => text.toLowerCase()));
  const [before, behind] = [value.slice(0, own.start), value.slice(own.end)];
  const titled = new Set(tellingIn(title));
  // "Last Friday" says when it was, and not where it stands.
  const rest = said.replace(value, " ");
  const plain = valuesIn(rest, NOBODY).reduceRight(
    (text, { kind, start, end }) =>
      kind === "weekday" || kind === "date" ? text.slice(0, start) + text.slice(end) : text,
    rest,
  );
  const context = tellingIn(plain).filter((stem) => !titled.has(stem));
  const found = page.flatMap((line) => {
    const stems = new Set(tellingIn(line.text));
    const head = new Set(tellingIn(line.under));
    const about = context.reduce((sum, stem) => sum + (stems.has(stem) ? 2 : head.has(stem) ? 1 : 0), 0);
    return valuesIn(line.text, names)
      .filter(({ kind, text }) => kind === own.kind && text.toLowerCase() !== own.text.toLowerCase())
      .filter(({ text }) => !staying.has(text.toLowerCase()))
      .map(({ start, end }) => {
        const ahead = sharedWords(lastFirst(before), lastFirst(line.text.slice(0, start)));
        const after = sharedWords(wordsOf(behind), wordsOf(line.text.slice(end)));
        const near = tellingIn(line.text.slice(0, start).split("|").at(-1)?.slice(-NEAR) ?? "");
        const isNear = near.some((stem) => context.includes(stem));
        const isBehind = tellingIn(partBehind(line.text.slice(end))).some((stem) => context.includes(stem));
        const score = about + 3 * (ahead + after) + (isNear ? 1 : 0) + (isBehind ? 2 : 0);
        return { line, start, end, score, isLike: after > 0 };
      });
  });
  const old = oldSaid(said.slice(0, said.indexOf(value)), own, page, names);
  const likely =
    old === undefined ? found : found.filter(({ line, ...at }) => line.text.slice(at.start, at.end) === old);
  const best = Math.max(0, ...likely.map(({ score }) => score));
  const [place, ...others] = likely.filter(({ score }) => score === best);
  // Words of one line alone may be met by chance where its value has another unit.
  const hasUnit = wordsOf(behind.replace(ENDS, "")).length > 0;
  const isSure = best >= LEAST && others.length === 0 && (!hasUnit || place?.isLike === true);
  return isSure ? place : undefined;
}

/** "The page says Node 24 and Docker with 6gb, I'd make it 8": what it is said to say last, where that stands there. */
function oldSaid(
  before: string,
  { kind }: Valued,
  page: Page,
  names: ReadonlySet<string>,
): string | undefined {
  const says = /\b(?:says?|reads?|lists?|mentions?|still\s+has)\b/iu.exec(before);
  if (says === null) return undefined;
  const behind = before.slice(says.index).replaceAll(/(?<=\d)(?=\p{L})/gu, " ");
  return valuesIn(behind, names).findLast((one) => one.kind === kind && placesOf(one.text, page).length > 0)
    ?.text;
}

/** "180 € in capitals": what belongs to a value behind it, but for the rest of a sentence. */
function partBehind(text: string): string {
  return text.split(/[,;.|(]|\s[–-]\s/u, 1)[0]?.slice(0, NEAR) ?? "";
}

/** A word of the line, or one around the value. */
const LEAST = 2;

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}%€$£-]+/gu) ?? [];
}

function lastFirst(text: string): string[] {
  return wordsOf(text).toReversed();
}

/** How many words two texts begin with alike, at most three. */
function sharedWords(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((word, index) => word !== other[index]);
  return Math.min(3, at === -1 ? one.length : at);
}

/** `Set the "Stands on" of backoffice to "Node, queue"` */
const QUOTED_CELL =
  /\b(?:set|change|make|update|put|the)\s+(?:the\s+)?["“](?<field>[^"“”]{2,40})["”]\s+(?:(?:cell|column|field)\s+)?(?:of|for|in|on)\s+(?:the\s+)?["“`]?(?<where>[^"“”`,;:]{2,60}?)["”`]?\s+(?:row\s+)?(?:to|into|(?:should|ought\s+to|must)\s+(?:read|be|say))\s+["“]?(?<now>[^"“”]{1,100}?)["”]?[\s.!]*$/iu;

function cell(said: string, page: Page): Edit | undefined {
  const found = (CELL.exec(said) ?? QUOTED_CELL.exec(said))?.groups;
  const { new: put, now = put, column, field = column, row, where = row } = found ?? {};
  return now === undefined || field === undefined || where === undefined
    ? undefined
    : cellInstead(field, where, unquoted(now), page);
}

/** A row that a sentence says. */
function newRow(said: string, page: Page, input: PlanInput): Edit | undefined {
  const found = rowInWords(said, page, input);
  return found && { append: asOthers(found.row, page, input), ...toldOf(found.others) };
}

/** A line, a row or an item more. The message has the page's name as well, which may be a part of what a heading is called. */
function added(said: string, masked: string, page: Page, input: PlanInput): Edit | undefined {
  const { message } = input;
  const { noun: named, one } = NEW_PART.exec(masked)?.groups ?? {};
  const noun = (named ?? one)?.toLowerCase() ?? "";
  const isAdded = noun !== "" || ADDS.test(masked) || UNDER.test(masked) || ONE_MORE.test(said);
  const title = NEW_SECTION.exec(said)?.groups?.["title"];
  if (title !== undefined && isAdded) return { append: `## ${title}` };
  const { quotes } = createSheet(said);
  const colon = /(?<=\S|^\s*)\s*:\s+(?=\S)/u.exec(masked);
  const quote = quotes.findLast(({ value }) => headingIn(value, page)?.toLowerCase() !== value.toLowerCase());
  const behind = colon === null ? undefined : said.slice(colon.index + colon[0].length).trim();
  // "Day one: one more checkbox at the end, “…”"
  const masks = behind === undefined ? "" : createSheet(behind).masked;
  const isQuoted =
    behind === undefined ||
    (quote !== undefined && (NEW_PART.test(masks) || /\b(?:add|append|insert)\b/i.test(masks)));
  const text = isQuoted ? quote?.value : unquoted(behind);
  if (text === undefined || text === "") return undefined;
  const values = quotes.map(({ value }) => value);
  const section = OF_SECTION.exec(masked)?.groups?.["title"];
  if (section !== undefined) return { append: `## ${section.trim()}\n\n${text}` };
  const least = noun === "row" ? 2 : undefined;
  const row =
    (isAdded || behind !== undefined ? rowFrom(values, page) : undefined) ?? rowOf(text, page, least);
  // "…, Brownies, broke main. I do the sums myself"
  const [first = "", ...others] = quote === undefined ? text.split(/(?<=\p{L})[.!]\s+(?=\p{L})/u) : [];
  const short = others.length === 0 ? undefined : rowOf(first, page, least);
  if (short !== undefined) return { append: asOthers(short, page, input), ...toldOf(others) };
  if (row !== undefined) return { append: asOthers(row, page, input) };
  if (!isAdded || noun === "row") return undefined;
  const rest = said.replace(text, " ");
  const place = placeBehind(rest, said, page);
  if (place !== undefined) return behindPlace(place, text, page, ITEM.test(noun));
  const last = LINE_END.exec(createSheet(rest).masked)?.groups?.["words"];
  const line = last === undefined ? undefined : lineWith(last, page);
  if (line !== undefined) return insteadOf(endOf(line), `${endOf(line).text} ${text}`, page);
  // Where it shall go is not found: nothing is put elsewhere.
  if (PLACED.test(createSheet(rest).masked)) return undefined;
  const under = headingIn(message.replace(text, " "), page);
  if (under !== undefined) return { append: text, under };
  const isItem = ITEM.test(noun) || OF_LIST.test(masked);
  const kind = /^(?:step|rule)/.test(noun)
    ? "step"
    : noun.endsWith("box") || OF_CHECKS.test(masked)
      ? "check"
      : undefined;
  const item = isItem ? lastItem(kind, page) : undefined;
  if (item !== undefined) return { append: text, under: item };
  return TO_END.test(masked) ? { append: text } : undefined;
}

const TO_END =
  /\b(?:to|on)\s+(?:the|that|this)\s+page\b|\bat\s+the\s+(?:end|bottom)\b(?!\s+of\s+(?:the|that|this)\s+(?!page\b))/iu;
/** "At the end of the coffee paragraph" */
const LINE_END =
  /\bend\s+of\s+the\s+(?<words>[^,.;:"“”]{2,40}?)\s+(?:paragraph|line|sentence|bullet|item|point|row)\b/iu;

/** The last sentence of a line. */
function endOf(line: Place["line"]): Place & { text: string } {
  const text = /[^.!?]*[.!?]*$/.exec(line.text.trimEnd())?.[0].trim() ?? "";
  const own = text === "" ? line.text : text;
  return { line, start: line.text.length - own.length, end: line.text.length, text: own };
}

/** What something shall come behind: quoted words, the item of a number, or the line that has some words. */
function placeBehind(rest: string, said: string, page: Page): Place | undefined {
  const { quote, first, number = first, topic, words = topic } = AFTER.exec(rest)?.groups ?? {};
  if (quote !== undefined) return likeliest(placesOf(quote, page), said);
  const line =
    number === undefined
      ? words === undefined
        ? undefined
        : lineWith(words, page)
      : itemNumbered(Number(number), page);
  return line && { line, start: 0, end: line.text.length };
}

/** A text behind another: as an item where that is one, else in its line. */
function behindPlace(place: Place, text: string, page: Page, isItem: boolean): Edit | undefined {
  const { line, start, end } = place;
  const old = line.text.slice(start, end);
  if (line.kind === "row" || line.kind === "heading") return undefined;
  const whole = line.text;
  return line.kind === "item" && (isItem || old.length === whole.length)
    ? {
        append: text,
        under: whole.length > MOST_UNDER ? whole.slice(0, MOST_UNDER).replace(/\s+\S*$/, "") : whole,
      }
    : insteadOf(place, `${old} ${text}`, page);
}

/** A heading or a line is called by so much of it. */
const MOST_UNDER = 200;
const AFTER = new RegExp(
  `\\b(?:after|behind|below)\\s+(?:(?:the\\s+)?["“](?<quote>[^"”]{2,200})["”]|(?:(?:step|point|item|number|rule)\\s+)?(?<number>\\d{1,2})\\b|the\\s+(?<words>[^,.;:"“”]{2,60}?)\\s+(?:${MORE_PART})\\b|the\\s+(?:${MORE_PART})\\s+(?:on|about|with|for)\\s+(?:the\\s+)?(?<topic>[^,.;:"“”]{2,60}?)(?=\\s*(?:$|[,;:])))|\\bbetween\\s+(?:(?:step|point|item)s?\\s+)?(?<first>\\d{1,2})\\s+and\\b`,
  "iu",
);
const PLACED =
  /\b(?:after|behind|before|above|between|in\s+front\s+of)\s|\b(?:at\s+the\s+)?(?:top|beginning|start)\b/iu;
const ITEM = /^(?:bullet|point|item|step|rule|entry|(?:check)?box|one)/;
const OF_LIST = /\b(?:to|of|in)\s+the\s+(?:check)?list\b/iu;
const OF_CHECKS = /\bchecklist\b/iu;

const THAT =
  /^\W*(?:(?:please|pls|ok(?:ay)?|hm+|no|oh|and|well|so|then|actually)\W+)*(?:(?:change|correct|update|set|make|fix)\s+(?:that|it|this)(?:\s+(?:to|into))?|(?:it|that)['’]s|(?:it|that)\s+(?:is|should\s+be|has\s+to\s+be|moved\s+to))\s+(?:the\s+)?(?<value>\S.{0,80})$/isu;

/** "Change that to 45 minutes", behind an answer that had one other number, day or name of that kind. */
function ofAnswer(
  said: string,
  { page, title, body }: { page: Page; title: string; body: string },
  { history, now }: PlanInput,
  names: ReadonlySet<string>,
): Edit | undefined {
  const asked = history.at(-1)?.message ?? "";
  // "Change it to 10s"
  const value = THAT.exec(said)
    ?.groups?.["value"]?.replace(ENDS, "")
    .trim()
    .replace(/^(\d[\d.,]*)(?=\p{L}{1,3}$)/u, "$1 ");
  if (value === undefined || !isQuestion(asked)) return undefined;
  const [passage = ""] = passagesFor(body, { title, question: questionIn(asked), now }).passages;
  const line = lineOf(passage, page);
  const [own, ...more] = valuesIn(value, names);
  if (line === undefined || own === undefined || more.length > 0) return undefined;
  const [unit] = wordsOf(value.slice(own.end));
  const column = columnAsked(asked, line.text, page);
  const found = valuesIn(line.text, names).filter(
    ({ kind, start, end }) =>
      kind === own.kind &&
      (unit === undefined || wordsOf(line.text.slice(end))[0] === unit) &&
      (kind !== "name" || column === undefined || start === column),
  );
  // "Planning (Tuesday 10:00), demo (14:00)": of several the one right behind what was asked for.
  const stems = new Set(tellingIn(asked));
  const isAsked = (text: string): boolean => tellingIn(text).some((stem) => stems.has(stem));
  // "Six end-to-end tests, not sixty", or the one that stands right before it.
  const behind = found.filter(({ end }) => isAsked(partBehind(line.text.slice(end))));
  const near =
    behind.length === 1
      ? behind
      : found.filter(({ start }) => isAsked(line.text.slice(Math.max(0, start - NEAR), start)));
  const [place, ...others] = found.length > 1 ? near : found;
  return place === undefined || others.length > 0
    ? undefined
    : insteadOf({ line, start: place.start, end: place.end }, own.text, page);
}

const NEAR = 20;

function namesIn(known: readonly KnownName[]): ReadonlySet<string> {
  return new Set(
    known.flatMap(({ kind, name }) => (kind === "person" ? [folded(name.split(" ")[0] ?? name)] : [])),
  );
}
