import { chmodSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { examine } from "#app/commands/doctor.ts";
import type { Finding } from "#app/checks/finding.ts";
import { thisMachine } from "#app/checks/machine.ts";
import { readScopes } from "#app/platforms.ts";
import { openEmbeddedStore } from "#src/store/open.ts";
import { type FakeDiscord, startFakeDiscord } from "#test/fakes/discord/discord.ts";
import { type JiraRest, startJiraRest } from "#test/fakes/jira-rest/server.ts";
import { type FakeOllama, type OllamaBehaviour, startFakeOllama } from "#test/fakes/ollama.ts";
import { type FakeSlack, startFakeSlack } from "#test/fakes/slack/slack.ts";

import { countersign, spawnCountersign } from "./command.ts";
import { cleanUp, cleanUpAll, projectRoot, temporaryFolder } from "./support.ts";

vi.setConfig({ testTimeout: 120_000 });

const TOKEN = "the-token-of-ana";
const YES: OllamaBehaviour = { do: "answer", text: "yes" };

let slack: FakeSlack;
let discord: FakeDiscord;
let jira: JiraRest;
let ollama: FakeOllama;
let says: OllamaBehaviour = YES;
let bytes = 2_600_000_000;
/** With its tables, and nothing in them. */
let dataDir: string;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  const scopes = { bot: await readScopes() };
  slack = await startFakeSlack({ manifest: { oauth_config: { scopes } } });
  discord = await startFakeDiscord();
  jira = await startJiraRest(TOKEN);
  ollama = await startFakeOllama(() => says, { bytes: () => bytes });
  for (const fake of [slack, discord, ollama]) cleanUp(() => fake.stop(), "file");
  cleanUp(() => jira.close(), "file");
  folder = await temporaryFolder();
  dataDir = await newStore();
  env = {
    ...slack.environment,
    ...discord.environment,
    OLLAMA_HOST: ollama.url,
    JIRA_URL: jira.url,
    JIRA_API_TOKEN: TOKEN,
    COUNTERSIGN_DATA: dataDir,
    COUNTERSIGN_ENV: join(folder, ".env"),
    PORT: "0",
  };
});
afterAll(cleanUpAll);

async function newStore(): Promise<string> {
  const made = await temporaryFolder();
  await (await openEmbeddedStore(made)).close();
  return made;
}

const ollamaModel = { provider: "ollama", ollama: { base_url: "${OLLAMA_HOST}", retries: 0 } };
const platforms = {
  slack: { bot_token: "${SLACK_BOT_TOKEN}", app_token: "${SLACK_APP_TOKEN}", api_url: "${SLACK_API_URL}" },
  discord: { token: "${DISCORD_TOKEN}", api_url: "${DISCORD_API_URL}", guilds: [] as string[] },
};
const jiraServer = {
  name: "jira",
  command: ["node", "servers/jira/main.ts"],
  env: { JIRA_URL: "${JIRA_URL}", JIRA_EMAIL: "ana@shop.example", JIRA_API_TOKEN: "${JIRA_API_TOKEN}" },
  use_persistent_session: true,
  trust_annotations: true,
};
const ask = (...approvers: string[]): object => ({
  policy: { rules: [{ tools: ["jira.create_*"], decision: "ask", approvers }] },
});
const nothing = { model: { provider: "builtin" }, ...ask("channel") };

/** Ids of people and servers are known once the fakes run. */
const guild = (): string => discord.guild().id;
const actorOf = (name: string): string => `slack:${slack.team().id}:${slack.user(name).id}`;

let written = 0;

async function config(value: object): Promise<string> {
  written += 1;
  const file = join(folder, `config-${written}.json`);
  await writeFile(file, JSON.stringify(value));
  return file;
}

interface Report {
  ok: boolean;
  checks: Finding[];
}

/** Runs it with a configuration, or a file of that name. */
async function doctor(
  given: object | string,
  more: Record<string, string> = {},
): Promise<Report & { code: number | null }> {
  const file = typeof given === "string" ? join(folder, given) : await config(given);
  const ran = await countersign(["doctor", "--json", "--config", file], { ...env, ...more });
  return { code: ran.code, ...(JSON.parse(ran.stdout) as Report) };
}

/** Where tests run, the folder may be in memory. */
function failures({ checks }: Pick<Report, "checks">): Finding[] {
  return checks.filter(({ check, status }) => status === "failed" && check !== "store.durable");
}

