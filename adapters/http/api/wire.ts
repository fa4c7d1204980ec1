import type { ActorId } from "#contract/actor.ts";
import type { Approval, Grant } from "#contract/approval.ts";
import type { Change, ConversationSummary } from "#contract/conversation.ts";
import type { Health, ToolListing } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Question } from "#contract/question.ts";
import type { Statement } from "#contract/statement.ts";
import type { ToolCallResult, Turn, TurnEvent, TurnResult, TurnStep } from "#contract/turn.ts";
import { targetArguments, targetsData } from "#src/base/call-targets.ts";
import { createRedactor } from "#src/base/redact.ts";
import { askText, buttonText, doneText, pendingOf } from "#src/base/statement.ts";

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
    case "status": {
      const data = { turn_id: turnId, phase: event.phase, elapsed_ms: Math.round(event.elapsedMs) };
      return { event: "status", data };
    }
    case "progress": {
      const data = { turn_id: turnId, ...pick(event, "message", "detail", "tool", "progress", "total") };
      return { event: "progress", data };
    }
    case "result":
      return { event: "result", data: resultToWire(turnId, event.result) };
    case "question":
      return { event: "question", data: questionToWire(event.question, viewer) };
    case "error":
    default:
      return { event: "error", data: { turn_id: turnId, error: event.message, code: event.code } };
  }
}

/** The page's form needs a question's arguments as they are; API clients see secrets masked. */
const byName = createRedactor([]);

export function resultToWire(turnId: string, result: TurnResult): JsonObject {
  const { question, choices, next, log, timings } = result;
  const pending = pendingOf(result);
  const [first] = pending;
  const toolResults = result.toolResults.map(toolResultToWire);
  return {
    turn_id: turnId,
    ...pick(result, "reply", "planner"),
    tool_result: lastToWire(toolResults.at(-1), first),
    tool_results: toolResults,
    ...(first && { pending_confirmation: approvalToWire(first) }),
    ...(pending.length > 1 && { pending_confirmations: pending.map(approvalToWire) }),
    ...(question && {
      question: { tool: question.tool, args: byName.json(question.args), fields: question.fields },
    }),
    ...(choices && {
      choices: choices.map(({ tool, title, args, fields }) => ({
        tool_id: tool,
        title,
        args: byName.json(args),
        fields,
      })),
    }),
    // Without its arguments: the cursor of a next page is nothing to be seen.
    ...(next && { next: next.map(({ kind, title, tool }) => ({ kind, title, tool_id: tool })) }),
    log: log.map((line) => pick(line, "atMs", "stage", "message", "durationMs")),
    timings: pick(timings, "queuedMs", "planningMs", "toolsMs", "summarizingMs", "totalMs"),
  };
}

/** Clients that know one place for all that a turn brought find there what it waits for. */
function lastToWire(last: JsonObject | undefined, pending: Approval | undefined): JsonObject | null {
  if (pending === undefined) return last ?? null;
  return { ...last, pending_confirmation: approvalToWire(pending) };
}

export function toolResultToWire(call: ToolCallResult): JsonObject {
  const files = call.files?.map((file) => ({
    ...(file.id !== undefined && { file_id: file.id }),
    ...pick(file, "name", "mediaType", "bytes"),
    ...(file.id !== undefined && { url: `/files/${file.id}` }),
  }));
  return {
    ...pick(call, "toolId", "server", "args"),
    sources: sourcesToWire(call),
    ...pick(call, "ok", "data"),
    is_error: !call.ok,
    ...pick(call, "error", "rows", "from", "isAside", "view", "card"),
    ...(files && { files }),
    duration_ms: call.durationMs,
  };
}

/** By the argument's name, as its tool spells it. */
function sourcesToWire({ sources = {} }: Pick<Approval, "sources">): JsonObject {
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, pick(source, "from", "ref")]),
  );
}

function statementToWire(statement: Statement): JsonObject {
  const { object, changes, since } = statement;
  return {
    ask: askText(statement),
    done: doneText(statement),
    button: buttonText(statement),
    ...(object && { object: pick(object, "kind", "label", "title", "href") }),
    changes: changes.map((change) => pick(change, "label", "before", "after")),
    ...(since && { since: since.map((change) => pick(change, "label", "before", "after")) }),
    ...pick(statement, "isDestructive", "canUndo", "undoMs", "as", "later"),
  };
}

export function approvalToWire(approval: Approval): JsonObject {
  const { effect, lookup, grants, evidence, names = {}, requestedBy } = approval;
  const name = Object.hasOwn(names, requestedBy) ? names[requestedBy] : undefined;
  return {
    approval_id: approval.id,
    ...pick(approval, "key", "turnId"),
    session_id: sessionOf(approval.conversationId),
    ...pick(approval, "state", "toolId", "toolDescription"),
    args: { ...approval.args, ...targetArguments(approval) },
    ...targetsData(approval.targets),
    sources: sourcesToWire(approval),
    statement: statementToWire(approval.statement),
    ...(effect && { effect: pick(effect, "before", "after") }),
    ...pick(approval, "rule", "requestedBy"),
    ...(name !== undefined && { requested_by_name: name }),
    eligible: approval.approvers,
    ...pick(approval, "excludeRequester", "reasonRequired", "quorum"),
    approvals: approval.votes.map((vote) => pick(vote, "actor", "decision", "reason", "at")),
    ...pick(approval, "createdAt", "expiresAt", "decidedAt"),
    ...(lookup && { lookup: pick(lookup, "tool", "args") }),
    ...(grants && {
      grants: {
        ...pick(grants, "maxTtlMs", "maxUses", "vary"),
        ...(grants.reads && { reads_of: grants.reads.server }),
      },
    }),
    ...pick(approval, "replacedBy"),
    ...(evidence && { evidence: pick(evidence, "state", "at") }),
    ...pick(approval, "note"),
  };
}

