import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { seedState } from "#servers/jira/demo/seed.ts";
import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";

import {
  answerTo as discordAnswer,
  answers as discordAnswers,
  channelApproves as discordConfig,
  says as discordSays,
  startDiscord,
} from "./discord-support.ts";
import { answerTo, answers, channelApproves, says, startSlackWorkspace } from "./slack-support.ts";
import {
  cleanUpAll,
  follow,
  jiraOnly,
  projectRoot,
  readTurn,
  request,
  type HostedProduct,
  say,
  startHosted,
  temporaryFolder,
} from "./support.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ALL = 500;
const FIND = "/jira search project=DEMO limit=100";

let slack: FakeSlack;
let discord: FakeDiscord;
let product: HostedProduct;

/** A data folder whose Jira has 500 issues of one project. */
async function manyIssues(): Promise<string> {
  const state = seedState(new Date());
  const pattern = state.issues.find(({ key }) => key === "DEMO-2");
  if (pattern === undefined) throw new Error("expected DEMO-2 in the demo");
  state.issues = Array.from({ length: ALL }, (_, at) => ({
    ...pattern,
    key: `DEMO-${at + 1}`,
    summary: `Case ${at + 1}`,
    epic: null,
  }));
  state.links = [];
  const folder = await temporaryFolder();
  await writeFile(join(folder, "jira-demo.json"), JSON.stringify(state));
  return folder;
}

beforeAll(async () => {
  slack = await startSlackWorkspace();
  discord = await startDiscord();
  const config = { ...discordConfig(), ...channelApproves() };
  const dataDir = await manyIssues();
  product = await startHosted({
    config,
    dataDir,
    env: { ...slack.environment, SLACK_SIGNING_SECRET: "", ...discord.environment },
  });
  await product.line(({ msg }) => String(msg).startsWith("Slack is connected"));
  await product.line(({ msg }) => msg === "listening to Discord");
});
afterAll(cleanUpAll);

function keep(keys: Set<string>, shown: unknown): void {
  for (const [key] of JSON.stringify(shown).matchAll(/DEMO-\d+/g)) keys.add(key);
}

it("[card.paging] 500 issues are read to the end on Slack, by buttons and by words", async () => {
  const question = slack.user("ana").mention("general", FIND);
  const keys = new Set<string>();
  let shown = await answerTo(slack, question, "Show all 100");
  keep(keys, shown.blocks);
  expect(keys.size).toBe(5);
  await slack.user("ben").click(shown.ts, "Show all 100");
  await slack.until(() => says(shown.blocks, "Show 100 more"));
  for (let from = 101; ; from += 100) {
    for (let page = 1; ; page += 1) {
      keep(keys, shown.blocks);
      const [, pages = "1"] = /Page \d+ of (\d+)/.exec(JSON.stringify(shown.blocks)) ?? [];
      if (page >= Number(pages)) break;
      await slack.user("chloe").click(shown.ts, "Next →");
      await slack.until(() => says(shown.blocks, `Page ${page + 1} of ${pages}`));
    }
    if (from > ALL) break;
    // Words do the same as the button.
    if (from === 201) slack.user("ben").mention(question, "show more");
    else await slack.user("ben").click(shown.ts, "Show 100 more");
    shown = await answerTo(slack, question, `Issues ${from} to ${from + 99} of 500`);
  }
  expect(keys.size).toBe(ALL);
  expect(says(shown.blocks, /Show \d+ more/)).toBe(false);
  slack.user("ana").mention(question, "next page");
  await answerTo(slack, question, "That was all");
  slack.user("ana").mention(question, "page 2");
  const again = (): unknown[] =>
    answers(slack, question).filter(({ text }) => text.startsWith("Issues 101 to 200 of 500"));
  await slack.until(() => again()[1]);
});

it("[card.paging] 500 issues are read to the end on Discord, by buttons and by words", async () => {
  const question = discord.user("ana").mention("general", FIND);
  const keys = new Set<string>();
  let shown = await discordAnswer(discord, question, "Show all 100");
  keep(keys, shown.components);
  expect(keys.size).toBe(5);
  await discord.user("ben").click(shown, "Show all 100");
  await discord.until(() => discordSays(shown, "Show 100 more"));
  for (let from = 101; ; from += 100) {
    for (let page = 1; ; page += 1) {
      keep(keys, shown.components);
      const [, pages = "1"] = /Page \d+ of (\d+)/.exec(JSON.stringify(shown.components)) ?? [];
      if (page >= Number(pages)) break;
      await discord.user("chloe").click(shown, "Next →");
      await discord.until(() => discordSays(shown, `Page ${page + 1} of ${pages}`));
    }
    if (from > ALL) break;
    if (from === 201) discord.user("ben").say(discord.threadOf(question)?.id ?? "", "show more");
    else await discord.user("ben").click(shown, "Show 100 more");
    shown = await discordAnswer(discord, question, `Issues ${from} to ${from + 99} of 500`);
  }
  expect(keys.size).toBe(ALL);
  expect(discordSays(shown, /Show \d+ more/)).toBe(false);
  expect(discordAnswers(discord, discord.threadOf(question)?.id ?? "")).toHaveLength(5);
});

it("[card.paging] 500 issues are read to the end on the page, by buttons and by words", async () => {
  const keys = new Set<string>();
  const first = await say(product, FIND, { session_id: "page" });
  let id = first.body.turn_id ?? "";
  for (let from = 101; ; from += 100) {
    const html = await (await fetch(`${product.url}/playground/turns/${id}`)).text();
    keep(keys, html);
    const [, next] = /value="([^"]+\/next\/0)"[^>]*>\s*Show 100 more/.exec(html) ?? [];
    expect(next === undefined).toBe(from > ALL);
    if (next === undefined) break;
    if (from === 301) {
      id = (await say(product, "show more", { session_id: "page" })).body.turn_id ?? "";
      continue;
    }
    const begun = await request<{ turn_id: string }>(product, "POST", next, { event_id: `press-${from}` });
    id = begun.body.turn_id;
    await follow(product, id);
  }
  expect(keys.size).toBe(ALL);
  const { result } = await readTurn(product, id);
  expect(result?.tool_results[0]?.card.title).toContain("Issues 401 to 500 of 500");
});

it("[card.paging] 500 issues are read to the end in the terminal", async () => {
  const file = join(await temporaryFolder(), "countersign.json");
  await writeFile(file, JSON.stringify(jiraOnly()));
  const lines = ["/jira search project=DEMO", ...Array.from({ length: 25 }, () => "show more")];
  const chat = spawn(process.execPath, ["countersign.js", "chat", "--config", file], {
    cwd: projectRoot,
    env: { ...process.env, COUNTERSIGN_DATA: await manyIssues(), OLLAMA_HOST: "http://127.0.0.1:9" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  chat.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  chat.stdin.end(`${lines.join("\n")}\n`);
  await once(chat, "close");
  const keys = new Set<string>();
  keep(keys, output);
  expect(keys.size).toBe(ALL);
  expect(output).toContain("That was all: the list ends here.");
  expect(output).not.toContain("cursor");
});
