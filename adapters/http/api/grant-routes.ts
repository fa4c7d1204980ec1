import type { Hono } from "hono";

import { type HttpEnv, offerOf } from "../env.ts";
import { actorOf } from "../identity.ts";
import { actorBody } from "./bodies.ts";
import { readBody } from "./read-body.ts";
import { conversationOf, grantToWire } from "./wire.ts";

/** Standing approvals: what is or was allowed for a while, and taking it back. */
export function addGrantRoutes(app: Hono<HttpEnv>): void {
  app.get("/grants", async (c) => {
    const session = c.req.query("session_id");
    const grants = await offerOf(c).core.grants(session === undefined ? undefined : conversationOf(session));
    return c.json({ grants: grants.map((grant) => grantToWire(grant, Date.now())) });
  });

  app.post("/grants/:id/revoke", async (c) => {
    const body = await readBody(c, actorBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const grant = await offerOf(c).core.revokeGrant(c.req.param("id"), actor);
    return c.json({ grant: grantToWire(grant, Date.now()) });
  });
}
