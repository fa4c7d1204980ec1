import { afterEach, beforeEach, expect, it } from "vitest";

import { startFakeDiscord } from "#test/fakes/discord/discord.ts";
import type { FakeDiscord } from "#test/fakes/discord/discord.ts";

import { commands, startBot } from "./bot.ts";
import type { Bot } from "./bot.ts";

let discord: FakeDiscord;
let bot: Bot;

beforeEach(async () => {
  discord = await startFakeDiscord();
  bot = await startBot(discord);
});

afterEach(async () => {
  await bot.stop();
  await discord.close(/^interaction: INTERACTION_CREATE: nobody answered/);
});

it("carries a mention to discord.js, its answer to the channel, and a click back", async () => {
  const question = discord.user("ana").mention("general", "show me DEMO-1");
  const answer = await discord.until(() => discord.messages("general")[1]);
  expect(answer).toMatchObject({ content: "May I?", author: discord.app.id, reference: question.id });
  const outcome = await discord.user("ben").click(answer, "Approve");
  expect(outcome).toMatchObject({ ok: true, message: { id: answer.id, content: "approved by ben" } });
  expect(answer.history.map(({ content }) => content)).toEqual(["May I?"]);
  const [thanks] = await discord.until(
    () => discord.ephemerals("ben").length > 0 && discord.ephemerals("ben"),
  );
  expect(thanks?.content).toBe("Thanks");
  expect(discord.ephemerals("ana")).toEqual([]);
  expect(discord.messages("general")).toHaveLength(2);
});

it("hears direct messages", async () => {
  discord.user("ana").mention("dm", "hello");
  const answer = await discord.until(() => discord.messages(discord.dm("ana"))[1]);
  expect(answer.content).toBe("May I?");
});

it("registers commands in bulk and runs them, with autocomplete, form and context menu", async () => {
  await bot.client.application?.commands.set(commands);
  expect(discord.commands().map(({ name }) => name)).toEqual(["jira", "Ask Countersign"]);
  const ana = discord.user("ana");
  expect(await ana.autocomplete("jira show", "key", "DEMO")).toEqual([
    { name: "DEMO and more", value: "DEMO" },
  ]);

  const shown = await ana.slash("jira show", { key: "DEMO-1" });
  expect(shown).toMatchObject({ ok: true, message: { ephemeralFor: ana.id } });
  await discord.until(() => discord.ephemerals("ana").some(({ content }) => content === "This is DEMO-1"));

  const opened = await ana.slash("jira create");
  expect(opened).toMatchObject({ ok: true, modal: { title: "Create" } });
  await expect(ana.submit({ Summary: "" })).rejects.toThrow(`while "Summary" is empty`);
  await expect(ana.submit({ Summary: "x".repeat(81) })).rejects.toThrow("takes 0 to 80 characters");
  const made = await ana.submit({ Summary: "A broken lamp" });
  expect(made).toMatchObject({ ok: true, message: { content: 'Made "A broken lamp"' } });
  expect(discord.modal("ana")).toBeUndefined();

  const message = ana.say("general", "the lamp is broken");
  const asked = await ana.contextMenu("Ask Countersign", message);
  expect(asked).toMatchObject({ ok: true, message: { content: 'You mean "the lamp is broken"' } });
});

it("keeps messages' content from a client without the intent, but for mentions", async () => {
  const { client, seen } = bot;
  const contents: string[] = [];
  client.on("messageCreate", ({ content }) => void contents.push(content));
  discord.user("ana").say("general", "secret");
  const mention = discord.user("ana").say("general", `hey <@${discord.app.id}>`);
  discord.user("ana").say("dm", "to you");
  await discord.until(() => contents.includes("to you"));
  expect(contents.filter((text) => text !== "May I?")).toEqual(["", mention.content, "to you"]);
  expect(seen).toContain(mention.id);
});
