import type { Context, Hono } from "hono";

import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { NumberedEvent, Turn, TurnRequest } from "#contract/turn.ts";

import { ApiError, statusOfCode, toApiError } from "../errors.ts";
import { actorOf, type HttpEnv, offerOf } from "../identity.ts";
import { actorBody, readBody, turnBody, type TurnBody } from "./bodies.ts";
import { createTurnStreams, type StreamOptions, wantsEventStream } from "./event-stream.ts";
import {
  conversationOf,
  eventOf,
  eventToWire,
  questionToWire,
  resultToWire,
  stepToWire,
  turnToWire,
} from "./wire.ts";

/** Starting, following, reading and stopping turns. */
export function addTurnRoutes(app: Hono<HttpEnv>, options: StreamOptions): void {
  const streams = createTurnStreams(options);

  app.post("/agent/turn", async (c) => {
    const body = await readBody(c, turnBody);
    const { core } = offerOf(c);
    const viewer = actorOf(c.get("identity"), body.actor);
    const isStream = wantsEventStream(c.req.header("accept"));
    if (isStream) streams.requireRoom(viewer);
    const { turnId, after } = await start(core, c, body);
    if (isStream) return streams.open(c, { core, turnId, after, viewer });
    return c.json(await awaitResult(core, turnId, after, c.req.raw.signal));
  });

  app.get("/agent/turns/:id", async (c) => {
    const { core } = offerOf(c);
    const turn = await findTurn(core, c.req.param("id"));
    const viewer = actorOf(c.get("identity"), c.req.query("actor"));
    if (wantsEventStream(c.req.header("accept"))) {
      streams.requireRoom(viewer);
      return streams.open(c, { core, turnId: turn.id, after: readAfter(c), viewer });
    }
    const [events, { message, steps }, questions] = await Promise.all([
      core.eventsSoFar(turn.id),
      core.record(turn.id),
      core.questions({ turnId: turn.id }),
    ]);
    const shown = turnToWire(await withFreshApproval(core, turn));
    return c.json({
      ...shown,
      message,
      events: events.map(({ seq, event }) => ({ seq, ...eventToWire(turn.id, event, viewer) })),
      steps: steps.map(stepToWire),
      questions: questions.map((question) => questionToWire(question, viewer)),
    });
  });

  app.post("/agent/turns/:id/stop", async (c) => {
    const body = await readBody(c, actorBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const { core } = offerOf(c);
    const turn = await findTurn(core, c.req.param("id"));
    const { stopped, message } = await core.stop(turn.id, actor);
    return c.json({ turn_id: turn.id, stopped, message }, 202);
  });
}

/** Keys decide what waits; a message beside them is the one that was asked before, as older clients send it. */
async function start(core: Core, c: Context<HttpEnv>, body: TurnBody): Promise<Continuation> {
  const actor = actorOf(c.get("identity"), body.actor);
  const conversationId = conversationOf(body.session_id);
  const keys = body.approved_keys ?? [];
  if (keys.length > 0 || body.message === undefined) {
    return approveKeys(core, { conversationId, keys, actor });
  }
  const { turnId } = await core.submit({
    surface: "http",
    actor,
    conversationId,
    channel: conversationId,
    message: body.message,
    allowSummarization: body.allow_summarization,
    // Ids are the client's own: another session may use the same one.
    ...credentialsOf(body),
    ...(body.event_id === undefined ? {} : { eventId: eventOf(body.session_id, body.event_id) }),
  });
  return { turnId, after: 0 };
}

function credentialsOf({ tenant_config, migration_config }: TurnBody): Pick<TurnRequest, "credentials"> {
  if (tenant_config === undefined && migration_config === undefined) return {};
  return {
    credentials: {
      ...(tenant_config && { tenant: tenant_config }),
      ...(migration_config && { migration: migration_config }),
    },
  };
}

async function findTurn(core: Core, id: string): Promise<Turn> {
  const turn = await core.turn(id);
  if (turn === undefined) throw turnNotFound(id);
  return turn;
}

/** `?after=SEQ`, or Last-Event-ID of a client that lost the line. */
function readAfter(c: Context): number {
  const given = c.req.query("after") ?? c.req.header("last-event-id");
  if (given === undefined || given === "") return 0;
  if (!/^\d{1,15}$/.test(given)) {
    throw new ApiError(
      400,
      "bad_request",
      `after: expected the number of an event, got ${JSON.stringify(given)}`,
      {
        details: { field: "after" },
      },
    );
  }
  return Number(given);
}

/**
 * Follows a turn until its last event for now and gives the data of its result. A turn that failed
 * rejects with the status of its code.
 */
async function awaitResult(
  core: Core,
  turnId: string,
  after: number,
  signal: AbortSignal,
): Promise<JsonObject> {
  try {
    for await (const _ of core.events(turnId, { after, signal }));
  } catch (error) {
    // It was accepted, so the client is told its id whatever keeps it from going on.
    const { status, code, message, headers } = toApiError(error);
    throw new ApiError(status, code, message, { headers, details: { turn_id: turnId } });
  }
  signal.throwIfAborted();
  const turn = await core.turn(turnId);
  if (turn === undefined) throw turnNotFound(turnId);
  return resultOrError(await withFreshApproval(core, turn));
}

export function turnNotFound(turnId: string): ApiError {
  return new ApiError(404, "not_found", `turn_id: no turn ${JSON.stringify(turnId.slice(0, 80))}`);
}

/** The result names the approval as it was when the turn paused; votes may have come since. */
async function withFreshApproval(core: Core, turn: Turn): Promise<Turn> {
  const pending = turn.result?.pendingConfirmation;
  if (turn.result === undefined || pending === undefined) return turn;
  const approval = (await core.approval(pending.id)) ?? pending;
  return { ...turn, result: { ...turn.result, pendingConfirmation: approval } };
}

function resultOrError(turn: Turn): JsonObject {
  if (turn.state === "failed" || turn.state === "stopped") {
    const code = turn.error?.code ?? (turn.state === "stopped" ? "stopped" : "internal");
    const message = turn.error?.message ?? stoppedMessage(turn);
    throw new ApiError(statusOfCode(code), code, message, { details: { turn_id: turn.id } });
  }
  if (turn.result !== undefined) return resultToWire(turn.id, turn.result);
  throw new ApiError(
    503,
    "not_finished",
    "The turn was accepted and has not finished; ask for it by its id.",
    {
      details: { turn_id: turn.id },
      headers: { "retry-after": "2" },
    },
  );
}

function stoppedMessage(turn: Turn): string {
  return turn.stoppedBy === undefined
    ? "The turn was stopped."
    : `The turn was stopped by ${turn.stoppedBy}.`;
}

/** The turn that goes on because of the decision, and its last event before it. */
interface Continuation {
  turnId: string;
  after: number;
}

/**
 * Approves the session's pending requests with these keys. All keys are looked up before any is
 * decided, so that a wrong one changes nothing. With several keys the last one's turn is answered.
 */
async function approveKeys(
  core: Core,
  request: { conversationId: string; keys: string[]; actor: ActorId },
): Promise<Continuation> {
  const known = await core.approvals({ conversationId: request.conversationId });
  const wanted = [...new Set(request.keys)].map((key) => latestPending(known, key));
  let continuation: Continuation | undefined;
  for (const approval of wanted) {
    const outcome = await approve(core, approval, request.actor);
    // Asked after the decision: before it an approver may see the request, and not the turn.
    const events = await core.eventsSoFar(approval.turnId);
    const after = events.findLast((one) => asksFor(one, approval.id))?.seq ?? 0;
    // A vote short of the quorum continues nothing: the answer is the turn as it waits.
    continuation = { turnId: approval.turnId, after: outcome === "approved" ? after : 0 };
  }
  if (continuation === undefined)
    throw new ApiError(400, "bad_request", "approved_keys: expected at least one key");
  return continuation;
}

/** A turn that waits has told so last; what comes after that follows the decision. */
function asksFor({ event }: NumberedEvent, approvalId: string): boolean {
  return event.type === "result" && event.result.pendingConfirmation?.id === approvalId;
}

function latestPending(known: Approval[], key: string): Approval {
  const same = known.filter((approval) => approval.key === key).toSorted((a, b) => b.createdAt - a.createdAt);
  const pending = same.find((approval) => approval.state === "pending") ?? same[0];
  if (pending === undefined) {
    throw new ApiError(
      404,
      "unknown_key",
      `approved_keys: this session has no request with the key ${JSON.stringify(key.slice(0, 80))}`,
    );
  }
  if (pending.state !== "pending") {
    throw new ApiError(
      409,
      "already_decided",
      `approved_keys: the request with the key ${JSON.stringify(key.slice(0, 80))} is ${pending.state}; ask again for a new one`,
      { details: { approval_id: pending.id, state: pending.state } },
    );
  }
  return pending;
}

async function approve(core: Core, approval: Approval, actor: ActorId): Promise<"approved" | "recorded"> {
  const reply = await core.decide({ approvalId: approval.id, actor, decision: "approve" });
  if (reply.outcome === "approved" || reply.outcome === "recorded") return reply.outcome;
  throw new ApiError(reply.outcome === "not_eligible" ? 403 : 409, reply.outcome, reply.message, {
    details: { approval_id: approval.id, state: reply.approval.state },
  });
}

/** Drawn by a browser in place; everything else is downloaded. No SVG: it can hold scripts. */
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The files that calls brought. They are a tool's: nothing in them may run here. */
export function addFileRoutes(app: Hono<HttpEnv>): void {
  app.get("/files/:id", async (c) => {
    const id = c.req.param("id");
    const file = await offerOf(c).core.file(id);
    if (file === undefined)
      throw new ApiError(404, "not_found", `file_id: no file ${JSON.stringify(id.slice(0, 80))}`);
    const shown = SHOWN.has(file.mediaType);
    return c.body(new Uint8Array(file.data), 200, {
      "content-type": shown ? file.mediaType : "application/octet-stream",
      "content-disposition": `${shown ? "inline" : "attachment"}; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=86400, immutable",
    });
  });
}
