import type { ArgSources, KnownName, ShownRecord } from "#contract/plan.ts";

import { LIST_WORDS } from "./sense.ts";
import { ISSUE_NOUNS, PAGE_NOUNS } from "./nouns.ts";
import { rowsNamed } from "./refer.ts";
import { COLON, createSheet } from "./sheet.ts";
import { hasWords, KEY, STOP_WORDS, type Token, tokenize, wordSet } from "./words.ts";

/** A record with the words of its title. */
interface Titled {
  id: string;
  name: string;
  server: string;
  isPage: boolean;
  /** In small letters; "" where none is known. */
  type: string;
  stems: ReadonlySet<string>;
}

interface Titles {
  records: Titled[];
  /** "sign on", which a title writes as one word with a hyphen; undefined where none does. */
  parted: RegExp | undefined;
  /** What people write as one word, by that, with where each of its words begins: "healthcheck", "SSO". */
  joined: ReadonlyMap<string, readonly Part[]>;
  /** How telling a word is: the rarer in titles, the more. */
  weightOf: (stem: string) => number;
}

/** A word of a title within one that is joined of several, and how many characters stand for it. */
interface Part {
  word: string;
  length: number;
}

/** A run of words that may be a record's title, or a part of it. */
interface Run {
  record: Titled;
  /** Places of the first word and behind the last one. */
  from: number;
  to: number;
  matched: ReadonlySet<string>;
  strange: number;
  score: number;
}

const OF_ISSUES: ReadonlySet<string> = new Set(ISSUE_NOUNS);
const OF_PAGES: ReadonlySet<string> = new Set(PAGE_NOUNS);
/** "Search the wiki for printers" names a place, and no page that is called Printers. */
const NOUN = [...ISSUE_NOUNS, ...PAGE_NOUNS].filter((noun) => noun !== "wiki").join("|");
const ANY_NOUNS = wordSet("one thing item stuff entry suggestion proposal wish");
const DEFINITE = wordSet("the that this my our your his her their");
const PLURALS =
  /^(?:issues|tickets|bugs|stories|tasks|incidents|alerts|problems|ones|things|pages|docs|documents|articles|guides|runbooks|epics|cases|topics)$/;
/** What lists things, or asks which there are. */
const LISTS =
  /\b(?:all|any|every|each|how many|number of|count|list|which|search|related|similar|containing|mention\w*|other|another|open|new|overdue|unassigned)\s+(?:\p{L}+\s+){0,2}$/iu;
/** What is said of a record that begins a sentence: "Postgres upgrade is mine". */
const STATED =
  /^\s+can\s+wait\b|^\s+(?:is|are)\s+(?:now\s+|all\s+)?(?:due|mine|done|finished|fixed|ready|code complete|live|shipped|merged|over|blocked|in\s+(?:review|progress))\b|^\s+(?:goes|moves|belongs|needs?|should|must|can|ha(?:s|ve)\s+to)\s+(?:(?:really|now|also|actually|please|already)\s+)?(?:to|be|go|move|back|under|into)\b/i;
