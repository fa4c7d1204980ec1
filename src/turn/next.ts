import type { Approval, PolicyDecision } from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { NextStep, ShownRecord, MeantChange } from "#contract/plan.ts";
import type { Statements } from "#contract/statement.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";

import { isObject } from "../base/json.ts";
import { literally } from "../base/matching.ts";
import { nextPage } from "../base/paging.ts";
import { statementById } from "../base/plain-statement.ts";
import { type Redactor, withSecretsOf } from "../base/redact.ts";
import { shownIn } from "../base/records.ts";
import { askText, buttonText, plainTitle } from "../base/statement.ts";
import { toolById } from "../base/tool-names.ts";
import { shortVerb, verbRank } from "../base/tool-words.ts";
import type { Words } from "../base/words/en.ts";
import { likelyValues } from "./likely.ts";
import type { PresentedCall } from "./results.ts";
import { inverseOf } from "./undo.ts";

export interface NextDeps {
  tools: ToolBox;
  policy: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  statements: Pick<Statements, "of">;
  redactor: Redactor;
  /** For what stands on the buttons. */
  say: Words;
}

/** Under one record; more would bury it. */
const MOST_ACTIONS = 3;

/**
 * What can be done with what the calls of a turn brought: a list read on, a failed call made again, a change
 * taken back, and what the record's own server offers to do with it.
 */
export function nextSteps(presented: readonly PresentedCall[], channel: string, deps: NextDeps): NextStep[] {
  const { buttons: say } = deps.say;
  const steps = presented.flatMap((one) => {
    const tool = toolById(deps.tools, one.call.toolId);
    if (tool === undefined || one.call.server === "builtin") return [];
    return [...morePages(one, tool, say), ...tryAgain(one, tool, say), ...takeBack(one, tool, say)];
  });
  // Of several changes each way back says which.
  const undone = steps.filter(({ kind }) => kind === "undo");
  const named = steps.map((step) =>
    undone.length > 1 && step.kind === "undo" ? namedUndo(step, say) : step,
  );
  return [...named, ...actionsOn(presented, channel, deps)];
}

/** Changes that the message may have asked for, each as the button that says it. */
export function meantSteps(
  meant: readonly MeantChange[],
  { channel, language }: { channel: string; language?: string | undefined },
  { tools, policy, statements, redactor }: Omit<NextDeps, "say">,
): NextStep[] {
  return meant.slice(0, MOST_ACTIONS).flatMap(({ tool: id, args, about }): NextStep[] => {
    const tool = toolById(tools, id);
    if (tool === undefined || policy(tool, args, channel).decision === "deny") return [];
    if (requiredOf(tool).some((name) => !Object.hasOwn(args, name))) return [];
    // What people read holds no secret; what is sent stays as it is.
    const read = withSecretsOf(args, redactor).json(args) as JsonObject;
    const statement = statements.of({ tool, args: read, ...(language === undefined ? {} : { language }) });
    const { object } = statement;
    const named =
      about === undefined || object === undefined
        ? {}
        : { object: { ...object, title: plainTitle(about, 40) } };
    return [{ kind: "meant", tool: tool.id, args, fields: [], title: askText({ ...statement, ...named }) }];
  });
}

/** Whether a record that the turn has read is already as a change would have it. */
export function isSoAlready({ args }: MeantChange, presented: readonly PresentedCall[]): boolean {
  return presented.some(({ call: { outcome } }) => {
    const record = outcome?.data;
    if (!isObject(record)) return false;
    const own = [record["key"], record["id"]].filter((one) => typeof one === "string");
    const isOwn = (value: JsonValue): boolean => own.some((one) => one === value);
    const leaves = Object.entries(args).flatMap(([name, value]): [string, JsonValue][] =>
      isObject(value) ? Object.entries(value) : isOwn(value) ? [] : [[name, value]],
    );
    const isOfIt = Object.values(args).some(isOwn);
    return isOfIt && leaves.length > 0 && leaves.every(([name, value]) => isSame(record[name], value));
  });
}

/** A person stands in a record as an object, and in a change as an id or a name; nobody in both in their own way. */
function isSame(is: JsonValue | undefined, wanted: JsonValue): boolean {
  if (is === undefined) return false;
  if (is === null) return wanted === null || wanted === "unassigned";
  if (isObject(is)) return [is["id"], is["name"], firstName(is["name"])].some((one) => isSame(one, wanted));
  return typeof is === "string" && typeof wanted === "string"
    ? is.toLowerCase() === wanted.toLowerCase()
    : is === wanted;
}

function firstName(name: JsonValue | undefined): JsonValue | undefined {
  return typeof name === "string" ? name.split(" ")[0] : undefined;
}

function morePages({ call, result }: PresentedCall, tool: Tool, say: Words["buttons"]): NextStep[] {
  const next = result.ok ? nextPage(tool.inputSchema, call.args, call.outcome?.data ?? null) : undefined;
  if (next === undefined) return [];
  const left = next.total === undefined ? next.rows : next.total - (result.from ?? 0) - next.rows;
  const title = say.showMore(Math.max(1, Math.min(next.rows, left)));
  return [{ kind: "more", tool: tool.id, args: next.args, fields: [], title }];
}

/** What a second try may help against. */
const PASSING = new Set(["transport", "timeout", "server_down", "cancelled", "protocol", "unknown_tool"]);
/** The same of what a tool says itself, where it says that it is for now. */
const FOR_NOW =
  /\b(?:429|50[0234]|busy|temporar(?:y|ily)|unavailable|overloaded|rate.?limit\w*|too many requests|timed? ?out|did not answer|cannot be reached|no whole answer|try again|retry|later)\b/i;

