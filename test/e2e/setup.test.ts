import { once } from "node:events";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";

import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { parse } from "yaml";

import { checkConfig } from "#app/checks/settings.ts";
import { Terminal } from "#test/contract/surface/terminal.ts";
import { startAuthorisedServer } from "#test/fakes/auth-server.ts";
import { type FakeDiscord, startFakeDiscord } from "#test/fakes/discord/discord.ts";
import { type JiraRest, startJiraRest } from "#test/fakes/jira-rest/server.ts";
import { type FakeOllama, startFakeOllama } from "#test/fakes/ollama.ts";
import { type FakeSlack, startFakeSlack } from "#test/fakes/slack/slack.ts";
import type { Manifest } from "#test/fakes/slack/types.ts";

import { countersign, spawnCountersign } from "./command.ts";
import { cleanUp, cleanUpAll, projectRoot, startProduct, temporaryFolder } from "./support.ts";

vi.setConfig({ testTimeout: 240_000 });

const TOKEN = "the-api-token-of-ana";

let slack: FakeSlack;
let discord: FakeDiscord;
let jira: JiraRest;
let ollama: FakeOllama;

beforeAll(async () => {
  const manifest = parse(await readFile(join(projectRoot, "manifest.yml"), "utf8")) as Manifest;
  slack = await startFakeSlack({ manifest });
  discord = await startFakeDiscord();
  jira = await startJiraRest(TOKEN);
  ollama = await startFakeOllama(() => ({ do: "answer", text: "yes" }), { models: [] });
  for (const fake of [slack, discord, ollama]) cleanUp(() => fake.stop(), "file");
  cleanUp(() => jira.close(), "file");
});
afterAll(cleanUpAll);

/** A place to set up: nothing is there, and the platforms are the fakes. */
async function place(): Promise<{ config: string; file: string; env: Record<string, string> }> {
  const folder = await temporaryFolder();
  const file = join(folder, ".env");
  const env = {
    COUNTERSIGN_ENV: file,
    COUNTERSIGN_DATA: join(folder, "data"),
    OLLAMA_HOST: ollama.url,
    SLACK_API_URL: slack.environment.SLACK_API_URL,
    DISCORD_API_URL: discord.environment.DISCORD_API_URL,
  };
  return { config: join(folder, "countersign.yaml"), file, env };
}

const DOWN = "\u001B[B";
const CTRL_C = "\u0003";

/** A set-up on a terminal, and what a person types into it. */
function open(at: { config: string; env: Record<string, string> }, ...more: string[]) {
  const terminal = new Terminal(["countersign.js", "setup", "--config", at.config, ...more], at.env);
  cleanUp(() => terminal.kill());
  let asked = 0;
  return {
    terminal,
    /** Waits for a question below the last one, and types. */
    answer: async (title: string, keys: string): Promise<void> => {
      const screen = (): string => terminal.lines(asked, terminal.line + 30);
      await terminal.until(() => screen().includes(title), title);
      asked +=
        screen()
          .split("\n")
          .findIndex((line) => line.includes(title)) + 1;
      terminal.type(keys);
    },
  };
}

