import type { Context, Hono } from "hono";

import type { Account, AccountLink, Connection, Connections } from "#contract/connections.ts";
import type { JsonObject } from "#contract/json.ts";

import { type HttpEnv, offerOf } from "../env.ts";
import { ApiError } from "../errors.ts";
import { actorOf } from "../identity.ts";
import { actorBody, connectBody, sessionQuery } from "./bodies.ts";
import { iso, present } from "./fields.ts";
import { readBody } from "./read-body.ts";
import { conversationOf } from "./wire.ts";

/** The accounts that people have connected with servers, and those that servers want. */
export function addConnectionRoutes(app: Hono<HttpEnv>): void {
  app.get("/accounts", async (c) => {
    const actor = actorOf(c.get("identity"), c.req.query("actor"));
    const session = sessionQuery(c.req.query("session_id"));
    const asker = { actor, channel: session === undefined ? "" : conversationOf(session) };
    const accounts = await connectionsOf(c).accounts(asker);
    // Without a session there is no channel whose account it could be.
    const known = accounts.filter(({ per }) => per === "person" || session !== undefined);
    return c.json({ accounts: known.map(accountToWire) });
  });

  app.get("/connections", async (c) => {
    const actor = actorOf(c.get("identity"), c.req.query("actor"));
    return c.json({ connections: (await connectionsOf(c).list(actor)).map(toWire) });
  });

  app.post("/connections/:server", async (c) => {
    const body = await readBody(c, connectBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const channel = body.session_id === undefined ? "" : conversationOf(body.session_id);
    return c.json(linkToWire(await connectionsOf(c).begin(c.req.param("server"), { actor, channel })), 201);
  });

  app.delete("/connections/:server", async (c) => {
    const body = await readBody(c, actorBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const gone = await connectionsOf(c).disconnect(c.req.param("server"), actor, c.req.query("whose"));
    return c.json(toWire(gone));
  });
}

function connectionsOf(c: Context<HttpEnv>): Connections {
  const { connections } = offerOf(c);
  if (connections === undefined) throw new ApiError(404, "not_found", "No server wants an account");
  return connections;
}

function toWire({ server, whose, per, by, since }: Connection): JsonObject {
  return { server, whose, per, by, since: iso(since) };
}

function accountToWire({ server, per, whose, connection }: Account): JsonObject {
  const { by, since } = connection ?? {};
  const connected = present({ by, since: since === undefined ? undefined : iso(since) });
  return { server, per, whose, connected: connection !== undefined, ...connected };
}

function linkToWire({ server, whose, url, domain, expiresAt }: AccountLink): JsonObject {
  return { server, whose, url, domain, expires_at: iso(expiresAt) };
}
