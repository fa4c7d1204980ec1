import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Message } from "#test/fakes/discord/types.ts";

import { answers, answerTo, says, startBot, startDiscord } from "./discord-support.ts";
import { cleanUpAll, storedIssues, type RunningProduct } from "./support.ts";

let discord: FakeDiscord;
let product: RunningProduct;

beforeAll(async () => {
  discord = await startDiscord();
  product = await startBot(discord);
}, 60_000);

afterAll(() => cleanUpAll());

/** The bot's message in a channel that says the words. */
function inChannel(channel: string, words: string): Promise<Message> {
  return discord.until(() => answers(discord, channel).findLast((message) => says(message, words)));
}

describe("ways in", () => {
  it("[discord.mention] answers a mention in a thread of its own with one message", async () => {
    const question = discord.user("ana").mention("general", "show me DEMO-1");
    const answer = await answerTo(discord, question, "Run log");
    expect(says(answer, "DEMO-1")).toBe(true);
    expect(discord.threadOf(question)?.name).toBe("show me DEMO-1");
    expect(answers(discord, answer.channel)).toHaveLength(1);
  });

  it("[discord.mention] answers a direct message where it was said", async () => {
    discord.user("ben").say("dm", "show me DEMO-2");
    const answer = await inChannel(discord.dm("ben").id, "Run log");
    expect(says(answer, "DEMO-2")).toBe(true);
  });

  it("[discord.mention] goes on in a thread without a mention, and only where it takes part", async () => {
    const question = discord.user("ana").mention("general", "show me DEMO-1");
    const first = await answerTo(discord, question, "Run log");
    const lunch = discord.user("ana").say("general", "lunch?");
    const other = discord.user("ana").startThread(lunch, "Lunch");
    discord.user("ben").say(other, "show me DEMO-4");
    const thread = discord.threadOf(question);
    discord.user("chloe").say(thread?.id ?? "", "show me DEMO-3");
    await discord.until(() =>
      answers(discord, first.channel).find((one) => says(one, "DEMO-3") && says(one, "Run log")),
    );
    expect(answers(discord, first.channel)).toHaveLength(2);
    expect(answers(discord, other.id)).toEqual([]);
  });

  it("answers with a reply where it may not start threads, and goes on with replies to that", async () => {
    discord.permit("bot", "engineering", { deny: ["CreatePublicThreads"] });
    const question = discord.user("ana").mention("engineering", "show me DEMO-5");
    const answer = await inChannel("engineering", "Run log");
    expect(answer.reference).toBe(question.id);
    expect(discord.threadOf(question)).toBeUndefined();
  });

  it("[discord.commands] answers a slash command, says what was asked, and goes on in a thread of the answer", async () => {
    await discord.until(() => discord.commands().length > 0);
    const outcome = await discord
      .user("ana")
      .slash("jira get_jira_issue", { issue_key: "DEMO-6" }, "general");
    expect(outcome.ok).toBe(true);
    const answer = await inChannel("general", "Run log");
    expect(says(answer, "/jira get\\\\_jira\\\\_issue")).toBe(true);
    expect(says(answer, "DEMO-6")).toBe(true);
  });

  it("runs an event that comes twice once", async () => {
    discord.gateway.duplicate(3);
    const question = discord.user("emi").mention("general", "create an issue in DEMO titled 'Once only'");
    const card = await answerTo(discord, question, "cs:approve");
    discord.gateway.calm();
    await discord.user("ben").click(card, "Approve");
    await discord.until(() => says(card, "Run log") && !says(card, "cs:approve"));
    expect(answers(discord, card.channel)).toHaveLength(1);
    expect(storedIssues(product.dataDir, "Once only")).toHaveLength(1);
  });
});

it("breaks no rule of Discord's", () => {
  expect(discord.violations).toEqual([]);
});