it("[ops.setup] leads on a terminal from nothing to a mention that is answered, and can be done again", async () => {
  const at = await place();
  const { answer, terminal } = open(at);
  await answer("Which model shall plan?", "\r");
  await answer("Shall Countersign work with your Jira?", "\r");
  await answer("What is the address of your Jira?", `${jira.url}/\r`);
  await answer("Which Jira is that?", "\r");
  await answer("The e-mail address", "ana@shop.example\r");
  await answer("An API token", "not-the-token\r");
  await answer("does not accept the credentials", "");
  await answer("What now?", "\r");
  await answer("What is the address of your Jira?", "\r");
  await answer("Which Jira is that?", "\r");
  await answer("The e-mail address", "\r");
  await answer("An API token", `${TOKEN}\r`);
  await answer("Found 2 projects: SHOP (Shop), OPS (Operations).", "");
  await answer("build a search index", "\r");
  await answer("Write these lines?", "\r");
  await answer("Shall Countersign work with your Confluence?", "\r");
  await answer("with the same account?", "\r");
  await answer("Found 1 space: DOCS (Documentation).", "");
  await answer("build a search index", "\r");
  await answer("Write these lines?", "\r");
  await answer("Take that out?", "\r");
  await answer("Write these lines?", "\r");
  await answer("Shall people ask Countersign in Slack?", "\r");
  await answer("everything is filled in:", "");
  await answer("The Bot User OAuth Token", `${slack.environment.SLACK_BOT_TOKEN}\r`);
  await answer("The App-Level Token", `${slack.environment.SLACK_APP_TOKEN}\r`);
  await answer("Who are you?", `${DOWN}\r`);
  await answer("there is a message for you", "");
  await answer("Write these lines?", "\r");
  await answer("Shall people ask Countersign in Discord?", "\r");
  await answer("Who may?", `${DOWN}${DOWN}\r`);
  await answer("Who of Slack?", ` ${DOWN} \r`);
  await answer("That holds for", "");
  await answer("Write these lines?", "\r");
  await answer("Start it with: npm start", "");
  expect(await terminal.ended).toBe(0);

  // The link leads to Slack with the commands, and with prompts about a project of the team's.
  const [short = ""] = /http:\/\/127\.0\.0\.1:\d+\/0/.exec(terminal.raw) ?? [];
  expect(short).not.toBe("");
  const secrets = [
    TOKEN,
    "not-the-token",
    slack.environment.SLACK_BOT_TOKEN,
    slack.environment.SLACK_APP_TOKEN,
  ];
  for (const secret of secrets) expect(terminal.raw).not.toContain(secret);
  expect((await stat(at.file)).mode & 0o777).toBe(0o600);
  const written = await readFile(at.config, "utf8");
  expect(written).toContain("# Deleting takes two people of the channel");
  expect(written).toContain("approvers: [group:approvers]");
  expect(written).toContain("name: Ana Lindqvist");
  for (const secret of secrets) expect(written).not.toContain(secret);
  const [greeting] = slack.messages(slack.dm("ana").id);
  expect(greeting?.text).toContain("ask me something, such as: show me SHOP-1");

  const product = await startProduct({ config: written, env: { ...at.env, PORT: "0" } });
  await product.line((line) => line.msg === "Slack is connected");
  const question = slack.user("ana").mention("general", "show me SHOP-1");
  const answered = await slack.until(() =>
    slack
      .thread(question.ts)
      .find((message) => JSON.stringify(message).includes("Checkout loses the basket")),
  );
  expect(answered.user).not.toBe(slack.user("ana").id);
  await product.stop();

  // Once more, with nothing but Enter: everything stays.
  const before = await readFile(at.file, "utf8");
  const again = open(at);
  await again.answer("Which model shall plan?", "\r");
  await again.answer(`Keep ${jira.url}`, "\r");
  await again.answer(`Keep ${jira.url}`, "\r");
  await again.answer("Keep it as it is", "\r");
  await again.answer("Shall people ask Countersign in Discord?", "\r");
  await again.answer("Who may?", "\r");
  await again.answer("Who of Slack?", "\r");
  await again.answer("Start it with: npm start", "");
  expect(await again.terminal.ended).toBe(0);
  expect(await readFile(at.file, "utf8")).toBe(before);
  expect(await readFile(at.config, "utf8")).toBe(written);
});

