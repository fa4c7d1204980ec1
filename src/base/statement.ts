import { isDeepStrictEqual } from "node:util";

import type { Approval } from "#contract/approval.ts";
import type { JsonValue } from "#contract/json.ts";
import type { Statement, StatementChange, StatementObject } from "#contract/statement.ts";
import type { TurnResult } from "#contract/turn.ts";

import { isObject } from "./json.ts";
import { cutText, oneLine, unseenAsEscapes } from "./text.ts";
import { humanise } from "./tool-words.ts";
import type { Words } from "./words/en.ts";
import { wordsOf } from "./words/words.ts";

/** The requests that a result waits for, in the order in which they were asked for. */
export function pendingOf({ pendingConfirmation, alsoPending = [] }: TurnResult): Approval[] {
  return pendingConfirmation === undefined ? [] : [pendingConfirmation, ...alsoPending];
}

/** The most characters of a title within a sentence. */
export const TITLE_CHARS = 80;
/** The most characters of a button; platforms cut longer ones. */
const BUTTON_CHARS = 30;

/** In the language in which people are asked. */
export function wordsFor({ language }: { language?: string | undefined }): Words {
  return wordsOf(language);
}

/** The language of a card about it. */
export function languageOf({ language }: { language?: string | undefined }): { language?: string } {
  return language === undefined ? {} : { language };
}

/** "Delete DEMO-5 “Export fails on Safari” permanently", without a mark at its end. */
export function askText(statement: Statement): string {
  const say = wordsFor(statement);
  return asLine(say.statement.ask(statement, objectText(statement.object, say)));
}

/** The same as a question. */
export function questionText(statement: Statement): string {
  return wordsFor(statement).statement.question(askText(statement));
}

/** "Deleted DEMO-5 “Export fails on Safari” permanently". */
export function doneText(statement: Statement): string {
  const say = wordsFor(statement);
  return asLine(say.statement.done(statement, objectText(statement.object, say)));
}

/** "DEMO-5 “Export fails on Safari” is already Done", for a call that would change nothing. */
export function alreadyText(statement: Statement): string {
  const say = wordsFor(statement);
  return asLine(say.statement.already(statement, objectText(statement.object, say)));
}

/** Whether each field that a change touches is already as it would be; lists are compared without their order. */
export function changesNothing(before: JsonValue, after: JsonValue): boolean {
  if (!isObject(before) || !isObject(after)) return false;
  const fields = Object.entries(after);
  const inOrder = (value: JsonValue | undefined): unknown =>
    Array.isArray(value) && value.every((item) => typeof item === "string") ? value.toSorted() : value;
  const isSame = ([name, value]: [string, JsonValue]): boolean =>
    Object.hasOwn(before, name) && isDeepStrictEqual(inOrder(before[name]), inOrder(value));
  return fields.length > 0 && fields.every(isSame);
}

/** "Delete DEMO-5", for a button. */
export function buttonText(statement: Statement): string {
  const { object } = statement;
  const { button, order } = wordsFor(statement).statement;
  const whole = object?.label === undefined ? "" : asLine(button(statement, object.label));
  if (whole !== "" && whole.length <= BUTTON_CHARS) return whole;
  const alone = asLine(order(statement));
  return alone.length <= BUTTON_CHARS ? alone : cutText(alone.split(" ", 1)[0] ?? "", BUTTON_CHARS);
}

/**
 * "Move DEMO-1 and DEMO-3 to Done" for calls that do the same; "Add label urgent to DEMO-3 and delete DEMO-4" for a
 * few others; else the first, and how many more.
 */
export function groupText(statements: readonly Statement[]): string {
  const [first] = statements;
  if (first === undefined) return "";
  if (statements.length === 1) return askText(first);
  const say = wordsFor(first);
  return (
    alikeText(statements, say, true) ??
    eachText(statements, say) ??
    say.statement.andMore(askText(first), statements.length - 1)
  );
}

/** The longest sentence that names different changes, in characters. */
const EACH_CHARS = 140;

/** Each by the record's short name; undefined where these are too many to read. */
function eachText(statements: readonly Statement[], say: Words): string | undefined {
  if (statements.length > MOST_NAMES) return undefined;
  const parts = statements.map((one) => {
    const { object } = one;
    const name = object?.label === undefined ? objectText(object, say) : oneLine(object.label, TITLE_CHARS);
    return asLine(say.statement.ask(one, name));
  });
  const text = say.and(parts.map((part, at) => (at === 0 ? part : say.statement.goesOn(part))));
  return text.length <= EACH_CHARS ? text : undefined;
}

