import type { ArgSource, ArgSources, KnownName, PlanInput, ShownRecord } from "#contract/plan.ts";
import type { JsonObject } from "#contract/json.ts";

import { ABOUT_LINKS } from "../../base/asked-links.ts";
import { isPlainId } from "../../base/ids.ts";
import { splitName } from "../slot.ts";
import { pickedIn } from "./by-quality.ts";
import { ISSUE, PAGE, WORK } from "./nouns.ts";
import { COLON, createSheet, QUOTED } from "./sheet.ts";
import { KEY as KEY_PATTERN, STOP_WORDS, tokenize, wordSet, NUMBER_WORDS, ORDINALS } from "./words.ts";

/** What a message may refer to without naming it. */
export interface Referents {
  /** "it": the one record on the screen, or the one that was spoken of last. */
  thing?: ShownRecord & { source: ArgSource };
  /** "that": the one record by which a question about its links was answered. */
  linked?: ShownRecord;
  /** "the second one", "the login one": the rows on the screen, in the order in which people saw them. */
  rows: readonly ShownRecord[];
  /** "The next one": the rows of the list that the thing was picked from. */
  beside?: readonly ShownRecord[];
  /** The list goes on behind these rows: which of all is the oldest is not known. */
  goesOn?: true;
  /** What brought the rows. */
  source: ArgSource;
  /** What one of them is called: "issue", "page". */
  noun: string;
  /** The two records that were shown one after the other, for "both". */
  recent: readonly ShownRecord[];
  /** The message before, for "and DEMO-3?". */
  before?: string;
  /** What was searched for last, for "and in the wiki?". */
  query?: string;
  /** For "the one in Operations". */
  projects?: readonly KnownName[];
  /** For "that epic": the keys of all. */
  epics?: ReadonlySet<string>;
  /** "There", "the epic": the one whose issues are listed. */
  within?: string;
}

/** A wish with what it refers to in its words. */
export interface Resolved {
  text: string;
  /** The values that were put in, and where each comes from. */
  put: ArgSources;
  /** It refers to something that is not clear. */
  isOpen: boolean;
}

