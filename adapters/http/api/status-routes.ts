import type { Hono } from "hono";
import * as z from "zod";

import type { Health } from "#contract/core.ts";

import { type HttpEnv, offerOf } from "../identity.ts";
import { actorField, readBody } from "./bodies.ts";
import { healthToWire, pick, toolToWire } from "./wire.ts";

/** Health for people and probes, and the tool catalogue. */
export function addStatusRoutes(app: Hono<HttpEnv>, probe: () => Promise<Health>): void {
  app.get("/health", async (c) => {
    const offer = c.get("offer");
    const health = await (offer?.core.health() ?? probe());
    const status = health.status === "starting" || !health.store.ok ? 503 : 200;
    // A probe has no token: it learns whether the product works, and nothing about what it is connected to.
    return c.json(offer === undefined ? pick(health, "status", "version") : healthToWire(health), status);
  });

  app.get("/tools", (c) => c.json({ tools: offerOf(c).core.tools().map(toolToWire) }));
}

const privacyBody = z.strictObject({ summarize: z.boolean(), actor: actorField });

/** Whether results of a channel may go to a model. A channel's id is that of the configuration, such as `http:demo`. */
export function addChannelRoutes(app: Hono<HttpEnv>): void {
  app.get("/channels/:id/privacy", async (c) => {
    const channel = c.req.param("id");
    const privacy = await offerOf(c).core.privacy(channel);
    return c.json({ channel, ...pick(privacy, "summarize", "setBy") });
  });

  app.put("/channels/:id/privacy", async (c) => {
    const { actor, summarize } = await readBody(c, privacyBody);
    const channel = c.req.param("id");
    const privacy = await offerOf(c).core.setPrivacy({ channel, actor, summarize });
    return c.json({ channel, ...pick(privacy, "summarize", "setBy") });
  });
}
