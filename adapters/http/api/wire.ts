import type { ActorId } from "#contract/actor.ts";
import type { Approval, ApprovalVote, Grant } from "#contract/approval.ts";
import type { Health, ToolListing } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Question } from "#contract/question.ts";
import type { CallFile } from "#contract/tool.ts";
import type { LogLine, ToolCallResult, Turn, TurnEvent, TurnResult, TurnStep } from "#contract/turn.ts";
import { createRedactor } from "#src/base/redact.ts";

/**
 * The wire's side of every type: snake_case, times as ISO 8601, absent fields left out. What a tool
 * was sent or brought (`args`, `data`, `effect`) and cards pass as they are.
 */

/** The name and data of a server-sent event, for who reads it. */
export function eventToWire(
  turnId: string,
  event: TurnEvent,
  viewer: ActorId,
): { event: TurnEvent["type"]; data: JsonObject } {
  switch (event.type) {
    case "status":
      return {
        event: "status",
        data: { turn_id: turnId, phase: event.phase, elapsed_ms: Math.round(event.elapsedMs) },
      };
    case "progress":
      return {
        event: "progress",
        data: {
          turn_id: turnId,
          ...withoutUndefined({
            message: event.message,
            detail: event.detail,
            tool: event.tool,
            progress: event.progress,
            total: event.total,
          }),
        },
      };
    case "result":
      return { event: "result", data: resultToWire(turnId, event.result) };
    case "question":
      return { event: "question", data: questionToWire(event.question, viewer) };
    case "error":
    default:
      return { event: "error", data: { turn_id: turnId, error: event.message, code: event.code } };
  }
}

/** What a question holds so far fills a form, which needs it as it is; clients see secrets masked. */
const byName = createRedactor([]);

export function resultToWire(turnId: string, result: TurnResult): JsonObject {
  const toolResults = result.toolResults.map(toolResultToWire);
  return {
    turn_id: turnId,
    reply: result.reply,
    planner: result.planner,
    tool_result: toolResults.at(-1) ?? null,
    tool_results: toolResults,
    ...(result.pendingConfirmation === undefined
      ? {}
      : { pending_confirmation: approvalToWire(result.pendingConfirmation) }),
    ...(result.question === undefined
      ? {}
      : {
          question: {
            tool: result.question.tool,
            args: byName.json(result.question.args),
            fields: result.question.fields,
          },
        }),
    log: result.log.map(logLineToWire),
    timings: {
      queued_ms: result.timings.queuedMs,
      planning_ms: result.timings.planningMs,
      tools_ms: result.timings.toolsMs,
      summarizing_ms: result.timings.summarizingMs,
      total_ms: result.timings.totalMs,
    },
  };
}

export function toolResultToWire(call: ToolCallResult): JsonObject {
  return {
    tool_id: call.toolId,
    server: call.server,
    args: call.args,
    ok: call.ok,
    data: call.data,
    is_error: !call.ok,
    ...withoutUndefined({ error: call.error, rows: call.rows }),
    view: call.view,
    card: plain(call.card),
    ...(call.files === undefined ? {} : { files: call.files.map(fileToWire) }),
    duration_ms: call.durationMs,
  };
}

function fileToWire({ id, name, mediaType, bytes }: CallFile): JsonObject {
  return withoutUndefined({
    file_id: id,
    name,
    media_type: mediaType,
    bytes,
    url: id === undefined ? undefined : `/files/${id}`,
  });
}

function logLineToWire(line: LogLine): JsonObject {
  return withoutUndefined({
    at_ms: line.atMs,
    stage: line.stage,
    message: line.message,
    duration_ms: line.durationMs,
  });
}

export function approvalToWire(approval: Approval): JsonObject {
  return {
    approval_id: approval.id,
    key: approval.key,
    turn_id: approval.turnId,
    session_id: sessionOf(approval.conversationId),
    state: approval.state,
    tool_id: approval.toolId,
    tool_description: approval.toolDescription,
    args: approval.args,
    ...(approval.effect === undefined
      ? {}
      : { effect: { before: approval.effect.before, after: approval.effect.after } }),
    rule: approval.rule,
    requested_by: approval.requestedBy,
    eligible: approval.approvers,
    exclude_requester: approval.excludeRequester,
    reason_required: approval.reasonRequired,
    quorum: approval.quorum,
    approvals: approval.votes.map(voteToWire),
    created_at: iso(approval.createdAt),
    expires_at: iso(approval.expiresAt),
    ...withoutUndefined({
      decided_at: approval.decidedAt === undefined ? undefined : iso(approval.decidedAt),
      lookup:
        approval.lookup === undefined
          ? undefined
          : { tool: approval.lookup.tool, args: approval.lookup.args },
      grants:
        approval.grants === undefined
          ? undefined
          : {
              max_ttl_ms: approval.grants.maxTtlMs,
              max_uses: approval.grants.maxUses,
              vary: approval.grants.vary,
            },
      replaced_by: approval.replacedBy,
      evidence:
        approval.evidence === undefined
          ? undefined
          : { state: approval.evidence.state, at: iso(approval.evidence.at) },
      note: approval.note,
    }),
  };
}

