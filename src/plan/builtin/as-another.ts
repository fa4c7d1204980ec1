import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { KnownName, PlanInput } from "#contract/plan.ts";

import { isObject } from "../../base/json.ts";
import { dayAfter } from "./dates.ts";
import { CALLED, type Described, isKey, type ReadRecord, RENAMES } from "./described.ts";
import { DICTATES } from "./padding.ts";
import { sayableName } from "./people.ts";
import { headOf, toReferents } from "./refer.ts";
import { KEY as ID, NUMBER_WORDS } from "./words.ts";

type Field = "due date" | "priority" | "assignee" | "epic" | "status" | "labels";

const IT = "it|this(?:\\s+one)?|that(?:\\s+one)?";
/** What is changed. */
const WHAT = `(?<what>${ID}(?:(?:\\s*,\\s*|\\s+and\\s+)${ID})*|${IT}|the\\s+(?:[\\p{L}\\d'’-]+\\s+){1,4}?(?:bug|story|task|ticket|issue|epic|one)(?![\\p{L}\\d-]))`;
/** The same where another alternative has that name. */
const WHAT_ELSE = WHAT.replace("<what>", "<other>");
/** The record whose value is meant. */
const OF = `(?:(?<of>${ID}|${IT})(?![\\p{L}\\d-])|${CALLED})`;
const HAS = "(?:\\s+(?:has|have|is\\s+in|is\\s+under|is\\s+on|is|does))?";
const NAMES =
  "due\\s+(?:dates?|day)|deadlines?|dates?|day|priority|prio|assignee|owner|person|people|colleague|epic|parent|status|state|column|labels?|tags?";
const SAME = `(?:exactly\\s+)?(?:the\\s+)?same\\s+(?<field>${NAMES})`;
const COUNT = "(?:an?|one|two|three|four|five|six|seven|ten|\\d{1,3})";
const AWAY = `(?:(?:(?<count>${COUNT})\\s+(?<unit>day|week)s?|the\\s+(?<next>day|week))\\s+(?<side>before|after|ahead\\s+of|later\\s+than|earlier\\s+than)|(?:on\\s+)?the\\s+same\\s+day\\s+as|(?:at\\s+)?the\\s+same\\s+time\\s+as|when)`;
const VERB =
  "(?:(?:please|pls)\\s+)?(?:give|set|make|put|move|get|assign|reassign|hand|pass|change|update|bring|pull|push|shift)";
const OUGHT = "(?:should|must|shall|can|could|needs?\\s+to|has\\s+to|ought\\s+to)\\s+(?:also\\s+)?";
const TO = "(?:\\s+(?:over\\s+)?(?:to|into|in|onto|on|under|with|at|have|get|for))*";

/** "… to that of" */
const ITS = `(?:the\\s+same\\s+as|that\\s+of|the\\s+one\\s+of|what(?:ever)?|the\\s+(?:${NAMES})\\s+(?:of|on)|those\\s+of|as)\\s+`;

