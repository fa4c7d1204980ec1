import type { Views } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Observation } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import type { ToolCallResult } from "#contract/turn.ts";

import { type Redactor, withSecretsOf } from "../base/redact.ts";
import { permitIf, taint } from "../base/tainted.ts";
import type { CallRecord } from "./rows.ts";

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
export function durationOf(call: CallRecord): number {
  return call.startedAt === undefined || call.endedAt === undefined ? 0 : call.endedAt - call.startedAt;
}
