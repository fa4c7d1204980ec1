import type { Context, Hono } from "hono";
import * as z from "zod";

import type { ActorId } from "#contract/actor.ts";
import type { Core } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { EarlierMessage, Site } from "#contract/message.ts";
import type { Turn } from "#contract/turn.ts";
import { headerFault, isHeaderValue } from "#src/base/http.ts";
import { pendingOf } from "#src/base/statement.ts";
import { cutText } from "#src/base/text.ts";

import { ApiError, badField, notFound, statusOfCode, toApiError } from "../errors.ts";
import { type HttpEnv, offerOf, signedBy, viewerOf } from "../identity.ts";
import { approveByKeys, approvedKeys, type Continuation } from "./approved-keys.ts";
import { actorBody, actorField, eventId, messageText, readBody, sessionId } from "./bodies.ts";
import { type EventStreams, wantsEventStream } from "./event-stream.ts";
import {
  conversationOf,
  eventOf,
  eventToWire,
  questionToWire,
  resultToWire,
  stepToWire,
  turnToWire,
} from "./wire.ts";

/** Checked here and never logged or sent back. */
const site: z.ZodType<Site> = z.strictObject({
  domain: z.string().min(1).max(2048),
  token: z.string().min(1).max(8192).refine(isHeaderValue, `expected ${headerFault}`),
  ssl: z.boolean().exactOptional(),
});

const turnBody = z
  .strictObject({
    session_id: sessionId,
    message: messageText.optional(),
    /** Another name for it. */
    user_input: messageText.optional(),
    actor: actorField,
    approved_keys: approvedKeys,
    allow_summarization: z.boolean().default(true),
    mode: z.enum(["chat", "migration"]).optional(),
    /** History that the client holds; what other roles say is not read. */
    messages: z
      .array(
        z.strictObject({
          role: z.enum(["user", "assistant", "system", "tool"]),
          content: z.string().refine((said) => said.isWellFormed(), "holds a broken surrogate pair"),
        }),
      )
      .max(1000)
      .optional(),
    tenant_config: site.optional(),
    migration_config: z.strictObject({ source: site, target: site }).optional(),
    event_id: eventId.optional(),
  })
  .transform(({ user_input, ...body }) => ({ ...body, message: body.message ?? user_input }))
  .refine(({ message, approved_keys }) => message !== undefined || approved_keys.length > 0, {
    path: ["message"],
    message: "is required unless approved_keys decides a pending request",
  });