/** Orders that give a record what another one has; `what` is changed, `of` has it. */
const ORDERS = [
  // "Give DEMO-4 the same due date as DEMO-15", "put DEMO-4 in the same epic as DEMO-15"
  `${VERB}\\s+${WHAT}${TO}\\s+${SAME}\\s+(?:as|like|that)\\s+${OF}${HAS}`,
  // "DEMO-4 should have the same priority as DEMO-15"
  `${WHAT}\\s+(?:${OUGHT}(?:have|get|go|be|belong)|gets|goes|belongs)${TO}\\s+${SAME}\\s+(?:as|like|that)\\s+${OF}${HAS}`,
  // "Same priority for DEMO-4 as DEMO-15"
  `${SAME}\\s+(?:for|on)\\s+${WHAT}\\s+(?:as|like)\\s+${OF}${HAS}`,
  // "Set the due date of DEMO-4 to that of DEMO-15"
  `(?:set|change|make|update|match)\\s+(?:the\\s+)?(?<field>${NAMES})\\s+(?:of|on|for)\\s+${WHAT}\\s+(?:(?:to|equal|match|be)\\s+)*(?:(?:${ITS})+${OF}|(?<by>${ID}))${HAS}(?:['’]s(?:\\s+(?:${NAMES}))?)?`,
  // "Copy the labels of DEMO-15 to DEMO-4"
  `(?:copy|take\\s+over|use)\\s+(?:the\\s+)?(?<field>${NAMES})\\s+(?:of|from|on)\\s+${OF}\\s+(?:over\\s+)?(?:to|onto|for|on)\\s+${WHAT}`,
  // "Make DEMO-4 due two days before DEMO-15"
  `(?:(?:make|set|have)\\s+${WHAT}\\s+(?:to\\s+be\\s+)?|${WHAT_ELSE}\\s+${OUGHT}be\\s+)(?<due>due)(?:\\s+date)?(?:\\s+to)?\\s+${AWAY}\\s+${OF}(?:\\s+is(?:\\s+due)?)?`,
  `(?:move|push|pull|shift|set|change)\\s+(?:the\\s+(?<due>due\\s+date|deadline)\\s+(?:of|for|on)\\s+)${WHAT}\\s+(?:to\\s+)?${AWAY}\\s+(?:(?:that|the\\s+one)\\s+of\\s+)?${OF}(?:\\s+is(?:\\s+due)?|['’]s)?`,
  // "Priority same as DEMO-15", of the record on the screen
  `(?<=^\\W*(?:(?:and|ok|also|with)\\s+)*)(?:(?:the\\s+|its\\s+)?(?<field>${NAMES})\\s+(?:the\\s+)?same\\s+as\\s+${OF}${HAS}|${SAME}\\s+as\\s+${OF}${HAS}(?=\\W*$))`,
  // "Label DEMO-4 like DEMO-15"
  `(?<labels>label|tag)\\s+${WHAT}\\s+(?:like|as|the\\s+same(?:\\s+way)?\\s+as)\\s+${OF}`,
].map((pattern) => new RegExp(`(?<![\\p{L}\\d-])${pattern}(?![\\p{L}\\d-])`, "iu"));

/** The same of the record on the screen: "give DEMO-4 the same priority" */
const ON_SCREEN = [
  `${VERB}\\s+(?<what>${ID})${TO}\\s+${SAME}(?:\\s+(?:too|as\\s+well|then|please|pls))*`,
  `(?<what>${ID})\\s+(?:${OUGHT}(?:have|get|go|be|belong)|gets|goes|belongs)${TO}\\s+${SAME}(?:\\s+(?:too|as\\s+well|then|please|pls))*`,
  `(?:the\\s+)?same\\s+(?<field>${NAMES})\\s+(?:for|on)\\s+(?<what>${ID})(?:\\s+(?:too|as\\s+well|then|please|pls))*`,
].map((pattern) => new RegExp(`(?<![\\p{L}\\d-])${pattern}(?=\\s*(?:[.!,;]|$|and\\b))`, "iu"));

/** "A task in the same epic as DEMO-14": the value stands for it where it is said. */
const PLACED = new RegExp(`(?<![\\p{L}\\d-])${SAME}\\s+(?:as|like)\\s+${OF}${HAS}(?![\\p{L}\\d-])`, "iu");

/** "Swap the owners of DEMO-4 and DEMO-15" */
const SWAPS = [
  `(?:swap|switch|exchange|trade)\\s+(?:round\\s+)?(?:the\\s+)?(?<field>${NAMES}|assignees|owners|priorities|epics|statuses)\\s+(?:of|between|on|for)\\s+(?<one>${ID})\\s+(?:and|with|&)\\s+(?<other>${ID})`,
  `(?<one>${ID})\\s+(?:and|with|&)\\s+(?<other>${ID})\\s+(?:should\\s+)?(?:swap|switch|exchange|trade)\\s+(?:the\\s+|their\\s+)?(?<field>${NAMES}|assignees|owners|priorities|epics|statuses)`,
].map((pattern) => new RegExp(`(?<![\\p{L}\\d-])${pattern}(?![\\p{L}\\d-])`, "iu"));

