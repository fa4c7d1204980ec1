import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Message } from "#test/fakes/discord/types.ts";

import { answers, answerTo, says, startBot, startDiscord, told } from "./discord-support.ts";
import { cleanUpAll, readStore, storedIssues, type HostedProduct } from "./support.ts";

let discord: FakeDiscord;
let product: HostedProduct;

beforeAll(async () => {
  // Interactions of an odd form are none that Discord would know.
  discord = await startDiscord({}, [/^interaction: .*Unknown (?:interaction|Webhook)/]);
  product = await startBot(discord);
});

afterAll(() => cleanUpAll());

/** The bot's message in a channel that says the words. */
function inChannel(channel: string, words: string): Promise<Message> {
  return discord.until(() => answers(discord, channel).findLast((message) => says(message, words)));
}

describe("ways in", () => {
  it("[discord.mention] answers a mention in a thread of its own with one message", async () => {
    const question = discord.user("ana").mention("general", "show me DEMO-1");
    const answer = await answerTo(discord, question, "cs:menu");
    expect(says(answer, "DEMO-1")).toBe(true);
    expect(discord.threadOf(question)?.name).toBe("show me DEMO-1");
    expect(answers(discord, answer.channel)).toHaveLength(1);
  });

  it("[discord.mention] answers a direct message where it was said", async () => {
    discord.user("ben").say("dm", "show me DEMO-2");
    const answer = await inChannel(discord.dm("ben").id, "cs:menu");
    expect(says(answer, "DEMO-2")).toBe(true);
  });

  it("[discord.mention] goes on in a thread without a mention, and only where it takes part", async () => {
    const question = discord.user("ana").mention("general", "show me DEMO-1");
    const first = await answerTo(discord, question, "cs:menu");
    const lunch = discord.user("ana").say("general", "lunch?");
    const other = discord.user("ana").startThread(lunch, "Lunch");
    discord.user("ben").say(other, "show me DEMO-4");
    const thread = discord.threadOf(question);
    discord.user("chloe").say(thread?.id ?? "", "show me DEMO-3");
    await discord.until(() =>
      answers(discord, first.channel).find((one) => says(one, "DEMO-3") && says(one, "cs:menu")),
    );
    expect(answers(discord, first.channel)).toHaveLength(2);
    expect(answers(discord, other.id)).toEqual([]);
  });

  it("answers with a reply where it may not start threads, and goes on with replies to that", async () => {
    discord.permit("bot", "engineering", { deny: ["CreatePublicThreads"] });
    const question = discord.user("ana").mention("engineering", "show me DEMO-5");
    const answer = await inChannel("engineering", "cs:menu");
    expect(answer.reference).toBe(question.id);
    expect(discord.threadOf(question)).toBeUndefined();
  });

  it("[discord.commands] answers a slash command and goes on in a thread of the answer", async () => {
    await discord.until(() => discord.commands().length > 0);
    const outcome = await discord
      .user("ana")
      .slash("jira get_jira_issue", { issue_key: "DEMO-6" }, "general");
    expect(outcome.ok).toBe(true);
    const before = discord.messages("general").length;
    const shown = await told(discord, "ana", "cs:share");
    expect(says(shown, "DEMO-6")).toBe(true);
    expect(discord.messages("general")).toHaveLength(before);
    await discord.user("ana").click(shown, "Share with the channel");
    const answer = await inChannel("general", "cs:menu");
    expect(says(answer, "/jira get\\\\_jira\\\\_issue")).toBe(true);
    expect(says(answer, "DEMO-6")).toBe(true);
    expect(says(answer, "cs:share")).toBe(false);
    await told(discord, "ana", "Shared with the channel");
  });

  it("[discord.commands] turns the pages of an answer that one person alone sees, and asks for more there", async () => {
    await discord.until(() => discord.commands().length > 0);
    const before = discord.messages("general").length;
    await discord.user("emi").slash("jira search", { project: "DEMO" }, "general");
    const list = await told(discord, "emi", "cs:share");
    await discord.user("emi").click(list, "Next →");
    await discord.until(() => says(list, "Page 2 of"));
    const more = /Show \d+ more/.exec(JSON.stringify(list.components))?.[0] ?? "no more";
    await discord.user("emi").click(list, more);
    await told(discord, "emi", "Issues 21 to");
    expect(discord.messages("general")).toHaveLength(before);
  });

  it("runs an event that comes twice once", async () => {
    discord.gateway.duplicate(3);
    const question = discord.user("emi").mention("general", "create an issue in DEMO titled 'Once only'");
    const card = await answerTo(discord, question, "cs:approve");
    discord.gateway.calm();
    await discord.user("ben").click(card, "cs:approve");
    await discord.until(() => says(card, "cs:menu") && !says(card, "cs:approve"));
    expect(answers(discord, card.channel)).toHaveLength(1);
    expect(storedIssues(product.dataDir, "Once only")).toHaveLength(1);
  });
});

