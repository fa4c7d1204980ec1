import type { KnownName } from "#contract/plan.ts";

import { type DateReader, toDay } from "./dates.ts";
import { namePattern, NOBODY } from "./people.ts";
import { type Sense, senseOf } from "./sense.ts";
import { createSheet, QUOTED } from "./sheet.ts";
import { KEY, tokenize } from "./words.ts";
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
interface Part {
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

const KEYS = new RegExp(`${KEY}(?:(?:\\s*[,&]\\s*|\\s+and\\s+|,\\s+and\\s+)${KEY})*`, "gu");
const ROW =
  /\b(?:the\s+)?(?:first|second|third|fourth|fifth|last)\s+(?:one|ticket|issue|bug|task|story)\b/giu;
const SENTENCE = /(?<=[.!?…])\s+|\s*[\n;]\s*|\s+[–—-]+\s+|(?<=[\p{L}\p{N})]):\s+/u;
const CLAUSE = new RegExp(
  `\\s*,\\s+(?!(?:and\\s+)?${KEY})(?:(?:and|but|so|because|since|as|hence|therefore)\\s+)?|\\s+(?:but|because|so(?!\\s+(?:too|that|far|many|much|long|soon|high|low|as|on|i can)\\b)|and(?!\\s+${KEY}))\\s+`,
  "u",
);
const MOST_CHARS = 500;
/** So likely is what a change is read from. */
const SURE = 0.7;
const LOOKS: ReadonlySet<Sense> = new Set(["show", "find", "wiki"]);
/** What makes another message of the whole: a second thought, somebody's words, several that nobody names. */
const OTHERWISE =
  /^\W*(?:no|nope|not|never|if|unless|once|in case|compare|assume|suppose|imagine|re|from|to|fwd?|fyi|subject)\b[^,]*(?=:|,|$)|^\W*(?:if|unless|in case|assume|suppose|imagine|neither)\b|\b(?:whether|unless|in case|no no|other one|(?:the|all|any|no) others?(?! (?:window|tab|day|side|hand|end|phone|room)\b)|another|previous|never ?mind|nvm|forget (?:it|that|about)|about to|was going to|old owner|one step(?! (?:up|down|higher|lower)\b)|one and|then re-?open|as a duplicate|meant to|except|but not|ask|asks|compare|swap|between|according to|apparently|neither|nor|said:|says:|wrote:|from here,|watchers?|agenda|aside|easy|start over|but one|children|all (?:of )?(?:the|my|our)|everything (?:in|of|under|from|on|within|below))\b|\b(?:the )?one (?:that|which|who)\b|[A-Z]\w*-\d+(?: and|,|\/) ?\d|\bafter (?:the|that|this)\b/iu;