export function grantToWire(grant: Grant): JsonObject {
  return {
    grant_id: grant.id,
    session_id: sessionOf(grant.conversationId),
    ...pick(grant, "toolId", "args", "vary", "rule", "grantedBy", "approvalId"),
    ...(grant.reads && { reads_of: grant.reads.server }),
    ...pick(grant, "createdAt", "expiresAt", "maxUses", "uses"),
    state: grantState(grant),
    ...pick(grant, "revokedBy"),
  };
}

export function grantState(grant: Grant): "active" | "revoked" | "used_up" | "expired" {
  if (grant.revokedBy !== undefined) return "revoked";
  if (grant.uses >= grant.maxUses) return "used_up";
  return grant.expiresAt <= Date.now() ? "expired" : "active";
}

export function turnToWire(turn: Turn): JsonObject {
  const { id, result, error } = turn;
  return {
    turn_id: id,
    session_id: sessionOf(turn.conversationId),
    ...pick(turn, "surface", "actor", "message", "state", "createdAt", "updatedAt"),
    // What it said last, before it was stopped or failed, may be that it waits.
    ...(result && { result: resultToWire(id, error ? { ...result, reply: error.message } : result) }),
    ...(error && { error: { error: error.message, code: error.code } }),
    ...pick(turn, "stoppedBy"),
  };
}

export function conversationToWire(conversation: ConversationSummary): JsonObject {
  return {
    session_id: sessionOf(conversation.conversationId),
    ...pick(conversation, "title", "turns", "lastAt", "pending", "found"),
  };
}

export function changeToWire({ kind, conversationId, turnId }: Change): JsonObject {
  return { kind, session_id: sessionOf(conversationId), ...(turnId !== undefined && { turn_id: turnId }) };
}

export function stepToWire(step: TurnStep): JsonObject {
  return pick(step, "seq", "kind", "state", "at", "data");
}

/** A server's question; the address of a page is shown only to the person it is for. */
export function questionToWire(question: Question, viewer: ActorId): JsonObject {
  return {
    question_id: question.id,
    turn_id: question.turnId,
    session_id: sessionOf(question.conversationId),
    kind: question.kind,
    ...(question.kind === "form" && pick(question, "message", "schema")),
    ...(question.kind === "link" && question.actor === viewer && pick(question, "message", "url", "domain")),
    ...pick(question, "server", "toolId", "actor", "state", "createdAt", "expiresAt", "answeredAt", "note"),
  };
}

export function healthToWire(health: Health): JsonObject {
  const { model, store, servers, surfaces } = health;
  return {
    ...pick(health, "status", "version"),
    model: pick(model, "provider", "model", "reachable", "reason"),
    servers: byKey(
      servers.map(({ circuit, ...server }) => [
        server.name,
        {
          ...pick(server, "status", "tools", "error", "note", "doing"),
          ...(circuit && { circuit: circuit.state, ...pick(circuit, "failures", "retryAt") }),
        },
      ]),
    ),
    store: pick(store, "kind", "ok", "code", "error", "damage"),
    ...pick(health, "notices"),
    ...(surfaces && {
      surfaces: byKey(
        Object.entries(surfaces).map(([name, surface]) => [name, pick(surface, "status", "code", "error")]),
      ),
    }),
  };
}

function byKey(entries: [string, JsonObject][]): JsonObject {
  return Object.fromEntries(entries);
}

export function toolToWire({ tool, decision }: ToolListing): JsonObject {
  return { ...pick(tool, "id", "server", "name", "description", "inputSchema"), decision };
}

/** The session's conversation; it is its channel as well. */
export function conversationOf(sessionId: string): string {
  return `http:${sessionId}`;
}

export function sessionOf(conversationId: string): string {
  return conversationId.replace(/^http:/, "");
}

/** Joins an event's key from parts, escaped so that two keys never collide. */
export function eventOf(...parts: string[]): string {
  return parts.map((part) => encodeURIComponent(part)).join("/");
}

/**
 * These fields under their names on the wire, in this order: `createdAt` is `created_at`, an ISO 8601 time. Their
 * values are plain data, in which only optional members may be undefined, which JSON leaves out.
 */
export function pick<From extends object>(from: From, ...names: (keyof From & string)[]): JsonObject {
  const picked: JsonObject = {};
  for (const name of names) {
    const value = from[name];
    if (value === undefined) continue;
    const isTime = /^(?:at|since)$|At$/.test(name) && typeof value === "number";
    picked[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = isTime
      ? new Date(value).toISOString()
      : (value as JsonValue);
  }
  return picked;
}
