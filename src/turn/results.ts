import type { Approval } from "#contract/approval.ts";
import type { Views } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Observation, PlannedStep, PlannerName } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import type { LogLine, ToolCallResult, TurnResult, TurnTimings } from "#contract/turn.ts";

import { type Redactor, withSecretsOf } from "../base/redact.ts";
import { permitIf, taint } from "../base/tainted.ts";
import type { CallRecord, RecordedPlan, StoredTurn } from "./rows.ts";

export interface ResultContext {
  views: Views;
  redactor: Redactor;
}

/** A call that ended, with what people see of it. */
export interface PresentedCall {
  call: CallRecord;
  result: ToolCallResult;
}

/** The ended calls of a turn, in order. Refused ones never ran and have no result. */
export function presentCalls(calls: CallRecord[], context: ResultContext): PresentedCall[] {
  return calls
    .filter((call) => call.state === "done" || call.state === "failed" || call.state === "unknown")
    .map((call) => ({ call, result: toToolResult(call, context) }));
}

function toToolResult(call: CallRecord, { views, ...context }: ResultContext): ToolCallResult {
  // A server may say again what it was sent.
  const redactor = withSecretsOf(call.args, context.redactor);
  const outcome = call.outcome ?? { ok: false, data: null };
  const data = redactor.known(outcome.data);
  const args = redactor.json(call.args) as JsonObject;
  const error =
    outcome.error === undefined
      ? undefined
      : { code: outcome.error.code, message: redactor.text(outcome.error.message) };
  const view = views.result({
    toolId: call.toolId,
    server: call.server,
    name: call.toolId.slice(call.server.length + 1),
    args,
    ok: outcome.ok,
    data,
    ...(outcome.text === undefined ? {} : { text: redactor.text(outcome.text) }),
    ...(error === undefined ? {} : { error }),
  });
  return {
    toolId: call.toolId,
    server: call.server,
    args,
    ok: outcome.ok,
    data,
    ...(error === undefined ? {} : { error }),
    ...(outcome.files === undefined ? {} : { files: outcome.files }),
    durationMs: durationOf(call),
    ...view,
  };
}

/** What the planner may know of the calls so far; what a tool said only where `mayShow` allows it. */
export function toObservations(
  presented: PresentedCall[],
  mayShow: (toolId: string) => boolean,
  declaredFields: (toolId: string) => string[],
): Observation[] {
  return presented.map(({ call, result }) => ({
    id: call.id,
    tool: call.toolId,
    args: call.args,
    ok: result.ok,
    data: taint(result.data),
    ...(result.error === undefined ? {} : { error: taint(result.error.message) }),
    ...permitIf(mayShow(call.toolId)),
    facts: {
      ...(result.rows === undefined ? {} : { rows: result.rows }),
      // Keys of a result may be data, such as names of customers: only what the tool declares is told.
      fields: declaredFields(call.toolId),
      ...(result.error === undefined ? {} : { error: result.error.code }),
    },
  }));
}

/** The names of the fields that a tool's output schema declares. */
export function declaredFieldNames(tool: Tool | undefined): string[] {
  const properties = tool?.outputSchema?.properties;
  return typeof properties === "object" && properties !== null ? Object.keys(properties).slice(0, 40) : [];
}

/** How long a call took, in milliseconds; 0 while it runs. */
function durationOf(call: CallRecord): number {
  return call.startedAt === undefined || call.endedAt === undefined ? 0 : call.endedAt - call.startedAt;
}

/** What the journal and the ledger say of a turn. */
export interface TurnRecord {
  presented: PresentedCall[];
  calls: CallRecord[];
  plans: RecordedPlan[];
  approvals: Approval[];
  summarizingMs: number;
}

/** The result of a turn; a reply that was planned without a model says so. */
export function toTurnResult(turn: StoredTurn, reply: string, record: TurnRecord, now: number): TurnResult {
  const planner = plannerOf(record.plans.map((one) => one.plan));
  const notices = [...new Set(record.plans.flatMap(({ plan }) => plan.notice ?? []))];
  const footnote =
    planner === "builtin" ? [...notices, "Planned by the built-in planner, without a model."] : notices;
  return {
    reply: footnote.length === 0 ? reply : `${reply}\n\n_${footnote.join(" ")}_`,
    planner,
    toolResults: record.presented.map((one) => one.result),
    log: toLog(turn, record.plans, record.calls, record.approvals),
    timings: toTimings(turn, record.plans, record.calls, record.summarizingMs, now),
  };
}

/** Who made the last plan. */
export function plannerOf(plans: PlannedStep[]): PlannerName {
  return plans.at(-1)?.planner ?? "builtin";
}

/** Whether such a plan was made without a model: its answer is then made without one as well. */
export function isModelFree(planner: PlannerName): boolean {
  return planner === "builtin" || planner === "command";
}

/** The run log, read off the journal so that it survives a restart. */
function toLog(
  turn: StoredTurn,
  plans: RecordedPlan[],
  calls: CallRecord[],
  approvals: Approval[],
): LogLine[] {
  const since = (at: number): number => Math.max(0, at - turn.createdAt);
  const lines: LogLine[] = [{ atMs: 0, stage: "inbox", message: `accepted from ${turn.actor}` }];
  for (const { step, plan, at, durationMs } of plans) {
    lines.push({
      atMs: since(at),
      stage: "plan",
      message: `step ${step}, ${plan.planner}: ${describePlan(plan)}`,
      durationMs,
    });
    if (plan.notice !== undefined) lines.push({ atMs: since(at), stage: "plan", message: plan.notice });
    for (const attempt of plan.attempts) {
      if (attempt.fault !== undefined)
        lines.push({ atMs: since(at), stage: "plan", message: `fault: ${attempt.fault}` });
    }
  }
  for (const call of calls) {
    if (call.startedAt === undefined) continue;
    const error = call.outcome?.error;
    const message = `${call.toolId} ${call.state}${error === undefined ? "" : ` (${error.code}): ${error.message}`}`;
    lines.push({ atMs: since(call.startedAt), stage: "call", message, durationMs: durationOf(call) });
  }
  for (const approval of approvals) {
    lines.push({
      atMs: since(approval.createdAt),
      stage: "approval",
      message: `${approval.toolId} asked for (${approval.rule})`,
    });
    for (const vote of approval.votes) {
      lines.push({ atMs: since(vote.at), stage: "approval", message: `${vote.actor}: ${vote.decision}` });
    }
  }
  return lines.toSorted((a, b) => a.atMs - b.atMs);
}

function describePlan(plan: PlannedStep): string {
  const { outcome } = plan;
  if (outcome.kind === "calls") return outcome.calls.map((call) => `${call.command} ${call.tool}`).join(", ");
  if (outcome.kind === "question") return `asks for ${outcome.question.fields.join(", ")}`;
  if (outcome.kind === "failed") return outcome.code;
  return outcome.kind === "final" ? "enough is known" : "cannot be planned";
}

function toTimings(
  turn: StoredTurn,
  plans: RecordedPlan[],
  calls: CallRecord[],
  summarizingMs: number,
  now: number,
): TurnTimings {
  const begun = plans.length === 0 ? now : Math.min(...plans.map((plan) => plan.at - plan.durationMs));
  return {
    queuedMs: Math.max(0, begun - turn.createdAt),
    planningMs: sum(plans.map((plan) => plan.durationMs)),
    toolsMs: sum(calls.map(durationOf)),
    summarizingMs,
    totalMs: now - turn.createdAt,
  };
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
