import type { Hono } from "hono";

import type { Core } from "#contract/core.ts";

import type { HttpEnv } from "../env.ts";
import { healthToWire, toolToWire } from "./wire.ts";

/** Health for people and probes, and the tool catalogue. */
export function addStatusRoutes(app: Hono<HttpEnv>, core: Core): void {
  app.get("/health", async (c) => {
    const health = await core.health();
    const status = health.status === "starting" || !health.store.ok ? 503 : 200;
    // A probe has no token: it learns whether the product works, and nothing about what it is connected to.
    const shown =
      c.get("identity") === undefined
        ? { status: health.status, version: health.version }
        : healthToWire(health);
    return c.json(shown, status);
  });

  app.get("/tools", (c) => c.json({ tools: core.tools().map(toolToWire) }));
}
