import type { Hono } from "hono";

import type { Health } from "#contract/core.ts";

import { type HttpEnv, offerOf } from "../env.ts";
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