interface Fault {
  name: string;
  check: string;
  says: RegExp;
  cure: RegExp;
  config?: () => object;
  /** Instead of one that is written. */
  file?: string;
  env?: () => Promise<Record<string, string>> | Record<string, string>;
  /** Resolves to what takes it back. */
  plant?: () => Promise<() => void> | (() => void);
}

const faults: Fault[] = [
  {
    name: "an unknown key",
    check: "config",
    says: /slak: expected a known key/,
    cure: /Did you mean `slack`\?/,
    config: () => ({ ...nothing, slak: {} }),
  },
  {
    name: "a variable that is not set",
    check: "config",
    says: /servers\[0\].*JIRA_URL.*not set/,
    cure: /Set JIRA_SITE_URL/,
    config: () => ({ ...nothing, servers: [{ ...jiraServer, env: { JIRA_URL: "${JIRA_SITE_URL}" } }] }),
  },
  {
    name: "a configuration that is not there",
    check: "config",
    says: /no such file/,
    cure: /--config or COUNTERSIGN_CONFIG/,
    file: "missing.yaml",
  },
  {
    name: "secrets that everybody can read",
    check: "env_file",
    says: /Others on this machine can read the secrets/,
    cure: /chmod 600 .*open\.env/,
    async env() {
      const file = join(folder, "open.env");
      await writeFile(file, "A=b\n");
      chmodSync(file, 0o644);
      return { COUNTERSIGN_ENV: file };
    },
  },
  {
    name: "a data folder that everybody can look into",
    check: "store.rights",
    says: /look into/,
    cure: /chmod 700 /,
    async env() {
      const open = await newStore();
      chmodSync(open, 0o755);
      return { COUNTERSIGN_DATA: open };
    },
  },
  {
    name: "a data folder that is a file",
    check: "store.folder",
    says: /cannot be written/,
    cure: /COUNTERSIGN_DATA/,
    async env() {
      const file = join(folder, "no-folder");
      await writeFile(file, "");
      return { COUNTERSIGN_DATA: file };
    },
  },
  {
    name: "a damaged store",
    check: "store.database",
    says: /damaged/,
    cure: /countersign -- restore BACKUP/,
    async env() {
      const made = await temporaryFolder();
      await writeFile(
        join(made, "countersign.db"),
        "this is no database, whatever its name says".repeat(200),
      );
      return { COUNTERSIGN_DATA: made };
    },
  },
  {
    name: "a store of a newer version",
    check: "store.schema",
    says: /newer Countersign \(9999_later\)/,
    cure: /newer version|backup/,
    env: async () => changedStore("insert into kysely_migration values ('9999_later', '2030-01-01')"),
  },
  {
    name: "an audit record that was changed",
    check: "store.audit",
    says: /entry 1 was changed/,
    cure: /audit verify/,
    env: async () =>
      changedStore(
        `insert into audit (seq, at, kind, data, prev, hash) values (1, 1, 'turn', '{}', '${"0".repeat(64)}', 'x')`,
      ),
  },
  {
    name: "secrets of another key",
    check: "store.key",
    says: /1 stored secrets were written with another key/,
    cure: /COUNTERSIGN_SECRET_KEY_OLD/,
    env: async () => changedStore("insert into kv (key, value) values ('sealed.x:y', 's1.aaaaaaaaaaa.b.c')"),
  },
  {
    name: "a database that is away",
    check: "store.database",
    says: /does not answer/,
    cure: /DATABASE_URL/,
    config: () => ({ ...nothing, store: { url: "postgres://nobody@127.0.0.1:9/none" } }),
    env: () => ({ COUNTERSIGN_SECRET_KEY: Buffer.alloc(32).toString("base64") }),
  },
  {
    name: "a port that another program holds",
    check: "port",
    says: /Another program listens on port/,
    cure: /PORT=\d+ npm start/,
    async env() {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      cleanUp(async () => void server.close());
      return { PORT: String((server.address() as AddressInfo).port) };
    },
  },
  {
    name: "a port of the metrics that another program holds",
    check: "port",
    says: /Another program listens on port/,
    cure: /Set metrics\.port to one that is free/,
    config: () => ({ ...nothing, metrics: { port: Number(new URL(ollama.url).port) } }),
  },
  {
    name: "an address that everybody reaches, without tokens",
    check: "port",
    says: /anybody could act as anybody/,
    cure: /HOST=127\.0\.0\.1/,
    env: () => ({ HOST: "0.0.0.0" }),
  },
  {
    name: "a prompt without its placeholders",
    check: "prompts",
    says: /expected the placeholders/,
    cure: /Mend the file/,
    config: () => ({ ...nothing, model: { provider: "builtin", prompts: join(folder, "prompts") } }),
    async plant() {
      await mkdir(join(folder, "prompts"), { recursive: true });
      await writeFile(join(folder, "prompts/planner_prompt_template.txt"), "Plan.");
      return () => undefined;
    },
  },
  {
    name: "a bot token that Slack does not know",
    check: "slack.bot_token",
    says: /Slack answered invalid_auth/,
    cure: /Copy the token anew.*--only slack/,
    config: () => ({ ...nothing, slack: platforms.slack }),
    env: () => ({ SLACK_BOT_TOKEN: "xoxb-of-nobody" }),
  },
  {
    name: "the two tokens mixed up",
    check: "slack.app_token",
    says: /not_allowed_token_type/,
    cure: /mixed up/,
    config: () => ({ ...nothing, slack: platforms.slack }),
    env: () => ({ SLACK_APP_TOKEN: slack.environment.SLACK_BOT_TOKEN }),
  },
  {
    name: "a scope that the app was not given",
    check: "slack.scopes",
    says: /lacks the scopes users:read/,
    cure: /api\.slack\.com\/apps\/.*Reinstall/,
    config: () => ({ ...nothing, slack: platforms.slack }),
    plant() {
      const team = slack.team();
      const all = team.scopes;
      team.scopes = all.filter((scope) => scope !== "users:read");
      return () => void (team.scopes = all);
    },
  },
  {
    name: "an approver whom Slack does not know",
    check: "approvers",
    says: /Slack knows nobody as slack:.*U0NOBODY.*cannot approve jira\.create_\*/,
    cure: /--only approvers/,
    config: () => ({
      ...nothing,
      ...ask(`slack:${slack.team().id}:U0NOBODY`, actorOf("ben")),
      slack: platforms.slack,
    }),
  },
  {
    name: "an approver of a platform that is off",
    check: "approvers",
    says: /Discord is off/,
    cure: /--only approvers/,
    config: () => ({ ...nothing, ...ask("discord:123:456") }),
  },
  {
    name: "a group that is nowhere",
    check: "approvers",
    says: /group chiefs is not in policy\.groups, and no role of Discord has that name/,
    cure: /--only approvers/,
    config: () => ({ ...nothing, ...ask("group:chiefs"), discord: platforms.discord }),
  },
  {
    name: "a token that Discord does not know",
    check: "discord.token",
    says: /does not accept the bot token/,
    cure: /Reset Token.*DISCORD_TOKEN/,
    config: () => ({ ...nothing, discord: platforms.discord }),
    env: () => ({ DISCORD_TOKEN: "MTAw.of.nobody" }),
  },
  {
    name: "an intent that is switched off",
    check: "discord.intents",
    says: /may not read messages/,
    cure: /Message Content Intent/,
    config: () => ({ ...nothing, discord: platforms.discord }),
    plant() {
      discord.app.privileged.messageContent = false;
      return () => void (discord.app.privileged.messageContent = true);
    },
  },
  {
    name: "a server that does not have the bot",
    check: "discord.servers",
    says: /not in the server 99999999999999999/,
    cure: /oauth2\/authorize\?client_id=/,
    config: () => ({ ...nothing, discord: { ...platforms.discord, guilds: ["99999999999999999"] } }),
  },
  {
    name: "a server that cannot be launched",
    check: "server.jira",
    says: /jira could not be reached/i,
    cure: /node servers\/jira\/missing\.ts/,
    config: () => ({ ...nothing, servers: [{ name: "jira", command: ["node", "servers/jira/missing.ts"] }] }),
  },
  {
    name: "an account that Jira does not take",
    check: "server.jira.account",
    says: /does not accept the credentials/,
    cure: /--only jira/,
    config: () => ({ ...nothing, servers: [jiraServer] }),
    env: () => ({ JIRA_API_TOKEN: "of-somebody-else" }),
  },
  {
    name: "an Ollama that is away",
    check: "model.server",
    says: /Ollama does not answer/,
    cure: /ollama serve/,
    config: () => ({ ...nothing, model: ollamaModel }),
    env: () => ({ OLLAMA_HOST: "http://127.0.0.1:9" }),
  },
  {
    name: "a model that was not fetched",
    check: "model.pulled",
    says: /does not have the model qwen3:8b/,
    cure: /ollama pull qwen3:8b/,
    config: () => ({
      ...nothing,
      model: { ...ollamaModel, ollama: { ...ollamaModel.ollama, model: "qwen3:8b" } },
    }),
  },
  {
    name: "a model that does not fit",
    check: "model.memory",
    says: /needs about .* of memory, and this machine has/,
    cure: /--only model/,
    config: () => ({ ...nothing, model: ollamaModel }),
    plant() {
      bytes = 9e12;
      return () => void (bytes = 2_600_000_000);
    },
  },
  {
    name: "a model that fails",
    check: "model.answer",
    says: /out of memory/,
    cure: /ollama run qwen3:4b-instruct/,
    config: () => ({ ...nothing, model: ollamaModel }),
    plant() {
      says = { do: "fail", status: 500, message: "llama runner: out of memory" };
      return () => void (says = YES);
    },
  },
];