/** `state` is as of `now`, in milliseconds since the epoch. */
export function grantToWire(grant: Grant, now: number): JsonObject {
  return {
    grant_id: grant.id,
    session_id: sessionOf(grant.conversationId),
    tool_id: grant.toolId,
    args: grant.args,
    vary: grant.vary,
    rule: grant.rule,
    granted_by: grant.grantedBy,
    approval_id: grant.approvalId,
    created_at: iso(grant.createdAt),
    expires_at: iso(grant.expiresAt),
    max_uses: grant.maxUses,
    uses: grant.uses,
    state: grantState(grant, now),
    ...withoutUndefined({ revoked_by: grant.revokedBy }),
  };
}

export function grantState(grant: Grant, now: number): "active" | "revoked" | "used_up" | "expired" {
  if (grant.revokedBy !== undefined) return "revoked";
  if (grant.uses >= grant.maxUses) return "used_up";
  return grant.expiresAt <= now ? "expired" : "active";
}

function voteToWire(vote: ApprovalVote): JsonObject {
  return withoutUndefined({
    actor: vote.actor,
    decision: vote.decision,
    reason: vote.reason,
    at: iso(vote.at),
  });
}

export function turnToWire(turn: Turn): JsonObject {
  return {
    turn_id: turn.id,
    session_id: sessionOf(turn.conversationId),
    surface: turn.surface,
    actor: turn.actor,
    message: turn.message,
    state: turn.state,
    created_at: iso(turn.createdAt),
    updated_at: iso(turn.updatedAt),
    ...withoutUndefined({
      result: turn.result === undefined ? undefined : resultToWire(turn.id, turn.result),
      error: turn.error === undefined ? undefined : { error: turn.error.message, code: turn.error.code },
      stopped_by: turn.stoppedBy,
    }),
  };
}

export function stepToWire(step: TurnStep): JsonObject {
  return { seq: step.seq, kind: step.kind, state: step.state, at: iso(step.at), data: step.data };
}

export function healthToWire(health: Health): JsonObject {
  const servers = health.servers.map((server): [string, JsonObject] => [
    server.name,
    withoutUndefined({
      status: server.status,
      tools: server.tools,
      error: server.error,
      note: server.note,
      circuit: server.circuit?.state,
      failures: server.circuit?.failures,
      retry_at: server.circuit?.retryAt === undefined ? undefined : iso(server.circuit.retryAt),
    }),
  ]);
  return {
    status: health.status,
    version: health.version,
    model: withoutUndefined({ ...health.model }),
    servers: Object.fromEntries(servers),
    store: withoutUndefined({ ...health.store }),
    ...(health.notices === undefined ? {} : { notices: health.notices }),
    ...(health.surfaces === undefined ? {} : { surfaces: surfacesToWire(health.surfaces) }),
  };
}

function surfacesToWire(surfaces: NonNullable<Health["surfaces"]>): JsonObject {
  return Object.fromEntries(
    Object.entries(surfaces).map(([name, { status, code, error }]) => [
      name,
      withoutUndefined({ status, code, error }),
    ]),
  );
}

export function toolToWire({ tool, decision }: ToolListing): JsonObject {
  return {
    id: tool.id,
    server: tool.server,
    name: tool.name,
    description: tool.description,
    input_schema: tool.inputSchema,
    decision,
  };
}

/** The session's conversation; it is its channel as well. */
export function conversationOf(sessionId: string): string {
  return `http:${sessionId}`;
}

/** The key by which an event of a session is known: parts are kept apart, so that none is another's. */
export function eventOf(...parts: string[]): string {
  return parts.map((part) => encodeURIComponent(part)).join("/");
}

export function sessionOf(conversationId: string): string {
  return conversationId.startsWith("http:") ? conversationId.slice("http:".length) : conversationId;
}

/** A card as plain data; its optional fields may be present and undefined. */
function plain(card: ToolCallResult["card"]): JsonValue {
  return JSON.parse(JSON.stringify(card)) as JsonValue;
}

/** What a server asks in the middle of a call. A page is told to the person it is for, and to nobody else. */
export function questionToWire(question: Question, viewer: ActorId): JsonObject {
  const isTheirs = question.actor === viewer;
  return {
    question_id: question.id,
    turn_id: question.turnId,
    session_id: question.conversationId.replace(/^http:/, ""),
    kind: question.kind,
    ...(question.kind === "form" ? { message: question.message, schema: question.schema } : {}),
    ...(question.kind === "link" && isTheirs
      ? { message: question.message, url: question.url, domain: question.domain }
      : {}),
    server: question.server,
    tool_id: question.toolId,
    actor: question.actor,
    state: question.state,
    created_at: iso(question.createdAt),
    expires_at: iso(question.expiresAt),
    ...withoutUndefined({
      answered_at: question.answeredAt === undefined ? undefined : iso(question.answeredAt),
      note: question.note,
    }),
  };
}

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Without the fields that are undefined, which JSON cannot say. */
export function withoutUndefined(fields: Record<string, JsonValue | undefined>): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept;
}