it("[ops.setup] is left by Ctrl+C at any question, without what was not written and with what was", async () => {
  const at = await place();
  const { answer, terminal } = open(at, "--only", "jira,confluence");
  await answer("Shall Countersign work with your Jira?", "\r");
  await answer("What is the address of your Jira?", `${jira.url}\r`);
  await answer("Which Jira is that?", "\r");
  await answer("The e-mail address", "ana@shop.example\r");
  await answer("An API token", `${TOKEN}\r`);
  await answer("build a search index", "\r");
  await answer("Write these lines?", "\r");
  await answer("Shall Countersign work with your Confluence?", "\r");
  await answer("with the same account?", "\r");
  await answer("build a search index", CTRL_C);
  expect(await terminal.ended).toBe(1);
  expect(terminal.lines(0, 500)).toContain("Left. What was written stays");
  const written = await readFile(at.file, "utf8");
  expect(written).toBe(`JIRA_URL=${jira.url}\nJIRA_EMAIL=ana@shop.example\nJIRA_API_TOKEN=${TOKEN}\n`);
  expect(await readFile(at.config, "utf8")).not.toContain("CONFLUENCE_URL");
});

it("[ops.setup] is left by Ctrl+C also while it tries something", async () => {
  const hung = createServer(() => {}).listen(0, "127.0.0.1");
  cleanUp(async () => void hung.close());
  await once(hung, "listening");
  const at = await place();
  const { answer, terminal } = open(at, "--only", "jira");
  await answer("Shall Countersign work with your Jira?", "\r");
  await answer(
    "What is the address of your Jira?",
    `http://127.0.0.1:${(hung.address() as AddressInfo).port}\r`,
  );
  const asked = once(hung, "connection");
  await answer("Which Jira is that?", "\r");
  await answer("The e-mail address", "ana@shop.example\r");
  await answer("An API token", `${TOKEN}\r`);
  await asked;
  terminal.type(CTRL_C);
  expect(await terminal.ended).toBe(1);
  expect(terminal.lines(0, 500)).toContain("Left. What was written stays");
});

/** A set-up by a file of answers. */
async function answered(
  at: { config: string; env: Record<string, string> },
  answers: Record<string, unknown>,
  only: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const file = join(await temporaryFolder(), "answers.json");
  await writeFile(file, JSON.stringify(answers));
  return countersign(["setup", "--config", at.config, "--answers", file, "--only", only], at.env);
}

