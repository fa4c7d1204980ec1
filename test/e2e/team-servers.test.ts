// Servers as teams have them, through one running product.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { late } from "#test/fakes/mcp-box.ts";

import {
  cleanUp,
  cleanUpAll,
  projectRoot,
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

const migrations = { messages: "migrate_messages", stream: "migrate_stream", comments: "migrate_comments" };

beforeAll(async () => {
  arrived = join(await temporaryFolder(), "arrived");
  const talk = await launchFake("test/fakes/mcp-talk.ts");
  product = await startProduct({
    config: {
      model: { provider: "builtin" },
      servers: [
        late({ START_FILE: arrived }),
        { name: "talk", url: talk, trust_annotations: true, timeout_ms: 1_000 },
        {
          name: "brief",
          url: talk,
          trust_annotations: true,
          timeout_ms: 1_000,
          total_timeout_ms: { default: 1_500, "migrate_m*": 600_000 },
        },
      ],
      policy: { rules: [{ tools: ["late.pid"], decision: "allow", idempotent: true }] },
      commands: {
        process: { server: "late", subcommands: { id: "pid" } },
        talk: { server: "talk", subcommands: migrations },
        brief: { server: "brief", subcommands: migrations },
      },
    },
  });
});
afterAll(cleanUpAll);

/** Starts a server over HTTP that prints its url. */
async function launchFake(script: string): Promise<string> {
  const child = spawn(process.execPath, [script], { cwd: projectRoot, stdio: ["ignore", "pipe", "inherit"] });
  cleanUp(async () => void child.kill("SIGKILL"));
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return url;
}

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

describe("a server that takes long and says so by messages", () => {
  it("[mcp.messages] is heard on the stream of the call and on its own, and kept alive by a comment as well", async () => {
    const turns = await Promise.all(
      Object.keys(migrations).map((way) =>
        sayLive(product, `/talk ${way} steps=30`, { session_id: `talks by ${way}` }),
      ),
    );
    // Three times as long as the longest silence that is allowed.
    for (const turn of turns)
      expect((await turn.end())?.data).toMatchObject({
        tool_result: { ok: true, data: "migrated 30" },
      });
    const [messages = [], stream = [], comments = []] = turns.map(({ events }) =>
      events.flatMap(({ event, data }) =>
        event === "progress" && "detail" in data ? [`${String(data.message)}; ${String(data.detail)}`] : [],
      ),
    );
    expect(messages.length).toBeGreaterThan(5);
    expect(messages.at(-1)).toBe("Dashboard 30 migrated; type: progress, migrated: 30, total: 30");
    expect(stream.length).toBeGreaterThan(5);
    expect(comments).toEqual([]);
  });

  it("[mcp.messages] has hours where a rule gives them to its tool, and no longer than all others else", async () => {
    const [patient, brief] = await Promise.all(
      ["messages", "comments"].map((way) =>
        say(product, `/brief ${way} steps=25`, { session_id: `brief by ${way}` }),
      ),
    );
    expect(patient?.body.tool_result).toMatchObject({ ok: true, data: "migrated 25" });
    expect(brief?.body.tool_result?.error?.message).toContain("did not end within 1.5 s");
  });
});
