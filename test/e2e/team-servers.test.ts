// Servers as teams have them, through one running product.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { late } from "#test/fakes/mcp-box.ts";

import {
  askFor,
  cleanUp,
  cleanUpAll,
  decide,
  follow,
  type HostedProduct,
  projectRoot,
  readTurn,
  request,
  say,
  sayLive,
  startHosted,
  temporaryFolder,
  type WirePending,
  type WireToolResult,
} from "./support.ts";

let product: HostedProduct;
/** The slow server is there as soon as this file is. */
let arrived: string;

const migrations = { messages: "migrate_messages", stream: "migrate_stream", comments: "migrate_comments" };

beforeAll(async () => {
  arrived = join(await temporaryFolder(), "arrived");
  const talk = await launchFake("test/fakes/mcp-talk.ts");
  product = await startHosted({
    config: {
      model: { provider: "builtin" },
      servers: [
        late({ START_FILE: arrived }),
        {
          name: "team",
          command: ["node", "test/fakes/mcp-team.ts"],
          use_persistent_session: true,
          trust_annotations: true,
          fixed_arguments: { org_id: "acme", task_id: "${turn.id}" },
        },
        { name: "talk", url: talk, trust_annotations: true, timeout_ms: 1_000 },
        {
          name: "brief",
          url: talk,
          trust_annotations: true,
          timeout_ms: 1_000,
          total_timeout_ms: { default: 1_500, "migrate_m*": 600_000 },
        },
      ],
      tools: { publish_note: { fixed_arguments: { author: "${actor}", place: "for ${channel}" } } },
      policy: { rules: [{ tools: ["late.pid"], decision: "allow", idempotent: true }] },
      commands: {
        cleanup: { server: "team", default: "cleanup_artifacts" },
        ensemble: { server: "team", subcommands: { delete: "delete_ensemble", list: "list_ensembles" } },
        ask: { server: "team", default: "knowledge_query" },
        note: { server: "team", default: "publish_note" },
        clock: { server: "team", default: "current_time" },
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
    expect(messages.at(-1)).toBe("Dashboard 30 migrated; migrated: 30, total: 30");
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

/** Approves what a message asks for; the request, and what the call that was made brought. */
async function approved(message: string): Promise<{ pending: WirePending; result: WireToolResult | null }> {
  const { turnId, pending } = await askFor(product, message, { session_id: message.slice(0, 40) });
  const seen = (await follow(product, turnId)).length;
  expect((await decide(product, pending.approval_id, "approve")).body.outcome).toBe("approved");
  await follow(product, turnId, seen);
  const { result } = await readTurn(product, turnId);
  return { pending, result: result?.tool_result ?? null };
}

describe("a change that only tries unless it is told otherwise", () => {
  it("[approve.dry-run] is made once it is approved, and its card shows what it said when it only tried", async () => {
    const { pending, result } = await approved("/cleanup older_than_days=30");

    expect(pending.args).toEqual({ older_than_days: 30, dry_run: false });
    expect(result).toMatchObject({ ok: true, data: { deleted: 2, given: pending.args } });
    const statement = JSON.stringify(pending.statement);
    expect(statement).toContain("Dry run: would delete");
    expect(statement).toContain("review/2026-01-02");
    expect(statement).not.toContain("Dry run: no");
  });

  it("[approve.dry-run] still only tries where that is what somebody said", async () => {
    const { pending, result } = await approved("/cleanup older_than_days=30 dry_run=true");
    expect(pending.args).toEqual({ older_than_days: 30, dry_run: true });
    expect(result).toMatchObject({ data: { would_delete: expect.any(Array) } });
  });

  it("[approve.dry-run] is confirmed by the approval, which nobody is asked for beforehand", async () => {
    const { pending, result } = await approved("/ensemble delete ensemble_name=old-review");
    expect(pending.args).toEqual({ ensemble_name: "old-review", confirm: true });
    expect(result).toMatchObject({ ok: true, data: { given: pending.args } });
  });
});

describe("arguments that the configuration fixes", () => {
  it("[mcp.fixed-arguments] are filled in by server and by tool, and nobody is asked for them", async () => {
    const { body } = await say(product, "/ask query=refunds", { session_id: "fixed" });
    expect(body.tool_result).toMatchObject({
      ok: true,
      args: { query: "refunds", org_id: "acme", task_id: body.turn_id },
      data: { given: { query: "refunds", org_id: "acme", task_id: body.turn_id } },
    });

    const asked = await say(product, "publish a note", { session_id: "fixed" });
    expect(asked.body.question).toMatchObject({ tool: "team.publish_note", fields: ["text"] });
    const listed = await request<{ tools: { id: string; input_schema: { properties: object } }[] }>(
      product,
      "GET",
      "/tools",
    );
    const tool = listed.body.tools.find(({ id }) => id === "team.publish_note");
    expect(Object.keys(tool?.input_schema.properties ?? {})).toEqual(["text"]);
  });

  it("[mcp.fixed-arguments] are in what is approved, also where a request is edited", async () => {
    const { pending } = await askFor(product, "/note text=Hello", { session_id: "notes", actor: "ana" });
    const args = { org_id: "acme", author: "http:ana", place: "for http:notes" };
    expect(pending.args).toEqual({ text: "Hello", ...args });
    const edited = await request<WirePending>(product, "POST", `/approvals/${pending.approval_id}/edit`, {
      args: { text: "Hello all", org_id: "another" },
      actor: "ana",
    });
    expect(edited.body.args).toEqual({ text: "Hello all", ...args });
  });
});

describe("an error that says what would be right", () => {
  it("[mcp.faults] stands in the answer as the server said it, with a form for the arguments that it is about", async () => {
    const clock = await say(product, "/clock timezone=Tokyo", { session_id: "clock" });
    expect(clock.body.reply).toContain("Invalid timezone: 'No time zone found with key Tokyo'");
    expect(clock.body.question).toEqual({
      tool: "team.current_time",
      args: { timezone: "Tokyo" },
      fields: ["timezone"],
    });
    const mended = await say(product, "Asia/Tokyo", { session_id: "clock" });
    expect(mended.body.tool_result).toMatchObject({ ok: true, args: { timezone: "Asia/Tokyo" } });
    expect(mended.body.question).toBeUndefined();

    const listed = await say(product, "/ensemble list", { session_id: "ensembles" });
    expect(listed.body.reply).toContain("pass scope");
    expect(listed.body.question).toMatchObject({ tool: "team.list_ensembles", fields: ["scope"] });
  });
});