it("[ops.setup] takes answers from a file, keeps what stands there, and writes nothing that does not work", async () => {
  const at = await place();
  const config = `# of ours
servers:
  - name: jira
    command: [node, servers/jira/main.ts] # bundled
    env: { JIRA_URL: "\${JIRA_URL}", JIRA_EMAIL: "\${JIRA_EMAIL}", JIRA_API_TOKEN: "\${JIRA_API_TOKEN}" }
    trust_annotations: true
slack:
  bot_token: "\${SLACK_BOT_TOKEN:-}"
  app_token: "\${SLACK_APP_TOKEN:-}"
  api_url: "\${SLACK_API_URL:-}"
`;
  await writeFile(at.config, config);
  await writeFile(at.file, "# kept\nOTHER='a b'\nJIRA_URL=https://old.example\n");
  await chmod(at.file, 0o644);
  const env = { ...at.env, GIVEN_TOKEN: TOKEN };
  const account = { "jira.url": jira.url, "jira.use": "connect", "jira.email": "ana@shop.example" };
  const refused = await answered({ ...at, env }, { ...account, "jira.token": "wrong" }, "jira");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("does not accept the credentials");
  expect(await readFile(at.config, "utf8")).toBe(config);
  expect(await readFile(at.file, "utf8")).toContain("JIRA_URL=https://old.example");

  const done = await answered(
    { ...at, env },
    { ...account, "jira.token": "${GIVEN_TOKEN}", "jira.tokn": "x" },
    "jira",
  );
  expect(done.stderr).toBe("Nobody asked for: jira.tokn.\n");
  expect(done.code).toBe(0);
  expect(done.stdout).toContain("JIRA_API_TOKEN=(hidden)");
  expect(done.stdout).not.toContain(TOKEN);
  const written = await readFile(at.config, "utf8");
  expect(written).toContain("# of ours");
  expect(written).toContain("command: [node, servers/jira/main.ts] # bundled");
  expect(await readFile(at.file, "utf8")).toBe(
    `# kept\nOTHER='a b'\nJIRA_URL=${jira.url}\nJIRA_EMAIL=ana@shop.example\nJIRA_API_TOKEN=${TOKEN}\n`,
  );
  expect((await stat(at.file)).mode & 0o777).toBe(0o600);

  const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN } = slack.environment;
  const mixed = { "slack.bot_token": SLACK_APP_TOKEN, "slack.app_token": SLACK_APP_TOKEN };
  expect((await answered({ ...at, env }, mixed, "slack")).stderr).toContain(
    "The token that begins with xoxb-",
  );
  const unknown = { "slack.bot_token": "xoxb-of-nobody", "slack.app_token": SLACK_APP_TOKEN };
  expect((await answered({ ...at, env }, unknown, "slack")).stderr).toContain("invalid_auth");
  const tokens = { "slack.bot_token": SLACK_BOT_TOKEN, "slack.app_token": SLACK_APP_TOKEN };
  expect((await answered({ ...at, env }, { ...tokens, "slack.you": "Ben Okafor" }, "slack")).code).toBe(0);
  expect(slack.messages(slack.dm("ben").id)).toHaveLength(1);

  // Who approves is chosen by name, and again: one rule stays one.
  for (const [who, approvers] of [
    ["channel", "[channel]"],
    ["people", "[group:approvers]"],
    ["requester", "[requester]"],
  ]) {
    const people = who === "people" ? { "approvers.slack": ["ben okafor"] } : {};
    const chosen = await answered({ ...at, env }, { "approvers.who": who, ...people }, "approvers");
    expect(chosen.stderr).toBe("");
    const { policy } = parse(await readFile(at.config, "utf8")) as {
      policy: { rules: { approvers: string[]; tools: string[] }[] };
    };
    expect(policy.rules).toHaveLength(1);
    expect(policy.rules[0]?.tools).toContain("jira.create_issue");
    expect(policy.rules[0]?.tools).not.toContain("jira.get_jira_issue");
    expect(`[${policy.rules[0]?.approvers.join()}]`).toBe(approvers);
  }
  const checked = await countersign(["doctor", "--json", "--config", at.config], {
    ...env,
    ...tokensOf(await readFile(at.file, "utf8")),
    PORT: "0",
  });
  const failed = (
    JSON.parse(checked.stdout) as { checks: { check: string; status: string }[] }
  ).checks.filter(({ check, status }) => status === "failed" && check !== "store.durable");
  expect(failed).toEqual([]);
});

