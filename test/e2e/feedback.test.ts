import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, it } from "vitest";

import { readRatedCases } from "../../bench/eval/cases.ts";
import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";

import {
  answerTo as discordAnswer,
  channelApproves as discordConfig,
  startDiscord,
} from "./discord-support.ts";
import { answerTo, channelApproves, says, startSlackWorkspace } from "./slack-support.ts";
import {
  cleanUpAll,
  projectRoot,
  readStore,
  request,
  type HostedProduct,
  say,
  startHosted,
  temporaryFolder,
} from "./support.ts";

let slack: FakeSlack;
let discord: FakeDiscord;
let product: HostedProduct;
let config: object;

beforeAll(async () => {
  slack = await startSlackWorkspace();
  discord = await startDiscord();
  config = { ...discordConfig(), ...channelApproves() };
  const env = { ...slack.environment, SLACK_SIGNING_SECRET: "", ...discord.environment };
  product = await startHosted({ config, env });
  await product.line(({ msg }) => String(msg).startsWith("Slack is connected"));
  await product.line(({ msg }) => msg === "listening to Discord");
});
afterAll(cleanUpAll);

interface Kept {
  actor: string;
  verdict: string;
  words: string | null;
}

function kept(message: string): Kept[] {
  const sql =
    "select f.actor, f.verdict, f.words from feedback f join turns t on t.id = f.turn_id where t.message = ? order by f.at";
  return readStore<Kept>(product.dataDir, sql, message).map((row) => ({ ...row }));
}

it("[card.feedback] Slack's thumbs are kept with the turn, the last one of each person", async () => {
  const question = slack.user("ana").mention("general", "show me DEMO-1");
  const { ts } = await answerTo(slack, question, "feedback_buttons");
  await slack.user("ana").click(ts, "cs:rate", "👍");
  await slack.until(() => says(slack.ephemerals("ana"), "Thank you"));
  await slack.user("ben").click(ts, "cs:rate", "👍");
  await slack.user("ben").click(ts, "cs:rate", "👎");
  const form = await slack.until(() => slack.modal("ben"));
  await slack.user("ben").submit(form, { "What should have come?": "only who works on it" });
  await slack.until(() => says(slack.ephemerals("ben"), "Thank you"));
  expect(kept("show me DEMO-1")).toEqual([
    { actor: "slack:T0ACME0000:U0ANA00000", verdict: "good", words: null },
    expect.objectContaining({ verdict: "bad", words: "only who works on it" }),
  ]);
  // Somebody has to do something with a request; nobody is asked what they think of it.
  const change = slack.user("ana").mention("general", "create an issue in DEMO titled 'Rated'");
  expect(says((await answerTo(slack, change, /"cs:approve"/)).blocks, "feedback_buttons")).toBe(false);
});

it("[card.feedback] Discord's thumbs are kept as well", async () => {
  const question = discord.user("ana").mention("general", "show me DEMO-2");
  const answer = await discordAnswer(discord, question, "👎");
  await discord.user("chloe").click(answer, "👎");
  await discord.user("chloe").submit({ "What should have come?": "the comments" });
  const [rating] = await discord.until(() => kept("show me DEMO-2").filter(({ words }) => words !== null));
  expect(rating).toMatchObject({ verdict: "bad", words: "the comments" });
});

it("[card.feedback] the page has them too, and all are exported as cases of the evaluation", async () => {
  const session = { session_id: "rated" };
  await say(product, "find issues about login", session);
  const { body } = await say(product, "only open ones", session);
  const id = body.turn_id ?? "";
  expect(await (await fetch(`${product.url}/playground/turns/${id}`)).text()).toContain('data-rate="bad"');
  const rate = (verdict: string): Promise<{ status: number }> =>
    request(product, "POST", `/agent/turns/${id}/feedback`, { verdict });
  expect(await rate("good")).toMatchObject({ status: 200 });
  expect(await rate("so-so")).toMatchObject({ status: 400 });
  // The thumb stays pressed for who pressed it.
  const drawn = await (await fetch(`${product.url}/playground/turns/${id}`)).text();
  expect(drawn).toMatch(/data-rate="good"\s+aria-pressed="true"/);
  expect(drawn).toMatch(/data-rate="bad"\s+aria-pressed="false"/);

  const file = join(await temporaryFolder(), "countersign.json");
  await writeFile(file, JSON.stringify(config));
  const env = {
    ...process.env,
    ...slack.environment,
    ...discord.environment,
    OLLAMA_HOST: "http://127.0.0.1:9",
    COUNTERSIGN_DATA: product.dataDir,
  };
  const args = ["countersign.js", "feedback", "export", "--config", file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: projectRoot, env });
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toEqual([
    {
      part: "single",
      say: "show me DEMO-1",
      rated: { good: 1, bad: 1 },
      why: ["only who works on it"],
      not: { calls: [{ "jira.get_jira_issue": { issue_key: "DEMO-1" } }] },
    },
    expect.objectContaining({ say: "show me DEMO-2", rated: { good: 0, bad: 1 } }),
    expect.objectContaining({
      part: "followup",
      say: "only open ones",
      calls: [{ "jira.search_issues": expect.objectContaining({ query: "login" }) }],
      before: [
        expect.objectContaining({
          say: "find issues about login",
          found: expect.arrayContaining(["DEMO-1"]),
        }),
      ],
    }),
  ]);
  const cases = join(await temporaryFolder(), "rated.jsonl");
  await writeFile(cases, stdout);
  expect(readRatedCases(cases).map(({ expected }) => expected[0]?.kind)).toEqual(["other", "other", "calls"]);
});