async function changedStore(statement: string): Promise<Record<string, string>> {
  const made = await newStore();
  const db = new DatabaseSync(join(made, "countersign.db"));
  db.exec(statement);
  db.close();
  return { COUNTERSIGN_DATA: made };
}

it.each(faults)("[ops.doctor] finds $name, and says what to do", async (fault) => {
  const restore = await fault.plant?.();
  try {
    const more = (await fault.env?.()) ?? {};
    const report = await doctor(fault.file ?? fault.config?.() ?? nothing, more);
    const [found, ...others] = failures(report);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ check: fault.check, status: "failed" });
    expect(found?.message).toMatch(fault.says);
    expect(found?.cure).toMatch(fault.cure);
    expect(report.ok).toBe(false);
    expect(report.code).toBe(1);
    expect(JSON.stringify(report)).not.toContain(TOKEN);
  } finally {
    restore?.();
  }
});

/** All that there is, as it should be. */
function wholeSetUp(): object {
  return {
    model: ollamaModel,
    servers: [jiraServer],
    slack: platforms.slack,
    discord: { ...platforms.discord, guilds: [guild()] },
    ...ask("group:leads", actorOf("ben"), "http:ana"),
  };
}

it("[ops.doctor] finds nothing on a healthy set-up, and tells what it looked at", async () => {
  const report = await doctor(wholeSetUp());
  expect(failures(report)).toEqual([]);
  expect(report.checks.filter(({ status }) => status === "note")).toEqual([]);
  const looked = report.checks.filter(({ status }) => status === "ok").map(({ check }) => check);
  const whole =
    "node config store.folder store.rights store.space store.database store.schema store.audit store.key port prompts " +
    "slack.bot_token slack.scopes slack.app_token discord.token discord.intents discord.servers clock approvers " +
    "server.jira server.jira.account model.server model.pulled model.memory model.answer";
  expect(looked).toEqual(expect.arrayContaining(whole.split(" ")));
});