it("[ops.setup] writes a file of its own, which is read from then on, and leaves the delivered one alone", async () => {
  const at = await place();
  const folder = dirname(at.config);
  const env = { ...at.env, COUNTERSIGN_CONFIG: "", JIRA_URL: "https://jira.example" };
  const [delivered, own] = ["countersign", "local"].map((name) => join(folder, "config", `${name}.yaml`));
  const text = await readFile(join(projectRoot, "config/countersign.yaml"), "utf8");
  await mkdir(dirname(own ?? ""));
  await writeFile(delivered ?? "", text);
  const answers = join(folder, "answers.json");
  await writeFile(answers, JSON.stringify({ "model.name": "builtin", "demo.remove": "yes" }));
  const set = await spawnCountersign(["setup", "--answers", answers, "--only", "model,demo"], env, folder);
  expect([set.code, set.stderr]).toEqual([0, ""]);
  expect(set.stdout).toContain("config/local.yaml (new):");
  expect(await readFile(delivered ?? "", "utf8")).toBe(text);
  const written = await readFile(own ?? "", "utf8");
  expect(written).toMatch(/^# Your own configuration: it is read in place of config\/countersign\.yaml/);
  expect(written).toContain("provider: builtin");
  expect(written).not.toContain("servers/sql/main.ts");
  const again = await spawnCountersign(["servers", "add", "gitlab"], env, folder);
  expect(again.stdout).toContain("Added gitlab to config/local.yaml.");
  expect((await checkConfig({ env: at.env, cwd: folder })).findings[0]?.message).toContain("GITLAB_TOKEN");
  const { findings } = await checkConfig({ env: { ...at.env, GITLAB_TOKEN: "x" }, cwd: folder });
  expect(findings[0]?.message).toBe(
    "config/local.yaml is fine. config/countersign.yaml is not read beside it.",
  );
});

/** As the start of a command reads them; in this process there is none. */
function tokensOf(text: string): Record<string, string> {
  return parseEnv(text) as Record<string, string>;
}

it("[ops.setup] sets Discord up: the bot is invited, may read, and works in the chosen server alone", async () => {
  const at = await place();
  const token = discord.environment.DISCORD_TOKEN;
  discord.app.privileged.messageContent = false;
  const blind = await answered(at, { "discord.token": token }, "discord");
  expect(blind.code).toBe(1);
  discord.app.privileged.messageContent = true;
  const names = { "approvers.who": "people", "approvers.discord": "ana" };
  const done = await answered(at, { "discord.token": token, ...names }, "discord,approvers");
  expect(done.stderr).toBe("");
  const written = parse(await readFile(at.config, "utf8")) as {
    discord: { token: string; guilds: string[] };
    policy: { groups: Record<string, string[]> };
    people: { name: string }[];
  };
  expect(written.discord).toMatchObject({ token: "${DISCORD_TOKEN:-}", guilds: [discord.guild().id] });
  expect(written.policy.groups.approvers).toEqual([
    `discord:${discord.guild().id}:${discord.user("ana").id}`,
  ]);
  expect(written.people).toMatchObject([{ name: "Ana Lindqvist" }]);
});

it("[ops.setup] connects Atlassian's server, where each person brings their own account", async () => {
  const at = await place();
  const server = await startAuthorisedServer(60);
  cleanUp(() => server.stop());
  const away = { "jira.use": "personal", "jira.personal_url": "http://127.0.0.1:9/mcp" };
  const refused = await answered(at, away, "jira");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("cannot be reached")]);
  const open = { ...away, "jira.personal_url": ollama.url };
  expect((await answered(at, open, "jira")).stderr).toContain("answers 404, where");
  const done = await answered(at, { ...away, "jira.personal_url": server.url }, "jira,confluence");
  expect([done.code, done.stderr]).toEqual([0, ""]);
  expect(done.stdout).toContain("People connect their own accounts of Confluence");
  const { servers, commands } = parse(await readFile(at.config, "utf8")) as {
    servers: { name: string; url?: string; oauth?: object; headers?: object }[];
    commands: object;
  };
  expect(servers.map(({ name }) => name)).toEqual(["knowledge", "sql", "atlassian"]);
  expect(servers.at(-1)).toMatchObject({ url: server.url, oauth: { per: "person" } });
  expect(servers.at(-1)).not.toHaveProperty("headers");
  expect(commands).not.toHaveProperty("jira");
  const listed = await countersign(["servers", "--json", "--config", at.config], at.env);
  expect(JSON.parse(listed.stdout)).toContainEqual(
    expect.objectContaining({ name: "atlassian", status: "waiting" }),
  );
});

it("[ops.setup] says what it wants where nobody can answer", async () => {
  const at = await place();
  const silent = await spawnCountersign(["setup"], at.env);
  expect([silent.code, silent.stderr]).toEqual([2, expect.stringContaining("--answers FILE")]);
  const slip = await countersign(["setup", "--only", "jra"], at.env);
  expect([slip.code, slip.stderr]).toEqual([2, expect.stringContaining("Did you mean jira?")]);
});
