import type { JsonObject } from "#contract/json.ts";
import type { KnownName } from "#contract/plan.ts";

import { anyOf, loosely } from "../../base/matching.ts";
import { type DateReader, toDay } from "./dates.ts";
import { namePattern } from "./people.ts";
import { type Asked, askedOf, LIST_WORDS } from "./sense.ts";
import { plainWords } from "./sense-model.ts";
import { createSheet, QUOTED } from "./sheet.ts";
import { KEY, NUMBER_WORDS, STOP_WORDS } from "./words.ts";

/** What a message is read with. */
export interface ListContext {
  now: Date;
  dates: DateReader;
  known: readonly KnownName[];
}

/** What is named in a message. */
interface Named {
  /** The message with a word for each kind of what it names. */
  masked: string;
  people: string[];
  projects: string[];
  epics: string[];
  labels: string[];
}

const MOST_CHARS = 300;
/** So likely is each part of what is asked for. */
const SURE = 0.5;
const VERY_SURE = 0.8;
const LABEL =
  /\b(?<lead>label(?:led|ed|s)?|tag(?:ged|s)?)(?:\s+(?:with|as|is|are|of|named|called))?\s+(?!(?:and|or|that|which|by|in|on|me|them)\b)(?<behind>[\p{L}\p{N}][\p{L}\p{N}_-]*)|(?<![\p{L}\p{N}#])#(?<hash>\p{L}[\p{L}\p{N}_-]*)/giu;
const COUNT =
  /\b(?:first|last|top|next|latest|newest|oldest|any|just|only|recent)\s+(\d{1,2}|two|three|four|five|six|seven|eight|ten|twelve)\b(?!\s*(?:st|nd|rd|th|days?|weeks?|months?|hours?|years?|quarters?|sprints?|%|per))|\b(\d{1,2}|two|three|four|five|six|seven|eight|ten|twelve)\s+(?:most|newest|oldest|latest|last|next|top|highest|soonest|longest)\b(?!\s+(?:days|weeks|months))/i;

const GREETS =
  /^\W*(?:h+m+|u+m+|u+h+|er+m*)[\s,.…!–-]+|^\W*(?:(?:good )?(?:morning|afternoon|evening)|good day|hi|hello|hey|hiya|dear)(?: (?:all|team|everyone|everybody|folks|there|bot|dear bot))?\s*[,.!:–-]+\s*/i;
/** "Five are enough" */
const ENOUGH =
  /[\s,.;–-]*\b(?:the first )?(\d{1,2}|two|three|four|five|six|seven|eight|ten|twelve) (?:of them |ones )?(?:are|is|will be|would be) (?:enough|fine|plenty|sufficient)\b[.!]*/i;
/** What is left out, or may be one or another, has no condition. */
const OTHERWISE =
  /\b(?:except|besides?|other than|apart from|minus|exclud\w+|not counting|leav(?:e|ing) out|else|another|or|nor|if|versus|vs|than|whether|least (?:important|urgent)|lowest(?: \w+)? first|ascending|and (?:up|above|higher|below|lower)|won['’]?t do|wont do|not to do|reject\w*|dropped|cancel\w*|backlog|without (?:the|all|those|done|closed|open|bugs|tasks|stories))\b|\bnot\s+(?:with |by |for |assigned to )?(?:PERSON|him|her|them)\b/i;
/** "Anything urgent today?" asks what is urgent now. */
const FOR_TODAY =
  /(\b(?:urgent|important|critical|burning|pressing|on fire|high priority|top priority))\s+(?:for\s+)?(?:today|this morning|right now|now|at the moment)\b/i;
const EVERYWHERE =
  /\s+(?:across|over|in|of|from) all (?:of )?(?:the |our )?projects(?=\W*$|,|\s+(?:by|please|pls|sorted|first)\b)/i;
const TO_DO =
  /\b(?:[Ii]n|[Ss]tatus|[Cc]olumn)\s+(?:the\s+)?["“]?[Tt]o ?[Dd]o\b|\bTo Do\b|\bto[ -]do\s+(?:tickets|issues|bugs|tasks|stories|ones)\b/;
/** What belongs to no epic. */
const ALONE =
  /\b(?:without|no|outside|any|not\s+(?:in|part\s+of|under)|(?:not|n['’]t)\s+(?:belong|part|have)\p{L}*(?:\s+(?:to|of))?)(?:\s+of)?\s+(?:an?\s+|any\s+|the\s+)?epics?\b/iu;
/** What is linked. */
const LINKED = /\bblock(?:s|ed|ing)?\b/i;
/** "Top five by priority": what comes first in that order. */
const BY_PRIORITY = /\bby\s+prio/i;
const HELD_BY_NOBODY = /\b(?:nobody|no[ -]one)\s+(?:owns?|has|have|got)\b/i;
/** Counted by what no list is counted by here. */
const PER_OTHER =
  /\b(?:per|by|each|every)\s+(?:reporter|author|creator|label|tag|epic)s?\b|\bwho\s+(?:has\s+|have\s+)?(?:reported|opened|filed|created|raised)\b/i;
/** What is asked of the bot itself. */
const YOU = /\b(?:what|how|who|why|where|are|do|did|will|were)\b[^.?!]*\b(?:you|your|yours|yourself)\b/i;
/** A word of a topic, although it says little, or of what is no issue. */
const ABOUT =
  /\bon[ -]call\b|\bwhat did PERSON do\b|\bhow long (?:was|were|is|are|did|does|do|will|would|can|may|must|until|before|to)\b|\bhow (?:many|much) (?:days|weeks|hours|minutes|months|years|people|euros?|money|time)\b|\b(?:pages?|docs?|wiki|spaces?|comments?|files?|branch(?:es)?|commits?|read|(?:this|that|the same) (?:issue|ticket|one|bug|task|story|epic|page)|(?<!\b(?:across|in|over|per|by|all|both|the|our|two|three|which|for) )projects|(?:show|list|give|see|display)(?: me)?(?: all)?(?: the| our)? projects|which projects (?:do (?:we|you|they) have|are there|exist)|about|it|regarding|concerning|mention\w*)\b/i;
const UNSTARTED = /(?:\bnot|n['’]t)\s+(?:even\s+|yet\s+|been\s+)*(?:started|begun)\b/i;
const DATED = /\b(?:with|ha(?:s|ve)|without) (?:(?:an?|any|no) )?(?:due date|date|deadline)s?\b/i;
const OPEN = /\b(?:open|left|remaining|unfinished|unresolved|outstanding|to do|pending)\b/i;
/** "Priority low", and not "low-priority things". */
const EXACTLY_LOW = /\bprio(?:rity)?\s*(?:is|=|:)?\s*low\b/i;
const LEVEL = /\b(?:highest|highs?|mediums?|lows?|lowest)\b/i;
const TYPE = /\b(bug|task|stor(?:y|ie)|epic)s?\b/gi;

const PRIORITIES: Readonly<Record<string, string>> = {
  highest: "Highest",
  urgent: "High, Highest",
  high: "High",
  medium: "Medium",
  low: "Low, Lowest",
};
const ORDERS: Readonly<Record<string, { order_by: string; order: string }>> = {
  "by-prio": { order_by: "priority", order: "desc" },
  "by-due": { order_by: "due", order: "asc" },
  "by-newest": { order_by: "created", order: "desc" },
  "by-oldest": { order_by: "created", order: "asc" },
  "by-updated": { order_by: "updated", order: "desc" },
  "by-stalest": { order_by: "updated", order: "asc" },
};
/** What is not said is in their order. */
const IMPLIED: Readonly<Record<string, string>> = {
  "made-new": "by-newest",
  "moved-new": "by-updated",
  stale: "by-stalest",
  "due-soon": "by-due",
};
const GROUPS: Readonly<Record<string, string>> = {
  "per-person": "assignee",
  "per-status": "status",
  "per-priority": "priority",
  "per-type": "type",
  "per-project": "project",
};
/** "Soon", "new" and "not for long", in days. */
const SOON_DAYS = 14;
const NEW_DAYS = 7;
const STALE_DAYS = 14;

/** A list, number or numbers: which, and the conditions, under the names of `CONDITIONS` in jql.ts. */
export interface Listed {
  form: "list" | "count";
  args: JsonObject;
  /** Where it is asked of more than one, each of the projects. */
  projects: string[];
  /** Nobody would read it otherwise. */
  isSure: boolean;
}

/**
 * The list, number or numbers that a message asks for, where all of it is sure and what it names is known. Undefined
 * where it asks for something else, or is not clear.
 */
export function byList(said: string, context: ListContext): Listed | undefined {
  const whole = said.replace(GREETS, "");
  if (whole.length > MOST_CHARS || createSheet(whole).masked.includes(QUOTED)) return undefined;
  // Two numbers are two wishes.
  if (whole.split(/\bhow many\b/i).length > 2) return undefined;
  const [enough, most] = ENOUGH.exec(whole) ?? [];
  const message = (enough === undefined ? whole : whole.replace(enough, ""))
    .replace(FOR_TODAY, "$1")
    .replace(EVERYWHERE, "");
  const named = namesIn(message, context.known);
  if (
    OTHERWISE.test(named.masked) ||
    ALONE.test(named.masked) ||
    LINKED.test(message) ||
    PER_OTHER.test(message) ||
    HELD_BY_NOBODY.test(message) ||
    YOU.test(message) ||
    ABOUT.test(named.masked) ||
    hasTopic(named.masked)
  )
    return undefined;
  const asked = askedOf(named.masked);
  if (asked.form.value === "other" || Object.values(asked).some(({ sure }) => sure < SURE)) return undefined;
  const args = toConditions(asked, named, message, context);
  // What has no condition may be a list of anything, and an epic alone is looked at.
  if (args === undefined || Object.keys(args).every((name) => name === "epic")) return undefined;
  const isSure = Object.values(asked).every(({ sure }) => sure >= VERY_SURE);
  const isList = asked.form.value === "list";
  const limited = isList && most !== undefined ? { limit: numberOf(most) } : {};
  return {
    form: isList ? "list" : "count",
    args: { ...args, ...limited },
    projects: named.projects.length > 1 ? [...new Set(named.projects)] : [],
    isSure,
  };
}

function toConditions(
  asked: Asked,
  { people, projects, epics, labels }: Named,
  message: string,
  { now, dates, known }: ListContext,
): JsonObject | undefined {
  const said = (head: keyof Asked): string => asked[head].value;
  const [holder, reporter, due, moved, made] = [
    said("holder"),
    said("reporter"),
    said("due"),
    said("moved"),
    said("made"),
  ];
  const span = dates.span(message, now);
  const dated = [due === "due-date", made === "made-date", moved === "moved-date"].filter(Boolean).length;
  const wanted = Number(holder === "PERSON") + Number(reporter === "by-PERSON");
  // Who or what is named has to be for something, and each of it said once.
  if (wanted !== people.length || wanted > 1 || dated > 1 || (dated === 1 && span === undefined))
    return undefined;
  if (Math.max(epics.length, labels.length) > 1) return undefined;
  const isSpan =
    dated > 0 ||
    moved === "stale" ||
    due !== "" ||
    /\bsprint|\b(?:up|as of|until|right|just) (?:to )?(?:now|today)\b/i.test(message);
  if ((span !== undefined && !isSpan) || (LEVEL.test(message) && said("priority") === "")) return undefined;
  if (DATED.test(message) && due === "") return undefined;
  if (UNSTARTED.test(message) && said("state") !== "todo") return undefined;
  const types = new Set(
    (message.match(TYPE) ?? []).map((one) => one.toLowerCase().replace(/(?:y|ies?|s)$/, "")),
  );
  if (types.size > 1 || (types.size === 1 && said("type") === "" && !/\bwhat kind|type/i.test(message)))
    return undefined;
  const isAll = said("per") === "per-status" && !OPEN.test(message);
  const state = stateOf(isAll && said("state") === "open" ? "" : said("state"), due, known);
  if (state === undefined) return undefined;
  // The column, and not all that is still to be done.
  const isColumn =
    TO_DO.test(message) && known.some(({ kind, name }) => kind === "status" && name === "To Do");
  const form = said("form");
  const isList = form === "list";
  const order = [said("order"), IMPLIED[made], IMPLIED[moved], IMPLIED[due]].find(
    (one) => ORDERS[one ?? ""] !== undefined,
  );
  const days = (count: number): string =>
    toDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() + count, 12));
  const [person] = people;
  const type = said("type");
  const sides = (field: string): JsonObject => ({
    ...(span?.from === undefined ? {} : { [`${field}_after`]: toDay(span.from) }),
    ...(span?.to === undefined ? {} : { [`${field}_before`]: toDay(span.to) }),
  });
  const still = span?.to ?? span?.from;
  const ranked = RANKED_ONE.exec(message)?.[1];
  const most =
    mostOf(message) ??
    (ranked === undefined && (said("one") === "" || SOME_OF.test(message)) ? undefined : 1);
  return {
    ...(projects.length === 1 ? { project: projects[0] ?? "" } : {}),
    ...(type === "" ? {} : { type: type.replace(/^./, (letter) => letter.toUpperCase()) }),
    ...(isColumn ? { status: "To Do" } : state),
    ...(said("priority") === "" || ranked !== undefined || (BY_PRIORITY.test(message) && !LEVEL.test(message))
      ? {}
      : { priority: EXACTLY_LOW.test(message) ? "Low" : (PRIORITIES[said("priority")] ?? "") }),
    ...(labels.length === 0 ? {} : { labels }),
    ...(holder === "" ? {} : { assignee: { me: "me", nobody: "none" }[holder] ?? person ?? "" }),
    ...(reporter === "" ? {} : { reporter: reporter === "by-me" ? "me" : (person ?? "") }),
    ...(epics[0] === undefined ? {} : { epic: epics[0] }),
    ...(due === "overdue" ? { due_before: days(-1) } : {}),
    ...(due === "due-date" ? sides("due") : {}),
    ...(due === "due-soon" ? { due_after: days(0), due_before: days(SOON_DAYS) } : {}),
    ...(due === "due-none" ? { jql: "due is EMPTY" } : {}),
    ...(due === "due-any" ? { jql: "due is not EMPTY" } : {}),
    ...(made === "made-date" ? sides("created") : {}),
    ...(made === "made-new" && !isList ? { created_after: days(-NEW_DAYS) } : {}),
    ...(moved === "moved-date" ? sides("updated") : {}),
    ...(moved === "moved-new" && !isList ? { updated_after: days(-NEW_DAYS) } : {}),
    ...(moved === "stale" ? { updated_before: still === undefined ? days(-STALE_DAYS) : toDay(still) } : {}),
    ...(form === "group" ? { group_by: GROUPS[said("per")] ?? "status" } : {}),
    ...(isList ? ORDERS[order ?? ""] : {}),
    ...(isList && ranked !== undefined
      ? { order_by: "priority", order: /^lowest/i.test(ranked) ? "asc" : "desc" }
      : {}),
    ...(isList && most !== undefined ? { limit: most } : {}),
  };
}

/** "The highest priority issue of Farid": the first of his, whatever it has. */
const RANKED_ONE =
  /\b(highest|top|lowest)[- ]prio(?:rity)?\s+(?:(?:open|unassigned|overdue|blocked)\s+)*(?:issue|ticket|bug|task|story|one|item)\b/i;

/** A word that is said of no list in particular. */
function hasTopic(masked: string): boolean {
  return plainWords(masked).some((word) => !LIST_WORDS.has(word) && !STOP_WORDS.has(word));
}

/** How far it is; undefined where the server has no such state. */
function stateOf(state: string, due: string, known: readonly KnownName[]): JsonObject | undefined {
  const named = { progress: "In Progress", review: "In Review" }[state];
  if (named === undefined) {
    const category = state === "" && due === "overdue" ? "open" : state;
    return category === "" ? {} : { status_category: category };
  }
  return known.some(({ kind, name }) => kind === "status" && name === named) ? { status: named } : undefined;
}

/** In which order a list is wanted, where that is all that a message says of it. */
export function orderOf(message: string, { known }: Pick<ListContext, "known">): JsonObject | undefined {
  const { masked } = namesIn(message, known);
  if (!SORTS.test(message) || /\bones?\b/i.test(message) || /[A-Z]{3,}/.test(masked) || hasTopic(masked))
    return undefined;
  const { order } = askedOf(masked);
  return order.sure < SURE ? undefined : ORDERS[order.value];
}

/** "Which of our epics hasn't been started?" may be several. */
const SOME_OF =
  /\b(?:which|any|what|some)\s+of\s+(?:our|the|my|these|those|them)\b(?!.*\b(?:\p{L}{3,}est|most|first|last)\b)/iu;
const SORTS = /\b(?:on top|at the top|first|sort\w*|order\w*|rank\w*)\b/i;

function mostOf(message: string): number | undefined {
  const [, behind, ahead] = COUNT.exec(message) ?? [];
  const said = behind ?? ahead;
  return said === undefined ? undefined : numberOf(said);
}

function numberOf(said: string): number {
  return NUMBER_WORDS[said.toLowerCase()] ?? Number(said);
}

function namesIn(message: string, known: readonly KnownName[]): Named {
  const [people, projects, epics, labels]: [string[], string[], string[], string[]] = [[], [], [], []];
  const masked = message
    .replace(titlePattern(known, "epic"), (name) => {
      epics.push(idOf(name, known, "epic"));
      return "EPIC";
    })
    .replace(new RegExp(KEY, "gu"), "KEY")
    .replace(
      LABEL,
      (_said, lead: string | undefined, behind: string | undefined, hash: string | undefined) => {
        labels.push(behind ?? hash ?? "");
        return `${lead ?? "label"} LABEL`;
      },
    )
    .replace(titlePattern(known, "project"), (name) => {
      projects.push(idOf(name, known, "project"));
      return "PROJECT";
    })
    .replace(namePattern(known), (name) => {
      people.push(name.replace(/['’]s$/, ""));
      return /['’]s$/.test(name) ? "PERSON's" : "PERSON";
    });
  return { masked, people: [...new Set(people)], projects, epics, labels };
}

/** The names of what is known of a kind, and its ids; "the shop" of the only one with this word at an end of its name. */
function titlePattern(known: readonly KnownName[], kind: string): RegExp {
  const own = known.filter((one) => one.kind === kind);
  const ends = own.flatMap(({ name }) => endsOf(name));
  const parts =
    kind === "project" ? ends.filter((word) => ends.filter((other) => other === word).length === 1) : [];
  const asPattern = (name: string): string => loosely(name).replaceAll(/ +/g, "[ -]+");
  const whole = anyOf(
    own.map(({ name }) => name),
    asPattern,
  );
  const ids = anyOf(
    own.map(({ id }) => id),
    asPattern,
  );
  const ended = anyOf(parts, asPattern);
  const names = `${whole}|(?<!\\b(?:the|a|our|next|my)\\s)(?:${ids})|(?<=\\b(?:in|of|for|from|on)\\s(?:the\\s)?|\\bthe\\s)(?:${ended})|(?:${ended})(?=\\s+(?:tickets|issues|bugs|stories|tasks|stuff|things)\\b)`;
  const noun = kind === "epic" ? "epic" : "project|board";
  return new RegExp(
    `(?<![\\p{L}\\p{N}-])(?:the\\s+)?(?:(?:${noun})\\s+)?(?:${names})(?:\\s+(?:${noun}))?(?![\\p{L}\\p{N}-])`,
    "giu",
  );
}

function endsOf(name: string): string[] {
  const words = plainOf(name).split(" ");
  return words.length < 2
    ? []
    : ([words[0], words.at(-1)].filter((word = "") => word.length > 2) as string[]);
}

function plainOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function idOf(said: string, known: readonly KnownName[], kind: string): string {
  const own = known.filter((one) => one.kind === kind);
  const plain = plainOf(
    said.replace(/^the\s+/i, "").replace(/^(?:epic|project|board)\s+|\s+(?:epic|project|board)$/gi, ""),
  );
  const whole = own.find(
    ({ id, name }) =>
      id.toLowerCase() === said.toLowerCase() || [id, name].some((each) => plainOf(each) === plain),
  );
  const part = own.find(({ name }) => endsOf(name).includes(plain));
  return (whole ?? part)?.id ?? said;
}
