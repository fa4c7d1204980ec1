// Servers as teams have them, through one running product.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { late } from "#test/fakes/mcp-box.ts";

import {
  cleanUpAll,
  request,
  type RunningProduct,
  say,
  sayLive,
  startProduct,
  temporaryFolder,
} from "./support.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let product: RunningProduct;
/** The slow server is there as soon as this file is. */
let arrived: string;

beforeAll(async () => {
  arrived = join(await temporaryFolder(), "arrived");
  product = await startProduct({
    config: {
      model: { provider: "builtin" },
      servers: [late({ START_FILE: arrived })],
      policy: { rules: [{ tools: ["late.pid"], decision: "allow", idempotent: true }] },
      commands: { process: { server: "late", subcommands: { id: "pid" } } },
    },
  });
});
afterAll(cleanUpAll);

describe("a server that has to be downloaded first", () => {
  it("[mcp.start] is shown as starting; who needs it waits and reads why, others go on", async () => {
    const health = await request<{ servers: Record<string, object> }>(product, "GET", "/health");
    expect(health.body.servers.late).toMatchObject({
      status: "starting",
      doing: expect.stringMatching(/^Downloading part \d+$/),
    });

    const waiting = await sayLive(product, "/process id", { session_id: "waits" });
    await waiting.until(({ data }) =>
      String(data.message).startsWith("Waiting for late to start: Downloading part"),
    );
    expect((await say(product, "/help", { session_id: "goes on" })).status).toBe(200);
    await writeFile(arrived, "");
    expect((await waiting.end())?.data).toMatchObject({
      tool_results: [{ tool_id: "late.pid", ok: true }],
    });
    expect(product.log.filter(({ msg }) => msg === "server is down")).toEqual([]);
  });
});
