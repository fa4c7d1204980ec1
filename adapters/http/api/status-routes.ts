import type { Hono } from "hono";

import type { ChannelPrivacy, Health } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";

import { actorOf, type HttpEnv, offerOf } from "../identity.ts";
import { privacyBody, readBody } from "./bodies.ts";
import { healthToWire, toolToWire } from "./wire.ts";

/** Health for people and probes, and the tool catalogue. */
export function addStatusRoutes(app: Hono<HttpEnv>, probe: () => Promise<Health>): void {
  app.get("/health", async (c) => {
    const offer = c.get("offer");
    const health = await (offer?.core.health() ?? probe());
    const status = health.status === "starting" || !health.store.ok ? 503 : 200;
    // A probe has no token: it learns whether the product works, and nothing about what it is connected to.
    const shown =
      offer === undefined ? { status: health.status, version: health.version } : healthToWire(health);
    return c.json(shown, status);
  });

  app.get("/tools", (c) => c.json({ tools: offerOf(c).core.tools().map(toolToWire) }));
}

/** Whether results of a channel may go to a model. A channel's id is that of the configuration, such as `http:demo`. */
export function addChannelRoutes(app: Hono<HttpEnv>): void {
  app.get("/channels/:id/privacy", async (c) => {
    const channel = c.req.param("id");
    return c.json(privacyToWire(channel, await offerOf(c).core.privacy(channel)));
  });

  app.put("/channels/:id/privacy", async (c) => {
    const body = await readBody(c, privacyBody);
    const channel = c.req.param("id");
    const actor = actorOf(c.get("identity"), body.actor);
    const privacy = await offerOf(c).core.setPrivacy({ channel, actor, summarize: body.summarize });
    return c.json(privacyToWire(channel, privacy));
  });
}

function privacyToWire(channel: string, { summarize, setBy }: ChannelPrivacy): JsonObject {
  return { channel, summarize, ...(setBy === undefined ? {} : { set_by: setBy }) };
}
