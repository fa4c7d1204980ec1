import type { KnownName } from "#contract/plan.ts";
import { literally } from "../../base/matching.ts";
import { type DateReader, toDay } from "./dates.ts";
import { type Sense } from "./sense.ts";
import { unasked } from "./told.ts";

/** What a message is read with. */
export interface SenseContext {
  now: Date;
  dates: DateReader;
  known: readonly KnownName[];
  /** What it is about where it names no record: "it", or the key of what it seems to be about. */
  about?: string;
  /** The key of the record whose title a part seems to call. */
  titleOf?: (said: string) => string | undefined;
}

/** A sentence, or a part of one, with what it wants. */
export interface Part {
  said: string;
  /** The quotes in it, which stand in `said` as `"Q1"`. */
  quotes: string[];
  /** It stands before a colon, and calls something by its name. */
  isHead: boolean;
  sense: Sense;
  /** How likely that is, of 1. */
  sure: number;
  keys: string[];
  /** Who is named in it, but for whom something is taken from. */
  people: string[];
  /** The words around the keys. */
  rest: string;
  /** Somebody is named in it, whatever for. */
  names: boolean;
}

/** A part that wants something of a record, as an order without the record; undefined where a value is not clear. */
type Reader = (part: Part, all: readonly Part[], context: SenseContext) => string | undefined;
/** Whom something is taken from, or what is left with nobody. */
const FREES =
  /\b(?:i|me|my|mine|myself|her|him|his|them|their|off|(?:un|re)?-?assign\w*|owner\w*|nobody|no one|any(?:one|body)|some(?:one|body)|who\w*|free|grabs|name|hands?|plate|pool|release\w*|drop|let go|up for|else|team|nobody)\b|['’](?:m|ve|ll|d)\b/i;
const HE_OR_SHE = /\b(?:he|she|him|her|his(?= name))\b/i;
/** "From High to Medium", "not Highest, just High" */
const NOT_MEANT = /\b(?:not|from|than|no longer)\s+(?:the\s+)?(?:highest|high|medium|lowest|low)\b/gi;
const LEVEL = /\b(?:highest|high|medium|lowest|low)\b/gi;
const LABELLED =
  /\b(?:tag|label|mark|flag)\p{L}*\b.*?\b(?:as|with)\s+(?:an?\s+)?(?!well\b)(\p{L}[\p{L}\p{N}_-]*)\b(?!\s+\p{L})/iu;
const MINE =
  /\b(?:i|me|mine|myself|dibs|i['’]\p{Ll}+|im|ill|ive)\b|\bmy\s+(?:(?:own\s+)?(?:plate|desk|list|job|task|turn|name|hands?|queue|problem|responsibility|baby|court|side)|next)\b/iu;
/** "I'd love our customer label on it": of something that a record has, and of nobody who has it. */
const OF_FIELD =
  /\b(?:labels?|tags?|comments?|notes?|titles?|due date|deadline|priority|prio|description)\s+(?:on|of|for|to|in|at)\b/i;
/** What "it" is removed from is not said. */
const REMOVES = /^\W*(?:(?:and|please|pls|then)\s+)*(?:remove|delete|clear|drop|erase)\s+(?:it|this|that)\b/i;
const SOMEBODY = /\b(?:to|that|for)\s+(?:some|any)(?:body|one)\b/i;
export const DEMANDS: RegExp =
  /\b(?:needs?|wants?|should|must|can|could|shall|ha(?:s|ve) to|make|set|bump|raise|lower|put|drop|change|give|get|use|let|let['’]?s have|please|pls|plz|to|become|prio)\b/i;
const LIFTS =
  /\b(?:remove|drop|clear|wipe|delete|lift|cancel|take|get rid|forget|scrap|no longer|any ?more|without)\b/i;
/** Who has it, and not who shall. */
const OWNS =
  /\b(?:has|have|had|belongs to|is assigned|assignee of|owns|docs?|policy|idea|for (?:his|her|their|a))\b/i;
/** How it is, and not how it shall be. */
export const STANDS: RegExp =
  /\b(?:is|are|was|were|has been|seems?|stays?|same|enough|so (?:high|low))\b|['’]s\b/i;
export const SUFFICES: RegExp =
  /\b(?:is|would be|will be|are)\s+(?:quite |more than )?(?:enough|plenty|fine|ok(?:ay)?|sufficient|good enough)\b/i;
/** Days that are counted from another, or are over. */
const SHIFTED =
  /\b(?:slipped|moved|was|were|been|last|earlier|later|forward|back|postpone\p{L}*|extend\p{L}*|delay\p{L}*|push\p{L}*|pull\p{L}*|no more|by (?:an?|one|two|three|\d+) (?:days?|weeks?))\b/iu;
/** "Out of the backlog" leads to To Do. */
const FROM_BACKLOG = /\b(?:out of|from|leav\p{L}*|off|not|no longer|nothing to do)\b[^,.]*\bbacklog\b/iu;

/** How it is from now on is how it shall be. */
export const FROM_NOW: RegExp = /\b(?:from (?:today|now)(?: on)?|as of (?:today|now))\b/i;
/** "One step down with the priority" */
const ONE_STEP =
  /\b(?:(?:one|a) (?:step|notch|level|grade)|a bit)\s+(?:(?<down>down|lower|less)|(?<up>up|higher|more))\b/iu;
/** "Assign it to me, high" */
const BARE_LEVEL = /^\W*(?:and\s+)?(?:highest|high|medium|low|lowest)(?:\s+prio(?:rity)?)?\W*$/i;
const LEVEL_FIRST = /^\W*(?:highest|high|medium|low|lowest)\b\s*(?:$|[,.;!]|please\b|pls\b|for now\b)/i;
/** "Five days more than the due date that stands there" */
const MORE_THAN =
  /\b(?<amount>(?:\d{1,3}|an?|one|two|three|four|five|six|seven|ten) (?:days?|weeks?))\s+(?:more|longer|later)\s+than\s+(?:the|its)\s+(?:due date|deadline|date)\b/iu;
/** "The due date out by exactly one week" */
const SHIFT =
  /\b(?:push|move|shift|put|postpone|delay|extend)\p{L}*\b(?!.*\b(?:earlier|sooner|forward|ahead|closer)\b).*\b(?:by|for)\s+(?:exactly\s+|another\s+|about\s+)?(?<amount>(?:an?|one|two|three|four|five|six|seven|ten|\d{1,2})\s+(?:day|week)s?)\b/iu;
const LABEL_FIRST =
  /\b(?:the|an?)\s+(?!same\b|new\b|right\b|wrong\b|other\b)([\p{L}\p{N}_-]{2,30})\s+(?:label|tag)\b/iu;
/** "The label idea should be taken off" */
const LABEL_NAMED =
  /\b(?:the|its|this|that)\s+(?:label|tag)\s+(?!(?:is|was|should|can|could|may|must|has|that|which|on|of|off|from|for|to|with|and|or|please)\b)["“]?([\p{L}\p{N}_-]{2,30})["”]?(?=\s|[.,;!?]|$)/iu;
/** "It needs the labels customer and orders" */
const LABELS_NAMED =
  /\b(?:labels|tags)\s+(?<labels>[\p{L}\p{N}_-]{2,30}(?:\s*,\s*[\p{L}\p{N}_-]{2,30})*,?\s+and\s+[\p{L}\p{N}_-]{2,30})(?=\W*$|\s+(?:on|to|too|as|please|pls|so)\b|[,.;])/iu;
/** "Put on-call as a label on it" */
const AS_LABEL =
  /\b(?:put|add|use|take|set|want|have)\s+([\p{L}\p{N}_-]{2,30})\s+as\s+(?:an?\s+|the\s+|another\s+)?(?:label|tag)\b/iu;
const ONE_WORD = /^[\p{L}\p{N}_-]{2,40}$/u;
/** "Let's give Ben two weeks": time, and no record. */
export const GIVES_OTHER: RegExp =
  /\b(?:give|gives|giving|grant|allow)\s+\p{L}+\s+(?:(?:until|till|more|some|another|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d{1,3})\s+)*(?:until|till|days?|weeks?|months?|hours?|minutes?|time|chance|hand|break|credit)\b/iu;
/** "Let Farid have it", "Ben shall have it" */
const LETS = /\b(?:let\s+\S+\s+have|(?:shall|should|can|could|may|will)\s+(?:\p{L}+\s+)?have)\b/giu;
export const PLACEHOLDER: RegExp = /"Q(\d{1,2})"/g;

/** What is wrong with how something is written. */
const OF_WORDS =
  /\b(?:titles?|names?|wording|typos?|spell(?:ed|ing)|description|summary|text)\b(?!.*\b(?:re-?open|again)\b)/i;

/** Where the record stands in an order. */
export const RECORD: string = "\uE002";

export const READERS: Partial<Record<Sense, Reader>> = {
  start: ({ said }, _all, context) => toState("In Progress", context, said),
  review: ({ said }, _all, context) => toState("In Review", context, said),
  done: ({ said }, _all, context) => toState("Done", context, said),
  // What nobody gets to this year is still to be done.
  wontdo: ({ said }, _all, context) =>
    /\bget(?:ting)? (?:to|around)\b|\b(?:this|the next|next) (?:year|quarter|month|week|sprint)\b/i.test(said)
      ? undefined
      : toState("Won't Do", context, said),
  // No state is called so.
  todo: ({ said }, _all, context) =>
    /\b(?:on|a) hold\b/i.test(said)
      ? undefined
      : toState(/\bbacklog\b/i.test(said) && !FROM_BACKLOG.test(said) ? "Backlog" : "To Do", context, said),
  // "Open it" is to see it.
  // "They have silly titles. Fix both" opens nothing.
  reopen: ({ said }, all) =>
    /\bopen\b(?!.*\bagain\b)/i.test(said) || all.some((part) => OF_WORDS.test(part.said))
      ? undefined
      : `reopen ${RECORD}`,
  take: ({ said }) => (MINE.test(said) && !OF_FIELD.test(said) ? `assign ${RECORD} to me` : undefined),
  // "This can not stay without a name"
  unassign: ({ said, names }) =>
    /(?:\bnot|n['’]t|\bnever)\b[^.!?]*\bwithout\b/i.test(said) ||
    REMOVES.test(said) ||
    SOMEBODY.test(said) ||
    !(names || FREES.test(said))
      ? undefined
      : `unassign ${RECORD}`,
  assign: ({ people, said }, all) => {
    const pronoun = HE_OR_SHE.exec(said);
    const own = said.replace(LETS, " ");
    // "Dmitri, you built that": said to somebody.
    if (people.some((name) => new RegExp(`\\b${literally(name)},?\\s+you\\b`, "iu").test(said)))
      return undefined;
    if (OWNS.test(own) || /\bwho(?:m|se)?ever\b/i.test(said)) return undefined;
    const isSpoken = pronoun !== null && people.every((name) => said.indexOf(name) > pronoun.index);
    // "She should have it, Farid is full" gives Farid nothing, and "can Ben close it" asks Ben.
    if ((isSpoken && people.length > 0) || people.some((name) => doesOther(name, said))) return undefined;
    const only = onlyOf(isSpoken ? all.flatMap((part) => part.people) : people);
    return only === undefined ? undefined : `assign ${RECORD} to ${only}`;
  },
  priority: (part, all) => {
    const { said } = part;
    const { up, down } = ONE_STEP.exec(said)?.groups ?? {};
    if (up !== undefined || down !== undefined)
      return `${up === undefined ? "lower" : "raise"} the priority of ${RECORD} one step`;
    const isPut = SUFFICES.test(said) || (DEMANDS.test(said) && (!STANDS.test(said) || FROM_NOW.test(said)));
    // "The printer bug: Medium, we are out of paper"
    const isNamed = all.some(({ isHead }) => isHead) && LEVEL_FIRST.test(said);
    if (!isPut && !isNamed && !BARE_LEVEL.test(said)) return undefined;
    const own = levelsIn(said);
    const level = onlyOf(own.length > 0 ? own : all.flatMap((part) => levelsIn(part.said)));
    return level === undefined ? undefined : `set the priority of ${RECORD} to ${level}`;
  },
  due: ({ said }, all, { dates, now }) => {
    const shift = (MORE_THAN.exec(said) ?? SHIFT.exec(said))?.groups;
    if (shift !== undefined && /\b(?:due|deadline|date)\b/i.test(said))
      return `push the due date of ${RECORD} back by ${shift["amount"] ?? ""}`;
    if (
      !DEMANDS.test(said) ||
      SHIFTED.test(said.replace(WHY, "")) ||
      !/\b(?:due|deadline|by|until|date|finished|done|over|at (?:the )?latest|no later than)\b/i.test(said)
    )
      return undefined;
    const whole = all.map((part) => part.said).join(" ");
    const days = COUNTED.test(whole)
      ? dayIn(whole, dates, now)
      : all.flatMap((part) => dayIn(part.said, dates, now));
    const told = THAT_DATE.test(said) ? onlyOf(days) : undefined;
    const [day = told] = dayIn(said, dates, now);
    return day === undefined ? undefined : `set the due date of ${RECORD} to ${day}`;
  },
  undue: ({ said }) => (LIFTS.test(said) ? `remove the due date of ${RECORD}` : undefined),
  label: ({ said, quotes }) => {
    // "The labels customer and orders": all of them.
    const several = LABELS_NAMED.exec(said)?.groups?.["labels"]?.split(/\s*,\s*(?:and\s+)?|\s+and\s+/i);
    if (several !== undefined) return `add the labels ${several.join(" and ")} to ${RECORD}`;
    if (/\blabels\b|\btags\b/i.test(said)) return undefined;
    const label =
      onlyOf(quotes) ?? AS_LABEL.exec(said)?.[1] ?? LABEL_FIRST.exec(said)?.[1] ?? LABELLED.exec(said)?.[1];
    return label === undefined || !ONE_WORD.test(label) ? undefined : `add the label ${label} to ${RECORD}`;
  },
  unlabel: ({ said, quotes }) => {
    const label = onlyOf(quotes) ?? LABEL_NAMED.exec(said)?.[1] ?? LABEL_FIRST.exec(said)?.[1];
    return label === undefined || !ONE_WORD.test(label)
      ? undefined
      : `remove the label ${label} from ${RECORD}`;
  },
  epic: ({ said }, all, { known }) => {
    const keys = [...new Set(all.flatMap((part) => part.keys))];
    const epics = keys.filter((key) => isEpic(key, known));
    const [record, ...others] = keys.filter((key) => !epics.includes(key));
    if (others.length > 0 || epics.length > 1) return undefined;
    const [epic] = epics;
    if (OUT_OF_EPIC.test(said)) return `remove the epic of ${record ?? RECORD}`;
    return epic === undefined || record === undefined ? undefined : `move ${record} to epic ${epic}`;
  },
  comment: ({ said }, all) => {
    if (/\bdescription\b/i.test(said)) return undefined;
    const quote = quoteFor(said, all);
    if (quote === undefined) return undefined;
    return `comment on ${RECORD}: "${unasked(quote.slice(1, -1))}"`;
  },
  rename: ({ said }, all) => {
    const quote = quoteFor(said, all);
    return quote === undefined ||
      all.some((part) => /\b(?:description|text|body)\b/i.test(part.said)) ||
      /\b(?:from|page|old|was|label|description|branch|file)\b/i.test(said)
      ? undefined
      : `rename ${RECORD} to "${quote.slice(1, -1)}"`;
  },
  link: ({ said, keys }, all) => {
    const [from, to, ...more] = keys.length > 1 ? keys : [...new Set(all.flatMap((part) => part.keys))];
    // "OPS-19 cannot start before OPS-4 is done. Link them so": how is said where both are named.
    const told =
      keys.length > 1
        ? said
        : (all.find((part) => part.keys.length === 2 && part.keys.includes(from ?? ""))?.said ?? said);
    const how = [told, said].flatMap(
      (text) => RELATIONS.find(([pattern]) => pattern.test(text))?.[1] ?? [],
    )[0];
    return from === undefined || to === undefined || more.length > 0 || how === undefined
      ? undefined
      : `link ${from} ${how} ${to}`;
  },
};

/** The one quote of a part, or of the whole message where the part has none. */
function quoteFor(said: string, all: readonly Part[]): string | undefined {
  return onlyOf(said.match(PLACEHOLDER) ?? all.flatMap((part) => part.said.match(PLACEHOLDER) ?? []));
}

const OUT_OF_EPIC =
  /\b(?:out of|off|from|away from|remove\p{L}*|no longer (?:in|part of))\s+(?:its|the|that|this|any)\s+epic\b/iu;

/** "The provider has moved its deadline, so …": why, and not when. */
const WHY = /^[^,]*,\s+(?:so|hence|therefore)\s+(?=.*\d|.*day\b|.*month\b|.*week\b)/i;

/** "Put that date on it", of a day that another sentence names. */
const THAT_DATE =
  /\b(?:that|this|it)\s+(?:date|day|deadline|due date|(?:(?:in |down )?as |be )?(?:the|its) (?:new )?(?:due date|deadline))\b/i;

function dayIn(said: string, dates: DateReader, now: Date): string[] {
  // "Seven days for DEMO-4, counted from today"
  const counted = COUNTED.exec(said)?.groups?.["span"];
  const day = dates.find(counted === undefined ? said : `in ${counted}`, now);
  return day === undefined ? [] : [toDay(day.value)];
}

const COUNTED =
  /\b(?<span>(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve) (?:days?|weeks?))\b(?!\s+(?:ago|before|after|later|earlier)).*\bfrom (?:today|now)\b/i;

/** What two records are to each other, the first one first. */
const RELATIONS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:is blocked by|waits? for|wait(?:ing)? (?:for|on)|depends on|has to wait|hangs on)\b|\b(?:can(?:not|['’]?t| not)|must not)\s+\p{L}+\s+(?:\p{L}+\s+)?(?:before|until|unless|without)\b/iu,
    "is blocked by",
  ],
  [
    /\b(?:blocks|is blocking|holds up)\b|\b(?:must|has to|needs to|should) (?:be )?\p{L}+(?: \p{L}+)? before\b|\bblock(?:ing)? link\b|\blet\s+\S+\s+block\b|\bis an?\s+blocker\s+(?:for|of)\b/iu,
    "blocks",
  ],
  [/\bcaused by\b/i, "is caused by"],
  [/\bduplicated by\b/i, "is duplicated by"],
  [/\b(?:duplicates?|same (?:\p{L}+ )?(?:as|thing)|is a (?:copy|double) of)\b/iu, "duplicates"],
  [/\b(?:causes|caused)\b/i, "causes"],
  [/\b(?:connect\p{L}*|tie[ds]?|relat\p{L}*|belong together|link(?:ed)?|hook|join)\b/iu, "relates to"],
];

/** Whether a key is known to be an epic's. */
export function isEpic(key: string, known: readonly KnownName[]): boolean {
  return known.some(({ kind, id }) => kind === "epic" && id === key.toUpperCase());
}

/** "Ben can close it", "Emi, can you take it": somebody who does something else, or who is spoken to. */
function doesOther(name: string, said: string): boolean {
  return new RegExp(
    `${literally(name)}\\W+(?:(?:can|could|will|would|should|to)\\s+)*(?:(?:can|could|would|will) you|move|close|finish|review|test|set|mark|reopen|release|fix|check|look at|have a look)\\b`,
    "i",
  ).test(said);
}

function toState(state: string, { known }: SenseContext, said = ""): string | undefined {
  // "Should stand on In Progress" is of no other state.
  const named = NAMED_STATES.find(([pattern]) => pattern.test(said))?.[1];
  if (named !== undefined && named !== state) return undefined;
  const isKnown = known.some(
    ({ kind, name }) => kind === "status" && name.toLowerCase() === state.toLowerCase(),
  );
  return isKnown ? `move ${RECORD} to ${state}` : undefined;
}

const NAMED_STATES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:on|in|to|into|at|as|say|says|be)\s+["“]?in[ -]progress\b/i, "In Progress"],
  [/\b(?:on|in|to|into|at|as|say|says|be)\s+["“]?in[ -]review\b/i, "In Review"],
  [/\b(?:on|in|to|into|at|as|say|says)\s+["“]?done\b/i, "Done"],
  [/\b(?:on|in|to|into|at|as|say|says)\s+["“]?won['’]?t do\b/i, "Won't Do"],
];

function levelsIn(said: string): string[] {
  return (said.replaceAll(NOT_MEANT, " ").match(LEVEL) ?? []).map((level) => level.toLowerCase());
}

/** The one value there is, however often it is said. */
function onlyOf(values: readonly string[]): string | undefined {
  const [only, ...others] = new Set(values);
  return others.length === 0 ? only : undefined;
}
