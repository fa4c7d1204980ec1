import type { JsonValue } from "#contract/json.ts";

import { isObject } from "../../base/json.ts";
import { KEY } from "./words.ts";

/** An order that depends on how its record is: "if nobody has DEMO-6, give it to Ben". */
export interface Condition {
  /** The record's key. */
  key: string;
  /** What is to be done where it holds, with the record by its key. */
  order: string;
  /** Undefined where the record does not say. */
  holds: (record: JsonValue) => boolean | undefined;
}

const ORDER =
  "(?:(?:please|pls|then)\\s+)*(?:(?:re|un)?assign|add|remove|rename|link|give|hand|close|move|set|make|mark|start|reopen|bump|raise|lower|put|label|tag|i['’]?d\\s+like\\s+to\\s+(?:have|take|do))\\b[^;:!?]*?";
const SAID = "(?<said>[^,;:!?]{3,80}?)";
const FORMS = [
  `^\\W*(?:(?:please|only)\\s+)*(?<word>if|in\\s+case|unless)\\s+${SAID},\\s*(?<order>${ORDER})[\\s.!]*$`,
  `^\\W*(?<order>${ORDER}),?\\s+(?:(?:but|only)\\s+)*(?<word>if|in\\s+case|unless|as\\s+long\\s+as|provided(?:\\s+that)?)\\s+${SAID}[\\s.!]*$`,
].map((pattern) => new RegExp(pattern, "isu"));

const THING = `(?:${KEY}|it|this|that)`;
const IS = "(?:['’]s(?:\\s+not)?|\\s+isn['’]?t|\\s+is(?:\\s+not)?)";
const HOW = "(?:\\s+(?:still|already|yet|now|currently))*";
const UNASSIGNED = new RegExp(
  `^(?:nobody|no[ -]one)(?:\\s+else)?(?:['’]s|\\s+(?:has|owns|took|takes|is|works))${HOW}(?:\\s+(?:on|working\\s+on|taken))?\\s+${THING}${HOW}$|^${THING}(?:['’]s|\\s+is)${HOW}\\s+(?:unassigned|free|not\\s+assigned|up\\s+for\\s+grabs)$|^${THING}${HOW}\\s+has\\s+no\\s+(?:owner|assignee)$`,
  "iu",
);
const ASSIGNED = new RegExp(
  `^(?:some|any)(?:body|one)(?:\\s+else)?(?:['’]s|\\s+(?:has|owns|took|is|works))${HOW}(?:\\s+(?:on|working\\s+on|taken))?\\s+${THING}$|^${THING}(?:['’]s|\\s+is)${HOW}\\s+(?:assigned|taken)$`,
  "iu",
);
const STATE = new RegExp(
  `^${THING}(?<is>${IS})${HOW}\\s+(?<state>open|done|closed|finished|to\\s+do|in\\s+progress|in\\s+review|in\\s+the\\s+backlog)(?:\\s+yet)?$`,
  "iu",
);

/** The condition of an order where the one record that it is of can tell. */
export function conditionIn(message: string): Condition | undefined {
  const { said, word, order } = FORMS.map((form) => form.exec(message)?.groups).find(Boolean) ?? {};
  if (said === undefined || word === undefined || order === undefined) return undefined;
  // "If OPS-4 is done, move DEMO-1": what is asked about need not be what is changed.
  const [asked, ...more] = keysIn(said);
  const [changed, ...others] = keysIn(order);
  const key = asked ?? changed;
  const decided = deciderOf(said.trim());
  if (key === undefined || more.length + others.length > 0 || decided === undefined) return undefined;
  const isUnless = word.toLowerCase() === "unless";
  const own = order.replace(/^i['’]?d\s+like\s+to\s+(?:have|take|do)\s+(\S+)$/iu, "assign $1 to me");
  return {
    key,
    order: new RegExp(KEY, "u").test(own) ? own : own.replace(/\b(?:it|this|that)\b/iu, key),
    holds(record) {
      const holds = decided(record);
      return holds === undefined ? undefined : holds !== isUnless;
    },
  };
}

function keysIn(text: string): string[] {
  return [...new Set((text.match(new RegExp(KEY, "gu")) ?? []).map((one) => one.toUpperCase()))];
}

type Decider = (record: JsonValue) => boolean | undefined;

function deciderOf(said: string): Decider | undefined {
  if (UNASSIGNED.test(said)) return isUnassigned;
  if (ASSIGNED.test(said)) {
    return (record) => {
      const isFree = isUnassigned(record);
      return isFree === undefined ? undefined : !isFree;
    };
  }
  const { is = "", state } = STATE.exec(said)?.groups ?? {};
  if (state === undefined) return undefined;
  const isNot = /n['’]?t|not/i.test(is);
  return (record) => {
    const found = isIn(record, state.toLowerCase().replaceAll(/\s+/g, " "));
    return found === undefined ? undefined : found !== isNot;
  };
}

function isUnassigned(record: JsonValue): boolean | undefined {
  return isObject(record) && Object.hasOwn(record, "assignee") ? record["assignee"] === null : undefined;
}

function isIn(record: JsonValue, state: string): boolean | undefined {
  if (!isObject(record)) return undefined;
  const { status, status_category: category } = record;
  if (typeof status !== "string" || typeof category !== "string") return undefined;
  if (state === "open") return category !== "done";
  if (/^(?:done|closed|finished)$/.test(state)) return category === "done";
  return status.toLowerCase() === state.replace(/^in the /, "");
}
