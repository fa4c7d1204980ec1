import type { KnownName, PastTurn } from "#contract/plan.ts";

import { DAY } from "./dates.ts";
import { detailOf } from "./details.ts";
import { namePattern } from "./people.ts";
import { createSheet } from "./sheet.ts";
import { likeliestIssue } from "./titles.ts";

const KEY = /^[A-Za-z][A-Za-z0-9_]{0,15}-\d{1,9}$/;
const LEVEL = "highest|high|medium|low|lowest";
const STATE = "(?:in )?progress|(?:in )?review|to ?do|backlog|won['’]t do";

export const LEAD: RegExp =
  /^\W*(?:(?:ok(?:ay)?|good|great|fine|perfect|thanks|thx|and|plus|now|also|then|so|please|pls|haha|lol|no|nope|oh|ah|hm+|wait|sorry|yes|yep|yeah|right|well|ja)\b[\s,.!:…–-]*)*/iu;
export const TRAIL: RegExp =
  /(?:[\s,]+(?:then|please|pls|instead|rather|thanks?|thx|ok(?:ay)?|now|for now|too|as well))*[\s.!]*$/iu;
/** "Emi says no. 22 December then": what is told before is no part of it. */
const TOLD = new RegExp(
  "^(?:i|we|he|she|they|it|that|\\p{Lu}?\\p{L}+)\\s+(?:says?|said|thinks?|means?|meant|wants?|told|agrees?|agreed|asked|is|was|can['’]?t|cannot)\\b[^:]*$",
  "iu",
);
/** "…, and write that it used up the ink" */
const NOTED =
  /[\s,;.]+(?:and\s+)?(?:please\s+|pls\s+)?(?:write|note|say|mention|comment|add)(?:\s+(?:there|on it|down|a comment|a note))?(?:\s+that\s+(?!(?:as|in|on|to|into|under)\s+(?:an?\s+|the\s+|it\b)?(?:comment|note|ticket|issue|bug|story|task|it)\b)|\s*:\s*)(?<text>\S+\s.*)$/isu;

export interface Pieces {
  orders: string[];
  /** What says why, beside the values. */
  told: string[];
  /** Whether a word says that something shall change, beside the bare values. */
  isMarked: boolean;
}

/**
 * What a message of nothing but values wishes of the record that is on the screen: "dmitri then, and high", "push to
 * tuesday", "I'll take it, medium". Undefined where it says anything else, or no record is there.
 */
export function asFragment(
  message: string,
  record: string | undefined,
  known: readonly KnownName[],
  project?: string,
): { text: string; told: string[] } | undefined {
  if (message.length > MOST_CHARS || message.includes("?")) return undefined;
  const numbered = NUMBERED.exec(message)?.groups;
  if (project !== undefined && numbered !== undefined) {
    const { number = "", state = "" } = numbered;
    return { text: `move ${project}-${number} to ${STATES[state.toLowerCase()] ?? state}`, told: [] };
  }
  const plain = message.replaceAll(QUOTED_WORD, "$1");
  if (createSheet(plain).quotes.length > 0 || /[A-Za-z]\w*-\d/.test(plain)) return undefined;
  const note = NOTED.exec(plain)?.groups?.["text"];
  const whole = note === undefined ? plain : plain.slice(0, NOTED.exec(plain)?.index);
  const sentences = whole
    .split(/(?<!\d)[.!]+\s+|\s[–-]\s/)
    .map((one) => one.trim())
    .filter((one) => one !== "");
  // "Postgres upgrade. Move to to do, I take it, due 31 January"
  const [first = "", ...others] = sentences;
  const isNamed = others.length > 0 && first.split(/\s+/).length <= MOST_WORDS;
  const called =
    isNamed && piecesOf(first, "X-1", known).orders.length === 0 ? likeliestIssue(first, known) : undefined;
  const about = called?.id ?? record;
  if (about === undefined || !KEY.test(about)) return undefined;
  const of = called === undefined ? sentences : others;
  const own = of.length > 1 ? of.filter((one) => !isTold(one, known)) : of;
  const said = own.join(", ");
  const bare = said.replace(LEAD, "").replace(TRAIL, "");
  if (bare === "") return undefined;
  const { orders, told, isMarked } = piecesOf(bare, about, known);
  const isMeant = isMarked || orders.length > 1 || GOES_ON.test(said.trim()) || note !== undefined;
  if (orders.length === 0 || !isMeant || (called !== undefined && orders.length < 2)) return undefined;
  if (note !== undefined)
    orders.push(`comment on ${about}: "${note.replaceAll('"', "'").replace(/[\s.]+$/, "")}"`);
  return { text: orders.join("; "), told };
}

/** "16 started", behind OPS-17 */
const NUMBERED =
  /^\W*(?:(?:and|also|plus)\s+)?#?(?<number>\d{1,5})\s+(?:is\s+)?(?:now\s+)?(?<state>started|done|finished|fixed|closed|in progress|in review|to do)(?:\s+(?:too|now|as well))?[\s.!]*$/iu;
