import { randomBytes } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type PostgresServer, joinPostgres } from "#test/fakes/postgres.ts";

import { startSessionServer } from "./mcp-support.ts";
import {
  cleanUpAll,
  request,
  type RunningProduct,
  say,
  sayLive,
  startHosted,
  startProduct,
  temporaryFolder,
  type WireResult,
} from "./support.ts";

/** The product with one server that keeps sessions, its tools allowed and reachable by command. */
function config(url: string, more: object = {}): object {
  return {
    model: { provider: "builtin" },
    servers: [{ name: "sessions", url, use_persistent_session: true }],
    policy: { rules: [{ tools: ["sessions.*"], decision: "allow", idempotent: true }] },
    commands: {
      count: { server: "sessions", default: "count" },
      ask: { server: "sessions", default: "ask_name" },
    },
    ...more,
  };
}

async function count(product: { url: string }, session = "c"): Promise<unknown> {
  const { body } = await say(product, "/count note=now", { session_id: session });
  return body.tool_result?.data;
}

describe("on the embedded store", () => {
  it("[mcp.session] goes on with a channel's session after a restart of the product", async () => {
    const { url, asked } = await startSessionServer("v2");
    const dataDir = await temporaryFolder();
    const first = await startProduct({ config: config(url), dataDir });
    const begun = (await count(first)) as { count: number; session: string };
    expect(begun.count).toBe(1);
    await first.kill();

    const second = await startHosted({ config: config(url), dataDir });
    expect(await count(second)).toEqual({ count: 2, session: begun.session });
    expect(await count(second, "another")).not.toMatchObject({ session: begun.session });
    expect(await asked("initialize")).toHaveLength(3);
  });
});

describe("two products over Postgres", () => {
  let server: PostgresServer;
  let a: RunningProduct;
  let b: RunningProduct;

  beforeAll(async () => {
    server = await joinPostgres();
    const { url } = await startSessionServer("v1");
    const options = {
      config: config(url, { store: { url: "${DATABASE_URL}" } }),
      env: {
        DATABASE_URL: await server.createDatabase(),
        COUNTERSIGN_SECRET_KEY: randomBytes(32).toString("base64"),
      },
    };
    [a, b] = await Promise.all([startProduct(options), startProduct(options)]);
  }, 120_000);

  afterAll(async () => {
    await cleanUpAll();
    await server.stop();
  });

  it("[mcp.session] share a channel's session", async () => {
    const counts = [await count(a), await count(b), await count(a), await count(b)];
    const sessions = counts.map((one) => (one as { session: string }).session);
    expect(counts.map((one) => (one as { count: number }).count)).toEqual([1, 2, 3, 4]);
    expect(new Set(sessions).size).toBe(1);
  });

  it("[mcp.elicit] take the answer to a question of either's call", async () => {
    const turns = await Promise.all(
      ["x", "y", "z"].map((session) => sayLive(a, "/ask note=now", { session_id: session, actor: "ana" })),
    );
    for (const [index, turn] of turns.entries()) {
      const { data } = await turn.until(({ event }) => event === "question");
      const content = { name: `Ana ${index}` };
      const path = `/questions/${String(data.question_id)}/answer`;
      const asked = await request<{ state: string }>(b, "POST", path, {
        action: "accept",
        content,
        actor: "ana",
      });
      expect(asked).toMatchObject({ status: 200, body: { state: "accepted" } });
    }
    const results = await Promise.all(turns.map((turn) => turn.end()));
    const said = results.map((event) => (event?.data as WireResult | undefined)?.tool_result?.data);
    expect(said).toEqual([0, 1, 2].map((index) => ({ action: "accept", content: { name: `Ana ${index}` } })));
  });
});