/**
 * What gives a record the value that another one has, which is read first: "give DEMO-4 the same due date as DEMO-15",
 * "make it due a week after DEMO-3". Undefined where a message says nothing of the kind.
 */
export function asAnother(input: PlanInput): Described | undefined {
  const head = headOf(input.message);
  if (!/\b(?:same|due|deadline|swap|switch|exchange|trade|copy|take over|use|like|that of)\b/i.test(head))
    return undefined;
  // What is dictated stays as it is said.
  const given = [DICTATES, RENAMES].map((pattern) => head.search(pattern)).filter((at) => at >= 0);
  const { thing } = toReferents(input, []);
  const keyOf = (said: string | undefined): string | undefined => {
    const id = said !== undefined && isKey(said) ? said.toUpperCase() : thing?.id;
    return id !== undefined && isKey(id) ? id : undefined;
  };
  const plain = head.slice(0, Math.min(head.length, ...given));
  // Under a condition it may not be wished at all.
  if (/\b(?:if|unless|whether|once|until)\b/i.test(plain)) return undefined;
  const ordered = isAsked(plain) ? undefined : (swapIn(input, plain) ?? orderIn(input, plain, keyOf));
  return ordered ?? placedIn(input, plain, keyOf);
}

/** "Does DEMO-4 have the same priority as MOB-3", and not "can you give it the same?" */
function isAsked(text: string): boolean {
  return (
    /^\W*(?:and\s+|so\s+|but\s+)*(?:is|are|was|were|do|does|did|has|have|had|why|when|what|which|who|how|where|should|shall|must|will)\b/i.test(
      text,
    ) ||
    (/\?\s*$/.test(text) && !/\b(?:can|could|would|will)\s+(?:you|we|i)\b|\b(?:please|pls)\b/i.test(text))
  );
}

function swapIn(input: PlanInput, head: string): Described | undefined {
  const found = SWAPS.map((pattern) => pattern.exec(head)).find((one) => one !== null);
  const { one = "", other = "", field: said = "" } = found?.groups ?? {};
  if (!found || one.toUpperCase() === other.toUpperCase()) return undefined;
  const field = fieldOf(said);
  // Each would only get more of them.
  if (field === "labels") return undefined;
  return {
    of: { value: field },
    reads: [one.toUpperCase(), other.toUpperCase()],
    resolve: (records) => {
      const [first, second] = records.map((record) => valueOf(record, field, input.known));
      if (first === undefined || second === undefined || records.length < 2) return undefined;
      const order = `${orderFor(field, one, second)}, ${orderFor(field, other, first)}`;
      return { text: replacedIn(input.message, found, order), put: [first, second] };
    },
  };
}

function orderIn(
  input: PlanInput,
  head: string,
  keyOf: (said: string | undefined) => string | undefined,
): Described | undefined {
  const shown = keyOf(undefined);
  const plain = ORDERS.map((pattern) => pattern.exec(head)).find((one) => one !== null);
  const found = plain ?? ON_SCREEN.map((pattern) => pattern.exec(head)).find((one) => one !== null);
  const {
    other = "",
    what = other,
    by,
    of = by,
    called,
    field: said,
    labels,
    count,
    unit,
    next,
    side = "",
  } = found?.groups ?? {};
  const key = plain ? (called ?? keyOf(of)) : shown;
  // Nothing is as it is itself.
  if (!found || key === undefined || keyOf(what) === key) return undefined;
  const field = said === undefined ? (labels === undefined ? "due date" : "labels") : fieldOf(said);
  const many = NUMBER_WORDS[count?.toLowerCase() ?? ""] ?? (Number(count) || 1);
  const away = side === "" ? 0 : many * (/week/i.test(unit ?? next ?? "") ? 7 : 1);
  const days = /before|ahead|earlier/i.test(side) ? -away : away;
  return takenOver(input, key, field, found, (value) => orderFor(field, what, value), days);
}

