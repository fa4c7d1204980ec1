import type { PolicyDecision } from "#contract/approval.ts";
import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";
import type { PlannedOutcome } from "#contract/plan.ts";
import type { Tool, ToolBox } from "#contract/tool.ts";

import { isObject } from "../base/json.ts";
import { shownIn } from "../base/records.ts";
import { oneLine } from "../base/text.ts";
import { toolById } from "../base/tool-names.ts";
import { argumentSchema, humanise, titleById, toolTitle } from "../base/tool-words.ts";
import { en } from "../base/words/en.ts";
import type { Db } from "../store/schema.ts";
import { type CallIdentity, identityOf, type TurnCredentials } from "./inbox.ts";
import type { PlanSaid } from "./planning.ts";
import type { ReviewCall } from "./review.ts";
import { type CallRecord, type StoredTurn, toCall } from "./rows.ts";

/** One field that a change touched, as it was and as it became. */
interface TouchedField {
  name: string;
  before: JsonValue;
  after: JsonValue;
}

/** The call that takes a change back, or why there is none, as a sentence. */
export type Inverse = { ok: true; args: JsonObject; fields: TouchedField[] } | { ok: false; why: string };

/**
 * The same tool with the values from before, where its result tells them: each field that differs has to be an
 * argument, at the top or in one of its objects.
 */
export function inverseOf(tool: Tool, args: JsonObject, data: JsonValue): Inverse {
  const { before, after } = isObject(data) ? data : {};
  if (after === null) return { ok: false, why: en.recorded.notBroughtBack() };
  if (before === null && isObject(after)) return { ok: false, why: en.recorded.madeNew() };
  if (!isObject(before) || !isObject(after)) return { ok: false, why: en.recorded.beforeUnknown() };
  const fields = Object.keys(after)
    .filter((name) => textOf(before[name] ?? null) !== textOf(after[name] ?? null))
    .map((name) => ({ name, before: before[name] ?? null, after: after[name] ?? null }));
  if (fields.length === 0) return { ok: false, why: en.recorded.changedNothing() };
  const { dry_run: _dry, ...inverse } = args;
  const groups: JsonObject = {};
  for (const field of fields) {
    const place = placeOf(field.name, args);
    const value = place && valueFor(field.before, schemaAt(tool, place));
    if (place === undefined || value === undefined) {
      const was = oneLine(textOf(field.before), 100) || "empty";
      return { ok: false, why: `${humanise(field.name)} cannot be set back to what it was (${was}).` };
    }
    const [name = "", member] = place;
    if (member === undefined) inverse[name] = value;
    else groups[name] = { ...(isObject(groups[name]) ? groups[name] : {}), [member]: value };
  }
  return { ok: true, args: { ...inverse, ...groups }, fields };
}

/** Where a call names a field: `["assignee"]`, or `["fields", "priority"]`. */
function placeOf(field: string, args: JsonObject): string[] | undefined {
  if (Object.hasOwn(args, field)) return [field];
  const group = Object.keys(args).find((name) => {
    const value = args[name];
    return isObject(value) && Object.hasOwn(value, field);
  });
  return group === undefined ? undefined : [group, field];
}

function schemaAt({ inputSchema }: Tool, [name = "", member]: string[]): JsonSchema {
  const schema = argumentSchema(inputSchema, name);
  return member === undefined ? schema : argumentSchema(schema, member);
}

/** What some tools take for "nobody" and "nothing" where they do not take null. */
const NOTHING = /^(?:unassigned|nobody|none)$/i;

/** The value from before as the argument takes it; undefined where it takes none such. */
function valueFor(value: JsonValue, schema: JsonSchema): JsonValue | undefined {
  if (value !== null) return value;
  const unions = [schema.anyOf, schema.oneOf].flatMap((all) => (Array.isArray(all) ? all : []));
  const branches = [schema, ...unions.filter((one) => isObject(one))];
  if (branches.some(({ type }) => [type].flat().includes("null"))) return null;
  const examples = branches.flatMap((branch) => (Array.isArray(branch.examples) ? branch.examples : []));
  const word = examples.find((one) => typeof one === "string" && NOTHING.test(one));
  return word ?? (branches.some(({ type }) => type === "array") ? [] : undefined);
}

/** A value as it is compared and told: people and things by their names, lists in one order. */
function textOf(value: JsonValue): string {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map(textOf).toSorted().join(", ");
  if (!isObject(value)) return String(value);
  const name = [value["name"], value["displayName"], value["title"], value["key"], value["id"]].find(
    (one) => typeof one === "string",
  );
  return typeof name === "string" ? name : JSON.stringify(value);
}

const UNDO =
  /^\W*(?:please\s+|can you\s+)?(?:undo|revert|roll back|take (?:it|that|this) back|change (?:it|that) back)(?:\s+(?:it|that|this|(?:the|my|your) (?:last|latest) (?:change|one)|(?:the|my|your) change))?(?:\s+please)?\W*$/i;

const UNDO_ALL =
  /^\W*(?:please\s+|can you\s+)?(?:undo|revert|roll back|take back)\s+(?:everything|all(?: of (?:it|them|that))?|all (?:the |my |your |these |those )?changes|(?:the |my |your )?(?:last|latest) (?:two|three|four|five|\d+) changes|both(?: changes)?)(?:\s+please)?\W*$/i;

export interface UndoDeps {
  db: Db;
  tools: ToolBox;
  policy: (tool: Tool, args: JsonObject, channel: string) => PolicyDecision;
  review: ReviewCall;
  credentials?: TurnCredentials["of"];
}

/**
 * Plans the taking back of a change: of the turn that the request names, or of the last one of the conversation
 * where the message only says "undo".
 */
