import { isDeepStrictEqual } from "node:util";

import type { Approval } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Statement, StatementChange, StatementInput, StatementObject } from "#contract/statement.ts";
import type { TurnResult } from "#contract/turn.ts";

import { isObject } from "./json.ts";
import { cutText, oneLine } from "./text.ts";
import { partsOf } from "./tool-names.ts";
import { humanise, toolTitle } from "./tool-words.ts";

/** The requests that a result waits for, in the order in which they were asked for. */
export function pendingOf({ pendingConfirmation, alsoPending = [] }: TurnResult): Approval[] {
  return pendingConfirmation === undefined ? [] : [pendingConfirmation, ...alsoPending];
}

/** The most characters of a title within a sentence. */
const TITLE_CHARS = 80;
/** The most characters of a button; platforms cut longer ones. */
const BUTTON_CHARS = 30;

/** "Delete DEMO-5 “Export fails on Safari” permanently", without a mark at its end. */
export function askText({ verb, object, rest }: Statement): string {
  return sentence(verb, objectText(object), rest);
}

/** "Deleted DEMO-5 “Export fails on Safari” permanently". */
export function doneText({ past, object, rest }: Statement): string {
  return sentence(past, objectText(object), rest);
}

/** "Delete DEMO-5", for a button. */
export function buttonText({ verb, object }: Statement): string {
  const whole = sentence(verb, object?.label ?? "", "");
  return whole.length <= BUTTON_CHARS ? whole : cutText(verb, BUTTON_CHARS);
}

/** "Move 2 issues to Done" for calls that do the same; else the first, and how many more. */
export function groupText(statements: readonly Statement[]): string {
  const [first] = statements;
  if (first === undefined) return "";
  if (statements.length === 1) return askText(first);
  const { verb, rest, object } = first;
  const isAlike = statements.every((one) => one.verb === verb && one.rest === rest);
  const kind = object?.kind ?? "record";
  if (isAlike) return sentence(verb, `${statements.length} ${kind}s`, rest);
  return `${askText(first)}, and ${statements.length - 1} more`;
}

function sentence(verb: string, object: string, rest: string | undefined): string {
  return [verb, object, rest ?? ""].filter((part) => part !== "").join(" ");
}

/** "DEMO-5 “Export fails on Safari”". */
export function objectText(object: StatementObject | undefined): string {
  const { label = "", title = "" } = object ?? {};
  const quoted = title === "" ? "" : `“${cutText(oneLine(title), TITLE_CHARS)}”`;
  return [oneLine(label, TITLE_CHARS), quoted].filter((part) => part !== "").join(" ");
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
export function sinceText(since: readonly StatementChange[]): string {
  const labels = since.map(({ label }) => oneLine(label, 40));
  const last = labels.at(-1) ?? "";
  return `${labels.length < 2 ? last : `${labels.slice(0, -1).join(", ")} and ${last}`} changed`;
}

/** What can be said of a tool of which nothing but its own words is known. */
export function plainStatement({ tool, args }: Pick<StatementInput, "tool" | "args">): Statement {
  const { destructiveHint } = tool.annotations;
  const main = mainValue(args);
  const verb = toolTitle(tool);
  return {
    verb: main === "" ? verb : `${verb}:`,
    past: main === "" ? `${verb}: done` : `${verb}:`,
    ...(main === "" ? {} : { object: { label: main } }),
    changes: [],
    isDestructive: destructiveHint === true,
  };
}

/** The statement of a call whose tool is not at hand. */
export function statementById(toolId: string, args: JsonObject): Statement {
  const { server, name } = partsOf(toolId);
  return plainStatement({ tool: { id: toolId, server, name, annotations: {}, inputSchema: {} }, args });
}

/** The arguments that say most of what a call is about, by what they are usually called. */
const MAIN: readonly RegExp[] = [/title|summary|subject|^name$/i, /key|path|url|^id$|_id$|Id$|name/, /./];

function mainValue(args: JsonObject): string {
  const texts = Object.entries(args).map(([name, value]) => ({ name, text: shortText(value) }));
  for (const pattern of MAIN) {
    const found = texts.find(({ name, text }) => text !== "" && pattern.test(name));
    if (found !== undefined) return cutText(found.text, TITLE_CHARS);
  }
  return "";
}

function shortText(value: JsonValue): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? oneLine(value) : "";
}