/** A message with what another record has, so many days later, in the place of what was found in it. */
function takenOver(
  { message, known }: PlanInput,
  key: string,
  field: Field,
  found: RegExpExecArray,
  said: (value: string) => string,
  days = 0,
): Described {
  return {
    of: { value: field },
    reads: [key],
    resolve: ([record]) => {
      const value = record && valueOf(record, field, known);
      if (value === undefined) return undefined;
      const own = field === "due date" ? dayAfter(value, days) : value;
      return { text: replacedIn(message, found, said(own)), put: [own] };
    },
  };
}

function placedIn(
  input: PlanInput,
  head: string,
  keyOf: (said: string | undefined) => string | undefined,
): Described | undefined {
  const found = PLACED.exec(head);
  const key = found?.groups?.["called"] ?? keyOf(found?.groups?.["of"]);
  if (found === null || key === undefined) return undefined;
  const said = found.groups?.["field"] ?? "";
  const field = fieldOf(said);
  const inPlace = (value: string): Record<Field, string> => ({
    "due date": `due date ${value}`,
    priority: `${value.toLowerCase()} priority`,
    assignee: /^(?:assignee|owner)$/i.test(said) ? `assignee ${value}` : value,
    epic: `epic ${value}`,
    status: `status ${value}`,
    labels: `labels ${value}`,
  });
  return takenOver(input, key, field, found, (value) => inPlace(value)[field]);
}

function replacedIn(message: string, { index, 0: said }: RegExpExecArray, instead: string): string {
  return message.slice(0, index) + instead + message.slice(index + said.length);
}

function orderFor(field: Field, what: string, value: string): string {
  if (field === "assignee") return `assign ${what} to ${value}`;
  if (field === "epic") return `put ${what} under epic ${value}`;
  if (field === "status") return `move ${what} to ${value}`;
  if (field === "labels") return `add the labels ${value} to ${what}`;
  return `set the ${field} of ${what} to ${value}`;
}

function fieldOf(said: string): Field {
  if (/^(?:due|dead|da)/i.test(said)) return "due date";
  if (/^prio/i.test(said)) return "priority";
  if (/^(?:epic|parent)/i.test(said)) return "epic";
  if (/^(?:stat|column)/i.test(said)) return "status";
  return /^(?:label|tag)/i.test(said) ? "labels" : "assignee";
}

/** "In Review": no key, and nothing that would be read as one more order. */
const PLAIN_STATE =
  /^(?!.*(?<!\p{L})(?:and|then|or|but|it|this|that|them|und|dann|oder|es)(?!\p{L}))\p{L}+(?:[ '’/-]\p{L}+){0,3}$/iu;

/** What a record says of a field, where a message may hold it: servers and people choose the words. */
function valueOf(
  { record, data }: ReadRecord,
  field: Field,
  known: readonly KnownName[] = [],
): string | undefined {
  if (field === "assignee") {
    const one = record.people?.find(({ role }) => role === "assignee" || role === "owner");
    const people = known.filter(({ kind }) => kind === "person");
    return one && sayableName(one.name, people);
  }
  if (field === "epic")
    return record.parent !== undefined && isKey(record.parent) ? record.parent : undefined;
  if (field === "due date") return textIn(data, ["due_date", "duedate", "due"], /^\d{4}-\d\d-\d\d$/);
  if (field === "priority") return textIn(data, ["priority"], /^\p{L}{2,20}$/u);
  if (field === "status") {
    const state = textIn(data, ["status", "state"], PLAIN_STATE);
    return known.find(({ kind, name }) => kind === "status" && name === state)?.name;
  }
  const all = data["labels"];
  const labels = Array.isArray(all) ? all.filter((one) => typeof one === "string") : [];
  const isPlain = labels.length > 0 && labels.every((one) => /^[\p{L}\d][\p{L}\d_-]{0,39}$/u.test(one));
  return isPlain ? labels.join(" and ") : undefined;
}

function textIn(data: JsonObject, names: readonly string[], shape: RegExp): string | undefined {
  const value: JsonValue | undefined = names.map((name) => data[name]).find((one) => one !== undefined);
  const text = isObject(value) ? value["name"] : value;
  return typeof text === "string" && shape.test(text) ? text : undefined;
}
