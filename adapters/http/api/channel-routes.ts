import type { Hono } from "hono";

import type { ChannelPrivacy } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";

import { type HttpEnv, offerOf } from "../env.ts";
import { actorOf } from "../identity.ts";
import { privacyBody } from "./bodies.ts";
import { readBody } from "./read-body.ts";

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
