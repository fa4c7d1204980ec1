import type { Context, Hono } from "hono";

import type { Core } from "#contract/core.ts";
import type { Turn, TurnRequest } from "#contract/turn.ts";

import { type HttpEnv, offerOf } from "../env.ts";
import { ApiError } from "../errors.ts";
import { actorOf } from "../identity.ts";
import { answerOf, unknownTurn, withFreshApproval } from "./answer.ts";
import { approveKeys, type Continuation } from "./approved-keys.ts";
import { actorBody, turnBody, type TurnBody } from "./bodies.ts";
import { createTurnStreams, type StreamOptions, wantsEventStream } from "./event-stream.ts";
import { questionToWire } from "./question-wire.ts";
import { readBody } from "./read-body.ts";
import { conversationOf, eventOf, eventToWire, stepToWire, turnToWire } from "./wire.ts";

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
    return c.json(await answerOf(core, turnId, after, c.req.raw.signal));
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
  if (turn === undefined) throw unknownTurn(id);
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
