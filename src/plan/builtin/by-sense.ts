import type { KnownName } from "#contract/plan.ts";

import { type DateReader, toDay } from "./dates.ts";
import { namePattern, NOBODY } from "./people.ts";
import { type Sense, senseOf } from "./sense.ts";
import { createSheet, QUOTED } from "./sheet.ts";
import { KEY, tokenize } from "./words.ts";

/** What a message is read with. */
export interface SenseContext {
  now: Date;
  dates: DateReader;
  known: readonly KnownName[];
  /** What it is about where it names no record: "it", or the key of what it seems to be about. */
  about?: string;
}

/** A sentence, or a part of one, with what it wants. */
interface Part {
  said: string;
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
  `\\s*,\\s+(?!(?:and\\s+)?${KEY})(?:(?:and|but|so|because|since|as|hence|therefore)\\s+)?|\\s+(?:but|because|and(?!\\s+${KEY}))\\s+`,
  "u",
);
const MOST_CHARS = 500;
/** So likely is what a change is read from. */
const SURE = 0.6;
const LOOKS: ReadonlySet<Sense> = new Set(["show", "find", "wiki"]);
/** What makes another message of the whole: a second thought, somebody's words, several that nobody names. */
const OTHERWISE =
  /^\W*(?:no|nope|not|never|if|unless|once|in case|compare|assume|suppose|imagine|re|from|to|fwd?|fyi|subject)\b[^,]*(?=:|,|$)|^\W*(?:if|unless|in case|assume|suppose|imagine|neither)\b|\b(?:whether|unless|in case|other one|others?|another|previous|never ?mind|nvm|forget (?:it|that|about)|about to|was going to|old owner|one step|one and|then re-?open|as a duplicate|meant to|except|but not|ask|asks|compare|swap|between|according to|apparently|neither|nor|said:|says:|wrote:|from here,|watchers?|agenda|aside|easy|start over|but one|children|sub-?tasks|issues|tickets|bugs|tasks|stories|ones|all (?:of )?(?:the|my|our)|everything (?:in|of|under|from|on|within|below))\b|\b(?:the )?one (?:that|which|who)\b|[A-Z]\w*-\d+(?: and|,|\/) ?\d|\bafter (?:the|that|this)\b/iu;
