import type { JsonObject } from "#contract/json.ts";

import { anyOf } from "../../base/matching.ts";
import { asText } from "../model-text.ts";
import { sameWord, type Slot, toSlots } from "../slot.ts";
import { toDay } from "./dates.ts";
import { type Filling, inTopic } from "./filling.ts";
import type { ToolEntry } from "./tool-index.ts";

const day = { type: "string", format: "date" };
const word = { type: "string" };

/** What people ask of Jira issues, as arguments of a search that takes them one by one. */
const CONDITIONS: readonly Slot[] = toSlots({
  type: "object",
  properties: {
    query: word,
    project: { ...word, examples: ["DEMO", "OPS"] },
    type: { ...word, examples: ["Bug", "Story", "Task", "Epic"] },
    status: { ...word, examples: ["To Do", "In Progress", "In Review", "Done"] },
    status_category: { ...word, enum: ["open", "todo", "in_progress", "done"] },
    priority: { ...word, examples: ["High"] },
    labels: { type: "array", items: word },
    assignee: { ...word, examples: ["none"] },
    reporter: word,
    created_after: day,
    created_before: day,
    updated_after: day,
    updated_before: day,
    due_after: day,
    due_before: day,
    order_by: { ...word, enum: ["created", "updated", "due", "priority"] },
    order: { ...word, enum: ["asc", "desc"] },
  },
});

const NOT =
  "(?:(?:(?:but|and)\\s+)?(?:not|no|never|without|exclud(?:e|ing)|leav(?:e|ing)\\s+out|minus|other\\s+than|apart\\s+from|besides?|except(?:\\s+for)?|but|neither|outside(?:\\s+of)?|\\p{L}+n['’]t)\\s+(?:(?:the|any|anything|everything|whatever|what|an?|ones?|that|which|are|is|be|counting|already|still|currently|been|being|assigned|to|in|of|have|has|with|from|by|for|status|labell?ed|tagged|label|project|those|it|yet|belongs?|part)\\s+)*)";
const MORE = "(?:(?:\\s*,|\\s+(?:or|and|nor))\\s+(?:(?:in|the|to)\\s+)*";
const STATES = "in progress|progress|in review|review|to[ -]?do|backlog|done|closed|won['’]?t do";
const SAID_STATES: Readonly<Record<string, string>> = {
  progress: "In Progress",
  review: "In Review",
  todo: "To Do",
  backlog: "Backlog",
  done: "Done",
  closed: "Done",
  wontdo: "Won't Do",
};

const TYPE = "(?<![\\p{L}])(?:bug|task|story|storie|epic|incident)s?(?![\\p{L}])";
const PRIORITY = "(?<![\\p{L}])(?:highest|high|medium|low|lowest|urgent)(?![\\p{L}])";

function unlike(field: string, values: readonly string[]): string {
  return values.length === 1 ? `${field} != ${values[0] ?? ""}` : `${field} not in (${values.join(", ")})`;
}

/** A condition that no argument of a search can say, with what it is in JQL. */
type Further = [pattern: RegExp, toJql: (match: RegExpExecArray) => string | undefined];

const HOLDS = "(?:due dates?|deadlines?|labels?|tags?|epic|parent)";
/** Not "with the label x", which says which one. */
const GOES_ON =
  "(?!\\s*:|\\s+(?!(?:and|but|set|at|yet|in|on|or|for|of|that|which|sorted|ordered|are|is)\\b)[\\p{L}\\p{N}\uE001])";
const heldField = (said: string): string =>
  /due|dead/i.test(said) ? "due" : /label|tag/i.test(said) ? "labels" : "parent";

/** It says itself how far they are. */
const STILL_OPEN =
  /\b(?:open|done|closed|finished|resolved|unfinished|unresolved|in progress|in review|to do)\b/i;

function whoseJql(
  said: readonly (string | undefined)[],
  idOf: (name: string) => string | undefined,
  isReporter: boolean,
): string | undefined {
  const ids = said.flatMap((name) => (name === undefined ? [] : [idOf(name)]));
  if (ids.includes(undefined)) return undefined;
  return `${isReporter ? "reporter" : "assignee"} in (${ids.join(", ")})`;
}

