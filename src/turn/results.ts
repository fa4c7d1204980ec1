import type { Approval } from "#contract/approval.ts";
import type { ChartWish } from "#contract/card.ts";
import type { Views } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { PlannedStep, PlannerName } from "#contract/plan.ts";
import type { Statement } from "#contract/statement.ts";
import type { LogLine, ToolCallResult, TurnResult } from "#contract/turn.ts";

import { type Redactor, withSecretsOf } from "../base/redact.ts";
import { en, type Words } from "../base/words/en.ts";
import { recordedText } from "../base/words/recorded.ts";
import { maskSources } from "../ledger/rows.ts";
import { inMarkdown } from "./replies.ts";
import type { CallRecord, RecordedPlan, StoredTurn } from "./rows.ts";

export interface ResultContext {
  views: Views;
  redactor: Redactor;
  /** Rows that earlier pages showed, by the id of the call; see rowsBefore. */
  before?: ReadonlyMap<string, number>;
  /** What was approved, by the id of the request. */
  approved?: ReadonlyMap<string, Statement>;
  /** What cards are written in; undefined: English. */
  spoken?: string | undefined;
  /** How the person wants to see numbers. */
  chart?: ChartWish | undefined;
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

/** What people see of a call, with secrets masked. */
export function toToolResult(
  call: Pick<CallRecord, "toolId" | "server" | "args" | "sources" | "outcome" | "startedAt" | "endedAt"> & {
    id?: string;
    approvalId?: string;
  },
  { views, before, approved, spoken, chart, ...context }: ResultContext,
): ToolCallResult {
  // A server may say again what it was sent.
  const redactor = withSecretsOf(call.args, context.redactor);
  const outcome = call.outcome ?? { ok: false, data: null };
  const data = redactor.known(outcome.data);
  const args = redactor.json(call.args) as JsonObject;
  const { toolId, server } = call;
  const { ok, error, text, files, readBack } = outcome;
  const shown = {
    toolId,
    server,
    args,
    ok,
    data,
    ...(error === undefined ? {} : { error: { code: error.code, message: redactor.text(error.message) } }),
  };
  const from = before?.get(call.id ?? "");
  const place = from === undefined ? {} : { from };
  const statement = approved?.get(call.approvalId ?? "");
  const view = views.result({
    ...shown,
    ...place,
    name: toolId.slice(server.length + 1),
    ...(spoken === undefined ? {} : { language: spoken }),
    ...(chart === undefined ? {} : { chart }),
    ...(text === undefined ? {} : { text: redactor.text(text) }),
    ...(readBack === undefined ? {} : { readBack }),
    ...(statement === undefined ? {} : { statement }),
  });
  return {
    ...shown,
    ...maskSources(call, redactor),
    ...place,
    ...(files === undefined ? {} : { files }),
    durationMs: durationOf(call),
    ...view,
  };
}

/** How long a call took, in milliseconds; 0 while it runs. */
function durationOf({ startedAt, endedAt }: Pick<CallRecord, "startedAt" | "endedAt">): number {
  return startedAt === undefined || endedAt === undefined ? 0 : endedAt - startedAt;
}

/** What the journal and the ledger say of a turn. */
export interface TurnRecord {
  presented: PresentedCall[];
  calls: CallRecord[];
  plans: RecordedPlan[];
  approvals: Approval[];
  summarizingMs: number;
}

/**
 * The result of a turn. What the planner has to tell stands before the reply, and what was looked for below it;
 * one that was planned without a model says so at the end, and why.
 */
export function toTurnResult(
  turn: StoredTurn,
  reply: string,
  record: TurnRecord,
  now: number,
  say: Words = en,
): TurnResult {
  const { plans, calls, presented } = record;
  const last = plannerOf(plans);
  // Who only says that enough is known has planned nothing.
  const planner = plans.findLast(({ plan }) => plan.outcome.kind !== "final")?.plan.planner ?? last;
  const notices = [...new Set(plans.flatMap(({ plan }) => plan.notice ?? []))];
  const handovers = sentences(
    plans.flatMap(({ plan }) => plan.handover ?? []),
    say,
  );
  const isMixed = plans.some(({ plan }) => !isModelFree(plan.planner) && plan.outcome.kind === "calls");
  const byBuiltin = isMixed ? say.reply.wentOn : say.reply.builtin;
  const isPlanned = plans.length > 0;
  const footnote = isPlanned && last === "builtin" ? [`_${[...handovers, byBuiltin].join(" ")}_`] : [];
  // The answer comes first; what was looked for is one line below it.
  const sought = sentences(
    notices.filter((one) => SOUGHT.test(one)),
    say,
  );
  const told = sentences(
    notices.filter((one) => !SOUGHT.test(one)),
    say,
  );
  const begun = plans.length === 0 ? now : Math.min(...plans.map((plan) => plan.at - plan.durationMs));
  return {
    reply: [told.join(" "), reply, sought.join(" "), ...footnote].filter((part) => part !== "").join("\n\n"),
    ...(told.length === 0 ? {} : { remarks: told.join(" ") }),
    planner,
    toolResults: presented.map((one) => one.result),
    log: toLog(turn, record),
    timings: {
      queuedMs: Math.max(0, begun - turn.createdAt),
      planningMs: sum(plans.map((plan) => plan.durationMs)),
      toolsMs: sum(calls.map(durationOf)),
      summarizingMs: record.summarizingMs,
      totalMs: now - turn.createdAt,
    },
  };
}

/** A notice that only says what was looked for and where. */
const SOUGHT = /^I looked /;

/** Each once, as words of a reply. */
function sentences(said: readonly string[], say: Words): string[] {
  return [...new Set(said)].map((one) => inMarkdown(recordedText(one, say)));
}

/** Who made the last plan. */
export function plannerOf(plans: readonly RecordedPlan[]): PlannerName {
  return plans.at(-1)?.plan.planner ?? "builtin";
}

/** Whether such a plan was made without a model: its answer is then made without one as well. */
export function isModelFree(planner: PlannerName): boolean {
  return planner === "builtin" || planner === "command";
}

/** The run log, read off the journal so that it survives a restart. */
function toLog(turn: StoredTurn, { plans, calls, approvals }: TurnRecord): LogLine[] {
  const lines: LogLine[] = [];
  const add = (stage: LogLine["stage"], at: number, message: string, durationMs?: number): void => {
    const took = durationMs === undefined ? {} : { durationMs };
    lines.push({ atMs: Math.max(0, at - turn.createdAt), stage, message, ...took });
  };
  add("inbox", turn.createdAt, `accepted from ${turn.actor}`);
  for (const { step, plan, at, durationMs } of plans) {
    add("plan", at, `step ${step}, ${plan.planner}: ${describePlan(plan)}`, durationMs);
    for (const said of [plan.handover, plan.notice]) if (said !== undefined) add("plan", at, said);
    for (const { fault } of plan.attempts) if (fault !== undefined) add("plan", at, `fault: ${fault}`);
  }
  for (const call of calls) {
    const { toolId, state, startedAt, outcome } = call;
    if (startedAt === undefined) continue;
    const error = outcome?.error;
    const why = error === undefined ? "" : ` (${error.code}): ${error.message}`;
    add("call", startedAt, `${toolId} ${state}${why}`, durationOf(call));
  }
  for (const { toolId, rule, createdAt, votes } of approvals) {
    add("approval", createdAt, `${toolId} asked for (${rule})`);
    for (const { actor, decision, at } of votes) add("approval", at, `${actor}: ${decision}`);
  }
  return lines.toSorted((a, b) => a.atMs - b.atMs);
}

function describePlan({ outcome }: PlannedStep): string {
  if (outcome.kind === "calls") return outcome.calls.map((call) => `${call.command} ${call.tool}`).join(", ");
  if (outcome.kind === "question") return `asks for ${outcome.question.fields.join(", ")}`;
  if (outcome.kind === "failed") return outcome.code;
  return outcome.kind === "final" ? "enough is known" : "cannot be planned";
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
