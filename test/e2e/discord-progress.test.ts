import { afterAll, beforeAll, expect, it } from "vitest";

import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import { manualClock } from "#test/fakes/slack/clock.ts";

import {
  answers,
  answerTo,
  channelApproves,
  discordSettings,
  ended,
  says,
  startBot,
  startDiscord,
  told,
} from "./discord-support.ts";
import { deskConfig, effects } from "./slack-desk.ts";
import { cleanUpAll, temporaryFolder } from "./support.ts";

/** For the tests that need nothing of their own. */
let desk: { discord: FakeDiscord; folder: string };
beforeAll(async () => {
  desk = { discord: await startDiscord(), folder: await temporaryFolder() };
  const settings = discordSettings({ status_after_ms: 0 });
  await startBot(desk.discord, { config: deskConfig(desk.folder, settings) });
});
afterAll(cleanUpAll);

it("[discord.progress] [view.charts] edits one status message into the answer, with pictures, under limits that Discord enforces", async () => {
  const discord = await startDiscord({ rateLimits: "real" });
  await startBot(discord, { config: channelApproves({ delayMs: 150 }) });
  const question = discord.user("ana").mention("general", "/jira export DEMO");
  const answer = await answerTo(discord, question, "cs:menu");
  const before = answer.history.map((content) => JSON.stringify(content.components));
  expect(before.length).toBeGreaterThan(1);
  expect(before.every((text) => text.includes("cs:stop"))).toBe(true);
  expect(before.some((text) => /of \d+/.test(text))).toBe(true);
  expect(says(answer, "cs:stop")).toBe(false);
  expect(answers(discord, answer.channel)).toHaveLength(1);

  const chart = discord.user("ana").mention("general", "open issues in DEMO by status as a pie");
  const drawn = await answerTo(discord, chart, "attachment://");
  expect(says(drawn, /"description":"Pie chart, Count by status: [^"]*To Do \d+/)).toBe(true);
  const picture = drawn.attachments.find(({ filename }) => filename.endsWith("-chart.png"));
  expect(picture?.content.subarray(1, 4).toString()).toBe("PNG");
  expect(discord.violations).toEqual([]);
});

it("[discord.embeds] [view.limits] shows 500 rows on pages for everybody, and attaches them whole", async () => {
  const { discord } = desk;
  const question = discord.user("ana").mention("general", "/desk rows count=500");
  const answer = await answerTo(discord, question, "Page 1 of");
  const csv = answer.attachments.find(({ filename }) => filename.endsWith(".csv"));
  expect(csv?.content.toString().trim().split("\r\n")).toHaveLength(501);
  await discord.user("chloe").click(answer, "Next →");
  await discord.until(() => says(answer, "Page 2 of"));
  await discord.user("ben").click(answer, "← Previous");
  await discord.until(() => says(answer, "Page 1 of"));
  expect(answer.attachments).toContain(csv);
  expect(discord.violations).toEqual([]);
});

it("[approve.card] asks the channel for what a private command turns out to need, and says where", async () => {
  const { discord } = desk;
  await discord.until(() => discord.commands().length > 0);
  const before = discord.messages("general").length;
  await discord.user("ana").slash("desk found", { name: "guarded" }, "general");
  const card = await discord.until(() =>
    discord
      .messages("general")
      .slice(before)
      .find((one) => one.ephemeralFor === undefined && says(one, "cs:approve")),
  );
  await told(discord, "ana", "it is asked in this channel");
  await discord.user("ben").click(card, "Run “Found”");
  await discord.until(() => says(card, "Values"));
  expect(discord.violations).toEqual([]);
});

it("[discord.progress] goes on by the bot's own token when an interaction's is over", async () => {
  const clock = manualClock();
  const discord = await startDiscord({ clock });
  const folder = await temporaryFolder();
  await startBot(discord, { config: deskConfig(folder, discordSettings({ slash_answers: "channel" })) });
  await discord.until(() => discord.commands().length > 0);
  expect(
    await discord.user("ana").slash("desk wait", { ms: 4000, mark: "twenty minutes later" }),
  ).toMatchObject({ ok: true });
  const status = await discord.until(() =>
    answers(discord, discord.channel("general").id).find((one) => says(one, "cs:stop")),
  );
  clock.advance(20 * 60_000);
  await discord.until(() => says(status, "twenty minutes later") && says(status, "cs:menu"));
  expect(answers(discord, status.channel)).toHaveLength(1);
  expect(discord.calls.findLast(({ method }) => method === "PATCH")?.route).toBe(
    "PATCH /channels/:id/messages/:id",
  );
  expect(discord.violations).toEqual([]);
});

it("[discord.mention] answers once when the gateway drops in the middle of a turn and resumes", async () => {
  const { discord, folder } = desk;
  const question = discord.user("ana").mention("general", "/desk set name=one value=resumed");
  const card = await answerTo(discord, question, "cs:approve");
  const slow = discord.user("ben").mention("general", "/desk wait ms=1500 mark=across");
  await answerTo(discord, slow, "cs:stop");
  discord.gateway.overlap(5);
  discord.gateway.drop(4000);
  const missed = discord.user("chloe").mention("general", "/desk found name=one");
  await answerTo(discord, missed, "cs:menu");
  const answer = await answerTo(discord, slow, "across");
  await discord.user("ben").click(card, "cs:approve");
  await ended(discord, card, "Approved by");
  for (const { channel } of [card, answer]) expect(answers(discord, channel)).toHaveLength(1);
  expect(answers(discord, missed.id)).toHaveLength(1);
  expect(effects(folder)).toEqual(["one=resumed"]);
});

it("[discord.approve] [card.statement] several requests of a wish are one card, decided by one press", async () => {
  const discord = await startDiscord();
  await startBot(discord);
  const question = discord.user("ana").mention("general", "move DEMO-1 and DEMO-3 to Done");
  const card = await answerTo(discord, question, "cs:approve_all");
  const words = ["Move DEMO-1 and DEMO-3 to Done", "DEMO-1", "DEMO-3", "Deny all"];
  await discord.until(() => words.every((each) => says(card, each)));
  await discord.user("ana").click(card, "cs:deny_all");
  expect(await discord.user("ana").submit({ Reason: "not yet" })).toMatchObject({ ok: true });
  await discord.until(() => !says(card, "cs:approve") && says(card, "not yet"));
  expect(says(card, /Denied by Ana Lindqvist/)).toBe(true);
});

it("[discord.embeds] makes messages of embeds where components cannot be used", async () => {
  const discord = await startDiscord();
  const folder = await temporaryFolder();
  await startBot(discord, { config: deskConfig(folder, discordSettings({ embeds: true })) });
  const question = discord.user("ana").mention("general", "/desk rows count=200");
  const answer = await answerTo(discord, question, "cs:menu");
  expect(answer.embeds.length).toBeGreaterThan(0);
  expect(discord.textOf(answer)).toContain("Page 1 of");
  expect(answer.flags & 32_768).toBe(0);
  await discord.user("chloe").click(answer, "Next →");
  await discord.until(() => discord.textOf(answer).includes("Page 2 of"));
  expect(answer.attachments.map(({ filename }) => filename).some((name) => name.endsWith(".csv"))).toBe(true);
  const card = await answerTo(
    discord,
    discord.user("ana").mention("general", "/desk set name=one value=old"),
    "cs:approve",
  );
  await discord.user("ben").click(card, "cs:approve");
  await discord.until(() => discord.textOf(card).includes("Approved by"));
  expect(effects(folder)).toEqual(["one=old"]);
  expect(discord.violations).toEqual([]);
});