const KEY = new RegExp(KEY_PATTERN, "u");
const NOUN = `(?:one|${WORK}|${PAGE}|result|hit|match|item|entry|file|record|pull request|pr)`;
/** "Oldest first" is an order of all. */
const ORDINAL = new RegExp(
  `(?<!\\b(?:oldest|newest|latest|earliest|highest|lowest|urgent|recent|important|due)\\s+)\\b(?:the\\s+)?(?:(?<word>${ORDINALS.join("|")}|last|top)|(?<number>\\d{1,2})(?:st|nd|rd|th))(?:\\s+of\\s+(?:them|these|those)\\b|\\s+${NOUN}\\b(?!s)|(?=\\s*(?:$|[,.;:!?]|(?:to|and|as|please)\\b)))`,
  "i",
);
/** "Who changed it last": the newest of what was done, and no row. */
const LATELY = /\b(?:\p{L}+ed|changes?|updates?|wrote|says?|said|did|it|this|that|them|there|here)\s+last$/iu;
const NUMBERED = /(?:\bnumber|\bno\.?|#)\s?(?<number>\d{1,2})\b(?!\d)/i;
/** "the first two" */
const RUN =
  /\bthe\s+(?<side>first|last|top)\s+(?<count>two|three|four|five|[2-5])\b(?:\s+(?:ones?|issues|tickets|bugs|pages|results))?/i;
/** "the two OPS ones", "both printer tickets" */
const SOME_OF =
  /\b(?:(?<all>both|all)(?:\s+of)?\s+(?:the\s+)?|(?:the|those|these)\s+)(?:(?<count>two|three|four|five|[2-9])\s+)?(?<called>(?!open\b|other\b|done\b|same\b|new\b|last\b|first\b)[\p{L}\d-]+(?:\s+(?!ones\b)[\p{L}\d-]+)?)\s+(?<noun>ones|issues|tickets|bugs|tasks|stories|items)\b/iu;
/** "the second and third one" */
const PAIR = new RegExp(
  `\\bthe\\s+(?<one>${ORDINALS.join("|")}|last)(?:\\s+one)?\\s+(?:and|&)\\s+(?:the\\s+)?(?<other>${ORDINALS.join("|")}|last)\\b(?:\\s+${NOUN}s?)?`,
  "i",
);
const PRONOUN = new RegExp(
  `\\b(?:(?:that|this|the same)\\s+${NOUN}|(?:that|this)(?=\\s+(?:to|as|up|down|on|please|now)\\b|\\W*$)|(?<=^|[,.;!?]\\s+|\\b(?:and|but|so|because|if|when|is|was|does)\\s+)(?:that|this)(?=\\s+(?:is|was)\\b)|(?<!\\b(?:time|late|early|hot|cold|far) (?:is|was|will|would) )it)\\b(?!['’])`,
  "i",
);
/** "the ticket", where no other words say which. */
const PLAIN = new RegExp(
  `\\bthe\\s+(?:${ISSUE}|${PAGE}|file|pull request)\\b(?!\\s+(?:about|for|with|named|called|titled|that|which|on|in|of|\\p{L}+(?:ed|ing)\\b))`,
  "iu",
);
/** "Them": all that is on the screen. */
export const SEVERAL: RegExp =
  /\b(?:(?:both|all)(?: of)?(?: them| these| those)?|them(?: all| both)?|these|those|all (?:three|four|five))\b(?!\s+(?:issues|tickets|bugs|pages|open|the|in|(?:that\s+)?(?:she|he|they|i|we|nobody))\b)/i;
const POSSESSIVE = /\bits\s+(\p{L}[\p{L} ]{1,30}?)(?=\s+(?:to|as|is)\b|\s*[:=]|\s*$)/iu;
/** Wishes about a thing that need not name it: "comment 'on it'". */
const ALONE = /^\s*(?:please\s+)?(delete|remove|close|reopen|resolve|start)(?:\s+please)?\W*$/i;
/** What a record holds, where nothing says of which. */
const PART =
  /^\W*(?:(?:show|list|read|see|give|tell|what(?:['’]?s| is| are)|who(?:['’]?s| is)|when is|any)\s+)*(?:me\s+)?(?:the\s+|its\s+|any\s+)?(?:comments?|history|links?|details|description|status|assignee|reporter|priority|labels|due date|children|child pages|sub-?pages|pages below|sub-?tasks?|attachments?)\W*$|^\W*(?:and\s+)?what (?:did|does) the (?:last|latest|newest) (?:comment|remark|reply) say\W*$|^\W*(?:and\s+)?who (?:has )?(?:commented(?: last)?|(?:wrote|written|left|made|added|posted) (?:the |that |this )?(?:(?:last|latest|newest) )?comment)\W*$/i;
/** "Who?", "since when": of what is on the screen. */
const ASKED = /^\W*(?:and\s+)?(?:who|when|why|where|how long|(?:since|by|until|till) when)\W*$/i;
const BARE = new RegExp(
  `^\\s*((?:(?:please|kindly)\\s+)*(?:(?:add|leave|write|put|post) an? (?:comment|note)|comment|reply))(?:\\s+(?:there|here))?(?=\\s*(?:$|[${QUOTED}:]|saying\\b|that\\b(?!\\s*$)))`,
  "i",
);
const NAMED = new RegExp(`\\bthe\\s+((?:[\\p{L}\\p{N}'’-]+\\s+){1,4}?)(?:${NOUN}|thing)\\b(?!s)`, "iu");
/** "the one with the pictures", "the ticket about sunset" */
const DESCRIBED = new RegExp(
  `\\b(?:the|that)\\s+${NOUN}\\s+(?:with|about|on|for|regarding|concerning|of|in|from)\\s+(?:(?:the|an?|our)\\s+)?([\\p{L}\\p{N}'’ -]{3,50}?)(?=\\s*(?:$|[,.;:!?])|\\s+(?:to|and|as|please)\\b)`,
  "iu",
);
const NEXT_ROW =
  /(?:\bthe\s+|^\W*(?:(?:and|ok|then|now)\s+)*)(?:next(?:\s+(?:one|ticket|issue|bug|story|task))?|one\s+after(?:\s+(?:that|it|this)(?:\s+one)?)?)(?=\s*(?:$|[,.;!?]|(?:and|please|pls|to|too)\b))/i;
/** "The one right above it in the list" */
const NEIGHBOUR =
  /\bthe\s+(?:one|row|ticket|issue|bug|story|task)\s+(?:(?:right|just|directly)\s+)?(?<side>above|below|underneath)(?:\s+(?:it|that|this)(?:\s+one)?)?(?:\s+(?:in|on)\s+(?:the|that)\s+list)?(?!\s+(?:the|an?)\b)(?![\p{L}])/iu;
/** More records than these are not changed by one word. */
export const MOST_AT_ONCE = 10;
/** "Put it in the epic OPS-9": the key says where to. */
const PUT_INTO = new RegExp(
  `\\b(?:it|this(?: one)?|that(?: one)?)\\s+(?:in|into|under|to)\\s+(?:the\\s+)?(?:epic\\s+)?${KEY.source}`,
  "iu",
);
/** "Put DEMO-26 under it" */
const UNDER_IT = /(?<=[A-Z]\w*-\d+\s+)(under)\s+(?:it|that(?: one)?|this)(?=\W*$)/i;
/** "Show the epic", "what else is in that epic": the one of the record on the screen. */
/** What only an epic has: "how many of its issues are done?" */
const ITS_ISSUES =
  /\b(?:its\s+)?((?:(?:open|done|closed|finished|overdue|unassigned|remaining|other|blocked)\s+)?)(issues|tickets|stories|tasks|bugs)\b(?:(?<=\bits\s+(?:\w+\s+)?\w+)|\s+in\s+(?:there|it|that epic)\b)/i;
const ITS_EPIC =
  /(?<=\b(?:show|open|see|list|close|in|of|under|from|about|what is|which is|what['’]s)\s+(?:me\s+)?)(?:its|the|that|this|the same)\s+epic\b(?!\s+[A-Z\d])/i;
/** "Close that epic", "set the epic's priority", and not what goes under it. */
export const EPIC_ITSELF: RegExp =
  /(?:(?<=\b(?:close|reopen|start|rename|retitle|delete|assign|move|push|give|unassign|label|tag|raise|lower|bump|finish|hand|put)\s+)|(?<=\b(?:set|change|mark|make|clear|remove)\s+)(?=\p{L}+\s+epic['’]s)|(?<=\b(?:due\s+date|deadline|priority|prio|status|title|summary|description|labels?|assignee|owner)\s+(?:of|on|for)\s+))(?:its|the|that|this)\s+epic(?<of>['’]s)?(?![\p{L}\p{N}])(?!\s+(?:[A-Z]\w*-\d|["“\d]|link|field|key|of\b|on\b))/iu;
/** "It is blocked by OPS-4" */
const IS_LINKED = /\b(?:it|this|that)(?:\s+one)?\s+(?:is\s+)?(?:block|duplicat|depend|relat|caus)\p{L}*\b/iu;
const IN_EPIC = /(?<=\b(?:to|under|in|into|with)\s+)(?:that|this|the same)\s+epic\b/i;
const ONE_OF = `(?:the\\s+)?(?:${ORDINALS.join("|")}|last)(?:\\s+${NOUN})?|${KEY.source}`;
const AND_OTHER = new RegExp(
  `^(?<other>${ONE_OF})\\s+(?:to|until|till|as)\\s+(?!last\\b)(?<value>\\S.{0,30})$`,
  "iu",
);
const POINTED = new RegExp(`\\b(?:${ONE_OF})(?![\\p{L}\\d-])`, "iu");
const TO_VALUE = /\s+(to|until|till|as)\s+(?!\S*-\d)[^,;.]{2,30}[.!]?$/i;
/** A key, or what stands for one. */
const ABOUT_ONE = new RegExp(
  `${KEY.source}(?:(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+)${KEY.source})*|${PRONOUN.source}`,
  "iu",
);

/** What the conversation has on its screen; what a private turn may not see is not there. */
export function toReferents({ history, known = [] }: PlanInput, earlier: readonly JsonObject[]): Referents {
  const last = history.at(-1);
  const recent = lastRecords(history);
  const query = earlier.map((args) => args["query"]).find((value) => typeof value === "string");
  const within = last?.calls
    .map(({ args }) => args["epic"])
    .find((value) => typeof value === "string" && KEY.test(value));
  const more = {
    ...(typeof within === "string" ? { within } : {}),
    ...(last === undefined ? {} : { before: last.message }),
    ...(typeof query === "string" ? { query } : {}),
    recent,
    projects: known.filter(({ kind }) => kind === "project"),
    epics: new Set(known.flatMap(({ kind, id }) => (kind === "epic" ? [id] : []))),
  };
  for (const turn of history.toReversed()) {
    const call = turn.calls.at(-1);
    const shown = turn.permit === undefined ? undefined : turn.shown?.reveal(turn.permit);
    const source: ArgSource = { from: "result", ...(call === undefined ? {} : { ref: call.tool }) };
    const rows = shown?.rows ?? [];
    const noun = nounOf(call?.tool ?? "");
    const record = shown?.record ?? (rows.length === 1 ? rows[0] : undefined);
    // What one word of several found by chance is not what anybody speaks of.
    if (shown?.record === undefined && record !== undefined && isByChance(record, turn.calls))
      return { rows: [], source, noun, ...more };
    if (record !== undefined) {
      const linked = turn === last ? linkedIn(record, turn.message) : undefined;
      const other = linked === undefined ? {} : { linked };
      const beside = listWith(record.id, history.slice(0, history.indexOf(turn)));
      return { thing: { ...record, source }, rows, source, noun, ...more, beside, ...other };
    }
    const goesOn = shown?.next === undefined ? {} : { goesOn: true as const };
    if (rows.length > 1) return { rows, source, noun, ...more, ...goesOn };
    const numbered = call && numberedIn(call.args);
    const named = call && (thingOf(call.args) ?? numbered?.id);
    // The last search found nothing: there is nothing on the screen.
    // Nor is what is to be made; what was there before still is.
    const isMaking = call !== undefined && shown === undefined && MAKES.test(call.tool);
    if (call !== undefined && named === undefined && turn.permit !== undefined && !isMaking)
      return { rows: [], source, noun, ...more };
    if (named !== undefined)
      return {
        thing: { id: named, source: { from: "history", ref: turn.message } },
        ...rowsBefore(history.slice(0, history.indexOf(turn)), named, source),
        noun: numbered?.id === named ? numbered.noun : noun,
        ...more,
        beside: listWith(named, history.slice(0, history.indexOf(turn))),
      };
  }
  return { rows: [], source: { from: "history" }, noun: "", ...more };
}

/** Whether a search that was made wider and wider found this, with most of what was asked for neither in it nor in its title. */
function isByChance({ title = "" }: ShownRecord, calls: PlanInput["history"][number]["calls"]): boolean {
  const queries = calls.flatMap(({ args }) => (typeof args["query"] === "string" ? [args["query"]] : []));
  const [asked, found] = [tokenize(queries[0] ?? ""), tokenize(queries.at(-1) ?? "")];
  const own = new Set(tokenize(title).map(({ stem }) => stem));
  const met = asked.filter(({ stem }) => own.has(stem)).length;
  return queries.length > 1 && 2 * found.length <= asked.length && 2 * met <= asked.length;
}

const THAT =
  /\b(?:that|this|the other)(?: one| ticket| issue| bug)?(?=\s+(?:to|as|up|down|on|please|now|too|then|in|into)\b|\W*$|[,.;])/i;

/** The one record that answers what a message asked of another one's links. */
function linkedIn({ links = [] }: ShownRecord, asked: string): ShownRecord | undefined {
  // "DEMO-18, the one linked to it?" names it.
  if (APPOSED.test(asked)) return undefined;
  const how = ABOUT_LINKS.find(([pattern]) => pattern.test(asked))?.[1];
  const [only, ...others] = how === undefined ? [] : links.filter((link) => how.test(link.how));
  if (only === undefined || others.length > 0) return undefined;
  return { id: only.id, ...(only.title === undefined ? {} : { title: only.title }) };
}

const APPOSED = new RegExp(
  `${KEY_PATTERN},?\\s+(?:the|that)\\s+(?:one|thing|issue|ticket|bug|task|story)\\b`,
  "iu",
);

/** "The one it's related to", "the thing it causes", "the ticket that blocks it" */
const RELATED =
  /^\W*(?:(?:and|show(?: me)?|open|can i see|what about|please|pls|the)\s+)*(?:one|thing|other one|issue|ticket|bug|task|story)\s+(?:that\s+|which\s+)?(?:(?:it|this(?:\s+one)?)(?:['’]s|\s+is)?\s+(?<how>related\s+to|relates\s+to|linked\s+(?:to|with)|connected\s+(?:to|with)|blocked\s+by|blocks|blocking|causes|caused\s+by|duplicates|waiting\s+(?:for|on)|waits\s+for|depends\s+on)|(?:is\s+)?(?<by>block|caus)(?:s|es|ing)\s+(?:it|this(?:\s+one)?))(?:,?\s+(?:please|pls))?\W*$/iu;

/** The linked records that a message calls by how they are linked. */
function relatedTo(links: NonNullable<ShownRecord["links"]>, message: string): typeof links {
  const { how = "", by } = RELATED.exec(message)?.groups ?? {};
  const isBy = by !== undefined || /\bby$|^wait|^depend/i.test(how);
  const word = /^wait|^depend/i.test(how) ? "block" : (by ?? how.slice(0, 5));
  return links.filter(
    (link) =>
      /^(?:linked|connected)/i.test(how) ||
      (link.how.toLowerCase().includes(word.toLowerCase()) &&
        (word.toLowerCase() === "relat" || /\bby\b/i.test(link.how) === isBy)),
  );
}

const MAKES = /(?:^|[._])(?:create|make|new)_/i;

/** The rows of the last list, where a record is one of them. */
function listWith(id: string, history: PlanInput["history"]): readonly ShownRecord[] {
  const lists = history.flatMap(({ permit, shown }) => {
    const { record, rows = [] } = permit === undefined ? {} : (shown?.reveal(permit) ?? {});
    return record === undefined && rows.length > 1 ? [rows] : [];
  });
  const last = lists.at(-1) ?? [];
  return last.some((row) => row.id === id) ? last : [];
}

/** The list that a record was picked from is on the screen for as long as something is done with its rows. */
function rowsBefore(
  history: PlanInput["history"],
  picked: string,
  source: ArgSource,
): Pick<Referents, "rows" | "source"> {
  for (const { calls, permit, shown } of history.toReversed()) {
    const { record, rows = [] } =
      permit === undefined ? { record: undefined } : (shown?.reveal(permit) ?? {});
    const isList = record === undefined && rows.length > 1;
    const ref = calls.at(-1)?.tool;
    if (isList)
      return rows.some(({ id }) => id === picked)
        ? { rows, source: { from: "result", ...(ref === undefined ? {} : { ref }) } }
        : { rows: [], source };
    // Another change of one of its rows, maybe.
    if (record !== undefined || calls.length === 0) break;
  }
  return { rows: [], source };
}

/** The records of the last two turns that showed one each, or were to change one, the earlier first. */
function lastRecords(history: PlanInput["history"]): ShownRecord[] {
  const each = history.toReversed().flatMap(({ permit, shown, calls }) => {
    const record = permit === undefined ? undefined : shown?.reveal(permit).record;
    const named = shown === undefined ? thingOf(calls.at(-1)?.args ?? {}) : undefined;
    return record ?? (named === undefined ? [] : [{ id: named }]);
  });
  const [one, other] = each;
  return one && other && one.id !== other.id ? [other, one] : [];
}

const PAGES = wordSet("confluence wiki docs documentation pages");

function nounOf(tool: string): string {
  const last = splitName(tool.split(".").at(-1) ?? "").at(-1) ?? "";
  return PAGES.has(last) ? "page" : last.replace(/ies$/, "y").replace(/(?<![s])s$/, "");
}

/** The key or id of a call's arguments: what "it" is after that call. */
export function thingOf(args: JsonObject): string | undefined {
  for (const [name, value] of Object.entries(args)) {
    if (typeof value === "string" && /(?:^|_)(?:key|id)$|Key$|Id$/i.test(name) && value.length <= 60)
      return value;
  }
  return undefined;
}

/** `{ issue_number: 44 }` is issue 44, `{ pull_number: 7 }` pull request 7. */
function numberedIn(args: JsonObject): { id: string; noun: string } | undefined {
  for (const [name, value] of Object.entries(args)) {
    const noun = /^(\p{L}+?)_?number$/iu.exec(name)?.[1]?.toLowerCase();
    if (noun !== undefined && typeof value === "number")
      return { id: String(value), noun: noun.startsWith("pull") ? "pull request" : noun };
  }
  return undefined;
}

/**
 * The message with what it refers to in its words: "close it" becomes "close OPS-9", "show the second one"
 * "show DEMO-8", "the login one" the row with that word. What is quoted or stands behind a colon is left
 * alone, as is a message that names a thing itself.
 */
export function resolveReferences(message: string, referents: Referents): Resolved {
  const { thing, rows, before, query } = referents;
  const and =
    /^(?:(?:and|also|same (?:for|with)|what about|how about|no|sorry|oops|wait|actually|rather|instead|i mean|i meant|i was thinking of|make (?:it|that))[\s,:!.–-]+)+(?:this one(?: as well| too)?:?\s*)?(.+?)(?:\s+(?:too|as well|also|instead|sorry|please|of course))?[.!]?$/i
      .exec(
        message
          .trim()
          .replace(/,\s+(?:i(?! (?:mean|meant|was))|we|it|that|because|since|as|they)\b[^,:?]*$/i, ""),
      )?.[1]
      ?.trim()
      .replace(/\?$/, "")
      .trimEnd();
  if (and !== undefined) {
    const key = new RegExp(
      `^(?:(?:to|for|on|in|with)\\s+)?(?:(?:the\\s+)?epic\\s+)?(${KEY.source})$`,
      "u",
    ).exec(and)?.[1];
    if (key !== undefined)
      return plain(
        before !== undefined && ABOUT_ONE.test(before) ? before.replace(ABOUT_ONE, key) : `show ${key}`,
      );
    // "And 26?", behind a question about DEMO-25, or one of what is on the screen.
    const number = /^\d{1,5}$/.test(and) && /\?\s*$/.test(message) ? and : undefined;
    const code = /^([A-Z]\w*)-\d+$/.exec(thing?.id ?? "")?.[1];
    if (number !== undefined && code !== undefined && before !== undefined && ABOUT_ONE.test(before))
      return plain(before.replace(ABOUT_ONE, `${code}-${number}`));
    // "… and 26 as well", behind "move DEMO-25 to review"
    const [own, project] = new RegExp(`(${KEY.source})`, "u").exec(before ?? "") ?? [];
    if (own !== undefined && /^\d{1,5}$/.test(and) && before !== undefined)
      return plain(before.replace(own, `${(project ?? own).replace(/-\d+$/, "")}-${and}`));
    // "… and the second to monday", behind "push the first one to friday"
    const { other, value } = AND_OTHER.exec(and)?.groups ?? {};
    if (other !== undefined && value !== undefined && before !== undefined && TO_VALUE.test(before)) {
      const swapped = before
        .replace(POINTED, other)
        .replace(TO_VALUE, (_said, to: string) => ` ${to} ${value}`);
      if (POINTED.test(before)) return resolveReferences(swapped, { ...referents, before: "" });
    }
    const place =
      /^(?:in|on)\s+(?:the\s+)?(wiki|docs|documentation|confluence|jira|[\p{L} ]*(?:docs|wiki|mailbox|code))$/iu.exec(
        and,
      )?.[1];
    if (place !== undefined && query !== undefined) return plain(`search the ${place} for ${query}`);
  }
  const head = headOf(message);
  // "Add OPS-19 to that epic": the epic is on the screen.
  const epic = thing?.parent ?? thing?.id ?? "";
  const whole = (KEY.test(head) ? IN_EPIC : thing?.parent === undefined ? /(?!)/ : ITS_EPIC).exec(head);
  const own = thing === undefined || !/^[A-Z]\w*-\d+$/i.test(thing.id) ? null : ITS_ISSUES.exec(head);
  if (thing !== undefined && own !== null && !KEY.test(head))
    return {
      text: `${message.slice(0, own.index)}the ${own[1] ?? ""}${own[2] ?? ""} in the epic ${safely(thing.id)}${message.slice(own.index + own[0].length)}`,
      put: { [thing.id]: thing.source },
      isOpen: false,
    };
  // It has none: that is seen on the record.
  if (
    thing !== undefined &&
    thing.parent === undefined &&
    thing.title !== undefined &&
    ITS_EPIC.test(head) &&
    /\?|^\W*(?:what|which|show)\b/i.test(head)
  )
    return {
      text: `show ${named(thing.id, referents.noun)}`,
      put: { [thing.id]: thing.source },
      isOpen: false,
    };
  if (thing !== undefined && whole !== null)
    return {
      text: `${message.slice(0, whole.index)}epic ${epic}${message.slice(whole.index + whole[0].length)}`,
      put: { [epic]: thing.source },
      isOpen: false,
    };
  const isLink =
    thing !== undefined &&
    (/^\W*(?:please\s+)?(?:link|connect|relate|mark|flag)\b/i.test(head) || IS_LINKED.test(head));
  const under = thing === undefined ? null : UNDER_IT.exec(head);
  if (thing !== undefined && under !== null)
    return {
      text: `${message.slice(0, under.index)}${under[1] ?? ""} epic ${safely(thing.id)}${message.slice(under.index + under[0].length)}`,
      put: { [thing.id]: thing.source },
      isOpen: false,
    };
  const [only, ...more] = RELATED.test(head) ? relatedTo(thing?.links ?? [], head) : [];
  if (thing !== undefined && only !== undefined && more.length === 0)
    return {
      text: `show ${safely(only.id)}`,
      put: { [only.id]: thing.source },
      isOpen: false,
    };
  if (KEY.test(head) && !isLink && !(thing !== undefined && PUT_INTO.test(head))) return plain(message);
  const put = (
    match: RegExpExecArray,
    records: readonly ShownRecord[],
    source: ArgSource,
    lead = "",
  ): Resolved => {
    const names = records.map(({ id }) => named(id, referents.noun));
    const text = `${message.slice(0, match.index)}${lead}${names.join(" and ")}${message.slice(match.index + match[0].length)}`;
    return { text, put: Object.fromEntries(records.map(({ id }) => [id, source])), isOpen: false };
  };
  const run = RUN.exec(head);
  const pair = PAIR.exec(head);
  const listed = run === null ? pairOf(pair?.groups, rows) : runOf(run.groups ?? {}, rows);
  const list = run ?? pair;
  if (list !== null && listed.length > 1) return put(list, listed, referents.source);
  const place = ORDINAL.exec(head);
  const ordinal =
    (place && !LATELY.test(head.slice(0, place.index + place[0].length)) ? place : null) ??
    (rows.length > 1 ? NUMBERED.exec(head) : null);
  const row = ordinal === null ? undefined : rows.at(placeOf(ordinal.groups ?? {}));
  if (ordinal !== null && row !== undefined) return put(ordinal, [row], referents.source);
  // "And the one after that", behind a look at a row of a list
  const onward = NEXT_ROW.exec(head);
  const { beside = [] } = referents;
  const at = beside.findIndex(({ id }) => id === thing?.id);
  const next = at === -1 ? undefined : beside[at + 1];
  if (onward !== null && next !== undefined) return put(onward, [next], referents.source);
  const part = SOME_OF.exec(head);
  const some = partOf(part?.groups, rows, referents);
  if (part !== null && some.length > 0) return put(part, some, referents.source);
  const pairWord = /\b(?:both(?: of them)?|the two(?: of them)?)\b/i.exec(head);
  if (pairWord !== null && rows.length < 2 && referents.recent.length === 2)
    return put(pairWord, referents.recent, referents.source);
  const two = [...new Set((before ?? "").match(new RegExp(KEY.source, "gu")) ?? [])].map((id) => ({ id }));
  if (pairWord !== null && rows.length < 2 && two.length === 2)
    return put(pairWord, two, { from: "history", ref: before ?? "" });
  const which = rows.length === 2 ? /\bthe (latter|former)\b/i.exec(head) : null;
  const side = which === null ? undefined : rows[/latter/i.test(which[0]) ? 1 : 0];
  if (which !== null && side !== undefined) return put(which, [side], referents.source);
  // "Both", of three: which two? "The high one", of two: which one?
  const counted = pairWord === null ? /\ball\s+(three|four|five|six)\b/i.exec(head)?.[1] : "two";
  const isOther =
    counted !== undefined && rows.length > 1 && NUMBER_WORDS[counted.toLowerCase()] !== rows.length;
  if (isOther || (pickedIn(head, referents)?.rows.length ?? 0) > 1)
    return { text: message, put: {}, isOpen: true };
  const several = SEVERAL.exec(head);
  // "Them" is also the one that was found.
  if (several !== null && rows.length > 0 && rows.length <= MOST_AT_ONCE)
    return put(several, rows, referents.source);
  const name = NAMED.exec(head);
  const byTitle = name === null ? [] : rowsNamed(name[1] ?? "", rows);
  // "The app one": of the project that has this word in its name.
  const byPlace = name === null || byTitle.length > 0 ? [] : rowsIn(name[1] ?? "", rows, referents);
  const worded = byTitle.length > 0 ? byTitle : byPlace;
  // A word, and a project, go before letters.
  const meant = worded.length > 0 || name === null ? worded : rowsLettered(name[1] ?? "", rows);
  if (name !== null && meant.length === 1) return put(name, meant, referents.source);
  const said = DESCRIBED.exec(head);
  const described = said?.[1] ?? "";
  const titled = said === null ? [] : rowsNamed(described, rows);
  const told = titled.length > 0 ? titled : rowsIn(described, rows, referents);
  if (said !== null && told.length === 1) return put(said, told, referents.source);
  const isOpen = meant.length > 1 || (rows.length > 1 && /\bthe other\b/i.test(head));
  const possessive = POSSESSIVE.exec(head);
  const pronoun = PRONOUN.exec(head) ?? PLAIN.exec(head);
  const bare = BARE.exec(head);
  if (thing === undefined || isOpen)
    return {
      text: message,
      put: {},
      isOpen: isOpen || (rows.length > 1 && (possessive ?? pronoun ?? bare) !== null),
    };
  if (bare === null && (PART.test(head) || ASKED.test(head)))
    return {
      text: `show ${named(thing.id, referents.noun)}`,
      put: { [thing.id]: thing.source },
      isOpen: false,
    };
  // "the page" is no issue that was shown since.
  const isPage = new RegExp(PAGE, "i").test(pronoun?.[0] ?? "");
  const isIssue = new RegExp(ISSUE, "i").test(pronoun?.[0] ?? "");
  const isKey = /^[A-Z]\w*-\d+$/i.test(thing.id);
  if ((isPage && isKey) || (isIssue && referents.noun === "page"))
    return { text: message, put: {}, isOpen: true };
  const alone = ALONE.exec(head);
  if (alone !== null) return put(alone, [thing], thing.source, `${alone[1] ?? ""} `);
  if (possessive !== null) return put(possessive, [thing], thing.source, `the ${possessive[1] ?? ""} of `);
  if (pronoun !== null) return put(pronoun, [thing], thing.source);
  return bare === null ? plain(message) : put(bare, [thing], thing.source, `${bare[1] ?? ""} on `);
}

function runOf(
  { side, count = "" }: Record<string, string | undefined>,
  rows: readonly ShownRecord[],
): readonly ShownRecord[] {
  const many = NUMBER_WORDS[count.toLowerCase()] ?? Number(count);
  if (many > rows.length) return [];
  return side?.toLowerCase() === "last" ? rows.slice(-many) : rows.slice(0, many);
}

/** "The two OPS ones", "both printer tickets": the rows of a project, or with a word, as many as are said. */
function partOf(
  groups: Record<string, string | undefined> | undefined,
  rows: readonly ShownRecord[],
  referents: Referents,
): readonly ShownRecord[] {
  const { all = "", count = "", called = "", noun = "" } = groups ?? {};
  // "The printer tickets" may be others than those on the screen.
  const isOfThese = /^ones$/i.test(noun) || all !== "" || count !== "";
  if (called === "" || !isOfThese || rows.length < 2) return [];
  const named = rowsNamed(called, rows);
  const found = named.length > 1 ? named : rowsIn(called, rows, referents);
  const many = /^both$/i.test(all) ? 2 : (NUMBER_WORDS[count.toLowerCase()] ?? (Number(count) || undefined));
  return many === undefined || found.length === many ? found : [];
}

function pairOf(
  groups: Record<string, string | undefined> | undefined,
  rows: readonly ShownRecord[],
): readonly ShownRecord[] {
  const places =
    groups === undefined ? [] : [placeOf({ word: groups["one"] }), placeOf({ word: groups["other"] })];
  return places.flatMap((place) => rows.at(place) ?? []);
}

function plain(text: string): Resolved {
  return { text, put: {}, isOpen: false };
}

const COMMENTS_THAT =
  /\b(?:comment|note|mention|say|write|add)(?:\s+on\s+it)?\s+that\b(?!\s+(?:to|on|in)\b)/i;

/** Without what is quoted or dictated. */
export function headOf(message: string): string {
  const { masked } = createSheet(message);
  const said = COMMENTS_THAT.exec(masked);
  const end = said === null ? masked.length : said.index + said[0].length;
  return masked.slice(0, Math.min(COLON.exec(masked)?.index ?? masked.length, end));
}

const OF_NONE = wordSet("the a this that other same only right wrong new old next previous last whole");

/** The rows whose titles have all these words. */
export function rowsNamed(words: string, rows: readonly ShownRecord[]): ShownRecord[] {
  const all = tokenize(words).filter(({ lower }) => !ORDINALS.includes(lower) && !OF_NONE.has(lower));
  const telling = all.filter(({ lower }) => !STOP_WORDS.has(lower));
  // "the everything one" has no other word to go by.
  const wanted = telling.length > 0 ? telling : all;
  if (wanted.length === 0) return [];
  return rows.filter(({ id, title = "" }) => {
    const own = new Set(tokenize(`${title} ${id}`).map(({ stem }) => stem));
    // "The large font", of the largest one
    const begins = (stem: string): boolean => stem.length > 4 && [...own].some((one) => one.startsWith(stem));
    return wanted.every(({ stem }) => own.has(stem) || begins(stem));
  });
}

/** The rows whose titles begin with words of these first letters: "sso" of "Single sign-on for …". */
function rowsLettered(said: string, rows: readonly ShownRecord[]): ShownRecord[] {
  const letters = said.trim().toLowerCase();
  const initials = (title: string): string =>
    [...title.toLowerCase().matchAll(/(?<![\p{L}\p{N}'’])\p{L}/gu)].join("");
  return /^\p{L}{3,5}$/u.test(letters)
    ? rows.filter(({ title = "" }) => initials(title).startsWith(letters))
    : [];
}

/** The rows of a project that is called so: "the one in Operations". */
function rowsIn(said: string, rows: readonly ShownRecord[], { projects }: Referents): ShownRecord[] {
  const own = (projects ?? []).filter(({ id, name }) =>
    [id, name, ...name.split(" ")].some((each) => each.toLowerCase() === said.trim().toLowerCase()),
  );
  const [only, ...others] = own;
  return only === undefined || others.length > 0 ? [] : rows.filter(({ id }) => id.startsWith(`${only.id}-`));
}

/** "The offline one is paused, set it back": the row that is called so, where "it" stands for it in the rest. */
export function withNamedRow(
  message: string,
  { rows, source, noun }: Referents,
): { text: string; put: ArgSources } {
  const head = headOf(message);
  const plural = KEY.test(head) || rows.length < 2 ? undefined : rowOfPlural(head, rows);
  if (plural !== undefined)
    return { text: plural.text + message.slice(head.length), put: { [plural.id]: source } };
  const each = KEY.test(head) || head.length < message.length ? undefined : rowsTo(message, rows);
  if (each !== undefined)
    return { text: each.text, put: Object.fromEntries(each.ids.map((id) => [id, source])) };
  const name = KEY.test(head) || rows.length < 2 ? null : NAMED.exec(head);
  const place = name === null ? null : ORDINAL_ALONE.exec(name[1] ?? "");
  // "Second one and the last one" are two.
  const isOne = place !== null && head.match(EACH_ORDINAL)?.length === 1;
  const placed = isOne ? rows.at(placeOf({ word: place[0].trim() })) : undefined;
  const [row, ...others] =
    name === null ? [] : placed === undefined ? rowsNamed(name[1] ?? "", rows) : [placed];
  const rest = name === null ? "" : head.slice(name.index + name[0].length);
  // Of several orders each is for it, but where another row is named.
  const isMore =
    /[,.;]\s.*\b(?:it|this|that)\b/i.test(rest) ||
    (FURTHER.test(rest) && !NAMED.test(rest.replace(IN_EPIC_OF, "")));
  if (name === null || row === undefined || others.length > 0 || !isMore) return { text: message, put: {} };
  return {
    text: message.slice(0, name.index) + named(row.id, noun) + message.slice(name.index + name[0].length),
    put: { [row.id]: source },
  };
}

/** "The API keys can't wait, give those to me": the one row that is called so, and no other. */
function rowOfPlural(head: string, rows: readonly ShownRecord[]): { id: string; text: string } | undefined {
  const found = PLURAL_TOPIC.exec(head);
  const { lead = "", words = "", said = "" } = found?.groups ?? {};
  const [row, ...others] = found === null ? [] : rowsNamed(words, rows);
  if (found === null || row === undefined || others.length > 0) return undefined;
  const rest = said + head.slice(found[0].length);
  return { id: row.id, text: `${lead}${row.id} ${rest.replace(/\b(?:those|these|them|they)\b/iu, "it")}` };
}

/** "Sunset to Emi, time zones to Dmitri": each clause calls one row by its words, and says nothing but where to. */
function rowsTo(message: string, rows: readonly ShownRecord[]): { text: string; ids: string[] } | undefined {
  const clauses = message.split(/\s*[,;.]\s+(?:and\s+)?(?=\S)|\s+and\s+/iu);
  const found = clauses.flatMap((clause) => {
    const { words = "", to = "" } = ROW_TO.exec(clause)?.groups ?? {};
    const [row, ...others] = words === "" ? [] : rowsNamed(words, rows);
    return row === undefined || others.length > 0 ? [] : [{ id: row.id, to }];
  });
  if (rows.length < 2 || found.length === 0 || found.length < clauses.length) return undefined;
  return { text: found.map(({ id, to }) => `${id} to ${to}`).join(", "), ids: found.map(({ id }) => id) };
}

const ROW_TO =
  /^\W*(?:(?:and|ok|then|the)\s+)*(?<words>(?:[\p{L}\d'’-]+\s+){1,4}?)(?:(?:goes|go|can\s+go)\s+)?to\s+(?<to>[\p{L}'’-]+(?:\s+(?:do|progress|review))?)(?:\s+(?:please|pls|then))?\W*$/iu;
const PLURAL_TOPIC =
  /^(?<lead>\W*(?:(?:ok|well|and|but|so|hm+)[\s,]+)*)the\s+(?<words>(?:[\p{L}\p{N}'’-]+\s+){1,4}?)(?<said>(?:can(?:no|['’]?)t|cannot|have|are|were|need|won['’]?t|aren['’]?t|should|must)\b(?=[^,.;]*[,.;]\s.*\b(?:those|these|them)\b))/iu;
const EACH_ORDINAL = new RegExp(`\\b(?:${ORDINALS.join("|")}|last)\\b`, "giu");
const ORDINAL_ALONE = new RegExp(`^(?:${ORDINALS.join("|")}|last)\\s*$`, "iu");
const IN_EPIC_OF = /\b(?:under|into|in|to)\s+the\s+(?:[\p{L}\d'’-]+\s+){1,4}?epic\b/iu;
const FURTHER = /(?:[,.;]|\band)\s+\S/i;

/** "Leave the printer one", "the rest is fine": what is on the screen stays as it is. Not so for what waits to be changed. */
export function leavesRow(
  message: string,
  { rows }: Referents,
  waiting: readonly { args: JsonObject; waits?: boolean }[],
): boolean {
  const { left = "", stays = left, others = "", rest = others } = LEAVES.exec(message)?.groups ?? {};
  const named = stays === "" ? [] : rowsNamed(stays.replace(/\s+ones?$/iu, ""), rows);
  const isWaiting = named.some(({ id }) =>
    waiting.some(({ args, waits }) => waits === true && Object.values(args).includes(id)),
  );
  return rest !== "" || (named.length > 0 && !isWaiting);
}

const LEAVES =
  /^\W*(?:(?:and|but|ok|okay|no|hm+|also|please|pls)[\s,]+)*(?:(?:leave|keep)\s+(?:(?<rest>(?:all\s+)?(?:the\s+)?(?:rest|others|other\s+\p{L}+))|(?:the\s+|that\s+)?(?<left>(?:[\p{L}\d'’-]+\s*){1,4}?))(?:\s+(?:alone|be|(?:as|where|how)\s+(?:it|they)\s+(?:is|are)|as\s+(?:is|are)|for\s+(?:now|later)|open|then|please|pls))*|(?<others>(?:the\s+)?(?:rest|others))\s+(?:(?:is|are|can)\s+(?:all\s+)?(?:fine|ok(?:ay)?|good|stay|wait)|stays?)(?:\s+(?:as\s+(?:it|they)\s+(?:is|are)|as\s+is|for\s+now|then))*|(?:the\s+)?(?<stays>(?:[\p{L}\d'’-]+\s+){1,4}?)(?:stays|can\s+stay)(?:\s+(?:(?:as|where|how)\s+it\s+is|as\s+is|put|for\s+now|open|then|please|pls))*)[\s.!]*$/iu;
/** "Is it the same as DEMO-1?" … "then mark it as a duplicate": of the one that it was held beside. */
export function withDuplicate(
  message: string,
  { before = "", recent, source, thing }: Referents,
): { text: string; put: ArgSources } {
  const found = DUPLICATE.exec(message);
  const { from = "", of = "", rest = "" } = found?.groups ?? {};
  const asked = SAME_AS.exec(before);
  const other = asked?.groups?.["other"]?.toUpperCase();
  if (found === null || asked === null || other === undefined || KEY.test(of))
    return { text: message, put: {} };
  const own = KEY.exec(from.toUpperCase())?.[0] ?? KEY.exec(before.slice(0, asked.index).toUpperCase())?.[0];
  const shown = [...recent.map(({ id }) => id), thing?.id ?? ""].find((id) => KEY.test(id) && id !== other);
  const one = own ?? shown;
  if (one === undefined || one === other) return { text: message, put: {} };
  return { text: `mark ${one} as a duplicate of ${other}${rest}`, put: { [one]: source, [other]: source } };
}

const SAME_AS =
  /\b(?:the\s+)?(?:same|duplicates?|dupe|copy)\s+(?:\p{L}+\s+)?(?:as|of|to)\s+(?<other>[A-Za-z]\w*-\d+)\b/iu;
const DUPLICATE =
  /^\W*(?:(?:yes|yeah|yep|ok|okay|right|then|so|and|please|pls|well)[\s,]+)*(?:mark|flag|link|set)\s+(?<from>it|that|this(?:\s+one)?|[A-Za-z]\w*-\d+)\s+as\s+(?:an?\s+|the\s+)?(?:duplicate|dupe)(?:\s+of\s+(?<of>it|that(?:\s+one)?|[A-Za-z]\w*-\d+))?(?:\s+(?:then|please|pls))*(?<rest>(?:\s*[,.;]\s+|\s+and\s+).*)?[\s.!]*$/iu;

/** "The one in review can be closed": the row that is so. */
export function withPickedRow(message: string, referents: Referents): { text: string; put: ArgSources } {
  const { source, noun } = referents;
  const head = headOf(message);
  const picked = KEY.test(head) ? undefined : pickedIn(head, referents);
  const [row, ...others] = picked?.rows ?? [];
  if (picked === undefined || row === undefined || others.length > 0) return { text: message, put: {} };
  const behind = message.slice(picked.index + picked.said.length);
  return {
    text: message.slice(0, picked.index) + named(row.id, noun) + behind,
    put: { [row.id]: source },
  };
}

/** "The one above it": the row beside the record on the screen; where there is none it is not clear which one is meant. */
export function withNeighbour(message: string, referents: Referents): { text: string; put: ArgSources } {
  const { thing, rows, beside = [], source, noun } = referents;
  const head = headOf(message);
  const found = KEY.test(head) ? null : NEIGHBOUR.exec(head);
  const list = beside.length > 0 ? beside : rows;
  const at = list.findIndex(({ id }) => id === thing?.id);
  if (found === null || list.length < 2) return { text: message, put: {} };
  const row = at === -1 ? undefined : list[/above/i.test(found.groups?.["side"] ?? "") ? at - 1 : at + 1];
  const behind = message.slice(found.index + found[0].length);
  return {
    text:
      message.slice(0, found.index) + (row === undefined ? "the other one" : named(row.id, noun)) + behind,
    put: row === undefined ? {} : { [row.id]: source },
  };
}

/** "Close that epic", behind a look at an issue: what that belongs to, and never the issue. */
export function withEpicOf(message: string, { thing, epics }: Referents): { text: string; put: ArgSources } {
  const head = headOf(message);
  const whose = KEY.test(head) || /\?\s*$/.test(head) ? null : EPIC_ITSELF.exec(head);
  const epic = thing !== undefined && epics?.has(thing.id) === true ? thing.id : thing?.parent;
  if (whose === null || epic === undefined || thing === undefined) return { text: message, put: {} };
  const behind = message.slice(whose.index + whose[0].length);
  return {
    text: message.slice(0, whose.index) + safely(epic) + (whose.groups?.["of"] ?? "") + behind,
    put: { [epic]: thing.source },
  };
}

/** "What's still to do there?", "what did Ana say last on the epic?": the epic on the screen, or whose issues are. */
export function withThere(
  message: string,
  { thing, epics, within, source }: Referents,
): { text: string; put: ArgSources } {
  const epic = thing !== undefined && epics?.has(thing.id) === true ? thing.id : within;
  const found =
    epic === undefined || KEY.test(headOf(message))
      ? null
      : (LEFT_THERE.exec(message) ?? SAID_ON_EPIC.exec(message));
  const { lead = "", what = "" } = found?.groups ?? {};
  if (epic === undefined || found === null) return { text: message, put: {} };
  const text = what === "" ? `${lead}${safely(epic)}?` : `${lead}${what} in epic ${safely(epic)}?`;
  return { text, put: { [epic]: source } };
}

const LEFT_THERE =
  /^(?<lead>\W*(?:(?:and|so|ok|but)\s+)*)(?<what>(?:what(?:['’]?s)?|which|who|how\s+many)\b[^,.;:?"“]*?\b(?:open|left|missing|to[ -]?do|remaining|done|in\s+(?:progress|review)|unassigned|overdue|late|blocked))\s+(?:in\s+)?there\s*\??\s*$/iu;
const SAID_ON_EPIC =
  /^(?<lead>\W*(?:(?:and|so|ok|but)\s+)*(?:what\s+(?:did|has)\s+\p{L}+\s+(?:say|said|write|written)(?:\s+last)?|who\s+commented(?:\s+last)?|(?:what(?:['’]?s|\s+is)\s+)?the\s+last\s+comment)\s+(?:on|about|in|under)\s+)(?:the|that|this)\s+epic(?:\s+itself)?\s*\??\s*$/iu;

/** "Assign that to Ben", behind "what does OPS-4 block?": not OPS-4, but what was named. */
export function withLinked(
  message: string,
  { linked, source, noun }: Referents,
): { text: string; put: ArgSources } {
  const head = headOf(message);
  const that = linked === undefined || KEY.test(head) ? null : THAT.exec(head);
  if (linked === undefined || that === null) return { text: message, put: {} };
  const behind = message.slice(that.index + that[0].length);
  return {
    text: message.slice(0, that.index) + named(linked.id, noun) + behind,
    put: { [linked.id]: source },
  };
}

/** Whether a wish speaks of a thing that it does not name. */
export function refersToSomething(wish: string): boolean {
  const head = headOf(wish);
  return (
    !KEY.test(head) &&
    [PRONOUN, PLAIN, POSSESSIVE, ORDINAL, BARE, SEVERAL].some((pattern) => pattern.test(head))
  );
}

/** What a message that says nothing else than "the second one" points at. */
export function pointedAt(message: string, referents: Referents): string | undefined {
  const { rows } = referents;
  const whole = message.trim().replace(/(?:[,\s]+(?:please|pls|obviously|of course))*[.!]?$/i, "");
  const ordinal = ORDINAL.exec(message);
  if (ordinal?.[0] === whole) return rows.at(placeOf(ordinal.groups ?? {}))?.id;
  const name = NAMED.exec(message);
  const described = DESCRIBED.exec(whole);
  const [said = "", words = ""] = described?.[0] === whole ? described : [];
  const titled = rowsNamed(said === "" && name?.[0] === whole ? (name[1] ?? "") : words, rows);
  const meant = titled.length > 0 || said === "" ? titled : rowsIn(words, rows, referents);
  return meant.length === 1 ? meant[0]?.id : undefined;
}

/**
 * A bare number would be read as a number, and words as words. Servers choose their ids: what is more than a key or a path
 * stands in quotes.
 */
function named(id: string, noun: string): string {
  if (/^\d+$/.test(id)) return `${noun === "" ? "page" : noun} ${id}`;
  return safely(id);
}

function safely(id: string): string {
  if (isPlainId(id)) return id;
  // It would be read, so that it is not clear which one is meant.
  const isRead = KEY.test(id) || /["“”„«»\p{Cc}]/u.test(id);
  return isRead ? "the other one" : `"${id}"`;
}

function placeOf({ word, number }: Record<string, string | undefined>): number {
  if (number !== undefined) return Number(number) - 1;
  const lower = word?.toLowerCase() ?? "";
  return lower === "last" ? -1 : lower === "top" ? 0 : ORDINALS.indexOf(lower);
}

/** "The one with the pictures, how is it going?" is about a row. */
export function namesRow(message: string, referents: Referents): boolean {
  return Object.keys(resolveReferences(message, referents).put).length > 0;
}