/** Starting, following, reading and stopping turns. */
export function addTurnRoutes(app: Hono<HttpEnv>, streams: EventStreams): void {
  app.post("/agent/turn", async (c) => {
    const body = await readBody(c, turnBody);
    const { core } = offerOf(c);
    const isStream = wantsEventStream(c.req.header("accept"));
    if (isStream) streams.requireRoom(body.actor);
    const { turnId, after } = await start(core, body, signedBy(c));
    if (isStream) return streams.ofTurn(c, { core, turnId, after, viewer: body.actor });
    return c.json(await awaitResult(core, turnId, after, c.req.raw.signal));
  });

  app.get("/agent/turns/:id", async (c) => {
    const { core } = offerOf(c);
    const turn = await findTurn(core, c.req.param("id"));
    const viewer = viewerOf(c);
    if (wantsEventStream(c.req.header("accept"))) {
      streams.requireRoom(viewer);
      return streams.ofTurn(c, { core, turnId: turn.id, after: readAfter(c), viewer });
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
    const { actor } = await readBody(c, actorBody);
    const { core } = offerOf(c);
    const turn = await findTurn(core, c.req.param("id"));
    const { stopped, message } = await core.stop(turn.id, actor);
    return c.json({ turn_id: turn.id, stopped, message }, 202);
  });
}

const ratingBody = z.strictObject({
  verdict: z.enum(["good", "bad"]),
  words: z.string().max(2_000).optional(),
  actor: actorField,
});

/** What people think of answers; of each person the last word counts. */
export function addFeedbackRoute(app: Hono<HttpEnv>): void {
  app.post("/agent/turns/:id/feedback", async (c) => {
    const { verdict, words, actor } = await readBody(c, ratingBody);
    const { core } = offerOf(c);
    const { id: turnId } = await findTurn(core, c.req.param("id"));
    await core.rate({ turnId, actor, verdict, ...(words === undefined ? {} : { words }) });
    return c.json({ turn_id: turnId, verdict });
  });
}

/** Drawn by a browser in place; everything else is downloaded. No SVG: it can hold scripts. */
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The files that calls brought. They are a tool's: nothing in them may run here. */
export function addFileRoutes(app: Hono<HttpEnv>): void {
  app.get("/files/:id", async (c) => {
    const id = c.req.param("id");
    const file = await offerOf(c).core.file(id);
    if (file === undefined) throw notFound("file", id);
    const shown = SHOWN.has(file.mediaType);
    return c.body(new Uint8Array(file.data), 200, {
      "content-type": shown ? file.mediaType : "application/octet-stream",
      "content-disposition": `${shown ? "inline" : "attachment"}; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=86400, immutable",
    });
  });
}

export async function findTurn(core: Core, id: string): Promise<Turn> {
  const turn = await core.turn(id);
  if (turn === undefined) throw notFound("turn", id);
  return turn;
}

/** `?after=SEQ`, or Last-Event-ID of a client that lost the line. */
export function readAfter(c: Context): number {
  const given = c.req.query("after") ?? c.req.header("last-event-id");
  if (given === undefined || given === "") return 0;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw badField("after", `expected the number of an event, got ${JSON.stringify(given)}`);
}

type Body = Omit<z.infer<typeof turnBody>, "actor"> & { actor: ActorId };

/** Approves by keys, and submits the message; what it answers with is the message's turn where there is one. */
async function start(core: Core, body: Body, via: ReturnType<typeof signedBy>): Promise<Continuation> {
  const { actor, message, mode, messages, tenant_config: tenant, migration_config: migration } = body;
  const conversationId = conversationOf(body.session_id);
  const keys = { conversationId, keys: body.approved_keys, isAlone: message === undefined };
  const continued = keys.keys.length === 0 ? undefined : await approveByKeys(core, keys, { actor, ...via });
  if (message === undefined) return continued ?? (await lastTurn(core, conversationId));
  const { turnId } = await core.submit({
    surface: "http",
    actor,
    conversationId,
    channel: conversationId,
    message,
    allowSummarization: body.allow_summarization,
    ...(mode !== undefined && { mode }),
    ...(messages !== undefined && { history: earlierOf(messages, message) }),
    ...((tenant ?? migration) !== undefined && {
      credentials: { ...(tenant && { tenant }), ...(migration && { migration }) },
    }),
    // Ids are the client's own: another session may use the same one.
    ...(body.event_id !== undefined && { eventId: eventOf(body.session_id, body.event_id) }),
  });
  return { turnId, after: 0 };
}

/** What keys alone are answered with that name nothing here. */
async function lastTurn(core: Core, conversationId: string): Promise<Continuation> {
  const turn = (await core.conversation(conversationId)).at(-1);
  if (turn !== undefined) return { turnId: turn.id, after: 0 };
  const why = "approved_keys: this session has no request with such a key; say something with message";
  throw new ApiError(404, "unknown_key", why);
}

/** The most of a history that a client holds, in messages and in characters of each. */
const HISTORY = { messages: 12, chars: 4_000 };

/** What people and the assistant said before this message, which some clients repeat at the end. */
function earlierOf(messages: NonNullable<Body["messages"]>, message: string): EarlierMessage[] {
  const said = messages.flatMap(({ role, content }) =>
    role === "user" || role === "assistant" ? [{ role, text: cutText(content, HISTORY.chars) }] : [],
  );
  const last = said.at(-1);
  const isRepeated = last?.role === "user" && last.text === cutText(message, HISTORY.chars);
  return (isRepeated ? said.slice(0, -1) : said).slice(-HISTORY.messages);
}

/**
 * Follows a turn until its last event for now and gives the data of its result. A turn that failed
 * rejects with the status of its code. Who waits for JSON sees no question meanwhile: one of the product's own is
 * closed, and the result says what was not known.
 */
async function awaitResult(
  core: Core,
  turnId: string,
  after: number,
  signal: AbortSignal,
): Promise<JsonObject> {
  const details = { turn_id: turnId };
  try {
    for await (const { event } of core.events(turnId, { after, signal })) {
      if (event.type !== "question" || event.question.state !== "open") continue;
      const { id: questionId, actor, ...question } = event.question;
      if (question.kind === "form" && question.topic !== undefined)
        // Somebody else may have been faster.
        await core.answer({ questionId, actor, action: "cancel" }).catch(() => undefined);
    }
  } catch (error) {
    // It was accepted, so the client is told its id whatever keeps it from going on.
    const { status, code, message, headers } = toApiError(error);
    throw new ApiError(status, code, message, { headers, details });
  }
  signal.throwIfAborted();
  const { state, error, stoppedBy, result } = await withFreshApproval(core, await findTurn(core, turnId));
  if (state === "failed" || state === "stopped") {
    const code = error?.code ?? (state === "stopped" ? "stopped" : "internal");
    const stopped = `The turn was stopped${stoppedBy === undefined ? "" : ` by ${stoppedBy}`}.`;
    throw new ApiError(statusOfCode(code), code, error?.message ?? stopped, { details });
  }
  if (result !== undefined) return resultToWire(turnId, result);
  const unfinished = "The turn was accepted and has not finished; ask for it by its id.";
  throw new ApiError(503, "not_finished", unfinished, { details, headers: { "retry-after": "2" } });
}

/** The result names the approvals as they were when the turn paused; votes may have come since. */
async function withFreshApproval(core: Core, turn: Turn): Promise<Turn> {
  const { result } = turn;
  if (result?.pendingConfirmation === undefined) return turn;
  const [pending = result.pendingConfirmation, ...alsoPending] = await Promise.all(
    pendingOf(result).map(async (one) => (await core.approval(one.id)) ?? one),
  );
  const others = alsoPending.length === 0 ? {} : { alsoPending };
  return { ...turn, result: { ...result, pendingConfirmation: pending, ...others } };
}
