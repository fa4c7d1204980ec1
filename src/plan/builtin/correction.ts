import type { KnownName, PastTurn } from "#contract/plan.ts";

import { anyOf, loosely } from "../../base/matching.ts";
import { isObject } from "../../base/json.ts";
import { isQuestion, MOST_ASKED } from "../../base/passage.ts";
import { createSheet } from "./sheet.ts";

const LEADS =
  /^\W*(?:(?:ah|oh|no|nope|nah|wait|sorry|sry|srry|oops|ups|actually|hm+|argh|damn|my bad|my mistake)\b[\s,.!:–-]*)+(?:(?:i (?:mean|meant|was thinking of|was meaning)|make (?:it|that)|should be|it should be|rather)\s+)?|^\W*(?:i meant|i was thinking of|make (?:it|that)|rather|better)\s+/i;
/** "Hm she's busy, Chloé instead" */
const INSTEAD =
  /^(?!\W*(?:if|unless|when|whenever|once|in case|should|maybe|perhaps|as long as)\b)(?:[^,.;:?"“]{2,60}[,.;–-]\s+)?((?:\p{L}+\s+){0,3}\p{L}+)\s+instead\W*$/iu;
const DAY = "(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|today)";
const PRIORITY = "highest|high|medium|lowest|low";
const STATE = "to do|in progress|in review|done|backlog|won['’]t do";
const MOST_WORDS = 5;

export interface Correction {
  /** The whole message that is meant. */
  text: string;
  /** What was asked for before is not wished any more. */
  replaces?: true;
  /** It is the question before, of something else. */
  asks?: true;
}

/**
 * "No wait, I meant Dmitri", behind "assign DEMO-1 to Chloé", as that message with the other person; the same with a
 * state, a priority or a day. Undefined where it is no such correction, or what is corrected is not clear.
 */
export function correctionOf(
  message: string,
  history: readonly PastTurn[],
  known: readonly KnownName[],
): Correction | undefined {
  const swapped = swappedIn(message, history);
  if (swapped !== undefined) return { text: swapped, replaces: true };
  const instead =
    labelToo(message, history) ??
    labelGone(message, history) ??
    otherLabel(message, history) ??
    turnedRound(message, history) ??
    labelOn(message, history);
  if (instead !== undefined) return { text: instead, replaces: true };
  const again = askedAgain(message, history) ?? askedOf(message, history) ?? byWhom(message, history);
  if (again !== undefined) return { text: again, asks: true };
  const more =
    nextNumber(message, history) ?? removedAgain(message, history) ?? aboutThat(message, history, known);
  if (more !== undefined) return { text: more };
  const other = sameOf(message, history);
  if (other !== undefined) return { text: other, ...(IN_PLACE.test(message) ? { replaces: true } : {}) };
  const text = otherValueOf(message, history, known);
  return text === undefined ? undefined : { text, replaces: true };
}

/** "s/14/15", as editors know it: the last message with the other word. */
function swappedIn(message: string, history: readonly PastTurn[]): string | undefined {
  const [, from = "", to = ""] = /^\s*s\/([^/]{1,40})\/([^/]{1,40})(?:\/g?)?\s*$/.exec(message) ?? [];
  const { message: before = "", calls = [] } = history.at(-1) ?? {};
  return from === "" || !before.includes(from) || !calls.some(({ waits }) => waits === true)
    ? undefined
    : before.replace(from, () => to);
}

/** "OPS-5 I mean", "wrong one, …": and not "OPS-5 too". */
const IN_PLACE =
  /\b(?:i mean|i meant|instead|wrong one|not (?:that|this) one|not [A-Z]\w*-\d+|no|nope|sorry|oops|ups|wait)\b/i;

function otherValueOf(
  message: string,
  history: readonly PastTurn[],
  known: readonly KnownName[],
): string | undefined {
  const instead = INSTEAD.exec(message)?.[1];
  const lead = instead === undefined ? LEADS.exec(message)?.[0] : "";
  const last = history.at(-1)?.message;
  if (lead === undefined || last === undefined) return undefined;
  const said = (instead ?? message)
    .slice(lead.length)
    .replace(/^(?:to|for|on|as|in)\s+/i, "")
    .replace(/[\s.!?,]+$/, "")
    .replace(/,?\s+(?:please|pls|sorry|thanks)$/i, "")
    .replace(/\s+(?:is|would be|will be)\s+(?:enough|fine|ok(?:ay)?|better|sufficient|plenty)$/i, "");
  if (said === "" || said.split(/\s+/).length > MOST_WORDS || createSheet(message).quotes.length > 0)
    return undefined;
  const people = known
    .filter(({ kind }) => kind === "person")
    .flatMap(({ id, name }) => [name, name.split(" ")[0] ?? "", id])
    .filter((name) => name.length > 2);
  for (const values of [
    `(?:${anyOf(people, loosely)}|me(?=\\W*$))`,
    `(?:${PRIORITY})`,
    `(?:${STATE})`,
    DAY,
  ]) {
    if (values === "(?:)" || !new RegExp(`^${values}$`, "iu").test(said)) continue;
    const { masked } = createSheet(last);
    const found = [...masked.matchAll(new RegExp(`(?<![\\p{L}\\p{N}-])${values}(?![\\p{L}\\p{N}])`, "giu"))];
    const [only, ...others] = found;
    if (only === undefined || others.length > 0) return undefined;
    // "Unassign DEMO-12, Ben is full": Ben is the reason, and no value of what waits.
    if (!isOfWaiting(only[0], history, known)) return undefined;
    return last.slice(0, only.index) + said + last.slice(only.index + only[0].length);
  }
  return undefined;
}

/** Whether somebody who was named is a value of the changes that wait; of any other value, and where none wait, true. */
function isOfWaiting(name: string, history: readonly PastTurn[], known: readonly KnownName[]): boolean {
  const lower = name.toLowerCase();
  const people = known.filter(
    ({ kind, id, name: full }) =>
      kind === "person" && [id, full, full.split(" ")[0]].some((one) => one?.toLowerCase() === lower),
  );
  const waiting = history.at(-1)?.calls.filter(({ waits }) => waits === true) ?? [];
  if (people.length === 0 || waiting.length === 0) return true;
  const values = JSON.stringify(waiting.map(({ args }) => args)).toLowerCase();
  const words = new Set(values.match(/[\p{L}\p{N}_.-]+/gu));
  return people.some(({ id, name: full }) =>
    [id, ...full.split(" ")].some((one) => words.has(one.toLowerCase())),
  );
}

const LEAD_IN =
  "(?:(?:ok(?:ay)?|good|great|fine|perfect|thanks|thx|and|plus|now|also|then|please|pls|haha|lol|no|nope|oh|ah|hm+|wait|sorry|oops|ups|not (?:that|this) one|wrong one|not [A-Z]\\w*-\\d+)\\b[\\s,.!:…–-]*)*";
const ANY_KEY = "[A-Za-z][A-Za-z0-9_]{0,15}-\\d{1,9}";
/** "Now the same with the offline cart" */
const SAME_WITH = new RegExp(
  `^\\W*${LEAD_IN}(?:do\\s+)?(?:the\\s+)?same\\s+(?:thing\\s+)?(?:for|with|to|on)\\s+(?<what>\\S.{2,60}?|#?\\d{1,5})(?:\\s+(?:too|as well|please|pls))*(?:,\\s+(?:it|that|this|s?he|they|we|i)(?:['’]s|['’]ve|\\s+(?:is|was|has|have|had|are|were|does|did))\\s[^?:"“]*)?[\\s.!]*$`,
  "iu",
);
/** "DEMO-11 too", "also DEMO-4", "haha no. OPS-5 I mean" */
const SAME_KEY = new RegExp(
  `^\\W*${LEAD_IN}(?:(?:assign|close|move|start|label|do|set)\\s+(?=${ANY_KEY}\\s+(?:too|as well|also|likewise)\\b))?(?:(?<what>${ANY_KEY})\\s+(?:too|as well|also|likewise|i mean|i meant|instead)|(?<=\\b(?:also|too|plus|same)\\s)(?<other>${ANY_KEY}))(?:\\s+(?:please|pls|too|as well))*[\\s.!]*$`,
  "iu",
);

/** "I mean DEMO-25, the spreadsheet one" */
const MEANT_KEY = new RegExp(
  `^\\W*${LEAD_IN}i\\s+meant?\\s+(?<what>${ANY_KEY})(?:\\s*,\\s+the\\s+[^,.;:?]{2,40}?\\s+(?:one|ticket|issue|bug|story|task))?[\\s.!]*$`,
  "iu",
);

/** What was said last, of another record: "the same for MOB-4", "MOB-4 too", "MOB-4 I mean". */
function sameOf(message: string, history: readonly PastTurn[]): string | undefined {
  const read = (text: string): string | undefined => {
    const { what, other } = {
      ...SAME_WITH.exec(text)?.groups,
      ...SAME_KEY.exec(text)?.groups,
      ...MEANT_KEY.exec(text)?.groups,
    };
    return what ?? other;
  };
  const what = read(message);
  const before = history.findLast((turn) => read(turn.message) === undefined)?.message;
  if (what === undefined || before === undefined || createSheet(message).quotes.length > 0) return undefined;
  const { masked } = createSheet(before);
  const one = `(?<![\\p{L}\\d-])${ANY_KEY}(?![\\p{L}\\d-])`;
  // "Label OPS-2 and OPS-17 …": what is said of all of them.
  const keys = [
    ...masked.matchAll(new RegExp(`${one}(?:(?:\\s*,\\s*|\\s*,?\\s+and\\s+|\\s*&\\s*)${one})*`, "gu")),
  ];
  const [only, ...others] = keys;
  if (only === undefined || others.length > 0) return undefined;
  // "Same for 9": of the same project.
  const key = /^#?\d+$/.test(what) ? only[0].replace(/\d+$/, what.replace("#", "")) : what;
  return before.slice(0, only.index) + key + before.slice(only.index + only[0].length);
}

const TURNED_ROUND = new RegExp(
  `^\\W*${LEAD_IN}(?:(?:it['’]s|that['’]s|should be|it should be|i meant?|make (?:it|that))\\s+)?(?:the\\s+)?(?:other way (?:a?round|about)|vice versa|reversed?|opposite(?: direction)?)[\\s.!]*$`,
  "iu",
);

/** "The other way round", behind a link of two records that waits. */
function turnedRound(message: string, history: readonly PastTurn[]): string | undefined {
  if (!TURNED_ROUND.test(message)) return undefined;
  const call = history.at(-1)?.calls.findLast(({ waits }) => waits === true);
  const { from_key: from, to_key: to, type } = call?.args ?? {};
  return typeof from === "string" && typeof to === "string" && typeof type === "string"
    ? `link ${to} ${type} ${from}`
    : undefined;
}

/** "And 15", "sorry, 15", behind a look at DEMO-12: that one. */
function nextNumber(message: string, history: readonly PastTurn[]): string | undefined {
  const number =
    /^\W*(?:and|also|now|what about|how about|sorry|sry|oops|no|i meant?|make that|rather)[\s,]+(?:show\s+|i meant?\s+)?#?(\d{1,5})\W*$/i.exec(
      message,
    )?.[1];
  const [call, ...others] = history.at(-1)?.calls ?? [];
  const { issue_key: key, ...more } = call?.args ?? {};
  if (number === undefined || typeof key !== "string" || others.length > 0 || Object.keys(more).length > 0)
    return undefined;
  return `show ${key.replace(/\d+$/, number)}`;
}

/** "And MOB-4?", "what about 12", behind a question about one record: the same of that one. */
function askedOf(message: string, history: readonly PastTurn[]): string | undefined {
  const [, key, number] = OF_OTHER.exec(message) ?? [];
  const { message: before = "", calls = [] } = history.at(-1) ?? {};
  const own = calls
    .flatMap(({ args }) => Object.values(args))
    .find((value) => typeof value === "string" && ONE_KEY.test(value));
  if ((key ?? number) === undefined || typeof own !== "string" || !isQuestion(before)) return undefined;
  const found = before.match(ABOUT_ONE) ?? [];
  const other = key?.toUpperCase() ?? own.replace(/\d+$/, number ?? "");
  return found.length === 1 ? before.replace(ABOUT_ONE, () => other) : undefined;
}

const OF_OTHER = new RegExp(
  `^\\W*(?:(?:and|also|now|ok|what\\s+about|how\\s+about|same\\s+for|for)[\\s,]+)+(?:(?:the\\s+)?epic\\s+)?(?:(${ANY_KEY})|#?(\\d{1,5}))(?:\\s+(?:please|pls|then))*\\W*$`,
  "iu",
);
const ONE_KEY = new RegExp(`^${ANY_KEY}$`, "iu");
const ABOUT_ONE = new RegExp(`(?<![\\w-])(?:${ANY_KEY}|it|that\\s+one|this\\s+one)(?![\\w-])`, "giu");

/** "By whom?", behind "when was it last changed?" */
function byWhom(message: string, history: readonly PastTurn[]): string | undefined {
  const { message: before = "", calls = [] } = history.at(-1) ?? {};
  if (!BY_WHOM.test(message) || before.length > MOST_ASKED) return undefined;
  const { last = "", done } = DONE_WHEN.exec(before)?.groups ?? {};
  const ids = calls.flatMap(({ args }) => Object.values(args)).filter((value) => typeof value === "string");
  const id = ids.find((value) => ONE_KEY.test(value) || /^\d+$/.test(value));
  if (done === undefined || id === undefined) return undefined;
  return `who ${last}${done} ${ONE_KEY.test(id) ? id : `page ${id}`}?`;
}

const BY_WHOM = /^\W*(?:(?:and|ok(?:ay)?)\W+)*by\s+whom?\s*\??\s*$/i;
const DONE_WHEN =
  /\bwhen\b.*?\b(?<last>last\s+)?(?<done>changed|updated|edited|created|opened|reported|closed|reopened|moved|written)\b/i;

/** "Is there a ticket about that?", behind a page that was opened or a search: about what that is about. */
function aboutThat(
  message: string,
  history: readonly PastTurn[],
  known: readonly KnownName[],
): string | undefined {
  const kind = OF_THAT.exec(message)?.groups?.["kind"];
  const args = history.at(-1)?.calls.map((call) => call.args) ?? [];
  const ids = new Set(args.flatMap((own) => Object.values(own)));
  const titles = known.filter(({ kind: own, id }) => (own === "page" || own === "issue") && ids.has(id));
  const queries = args.map(({ query }) => query).filter((query) => typeof query === "string");
  const topic = queries[0] ?? titles[0]?.name;
  return kind === undefined || topic === undefined
    ? undefined
    : `find ${kind.replace(/s?$/, "s")} about ${topic}`;
}

const OF_THAT =
  /^\W*(?:(?:and|but|so|ok(?:ay)?|hm+|wait)\W+)*(?:(?:is|are|was|were)(?:n['’]?t)?\s+there|do(?:n['’]?t)?\s+we\s+have|have(?:n['’]?t)?\s+we\s+got|got)?\s*(?:(?:already|maybe|an?|any|some)\s+)*(?<kind>tickets?|issues?|bugs?|tasks?|pages?)\s+(?:about|for|on)\s+(?:that|this|it)(?:\s+(?:already|yet|somewhere|too))?\s*\??\s*$/iu;

const WHEN =
  "(?:(?:this|next)\\s+(?:week|month|year)|the\\s+week\\s+after(?:\\s+(?:that|next))?|in\\s+two\\s+weeks|today|tomorrow|tonight|(?:right\\s+)?now|(?:(?:on|from|since|by|until|after|before)\\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:\\s+on(?:wards)?)?)";
/** "And next?", "and tomorrow?", "and for food?" */
const ASKS_AGAIN = new RegExp(
  `^\\W*(?:and|but|what about|how about)\\s+(?:what about\\s+|how about\\s+)?(?:(?<when>${WHEN}|next|then|after that)|(?<other>(?:for|on|at|with|about|to)\\s+(?:the\\s+)?\\p{L}+(?:\\s\\p{L}+){0,2}?))\\s*(?:\\?|$)\\W*$`,
  "iu",
);
/** "And the backup?", "and food?": a word that is neither of work nor of when, who or which. */
const ASKS_BARE =
  /^\W*(?:and|what about|how about)\s+(?:the\s+)?(?<bare>(?!(?:bugs?|tasks?|stor(?:y|ies)|epics?|tickets?|issues?|pages?|ones?|open|closed|done|high|medium|unassigned|mine|them|those|these|this|that|what|when|where|which|next|then|else|more|others?|also|only|just|today|tomorrow|with|without)\b)\p{Ll}{4,20})\s*\??\s*$/u;
/** What looks into pages. */
const READS_PAGES = /page|confluence|wiki|knowledge|docs?\b/i;

/** The question before, of another time or thing, where it was looked up in pages: a list is narrowed by what stands behind it. */
function askedAgain(message: string, history: readonly PastTurn[]): string | undefined {
  const bare = ASKS_BARE.exec(message)?.groups?.["bare"];
  const { when, other } = bare === undefined ? (ASKS_AGAIN.exec(message)?.groups ?? {}) : {};
  const { message: said = "", calls = [] } = history.at(-1) ?? {};
  const before =
    (when ?? other ?? bare) === undefined ? "" : (askedAgain(said, history.slice(0, -1)) ?? said);
  if (!calls.some(({ tool }) => READS_PAGES.test(tool)) || calls.some(({ waits }) => waits === true))
    return undefined;
  const asked = before.replace(/[\s?.!]+$/, "");
  if (bare !== undefined) {
    if (!isQuestion(before)) return undefined;
    // "What does the policy say about hotels", and food; "who has the phone this week", and the backup.
    const about = /\s(?:for|about|with|on(?!\s+call\b))\s(?!do\b|get\b)/i.exec(asked)?.[0];
    return about === undefined
      ? `${asked}, and the ${bare}?`
      : `${asked.slice(0, asked.lastIndexOf(about))}${about}${bare}?`;
  }
  if (other !== undefined) {
    // "How much may I spend on a hotel in Berlin", and for food.
    const place = /\s(?:for|on|at|with|about|to)\s(?!do\b|get\b)/i.exec(asked);
    return place === null ? undefined : `${asked.slice(0, place.index)} ${other}?`;
  }
  if (when === undefined) return undefined;
  const found = new RegExp(`\\b${WHEN}(?!\\p{L})`, "iu").exec(asked);
  const isNext = /^(?:next|then|after that|the week after)/i.test(when) && !/^next\s/i.test(when);
  const time = !isNext
    ? when
    : /next\s+week/i.test(found?.[0] ?? "")
      ? "in two weeks"
      : `next ${/month|year/i.exec(found?.[0] ?? "")?.[0] ?? "week"}`;
  return found === null
    ? `${asked} ${time}?`
    : `${asked.slice(0, found.index)}${time}${asked.slice(found.index + found[0].length)}?`;
}

const REMOVES =
  /^\W*(?:(?:and|please|pls|now|then|no|ah|oh|wait)\W+)*(?:remove|drop|clear|delete)\s+(?:it|that)(?:\s+again)?[\s.!]*$/i;
const LABEL = /\blabels?\s+([\p{L}\d_-]+)|\b(?:tag|label)\b.*?\b(?:as|with)\s+(?:an?\s+)?([\p{L}\d_-]+)/iu;

/** "Remove it again", behind "add the label crash": the label, and not the record that has it. */
function removedAgain(message: string, history: readonly PastTurn[]): string | undefined {
  const { message: before = "", calls = [] } = history.at(-1) ?? {};
  const { issue_key: key, fields } = calls.at(-1)?.args ?? {};
  if (!REMOVES.test(message) || typeof key !== "string" || !isObject(fields)) return undefined;
  if (Object.hasOwn(fields, "due_date")) return `remove the due date of ${key}`;
  const label = LABEL.exec(before)?.slice(1).find(Boolean);
  return Object.hasOwn(fields, "labels") && label !== undefined
    ? `remove the label ${label} from ${key}`
    : undefined;
}

/** "And put hotfix on instead", behind "take the label regression off DEMO-1". */
function labelOn(message: string, history: readonly PastTurn[]): string | undefined {
  const { message: before = "", calls = [] } = history.at(-1) ?? {};
  const { issue_key: key } = calls.findLast(({ waits }) => waits === true)?.args ?? {};
  const [, label] = PUT_ON.exec(message) ?? [];
  const gone = LABEL.exec(before)?.slice(1).find(Boolean);
  return label === undefined || gone === undefined || typeof key !== "string"
    ? undefined
    : `replace the label ${gone} with ${label} on ${key}`;
}

const PUT_ON =
  /^\W*(?:(?:and|then|please|pls|but)\s+)*(?:put|add|set|use)\s+(?:the\s+label\s+)?["“]?([\p{L}\d_-]{2,30})["”]?\s+(?:(?:on|there)(?:\s+(?:it|there))?\s+)?instead[\s.!]*$/iu;

const MORE_LABELS = new RegExp(
  `^\\W*${LEAD_IN}(?:(?:add\\s+)?(?:the\\s+(?:label\\s+)?)?(?<more>[\\p{L}\\d_-]{2,30})\\s+(?:too|as well|also)|(?<=\\b(?:and|also|plus)\\s)(?:add\\s+)?(?:the\\s+)?(?:label\\s+)?(?:it\\s+)?(?<other>[\\p{L}\\d_-]{2,30})(?:\\s+(?:too|as well))?)[\\s.!]*$`,
  "iu",
);

/** "And add search-ux too", "and search-ux", behind "label DEMO-19 with german" that waits: both. */
function labelToo(message: string, history: readonly PastTurn[]): string | undefined {
  const { more, other = more } = MORE_LABELS.exec(message)?.groups ?? {};
  const { key, labels = [] } = waitingLabels(history) ?? {};
  return other === undefined || key === undefined || /-\d+$/.test(other)
    ? undefined
    : `add the labels ${labels.join(", ")} and ${other} to ${key}`;
}

const LABEL_GONE = new RegExp(
  `^\\W*${LEAD_IN}(?:remove|drop|take\\s+off)\\s+(?:the\\s+)?(?:(?:label|tag)\\s+)?(?!(?:it|that|this|them)\\b)(?<gone>[\\p{L}\\d_-]{2,30})(?:\\s+(?:label|tag))?[\\s.!]*$`,
  "iu",
);

/** "And remove money", behind "add the label regression" that waits: both are one change of its labels. */
function labelGone(message: string, history: readonly PastTurn[]): string | undefined {
  const gone = LABEL_GONE.exec(message)?.groups?.["gone"];
  const { key, labels = [] } = waitingLabels(history) ?? {};
  const before = history.at(-1)?.message.replace(/[\s.!?]+$/, "") ?? "";
  return gone === undefined || key === undefined || !labels.includes(gone)
    ? undefined
    : `${before}; remove the label ${gone} from ${key}`;
}

const OTHER_LABEL = new RegExp(
  `^\\W*(?:no|nope|sorry|oops|ups|ah|oh|actually|make (?:it|that)|i meant)\\b[\\s,.!:–-]*(?:(?:call\\s+it|use|take)\\s+)?(?:the\\s+)?(?:label\\s+)?(?!(?:thanks?|thx|wait|stop|please|pls|sorry|never\\w*|cancel|forget|leave|undo|not|no|it|that|this|don)\\b)(?<label>[\\p{L}\\d_-]{2,30})(?:\\s+(?:please|pls|instead))?[\\s.!]*$|^\\W*(?<instead>[\\p{L}\\d_-]{2,30})\\s+instead[\\s.!]*$`,
  "iu",
);

/** "No, search-ux", behind "label DEMO-19 with german" that waits: that label, and not the other. */
function otherLabel(message: string, history: readonly PastTurn[]): string | undefined {
  const { instead, label = instead } = OTHER_LABEL.exec(message)?.groups ?? {};
  const { key } = waitingLabels(history) ?? {};
  return label === undefined || key === undefined || /-\d+$/.test(label)
    ? undefined
    : `add the label ${label} to ${key}`;
}

/** The labels of a record as they would be after a request that waits and adds some. */
function waitingLabels(history: readonly PastTurn[]): { key: string; labels: string[] } | undefined {
  const { message: before = "", calls = [] } = history.at(-1) ?? {};
  const { issue_key: key, fields } = calls.findLast(({ waits }) => waits === true)?.args ?? {};
  if (typeof key !== "string" || /\b(?:remove|drop|without)\b/i.test(before)) return undefined;
  const given = isObject(fields) && Object.keys(fields).length === 1 ? fields["labels"] : undefined;
  const labels = Array.isArray(given) ? given.filter((one) => typeof one === "string") : [];
  return labels.length > 0 ? { key, labels } : undefined;
}