const ASKS =
  /^\W*(?:and\s+)?(?:who\p{L}*|what|which|when|where|why|how|is|are|was|were|did|does|do|has|have|should(?:n['’]t)?|show|list|find|explain|check|tell|keep|stop|avoid|refrain)\b/iu;
/** Several that nobody names. */
const SEVERAL =
  /\b(?:all|every|each|any|both|some|them|they|these|those|stories|issues|tickets|bugs|tasks|pages?)\b/iu;
/** What is to be kept in mind is no record yet. */
export const NEW: RegExp =
  /\b(?:something|new|another|forget|remember|remind|track|file|create|add|write|log)\b|^\W*\p{L}+\s+an?\s/iu;
/** What doubts, limits, puts off or only reports a change. */
const TURNED =
  /\b(?:if|unless|once|until|till|when|whether|before|after|maybe|perhaps|might|may|hope\p{L}*|wish|wonder\p{L}*|imagine|suppose|assume|guess|think|thought|thinks|said|says|saying|told|tells|heard|claims?|wants?|wanted|asked|asks|wrote|promised|expect|afraid|love to see|like to see|tomorrow|later|someday|eventually|soon|almost|nearly|half|far from|could have|should have|would have|would be|yesterday|next (?:week|month|sprint)|never|or|instead|rather|except|only|already|just|kidding|joking|haha|lol|pretend|for granted|example|covers? for|you (?:set|put|moved|closed|must|should))\b/iu;
const NEGATED =
  /\b(?:not|never|no|nor|neither|nobody|none)\b|\p{L}n['’]t\b|\b(?:dont|isnt|wont|cant|doesnt)\b/iu;
/** What may be said with a "not". */
const MAY_NEGATE: ReadonlySet<Sense> = new Set(["wontdo", "unassign", "todo", "reopen", "undue"]);
/** What takes back or forbids, wherever it stands … */
const TAKES_BACK =
  /\b(?:do not|don['’]?t|dont|never|stop|avoid|refrain|leave|keep|stays?|ignore|undo|wait|kidding|joking|wish|pretend|suppose|doubt|wrong|call)\b(?!\s+delete)/i;
/** … and in a few words beside it. */
const DENIES =
  /\b(?:not|no|nope|right|isn['’]?t it|is it|does(?:n['’]?t)? (?:he|she|it)|really|says?|said|claims?|thinks?|thought|suggests?|wrote|told|he|she|or|as if|maybe|perhaps|though|but|except|what do you|why|done|did i|\p{L}+n['’]t (?:you|it|he|she|they))\b/iu;
const FEW_WORDS = 6;
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
const HE_OR_SHE = /\b(?:he|she|him|her)\b/i;
/** Behind these stands somebody who is given nothing. */
const BESIDE = /\b(?:from|off|instead of|not|than|by|with|for|after|since|because|says?|said|told|ask)\s+$/i;
const LEVEL = /\b(?:highest|high|medium|lowest|low)\b/gi;
const LABELLED =
  /\b(?:tag|label|mark|flag)\p{L}*\b.*?\b(?:as|with)\s+(?:an?\s+)?(\p{L}[\p{L}\p{N}_-]*)\b(?!\s+\p{L})/iu;
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
  /\b(?:needs?|should|must|can|could|shall|ha(?:s|ve) to|make|set|bump|raise|lower|put|drop|change|give|get|please|pls|plz|to|become|prio)\b/i;
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
const FROM_BACKLOG = /\b(?:out of|from|leav\p{L}*|off)\b[^,.]*\bbacklog\b/iu;

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
  reopen: ({ said }) => (/\bopen\b(?!.*\bagain\b)/i.test(said) ? undefined : `reopen ${RECORD}`),
  take: ({ said }) => (MINE.test(said) ? `assign ${RECORD} to me` : undefined),
  unassign: ({ said, names }) =>
    REMOVES.test(said) || SOMEBODY.test(said) || !(names || FREES.test(said))
      ? undefined
      : `unassign ${RECORD}`,
  assign: ({ people, said }, all) => {
    const pronoun = HE_OR_SHE.exec(said);
    if (OWNS.test(said) || /\bwho(?:m|se)?ever\b/i.test(said)) return undefined;
    const isSpoken = pronoun !== null && people.every((name) => said.indexOf(name) > pronoun.index);
    // "She should have it, Farid is full" gives Farid nothing, and "can Ben close it" asks Ben.
    if ((isSpoken && people.length > 0) || people.some((name) => doesOther(name, said))) return undefined;
    const only = onlyOf(isSpoken ? all.flatMap((part) => part.people) : people);
    return only === undefined ? undefined : `assign ${RECORD} to ${only}`;
  },
  priority: ({ said }, all) => {
    if (!SUFFICES.test(said) && (!DEMANDS.test(said) || STANDS.test(said))) return undefined;
    const own = levelsIn(said);
    const level = onlyOf(own.length > 0 ? own : all.flatMap((part) => levelsIn(part.said)));
    return level === undefined ? undefined : `set the priority of ${RECORD} to ${level}`;
  },
  due: ({ said }, _all, { dates, now }) => {
    if (
      !DEMANDS.test(said) ||
      SHIFTED.test(said) ||
      !/\b(?:due|deadline|by|until|date|finished|done)\b/i.test(said)
    )
      return undefined;
    const day = dates.find(said, now);
    return day === undefined ? undefined : `set the due date of ${RECORD} to ${toDay(day.value)}`;
  },
  undue: ({ said }) => (LIFTS.test(said) ? `remove the due date of ${RECORD}` : undefined),
  label: ({ said }) => {
    const label = LABELLED.exec(said)?.[1];
    return label === undefined ? undefined : `add the label ${label} to ${RECORD}`;
  },
  link: ({ said, keys }, all) => {
    const [from, to, ...more] = keys.length > 1 ? keys : [...new Set(all.flatMap((part) => part.keys))];
    // "OPS-19 cannot start before OPS-4 is done. Link them so": how is said where both are named.
    const told = all.find((part) => part.keys.length === 2)?.said ?? said;
    const how = [told, said].flatMap(
      (text) => RELATIONS.find(([pattern]) => pattern.test(text))?.[1] ?? [],
    )[0];
    return from === undefined || to === undefined || more.length > 0 || how === undefined
      ? undefined
      : `link ${from} ${how} ${to}`;
  },
};

/** What two records are to each other, the first one first. */
const RELATIONS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:is blocked by|waits? for|wait(?:ing)? (?:for|on)|depends on|has to wait|hangs on)\b|\b(?:can(?:not|['’]?t| not)|must not)\s+\p{L}+\s+(?:\p{L}+\s+)?(?:before|until|unless|without)\b/iu,
    "is blocked by",
  ],
  [
    /\b(?:blocks|is blocking|holds up)\b|\b(?:must|has to|needs to|should) (?:be )?\p{L}+(?: \p{L}+)? before\b|\bblock(?:ing)? link\b/iu,
    "blocks",
  ],
  [/\b(?:duplicates?|same (?:\p{L}+ )?(?:as|thing)|is a (?:copy|double) of)\b/iu, "duplicates"],
  [/\b(?:causes|caused)\b/i, "causes"],
  [/\b(?:connect\p{L}*|tie[ds]?|relat\p{L}*|belong together|link(?:ed)?|hook|join)\b/iu, "relates to"],
];

/**
 * What a message wants of records, by what its sentences mean, as orders in plain words: where each part is read as a
 * change with all that it needs, or as none. Undefined where a part is not clear, or nothing is wanted.
 */
export function bySense(message: string, context: SenseContext): string[] | undefined {
  if (message.length > MOST_CHARS || OTHERWISE.test(message) || DESTROYS.test(message)) return undefined;
  const isAboutOne = context.about !== undefined || message.search(KEYS) >= 0 || message.search(ROW) >= 0;
  if (!isAboutOne || createSheet(message).masked.includes(QUOTED)) return undefined;
  const parts = partsOf(message, context);
  const acts = parts.filter(isAct);
  const asks = parts.some(({ sense, sure, said }) => LOOKS.has(sense) && sure > SURE && /\?/.test(said));
  const meant = acts.flatMap(({ keys }) => keys);
  const isDenied = parts.some(
    (part) =>
      !acts.includes(part) &&
      (denies(part) ||
        REQUESTS.test(part.said) ||
        (meant.length > 0 && part.keys.some((key) => !meant.includes(key)))),
  );
  if (acts.length === 0 || asks || isDenied) return undefined;
  const named = [...new Set(parts.flatMap(({ keys }) => keys))];
  const orders = new Set<string>();
  for (const act of acts) {
    const order = READERS[act.sense]?.(act, parts, context);
    // What is said of one of several records has to name it.
    const isOpen =
      act.sense !== "link" &&
      act.keys.length === 0 &&
      ((named.length > 1 && !(named.length === 2 && /\bboth\b/i.test(act.said))) ||
        SEVERAL.test(named.length === 2 ? act.said.replace(/\bboth\b/i, "") : act.said) ||
        (named.length === 0 && context.about === "it" && !REFERS.test(act.said)));
    const record = (act.keys.length > 0 ? act.keys : named).join(" and ") || context.about;
    if (order === undefined || isOpen || record === undefined) return undefined;
    orders.add(order.replace(RECORD, record));
  }
  // What broke again and goes back to where it was is there.
  for (const order of orders) {
    const back = ["In Progress", "To Do"].map((state) =>
      order.replace(/^reopen (.+)$/, `move $1 to ${state}`),
    );
    if (order.startsWith("reopen ") && back.some((one) => orders.has(one))) orders.delete(order);
  }
  // One record has one state, and one person has it.
  const kinds = new Set([...orders].map((order) => order.replace(/ to .*$/, "").replace(/^reopen/, "move")));
  return kinds.size < orders.size ? undefined : [...orders];
}

function isAct({ sense, sure, said, rest, names }: Part): boolean {
  if (sense === "told" || LOOKS.has(sense) || sure < SURE || rest === "") return false;
  if (ASKS.test(said) || SEEKS.test(said)) return false;
  if (sense === "unassign" && /\b(?:nobody|no[ -]one)\b/i.test(said) && !FREED.test(said)) return false;
  // "Emi has moved it": what somebody did is no wish.
  if (names && sense !== "assign" && sense !== "comment") return false;
  return !TURNED.test(said) && !ANOTHERS.test(said) && (!NEGATED.test(said) || MAY_NEGATE.has(sense));
}

/** Whether it takes back what was said beside it, or says that it is not so. */
function denies({ said }: Part): boolean {
  return TAKES_BACK.test(said) || (DENIES.test(said) && tokenize(said).length < FEW_WORDS);
}

/** The sentences of a message, and of one that holds several wishes or is not understood as a whole its clauses. */
function partsOf(message: string, context: SenseContext): Part[] {
  const sentences = message.split(SENTENCE).filter((said) => /[\p{L}\p{N}]/u.test(said));
  return sentences.flatMap((said) => {
    const whole = partOf(said, context);
    const clauses = said.split(CLAUSE).filter((each) => tokenize(each).length > 0);
    if (clauses.length < 2) return [whole];
    const parts = clauses.map((clause) => partOf(clause, context));
    const acts = new Set(parts.filter(isAct).map(({ sense }) => sense));
    const isSplit =
      acts.size > 1 || parts.filter(({ keys }) => keys.length > 0).length > 1 || whole.people.length > 1;
    return isSplit || !isAct(whole) ? parts : [whole];
  });
}

function partOf(said: string, { known, dates, now }: SenseContext): Part {
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
  return {
    said,
    keys,
    rest,
    names: masked.includes("PERSON"),
    people: [...new Set(people)],
    ...senseOf(masked),
  };
}

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
  return (said.match(LEVEL) ?? []).map((level) => level.toLowerCase());
}

/** The one value there is, however often it is said. */
function onlyOf(values: readonly string[]): string | undefined {
  const [only, ...others] = new Set(values);
  return others.length === 0 ? only : undefined;
}
