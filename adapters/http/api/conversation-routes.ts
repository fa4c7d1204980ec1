import type { Context, Hono } from "hono";
import * as z from "zod";

import type { Core } from "#contract/core.ts";
import type { ConversationSummary, TurnPlace } from "#contract/conversation.ts";

import { badField, notFound } from "../errors.ts";
import { type HttpEnv, offerOf, viewerOf } from "../identity.ts";
import { actorBody, actorField, hasControlCharacters, readBody } from "./bodies.ts";
import { type EventStreams, toFrame } from "./event-stream.ts";
import { readAfter } from "./turn-routes.ts";
import { changeToWire, conversationOf, conversationToWire, turnToWire } from "./wire.ts";

/** Turns of a page, and conversations of a list. */
const TURNS = { usual: 50, most: 200 };
const LISTED = { usual: 60, most: 500 };

const renameBody = z.strictObject({
  title: z
    .string()
    .trim()
    .min(1, "expected 1 to 120 characters, got none")
    .max(120, "expected 1 to 120 characters")
    .refine((text) => text.isWellFormed(), "holds a broken surrogate pair")
    .refine((text) => !hasControlCharacters(text) && !/[\t\n]/.test(text), "expected one line of text"),
  actor: actorField,
});

/** Finding, reading, naming and deleting conversations, and what changes in them. */
export function addConversationRoutes(app: Hono<HttpEnv>, streams: EventStreams): void {
  app.get("/conversations", async (c) => {
    const query = c.req.query("q");
    const conversations = await offerOf(c).core.conversations({
      surface: "http",
      limit: readCount(c, LISTED),
      ...(query !== undefined && { query: query.slice(0, 200) }),
    });
    return c.json({ conversations: conversations.map(conversationToWire) });
  });

  app.get("/conversations/:session", async (c) => {
    const { core } = offerOf(c);
    const summary = await findConversation(core, c.req.param("session"));
    const { conversationId } = summary;
    const { turns, earlier, later } = await core.turnPage(conversationId, readPlace(c), readCount(c, TURNS));
    return c.json({ ...conversationToWire(summary), turns: turns.map(turnToWire), earlier, later });
  });

  app.patch("/conversations/:session", async (c) => {
    const { title, actor } = await readBody(c, renameBody);
    const { core } = offerOf(c);
    const { conversationId } = await findConversation(core, c.req.param("session"));
    await core.renameConversation({ conversationId, actor, title });
    return c.json(conversationToWire(await findConversation(core, c.req.param("session"))));
  });

  app.delete("/conversations/:session", async (c) => {
    const { actor } = await readBody(c, actorBody);
    const { core } = offerOf(c);
    const { conversationId } = await findConversation(core, c.req.param("session"));
    const { turns } = await core.deleteConversation({ conversationId, actor });
    return c.json({ session_id: c.req.param("session"), deleted_turns: turns });
  });

  /** Each batch is one event, whose id is where to go on from. */
  app.get("/changes", async (c) => {
    const { core } = offerOf(c);
    const viewer = viewerOf(c);
    streams.requireRoom(viewer);
    const given = c.req.query("after") ?? c.req.header("last-event-id") ?? "";
    const after = given === "" ? await core.lastChange() : readAfter(c);
    return streams.open(c, {
      viewer,
      async *frames(signal) {
        // Headers go out with the first bytes: a client hears at once that it is connected.
        yield toFrame("connected", {}, after);
        for await (const { seq, changes, isComplete, isHealthNew } of core.changes({ after, signal })) {
          if (changes.length > 0 || !isComplete)
            yield toFrame("changes", { changes: changes.map(changeToWire), is_complete: isComplete }, seq);
          if (isHealthNew) yield toFrame("health", {});
        }
      },
    });
  });
}

/** Throws 404 for a session in which nothing was said, or that the requester may not see. */
export async function findConversation(core: Core, session: string): Promise<ConversationSummary> {
  const conversationId = conversationOf(session);
  const [found] = await core.conversations({ surface: "http", limit: 1, conversationId });
  if (found === undefined) throw notFound("session", session);
  return found;
}

function readCount(c: Context, { usual, most }: { usual: number; most: number }): number {
  const given = c.req.query("limit");
  if (given === undefined) return usual;
  if (/^[1-9]\d{0,3}$/.test(given) && Number(given) <= most) return Number(given);
  throw badField("limit", `expected a number from 1 to ${most}, got ${JSON.stringify(given.slice(0, 40))}`);
}

/** `before` or `after` a turn, `from=start`, else the newest. */
export function readPlace(c: Context): TurnPlace {
  const { before, after, from } = c.req.query();
  const given = [before, after, from].filter((one) => one !== undefined);
  if (given.length > 1) throw badField("before", "expected one of before, after and from, got several");
  if (before !== undefined) return { before };
  if (after !== undefined) return { after };
  if (from === undefined || from === "start") return from ?? "end";
  throw badField("from", `expected start, got ${JSON.stringify(from.slice(0, 40))}`);
}