it("breaks no rule of Discord's", () => {
  expect(discord.violations).toEqual([]);
});

it("what bots, unfurlers and embeds bring begins nothing", async () => {
  const turns = (): number =>
    readStore<{ turns: number }>(product.dataDir, "select count(*) as turns from turns")[0]?.turns ?? 0;
  const channel = discord.channel("general");
  const asked = discord.user("ana").mention("general", "create an issue in DEMO titled 'Unfurled'");
  const card = await answerTo(discord, asked, "cs:approve");
  const before = turns();
  const link = `https://discord.com/channels/${channel.guild}/${card.channel}/${card.id}`;
  const author = { id: "299999999999999999", username: "unfurler", bot: true };
  const said = {
    id: "799999999999999999",
    type: 0,
    guild_id: channel.guild,
    channel_id: channel.id,
    author,
    content: `<@${discord.app.id}> show me DEMO-2 ${link}`,
    mentions: [{ id: discord.app.id, username: "countersign" }],
    embeds: [{ type: "link", url: link }],
  };
  discord.gateway.dispatch("MESSAGE_CREATE", said);
  discord.gateway.dispatch("MESSAGE_CREATE", { ...said, author: { ...author, bot: false }, webhook_id: "1" });
  // An address that a person posted gets its preview by an update.
  discord.gateway.dispatch("MESSAGE_UPDATE", { ...said, author: { ...author, bot: false } });
  discord.gateway.dispatch("MESSAGE_UPDATE", { id: asked.id, channel_id: channel.id, embeds: said.embeds });
  await answerTo(discord, discord.user("ana").mention("general", "show me DEMO-3"), "cs:menu");
  expect(turns()).toBe(before + 1);
  expect(says(card, "cs:approve")).toBe(true);
  expect(storedIssues(product.dataDir, "Unfurled")).toEqual([]);
});