it("[ops.doctor] finds what is wrong with the machine", async () => {
  const file = await config({ ...nothing, slack: platforms.slack });
  const source = { file, env: { ...process.env, ...env }, cwd: projectRoot };
  const findings = await examine(source, {
    ...thisMachine(),
    nodeVersion: "22.3.0",
    now: () => Date.now() - 600_000,
    disk: async () => ({ freeBytes: 3e6, isMemory: true }),
  });
  expect(findings.filter(({ status }) => status === "failed")).toMatchObject([
    { check: "node", message: expect.stringContaining("22.3.0"), cure: expect.stringContaining("npm ci") },
    { check: "store.durable", cure: expect.stringContaining("COUNTERSIGN_DATA") },
    { check: "store.space", message: expect.stringContaining("Only 3 MB") },
    {
      check: "clock",
      message: "The clock of this machine is 10 minutes behind Slack's.",
      cure: "Type: sudo timedatectl set-ntp true",
    },
  ]);
});

it("[ops.doctor] reads the environment file, and tells people in lines what failed", async () => {
  const file = join(folder, "tokens.env");
  await writeFile(file, "SLACK_BOT_TOKEN=xoxb-of-nobody\n", { mode: 0o600 });
  const { SLACK_BOT_TOKEN: _, ...others } = env;
  const ran = await spawnCountersign(
    ["doctor", "--config", await config({ ...nothing, slack: platforms.slack })],
    {
      ...others,
      COUNTERSIGN_ENV: file,
    },
  );
  expect(ran.stdout).toContain("✗ Slack answered invalid_auth.\n    → Copy the token anew");
  expect(ran.stdout).toMatch(/\d of \d+ checks failed/);
  expect(ran.code).toBe(1);
});
