import type { Approval } from "#contract/approval.ts";
import type { Views } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Observation, PlannedStep } from "#contract/plan.ts";
import type { LogLine, ToolCallResult, TurnTimings } from "#contract/turn.ts";

import type { Redactor } from "../base/redact.ts";
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

function toToolResult(call: CallRecord, { views, redactor }: ResultContext): ToolCallResult {
  const outcome = call.outcome ?? { ok: false, data: null };
  // A person who settled an unknown outcome knows better than the lost answer.
  const settled = call.state === "done" && !outcome.ok;
  const args = redactor.json(call.args) as JsonObject;
  const error =
    settled || outcome.error === undefined
      ? undefined
      : { code: outcome.error.code, message: outcome.error.message };
  const ok = settled || outcome.ok;
  const view = views.result({
    toolId: call.toolId,
    server: call.server,
    name: call.toolId.slice(call.server.length + 1),
    args,
    ok,
    data: outcome.data,
    ...(outcome.text === undefined ? {} : { text: outcome.text }),
    ...(error === undefined ? {} : { error }),
  });
  return {
    toolId: call.toolId,
    server: call.server,
    args,
    ok,
    data: outcome.data,
    ...(error === undefined ? {} : { error }),
    durationMs: durationOf(call),
    ...view,
  };
}

/** What the planner may know of the calls so far: without their data in privacy mode. */
export function toObservations(presented: PresentedCall[], allowData: boolean): Observation[] {
  return presented.map(({ call, result }) => ({
    tool: call.toolId,
    args: call.args,
    ok: result.ok,
    ...(allowData ? { data: result.data } : {}),
    facts: {
      ...(result.rows === undefined ? {} : { rows: result.rows }),
      fields: fieldNames(result.data),
      ...(result.error === undefined ? {} : { error: allowData ? result.error.message : result.error.code }),
    },
  }));
}

function fieldNames(data: JsonValue): string[] {
  return typeof data === "object" && data !== null && !Array.isArray(data)
    ? Object.keys(data).slice(0, 40)
    : [];
}

/** The run log, read off the journal so that it survives a restart. */
export function toLog(
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
  return outcome.kind === "final" ? "enough is known" : "cannot be planned";
}

export function toTimings(
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

function durationOf(call: CallRecord): number {
  return call.startedAt === undefined || call.endedAt === undefined ? 0 : call.endedAt - call.startedAt;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