const ASKS =
  /^\W*(?:and\s+)?(?:who\p{L}*|what|which|when|where|why|how|is|are|was|were|did|does|do|has|have|should(?:n['’]t)?|show|list|find|explain|check|tell|keep|stop|avoid|refrain)\b/iu;
/** Several that nobody names. */
const THEM = /\b(?:them|they|these|those)\b/i;
const SEVERAL =
  /\b(?:all|every|each|any|both|some|them|they|these|those|stories|issues|tickets|bugs|tasks|pages?)\b/iu;
/** What is to be kept in mind is no record yet. */
export const NEW: RegExp =
  /\b(?:something|new|another|forget|remember|remind|track|file|create|add|write|log)\b|^\W*\p{L}+\s+an?\s/iu;
/** What it is to replace: "… instead of the one we've missed" */
const INSTEAD_OF = /\binstead of\s+(?:the|that|its|our|what|one|two|three|four|five|six|\d+)\b[^.!?]*/i;
/** "Just as a remark", "just take the date off" */
const JUST_AS =
  /\bjust\s+(?=as\s+an?\b)|(?<=^\W*(?:(?:please|pls|so|and|then)\s+)*)just\s+(?=(?:take|set|move|put|make|give|close|remove|drop|clear|assign|add|change|mark)\b)/iu;
/** What doubts, limits, puts off or only reports a change. */
const TURNED =
  /\b(?:if|unless|once|until|till|when|whether|before|after|maybe|perhaps|might|may(?!\s+(?:go|move|rest|be\s+(?:closed|moved|reopened)|come\s+(?:off|down))\b)|hope\p{L}*|wish|wonder\p{L}*|imagine|suppose|assume|guess|think|thought|thinks|said|says|saying|told|tells|heard|claims?|(?<!\b(?:i|we) )wants?|wanted|asked|asks|wrote|promised|expect|afraid|love to see|like to see|tomorrow|later|someday|eventually|soon|almost|nearly|half|far from|could have|should have(?!\s+(?:no|the|an?)\b)|would have|would be|yesterday|next (?:week|month|sprint)|never|or|instead|rather|except|only|already|just|kidding|joking|haha|lol|pretend|for granted|(?:approve|review|look at|merge|check)\s+(?:my|the|our|his|her|this)\s+(?:pull request|pr|branch|code|merge request|mr)|example|covers? for|(?<!\b(?:can|could|would|will) )you (?:set|put|moved|closed|must|should))\b/iu;
const NEGATED =
  /\b(?:not|never|no|nor|neither|nobody|none)\b|\p{L}n['’]t\b|\b(?:dont|isnt|wont|cant|doesnt)\b/iu;
/** What may be said with a "not". */
const MAY_NEGATE: ReadonlySet<Sense> = new Set(["wontdo", "unassign", "todo", "reopen", "undue"]);
/** What takes back or forbids, wherever it stands … */
const TAKES_BACK =
  /\b(?:do not|don['’]?t|dont|never|stop|avoid|refrain|leave|keep|stays?|ignore|undo|(?<!\bcan )wait|kidding|joking|wish|pretend|suppose|doubt|wrong|call(?=\s+(?:it|this|that|off)\b))\b(?!\s+delete)/i;
/** … and in a few words beside it. */
const DENIES =
  /\b(?:not|no|nope|right|isn['’]?t it|is it|does(?:n['’]?t)? (?:he|she|it)|really|says?|said|claims?|thinks?|thought|suggests?|wrote|told|he|she|or|as if|maybe|perhaps|though|but|except|what do you|why|done|did i|\p{L}+n['’]t (?:you|it|he|she|they))\b/iu;
const FEW_WORDS = 6;
const AGREES = /\b(?:thinks? so|agrees?|says? (?:so|yes|ok))\b/i;
/** "The bug behind KEY", "whatever blocks KEY", "the same as KEY": another record is meant. */
const ANOTHERS = new RegExp(
  `\\b(?:behind|after|before|blocking|blocks|blocked by|blocker of|than|like|as|next to|parent of|child of|part of)\\s+(?:the\\s+)?${KEY}`,
  "iu",
);
/** Who looks for something has not begun it. */
const SEEKS =
  /\b(?:look(?:ing|ed)?|search(?:ing|ed)?|hunt(?:ing|ed)?|digging) (?:for|up)\b|\b(?:to|can['’]?t) find\b/i;
/** What is asked for and not read. */
const REQUESTS = /^\W*(?:can|could|would|will)\s+(?!you\s+(?:believe|imagine))|\b(?:please|pls)\s+\p{L}+/iu;
/** Whom something is taken from, or what is left with nobody. */
const FREES =
  /\b(?:i|me|my|mine|myself|her|him|his|them|their|off|(?:un|re)?-?assign\w*|owner\w*|nobody|no one|any(?:one|body)|some(?:one|body)|who\w*|free|grabs|name|hands?|plate|pool|release\w*|drop|let go|up for|else|team|nobody)\b|['’](?:m|ve|ll|d)\b/i;
const FREED = new RegExp(`\\b${NOBODY}`, "iu");
/** "It", or what is asked for in a word. */
const REFERS = /\b(?:it|this|that|ticket|issue|one|mine|please|pls|plz)\b/i;
const HE_OR_SHE = /\b(?:he|she|him|her|his(?= name))\b/i;
/** Behind these stands somebody who is given nothing. */
const BESIDE = /\b(?:from|off|instead of|not|than|by|with|for|after|since|because|says?|said|told|ask)\s+$/i;
/** "From High to Medium", "not Highest, just High" */
const NOT_MEANT = /\b(?:not|from|than|no longer)\s+(?:the\s+)?(?:highest|high|medium|lowest|low)\b/gi;
const LEVEL = /\b(?:highest|high|medium|lowest|low)\b/gi;
const LABELLED =
  /\b(?:tag|label|mark|flag)\p{L}*\b.*?\b(?:as|with)\s+(?:an?\s+)?(?!well\b)(\p{L}[\p{L}\p{N}_-]*)\b(?!\s+\p{L})/iu;
const MINE = /\b(?:i|me|my|mine|myself|dibs|i['’]\p{Ll}+|im|ill|ive)\b/iu;
/** What deletes a record is said in so many words, and nothing else is meant by it. */
const DESTROYS = new RegExp(
  `\\b(?:delete|erase|purge|destroy)\\s+(?:it|this|that|the (?:ticket|issue|record)|${KEY})`,
  "iu",
);
/** What "it" is removed from is not said. */
const REMOVES = /^\W*(?:(?:and|please|pls|then)\s+)*(?:remove|delete|clear|drop|erase)\s+(?:it|this|that)\b/i;
const SOMEBODY = /\bto\s+(?:some|any)(?:body|one)\b/i;
const DEMANDS =
  /\b(?:needs?|wants?|should|must|can|could|shall|ha(?:s|ve) to|make|set|bump|raise|lower|put|drop|change|give|get|use|let|let['’]?s have|please|pls|plz|to|become|prio)\b/i;
const LIFTS =
  /\b(?:remove|drop|clear|delete|lift|cancel|take|get rid|forget|scrap|no longer|any ?more|without)\b/i;
/** Who has it, and not who shall. */
const OWNS =
  /\b(?:has|have|had|belongs to|is assigned|assignee of|owns|docs?|policy|idea|for (?:his|her|their|a))\b/i;
/** How it is, and not how it shall be. */
const STANDS = /\b(?:is|are|was|were|has been|seems?|stays?|same|enough|so (?:high|low))\b|['’]s\b/i;
const SUFFICES =
  /\b(?:is|would be|will be|are)\s+(?:quite |more than )?(?:enough|plenty|fine|ok(?:ay)?|sufficient|good enough)\b/i;
/** Days that are counted from another, or are over. */
const SHIFTED =
  /\b(?:slipped|moved|was|were|been|last|earlier|later|forward|back|postpone\p{L}*|extend\p{L}*|delay\p{L}*|push\p{L}*|pull\p{L}*|no more|by (?:an?|one|two|three|\d+) (?:days?|weeks?))\b/iu;
/** "Out of the backlog" leads to To Do. */
const FROM_BACKLOG = /\b(?:out of|from|leav\p{L}*|off|not|no longer|nothing to do)\b[^,.]*\bbacklog\b/iu;

/** How it is from now on is how it shall be. */
const FROM_NOW = /\b(?:from (?:today|now)(?: on)?|as of (?:today|now))\b/i;
/** "One step down with the priority" */
const ONE_STEP =
  /\b(?:(?:one|a) (?:step|notch|level|grade)|a bit)\s+(?:(?<down>down|lower|less)|(?<up>up|higher|more))\b/iu;
const LEVEL_FIRST = /^\W*(?:highest|high|medium|low|lowest)\b\s*(?:$|[,.;!]|please\b|pls\b|for now\b)/i;
/** "The due date out by exactly one week" */
const SHIFT =
  /\b(?:push|move|shift|put|postpone|delay|extend)\p{L}*\b(?!.*\b(?:earlier|sooner|forward|ahead|closer)\b).*\b(?:by|for)\s+(?:exactly\s+|another\s+|about\s+)?(?<amount>(?:an?|one|two|three|four|five|six|seven|ten|\d{1,2})\s+(?:day|week)s?)\b/iu;
const LABEL_FIRST =
  /\b(?:the|an?)\s+(?!same\b|new\b|right\b|wrong\b|other\b)([\p{L}\p{N}_-]{2,30})\s+(?:label|tag)\b/iu;
/** "Put on-call as a label on it" */
const AS_LABEL =
  /\b(?:put|add|use|take|set|want|have)\s+([\p{L}\p{N}_-]{2,30})\s+as\s+(?:an?\s+|the\s+|another\s+)?(?:label|tag)\b/iu;
const ONE_WORD = /^[\p{L}\p{N}_-]{2,40}$/u;
/** "Let Farid have it", "Ben shall have it" */
const LETS = /\b(?:let\s+\S+\s+have|(?:shall|should|can|may|will)\s+have)\b/gi;
const QUOTES: ReadonlySet<Sense> = new Set(["comment", "rename", "label", "unlabel"]);
const PLACEHOLDER = /"Q(\d{1,2})"/g;
/** Several that nobody names, or that share a word. */
const LISTED = /\b(?:sub-?tasks|issues|tickets|bugs|tasks|stories|ones)\b/i;
/** "What does it say?" */
const ASKS_WHAT =
  /^\W*(?:(?:and|so|but)\s+)?(?:what|which|when|where|why|how|who(?! wants\b))(?:['’]s)?\b[^?]*\?/iu;
/** What is to be seen. */
const SHOWS = /^\W*(?:(?:and|please|pls|then|now)\s+)*(?:show|list|find|open|display|search|look up)\b/i;
/** "This is Farid", "Ben here" */
const INTRODUCES =
  /^\W*(?:(?:hi|hello|hey|hej|morning)\W+)?(?:this is|it['’]s|i am|i['’]m|my name is)\s+\p{L}+(?:\s+here)?\W*$|^\W*\p{L}+ here\W*$/iu;
/** "DEMO-14 has no due date": how it is, where the rest says how it shall be. */
const LACKS =
  /(?<!\b(?:should|shall|must|may|can)\s)\b(?:has|have|had|got|there['’]s|there is|is|still)\s+(?:still\s+)?(?:no|without(?: an?)?)\s+(?:due date|deadline|date|label|owner|assignee|priority)s?\b/i;
/** "Dmitri's drowning in it" */
const BUSY =
  /^\W*\p{L}+(?:['’]s|\s+is|\s+are)\s+(?!(?:taking|doing|handling|picking|having|owning|getting|on|going to)\b)\p{L}+ing\b/iu;
/** What somebody did. */
const DID =
  /^\W*(?:i|we|he|she|they|you|somebody|someone)\s+(?:\p{L}+ly\s+|just\s+|already\s+)?(?:\p{L}{2,}ed|put|set|took|gave|did|made|went|had|wrote|began|got)\b/iu;
/** "who wrote it up": which of the people is meant, and nothing else. */
const WHO = /\bwho(?:['’]s|\s+\p{L}+)(?:\s+(?:it|this|that|them|him|her|up|in))*/giu;
/** "Can its status reflect that?" */
const SHOWS_SO =
  /^\W*(?:(?:and|so|please|pls)\s+)*(?:can|could|should|would)\s+(?:its|the|their)\s+(?:status|state|board|ticket|issue|tracker|date|due date|deadline|priority|prio)\s+(?:please\s+)?(?:reflect|say|show|follow|match|know)\s+(?:that|this|so|it)(?:\s+(?:too|as well|please))?\W*$/i;
const KEEPS = /\b(?:stays?|keeps?|leave|remains?)\b/i;
const CONFIRMS =
  /^\W*(?:(?:and|so|yes|ok|please|pls|then|now)\W+)*(?:record|save|enter|note|add|change|do|fix|swap|switch|make|assign|set|adjust|correct)\s+(?:it|that|this|them|the assignee|the owner)(?:\s+(?:bit|so|over|in|like (?:that|this)|that way|please|pls|for me))*\W*$/i;

/** What is wrong with how something is written. */
const OF_WORDS =
  /\b(?:titles?|names?|wording|typos?|spell(?:ed|ing)|description|summary|text)\b(?!.*\b(?:re-?open|again)\b)/i;

/** Where the record stands in an order. */
const RECORD = "\uE002";

const READERS: Partial<Record<Sense, Reader>> = {
  start: (_part, _all, context) => toState("In Progress", context),
  review: (_part, _all, context) => toState("In Review", context),
  done: (_part, _all, context) => toState("Done", context),
  // What nobody gets to this year is still to be done.
  wontdo: ({ said }, _all, context) =>
    /\bget(?:ting)? (?:to|around)\b|\b(?:this|the next|next) (?:year|quarter|month|week|sprint)\b/i.test(said)
      ? undefined
      : toState("Won't Do", context),
  // No state is called so.
  todo: ({ said }, _all, context) =>
    /\b(?:on|a) hold\b/i.test(said)
      ? undefined
      : toState(/\bbacklog\b/i.test(said) && !FROM_BACKLOG.test(said) ? "Backlog" : "To Do", context),
  // "Open it" is to see it.
  // "They have silly titles. Fix both" opens nothing.
  reopen: ({ said }, all) =>
    /\bopen\b(?!.*\bagain\b)/i.test(said) || all.some((part) => OF_WORDS.test(part.said))
      ? undefined
      : `reopen ${RECORD}`,
  take: ({ said }) => (MINE.test(said) ? `assign ${RECORD} to me` : undefined),
  unassign: ({ said, names }) =>
    REMOVES.test(said) || SOMEBODY.test(said) || !(names || FREES.test(said))
      ? undefined
      : `unassign ${RECORD}`,
  assign: ({ people, said }, all) => {
    const pronoun = HE_OR_SHE.exec(said);
    const own = said.replace(LETS, " ");
    // "Dmitri, you built that": said to somebody.
    if (people.some((name) => new RegExp(`\\b${name},?\\s+you\\b`, "iu").test(said))) return undefined;
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
    if (!isPut && !isNamed) return undefined;
    const own = levelsIn(said);
    const level = onlyOf(own.length > 0 ? own : all.flatMap((part) => levelsIn(part.said)));
    return level === undefined ? undefined : `set the priority of ${RECORD} to ${level}`;
  },
  due: ({ said }, all, { dates, now }) => {
    const shift = SHIFT.exec(said)?.groups;
    if (shift !== undefined && /\b(?:due|deadline|date)\b/i.test(said))
      return `push the due date of ${RECORD} back by ${shift["amount"] ?? ""}`;
    if (
      !DEMANDS.test(said) ||
      SHIFTED.test(said) ||
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
    const label =
      onlyOf(quotes) ?? AS_LABEL.exec(said)?.[1] ?? LABEL_FIRST.exec(said)?.[1] ?? LABELLED.exec(said)?.[1];
    return label === undefined || !ONE_WORD.test(label) ? undefined : `add the label ${label} to ${RECORD}`;
  },
  unlabel: ({ said, quotes }) => {
    const label = onlyOf(quotes) ?? LABEL_FIRST.exec(said)?.[1];
    return label === undefined || !ONE_WORD.test(label)
      ? undefined
      : `remove the label ${label} from ${RECORD}`;
  },
  comment: ({ said }, all) => {
    const quote = onlyOf(
      said.match(PLACEHOLDER) ?? all.flatMap((part) => part.said.match(PLACEHOLDER) ?? []),
    );
    if (quote === undefined) return undefined;
    return `comment on ${RECORD}: "${unasked(quote.slice(1, -1))}"`;
  },
  rename: ({ said }, all) => {
    const quote = onlyOf(
      said.match(PLACEHOLDER) ?? all.flatMap((part) => part.said.match(PLACEHOLDER) ?? []),
    );
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

/** "Put that date on it", of a day that another sentence names. */
const THAT_DATE =
  /\b(?:that|this|it)\s+(?:date|day|deadline|due date|(?:as |be )?(?:the|its) (?:new )?(?:due date|deadline))\b/i;

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

/**
 * What a message wants of records, by what its sentences mean, as orders in plain words: where each part is read as a
 * change with all that it needs, or as none. Undefined where a part is not clear, or nothing is wanted.
 */
export function bySense(said: string, context: SenseContext): string[] | undefined {
  const { message, quotes } = withoutQuotes(said);
  if (message.length > MOST_CHARS || OTHERWISE.test(message) || DESTROYS.test(message)) return undefined;
  // What somebody else wrote orders nothing.
  if (/^\s*>/m.test(message)) return undefined;
  const isListed = message.search(KEYS) < 0 && LISTED.test(message);
  const isAboutOne = context.about !== undefined || message.search(KEYS) >= 0 || message.search(ROW) >= 0;
  if (!isAboutOne || isListed) return undefined;
  const parts = partsOf(message, quotes, context);
  const acts = parts.filter((part) => isAct(part, parts));
  const asks = parts.some(
    ({ sense, sure, said: part }) =>
      (LOOKS.has(sense) && sure > SURE && (/\?/.test(part) || SHOWS.test(part))) || ASKS_WHAT.test(part),
  );
  const meant = acts.flatMap(({ keys }) => keys);
  const isDenied = parts.some(
    (part) =>
      !acts.includes(part) &&
      !isConfirming(part) &&
      !keepsOther(part, acts) &&
      ((denies(part) && !bearsOut(part, acts)) ||
        REQUESTS.test(part.said) ||
        (meant.length > 0 && !isBackground(part) && part.keys.some((key) => !meant.includes(key)))),
  );
  if (acts.length === 0 || asks || isDenied) return undefined;
  const named = [...new Set(parts.flatMap(({ keys }) => keys))];
  // "The store screenshots" are one task.
  const isTitled = named.length < 2 && context.about !== "it" && message.search(KEYS) < 0;
  const orders = new Set<string>();
  for (const act of acts) {
    const order = READERS[act.sense]?.(act, parts, context);
    // What is said of one of several records has to name it.
    const isOpen =
      act.sense !== "link" &&
      act.keys.length === 0 &&
      ((named.length > 1 && !(named.length === 2 && /\bboth\b/i.test(act.said))) ||
        SEVERAL.test(act.said.replace(isTitled ? THEM : named.length === 2 ? /\bboth\b/i : /(?!)/, "")) ||
        (named.length === 0 && context.about === "it" && (!REFERS.test(act.said) || CALLED.test(act.said))));
    const record = (act.keys.length > 0 ? act.keys : named).join(" and ") || context.about;
    if (order === undefined || isOpen || record === undefined) return undefined;
    if (LISTED.test(act.said.replaceAll(KEYS, " "))) return undefined;
    orders.add(
      order.replace(RECORD, record).replaceAll(PLACEHOLDER, (_all, at: string) => quotes[Number(at)] ?? ""),
    );
  }
  // What broke again and goes back to where it was is there.
  for (const order of orders) {
    // Nobody has it, and somebody shall.
    const given = /^unassign (.+)$/.exec(order)?.[1];
    if (given !== undefined && [...orders].some((one) => one.startsWith(`assign ${given} to `)))
      orders.delete(order);
    const back = ["In Progress", "To Do"].map((state) =>
      order.replace(/^reopen (.+)$/, `move $1 to ${state}`),
    );
    if (order.startsWith("reopen ") && back.some((one) => orders.has(one))) orders.delete(order);
  }
  // One record has one state, and one person has it.
  const kinds = new Set([...orders].map((order) => order.replace(/ to .*$/, "").replace(/^reopen/, "move")));
  return kinds.size < orders.size ? undefined : [...orders];
}

/** So likely is what may be offered, and never done. */
const LIKELY = 0.4;

/**
 * The change of one record that a message most likely wants, where nothing in it is sure enough to be asked for: for
 * the person to say so. Nothing is deleted by it.
 */
export function likelyBySense(said: string, context: SenseContext): string[] | undefined {
  const { message, quotes } = withoutQuotes(said);
  if (message.length > MOST_CHARS) return undefined;
  // Most messages look for something, and that is cheap to see.
  const isAboutOne = context.about !== undefined || message.search(KEYS) >= 0;
  if (!isAboutOne && context.titleOf?.(message) === undefined) return undefined;
  const whole = senseOf(message.replace(KEYS, "KEY"));
  if (LOOKS.has(whole.sense) && whole.sure > SURE) return undefined;
  const parts = partsOf(message, quotes, context);
  const named = [...new Set(parts.flatMap(({ keys }) => keys))];
  const likely = parts
    .filter(
      ({ sense, sure, said: part, rest }) =>
        sense !== "told" &&
        sense !== "link" &&
        !LOOKS.has(sense) &&
        sure >= LIKELY &&
        rest !== "" &&
        !ASKS.test(part) &&
        !SEEKS.test(part) &&
        !(DID.test(part) && sense !== "done" && sense !== "review") &&
        (!/\?\s*$/.test(part) || REQUESTS.test(part)) &&
        (!NEGATED.test(part) || MAY_NEGATE.has(sense)),
    )
    .toSorted((one, other) => other.sure - one.sure);
  for (const part of likely) {
    const order = READERS[part.sense]?.(part, parts, context);
    const keys = part.keys.length > 0 ? part.keys : named;
    const record = keys.length > 1 ? undefined : (keys[0] ?? context.about);
    if (order === undefined || record === undefined) continue;
    const quoted = (_all: string, at: string): string => quotes[Number(at)] ?? "";
    return [order.replace(RECORD, record).replaceAll(PLACEHOLDER, quoted)];
  }
  return undefined;
}

function isAct(part: Part, all: readonly Part[]): boolean {
  const { sense, sure, said, rest, names, keys } = part;
  if (sense === "told" || LOOKS.has(sense) || sure < SURE || rest === "" || part.isHead) return false;
  if (ASKS.test(said) || SEEKS.test(said) || INTRODUCES.test(said) || isConfirming(part)) return false;
  if (sense === "assign" && BUSY.test(said)) return false;
  if (LACKS.test(said) && all.length > 1) return false;
  // What somebody did, and how it is, is told where another part orders.
  if (sense !== "done" && sense !== "review" && DID.test(said)) return false;
  if (sense === "priority" && isFact(part) && all.some((other) => other !== part && isOrder(other)))
    return false;
  if (sense === "unassign" && /\b(?:nobody|no[ -]one)\b/i.test(said) && !FREED.test(said)) return false;
  // "Emi has moved it": what somebody did is no wish.
  if (names && sense !== "assign" && sense !== "comment") return false;
  const isLink = sense === "link" && keys.length === 2;
  const own = said.replaceAll(WHO, " ").replace(INSTEAD_OF, " ").replace(JUST_AS, " ");
  return (
    !TURNED.test(own) &&
    (isLink || !ANOTHERS.test(own)) &&
    (!NEGATED.test(own) || MAY_NEGATE.has(sense) || isQuoted(part))
  );
}

/** What is written or called is in the quote. */
function isQuoted({ sense, quotes }: Part): boolean {
  return QUOTES.has(sense) && quotes.length === 1;
}

function isFact({ said }: Part): boolean {
  return STANDS.test(said) && !SUFFICES.test(said) && !DEMANDS.test(said) && !FROM_NOW.test(said);
}

function isOrder({ sense, sure, said }: Part): boolean {
  return sense !== "told" && !LOOKS.has(sense) && sure >= SURE && !STANDS.test(said);
}

/** "Dmitri is drowning in OPS-4, so hand OPS-13 to Ben": told of another record than what is ordered names. */
function isBackground({ sense, sure, said }: Part): boolean {
  return sense === "told" && sure > SURELY_TOLD && !NEGATED.test(said);
}

const SURELY_TOLD = 0.85;

/** "And Ben gets the plural one", of which nothing is known. */
const CALLED =
  /\bthe\s+(?!same\b|whole\b|current\b|right\b)(?:\p{L}+\s+){1,3}?(?:one|ticket|issue|bug|story|task)\b/iu;

/** "Record that bit", "yes, assign it", "change that": the rest of the message says what. */
function isConfirming({ said }: Part): boolean {
  return CONFIRMS.test(said) || SHOWS_SO.test(said);
}

/** "That is not done. Open it again", "take me off, it can stay without an owner", "the provider decides, not we" */
function bearsOut({ said }: Part, acts: readonly Part[]): boolean {
  const isOnly = (...senses: Sense[]): boolean => acts.every(({ sense }) => senses.includes(sense));
  if (NOT_OVER.test(said) || /^\W*(?:so\s+)?no\W*$/i.test(said)) return isOnly("reopen", "todo", "start");
  if (UNOWNED.test(said)) return isOnly("unassign");
  if (NOT_THAT_ONE.test(said)) return isOnly("due", "priority");
  if (KNOWS_IT.test(said)) return isOnly("assign");
  return NOT_WE.test(said) && !acts.some(({ sense }) => sense === "assign" || sense === "take");
}

const NOT_OVER = /(?:\bnot|n['’]t)\s+(?:really\s+|yet\s+)?(?:done|fixed|finished|solved|resolved|over)\b/i;
const UNOWNED = /\bwithout\s+(?:an?\s+)?(?:owner|assignee)\b|\bunassigned\b/i;
/** "In 45 days and not in 60", "High, not Highest" */
const NOT_THAT_ONE =
  /^\W*(?:and\s+|but\s+)?not\s+(?:in\s+|on\s+|by\s+|the\s+)?(?:\d{1,3}(?:st|nd|rd|th)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|highest|high|medium|low|lowest)(?:\s+(?:days?|weeks?|months?))?\W*$/i;
/** "Give it to Ben, he wrote it" */
const KNOWS_IT =
  /^\W*(?:he|she|they)\s+(?:wrote|built|made|knows?|started|began|offered|volunteered|asked)\b(?!.*\b(?:not|no)\b|.*n['’]t\b)/i;
const NOT_WE = /^\W*(?:and\s+)?not\s+(?:we|us|me|i|you|they|them|he|him|she|her)\W*$/i;

/** "The beta test stays with Farid", "prio stays": of another record, or of what nothing is ordered for. */
function keepsOther({ said, keys, names }: Part, acts: readonly Part[]): boolean {
  if (!KEEPS.test(said) || acts.length === 0) return false;
  const meant = acts.flatMap((act) => act.keys);
  if (keys.length > 0) return meant.length > 0 && keys.every((key) => !meant.includes(key));
  const isOrdered = (...senses: Sense[]): boolean => acts.some(({ sense }) => senses.includes(sense));
  if (names || /\b(?:assign\w*|owner)\b/i.test(said)) return !isOrdered("assign", "unassign", "take");
  if (/\bprio(?:rity)?\b/i.test(said)) return !isOrdered("priority");
  if (/\b(?:due|date|deadline)\b/i.test(said)) return !isOrdered("due", "undue");
  return (
    /\b(?:status|state)\b/i.test(said) && !isOrdered("start", "review", "done", "todo", "wontdo", "reopen")
  );
}

/** A message whose quotes stand as `"Q0"`, `"Q1"` …: what is in them orders nothing. */
function withoutQuotes(message: string): { message: string; quotes: string[] } {
  const { quotes, masked } = createSheet(message);
  let text = "";
  let end = 0;
  for (const [at, quote] of quotes.entries()) {
    text += `${masked.slice(end, quote.start)}"Q${at}"`;
    end = quote.end;
  }
  return {
    message: (text + masked.slice(end)).replaceAll(QUOTED, " "),
    quotes: quotes.map(({ value }) => value),
  };
}

/** Whether it takes back what was said beside it, or says that it is not so. */
function denies({ said, keys }: Part): boolean {
  if (AGREES.test(said)) return false;
  return (
    TAKES_BACK.test(said) || (keys.length === 0 && DENIES.test(said) && tokenize(said).length < FEW_WORDS)
  );
}

/** The sentences of a message, and of one that holds several wishes or is not understood as a whole its clauses. */
function partsOf(message: string, quotes: readonly string[], context: SenseContext): Part[] {
  const sentences = message.split(SENTENCE).filter((said) => /[\p{L}\p{N}]/u.test(said));
  let end = 0;
  return sentences.flatMap((said) => {
    end = message.indexOf(said, end) + said.length;
    const isAhead = /^:\s/.test(message.slice(end));
    const whole = partOf(said, isAhead, quotes, context);
    const clauses = said.split(CLAUSE).filter((each) => tokenize(each).length > 0);
    if (clauses.length < 2) return [whole];
    const parts = clauses.map((clause, at) =>
      partOf(clause, isAhead && at === clauses.length - 1, quotes, context),
    );
    const acts = new Set(parts.filter((part) => isAct(part, parts)).map(({ sense }) => sense));
    const isSplit =
      acts.size > 1 || parts.filter(({ keys }) => keys.length > 0).length > 1 || whole.people.length > 1;
    return isSplit || !isAct(whole, [whole]) ? parts : [whole];
  });
}

function partOf(
  said: string,
  isAhead: boolean,
  all: readonly string[],
  { known, dates, now, titleOf }: SenseContext,
): Part {
  const keys = [...new Set((said.match(new RegExp(KEY, "gu")) ?? []).map((key) => key.toUpperCase()))];
  const date = dates.find(said, now);
  const text = date === undefined ? said : `${said.slice(0, date.start)}DATE${said.slice(date.end)}`;
  const people: string[] = [];
  const masked = text
    .replace(namePattern(known), (name: string, ...more: unknown[]) => {
      const at = more.find((each) => typeof each === "number") ?? 0;
      if (!BESIDE.test(text.slice(0, at))) people.push(name.replace(/['’]s$/, ""));
      return "PERSON";
    })
    .replace(KEYS, "KEY")
    .replace(ROW, "KEY");
  keys.push(...(said.match(ROW) ?? []).map((row) => (/^the\b/i.test(row) ? row : `the ${row}`)));
  const rest = masked.replaceAll(/KEY|[^\p{L}\p{N}]/gu, "");
  const title = keys.length === 0 ? titleOf?.(said) : undefined;
  return {
    said,
    quotes: [...said.matchAll(PLACEHOLDER)].flatMap(([, at]) => all[Number(at)] ?? []),
    isHead: isAhead && (keys.length > 0 || title !== undefined || /^\W*(?:the|that|this)\b/i.test(said)),
    keys: title === undefined ? keys : [title],
    rest,
    names: masked.includes("PERSON"),
    people: [...new Set(people)],
    ...(literally(masked) ?? senseBeside(masked, title)),
  };
}

/** What is said of a record that is called by its title is read as if its key stood there, where that says more. */
function senseBeside(masked: string, title: string | undefined): { sense: Sense; sure: number } {
  const read = senseOf(masked);
  const keyed = title === undefined ? masked : masked.replace(SUBJECT, "KEY");
  if (keyed === masked || (read.sense !== "told" && read.sure >= SURE)) return read;
  const other = senseOf(keyed);
  return other.sense === "told" || LOOKS.has(other.sense) || other.sure < SURE ? read : other;
}

const SUBJECT = /^.{3,80}?(?=\s(?:is|are|has|have|can|goes|needs|should|must|may)\s)/iu;

/** What is put into a state by its name is read so, whatever the words around it seem to mean. */
function literally(masked: string): { sense: Sense; sure: number } | undefined {
  const [, first, state = first ?? ""] = PUTS_INTO.exec(masked) ?? SAYS_STATE.exec(masked) ?? [];
  if (ITS_PERSON.test(masked)) return { sense: "assign", sure: 1 };
  const sense = STATES.find(([pattern]) => pattern.test(state))?.[1];
  return state === "" || sense === undefined ? undefined : { sense, sure: 1 };
}

/** "Farid it is" */
const ITS_PERSON = /^\W*(?:(?:so|then|ok|yes|fine)\W+)*PERSON it is\W*$/;
const PUTS_INTO =
  /\b(?:set|put|move|pull|get|bring|flip|switch|push|take|change|send|drag)\s+(?:(?!not\b)\S+\s+){0,5}?(?:(?:back|over)\s+)?(?:in|into|to)\s+(?:in\s+)?(progress|review|done|to[ -]?do)\b/i;
/** "That epic should say in progress", "it needs to sit in To Do again" */
const SAYS_STATE =
  /\b(?:should|must|has to|needs? to|may|can)\s+(?:now\s+)?(?:sit|be|stay|go|rest)\s+(?:back\s+)?in\s+(progress|review|done|to[ -]?do)\b|\b(?:should|must|ought to)\s+(?:now\s+|really\s+)?(?:say|read|show)\s+(?:in\s+)?(progress|review|done|to[ -]?do)\b/i;
const STATES: readonly (readonly [RegExp, Sense])[] = [
  [/^progress/i, "start"],
  [/^review/i, "review"],
  [/^done/i, "done"],
  [/^to/i, "todo"],
];

/** "Ben can close it", "Emi, can you take it": somebody who does something else, or who is spoken to. */
function doesOther(name: string, said: string): boolean {
  return new RegExp(
    `${name}\\W+(?:(?:can|could|will|would|should|to)\\s+)*(?:(?:can|could|would|will) you|move|close|finish|review|test|set|mark|reopen|release|fix|check|look at|have a look)\\b`,
    "i",
  ).test(said);
}

function toState(state: string, { known }: SenseContext): string | undefined {
  const isKnown = known.some(
    ({ kind, name }) => kind === "status" && name.toLowerCase() === state.toLowerCase(),
  );
  return isKnown ? `move ${RECORD} to ${state}` : undefined;
}

function levelsIn(said: string): string[] {
  return (said.replaceAll(NOT_MEANT, " ").match(LEVEL) ?? []).map((level) => level.toLowerCase());
}

/** The one value there is, however often it is said. */
function onlyOf(values: readonly string[]): string | undefined {
  const [only, ...others] = new Set(values);
  return others.length === 0 ? only : undefined;
}
