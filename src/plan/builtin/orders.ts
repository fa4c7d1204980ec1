import type { KnownName } from "#contract/plan.ts";

import { type DateReader, toDay } from "./dates.ts";
import { namePattern, NOBODY } from "./people.ts";
import { createSheet, QUOTED } from "./sheet.ts";
import { VERB_WORDS } from "./verbs.ts";
import { KEY, stemOf, type Token, tokenize, wordSet, NUMBER_WORDS } from "./words.ts";

/** What orders are read with. */
export interface OrderContext {
  now: Date;
  dates: DateReader;
  known?: readonly KnownName[];
  /** Records have titles by which they can be looked for. */
  canSearch: boolean;
  /**
   * Nothing else was understood: words that are not known may stand around an order whose record and values are, and
   * clauses that have neither. They are collected here.
   */
  aside?: string[];
}

const STATE =
  "to[ -]?do|in[ -](?:progress|review)|(?<=\\b(?:to|into|on)\\s+)(?:progress|review)|(?<!be )done|backlog|won['’]?t (?:do|fix)";
const PRIORITY = "highest|high|medium|low|lowest|critical|urgent";
/** Whose turn it is no more. */
const FORMER = /\b(?:from|off|instead of|out of|not|than)\s+(?:the\s+)?$/i;

const LEAVES = /^\s+(?:off|away|out)\b/i;

/**
 * Words that put a value to a record, whatever stands first: with a key and a value of one kind nothing else has to be
 * understood. A word that is not here may turn the sentence, and no order is read from it.
 */