/** What is said of one record: an order to change it, or a question about it. */
const ORDERS =
  /(?:^|[\s,;.!?])(?:assign|reassign|give|hand|pass|move|close|reopen|finish|resolve|start|bump|raise|lower|drop|put|push|take|set|mark|comment on|(?:who|whose) (?:owns|has|is on|does|took|wrote|opened|reported|changed|is looking after|looks after|works on|is working on|takes care of|is responsible for|is doing)|(?:when|why) (?:is|was|did)|how old is|is (?:any|some)(?:body|one) (?:already |currently )?(?:on|working on)|unassign|rename|retitle|tag|label|delete|labels?\s+["'“”‘’]?[\p{L}\d_-]+["'“”‘’]?\s+(?:to|on|from|off)|(?:note|comment|remark)s?\s+(?:on|to)|(?:priority|prio|due date|deadline|status|title|summary|labels?|description|assignee|owner)\s+(?:of|on|for))\s+(?:the\s+)?$/iu;
/** What is asked of an issue, or done to one, and of no page. */
const OF_ONE_ISSUE =
  /\b(?:priority|prio|due date|deadline|status|labels?|assignee|owner)\s+(?:of|on|for)\s+(?:the\s+)?$|\b(?:assign|reassign|unassign|close|reopen|resolve|bump|raise|lower|start|tag|who (?:has|owns|is on|is working on|works on)|what (?:blocks|is blocking))\s+(?:the\s+)?$/iu;
const OF_LABEL =
  /\b(?:(?:with|by|in|of|has|have)\s+(?:the\s+|an?\s+)?(?:label|tag)s?|labels|labell?ed|tagged)(?:\s+(?:with|as|called))?\s+["“]?$/iu;
/** "Move the printer one to won't do": what has a state is no page. */
const INTO_STATE =
  /^\W*(?:(?:please|pls|can you|could you)\s+)*(?:move|put|set|bring|send)\s[^:]*\sto\s+(?:in progress|in review|to do|todo|done|backlog|won['’]?t do)\W*$/iu;
/** What asks for something of one record: "is guest checkout done yet?", "which epic is the dark mode bug in?" */
const ASKS_OF =
  /(?:^|[.!?;:,]\s+|\b(?:and|but|so)\s+)(?:is|are|was|has)\s+(?:the\s+)?$|\b(?:which|what)\s+(?:epic|project|status|state|column|type|priority)\s+(?:is|does|has|was)\s+$|\b(?:what|who)(?:['’]?s|\s+is|\s+are)?\s+block(?:s|ing)\s+$/iu;
const ASKED =
  /^\s+(?:still\s+|now\s+|already\s+|really\s+|finally\s+|been\s+)*(?:done|finished|started|fixed|ready|live|shipped|merged|open|closed|resolved|blocked|late|overdue|urgent|assigned|unassigned|in(?:\s+(?:progress|review|the backlog))?|have|has|due)\b|^\s*\W*$/iu;
/** Words that keep a title's words together. */
const WITHIN = wordSet(
  "the a an of to in on for with and or at by is are was not no from its when that after before into over does doesn't does cannot can can't isn't while during between",
);
/** Which of several, and no word of a title by itself. */
const PICKS = wordSet(
  `first second third fourth fifth last next previous other others wrong right same new old newest oldest latest current
  whole top bottom mobile app shop main small big open opens opened close closed done review progress highest high
  medium low lowest urgent blocked late due assigned unassigned more most less nobody somebody someone everybody everyone anybody anyone`,
);
const DICTATES =
  /\b(?:saying|says|that we|that the|to say)\b|(?<=\b(?:rename|retitle|title|summary)\b[^,;.]{1,40}?)\s(?:to|into)\s/i;

const kept = new WeakMap<readonly KnownName[], Titles>();

function titlesOf(known: readonly KnownName[]): Titles {
  const before = kept.get(known);
  if (before !== undefined) return before;
  const own = known.filter(({ kind }) => kind === "issue" || kind === "page");
  const records = [...new Map(own.map((one) => [one.id, one])).values()].map(
    ({ id, name, kind, server, type = "" }) => ({
      id,
      name,
      server,
      type: type.toLowerCase(),
      isPage: kind === "page",
      stems: new Set(
        tokenize(name).flatMap(({ lower, stem }) =>
          STOP_WORDS.has(lower) || (lower.length < 2 && !/\d/.test(lower)) ? [] : [stem],
        ),
      ),
    }),
  );
  const counts = new Map<string, number>();
  for (const { stems } of records) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const weightOf = (stem: string): number => {
    const count = counts.get(stem);
    return count === undefined ? 0 : Math.log(1 + records.length / count);
  };
  const hyphened = records.flatMap(
    ({ name }) => name.match(/(?<!\p{L})\p{L}{2,}-\p{L}{2,}(?!\p{L})/gu) ?? [],
  );
  const parted =
    hyphened.length === 0
      ? undefined
      : new RegExp(`(?<!\\p{L})(?:${hyphened.join("|").replaceAll("-", " ")})(?!\\p{L})`, "giu");
  const joined = joinedOf(records.map(({ name }) => name));
  for (const word of joined.keys()) if (counts.has(tokenize(word)[0]?.stem ?? "")) joined.delete(word);
  const titles = { records, parted, joined, weightOf };
  kept.set(known, titles);
  return titles;
}

/** Two words of a title as one ("healthcheck"), and what is short for one with a hyphen ("SSO": single sign-on). */
function joinedOf(names: readonly string[]): Map<string, readonly Part[]> {
  const joined = new Map<string, readonly Part[]>();
  for (const name of names) {
    const words = name.toLowerCase().match(/[\p{L}-]+/gu) ?? [];
    for (const [at, word] of words.entries()) {
      const next = words[at + 1] ?? "";
      const pair = [word, next];
      if (pair.every((one) => one.length >= LEAST_JOINED && !STOP_WORDS.has(one) && !one.includes("-")))
        joined.set(
          pair.join(""),
          pair.map((one) => ({ word: one, length: one.length })),
        );
      const parts = `${word}-${next}`.split("-").filter((one) => one !== "");
      if (next.includes("-") && parts.length === LETTERS)
        joined.set(parts.map((one) => one.charAt(0)).join(""), initialsOf(parts));
    }
  }
  for (const word of joined.keys()) if (STOP_WORDS.has(word)) joined.delete(word);
  return joined;
}

/** The telling words that initials stand for; the last one of them ends with the initials. */
function initialsOf(words: readonly string[]): Part[] {
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return telling.map((word, at) => ({
    word,
    length: at === telling.length - 1 ? words.length - at : 1,
  }));
}

const LEAST_JOINED = 4;
const LETTERS = 3;

/** The words of a text, each that is joined as those that it is joined of. */
function wordsIn(text: string, { joined }: Titles): Token[] {
  return tokenize(text).flatMap((token) => {
    const parts = joined.get(token.lower);
    if (parts === undefined) return [token];
    let at = token.start;
    return parts.flatMap(({ word, length }) => {
      const start = at;
      at += length;
      return tokenize(word).map((one) => ({ ...one, start, end: at }));
    });
  });
}

/** How telling a word is among the titles that are known of a server's records; 0 where none has it. */
export function titleWeight(stem: string, known: readonly KnownName[], server?: string): number {
  const { records, weightOf } = titlesOf(known);
  const isOwn = records.some((one) => (server === undefined || one.server === server) && one.stems.has(stem));
  return isOwn ? weightOf(stem) : 0;
}

/**
 * The issue whose title a message has most of, where it has two telling words of it and no other title comes near:
 * for a message that is known to be about one that it does not name.
 */
export function likeliestIssue(
  message: string,
  known: readonly KnownName[],
  least = 2,
): KnownName | undefined {
  const titles = titlesOf(known);
  const { records, weightOf } = titles;
  const said = new Set(wordsIn(message.replaceAll("-", " "), titles).map(({ stem }) => stem));
  const scored = records
    .filter(({ isPage }) => !isPage)
    .map((record) => {
      const shared = [...record.stems].filter((stem) => said.has(stem) && /\p{L}/u.test(stem));
      return {
        record,
        count: shared.length,
        score: shared.reduce((sum, stem) => sum + weightOf(stem) ** 2, 0),
      };
    })
    .toSorted((one, other) => other.score - one.score);
  const [best, next] = scored;
  if (best === undefined || best.count < least || best.score < LIKELY * (next?.score ?? 0)) return undefined;
  // "The courier map story", of a bug: a story may be meant that has one of the words.
  const kind = /\bthe\s(?:[^,.;:]{3,40}\s)?(bug|story|epic)\b/iu.exec(message)?.[1]?.toLowerCase();
  const isThere = scored.some((one) => one.record.type === kind && one.count > 0);
  if (isThere && isAnotherKind(kind, best.record.type)) return undefined;
  return known.find(({ kind, id }) => kind === "issue" && id === best.record.id);
}

const OF_TYPE =
  /(?<!\b(?:an?|new|another)\s+)(?<![\p{L}\p{N}-])[\p{L}\p{N}-]{3,}\s+(?<type>bug|story|epic|task)(?!\p{L})/iu;

/** The records of a server whose titles have the most telling words of a message, the likeliest first. */
export function likelyRecords(message: string, known: readonly KnownName[], server: string): KnownName[] {
  const titles = titlesOf(known);
  const { records, weightOf } = titles;
  const words = wordsIn(message.replaceAll("-", " "), titles).filter(
    ({ lower }) => !STOP_WORDS.has(lower) && !LIST_WORDS.has(lower),
  );
  const said = new Set(words.map(({ stem }) => stem));
  const scored = records
    .filter((one) => !one.isPage && one.server === server)
    .map(({ id, stems, type }) => {
      const weights = [...stems].filter((stem) => said.has(stem) && /\p{L}/u.test(stem)).map(weightOf);
      return {
        id,
        type,
        most: Math.max(0, ...weights),
        score: weights.reduce((sum, weight) => sum + weight ** 2, 0),
      };
    })
    .filter(({ most }) => most >= Math.log(1 + records.length / TELLING))
    .toSorted((one, other) => other.score - one.score);
  const least = (scored[0]?.score ?? 0) / 2;
  const likely = scored.filter(({ score }) => score >= least);
  // "Passkey story": of several the one that is a story.
  const type = OF_TYPE.exec(message)?.groups?.["type"]?.toLowerCase();
  const ofType = likely.filter((one) => one.type === type);
  const ids = (ofType.length > 0 ? ofType : likely).slice(0, MOST_LIKELY);
  return ids.flatMap(({ id }) => known.find((one) => one.kind === "issue" && one.id === id) ?? []);
}

/** A word of more titles tells nothing. */
const TELLING = 3;
const MOST_LIKELY = 3;

/** So much of a title says that it is meant, where no word says that it is one. */
const MOST_OF_IT = 0.35;

/** So many times as much of its title as of the next one. */
const LIKELY = 1.5;

export interface Linked {
  text: string;
  /** The records that were put in, by their ids. */
  put: ArgSources;
}

/**
 * A message with the key of each record that it calls by words of its title, where only one title has them: "who has
 * the disk ticket" asks who has OPS-4. What is quoted is left alone, unless it is a title; so are words that may list
 * several records, and rows on the screen, which are named by their own words.
 */
export function withTitledKeys(
  message: string,
  known: readonly KnownName[],
  rows: readonly ShownRecord[],
  said = message,
): Linked {
  const titles = titlesOf(known);
  if (titles.records.length === 0) return { text: message, put: {} };
  const put: ArgSources = {};
  const text = exactTitle(message.replace(APPOSED, "$1 $2$4 $3"), titles, put);
  return { text: linkAll(text, { titles, rows, put, said }), put };
}

interface Linking {
  titles: Titles;
  rows: readonly ShownRecord[];
  /** What is put in goes in here. */
  put: ArgSources;
  /** The message as it was written. */
  said: string;
  /** Only what nothing else can be meant by. */
  isPlain?: true;
}

function linkAll(message: string, linking: Linking): string {
  let text = message;
  for (let round = 0; round < MOST_LINKS; round += 1) {
    const next = linkOne(text, linking);
    if (next === undefined) break;
    text = next;
  }
  return text;
}

const MOST_LINKS = 3;
/** "This dark mode bug, the one with sunset" */
const APPOSED = new RegExp(
  `\\b(the|this|that)\\s+((?:[\\p{L}-]+\\s+){1,4}?)(${NOUN}),?\\s+the\\s+one\\s+(?:with|about|on|where|for)\\s+(?:the\\s+)?([\\p{L} -]{3,30}?)(?=\\W*$|[,.;])`,
  "iu",
);

const OPENS = /["“”„'‘’«`]$/u;
const CLOSES = /^["“”'‘’»`]/u;
/** What is made, looked for or written, and not what it is done to. */
const MAKES =
  /\b(?:called|named|titled?|retitle|rename|names?|summary|description|create|search(?:es|ing)?|look(?:ing)?\s+for|find|mentioning|(?:\p{L}+\s+)?(?:an?|new|another)\s+(?:new\s+)?(?:\p{L}+\s+)?(?:issue|ticket|bug|story|task|epic|page|card|item))\b[^.!?;]*$/iu;
/** Directly behind these stands a text. */
const WRITES =
  /\b(?:file|report|add|append|post|leave|say(?:s|ing)?|writes?|that|texts?|labels?|tags?|labell?ed|tagged)\s*$/iu;
const OF_ITSELF =
  /(?:\b(?:rename|retitle)\s+|\b(?:title|name|summary|description)\s+(?:of|for|on)\s+)(?:the\s+)?(?:epic\s+)?$/iu;
/** "Comment "Wish list"" has that for its text, and "comment "Wish list": …" for its ticket. */
const AS_TEXT =
  /^\s*(?:as|in|for)\s+(?:an?\s+|the\s+|its\s+)?(?:new\s+)?(?:comment|note|title|name|summary|label|description)\b/iu;
const COMMENTS = /\b(?:comments?|notes?)\s*$/iu;
const HAS_TEXT = /^["”'’]?\s*(?:[:.]\s+\S|(?:that|saying)\b)/u;
const TELLS = /\b(?:comments?|notes?|writes?|says?|saying|tell|reply|mention|post|ask|that)\b/i;
const NOUN_BEFORE =
  /\b(?:the|that|this|our|my)\s+(?:(?:issue|ticket|bug|story|task|one|incident)\s+)?(?:(?:about|called|named|titled|on|for|with\s+the\s+title)\s+)?(?:the\s+)?$|\b(?:issue|ticket|bug|story|task)\s+(?:(?:about|called|named|titled|with\s+the\s+title)\s+)?$/iu;
const NOUN_BEHIND = /^\s+(?:issue|ticket|bug|story|task|one|thing|incident)\b/iu;
/** A shorter title may be meant by chance where nothing is put around it. */
export const FEWEST_TITLE_WORDS = 3;

/**
 * A message with the key of each issue that it plainly calls by its title, before any reader: by the whole of it, as it
 * was copied (`close "Wish list"`), or by two words of it and what it is ("the passkey ticket"). What is new, looked
 * for or dictated is none of it.
 */
export function withPlainTitles(
  message: string,
  known: readonly KnownName[],
  rowsOf: (message: string) => readonly ShownRecord[],
): Linked {
  const titles = titlesOf(known);
  const { text: whole, put } = withWholeTitles(message, titles);
  const text = linkAll(whole, { titles, rows: rowsOf(whole), put, said: whole, isPlain: true });
  return { text, put };
}

/** "Emi can't do MOB-16 and DEMO-27 at once, take the font one off her": the one of those whose title says so. */
export function withNamedOne(message: string, known: readonly KnownName[]): Linked {
  const head = message.slice(0, textAt(createSheet(message).masked));
  const keys = new Set(head.match(new RegExp(KEY, "gu")) ?? []);
  const put: ArgSources = {};
  if (keys.size < 2) return { text: message, put };
  const records = known.filter(({ id }) => keys.has(id));
  const text = head.replaceAll(NAMED_ONE, (said, words: string) => {
    const [record, ...others] = records.filter(({ name }) => hasWords(name, words));
    if (record === undefined || others.length > 0) return said;
    put[record.id] = { from: "message" };
    return record.id;
  });
  return { text: text + message.slice(head.length), put };
}

const NAMED_ONE = /\bthe\s+((?:\p{L}+\s+){1,3})one\b(?!\s+(?:of|that|which|who|with|about|in|on)\b)/giu;

function withWholeTitles(message: string, { records }: Titles): Linked {
  const put: ArgSources = {};
  let text = message;
  const byLength = records
    .filter(({ isPage, name }) => !isPage && name.includes(" "))
    .toSorted((one, other) => other.name.length - one.name.length);
  // "The “login page remembers” thing": a part that only one title has.
  const partly = createSheet(message).quotes.flatMap(({ value }) => {
    const named = byLength.filter(({ name }) => name.toLowerCase().includes(value.toLowerCase()));
    const [record] = named;
    const isPart = named.length === 1 && value.split(" ").length >= FEWEST_TITLE_WORDS;
    return record !== undefined && isPart ? [{ ...record, called: value }] : [];
  });
  for (const record of [...byLength.map((one) => ({ ...one, called: one.name })), ...partly]) {
    const own = record.called.toLowerCase();
    // Most titles stand nowhere in it.
    if (!text.toLowerCase().includes(own)) continue;
    const place = placeOf(own, text.slice(0, textAt(createSheet(text).masked)), text);
    const isTwice = byLength.some(({ id, name }) => id !== record.id && name.toLowerCase() === own);
    if (place === undefined || isTwice) continue;
    put[record.id] = { from: "result", ref: record.name };
    text = text.slice(0, place.start) + place.called + record.id + text.slice(place.end);
  }
  return { text, put };
}

/** Where somebody's text begins behind a colon; "action item: close …" dictates none. */
export function textAt(masked: string): number {
  const colon = COLON.exec(masked)?.index ?? masked.length;
  const head = masked.slice(0, colon);
  return TELLS.test(head) || isNew(head) || OF_TEXT.test(head) ? colon : masked.length;
}

/** Whether a message asks for something new, or for another name of it: its words may be its title. */
export function isNew(masked: string): boolean {
  return MAKES.test(masked);
}

const OF_TEXT =
  /\b(?:bugs?|tasks?|stor(?:y|ies)|tickets?|issues?|epics?|pages?|docs?|cards?|(?<!action )items?|titles?|names?|summary|description|labels?|texts?|facts?|observations?|entit(?:y|ies)|notes?)\b/i;

/** Where a title, in small letters, stands that means its record, with what belongs to it. */
function placeOf(
  name: string,
  text: string,
  whole: string,
): { start: number; end: number; called: string } | undefined {
  const lower = text.toLowerCase();
  const at = lower.length === text.length ? lower.indexOf(name) : -1;
  if (at === -1) return undefined;
  let [before, behind] = [text.slice(0, at), text.slice(at + name.length)];
  const isQuoted = OPENS.test(before) && CLOSES.test(behind);
  if (isQuoted) [before, behind] = [before.slice(0, -1), behind.slice(1)];
  // "Button text is cut off …" in quotes is another title than the one without its first word.
  const isInside = createSheet(text).quotes.some(({ start, end }) => start <= at && end >= at + name.length);
  if (isInside && !isQuoted) return undefined;
  const isWhole = !/[\p{L}\p{N}_-]$/u.test(before) && !/^(?:[\p{L}\p{N}_]|-\p{L})/u.test(behind);
  const isLong = isQuoted || name.split(" ").length >= FEWEST_TITLE_WORDS;
  // The first key is what it is about; what is told of it may have a title in it.
  const isTold = TELLS.test(before) && /[A-Za-z]\w*-\d/.test(before);
  const lead = NOUN_BEFORE.exec(before)?.[0].length ?? 0;
  const order = before.slice(0, before.length - lead);
  const isMade = (isNew(order) || WRITES.test(order)) && !OF_ITSELF.test(order);
  const isText =
    AS_TEXT.test(behind) || (COMMENTS.test(before) && !HAS_TEXT.test(whole.slice(at + name.length)));
  if (!isWhole || !isLong || isTold || isMade || isText) return undefined;
  const epic = /^\s+epic\b/iu.exec(behind)?.[0] ?? "";
  const noun = lead > 0 || isQuoted ? (NOUN_BEHIND.exec(behind)?.[0] ?? epic) : epic;
  return {
    start: order.length,
    end: text.length - behind.length + noun.length,
    called: epic === "" ? "" : "the epic ",
  };
}

/** `"Guest checkout without an account"`, "the page Feature flags": a title to the letter. */
function exactTitle(message: string, { records }: Titles, put: ArgSources): string {
  const { quotes, masked } = createSheet(message);
  const behindNouns = [...masked.matchAll(/(?<![\p{L}-])(\p{L}+) (?=\p{L})/gu)].flatMap(
    ({ 0: word, index }) => {
      const start = index + word.length;
      const rest = message.slice(start).toLowerCase();
      const names = records
        .map(({ name }) => name)
        .filter(
          (name) => rest.startsWith(name.toLowerCase()) && !/^[\p{L}\p{N}-]/u.test(rest.slice(name.length)),
        );
      const [value] = names.toSorted((one, other) => other.length - one.length);
      return value === undefined || !isNoun(word.trim().toLowerCase())
        ? []
        : [{ value, start, end: start + value.length }];
    },
  );
  const found = [...quotes, ...behindNouns].flatMap(({ value, start, end }) => {
    const same = records.filter(({ name }) => name.toLowerCase() === value.toLowerCase());
    const [record] = same;
    const before = message.slice(0, start);
    const isNamed =
      /(?:\b(?:on|to|for|of|issue|ticket|bug|story|task|page|assign|close|move|show|split|open|delete)\s+)$/i.test(
        before,
      );
    const isRenamed = /\b(?:rename|retitle)\s+(?:the\s+)?(?:(?:wiki\s+)?page\s+)?$/i.test(before);
    const isNew = !isRenamed && /\b(?:title|name|rename\p{L}*|call\p{L}*|summary)\b/iu.test(before);
    return record && same.length === 1 && (isNamed || isRenamed) && !isNew ? [{ record, start, end }] : [];
  });
  const [one] = found;
  if (one === undefined || found.length > 1) return message;
  put[one.record.id] = { from: "result", ref: one.record.name };
  const lead = message.slice(0, one.start).replace(one.record.isPage ? /\bpage\s+$/i : /(?!)/, "");
  return lead + named(one.record) + message.slice(one.end);
}

function linkOne(message: string, { titles, rows, put, said: given, isPlain }: Linking): string | undefined {
  const { masked } = createSheet(message);
  const end = Math.min(
    isPlain === true ? textAt(masked) : (COLON.exec(masked)?.index ?? masked.length),
    DICTATES.exec(masked)?.index ?? masked.length,
  );
  const said = masked.slice(0, end);
  const plain = said.replaceAll(HYPHENED, (all) => all.replaceAll("-", " "));
  const own =
    titles.parted === undefined ? plain : plain.replace(titles.parted, (all) => all.replace(" ", "-"));
  const tokens = wordsIn(own, titles);
  // What is named by its key may well be told something with words of its title.
  const others = titles.records.filter(({ id }) => !message.includes(id));
  const runs = others.flatMap((record) => runsOf(record, tokens, own, titles.weightOf));
  runs.sort((one, other) => other.score - one.score || one.from - other.from);
  for (const run of runs) {
    const others = runs.filter(
      (other) => other.record !== run.record && other.from < run.to && run.from < other.to,
    );
    const span = accepted(run, others, tokens, own, titles, masked);
    if (span === undefined || Object.hasOwn(put, run.record.id)) continue;
    if (
      isPlain === true &&
      !isPlainly(run, message.slice(span.start, span.end), message.slice(0, span.start))
    )
      continue;
    const words = own.slice(tokens[run.from]?.start, tokens[run.to - 1]?.end);
    if (isPlaceOfAnother(message.slice(0, span.start), message.slice(span.start, span.end), titles)) continue;
    if (isOtherKind(run, words, given, titles)) continue;
    const onScreen = rowsNamed(words, rows);
    if (onScreen.length > 1 || onScreen.some(({ id }) => id !== run.record.id)) continue;
    put[run.record.id] = { from: "result", ref: run.record.name };
    // "The wrong-time-zones bug" is called so as a whole.
    const tied = /(?:\p{L}+-)+$/u.exec(message.slice(0, span.start))?.[0] ?? "";
    return message.slice(0, span.start - tied.length) + named(run.record) + message.slice(span.end);
  }
  return undefined;
}

/** "The dark mode thing on the phone" is no record that has the phone in its title. */
function isPlaceOfAnother(before: string, span: string, { weightOf }: Titles): boolean {
  const words = THING_OF.exec(before)?.[1] ?? "";
  return (
    /^(?:thing|one|issue|ticket|bug|story|task)\s+(?:on|in|at|from)\s/iu.test(span) &&
    tokenize(words).some(
      ({ lower, stem }) => !PICKS.has(lower) && !STOP_WORDS.has(lower) && weightOf(stem) > 0,
    )
  );
}

const THING_OF = /\b(?:the|that|this|our)\s+((?:[\p{L}\d-]+\s+){1,4})$/iu;

/** "The deploy-to-production guide": words of a title that are tied together. */
const HYPHENED = /(?<![\p{L}\p{N}-])\p{L}+(?:-\p{L}+){2,}(?![\p{L}\p{N}-])/gu;

/** "The passkey ticket", of what is no epic and not made here. */
function isPlainly({ record: { isPage, type }, matched }: Run, words: string, before: string): boolean {
  if (isPage || type === "epic" || matched.size < 2 || isNew(before)) return false;
  if (WRITES.test(before) && !LABELS.test(before)) return false;
  return /^(?:the|that|this|our|my)\s.*\b(?:issue|ticket|bug|story|task|one|incident)\b/iu.test(words);
}

/** "Label the printer ticket hotfix": the record, and no label. */
const LABELS = /(?:^|[.;,!]\s+|\b(?:and|then|please|pls|you)\s+)(?:label|tag)\s+(?:the\s+)?$/i;

/** "The courier map story", of a bug whose title has these words, where a story has one of them as well. */
function isOtherKind({ record, matched }: Run, words: string, said: string, { records }: Titles): boolean {
  const kind = kindBehind(words, said);
  return (
    isAnotherKind(kind, record.type) &&
    records.some(({ type, stems }) => type === kind && [...matched].some((stem) => stems.has(stem)))
  );
}

/** Of which kind a message says that something is, behind the words for it: "the passkey story". */
export function kindBehind(words: string, message: string): string | undefined {
  const at = words === "" ? -1 : message.toLowerCase().indexOf(words.toLowerCase());
  const behind = at === -1 ? "" : message.slice(at + words.length);
  return /^\s+(bug|story|task|epic)\b/iu.exec(behind)?.[1]?.toLowerCase();
}

/** Whether what is of a type ("" where that is not known) is none of the kind that was said; a task may be anything. */
export function isAnotherKind(said: string | undefined, type: string): boolean {
  return said !== undefined && said !== "task" && type !== "" && type !== said;
}

function named({ id, isPage }: Titled): string {
  return isPage ? `page ${id}` : id;
}

/** Where words of the title stand together, as long as they are. */
function runsOf(
  record: Titled,
  tokens: readonly Token[],
  text: string,
  weightOf: (stem: string) => number,
): Run[] {
  const runs: Run[] = [];
  let at = 0;
  while (at < tokens.length) {
    const first = tokens[at];
    const isVerb = first !== undefined && VERBS.has(first.lower) && STARTS.test(text.slice(0, first.start));
    if (
      first === undefined ||
      isVerb ||
      (isNoun(first.lower) && !beginsTitle(record, first, tokens[at + 1])) ||
      !record.stems.has(first.stem) ||
      STOP_WORDS.has(first.lower)
    ) {
      at += 1;
      continue;
    }
    const matched = new Set([first.stem]);
    let [to, strange] = [at + 1, 0];
    let inside: string[] = [];
    for (let next = at + 1, gap = 0; next < tokens.length; next += 1) {
      const [token, before] = [tokens[next], tokens[next - 1]];
      if (!token || !before || /[.!?;:,\n]/.test(text.slice(before.end, token.start))) break;
      // "Our customer label on the login page": a field of the record is no word of its title.
      if (FIELDS.test(token.lower) && !record.stems.has(token.stem)) break;
      // "The printer and the dashboard" are two.
      if (before.lower === "and" && DEFINITE.has(token.lower)) break;
      const own = record.stems.has(token.stem) ? token.stem : begunBy(record, token);
      if (own !== undefined && !isNoun(token.lower)) {
        for (const stem of [...inside, own]) matched.add(stem);
        inside = [];
        strange += gap;
        [to, gap] = [next + 1, 0];
      } else if (
        isNoun(token.lower) &&
        !record.stems.has(token.stem) &&
        endsPhrase(tokens[next + 1], token, text)
      ) {
        break;
      } else if (isNoun(token.lower)) {
        // "The product page pictures", "the payment page ticket": a word for a thing is one of the title where more of
        // it comes, or a word for what it is, or where it stands there behind the same word.
        if (!record.stems.has(token.stem)) continue;
        inside.push(token.stem);
        const beyond = tokens[next + 1]?.lower ?? "";
        const isOfIssue = !record.isPage && (OF_ISSUES.has(beyond) || beyond === "one");
        if (!isOfIssue && !record.name.toLowerCase().includes(`${before.lower} ${token.lower}`)) continue;
        for (const stem of inside) matched.add(stem);
        inside = [];
        strange += gap;
        [to, gap] = [next + 1, 0];
      } else if (!WITHIN.has(token.lower) && !STOP_WORDS.has(token.lower)) {
        gap += 1;
        if (gap > 1) break;
      }
    }
    const score = [...matched].reduce((sum, stem) => sum + weightOf(stem), 0) - 2 * strange;
    runs.push({ record, from: at, to, matched, strange, score });
    at = to;
  }
  return runs;
}

const ANOTHER_AT =
  /\bthe\s+(\p{L}+)\s+(?:thing|one|ticket|issue|bug|story|task)\s+(?:on|in|at|from)\s+(?:the\s+)?$/iu;
const FIELDS = /^(?:labels?|tags?|comments?|prio|priority|status|assignee|deadline)$/;

/** "The local dev setup": inside a title a word may be cut short. */
function begunBy({ stems }: Titled, { lower }: Token): string | undefined {
  if (lower.length < 3 || STOP_WORDS.has(lower)) return undefined;
  return [...stems].find((stem) => stem.length > lower.length + 2 && stem.startsWith(lower));
}

/**
 * "The wish list one", "the feature flags page": a word that may stand for any thing is one of the title where the next
 * one is as well, and one for a kind of thing where both stand there together.
 */
function beginsTitle({ name, stems }: Titled, { lower, stem }: Token, next: Token | undefined): boolean {
  if (next === undefined || !stems.has(stem) || !stems.has(next.stem)) return false;
  return ANY_NOUNS.has(lower) || name.toLowerCase().includes(`${lower} ${next.lower}`);
}

/** "The alt texts task and …": behind the noun another thing begins. */
function endsPhrase(behind: Token | undefined, { end }: Token, text: string): boolean {
  return (
    behind === undefined ||
    /[^\s]/.test(text.slice(end, behind.start)) ||
    /^(?:and|to|or|with|as|is|for|from)$/.test(behind.lower)
  );
}

/** The place of a run, with what belongs to it, where it can be nothing but one record. */
function accepted(
  run: Run,
  others: readonly Run[],
  tokens: readonly Token[],
  text: string,
  { records, weightOf }: Titles,
  message: string,
): { start: number; end: number } | undefined {
  const { record, from, to, matched, strange } = run;
  const [first, last] = [tokens[from], tokens[to - 1]];
  if (!first || !last) return undefined;
  const behind = tokens[to];
  const isBehind = behind !== undefined && /^\s+$/.test(text.slice(last.end, behind.start));
  const nounBehind = isBehind && isNoun(behind.lower) ? behind : undefined;
  const before = text.slice(0, first.start);
  // "Bugs with label login": what they have, and no title.
  if (OF_LABEL.test(before)) return undefined;
  // "The printer thing on floor 2" is no coffee machine for floor 2.
  const word = tokenize(ANOTHER_AT.exec(before)?.[1] ?? "")[0];
  const isAnothers = word !== undefined && isTelling(word) && !record.stems.has(word.stem);
  if (isAnothers && records.some(({ stems }) => stems.has(word.stem))) return undefined;
  const ahead = AHEAD.exec(before);
  const nounAhead = ahead?.[2]?.toLowerCase();
  // "The ticket about the payment page" is no page.
  const noun = OF_ISSUES.has(nounAhead ?? "") ? nounAhead : (nounBehind?.lower ?? nounAhead);
  if ((isBehind && PLURALS.test(behind.lower)) || PLURALS.test(last.lower) || isPlural(before))
    return undefined;
  if (noun !== undefined && (OF_PAGES.has(noun) ? !record.isPage : OF_ISSUES.has(noun) && record.isPage))
    return undefined;
  const beyond = tokens[to + 1];
  if (
    nounBehind &&
    beyond &&
    /^\s+$/.test(text.slice(nounBehind.end, beyond.start)) &&
    isTelling(beyond) &&
    !isNoun(beyond.lower) &&
    !PICKS.has(beyond.lower) &&
    !/^(?:\d|(?:under|into|onto|below)$)/.test(beyond.lower) &&
    !LABELS.test(before)
  )
    return undefined;
  // "The ticket about parcels going to a nonsense street" has more to say than a word of a title.
  if (
    matched.size === 1 &&
    nounAhead !== undefined &&
    nounBehind === undefined &&
    isBehind &&
    saysMore(tokens, to, text)
  )
    return undefined;
  // What else stands in the noun phrase has to be the title's as well.
  const isCut =
    isBehind && nounBehind === undefined && isTelling(behind) && !ASKED.test(text.slice(last.end));
  const isWhole = strange === 0 && !isCut;
  const prior = tokens[from - 1];
  const isFront =
    prior === undefined || !/^\s+$/.test(text.slice(prior.end, first.start)) || !isTelling(prior);
  // "The forgotten DNS server": one word before it may say more than the title does.
  const isLed =
    !isFront &&
    matched.size > 1 &&
    /(?:^|[\s,;.])the\s+\p{Ll}+\s+$/u.test(before) &&
    !/\bnew\s+$/i.test(before);
  const isDefinite = DEFINITE.has((ahead?.[1] ?? "").toLowerCase()) || /\bthe\s+$/i.test(before) || isLed;
  const isUnique = !records.some(
    (other) =>
      other !== record &&
      (noun === undefined || other.isPage === record.isPage) &&
      // "The passkey story", where a bug has the word as well.
      !(noun === record.type && isAnotherKind(noun, other.type)) &&
      !(other.isPage && (OF_ONE_ISSUE.test(before) || INTO_STATE.test(message))) &&
      [...matched].every((stem) => other.stems.has(stem)),
  );
  const isRare = (stem: string): boolean =>
    !records.some((other) => other !== record && other.stems.has(stem));
  const weight = [...matched].reduce((sum, stem) => sum + weightOf(stem), 0);
  const all = [...record.stems].reduce((sum, stem) => sum + weightOf(stem), 0);
  const rival = Math.max(0, ...others.map(({ score }) => score));
  const isAsked = ASKS_OF.test(before) && ASKED.test(text.slice(last.end));
  const isListed = LISTS.test(before) && !isDefinite && !isAsked;
  // Pages have no status and nobody who works on them.
  if (record.isPage && (OF_ONE_ISSUE.test(before) || INTO_STATE.test(message))) return undefined;
  // "The mobile app" is a project, and "the first one" a row.
  if (tokens.slice(from, to).every(({ lower }) => PICKS.has(lower) || STOP_WORDS.has(lower)))
    return undefined;
  // How things are done stands in pages, and not in what is to be done.
  const asksHow =
    noun === undefined &&
    !record.isPage &&
    /(?:^\W*|[.!?,;]\s+(?:(?:and|but|so)\s+)?|\bbtw,?\s+)(?:how(?! (?:old|urgent|important)\b)|may|are we|am i|is it|should|can|where|what (?:should|must|can|do) (?:i|we) do|what are the|what(?:['’]?s| is| are) (?:our|the|your) (?:rules?|polic(?:y|ies)|process|procedure|guidelines?|convention)s?)\b(?! you)/i.test(
      text,
    );
  if (asksHow) return undefined;
  const isOrdered =
    isAsked ||
    ORDERS.test(before) ||
    // "Guest checkout: I am on it"
    (matched.size > 1 &&
      isFront &&
      /^\W*$/.test(before) &&
      /^(?:\s+one)?\s*:\s/.test(message.slice(last.end))) ||
    (isBehind && STATED.test(text.slice(last.end)) && /(?:^|[.!?;:,]\s+)$/.test(before));
  // "The search not finding plurals" says more than a title, "Search that finds things".
  const isMost = weight / all > 0.99 || (weight / all >= 0.75 && (!isCut || matched.size > 2));
  const isTitle = isMost && (matched.size > 1 || (noun !== undefined && weight / all > 0.99));
  const isSpoken =
    /\b(?:about|regarding|concerning)\s+$/i.test(before) &&
    /\b(?:it|its|that one)\b/i.test(text.slice(last.end));
  const isMeant =
    isUnique &&
    (isFront || isLed) &&
    isWhole &&
    (noun !== undefined ||
      ((isDefinite || isOrdered || isSpoken) &&
        matched.size > 1 &&
        (isOrdered || weight / all >= MOST_OF_IT || [...matched].every(isRare))));
  const isTold = isUnique && matched.size > 2 && run.score >= 1.5 * rival && weight / all >= 0.4;
  // What is destroyed is named by most of its title, or looked for and chosen.
  if (DESTROYS.test(text) && (matched.size < 2 || weight / all < 0.5)) return undefined;
  if (isListed && !isTitle) return undefined;
  // "It's a network thing" says what it is like.
  if (/\b(?:an?|any|some|another|no)\s+$/i.test(before) && !isTitle) return undefined;
  if (!(isTitle && (isUnique || (weight / all > 0.99 && !isCut))) && !isMeant && !isTold) return undefined;
  const lead = LEAD.exec(before);
  const start = first.start - (lead?.[0].length ?? 0);
  // "The checkout retro page"
  const isTwice =
    nounBehind && beyond && isNoun(beyond.lower) && /^\s+$/.test(text.slice(nounBehind.end, beyond.start));
  const stop = (isTwice ? beyond.end : nounBehind?.end) ?? last.end;
  // "The printer ticket in OPS": where it is, in a word that its key has as well.
  const place = /^\s+(?:in|from|of)\s+(?:the\s+)?([A-Z][A-Z0-9]{1,9})\b(?!-)(?:\s+(?:project|board))?/.exec(
    text.slice(stop),
  );
  if (place && !record.isPage && !record.id.startsWith(`${place[1] ?? ""}-`)) return undefined;
  return { start, end: stop + (place && !record.isPage ? place[0].length : 0) };
}

/** Whether several telling words follow in the same part of the sentence. */
function saysMore(tokens: readonly Token[], from: number, text: string): boolean {
  let told = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const [before, token] = [tokens[at - 1], tokens[at]];
    if (!before || !token || !/^\s+$/.test(text.slice(before.end, token.start))) break;
    if (/^(?:to|and|is|as|please|pls|for|up|down|back)$/.test(token.lower) && told === 0) break;
    if (isTelling(token)) told += 1;
  }
  return told > 2;
}

function isNoun(word: string): boolean {
  return OF_ISSUES.has(word) || OF_PAGES.has(word) || ANY_NOUNS.has(word);
}

function isTelling({ lower }: Token): boolean {
  return !STOP_WORDS.has(lower) && !WITHIN.has(lower) && !VERBS.has(lower) && !MOODS.has(lower);
}

/** "The annoying sunset bug": what it is like to people. */
const MOOD =
  "bad|annoying|stupid|nasty|weird|strange|silly|damn|damned|ugly|horrible|awful|terrible|famous|notorious|pesky|poor|bloody";
const MOODS = new Set(MOOD.split("|"));

const BETWEEN =
  "about|for|with|on|of|called|named|titled|where|regarding|because of|(?:that|which)(?:\\s+(?:puts|says|makes|adds|shows|lets|wants|brings))?";
/** What may stand before a title: a word that points, one for what it is, and one between. */
const AHEAD = new RegExp(
  `(?:\\b(the|that|this|my|our|your|his|her|their)\\s+)?(?:\\b(${NOUN}|(?:one|thing)(?=\\s+(?:${BETWEEN})\\b))\\s+)?(?:\\b(?:${BETWEEN})\\s+)?(?:\\b(?:the|a|an|our)\\s+)?(?:(?:${MOOD})\\s+)?$`,
  "iu",
);
const LEAD = new RegExp(
  `(?:\\b(?:the|that|this|my|our)\\s+)?(?:\\b(?:${NOUN}|one|thing)\\s+(?:(?:${BETWEEN})\\s+)?)?(?:\\b(?:the|a|an|our)\\s+)?(?:(?:${MOOD})\\s+)?$`,
  "iu",
);
const DESTROYS =
  /\b(?:delete|erase|destroy|trash|purge|get rid of|remove|wipe|kill)\b(?!\s+(?:the\s+)?(?:due|label|assignee|deadline|tag|epic))/i;
/** Where a wish begins. */
const STARTS = /(?:^|[,;.!?:])\W*$|\b(?:and|then|please|pls|to|you|also)\s+$/i;
/** Words around a record that say something of it, and are no part of its name. */
const VERBS = wordSet(
  `reported created filed raised opened wrote blocking blocks take unassign rename retitle tag drop scan measure validate pay suggest restore keep browse share assign give move close reopen delete comment show open start finish put set bump raise lower change update add remove
  link read check see due done fixed blocked blocking assigned late status priority label labels comments description
  reporter assignee please pls also then asap ready next back tested because since until before after today tomorrow
  type types project projects created last changed updated edited touched modified written anymore again already yet soon tonight now too either up down in off over late will won't would should needs gets goes belongs moves comes stays`,
);

function isPlural(before: string): boolean {
  return /\b(?:issues|tickets|bugs|stories|tasks|pages|docs|things|everything|anything|something|stuff|work|(?:progress|news)(?!\s+(?:\p{L}+\s+){0,2}(?:about|on|in|for|with)\s+the\b))\s+(?:\p{L}+\s+){0,2}(?:about|on|in|for|with|related to|regarding|of)\s+(?:the\s+)?$/iu.test(
    before,
  );
}