/** "Move 2 issues", for the button that approves all of them; "Approve all 3" where they differ. */
export function groupButtonText(statements: readonly Statement[]): string {
  const say = wordsFor(statements[0] ?? {});
  const alike = alikeText(statements, say, false) ?? "";
  return alike !== "" && alike.length <= BUTTON_CHARS ? alike : say.statement.approveAll(statements.length);
}

/**
 * "Move 2 issues"; in full "Move DEMO-1 and DEMO-3 to Done", "Delete issues DEMO-1 and DEMO-3", or where they have no
 * short names "Create 2 bugs in DEMO". Undefined where they do not all do the same.
 */
function alikeText(statements: readonly Statement[], say: Words, inFull: boolean): string | undefined {
  const [first] = statements;
  if (first?.object === undefined) return undefined;
  const { verb, rest } = first;
  if (!statements.every((one) => one.verb === verb && one.rest === rest)) return undefined;
  const names = inFull ? namesOf(statements, first.object.kind ?? "record", say) : undefined;
  return asLine(say.statement.together(first, statements.length, names, inFull));
}

/** The most records that a sentence names one by one. */
const MOST_NAMES = 3;

/** "DEMO-1 and DEMO-3", "DEMO-1, DEMO-2 and 4 more issues"; undefined where one has no short name. */
function namesOf(statements: readonly Statement[], kind: string, say: Words): string | undefined {
  const labels = statements.flatMap(({ object }) => (object?.label === undefined ? [] : [object.label]));
  if (labels.length < statements.length) return undefined;
  const shown = labels.length > MOST_NAMES ? MOST_NAMES - 1 : labels.length - 1;
  const left = labels.length - shown;
  const last = left === 1 ? (labels.at(-1) ?? "") : say.statement.moreOf(left, kind);
  return say.and([...labels.slice(0, shown), last]);
}

function asLine(text: string): string {
  return unseenAsEscapes(oneLine(text));
}

/** "DEMO-5 “Export fails on Safari”". */
export function objectText(object: StatementObject | undefined, say: Words): string {
  const { label = "", title = "" } = object ?? {};
  const parts = [oneLine(label, TITLE_CHARS), title === "" ? "" : say.quote(plainTitle(title))];
  return unseenAsEscapes(parts.filter((part) => part !== "").join(" "));
}

/** A text of others within a sentence; none of its own marks ends it, so it cannot speak for the sentence. */
export function quoted(text: string, max: number = TITLE_CHARS): string {
  return `“${plainTitle(text, max)}”`;
}

/** The same without the marks around it. */
export function plainTitle(text: string, max: number = TITLE_CHARS): string {
  return cutText(oneLine(text), max).replaceAll(/[“”„‟«»]/g, '"');
}

/** What people read of a change before they decide. */
type Read = Pick<Approval, "statement" | "effect">;

/**
 * What people read of a record, and is otherwise now: of what both tell, so that a statement which is worded
 * otherwise than it was differs in nothing.
 */
export function changedSince(approved: Read, now: Read): StatementChange[] {
  const [before, after] = [factsOf(approved), factsOf(now)];
  return [...before].flatMap(([label, value]) =>
    !after.has(label) || isDeepStrictEqual(value, after.get(label))
      ? []
      : [{ label, before: value, after: after.get(label) ?? null }],
  );
}

function factsOf({ statement: { object, changes }, effect }: Read): Map<string, JsonValue> {
  const title = object?.title === undefined ? [] : ([["Title", object.title]] as const);
  const told = changes.map(({ label, before = null }) => [label, before] as const);
  const { before = null, after = null } = effect ?? {};
  const touched = isObject(before) && isObject(after) ? Object.entries(before) : [];
  const tried = touched.map(([name, value]) => [humanise(name), value ?? null] as const);
  return new Map([...title, ...(told.length > 0 ? told : tried)]);
}

/** "Status and Assignee changed", for a sentence. */
export function sinceText(since: readonly StatementChange[], say: Words): string {
  return say.statement.since(say.and(since.map(({ label }) => labelText(oneLine(label, 40), say))));
}

/** What a field is called; names of servers stay as they are. */
export function labelText(label: string, { labels }: Words): string {
  return (Object.hasOwn(labels, label) ? labels[label] : undefined) ?? label;
}