const SETTING: ReadonlySet<string> = new Set(
  [
    ...wordSet(
      `set put make move go goes get become take give hand pass bring drag drop send switch pop chuck stick slap throw shove kick flip nudge bounce park change bump raise lower shift push mark
      turn assign reassign transfer handle own grab pick up work on over look after along to as a an the of from off onto into in for at by
      with instead back plate desk name person charge responsible owner assignee priority prio status state column due
      date deadline ticket issue bug story task it this that them these those both all one is are be been should shall must
      can could may need has have will would you u we i please now then and also too let want like i'd i'll we'd let's
      kindly thing anymore part under epic child parent straight right away again today's new its it's are all fall belong just pls thx thanks thank san mr ms mrs someone update record board jira accordingly away anymore keep keeps additionally become becomes receive receives production`,
    ),
  ].map(stemOf),
);
/** What was done, or should have been, or may be one day. */
const TELLS =
  /^\W*(?:(?:and|so|but|what a mess)\s+)?(?:you|he|she|they|we|i|somebody|someone)\s+(?:(?:already|just|also)\s+)?(?:set|put|moved|took|gave|changed|bumped|raised|lowered|pushed|marked|assigned|closed|reopened|handed|passed|started|finished)\b|\b(?:should|could|would|must|might)(?:n['’]t)?\s+(?:not\s+)?have\s+\p{L}+|\b(?:moved|changed|slipped|went)\s+to\b|^\W*\p{L}+ing\b.*\b(?:was|is|were|would be)\b/iu;
const MODAL =
  /\b(?:may|might)\b(?!\s+(?:i|we|you)\b)|^\W*(?:can|could|will|would|should)\s+(?!you\b|u\b|we\b|i\b|it\b|this\b|that\b|these\b|those\b|both\b|the\b|please\b|someone\b|somebody\b|[A-Za-z]\w*-\d)\p{L}+\s+(?!takes?\b|have\b|own\b|do\b)/iu;

/** "Emi put DEMO-1 in review", "Emi will move it": what somebody did or does is no order for it. */
function isToldOf(clause: string, known: readonly KnownName[]): boolean {
  const at = peoplePattern(known).exec(clause);
  if (at === null || !/^\W*(?:(?:and|so|but)\s+)?$/i.test(clause.slice(0, at.index))) return false;
  const rest = clause.slice(at.index + at[0].length);
  return /^\s+(?:(?:already|just|also)\s+)?(?:set|put|moved|took|gave|changed|bumped|raised|lowered|pushed|marked|closed|reopened|handed|passed|(?:will|would|can|could|is going to|wants to|is)\s+(?!take|own|have|do\b|handle|look|be\b|on\b|pick|get))\b/i.test(
    rest,
  );
}

const STATES_FACT = /\b(?:is|are|has|have|had|owns?|works?|handles?|belongs)\b|['’]s\b/i;
/** What asks, with or without its mark. */
const ASKS =
  /^\W*(?:and\s+)?(?:ha(?:s|ve|d)|is|are|was|were|do|does|did|will (?!you)|should|shall|who\p{L}*|what|which|when|where|why|how|if|any\p{L}*)\b/iu;
/** "… is DEMO-1 done" */
const INVERTED =
  /(?<!\bto\s+)\b(?:is|are|has|have|was|were|did|does|do)\s+(?:it|this|that|they|[A-Za-z]\w*-\d+)\b/i;
/** Verbs that say a state themselves. */
const REACHES =
  /(?<![\p{L}])(?:re-?open|close|resolve|finish|complete|start|(?<=\b(?:as|be|get|mark|to)\s+)(?:closed|resolved|finished|completed|fixed))(?![\p{L}])/giu;
/** Days that are counted from another one, that are over, or that two readers would read differently. */
const UNSURE_DAY =
  /\b(?:earlier|later|before|after|last|previous|ago)\b|\d\/\d|\bby (?:an?|one|two|three|\d)/i;
/** "by a week", "two days later" */
const AMOUNT =
  /(?:\bby\s+(?:another\s+)?|\bfor\s+)?\b(an?|one|two|three|four|five|six|seven|ten|\d{1,3})\s+(?:more\s+)?(day|week)s?\b/i;
const COUNTS: Readonly<Record<string, number>> = { a: 1, an: 1, ...NUMBER_WORDS };
const DEMANDS = /\b(?:should|shall|must|needs?|ha(?:s|ve) to|can|could|may|will|please|now|set|put|make)\b/i;
const ASKS_SOMEBODY =
  /\b(?:can|could|would)\s+(?!i\b|we\b|it\b|this\b|that\b|[A-Za-z]\w*-\d)\p{L}|\bwill you\b|\b(?:please|pls)\b/iu;
const ROW =
  /\bthe\s+(?:first|second|third|fourth|fifth|last|newest|oldest)(?:\s+(?:one|ticket|issue|bug|task|story))?(?=\W*$|\s+(?:to|should|goes|in|into|on|is|as)\b)/i;
const PRONOUN =
  /\b(?:its?|this(?: (?:one|ticket|issue|bug))?|that (?:one|ticket|issue|bug)|that(?= (?:should|must|needs|goes|can)\b)|them|these|those|both)\b/i;
const JOINT = /\s*[;,!:\n]\s*|\s*\.(?=\s|$)\s*|\s+(?:and|then|&|-|–)\s+/i;

/** "…, can't you", "start over" */
const TAGGED =
  /,\s*(?:can|could|will|would|is|are|does|do|did|was)n['’]?t\s+(?:you|it|they|we|he|she)\b|,\s*(?:right|no|eh|innit)\W*$|\bstart over\b|^\s*>|^\W*(?:from|subject|re|fwd?):/im;
/** Somebody else's words, a wish, a doubt or a plan: an order that is only read in part is none then. */
const DOUBTED =
  /\b(?:said|says?|saying|thinks?|thinking|thought|wrote|writes|claims?|claimed|suggests?|suggested|heard|according to|kidding|joking|wish|hope|hoping|bet|suppose|assume|imagine|pretend|hesitant|against|considering|afraid|eventually|someday|one day|might|may|wants?|wanted|ignore|myself|yourself|remind|remember|explain|make sure|why|wonder\p{L}*|not really|already|just not|though|although|but|except|like|as \p{L}+ as|less|after|before|past|through|anywhere|any(?:body|one)|some(?:body|one)|then|have \p{L}+ (?:close|move|do)|get \p{L}+ to|whoever|tell|ask|asks|idea|ideas|agenda|notes?|retro|yesterday|last week|in (?:an?|two|three|four|five|\d+) (?:minutes|hours?|days?|weeks?|months?))\b/iu;
const AT_TIME =
  /\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|next (?:week|month|sprint)|tonight)\b/i;

interface Values {
  state: string[];
  /** Verbs that say a state. */
  verb: string[];
  priority: string[];
  person: string[];
  day: string[];
  /** The epic that it shall belong to. */
  epic: string[];
  label: string[];
}

/**
 * The orders of a message that only puts states, priorities, people and days to records: "Ben takes DEMO-4 and it goes
 * to In Progress" are "assign DEMO-4 to Ben" and "move DEMO-4 to In Progress". Undefined where another word stands
 * there, or where a value is not the only one of its kind.
 */
export function toOrders(message: string, context: OrderContext): string[] | undefined {
  const { masked } = createSheet(message);
  if (masked.includes(QUOTED) || message.length > 400 || TAGGED.test(message)) return undefined;
  if (
    context.aside !== undefined &&
    (DOUBTED.test(message) || (AT_TIME.test(message) && !/\b(?:due|deadline)\b/i.test(message)))
  )
    return undefined;
  if (/\?\s*$/.test(message) && !ASKS_SOMEBODY.test(message)) return undefined;
  const orders: string[] = [];
  let about: string[] = [];
  let waiting: string[] = [];
  let before: string[] | undefined;
  for (const clause of message.split(JOINT).filter((each) => /[\p{L}\p{N}]/u.test(each))) {
    // "Medium, not low": what it shall not be.
    if (/^\W*(?:and\s+)?(?:not|instead of|rather than)\s+\p{L}+\W*$/iu.test(clause) && orders.length > 0)
      continue;
    const read = readClause(clause, context);
    if (read === undefined && context.aside !== undefined && isAside(clause, context)) {
      context.aside.push(clause.trim());
      continue;
    }
    if (read === undefined) return undefined;
    const { keys, values, isPronoun } = read;
    waiting.push(...keys);
    // "MOB-9 is done and DEMO-14 too"
    if (keys.length > 0 && before !== undefined && /\b(?:too|as well|likewise)\W*$/i.test(clause)) {
      orders.push(...before.map((order) => order.replace(RECORD, keys.join(" and "))));
      waiting = [];
      continue;
    }
    const given = Object.values(values).flat();
    if (given.length === 0) {
      // "DEMO-1, DEMO-2 and …", "please", "OPS-13:"
      if (keys.length === 0 && tokenize(clause).length > 2) return undefined;
      continue;
    }
    if (read.described !== undefined && (waiting.length > 0 || isPronoun)) return undefined;
    if (waiting.length > 0) about = waiting;
    // "Emi, close it": who is spoken to is given nothing.
    else if (read.described !== undefined) about = [read.described];
    else if (about.length === 0)
      about = isPronoun
        ? [PRONOUN.exec(clause)?.[0].toLowerCase().replace("its", "it") ?? "it"]
        : // "Bump to highest", of what is on the screen.
          PUTS.has(tokenize(clause.replace(KINDLY, ""), 1)[0]?.stem ?? "") ||
            /^\W*back (?:in)?to\b/i.test(clause)
          ? ["it"]
          : [];
    waiting = [];
    const record = about.join(" and ");
    if (
      record === "" ||
      Object.values({ ...values } as Record<string, string[]>).some((some) => some.length > 1)
    )
      return undefined;
    const { state, verb, priority, person, day, epic, label } = values;
    before = [];
    const put = (order: string): void => {
      before?.push(order);
      const isAgain = /^the .*\bissue\b/.test(about[0] ?? "") && orders.some((each) => each.includes(record));
      orders.push(order.replace(RECORD, isAgain ? "it" : record));
    };
    for (const each of state.length === 0 ? verb : [])
      put(
        `${/^re/i.test(each) && !/^res/i.test(each) ? "reopen" : /^start/i.test(each) ? "start" : "close"} ${RECORD}`,
      );
    for (const each of person) put(/^no/i.test(each) ? `unassign ${RECORD}` : `assign ${RECORD} to ${each}`);
    for (const each of epic) put(`move ${RECORD} to epic ${each}`);
    for (const each of state) put(`move ${RECORD} to ${named(each)}`);
    for (const each of priority) put(`set the priority of ${RECORD} to ${each}`);
    for (const each of label) put(`add the label ${each} to ${RECORD}`);
    for (const each of day) put(`set the due date of ${RECORD} to ${each}`);
  }
  return orders.length === 0 || waiting.length > 0 ? undefined : [...new Set(orders)];
}

/** A clause that names no record and turns nothing: it tells why, or to whom. */
function isAside(clause: string, { known = [] }: OrderContext): boolean {
  const own = clause.replace(KINDLY, "");
  return (
    !new RegExp(KEY, "u").test(clause) &&
    !TURNS_ALL.test(clause) &&
    !new RegExp(`(?<![\\p{L}])(?:${STATE})(?![\\p{L}])`, "iu").test(clause) &&
    !(peoplePattern(known).test(clause) && ORDERED.test(own)) &&
    !ORDERED.test(own)
  );
}

/** Ten days from today is a day, whatever it was before. */
const FROM_NOW = /\bfrom (?:today|now|tomorrow|here)\b/i;
/** What may turn another clause. */
const TURNS_ALL =
  /\b(?:if|unless|except|when|once|instead|either|or|whether|delete|remove|undo|revert|cancel|forget|ignore|comment|title|rename|link|create)\b|^\W*(?:but\s+)?(?:not|never|no|don['’]?t|do not)\b/i;
/** What makes another order of one, or none. */
const TURNS =
  /\b(?:not|never|no|nor|don['’]?t|doesn['’]?t|didn['’]?t|won['’]?t|can['’]?t|cannot|isn['’]?t|shouldn['’]?t|except|unless|until|till|without|if|whether|when|once|instead|rather|either|or|maybe|perhaps|probably|other|others|another|between|both|way|question|ask|asks|mention|post|ping|delete|remove|undo|revert|cancel|forget|ignore|comment|note|tell|say|write|page|title|rename|description|link|create|new|add|subtask|label|labels|every|all|each|everything)\b/i;
const ORDERED =
  /^\W*(?:set|put|make|move|give|hand|take|assign|reassign|bump|raise|lower|mark|close|reopen|resolve|finish|start|change|push|shift|pass|transfer|show|list|find|open|search|tell|write|send)\b/i;

function named(state: string): string {
  return /^progress/i.test(state) ? "In Progress" : /^review/i.test(state) ? "In Review" : state;
}

const KINDLY = /^\W*(?:(?:please|pls|plz|thx|thanks|ok(?:ay)?|then|and|now|also|so|can|could|you)\b\W*)+/i;
const RECORD = "\uE002";

/** A clause as what it puts to what; `described` are the words of a title, where nothing else names the record. */
function readClause(
  clause: string,
  { now, dates, known = [], canSearch, aside }: OrderContext,
): { keys: string[]; values: Values; isPronoun: boolean; described?: string } | undefined {
  if ([ASKS, INVERTED, OF_ANOTHER, TELLS, MODAL].some((pattern) => pattern.test(clause))) return undefined;
  if (isToldOf(clause, known)) return undefined;
  let rest = clause;
  const take = (pattern: RegExp): string[] => {
    const found: string[] = [];
    rest = rest.replace(pattern, (said: string, ...more: unknown[]) => {
      const at = more.find((each) => typeof each === "number") ?? 0;
      if (!FORMER.test(rest.slice(0, at)) && !LEAVES.test(rest.slice(at + said.length))) found.push(said);
      return " ".repeat(said.length);
    });
    return found;
  };
  const row = ROW.exec(rest)?.[0];
  if (row !== undefined) rest = rest.replace(row, " ".repeat(row.length));
  // "Give me DEMO-1" is to see it.
  if (/\b(?:give|get|bring|send|pass|hand)\s+(?:me|us)\b/i.test(clause)) return undefined;
  const all = [...rest.matchAll(new RegExp(KEY, "gu"))];
  const isEpic = ({ 0: key, index }: RegExpMatchArray): boolean =>
    all.length > 1 &&
    (/\bepic\s+$/i.test(rest.slice(0, index)) ||
      (/\b(?:under|into|in|of|to)\s+(?:the\s+)?$/i.test(rest.slice(0, index)) &&
        known.some(({ kind, id }) => kind === "epic" && id === key.toUpperCase())));
  const keys = [
    ...all.filter((one) => !isEpic(one)).map(([key]) => key),
    ...(row === undefined ? [] : [row]),
  ];
  const epics = all.filter(isEpic).map(([key]) => key);
  rest = rest.replaceAll(new RegExp(KEY, "gu"), (key) => " ".repeat(key.length));
  const values: Values = { state: [], verb: [], priority: [], person: [], day: [], epic: [], label: [] };
  values.epic = epics;
  if (/\b(?:due|deadline)\b/i.test(rest)) {
    const day = dates.find(rest, now);
    const isCounted =
      AMOUNT.test(rest) &&
      !FROM_NOW.test(rest) &&
      /\bby\s+(?:an?|one|two|three|another|\d)|\b(?:later|earlier|sooner|more|extend|postpone|delay)\b/i.test(
        rest,
      );
    if (day !== undefined && !isCounted && UNSURE_DAY.test(rest)) return undefined;
    if (day !== undefined && !isCounted) {
      values.day.push(toDay(day.value));
      rest = rest.slice(0, day.start) + " ".repeat(day.end - day.start) + rest.slice(day.end);
    }
  }
  const isShifted =
    !FROM_NOW.test(rest) &&
    /\b(?:push|move|shift|put|postpone|delay|extend|bring|pull|make)\p{L}*\b/iu.test(rest) &&
    AMOUNT.test(rest) &&
    /\b(?:back|forward|later|earlier|out|by|postpone|delay|extend)\b/i.test(rest);
  if ((isShifted || /\b(?:due|deadline)\b/i.test(clause)) && values.day.length === 0) {
    const [said, count = "", unit = ""] = AMOUNT.exec(rest) ?? [];
    if (said !== undefined) {
      const days = (COUNTS[count.toLowerCase()] ?? Number(count)) * (/^w/i.test(unit) ? 7 : 1);
      const isBack = /\b(?:earlier|sooner|forward|ahead|closer)\b/i.test(rest);
      values.day.push(`${toDay(now)} shifted by ${String(isBack ? -days : days)} days`);
      rest = rest
        .replace(said, " ".repeat(said.length))
        .replace(
          /\b(?:back|later|earlier|sooner|forward|ahead|out|extend\p{L}*|postpone\p{L}*|delay\p{L}*|more|another)\b/giu,
          (word) => " ".repeat(word.length),
        );
    }
  }
  const label = LABELLED.exec(rest);
  if (label) {
    values.label = [label[1] ?? ""];
    rest = rest.replace(label[0], " ".repeat(label[0].length));
  }
  values.person = [...new Set(take(peoplePattern(known)).map((said) => said.replace(/['’]s$/, "")))];
  // "Take it away from me": whose it was is all that is said.
  const up = values.person.length === 0 ? GIVEN_UP.exec(rest) : null;
  if (up) {
    values.person = ["nobody"];
    rest = rest.replace(up[0], (said) =>
      said.replace(/\b(?:me|my \p{L}+)$/iu, (own) => " ".repeat(own.length)),
    );
  }
  values.state = take(new RegExp(`(?<![\\p{L}])(?:${STATE})(?![\\p{L}])`, "giu"));
  values.priority = take(new RegExp(`(?<![\\p{L}])(?:${PRIORITY})(?![\\p{L}])`, "giu")).map((said) =>
    /^(?:urgent|top)$/i.test(said) ? "highest" : said,
  );
  values.verb = take(REACHES);
  const place = canSearch && keys.length === 0 ? (PLACE.exec(rest)?.[0] ?? "") : "";
  if (place !== "") rest = rest.replace(place, " ".repeat(place.length));
  const others = tokenize(rest).filter(({ stem }) => !SETTING.has(stem));
  const isGiven = Object.values(values).flat().length > 0;
  const described =
    canSearch && isGiven && keys.length === 0 && others.length > 0
      ? titleIn(clause, rest, others, place)
      : undefined;
  const isPronoun = PRONOUN.test(rest);
  const isFact =
    STATES_FACT.test(rest) &&
    !DEMANDS.test(rest) &&
    !(values.epic.length > 0 && /\bbelongs\b/i.test(rest)) &&
    // "OPS-8 is done" is said to have it so; what else is, is only told.
    !(
      values.state.every((state) => /^(?:done|won['’]t do)$/i.test(state)) &&
      values.state.length > 0 &&
      /^\W*(?:is|are)(?:\s+(?:both|all|now))*\W*$/i.test(rest)
    );
  // "DEMO-1 currently in review" tells or asks, and puts nothing.
  const left = tokenize(rest);
  const isPut =
    left.length === 0 ||
    /^\W*(?:is|are)(?:\s+(?:both|all|now))*\W*$/i.test(rest) ||
    /\b(?:to|into|on|as|belongs)\b/i.test(rest) ||
    (aside !== undefined && /\b(?:please|pls)\b/i.test(rest)) ||
    (values.day.length > 0 &&
      /^\W*(?:is\s+|now\s+)*(?:due|deadline)(?: date)?(?:\s+on|\s+by)?\W*$/i.test(rest)) ||
    values.day.some((day) => day.includes(" shifted ")) ||
    left.some(({ stem }) => PUTS.has(stem));
  if (isGiven && values.verb.length === 0 && !isPut) return undefined;
  const isPlainly = others.length === 0 || described !== undefined;
  const isAround =
    aside !== undefined &&
    others.length < MOST_ASIDE &&
    !TURNS.test(clause) &&
    !BESIDE.test(clause) &&
    (keys.length > 0 || isPronoun);
  if (isPlainly ? isFact && isGiven : !isAround || (isGiven && isFact && !isOrdered(clause))) {
    // "Farid offered to look after DEMO-1, so pass it along to him": what is told names the record.
    if (!isAround || keys.length === 0) return undefined;
    aside.push(clause.trim());
    return { keys, values: NOTHING, isPronoun };
  }
  if (!isPlainly) {
    if (isGiven && !isOrdered(clause)) return undefined;
    // "Post a question for Ben": somebody who is named is not given it by that.
    if (values.person.some((name) => !isGivenTo(name, clause))) return undefined;
    const beside = together(clause, others);
    // "… has to be finished three days earlier than planned" puts no state.
    if (isGiven && beside.some((words) => COMPARES.test(words))) return undefined;
    aside?.push(...beside);
  }
  return {
    keys,
    values,
    isPronoun,
    ...(described === undefined ? {} : { described }),
  };
}

/** "The issue that blocks DEMO-12", "the parent of DEMO-12": another record is meant than the one that is named. */
const BESIDE = new RegExp(
  `(?<!\\b(?:status|state|priority|prio|assignee|owner|deadline|due date|label|labels)\\s+)\\b(?:of|behind|than|like|with|before|after|by|about|beside|next to|above|below)\\s+${KEY}|\\b(?:that|which|who|what)\\s+\\p{L}+\\s+(?:\\p{L}+\\s+)?${KEY}|\\b(?:one|issue|ticket|bug|story|task|thing|what)\\s+(?:(?:that|which)\\s+)?${KEY}\\s+\\p{L}|\\b(?:block|duplicat|depend|relat|caus|clon|link)\\p{L}*|\\b(?:parent|child|children|sibling|blocker|epic|subtasks?|sub-tasks?)\\b`,
  "iu",
);
const OF_ANOTHER = new RegExp(
  `\\b(?:parent|child|children|epic|part|parts|story|issue|ticket|task|bug)\\s+(?:of|behind|before|after|under|below|above)\\s+${KEY}`,
  "iu",
);
const COMPARES = /\b(?:earlier|later|sooner|than)\b/i;
const MOST_ASIDE = 10;
const NOTHING: Values = { state: [], verb: [], priority: [], person: [], day: [], epic: [], label: [] };

/** Whether a clause orders something, whatever else it says. */
function isOrdered(clause: string): boolean {
  const own = clause.replace(KINDLY, "");
  if (LOOKS.test(own)) return false;
  return (
    tokenize(own, 1).some(({ stem }) => PUTS.has(stem)) ||
    DEMANDED.test(clause) ||
    new RegExp(`${KEY}\\s+(?:moves|goes|comes|gets|needs|should|must|can|is to)\\b`, "u").test(clause)
  );
}

const LOOKS =
  /^\W*(?:show|open|find|list|read|display|search|see|check|look|view|count|summari[sz]e|which|what|who)\b/i;
const DEMANDED =
  /\b(?:please|pls)\W*$|\b(?:(?:please|pls) (?:set|put|make|move|give|hand|take|pass|assign|bump|raise|lower|mark|close|reopen|start|change|get|bring|send)|(?:can|could) you (?:set|put|make|move|give|hand|take|pass|assign|bump|raise|lower|mark|close|reopen|start|change|get|bring|send)|should|shall|must|needs? to|has to|let['’]?s|i['’]?ll|i will|i['’]?m (?:taking|doing|picking|grabbing|on)|i want|i['’]d (?:like|love|rather|prefer)|i would (?:like|love|rather|prefer)|i take|get)\b/i;

function isGivenTo(name: string, clause: string): boolean {
  const own = name.replaceAll(/[^\p{L}\p{N} ]/gu, ".");
  return (
    name === "nobody" ||
    new RegExp(
      `\\b(?:to|onto)\\s+(?:the\\s+)?${own}(?![\\p{L}'’])|(?<![\\p{L}])${own}\\s+(?:(?:can|will|should|may|could|would|to|is going to)\\s+)?(?:takes?|have|own|owns|do|does|picks?|handles?|be on|look after)\\b|\\bput\\s+${own}\\s+on\\b`,
      "iu",
    ).test(clause)
  );
}

/** Words that stand together, as they are said. */
function together(clause: string, words: readonly Token[]): string[] {
  const groups: { start: number; end: number }[] = [];
  for (const { start, end } of words) {
    const last = groups.at(-1);
    if (last !== undefined && start - last.end < 9) last.end = end;
    else groups.push({ start, end });
  }
  return groups.map(({ start, end }) => clause.slice(start, end));
}

/** "should additionally the label i18n become", "also needs the label i18n" */
const LABELLED =
  /(?<=\b(?:additionally|also|gets?|needs?|receives?)\s+(?:\p{L}+\s+)?)(?:the\s+|an?\s+)?labels?\s+([\p{L}\d_-]{2,30})(?!\s*[,&]|\s+and\b)/iu;
const GIVEN_UP =
  /\b(?:take|remove|get|pull|put)\b[^.]*\b(?:away|off)\b\s+(?:from\s+)?(?:of\s+)?(?:me|my (?:plate|desk|name|list))\b/i;
/** "in OPS", "of the MOB project" */
const PLACE = /\s+(?:in|of|from)\s+(?:the\s+)?[A-Z][A-Z0-9]{1,9}\b(?!-)(?:\s+project\b)?/;

/** A record by the words that its title may have, in a sentence that puts something to one. */
function titleIn(clause: string, rest: string, others: Token[], place: string): string | undefined {
  const [first, last] = [others[0], others.at(-1)];
  const isOrder = tokenize(clause).some(({ stem }) => PUTS.has(stem));
  const isOne = others.every(({ lower }) => !UNTITLED.has(lower)) && !SEVERAL.test(clause);
  if (!first || !last || !isOrder || !isOne || others.length > 6) return undefined;
  const title = clause.slice(first.start, last.end);
  // A value among the words belongs to neither.
  if (rest.slice(first.start, last.end) !== title) return undefined;
  const isShort = others.length < 4 && !/\b(?:the|of|to|on|in|for|with|a|an)\b/i.test(title);
  return `${isShort ? `the ${title} issue` : `the issue "${title}"`}${place.replace(/\bthe\s+|\s+project$/g, "")}`;
}

const PUTS: ReadonlySet<string> = new Set(
  `set put make move go goes take give hand pass bring drag drop send switch change bump raise lower shift push mark turn assign
  reassign transfer should must need close resolve finish complete reopen start`
    .split(/\s+/)
    .map(stemOf),
);
/** What no title is meant with: other wishes, and what turns a sentence. */
const UNTITLED: ReadonlySet<string> = new Set([
  ...VERB_WORDS,
  ...wordSet(
    `not don't doesn't never nor no without except unless until if when whether because who what which why how where
    page pages doc docs space sprint board file folder comment label labels link meeting reminder everything
    anything something nothing everyone nobody time hours day days week weeks month today tomorrow yesterday project
    description summary title version branch new more other others first second third last next previous same latter former top bottom two three four five`,
  ),
]);
const SEVERAL =
  /\b(?:all|every|each|any|both|some|these|those|them|issues|tickets|bugs|tasks|stories|epics|ones)\b/i;

/** Who is known, and who else may be given something. */
function peoplePattern(known: readonly KnownName[]): RegExp {
  return namePattern(known, [
    "(?<=\\bto\\s+)(?:me|myself)(?! know)",
    "(?<=\\bput\\s+)(?:me|myself)(?=\\s+(?:on|in charge)\\b)",
    NOBODY,
    "[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+",
  ]);
}
