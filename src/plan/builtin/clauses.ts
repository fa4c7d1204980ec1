import { isDeepStrictEqual } from "node:util";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { MeantChange } from "#contract/plan.ts";
import { isObject } from "../../base/json.ts";
import { DAY } from "./dates.ts";
import { ORDERED } from "./on-screen.ts";
import { DICTATES } from "./padding.ts";
import { COLON, createSheet, QUOTED } from "./sheet.ts";
import { isNew } from "./titles.ts";
import { KEY } from "./words.ts";

/** No quote, and no end of a clause. */
const PLAIN = "(?:[^\"“”'’:;,.!?\\n]|(?<=\\p{L})['’](?=\\p{L}))";
const RECORD = `(?:${KEY}|(?<=^|\\s)(?:it|this\\s+one|that\\s+one)(?=[\\s,.]))`;
const FIRST = new RegExp(
  `^(?<first>(?:${PLAIN}|[,.])*?${RECORD}${PLAIN}*?)(?:\\s*[,;]\\s+(?:and\\s+)?|[.!]\\s+|\\s+and\\s+)(?=[\\p{L}\\p{N}])`,
  "iu",
);
/** What takes something back, leaves it open or writes somebody's words: then no part of a message stands for itself. */
const TURNS =
  /\?|\b(?:no|not|never|wait|sorry|actually|instead|rather|but|or|nor|if|unless|until|when|once|except|without|don['’]?t|doesn['’]?t|won['’]?t|can['’]?t|maybe|perhaps|same|all|both|each|other|comment|note|tell|say|write|ask|create|new|add|page|link|delete|remove|said|says|thinks?|told)\b/i;