describe("events of an odd form", () => {
  /** Every event that discord.js or this product reads, and some that nobody knows. */
  const EVENTS = [
    ...["CREATE", "UPDATE", "DELETE"].flatMap((end) =>
      ["GUILD", "CHANNEL", "THREAD", "MESSAGE", "GUILD_ROLE", "STAGE_INSTANCE", "INTEGRATION"].map(
        (of) => `${of}_${end}`,
      ),
    ),
    "INTERACTION_CREATE",
    "GUILD_MEMBER_UPDATE",
    "GUILD_MEMBERS_CHUNK",
    "THREAD_LIST_SYNC",
    "THREAD_MEMBERS_UPDATE",
    "CHANNEL_PINS_UPDATE",
    "MESSAGE_REACTION_ADD",
    "MESSAGE_DELETE_BULK",
    "TYPING_START",
    "USER_UPDATE",
    "WEBHOOKS_UPDATE",
    "APPLICATION_COMMAND_PERMISSIONS_UPDATE",
    "error",
    "constructor",
    "NO_SUCH_EVENT",
    null,
    7,
  ];
  const DATA = [null, undefined, [], "text", 7, {}, { id: null }, { id: {}, guild_id: [], channel_id: 3 }];

  /** What is wrong with one part of an interaction that is whole otherwise. */
  const PARTS = [
    { data: null },
    { data: { custom_id: "cs:details:appr_0", component_type: 2 }, message: null },
    { channel: null },
    { channel: { id: {}, type: "x" } },
    { member: { user: null } },
    { type: 99 },
    { type: 1, data: undefined },
    { type: 2, data: { id: "1", type: 77, name: "jira" } },
    { type: 2, data: { id: "1", type: 1, name: "jira", options: null } },
    {
      type: 2,
      data: { id: "1", type: 1, name: "jira", options: [null, { type: 99 }, { type: 1, options: 5 }] },
    },
    { type: 2, data: { id: "1", type: 1, name: "jira", options: [{ type: 99, name: "x", value: {} }] } },
    { type: 2, data: { id: "1", type: 3, name: "Ask Countersign about this", target_id: "1" } },
    { type: 4, data: { id: "1", type: 1, name: "jira", options: [{ type: 1, name: "x", options: null }] } },
    { type: 4, data: { id: "1", type: 1, name: "jira" } },
    { type: 5, data: { custom_id: "cs:form:x:0", components: null } },
    { type: 5, data: { custom_id: "cs:form:x:0", components: [null, { type: 18 }] } },
    { type: 5, data: { custom_id: {} } },
  ];

  const FRAMES = [
    "",
    "{",
    "null",
    "[]",
    "7",
    { op: 0 },
    { op: 0, t: "READY", s: 1 },
    { op: 0, t: null, d: null, s: null },
    { op: 99, d: null },
    { op: {}, d: [] },
    { t: "MESSAGE_CREATE" },
  ];

  it("are logged and dropped, and what comes after them is answered", async () => {
    const channel = discord.channel("general");
    const user = { id: discord.user("ana").id, username: "ana" };
    const whole = {
      id: "1",
      token: "t",
      application_id: discord.app.id,
      version: 1,
      type: 3,
      guild_id: channel.guild,
      channel_id: channel.id,
      channel: { id: channel.id, type: 0 },
      member: { user, roles: [], permissions: "0" },
      message: { id: "2", channel_id: channel.id, author: { id: discord.app.id }, components: null },
      data: { custom_id: "cs:details:appr_0", component_type: 2 },
    };
    for (const t of EVENTS) for (const d of DATA) discord.gateway.dispatch(t, d);
    for (const part of [{}, ...PARTS]) discord.gateway.dispatch("INTERACTION_CREATE", { ...whole, ...part });
    const said = { id: "1", channel_id: channel.id, type: 0, content: "hi", author: user, mentions: [] };
    for (const part of [
      { content: null },
      { author: null },
      { mentions: null },
      { mentions: [null] },
      { message_reference: null },
      { referenced_message: { author: null } },
      { type: "0" },
      { guild_id: 5 },
      { member: null, components: null, embeds: null, attachments: null },
    ]) {
      discord.gateway.dispatch("MESSAGE_CREATE", { ...said, ...part });
    }
    for (const frame of FRAMES) discord.gateway.raw(frame);
    const question = discord.user("ana").mention("general", "show me DEMO-1");
    expect(says(await answerTo(discord, question, "cs:menu"), "DEMO-1")).toBe(true);
    const dropped = product.log.filter(({ msg }) => String(msg).includes("of an odd form"));
    expect(dropped.length).toBeGreaterThan(EVENTS.length);
  });

  it("do no harm while a connection is made anew either", async () => {
    discord.gateway.drop();
    await discord.until(() => discord.connected());
    for (const t of EVENTS) discord.gateway.dispatch(t, null);
    const question = discord.user("ben").mention("general", "show me DEMO-2");
    expect(says(await answerTo(discord, question, "cs:menu"), "DEMO-2")).toBe(true);
  });
});