/** A read, or a change that certainly did not happen: that one is asked about anew. */
function tryAgain({ call, result }: PresentedCall, tool: Tool, say: Words["buttons"]): NextStep[] {
  const error = call.outcome?.error;
  if (result.ok || error === undefined || call.state === "unknown") return [];
  const others = error.code === "tool_error" ? likelyValues(tool.id, call.args, error.message) : [];
  if (others.length > 0) return others;
  const saysForNow = error.code === "tool_error" && FOR_NOW.test(error.message);
  // What it lacks or may not do, such as to overwrite, is a field of its form.
  if (error.code === "tool_error" && !saysForNow && isChange(tool) && propertiesOf(tool).length > 0)
    return [{ kind: "form", tool: tool.id, args: call.args, fields: [], title: say.editAndTry }];
  if (!saysForNow && !PASSING.has(error.code)) return [];
  const isRead = call.approvalId === undefined && tool.trusted && tool.annotations.readOnlyHint === true;
  if (!isRead && !saysForNow && error.sent !== "no") return [];
  return [{ kind: "retry", tool: tool.id, args: call.args, fields: [], title: say.tryAgain }];
}

/** Requests that nobody decided in time, to be asked anew in one press instead of being typed again. */
export function askAgain(approvals: readonly Approval[], { buttons: say }: Words): NextStep[] {
  const expired = approvals.filter(({ state }) => state === "expired").toReversed();
  return expired.slice(0, MOST_ACTIONS).map(({ toolId, args, statement }) => {
    const title = expired.length === 1 ? say.askAgain : say.askAgainTo(buttonText(statement));
    return { kind: "retry", tool: toolId, args, fields: [], title };
  });
}

function namedUndo(step: NextStep, say: Words["buttons"]): NextStep {
  const label = statementById(step.tool, step.args).object?.label;
  return label === undefined ? step : { ...step, title: say.undoOf(label) };
}

function takeBack({ call, result }: PresentedCall, tool: Tool, say: Words["buttons"]): NextStep[] {
  if (call.approvalId === undefined || !result.ok) return [];
  const inverse = inverseOf(tool, call.args, call.outcome?.data ?? null);
  return inverse.ok ? [{ kind: "undo", tool: tool.id, args: inverse.args, fields: [], title: say.undo }] : [];
}

/** The changes that the server of the one record on the screen offers for it, the most useful first. */
function actionsOn(presented: readonly PresentedCall[], channel: string, deps: NextDeps): NextStep[] {
  const shown = presented.flatMap((one) => {
    const { record, rows } = one.result.ok ? shownIn(one.result.data) : { rows: [] };
    return record === undefined || rows.length > 1 || isGone(one) ? [] : [{ ...one, record }];
  });
  const [only] = shown;
  if (only === undefined || new Set(shown.map(({ record }) => record.id)).size > 1) return [];
  const { call, record } = only;
  const actions = deps.tools.tools().flatMap((tool) => {
    if (tool.server !== call.server || tool.source !== undefined || !isChange(tool)) return [];
    const args = argumentsFor(tool, only);
    if (args === undefined || deps.policy(tool, args, channel).decision === "deny") return [];
    const fields = requiredOf(tool).filter((name) => !Object.hasOwn(args, name));
    const step: NextStep = { kind: "form", tool: tool.id, args, fields, title: shortVerb(tool) };
    return [{ step, rank: verbRank(tool) }];
  });
  const ranked = actions
    .filter(({ rank }) => rank !== undefined)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || a.step.fields.length - b.step.fields.length)
    .map(({ step }) => step);
  const told = ranked.filter((step, at) => ranked.findIndex(({ title }) => title === step.title) === at);
  return told
    .slice(0, MOST_ACTIONS)
    .map((step) => ({ ...step, title: deps.say.buttons.onRecord(step.title, record.id) }));
}

function isGone({ result: { data } }: PresentedCall): boolean {
  return isObject(data) && data["after"] === null;
}

/** Verbs that only look; servers that nobody vouches for may say nothing of their tools. */
const LOOKS =
  /^(?:get|list|search|find|read|count|export|show|describe|fetch|query|look|download|check|preview)/i;

function isChange({ annotations, name }: Tool): boolean {
  return annotations.readOnlyHint === undefined ? !LOOKS.test(name) : !annotations.readOnlyHint;
}

/** The record's id, and what else its own call was told of where it is; undefined where the tool takes no such id. */
function argumentsFor(
  tool: Tool,
  { call, result, record }: PresentedCall & { record: ShownRecord },
): JsonObject | undefined {
  const properties = isObject(tool.inputSchema.properties) ? tool.inputSchema.properties : {};
  const required = requiredOf(tool);
  const isId = (value: unknown): boolean => String(value).toLowerCase() === record.id.toLowerCase();
  const said = Object.entries(call.args).filter(
    ([name]) => Object.hasOwn(properties, name) && required.includes(name),
  );
  if (said.some(([, value]) => isId(value)))
    return Object.fromEntries(said.filter(([, value]) => typeof value !== "object"));
  // What was created or found by its name is named by its kind: `issue` by `issue_key`.
  const kinds = isObject(result.data)
    ? Object.entries(result.data).flatMap(([name, value]) =>
        isObject(value) && Object.values(value).some(isId) ? [name] : [],
      )
    : [];
  const name = required.find((one) =>
    kinds.some((kind) => new RegExp(`^${literally(kind)}_?(?:key|id|number)$`, "i").test(one)),
  );
  return name === undefined ? undefined : { [name]: record.id };
}

function propertiesOf({ inputSchema: { properties } }: Tool): string[] {
  return isObject(properties) ? Object.keys(properties) : [];
}

function requiredOf({ inputSchema: { required } }: Tool): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
