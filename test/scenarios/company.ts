import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";

import { type FakeDiscord, startFakeDiscord } from "#test/fakes/discord/discord.ts";
import { type FakeSlack, startFakeSlack } from "#test/fakes/slack/slack.ts";
import type { Manifest } from "#test/fakes/slack/types.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Nothing answers there: the built-in planner plans the same on every machine. */
const NO_MODEL = "http://127.0.0.1:9";

export const PEOPLE = {
  ana: "Ana Lindqvist",
  ben: "Ben Okafor",
  chloe: "Chloé Martin",
  dmitri: "Dmitri Sokolov",
  emi: "Emi Tanaka",
} as const;

export type PersonName = keyof typeof PEOPLE;

/** In it the product speaks German. */
export const GERMAN_CHANNEL = "engineering";

/** A company whose people use the product on every surface, as one process on a folder of its own. */
export interface Company {
  slack: FakeSlack;
  discord: FakeDiscord;
  url: string;
  /** For `countersign chat`, which is a process of its own: arguments and environment. */
  chat: { args: string[]; env: Record<string, string> };
  /** What a person signs in with. */
  token(who: PersonName | "operator"): string;
  /** One request as this person; rejects with what came where it is refused. */
  api<Body>(who: PersonName | "operator", method: string, path: string, body?: unknown): Promise<Body>;
  stop(): Promise<void>;
}

/** `delayMs`: how long the demo's long calls take for each issue, to be seen while they go on. */
export async function startCompany({ delayMs = 0 }: { delayMs?: number } = {}): Promise<Company> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-company-"));
  const manifest = parse(await readFile(join(root, "manifest.yml"), "utf8")) as Manifest;
  const [slack, discord] = await Promise.all([startFakeSlack({ manifest }), startFakeDiscord()]);
  const token = (who: string): string => `token-of-${who}-0123456789`;
  const settings = companySettings(slack, discord, folder, delayMs);
  const config = join(folder, "countersign.json");
  const chatConfig = join(folder, "chat.json");
  await writeFile(
    config,
    JSON.stringify({ ...settings, http: { tokens: tokens(token, actorsOf(slack, discord)) } }),
  );
  const off = { slack: {}, discord: {} };
  await writeFile(chatConfig, JSON.stringify({ ...settings, ...off, store: {} }));
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, OLLAMA_HOST: NO_MODEL, LOG_LEVEL: "info" };
  const child = spawn(process.execPath, ["countersign.js", "start", "--config", config], {
    cwd: root,
    env: {
      ...env,
      PORT: "0",
      COUNTERSIGN_DATA: join(folder, "data"),
      ...slack.environment,
      SLACK_SIGNING_SECRET: "",
      ...discord.environment,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  // However this process ends, the product does not outlive it.
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    process.removeListener("exit", kill);
    await Promise.all([slack.stop(), discord.stop()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  };

  let url = "";
  const wanted = new Set(["ready", "Slack is connected", "listening to Discord"]);
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as { url?: string; msg?: string };
    if (url === "" && line.url !== undefined) url = line.url;
    for (const one of wanted) if (line.msg?.startsWith(one) === true) wanted.delete(one);
    if (wanted.size === 0) break;
  }
  if (wanted.size > 0) throw new Error("the product ended before it was ready; its last words are above");
  child.stdout.resume();

  return {
    slack,
    discord,
    url,
    chat: {
      args: ["countersign.js", "chat", "--config", chatConfig],
      env: { ...env, COUNTERSIGN_DATA: join(folder, "chat") },
    },
    token,
    async api<Body>(who: string, method: string, path: string, body?: unknown): Promise<Body> {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          accept: "application/json",
          authorization: `Bearer ${token(who)}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path} as ${who}: HTTP ${response.status} ${text}`);
      return JSON.parse(text) as Body;
    },
    stop,
  };
}

/** Who each person is on the chat platforms. */
function actorsOf(slack: FakeSlack, discord: FakeDiscord): Record<PersonName, string[]> {
  const [guild = ""] = discord.world.guilds.keys();
  const actors = (who: string): string[] => [
    `slack:${slack.team().id}:${slack.user(who).id}`,
    `discord:${guild}:${discord.user(who).id}`,
  ];
  return Object.fromEntries(Object.keys(PEOPLE).map((who) => [who, actors(who)])) as Record<
    PersonName,
    string[]
  >;
}

function tokens(token: (who: string) => string, actors: Record<PersonName, string[]>): object[] {
  return [
    ...Object.entries(actors).map(([actor, also]) => ({ token: token(actor), actor, also })),
    { token: token("operator"), actor: "operator", role: "operator" },
  ];
}

const CHANGES = ["add_comment", "assign_issue", "transition_issue", "update_issue"]
  .map((name) => `jira.${name}`)
  .concat("release.*");

/** The demo's own configuration, with the company's people, rules that two people show, and a server that fails. */
function companySettings(slack: FakeSlack, discord: FakeDiscord, folder: string, delayMs: number): object {
  const node = (file: string): string[] => ["node", join(root, file)];
  const actors = actorsOf(slack, discord);
  const people = (Object.keys(PEOPLE) as PersonName[]).map((who) => ({
    name: PEOPLE[who],
    email: `${who}@acme.example.com`,
    actors: [
      ...actors[who],
      `http:${who}`,
      // Whoever sits at the terminal is Ana.
      ...(who === "ana" ? [`console:${process.env.USER ?? "root"}`] : []),
    ],
  }));
  const channel = { decision: "ask", approvers: ["channel"] };
  const spoken = (id: string): [string, object] => [id, { language: "German" }];
  const [guild = ""] = discord.world.guilds.keys();
  return {
    model: { provider: "builtin" },
    // One channel of each platform reads German, all others English.
    channels: Object.fromEntries([
      spoken(`slack:${slack.team().id}:${slack.channel(GERMAN_CHANNEL).id}`),
      spoken(`discord:${guild}:${discord.channel(GERMAN_CHANNEL).id}`),
    ]),
    people,
    servers: [
      {
        name: "jira",
        command: node("servers/jira/main.ts"),
        cwd: root,
        env: { JIRA_DEMO_DELAY_MS: String(delayMs) },
        use_persistent_session: true,
        trust_annotations: true,
      },
      {
        name: "release",
        command: node("test/scenarios/release-server.ts"),
        cwd: root,
        env: { RELEASE_FOLDER: folder },
        trust_annotations: true,
      },
    ],
    policy: {
      rules: [
        { tools: ["jira.delete_*"], ...channel, exclude_requester: true, quorum: 2, reason_required: true },
        { tools: ["jira.create_issue"], ...channel, ttl: "2s" },
        { tools: CHANGES, ...channel },
      ],
    },
    views: {
      get_jira_issue: "JiraIssueView",
      search_issues: "JiraSearchView",
      count_issues: "JiraCountView",
      get_epic: "JiraEpicView",
    },
    commands: {
      jira: {
        server: "jira",
        default: "get_jira_issue",
        subcommands: { search: "search_issues", create: "create_issue" },
      },
      release: {
        server: "release",
        default: "publish_release",
        subcommands: { announce: "announce_release" },
      },
    },
    slack: {
      bot_token: "${SLACK_BOT_TOKEN}",
      app_token: "${SLACK_APP_TOKEN:-}",
      api_url: "${SLACK_API_URL}",
    },
    discord: { token: "${DISCORD_TOKEN}", api_url: "${DISCORD_API_URL}" },
  };
}