const STATES: Readonly<Record<string, string>> = {
  started: "In Progress",
  done: "Done",
  finished: "Done",
  fixed: "Done",
  closed: "Done",
  "in progress": "In Progress",
  "in review": "In Review",
  "to do": "To Do",
};
/** 'Add the label "regression"' */
const QUOTED_WORD = /["“]([\w-]+)["”]/gu;
/** More words are no name of a record. */
const MOST_WORDS = 6;
const MOST_CHARS = 200;
/** "Ok, Ben", "Friday then": and not "thanks Ben". */
const GOES_ON =
  /^(?:(?:ok(?:ay)?|and|so|then|also|plus|now|yes|yep|right|well|no|wait)\b[\s,.!:…–-]*)+(?!(?:thanks?|thx|sorry|please|hi|hello)\b)\S|\s(?:then|instead|rather)[\s.!]*$/iu;

/** Who has it is no word of a value. */
function isTold(sentence: string, known: readonly KnownName[]): boolean {
  return TOLD.test(sentence) && piecesOf(sentence, "X-1", known).orders.length === 0;
}

/** The orders for a record that the values of a message are; none where one of them is something else. */
export function piecesOf(bare: string, record: string, known: readonly KnownName[]): Pieces {
  const name = namePattern(known).source;
  const kinds: readonly (readonly [RegExp, (value: string) => string])[] = [
    [
      new RegExp(
        `^(?:(?<mark>make it|bump it to|bump to|set it to|raise (?:it )?to|lower (?:it )?to|put it (?:on|to)|prio(?:rity)?|should be|(?:it|that)['’]?s|it is)\\s+)?(?:prio(?:rity)?\\s+)?(?<value>${LEVEL})(?:\\s+prio(?:rity)?)?$`,
        "iu",
      ),
      (value) => `set the priority of ${record} to ${value}`,
    ],
    [
      new RegExp(
        `^(?<mark>(?:make it\\s+|set it\\s+)?due(?:\\s+date)?(?:\\s+(?:on|by|to|is))?|(?:push|move|shift|postpone|delay|put)(?:\\s+(?:it|that))?(?:\\s+out)?(?:\\s+(?:to|until|till|by))|until|till|by|deadline(?:\\s+is)?|make it|(?:new )?date|(?:it )?has to be done by|let['’]?s say|(?:(?:can|may|could) (?:i|we) (?:please )?)?(?:have|get|need)(?: (?:it|time))?(?: (?:until|till|til))?|target(?: is)?|with)\\s+(?:on\\s+)?(?<value>${DAY})$|^(?:(?:on|the)\\s+)?(?<plain>${DAY})(?:\\s+(?:is|would be) (?:better|fine|enough|ok))?$`,
        "iu",
      ),
      (value) => `set the due date of ${record} to ${value}`,
    ],
    [
      /^(?:(?<mark>add|put)\s+)?(?:the\s+)?(?:label|tag)(?:\s+it)?(?:\s+(?:as|with))?\s+(?<value>[\p{L}\d_-]{2,30})$/iu,
      (value) => `add the label ${value} to ${record}`,
    ],
    [
      new RegExp(
        `^(?:(?<mark>(?:re)?assign(?: it)? to|give(?: it)? to|hand(?: it)? to|assigned to|to|for|put)\\s+)?(?<value>me|${name})(?:\\s+(?:should|can|must|will)\\s+(?:do|take|have|get)\\s+it|\\s+(?:takes?|does|gets?|has)\\s+it|\\s+on it)?$`,
        "iu",
      ),
      (value) => `assign ${record} to ${value}`,
    ],
    [
      /^(?<mark>(?:i(?:['’]?ll| will| can|['’]?m going to)?\s+(?:take|do|have|grab|handle)\s+(?:it|this|that)(?:\s+one)?|(?:(?:it|that)(?:['’]?s| is)\s+)?mine(?:\s+now)?))$/iu,
      () => `assign ${record} to me`,
    ],
    [
      /^(?<mark>(?:take|remove)\s+me(?:\s+off(?:\s+it)?)?|unassign(?:\s+(?:me|it))?|not me(?:\s+any ?more)?)$/iu,
      () => `unassign ${record}`,
    ],
    [
      new RegExp(
        `^(?:(?<mark>(?:move|put|set|push)\\s+(?:it\\s+)?(?:back\\s+)?(?:to|in|into)|(?:it\\s+)?(?:goes\\s+)?back to|to|status)\\s+)?(?<value>${STATE})$`,
        "iu",
      ),
      (value) => `move ${record} to ${value.replace(/^(?=progress|review)/i, "in ")}`,
    ],
  ];
  const orders: string[] = [];
  const told: string[] = [];
  let isMarked = false;
  for (const piece of bare.split(/\s*[,;]\s*(?:and\s+)?|\s+and\s+/iu)) {
    const plain = piece.replace(LEAD, "").replace(TRAIL, "");
    const found = kinds.flatMap(([pattern, order]) => {
      const groups = pattern.exec(plain)?.groups;
      return groups === undefined ? [] : [{ groups, order }];
    })[0];
    if (found !== undefined) {
      isMarked ||= found.groups["mark"] !== undefined;
      orders.push(found.order(found.groups["value"] ?? found.groups["plain"] ?? ""));
      continue;
    }
    const order = orderFor(plain, record, known);
    if (order !== undefined) {
      isMarked ||= SAYS_SO.test(plain);
      orders.push(order);
    } else if (orders.length > 0 && WHY.test(plain)) told.push(plain);
    else return { orders: [], told: [], isMarked: false };
  }
  return { orders, told, isMarked };
}

/** An order for a record with one value that is said as of a new one. */
function orderFor(piece: string, record: string, known: readonly KnownName[]): string | undefined {
  const { text = "", type, further } = detailOf(piece, known) ?? {};
  if (further?.startsWith("link it to ") === true) return further.replace(/^link it/, `link ${record}`);
  const [, what = "", value = ""] =
    /^(priority|assigned to|due|label|labels|under epic)\s+(.+)$/s.exec(text) ?? [];
  if (type !== undefined || what === "") return undefined;
  switch (what) {
    case "priority":
      return `set the priority of ${record} to ${value}`;
    case "assigned to":
      return `assign ${record} to ${value}`;
    case "due":
      return `set the due date of ${record} to ${value}`;
    case "under epic":
      return `put ${record} under epic ${value}`;
    default:
      return `add the ${value.includes(" and ") ? "labels" : "label"} ${value.replaceAll('"', "")} to ${record}`;
  }
}

/** A word says that something shall change. */
const SAYS_SO =
  /^(?:set|add|make|push|move|put|give|assign|label|tag|due|prio\p{L}*|bump|raise|lower|link|under|i)\s|\b(?:should|shall|must|has to)\s+be\b/iu;
/** "Today won't work any more", "he knows it" */
const WHY =
  /^(?:because|since|as|so|today|tomorrow|otherwise|he|she|they|it|we|i|that|this|there|the|nobody|\p{Lu}\p{L}+)\s+(?:\p{L}+\s+){0,4}?(?:won['’]?t|can['’]?t|cannot|will|is|are|was|were|has|have|had|knows?|needs?|wants?|works?|does|did|\p{L}+ed|\p{L}+s)\b/iu;

/** "Put that on the disk ticket", "add it as a comment please, so that Farid sees it" */
const PUT_THAT =
  /^\W*(?:(?:ok(?:ay)?|so|and|please|pls|can you|could you)\s+)*(?:put|note|write|add|post|leave|log|comment)\s+(?:that|this|it)(?:\s+down)?(?:\s+as\s+(?:an?\s+)?(?:comment|note))?(?:\s+(?:on|to|in|under)\s+(?<where>(?:the\s+)?[^,.;:?]{2,50}?))?(?:\s+(?:please|pls))?(?:\s*,?\s*so\s+(?:that\s+)?\p{L}+\s+(?:sees?|knows?|reads?)\s+(?:it|that))?[\s.!?]*$/iu;

/** What was asked for or ordered before is no note. */
const WISHED =
  /^\W*(?:(?:please|pls|can you|could you|and|also|now)\s+)*(?:show|list|find|search|open|get|give|who|what|which|when|where|why|how|is|are|does|do|did|has|have|any|all|my|our|the|open|move|close|assign|set|create|add|make|change|issues?|tickets?|bugs?|tasks?)\b(?!.*,\s)/i;

/**
 * "Put that on DEMO-15", behind a message that only told something: a comment with these words, on the record that is
 * named or else on the one that those words are most likely about. Undefined where it says more, or nothing was told.
 */
export function asNoteOf(
  message: string,
  history: readonly PastTurn[],
  known: readonly KnownName[],
  shown?: string,
): string | undefined {
  const found = PUT_THAT.exec(message);
  const { message: before = "", calls = [] } = history.at(-1) ?? {};
  if (
    found === null ||
    !calls.every(({ tool }) => /search|query|(?:^|[._])(?:get|read|show)_/i.test(tool)) ||
    WISHED.test(before) ||
    /["“”?]/.test(before) ||
    before.length < 12
  )
    return undefined;
  const { where: said = "" } = found.groups ?? {};
  // "Write that on the ticket": the one that was shown for it.
  const where = /^(?:the|that|this) (?:ticket|issue|bug|task|story)$|^it$|^there$/i.test(said)
    ? shown
    : said || undefined;
  if (said !== "" && where === undefined) return undefined;
  const place =
    where ?? (/\b(?:comment|note)\b/i.test(message) ? likeliestIssue(before, known)?.id : undefined);
  return place === undefined ? undefined : `comment on ${place}: "${before.trim()}"`;
}