/** An account id such as "712020:7f3a" stands in quotes. */
function asValue(id: string | undefined): string | undefined {
  return id === undefined || /^[A-Za-z][\w-]*$/.test(id) ? id : JSON.stringify(id);
}

const PERIOD = "(?:this|next|last)\\s+(?:week|month|year|quarter)|today|yesterday|tomorrow";
const DATED = "(due|updated|changed|touched|edited|created|reported|opened|filed|raised)";

/** Outside of the days that were said; a due day may be missing, and what has happened happened before or after. */
function outsideOf(field: string, said: string, { dates, now }: Filling["around"]): string | undefined {
  const { from, to } = dates.span(said, now) ?? {};
  if (from === undefined || to === undefined) return undefined;
  const name = /^due/i.test(field)
    ? "due"
    : /^(?:updat|chang|touch|edit)/i.test(field)
      ? "updated"
      : "created";
  const [first, last] = [toDay(from), toDay(to)];
  if (name === "due") return `(due < ${first} OR due > ${last} OR due is EMPTY)`;
  return to < now ? `(${name} < ${first} OR ${name} > "${last} 23:59")` : `${name} < ${first}`;
}

function furtherConditions({ entry, sheet, around }: Filling): Further[] {
  const { known = [] } = around;
  const people = known.filter(({ kind }) => kind === "person");
  const named = (said: string): string | undefined =>
    /^(?:me|mine)$/i.test(said)
      ? "currentUser()"
      : asValue(
          people.find(({ id, name }) =>
            [id, name, ...name.split(" ")].some((each) => each.toLowerCase() === said.toLowerCase()),
          )?.id,
        );
  const names = anyOf(["me", "mine", ...people.flatMap(({ id, name }) => [name, ...name.split(" "), id])]);
  const projects = known.filter(({ kind }) => kind === "project");
  const codes = projects.length === 0 ? "[A-Z]{2,10}" : anyOf(projects.flatMap(({ id, name }) => [name, id]));
  return [
    [
      new RegExp(
        `(?:${NOT}|\\b(?:ha(?:s|ve)|with)\\s+no\\s+|\\bmissing\\s+(?:an?\\s+)?)(${HOLDS})(?![\\p{L}])${GOES_ON}`,
        "diu",
      ),
      ([, what = ""]) =>
        heldField(what) === "parent"
          ? "parent is EMPTY AND issuetype != Epic"
          : `${heldField(what)} is EMPTY`,
    ],
    [
      /\b(?:that\s+(?:are\s+)?|which\s+(?:are\s+)?)?(?:in|under|part\s+of|belong(?:s|ing)?\s+to)\s+(?:an|any|some)\s+epic\b/diu,
      () => "parent is not EMPTY",
    ],
    // "Not assigned to Ben or Emi"
    [
      new RegExp(
        `${NOT}(${names})(?:['’]s?)?(?:\\s*(?:,|,?\\s(?:or|and|nor))\\s+(?:to\\s+)?(${names})(?:['’]s?)?)+(?![\\p{L}\\p{N}])`,
        "diu",
      ),
      ([whole]) => {
        const ids = [...whole.matchAll(new RegExp(`(?<![\\p{L}])(?:${names})(?![\\p{L}])`, "giu"))].map(
          ([name]) => named(name),
        );
        return ids.includes(undefined)
          ? undefined
          : `(assignee not in (${ids.join(", ")}) OR assignee is EMPTY)`;
      },
    ],
    [
      new RegExp(`${NOT}(?:under\\s+)?(?:the\\s+)?epic\\s+([A-Z]\\w*-\\d+)`, "diu"),
      ([, epic = ""]) => `(parent != ${epic.toUpperCase()} OR parent is EMPTY)`,
    ],
    // "For Ben or Emi", "Ben's and Emi's"
    [
      new RegExp(
        `\\b(?:assigned\\s+to|owned\\s+by|for|of|from|with|by)\\s+(?:either\\s+)?(${names})(?:\\s*,\\s*(${names}))?(?:\\s*,)?\\s+(?:or|and|&)\\s+(?:for\\s+|to\\s+|of\\s+)?(${names})(?![\\p{L}\\p{N}])`,
        "diu",
      ),
      (match) =>
        whoseJql(
          match.slice(1),
          named,
          /\b(?:reported|created|opened|filed|raised)\b(?:\s+(?:(?:in|on|since|during)\s+)?(?!(?:and|or|but|not)\b)[\p{L}\d]+){0,3}\s+by\b/iu.test(
            sheet.masked,
          ),
        ),
    ],
    [
      new RegExp(
        `(?<![\\p{L}\\p{N}])(${names})['’]s?\\s+(?:or|and|&)\\s+(${names})['’]s?(?![\\p{L}\\p{N}])`,
        "diu",
      ),
      (match) => whoseJql(match.slice(1), named, false),
    ],
    [
      new RegExp(`${NOT}${DATED}\\s+(?:in\\s+|during\\s+)?(${PERIOD})(?![\\p{L}])`, "diu"),
      ([, field = "", days = ""]) => outsideOf(field, days, around),
    ],
    [
      new RegExp(
        `${NOT}(?:reported|created|opened|filed|raised|written)\\s+by\\s+(${names})(?![\\p{L}\\p{N}])|(?<![\\p{L}])(i|${names})\\s+(?:did\\s+not|didn['’]?t|has\\s+not|hasn['’]?t|have\\s+not|haven['’]?t)\\s+(?:report(?:ed)?|created?|open(?:ed)?|filed?|raised?)(?![\\p{L}])`,
        "diu",
      ),
      ([, one, other = ""]) => {
        const id = named((one ?? other).replace(/^i$/i, "me"));
        return id === undefined ? undefined : `reporter != ${id}`;
      },
    ],
    [
      new RegExp(
        `(?<![\\p{L}])(?:that\\s+)?(i|${names})\\s+(?:do\\s+not|don['’]?t|does\\s+not|doesn['’]?t|is\\s+not|isn['’]?t|am\\s+not)\\s+(?:have|own|on|working\\s+on|work\\s+on)(?![\\p{L}])(?!\\s+(?:to|an?|any|the|time)\\b)`,
        "diu",
      ),
      ([, person = ""]) => {
        const id = named(person.replace(/^i$/i, "me"));
        return id === undefined ? undefined : `(assignee != ${id} OR assignee is EMPTY)`;
      },
    ],
    [
      new RegExp(`${NOT}blocked(?:\\s+by\\s+(?:anything|something|others?))?(?![\\p{L}])`, "diu"),
      () => 'NOT issueLinkType = "is blocked by"',
    ],
    [
      /(?:\b(?:that|which)\s+)?(?:\bdo(?:es)?\s+not|\bdo(?:es)?n['’]?t)\s+(?:mention|contain|say|name|speak\s+of|talk\s+about)\s+(?:the\s+)?([\p{L}\p{N}_-]+)(?![\p{L}\p{N}])/diu,
      ([, word = ""]) => `text !~ "${word}"`,
    ],
    [
      new RegExp(
        `(?<![\\p{L}])(?:not|n['’]t|without|except|minus)\\s+(?:(?:the|any|those|ones?|with)\\s+)*(?:labell?ed|tagged|label|tag)\\s+(?:as\\s+|with\\s+)?([\\p{L}\\d_-]+)(?![\\p{L}\\d])`,
        "diu",
      ),
      ([, label = ""]) =>
        /^(?:yet|at|in|or|and|so|properly)$/i.test(label)
          ? undefined
          : `(labels != ${label.toLowerCase()} OR labels is EMPTY)`,
    ],
    // What waits for something else, and what something else waits for.
    [
      /(?<![\p{L}])(?:(?:which|that)\s+)?(?:are\s+|is\s+)?(?:currently\s+)?blocked(?:\s+(?:by\s+(?:something|anything|others?|another)))?(?![\p{L}])(?!\s+by\b)/diu,
      () =>
        `issueLinkType = "is blocked by"${STILL_OPEN.test(sheet.masked) ? "" : " AND statusCategory != Done"}`,
    ],
    [
      new RegExp(`${NOT}block(?:s|ing)?\\s+(?:others?|anything|something)(?![\\p{L}])`, "diu"),
      () => 'NOT issueLinkType = "blocks"',
    ],
    [
      /(?<![\p{L}])(?:that\s+|which\s+)?(?:are\s+|is\s+)?block(?:s|ing)?\s+(?:others?|anything|something|other\s+(?:issues|tickets|work|things|people))(?![\p{L}])/diu,
      () => `issueLinkType = "blocks"${STILL_OPEN.test(sheet.masked) ? "" : " AND statusCategory != Done"}`,
    ],
    [
      new RegExp(
        `\\b(?:with|ha(?:s|ve)|having|got)\\s+(?:an?\\s+|any\\s+|some\\s+)?(${HOLDS})(?![\\p{L}])${GOES_ON}`,
        "diu",
      ),
      ([, what = ""]) => `${heldField(what)} is not EMPTY`,
    ],
    [
      new RegExp(`${NOT}(?:in\\s+)?(${STATES})(?![\\p{L}])(${MORE}(?:${STATES}))*)`, "diu"),
      (match) => {
        const said = match[0].match(new RegExp(STATES, "giu")) ?? [];
        const states = said.map((one) => SAID_STATES[one.toLowerCase().replaceAll(/^in |[^a-z]/g, "")] ?? "");
        // What is not done has an argument.
        const isOver = states.every((state) => state === "Done");
        return isOver ? undefined : `status not in (${states.map((state) => `"${state}"`).join(", ")})`;
      },
    ],
    [
      new RegExp(
        `${NOT}(?:${TYPE})(?:\\s+(?:and|or|nor)\\s+(?:(?:no|not|any)\\s+)?(?:${TYPE}))*(?!\\s+[A-Z]\\w*-\\d)`,
        "diu",
      ),
      ([whole]) =>
        /\b(?:an?|the)\s+\S+$/i.test(whole) && entry.slots.length === 0
          ? undefined
          : unlike(
              "issuetype",
              [...whole.matchAll(new RegExp(TYPE, "giu"))].map(([type]) =>
                type
                  .replace(/ies$/i, "y")
                  .replace(/s$/i, "")
                  .replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
              ),
            ),
    ],
    [
      new RegExp(
        `${NOT}(?:${PRIORITY})(?:\\s+(?:and|or|nor)\\s+(?:not\\s+)?(?:${PRIORITY}))*(?:\\s+prio(?:rity)?)?(?:\\s+ones?)?(?![\\p{L}])`,
        "diu",
      ),
      ([whole]) =>
        unlike(
          "priority",
          [...whole.matchAll(new RegExp(PRIORITY, "giu"))].map(([priority]) =>
            priority.replace(/^urgent$/i, "Highest"),
          ),
        ),
    ],
    [
      /(?:\b(?:whose|where\s+the|with\s+a)\s+)?\b(?:title|summary|name)s?\s+(?:contains?|includes?|has|mentions?|says?)\s+(?:the\s+word\s+)?([\p{L}\p{N}_-]+)(?![\p{L}\p{N}])/diu,
      ([, word = ""]) => `summary ~ "${word}"`,
    ],
    // "Bugs Emi has or reported"
    [
      new RegExp(
        `(?:\\bthat\\s+)?(?<![\\p{L}])(i|${names})\\s+(?:has|have|owns?)\\s+or\\s+(?:has\\s+|have\\s+)?(?:reported|opened|created|filed|raised)(?![\\p{L}])|(?<![\\p{L}])(?:assigned\\s+to|with)\\s+or\\s+reported\\s+by\\s+(${names})(?![\\p{L}])`,
        "diu",
      ),
      ([, one, other = ""]) => {
        const id = named((one ?? other).replace(/^i$/i, "me"));
        return id === undefined ? undefined : `(assignee = ${id} OR reporter = ${id})`;
      },
    ],
    // "Without those already overdue": what is not due yet.
    [
      new RegExp(
        `${NOT}(?:those\\s+|what\\s+is\\s+)?(?:already\\s+)?(?:overdue|late|past\\s+(?:their|its|the)\\s+(?:due\\s+date|deadline))(?![\\p{L}])`,
        "diu",
      ),
      () => `(due >= ${toDay(around.now)} OR due is EMPTY)`,
    ],
    // "… which are assigned to somebody else than him", of what somebody has reported
    [
      new RegExp(
        `(?:\\b(?:but|and)\\s+)?(?:\\b(?:which|that)\\s+)?(?:are\\s+)?\\b(?:assigned\\s+to|with|owned\\s+by)\\s+(?:some|any)(?:body|one)\\s+else(?:\\s+than\\s+(?:(?:him|her|them)(?:sel(?:f|ves))?|${names}))?(?![\\p{L}])`,
        "diu",
      ),
      () => {
        const whose = new RegExp(
          `(?<![\\p{L}])(${names}|i)\\s+(?:has\\s+|have\\s+)?(?:reported|created|opened|filed|raised)|(?:reported|created|opened|filed|raised)\\s+by\\s+(${names})(?![\\p{L}])`,
          "iu",
        ).exec(sheet.text);
        const id = whose === null ? undefined : named((whose[1] ?? whose[2] ?? "").replace(/^i$/i, "me"));
        return id === undefined ? undefined : `assignee != ${id} AND assignee is not EMPTY`;
      },
    ],
    [
      /\b(?:with|has|have|having|containing)\s+(?:the\s+word\s+)?([\p{L}\p{N}_-]+)\s+in\s+(?:the|its|their)\s+(?:title|summary|name)s?(?![\p{L}])/diu,
      ([, word = ""]) => `summary ~ "${word}"`,
    ],
    // "Leave out those that nobody has begun"
    [
      new RegExp(
        `${NOT}(?:(?:that\\s+)?(?:nobody|no[ -]one)\\s+has\\s+(?:begun|started|touched)(?:\\s+(?:yet|with))*|unstarted)(?![\\p{L}])`,
        "diu",
      ),
      () => 'statusCategory != "To Do"',
    ],
    [
      new RegExp(`${NOT}(?:unassigned|unowned|(?:nobody|no[ -]one)\\s+(?:has|owns))(?![\\p{L}])`, "diu"),
      () => "assignee is not EMPTY",
    ],
    [
      new RegExp(`${NOT}(${names})(?:['’]s?)?(?![\\p{L}\\p{N}])`, "diu"),
      ([, person = ""]) => {
        const id = named(person);
        return id === undefined ? undefined : `(assignee != ${id} OR assignee is EMPTY)`;
      },
    ],
    // "Reported by Chloé but not assigned to her"
    [
      /(?<=\bby\s+(\p{L}+)\b.{0,40})\b(?:but\s+|and\s+)?(?:not|\p{L}+n['’]t)\s+(?:assigned\s+to|with|owned\s+by)\s+(?:her|him|them)(?:self|selves)?\b/diu,
      ([, person = ""]) => {
        const id = named(person);
        return id === undefined ? undefined : `(assignee != ${id} OR assignee is EMPTY)`;
      },
    ],
    [
      new RegExp(`${NOT}(${codes})(?![\\p{L}\\p{N}-])`, "diu"),
      ([, code = ""]) => {
        const id = projects.find((one) => [one.id, one.name].some((each) => sameWord(each, code)))?.id;
        return id === undefined ? undefined : `project != ${id}`;
      },
    ],
    [
      /\b(?:labels?|labell?ed|tags?|tagged)(?:\s+(?:as|with))?\s+(?:either\s+)?(?:the\s+)?([\p{L}\d_-]+)\s+or\s+(?:the\s+)?([\p{L}\d_-]+)|(?:the\s+)?([\p{L}\d_-]+)\s+or\s+(?:the\s+)?([\p{L}\d_-]+)\s+(?:labels?|tags?)\b/diu,
      ([, one, other, third, fourth]) => `labels in (${one ?? third ?? ""}, ${other ?? fourth ?? ""})`,
    ],
  ];
}

/** Takes the conditions of a search that its tool has no argument for, where it takes JQL as well. */
export function fillFurther(filling: Filling): void {
  const { entry, sheet, args } = filling;
  const slot = entry.slots.find(({ name, required }) => name === "jql" && !required);
  if (slot === undefined || entry.changing || filling.wish.tail !== undefined) return;
  const found: string[] = [];
  for (const [pattern, toJql] of furtherConditions(filling)) {
    const match = pattern.exec(sheet.masked);
    const jql = match === null ? undefined : toJql(match);
    if (match === null || jql === undefined || inTopic(filling, match.index)) continue;
    found.push(jql);
    sheet.take(match.index, match.index + match[0].length);
    const ones = /^\s+ones?\b/i.exec(sheet.masked.slice(match.index + match[0].length));
    if (ones) sheet.take(match.index + match[0].length, match.index + match[0].length + ones[0].length);
  }
  const each = new Set(found.flatMap((jql) => (/\bOR\b/.test(jql) ? [jql] : jql.split(" AND "))));
  if (each.size > 0) args[slot.name] = [...each].join(" AND ");
}

const ORDERED = /^(.*?)\s*(ORDER BY .*)?$/s;

/** More of a query is left as it is. */
const MOST_JQL = 2000;

/**
 * The query without what it says by these operators of the fields of some arguments: that holds no more. "" where
 * nothing is left of it.
 */
export function withoutClauses(jql: string, isOf: (argument: string) => boolean, operators: string): string {
  const fields = Object.entries(JQL_FIELDS).flatMap(([name, field]) => (isOf(name) ? [field] : []));
  if (jql.length > MOST_JQL || fields.length === 0) return jql;
  const [, where = "", order = ""] = ORDERED.exec(jql) ?? [];
  const own = new RegExp(`^\\(?(?:${fields.join("|")})\\s*(?:${operators})`, "i");
  const parts = where.split(/\s+AND\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/i);
  const rest = parts.filter((part) => !own.test(part));
  return rest.length === parts.length ? jql : [rest.join(" AND "), order].join(" ").trim();
}

/** What JQL calls an argument. */
const JQL_FIELDS: Readonly<Record<string, string>> = {
  assignee: "assignee",
  reporter: "reporter",
  project: "project",
  priority: "priority",
  type: "issuetype",
  status: "status",
  status_category: "statusCategory",
  epic: "parent",
};

/** Where JQL stands beside other conditions, which it replaces: all of them as JQL. */
export function withoutConflict(args: JsonObject, { slots }: ToolEntry): JsonObject {
  const slot = slots.find(({ name, required }) => name === "jql" && !required);
  const { jql, ...others } = args;
  const names = new Set(["epic", ...CONDITIONS.map(({ name }) => name)]);
  if (slot === undefined || typeof jql !== "string" || !Object.keys(others).some((name) => names.has(name)))
    return args;
  const { epic, ...rest } = others;
  const { jql: composed = "", ...more } = composeJql(rest, slot) ?? rest;
  const [, own = "", order = ""] = ORDERED.exec(asText(composed)) ?? [];
  const [, where = "", before = ""] = ORDERED.exec(jql) ?? [];
  const parts = [own, ...(epic === undefined ? [] : [`parent = ${asText(epic)}`]), where];
  const all = parts.filter((part) => part.trim() !== "").join(" AND ");
  return { ...more, jql: [all, order === "" ? before : order].filter((part) => part !== "").join(" ") };
}

/** The argument in which a search of another Jira server wants JQL, where it asks for nothing else. */
export function jqlSlot({ slots, changing, tool }: ToolEntry): Slot | undefined {
  if (changing || slots.some(({ name }) => /^(?:query|project|status)$/.test(name))) return undefined;
  const isJql = ({ name, description }: Slot): boolean =>
    /jql/i.test(name) || (/search/i.test(name) && /\bjql\b/i.test(description));
  return /search|find|query/i.test(tool.name)
    ? slots.find((slot) => slot.required && isJql(slot))
    : undefined;
}

/** A search's arguments for these conditions, and its order and limit; undefined where it has none for one of them. */
export function toSearch(args: JsonObject, entry: ToolEntry): JsonObject | undefined {
  const { limit, ...conditions } = args;
  const most = entry.slots.find(
    ({ kind, words }) => kind === "integer" && /limit|max|size/.test(words.join(" ")),
  );
  const limited = limit === undefined || most === undefined ? {} : { [most.name]: limit };
  const slot = jqlSlot(entry);
  if (slot === undefined) {
    const isTaken = Object.keys(conditions).every((name) => entry.slots.some((each) => each.name === name));
    return isTaken ? withoutConflict({ ...conditions, ...limited }, entry) : undefined;
  }
  const { jql, epic, ...own } = conditions;
  const composed = composeJql(own, slot)?.[slot.name];
  const [, where = "", order = ""] = ORDERED.exec(asText(composed ?? "")) ?? [];
  const parts = [where, jql ?? "", epic === undefined ? "" : `parent = ${asText(epic)}`].map(asText);
  const all = parts.filter((part) => part.trim() !== "").join(" AND ");
  return { [slot.name]: [all, order].filter((part) => part !== "").join(" "), ...limited };
}

/** The entry as if it took each condition by itself. */
export function withConditions(entry: ToolEntry, slot: Slot): ToolEntry {
  const others = entry.slots.filter(
    ({ name, required }) => name !== slot.name && !required && !CONDITIONS.some((each) => each.name === name),
  );
  return {
    ...entry,
    slots: [...CONDITIONS, ...others],
    intents: new Set([...entry.intents, "search"]),
    takesTopic: true,
  };
}

/** The arguments with their conditions as one text of JQL; undefined where there are none. */
export function composeJql(args: JsonObject, slot: Slot): JsonObject | undefined {
  const names = new Set(CONDITIONS.map(({ name }) => name));
  const text = (name: string): string | undefined =>
    typeof args[name] === "string" ? args[name] : undefined;
  const quoted = (value: string): string =>
    /^[\w-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  const same = (field: string, name: string): string[] => {
    const values = (text(name) ?? "")
      .split(/\s*,\s*/)
      .filter((value) => value !== "")
      .map(quoted);
    if (values.length > 1) return [`${field} in (${values.join(", ")})`];
    return values.map((value) => `${field} = ${value}`);
  };
  const since = (field: string): string[] => [
    ...(text(`${field}_after`) === undefined ? [] : [`${field} >= ${text(`${field}_after`) ?? ""}`]),
    ...(text(`${field}_before`) === undefined ? [] : [`${field} <= ${text(`${field}_before`) ?? ""}`]),
  ];
  const category = {
    open: "statusCategory != Done",
    todo: 'statusCategory = "To Do"',
    in_progress: 'statusCategory = "In Progress"',
    done: "statusCategory = Done",
  };
  const broad = text("status_category") as keyof typeof category | undefined;
  const query = text("query");
  const parts = [
    ...same("project", "project"),
    ...same("issuetype", "type"),
    ...same("status", "status"),
    ...(broad === undefined ? [] : [category[broad]]),
    ...same("priority", "priority"),
    ...(Array.isArray(args["labels"])
      ? args["labels"].map((label) => `labels = ${quoted(asText(label))}`)
      : []),
    ...(text("assignee") === "none" ? ["assignee is EMPTY"] : same("assignee", "assignee")),
    ...same("reporter", "reporter"),
    ...["created", "updated", "due"].flatMap(since),
    ...(query === undefined ? [] : [`text ~ "${query.replaceAll(/["\\]/g, String.raw`\$&`)}"`]),
  ];
  const order =
    text("order_by") === undefined
      ? ""
      : ` ORDER BY ${text("order_by") ?? ""} ${(text("order") ?? "desc").toUpperCase()}`;
  if (parts.length === 0 && order === "") return undefined;
  const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !names.has(name)));
  return { [slot.name]: `${parts.join(" AND ")}${order}`.trim(), ...rest };
}
