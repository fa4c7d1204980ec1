import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readKnownServers } from "#app/known-servers.ts";
import { type FakeOllama, startFakeOllama } from "#test/fakes/ollama.ts";
import { SeedClient } from "#test/fakes/seed-client.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";

import { ended } from "./slack-desk.ts";
import { answerTo, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import {
  cleanUp,
  cleanUpAll,
  decide,
  follow,
  readTurn,
  request,
  type RunningProduct,
  say,
  temporaryFolder,
} from "./support.ts";

const tenant = { domain: "source.demo", token: "tok-canary-tenant-1" };
const migration = {
  source: { domain: "source.demo", token: "tok-canary-source-2" },
  target: { domain: "target.demo", token: "tok-canary-target-3" },
};

const TWO_APPROVE = { decision: "ask", approvers: ["channel"], exclude_requester: true, quorum: 2 };

let product: RunningProduct;
let slack: FakeSlack;
let model: FakeOllama;
let dataDir: string;

/** Plans the call that the newest message names as `do TOOL ARGUMENTS`, then says that enough is known. */
function planned(prompt: string): object {
  const [, tool, args = "{}"] = [...prompt.matchAll(/do (sisense\.[\w.]+) (\{.*?\})$/gm)].at(-1) ?? [];
  const isDone = prompt.includes("Results so far:") || tool === undefined;
  const call = isDone ? { tool: "final_answer", args: {} } : { tool, args: JSON.parse(args) as object };
  return { commands: [{ command: "QUERY", ...call }] };
}

beforeAll(async () => {
  dataDir = await temporaryFolder();
  model = await startFakeOllama(({ body }) => ({
    do: "answer",
    text: "Here it is.",
    json: planned(body.messages?.at(-1)?.content ?? ""),
  }));
  cleanUp(() => model.stop());
  const known = (await readKnownServers()).find(({ name }) => name === "sisense");
  const { servers, policy: _, ...rest } = known?.config ?? { servers: [{ name: "" }] };
  const [server] = servers;
  slack = await startSlackWorkspace();
  product = await startBot(slack, {
    config: {
      model: { provider: "ollama", anchored: "model", ollama: { base_url: model.url } },
      ...rest,
      servers: [{ ...server, env: { SISENSE_DEMO_DELAY_MS: 40 } }],
      policy: {
        rules: [
          // As delivered.
          { ...TWO_APPROVE, tools: ["sisense.migration.migrate_dashboards"] },
          // One person in a browser may approve.
          { tools: ["sisense.migration.*"], decision: "ask", approvers: ["requester"] },
        ],
      },
      slack: {
        bot_token: "${SLACK_BOT_TOKEN}",
        app_token: "${SLACK_APP_TOKEN:-}",
        signing_secret: "${SLACK_SIGNING_SECRET:-}",
        api_url: "${SLACK_API_URL}",
      },
    },
    dataDir,
  });
}, 60_000);
afterAll(cleanUpAll);

/** E-mail addresses of the target's users. */
function usersOfTarget(): string[] {
  const world = JSON.parse(readFileSync(join(dataDir, "sisense-target.json"), "utf8")) as {
    users: { email: string }[];
  };
  return world.users.map(({ email }) => email);
}

describe("Sisense with the client of seed 001", () => {
  it("[sisense.migration] as delivered two people approve a migration, and not its requester", async () => {
    const { config } = (await readKnownServers()).find(({ name }) => name === "sisense") ?? {};
    expect(config?.["policy"]).toMatchObject({
      rules: [{ ...TWO_APPROVE, tools: ["sisense.migration.*"] }, {}],
    });
  });

  it("[sisense.modes] [sisense.tools] chat mode reads a site, and a change says what stood there", async () => {
    const tab = new SeedClient(product.url, "chat");
    tab.tenant = tenant;
    const read = await tab.send('do sisense.access.get_group {"name": "Finance"}');
    expect(read.tool_result).toMatchObject({ tool_id: "sisense.access.get_group", ok: true });

    const asked = await tab.send(
      'do sisense.access.update_user {"user_name": "ben.okafor@shop.example", "user_data": {"role": "viewer"}}',
    );
    expect(asked.tool_result?.pending_confirmation).toMatchObject({
      statement: {
        ask: "Change the user “ben.okafor@shop.example”",
        changes: [{ label: "Role", before: "contributor", after: "consumer" }],
      },
      targets: { "tenant.domain": "source.demo" },
    });
    expect(await tab.approve()).toMatchObject({ tool_result: { ok: true } });
    const user = await tab.send('do sisense.access.get_user {"user_name": "ben.okafor@shop.example"}');
    expect(JSON.stringify(user.tool_result)).toContain('"consumer"');
    const hidden = await tab.send("do sisense.migration.migrate_all_groups {}").catch(String);
    expect(JSON.stringify(hidden)).not.toContain("pending_confirmation");
  });

  it("[sisense.migration] [sisense.streaming] migration mode asks by name, streams, and reports", async () => {
    const tab = new SeedClient(product.url, "migration");
    tab.mode = "migration";
    tab.migration = migration;
    const asked = await tab.send("do sisense.migration.migrate_all_groups {}");
    expect(asked.tool_result?.pending_confirmation).toMatchObject({
      statement: { ask: "Migrate 8 groups from source.demo to target.demo: 6 new, 2 skipped" },
    });
    const done = await tab.approve();
    expect(done.tool_result).toMatchObject({ tool_id: "sisense.migration.migrate_all_groups", ok: true });
    const said = tab.events
      .filter(({ event }) => event === "progress")
      .map(({ data }) => JSON.stringify(data));
    expect(said.join("\n")).toContain("Migrating 8 groups from source.demo to target.demo");
    const { body } = await request<object>(product, "GET", `/agent/turns/${done.turn_id}`);
    expect(JSON.stringify(body)).toContain("Migrated 6 groups: 2 skipped, 0 failed");
  });

  it("[sisense.streaming] a migration that is stopped ends before the next, and made again makes nothing twice", async () => {
    const ask = () =>
      say(product, "do sisense.migration.migrate_all_users {}", {
        session_id: "stopped",
        mode: "migration",
        migration_config: migration,
      });
    const first = await ask();
    const turn = first.body.turn_id ?? "";
    await decide(product, first.body.pending_confirmation?.approval_id ?? "", "approve");
    await expect.poll(() => usersOfTarget().length, { timeout: 20_000, interval: 20 }).toBeGreaterThan(8);
    await request(product, "POST", `/agent/turns/${turn}/stop`, {});
    await follow(product, turn);
    expect(JSON.stringify(await readTurn(product, turn))).toMatch(/stopped|cancelled|unknown/);
    const halfway = usersOfTarget().length;
    expect(halfway).toBeLessThan(42);

    const again = await ask();
    expect(again.body.pending_confirmation).toMatchObject({
      statement: { ask: expect.stringMatching(/^Migrate 43 users .*: \d+ new, \d+ skipped/) },
    });
    await decide(product, again.body.pending_confirmation?.approval_id ?? "", "approve");
    await follow(product, again.body.turn_id ?? "");
    const emails = usersOfTarget();
    expect([emails.length, new Set(emails).size]).toEqual([42, 42]);
  });

  it("[sisense.migration] [ops.connect] on Slack between connected sites, approved by two people", async () => {
    for (const [name, domain] of [
      ["EU", "source.demo"],
      ["US", "target.demo"],
    ] as const) {
      const before = slack.ephemerals("ana").length;
      await slack.user("ana").command("/connect", "sisense", "general");
      const link = await slack.until(() => {
        const own = slack.ephemerals("ana").slice(before);
        return /http:\/\/[^"\s|>]+\/connect\/[\w-]+/.exec(JSON.stringify(own))?.[0];
      });
      const body = new URLSearchParams({ name, domain, token: `tok-canary-${name}`, ssl: "on" });
      expect(await (await fetch(link, { method: "POST", body })).text()).toContain("could work with it");
    }
    await slack.user("ana").command("/connect", "from EU to US", "general");
    await slack.until(() =>
      slack.ephemerals("ana").find(({ text, blocks }) => says([text, blocks], "source of migrations")),
    );

    const args = { dashboard_names: ["Weekly Sales", "Board Pack", "Salaries"], action: "overwrite" };
    const question = slack
      .user("ana")
      .mention("general", `do sisense.migration.migrate_dashboards ${JSON.stringify(args)}`);
    const card = await answerTo(slack, question, "cs:approve");
    expect(says(card.blocks, "Migrate 3 dashboards from source.demo to target.demo: ")).toBe(true);
    await slack.user("ben").click(card.ts, "cs:approve");
    await slack.until(() => says(card.blocks, "1 of 2 approvals"));
    await slack.user("chloe").click(card.ts, "cs:approve");
    await ended(slack, card, /Approved by Ben Okafor and Chloé/);
    await slack.until(() =>
      slack
        .thread(question.ts)
        .find(({ blocks }) => says(blocks, "Migrated 2 dashboards: 0 skipped, 1 failed")),
    );
  });

  it("[mcp.credentials] tokens of sites stand in no log, prompt, answer or file", async () => {
    const written = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    for (const text of [model.wire(), JSON.stringify(product.log), ...written])
      expect(text).not.toContain("tok-canary");
  });
});