export function createPlanUndo(deps: UndoDeps): PlanSaid {
  const { db, tools, policy } = deps;

  async function lastChange(turn: StoredTurn): Promise<CallRecord | undefined> {
    let query = db
      .selectFrom("calls")
      .innerJoin("turns", "turns.id", "calls.turn_id")
      .selectAll("calls")
      .where("turns.conversation_id", "=", turn.conversationId)
      .where("turns.id", "<>", turn.id)
      .where("calls.approval_id", "is not", null)
      .where("calls.state", "=", "done");
    if (turn.undoes !== undefined) query = query.where("turns.id", "=", turn.undoes);
    const row = await query
      .orderBy("turns.position", "desc")
      .orderBy("calls.step", "desc")
      .orderBy("calls.place", "desc")
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? undefined : toCall(row);
  }

  /** How the fields stand now, read by the server's own read of the record or, without one, by a dry run. */
  async function present(
    { tool, args, fields }: { tool: Tool; args: JsonObject; fields: TouchedField[] },
    caller: CallIdentity,
    signal: AbortSignal,
  ): Promise<{ now: JsonObject; refused?: string }> {
    const review = await deps.review(tool, args, caller, signal);
    if (review.refused !== undefined)
      return { now: {}, refused: review.refused.error?.message ?? en.recorded.toolRefuses() };
    if (isObject(review.effect?.before)) return { now: review.effect.before };
    const read = tools.tools().find((one) => {
      const { trusted, annotations, server, inputSchema } = one;
      const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
      const isRead = trusted && annotations.readOnlyHint === true && server === tool.server;
      const isNamed =
        required.length > 0 &&
        required.every((name) => typeof name === "string" && Object.hasOwn(args, name));
      return isRead && isNamed && policy(one, pick(args, required), caller.channel).decision === "allow";
    });
    if (read === undefined) return { now: {} };
    const wanted = pick(args, read.inputSchema.required);
    const outcome = await tools.call({ tool: read, args: wanted, ...caller, signal, repeatable: true });
    const record = outcome.ok && isObject(outcome.data) ? outcome.data : {};
    const named = (name: string): string | undefined =>
      [name, name.replace(/_(?:key|id)$/, "")].find((one) => Object.hasOwn(record, one));
    return {
      now: Object.fromEntries(
        fields.flatMap(({ name }) => {
          const found = named(name);
          return found === undefined ? [] : [[name, record[found] ?? null]];
        }),
      ),
    };
  }

  async function outcomeOf(turn: StoredTurn, signal: AbortSignal): Promise<PlannedOutcome> {
    const say = (message: string): PlannedOutcome => ({ kind: "message", message });
    const change = await lastChange(turn);
    if (change === undefined) return say(en.recorded.nothingToUndo());
    const title = titleById(tools, change.toolId);
    const tool = toolById(tools, change.toolId);
    if (tool === undefined) return say(en.recorded.cannotUndoNow(title));
    const inverse = inverseOf(tool, change.args, change.outcome?.data ?? null);
    if (!inverse.ok) return say(en.recorded.cannotUndo(title, inverse.why));
    const { args, fields } = inverse;
    const caller = await identityOf(turn.id, turn, deps.credentials);
    const { now, refused } = await present({ tool, args, fields }, caller, signal);
    if (refused !== undefined) return say(en.recorded.cannotUndo(title, refused));
    const about = subjectOf(change);
    const known = fields.filter(({ name }) => Object.hasOwn(now, name));
    const nowOf = (name: string): string => textOf(now[name] ?? null);
    if (known.length === fields.length && fields.every(({ name, before }) => nowOf(name) === textOf(before)))
      return say(en.recorded.asBefore(about));
    const moved = known.filter(({ name, before, after }) => {
      return nowOf(name) !== textOf(after) && nowOf(name) !== textOf(before);
    });
    if (moved.length > 0) {
      const told = moved.map(({ name, after }) =>
        en.recorded.fieldNow(humanise(name).toLowerCase(), shown(nowOf(name)), shown(textOf(after))),
      );
      const message = en.recorded.changedSinceThen(about, told.join("; "));
      return { kind: "message", message, choices: [{ tool: tool.id, args, fields: [] }] };
    }
    const sources = Object.fromEntries(
      fields.flatMap(({ name }) => {
        const [argument] = placeOf(name, args) ?? [];
        return argument === undefined ? [] : [[argument, { from: "result" as const, ref: toolTitle(tool) }]];
      }),
    );
    return { kind: "calls", calls: [{ command: "TASK", tool: tool.id, args, sources }] };
  }

  return async (turn, step, signal) => {
    if (turn.undoes === undefined && turn.call === undefined && UNDO_ALL.test(turn.message)) {
      const message = en.recorded.undoOneByOne();
      return { planner: "command", outcome: { kind: "message", message }, attempts: [{ raw: "undo" }] };
    }
    if (turn.undoes === undefined && (turn.call !== undefined || !UNDO.test(turn.message))) return undefined;
    const outcome: PlannedOutcome = step > 1 ? { kind: "final", local: true } : await outcomeOf(turn, signal);
    return { planner: "command", outcome, attempts: [{ raw: "undo" }] };
  };
}

function pick(args: JsonObject, names: JsonValue | undefined): JsonObject {
  const wanted = Array.isArray(names) ? names : [];
  return Object.fromEntries(Object.entries(args).filter(([name]) => wanted.includes(name)));
}

/** What the change was made to, by its key and title where the result says them. */
function subjectOf({ outcome }: CallRecord): string {
  const { record } = shownIn(outcome?.data ?? null);
  return record === undefined ? "it" : oneLine(record.id, 60);
}

function shown(text: string): string {
  return text === "" ? "empty" : oneLine(text, 100);
}
