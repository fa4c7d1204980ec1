import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readKnownServers } from "#app/known-servers.ts";
import { type FakeOllama, startFakeOllama } from "#test/fakes/ollama.ts";
import { SeedClient } from "#test/fakes/seed-client.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message } from "#test/fakes/slack/types.ts";

import { ended } from "./slack-desk.ts";
import { answerTo, says, startBot, startOwnBot, startSlackWorkspace } from "./slack-support.ts";
import {
  cleanUp,
  cleanUpAll,
  decide,
  follow,
  type ProductOptions,
  readStore,
  readTurn,
  request,
  type HostedProduct,
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

let product: HostedProduct;
/** The first one, in a process that is killed. */
let killable: RunningProduct;
let options: ProductOptions;
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
  const { servers, policy, ...rest } = known?.config ?? { servers: [{ name: "" }] };
  const [delivered] = (policy as { rules: object[] }).rules;
  const [server] = servers;
  slack = await startSlackWorkspace();
  options = {
    config: {
      model: { provider: "ollama", anchored: "model", ollama: { base_url: model.url } },
      ...rest,
      servers: [{ ...server, env: { SISENSE_DEMO_DELAY_MS: 100 } }],
      policy: {
        rules: [
          {
            ...delivered,
            tools: ["sisense.migration.migrate_{dashboards,all_users,all_dashboards,all_datamodels}"],
          },
          // One person in a browser may approve.
          {
            tools: ["sisense.migration.*"],
            decision: "ask",
            approvers: ["requester"],
            lookup: "dry_run",
          },
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
    endsWith: "file",
  };
  killable = await startOwnBot(slack, options);
  product = killable;
});
afterAll(cleanUpAll);

/** What the target has: users by e-mail address, the others by title. */
function atTarget(what: "users" | "dashboards" | "models"): string[] {
  const world = JSON.parse(readFileSync(join(dataDir, "sisense-target.json"), "utf8")) as Record<
    string,
    { email?: string; title?: string }[]
  >;
  return (world[what] ?? []).map(({ email, title = "" }) => email ?? title);
}

/** The process of the migration that began last. */
function serverOfRun(): number {
  const folder = join(dataDir, "sisense-migrations");
  const heads = readdirSync(folder).map(
    (name) =>
      JSON.parse(readFileSync(join(folder, name), "utf8").split("\n")[0] ?? "") as {
        started_at: string;
        pid: number;
      },
  );
  return heads.toSorted((a, b) => b.started_at.localeCompare(a.started_at))[0]?.pid ?? 0;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The one without an e-mail address, by name and reason. */
const BAD_USER = /pia\.strand.*is no e-mail address/;
const PATIENT = { timeout: 60_000, interval: 20 };

describe("Sisense with the client of seed 001", () => {
  it("[sisense.migration] as delivered two people approve a migration, and not its requester", async () => {
    const { config } = (await readKnownServers()).find(({ name }) => name === "sisense") ?? {};
    expect(config?.["policy"]).toMatchObject({
      rules: [{ ...TWO_APPROVE, tools: ["sisense.migration.*"], lookup: "dry_run" }, {}],
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

  it("[sisense.streaming] a migration that is stopped over the API ends before the next, and tells how far it came", async () => {
    const source = JSON.parse(readFileSync(join(dataDir, "sisense-source.json"), "utf8")) as {
      users: { email: string }[];
    };
    const wanted = source.users.slice(10, 20).map(({ email }) => email);
    const command = `do sisense.migration.migrate_users ${JSON.stringify({ user_name_list: wanted })}`;
    const { body } = await say(product, command, {
      session_id: "stopped",
      mode: "migration",
      migration_config: migration,
    });
    const approval = body.pending_confirmation?.approval_id ?? "";
    const before = atTarget("users").length;
    await decide(product, approval, "approve");
    await expect.poll(() => atTarget("users").length, PATIENT).toBeGreaterThan(before);
    await request(product, "POST", `/agent/turns/${body.turn_id}/stop`, {});
    await follow(product, body.turn_id ?? "");
    expect(await readTurn(product, body.turn_id ?? "")).toMatchObject({
      state: "stopped",
      result: { reply: expect.stringMatching(/^Stopped by /), pending_confirmation: { state: "unknown" } },
    });
    const look = async (): Promise<unknown> => {
      const { body: found } = await request<{ tool_result: { data: unknown } }>(
        product,
        "POST",
        `/approvals/${approval}/lookup`,
        {},
      );
      return found.tool_result.data;
    };
    await expect.poll(look, PATIENT).toMatchObject({ meta: { last_run: { outcome: "cancelled" } } });
    const made = atTarget("users").length - before;
    expect(made).toBeLessThan(10);
    expect(await look()).toMatchObject({
      after: { create: wanted.slice(made) },
      meta: { last_run: { total: 10, succeeded: made, failed: [], under_way: null, not_tried: 10 - made } },
    });
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

  it("[sisense.streaming] [approve.unknown] stopped, killed and broken, each tells how far it came, and settled and made again it makes nothing twice", async () => {
    /** Asks for a migration; resolves when two people have approved it. */
    const begin = async (tool: string, ask: RegExp): Promise<Message> => {
      const card = await answerTo(
        slack,
        slack.user("ana").mention("general", `do sisense.migration.${tool} {}`),
        "cs:approve",
      );
      expect(JSON.stringify(card.blocks)).toMatch(ask);
      await slack.user("ben").click(card.ts, "cs:approve");
      await slack.until(() => says(card.blocks, "1 of 2 approvals"));
      await slack.user("chloe").click(card.ts, "cs:approve");
      return card;
    };
    /** What looking it up tells Ana: how far it came, and what is still to do. */
    const lookUp = async (card: Message, how: RegExp): Promise<string> => {
      await slack.until(() => says(card.blocks, "cs:settle_happened"));
      expect(JSON.stringify(card.blocks)).toMatch(
        /Approved by Ben Okafor and Chloé.* but no answer came back/,
      );
      expect(says(card.blocks, "It is not sent again.")).toBe(true);
      const own = (): Message[] =>
        slack.ephemerals("ana").filter(({ thread_ts: thread }) => thread === (card.thread_ts ?? card.ts));
      // A server that was killed comes back by itself; until then each look says why there is no answer.
      for (let looks = own().length + 1; !says(own().at(-1)?.blocks, how); looks += 1) {
        await slack.user("ana").click(card.ts, "Look it up");
        await slack.until(() => own().length >= looks);
      }
      return JSON.stringify(own().at(-1)?.blocks);
    };
    const settle = async (card: Message): Promise<void> => {
      await slack.user("ben").click(card.ts, "It happened");
      await ended(slack, card, "settled it: it happened");
    };
    /** Made again it does the rest, and the target has each once. */
    const finish = async (
      tool: string,
      what: "users" | "dashboards" | "models",
      { total, lost }: { total: number; lost: number },
    ): Promise<Message> => {
      const before = atTarget(what).length;
      const card = await begin(tool, new RegExp(`Migrate ${total} .*: ${total - before} new`));
      const words = new RegExp(`Migrated ${total - lost - before} .*?: \\d+ skipped, ${lost} failed`);
      await slack.until(() =>
        slack.thread(card.thread_ts ?? card.ts).some(({ blocks }) => says(blocks, words)),
      );
      const names = atTarget(what);
      expect([names.length, new Set(names).size]).toEqual([total - lost, total - lost]);
      return card;
    };

    // Users: somebody stops it.
    const users = atTarget("users").length;
    const stopped = await begin("migrate_all_users", /Migrate 43 users from source.demo to target.demo: /);
    await slack.until(() => says(stopped.blocks, "Migrating "));
    // The next edit of the message may come when all is over: the target itself says how far it is.
    await expect.poll(() => atTarget("users").length, PATIENT).toBeGreaterThan(users + 1);
    await slack.user("ana").click(stopped.ts, "cs:stop");
    const told = await lookUp(stopped, /The last run .* was stopped: /);
    const [, made, left] =
      /stopped: (\d+) migrated, \d+ skipped, \d+ failed, (\d+) not tried/.exec(told) ?? [];
    expect(atTarget("users")).toHaveLength(users + Number(made));
    expect(Number(left)).toBeGreaterThan(0);
    await settle(stopped);
    expect(says(stopped.blocks, "Ran the migration of 43 users from source.demo to target.demo")).toBe(true);
    expect(says(stopped.blocks, "Migrated")).toBe(false);
    expect(atTarget("users")).toHaveLength(users + Number(made));
    const done = await finish("migrate_all_users", "users", { total: 43, lost: 1 });

    expect(slack.thread(done.thread_ts ?? done.ts).some(({ blocks }) => says(blocks, BAD_USER))).toBe(true);

    // Dashboards: the product is killed, and what it asked its server for ends with it.
    const dashboards = atTarget("dashboards").length;
    const killed = await begin("migrate_all_dashboards", /Migrate 25 dashboards .* new/);
    await expect.poll(() => atTarget("dashboards").length, PATIENT).toBeGreaterThan(dashboards + 1);
    const orphan = serverOfRun();
    await killable.kill();
    await expect.poll(() => isAlive(orphan), PATIENT).toBe(false);
    product = await startBot(slack, options);
    const cut = await lookUp(killed, /The last run .* (?:was stopped|broke off in the middle): /);
    const amount = Number(/: (\d+) migrated/.exec(cut)?.[1]);
    const there = atTarget("dashboards").length;
    expect([amount, amount + 1]).toContain(there - dashboards);
    await settle(killed);
    const whole = await finish("migrate_all_dashboards", "dashboards", { total: 25, lost: 1 });
    expect(
      slack
        .thread(whole.thread_ts ?? whole.ts)
        .some(({ blocks }) => says(blocks, "Salaries") && says(blocks, "a widget of it has no data source")),
    ).toBe(true);

    // Data models: the server is killed with the product alive.
    const models = atTarget("models").length;
    const broken = await begin("migrate_all_datamodels", /Migrate 10 data models .* new/);
    await expect.poll(() => atTarget("models").length, PATIENT).toBeGreaterThan(models);
    process.kill(serverOfRun(), "SIGKILL");
    expect(await lookUp(broken, /The last run .* broke off in the middle: /)).toContain(
      "May have been migrated or not",
    );
    await settle(broken);
    await finish("migrate_all_datamodels", "models", { total: 10, lost: 0 });

    // The audit record says of each who approved it, that nobody knew, who looked, and who settled it.
    const turns = readStore<{ turn_id: string }>(
      dataDir,
      "select turn_id from audit where kind = 'approval.looked_up' and actor like 'slack:%' group by turn_id",
    );
    const steps = turns.map(({ turn_id: turn }) =>
      readStore<{ kind: string; actor: string | null }>(
        dataDir,
        "select kind, actor from audit where turn_id = ? and kind like 'approval.%' order by seq",
        turn,
      )
        .map(({ kind, actor }) =>
          `${kind.slice("approval.".length)} ${actor?.split(":").at(-1) ?? ""}`.trim(),
        )
        .filter((step) => step !== "taken_over"),
    );
    const all =
      "pending U0ANA00000, vote U0BEN00000, vote U0CHLOE000, approved U0CHLOE000, executing, unknown";
    expect(steps.map((each) => [...new Set(each)].join(", "))).toEqual(
      Array.from({ length: 3 }, () => `${all}, looked_up U0ANA00000, done U0BEN00000`),
    );
  }, 120_000);

  it("[mcp.credentials] tokens of sites stand in no log, prompt, card, audit entry, API answer or file", async () => {
    const answers = await Promise.all(
      ["/approvals", "/audit?about=all", "/audit/export", "/conversations", "/accounts", "/tools"].map(
        async (path) => (await fetch(`${product.url}${path}`)).text(),
      ),
    );
    const turns = readStore<{ id: string }>(dataDir, "select id from turns");
    expect(turns.length).toBeGreaterThan(10);
    for (const { id } of turns) answers.push(await (await fetch(`${product.url}/agent/turns/${id}`)).text());
    for (const text of [...answers, JSON.stringify(slack.sent)]) expect(text).not.toContain("tok-canary");
    const written = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    for (const text of [model.wire(), JSON.stringify(product.log), ...written])
      expect(text).not.toContain("tok-canary");
  });
});