/** How something is, which may be told and no order. */
const STATES_FACT = /\b(?:is|are|was|were|has|have|had)\b|['’]s\b/i;

const VALUE = /\b(?:due|highest|high|medium|low|lowest|done|review|progress|mine|labels?)\b/i;
const LAST = new RegExp(`(?:[,;.!]\\s+(?:and\\s+)?|\\s+and\\s+)(?<last>${PLAIN}{4,60})[\\s.!]*$`, "iu");
const PRONOUN = /(?<![\p{L}\p{N}'’-])(?:it|this\s+one|that\s+one)(?![\p{L}\p{N}'’-])/iu;
/** What a message like this says in parts stands for itself in none. */
const TURNED = /\b(?:wait|sorry|instead|rather)\b/i;

/** Longer ones are no few orders, and each key in them would be looked behind. */
const MOST_CHARS = 500;

/** A clause of a message that may ask for something by itself. */
export interface Clause {
  text: string;
  /** The clause with the record that it is of. */
  order: string;
  isFact: boolean;
  hasValue: boolean;
}

/** The first clause of a message of several, where it is of a record: "DEMO-15 due friday, label it hotfix". */
export function firstClause(message: string): Clause | undefined {
  if (message.length > MOST_CHARS) return undefined;
  const text = FIRST.exec(message)?.groups?.["first"]?.trim();
  return text === undefined || TURNED.test(message) ? undefined : toClause(text, text);
}

/** The last clause of a message of several, of a record that the others are of: "close DEMO-15, I'll take it". */
export function lastClause(message: string, key: string): Clause | undefined {
  if (message.length > MOST_CHARS) return undefined;
  const { masked } = createSheet(message);
  // What is written or new goes on to its end.
  if (COLON.test(masked) || DICTATES.test(masked) || isNew(masked) || TURNED.test(message)) return undefined;
  const text = LAST.exec(message)?.groups?.["last"]?.trim();
  if (text === undefined || new RegExp(KEY, "u").test(text)) return undefined;
  return toClause(text, PRONOUN.test(text) ? text.replace(PRONOUN, key) : `${key} ${text}`);
}

function toClause(text: string, order: string): Clause | undefined {
  if (TURNS.test(text)) return undefined;
  return { text, order, isFact: STATES_FACT.test(text), hasValue: VALUE.test(text) };
}

/** Whether a step has a change already, or another of the same value: what is said last is meant then. */
export function hasChange(
  changes: readonly Pick<MeantChange, "tool" | "args">[],
  { tool, args }: MeantChange,
): boolean {
  const own = leavesOf(args);
  return changes.some((one) => {
    if (one.tool !== tool) return false;
    const other = leavesOf(one.args);
    const records = [...own].flatMap(([name, value]) =>
      typeof value === "string" && IS_KEY.test(value) && other.get(name) === value ? [name] : [],
    );
    const isOther = (name: string): boolean => !records.includes(name) && other.has(name);
    const isPart = [...own].every(([name, value]) => isDeepStrictEqual(other.get(name), value));
    return isPart || (records.length > 0 && [...own.keys()].some(isOther));
  });
}

const IS_KEY = new RegExp(`^${KEY}$`, "iu");

/** Each value of a call by its name. */
function leavesOf(args: JsonObject): Map<string, JsonValue> {
  return new Map(
    Object.entries(args).flatMap(([name, value]): [string, JsonValue][] =>
      isObject(value) ? [...leavesOf(value)] : [[name, value]],
    ),
  );
}

const LEVEL = "(highest|high|medium|low|lowest)";
/** Values that stand for themselves, as the orders that they are. */
const BARE: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^(?:with\\s+)?${LEVEL}(?:\\s+prio(?:rity)?)?$`, "iu"), "set the priority of it to $1"],
  [new RegExp(`^prio(?:rity)?(?:\\s+to|\\s+is|:)?\\s+${LEVEL}$`, "iu"), "set the priority of it to $1"],
  [new RegExp(`^due\\s+(?:on\\s+|by\\s+)?(${DAY})$`, "iu"), "set the due date of it to $1"],
  [/^(?:add\s+)?label\s+(?!it\b|this\b|that\b|the\b)([\p{L}\d_-]+)$/iu, "add the label $1 to it"],
  [/^add\s+the\s+([\p{L}\d_-]+)\s+label$/iu, "add the label $1 to it"],
];
const JOINT = /(\s*[,;]\s+(?:and\s+)?|[.!]\s+|\s+and\s+)/iu;
const STARTS =
  /^\W*(?:(?:please|pls|can you|could you|and|then)\s+)*(?:re-?assign|assign|unassign|give|hand|pass|take|move|set|put|make|close|reopen|start|finish|resolve|label|tag|mark|push|bump|raise|lower|rename|hang|add|remove|drop|postpone|i(?:['’]?ll|\s+will)\s+take)\s/iu;

const OF_EPIC = new RegExp(`\\b(?:epic|under|into)\\s+(?:the\\s+)?(?:epic\\s+)?${KEY}`, "iu");

/**
 * "Close DEMO-15, prio high, and due friday" with an order for each: what has no verb is of the record that the first
 * clause is of. Left as it is where several records are named, something new is asked for or somebody's words are written.
 */
export function withVerbs(message: string): string {
  const { masked } = createSheet(message);
  const keys = new Set(masked.toUpperCase().match(new RegExp(KEY, "gu")));
  if (message.length > MOST_CHARS || masked.includes(QUOTED)) return message;
  if (keys.size > 1 || COLON.test(masked) || DICTATES.test(masked) || isNew(masked) || /\?/.test(masked))
    return message;
  const [first = "", ...others] = message.replace(/[\s.!]+$/, "").split(JOINT);
  const isOrder = STARTS.test(first) && new RegExp(`${KEY}|\\bit\\b`, "iu").test(first);
  if (!isOrder || TURNED.test(message)) return message;
  const said = others.map((part) => {
    const [pattern, order] = BARE.find(([one]) => one.test(part)) ?? [];
    return pattern === undefined || order === undefined ? part : part.replace(pattern, order);
  });
  const text = said.some((part, at) => part !== others[at]) ? [first, ...said].join("") : message;
  const [key] = keys;
  // "… put it under the search epic": the record, and not the epic that is named last.
  const isRecord =
    key !== undefined && first.toUpperCase().includes(key) && !PRONOUN.test(first) && !OF_EPIC.test(first);
  return isRecord && /\bepic\b/i.test(text) ? text.replaceAll(ORDERED, `$1${key}`) : text;
}
