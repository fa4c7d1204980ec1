import { renameSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { FakeDiscord } from "#test/fakes/discord/discord.ts";

import {
  answers,
  answerTo,
  askChange,
  discordSettings,
  ended,
  says,
  startBot,
  startDiscord,
  told,
} from "./discord-support.ts";
import { deskConfig, effects } from "./slack-desk.ts";
import { cleanUpAll, type HostedProduct, temporaryFolder } from "./support.ts";

let discord: FakeDiscord;
let folder: string;
let product: HostedProduct;

beforeAll(async () => {
  discord = await startDiscord();
  folder = await temporaryFolder();
  product = await startBot(discord, { config: deskConfig(folder, discordSettings()) });
});

afterAll(() => cleanUpAll());

function setTo(name: string, value: string): number {
  return effects(folder).filter((line) => line === `${name}=${value}`).length;
}

describe("approvals", () => {
  it("[discord.approve] makes the change when somebody of the channel approves, and shows who", async () => {
    const card = await askChange(discord, "/desk set name=one value=approved");
    expect(setTo("one", "approved")).toBe(0);
    expect(await discord.user("ben").click(card, "cs:approve")).toMatchObject({ ok: true });
    await ended(discord, card, "Approved by");
    expect(says(card, "Approved by Ben Okafor")).toBe(true);
    expect(setTo("one", "approved")).toBe(1);
    expect(answers(discord, card.channel)).toHaveLength(1);
  });

  it("[discord.approve] changes nothing when somebody denies", async () => {
    const card = await askChange(discord, "/desk set name=one value=denied");
    await discord.user("ben").click(card, "Deny");
    expect(await discord.user("ben").submit({})).toMatchObject({ ok: true });
    await ended(discord, card, "Denied by");
    expect(setTo("one", "denied")).toBe(0);
  });

  it("[discord.approve] asks in a form for the reason that a rule wants", async () => {
    const card = await askChange(discord, "/desk set name=reasoned value=why");
    await discord.user("ben").click(card, "Deny");
    expect(discord.modal("ben")?.components.length).toBeGreaterThan(0);
    expect(await discord.user("ben").submit({ Reason: "too early" })).toMatchObject({ ok: true });
    await ended(discord, card, "too early");
    expect(setTo("reasoned", "why")).toBe(0);
  });

  it("[discord.approve] asks for other arguments in a form, and sends those", async () => {
    const card = await askChange(discord, "/desk set name=one value=unedited");
    await discord.user("ana").click(card, "Edit");
    expect(await discord.user("ana").submit({ Value: "corrected" })).toMatchObject({ ok: true });
    await discord.until(() => says(card, "corrected") && says(card, "cs:approve"));
    await discord.user("ben").click(card, "cs:approve");
    await ended(discord, card, "Approved by");
    expect([setTo("one", "unedited"), setTo("one", "corrected")]).toEqual([0, 1]);
  });

  it("[card.notify] several of a kind are approved together in /countersign approvals, each as it is listed", async () => {
    const cards = [];
    for (const value of ["first", "second"])
      cards.push(await askChange(discord, `/desk set name=leads value=${value}`));
    await discord.user("chloe").slash("countersign approvals", {}, "engineering");
    const inbox = await told(discord, "chloe", "2 requests wait for your approval");
    expect(says(inbox, /Ana Lindqvist asked|Ana asked/)).toBe(true);
    expect(says(inbox, "https://discord.com/channels/")).toBe(true);
    await discord.user("chloe").click(inbox, "Approve both");
    const list = await told(discord, "chloe", "Approve 2");
    expect(setTo("leads", "first")).toBe(0);
    await discord.user("chloe").click(list, "Approve 2");
    for (const card of cards) await ended(discord, card, "Approved by");
    expect([setTo("leads", "first"), setTo("leads", "second")]).toEqual([1, 1]);
    await discord.user("chloe").slash("countersign approvals", {}, "engineering");
    const decided = await told(discord, "chloe", "Nothing waits for your approval");
    expect(says(decided, "Recently decided")).toBe(true);

    const others = [];
    for (const value of ["third", "fourth"])
      others.push(await askChange(discord, `/desk set name=leads value=${value}`));
    await discord.user("chloe").slash("countersign approvals", {}, "engineering");
    const second = await told(discord, "chloe", "Deny both");
    await discord.user("chloe").click(second, "Deny both");
    const listed = await told(discord, "chloe", "Deny 2");
    await discord.user("chloe").click(listed, "Deny 2");
    for (const card of others) await ended(discord, card, "Denied by");
    expect([setTo("leads", "third"), setTo("leads", "fourth")]).toEqual([0, 0]);
  });

  it("[approve.two-phase] a press while the store is gone counts nothing and is told so", async () => {
    const card = await askChange(discord, "/desk set name=away value=1");
    await discord.user("chloe").click(card, "Deny");
    const { dataDir } = product;
    renameSync(dataDir, `${dataDir}-away`);
    try {
      await discord.user("ben").click(card, "cs:approve");
      await told(discord, "ben", "The store is gone from its place");
      await discord.user("chloe").submit({ Reason: "no" });
      await told(discord, "chloe", "The store is gone from its place");
    } finally {
      renameSync(`${dataDir}-away`, dataDir);
    }
    expect([says(card, "Approved by"), setTo("away", "1")]).toEqual([false, 0]);
    await discord.user("ben").click(card, "cs:approve");
    await ended(discord, card, "Approved by");
    expect(setTo("away", "1")).toBe(1);
  });

  it("[discord.approve] waits for the second of two, without whoever asked", async () => {
    const card = await askChange(discord, "/desk set name=two value=both");
    await discord.user("ana").click(card, "cs:approve");
    await told(discord, "ana", "somebody else");
    await discord.user("ben").click(card, "cs:approve");
    await told(discord, "ben", "1 of 2");
    expect(setTo("two", "both")).toBe(0);
    await discord.user("chloe").click(card, "cs:approve");
    await ended(discord, card, "Approved by");
    expect(setTo("two", "both")).toBe(1);
  });

  it("[discord.approve] lets members of a role decide, and tells a stranger so", async () => {
    const card = await askChange(discord, "/desk set name=leads value=role");
    await discord.user("ben").click(card, "cs:approve");
    await told(discord, "ben", "leads");
    expect(says(card, "cs:approve")).toBe(true);
    await discord.user("chloe").click(card, "cs:approve");
    await ended(discord, card, "Approved by");
    expect(setTo("leads", "role")).toBe(1);
  });

  it("[discord.approve] answers a click on a card that has expired, and the card says so and asks again", async () => {
    const card = await askChange(discord, "/desk set name=brief value=late");
    await ended(discord, card, /expired/i);
    expect(setTo("brief", "late")).toBe(0);
    const seen = answers(discord, card.channel).length;
    const expired = await discord.until(() =>
      answers(discord, card.channel).find((one) => one.id === card.id && says(one, "Ask again")),
    );
    await discord.user("ana").click(expired, "Ask again");
    await discord.until(() =>
      answers(discord, card.channel)
        .slice(seen)
        .find((one) => says(one, "cs:approve") && says(one, "brief")),
    );
  });

  it("gives a standing approval, lists it and takes it back", async () => {
    const card = await askChange(discord, "/desk note about=case body=first");
    await discord.user("ben").click(card, "Approve for a while");
    const terms = await told(discord, "ben", "Fill in");
    expect(says(terms, "case")).toBe(true);
    await discord.user("ben").click(terms, "Fill in");
    expect(await discord.user("ben").submit({})).toMatchObject({ ok: true });
    await ended(discord, card, "Approved by");
    const thread = card.channel;
    discord.user("ana").say(thread, "/desk note about=case body=second");
    const second = await discord.until(() =>
      answers(discord, thread).find((one) => says(one, "cs:menu") && says(one, "second")),
    );
    await discord.user("ben").click(second, "Standing approvals");
    const list = await told(discord, "ben", "cs:revoke");
    await discord
      .user("ben")
      .click(list, /"custom_id":"(cs:revoke:[^"]+)"/.exec(JSON.stringify(list))?.[1] ?? "");
    discord.user("ana").say(thread, "/desk note about=case body=third");
    await discord.until(() =>
      answers(discord, thread).find((one) => says(one, "third") && says(one, "cs:approve")),
    );
    expect(effects(folder)).toContain("case: second");
  });

  it("shows details, JSON and the run log to one person, page by page", async () => {
    const card = await askChange(discord, "/desk set name=one value=shown");
    await discord.user("ben").click(card, "Details");
    await told(discord, "ben", "What will be sent");
    const question = discord.user("ana").mention("general", "/desk rows count=300");
    const answer = await answerTo(discord, question, "cs:menu");
    await discord.user("dmitri").click(answer, "More");
    const menu = await told(discord, "dmitri", "Run as a command");
    await discord.user("dmitri").click(menu, "Show JSON");
    const window = await told(discord, "dmitri", "Page 1 of");
    await discord.user("dmitri").click(window, "Next →");
    await discord.until(() => says(window, "Page 2 of"));
    await discord.user("dmitri").click(menu, "Run log");
    await told(discord, "dmitri", "accepted");
    expect(answers(discord, card.channel)).toHaveLength(1);
  });

  it("says that nobody knows what became of a change whose server died, and takes it from people", async () => {
    const card = await askChange(discord, "/desk set name=gone value=lost");
    await discord.user("ben").click(card, "cs:approve");
    await discord.until(() => says(card, "cs:settle_happened"));
    await discord.user("ben").click(card, "Look it up");
    await told(discord, "ben", "gone=lost");
    await discord.user("ben").click(card, "It happened");
    await ended(discord, card, "done");
    expect(setTo("gone", "lost")).toBe(1);
  });

  it("stops what runs", async () => {
    const question = discord.user("ana").mention("general", "/desk hang");
    const status = await answerTo(discord, question, "cs:stop");
    await discord.user("ana").click(status, "Stop");
    await discord.until(() => !says(status, "cs:stop"));
    expect(answers(discord, status.channel)).toHaveLength(1);
  });

  it("[discord.approve] reminds those who can still decide, once, and nobody else", async () => {
    const card = await askChange(discord, "/desk set name=urgent value=soon");
    const reminder = await discord.until(() =>
      answers(discord, card.channel).find((one) => says(one, "Still waiting")),
    );
    const leads = [...discord.guild().roles.values()].find(({ name }) => name === "leads");
    expect(reminder.mentionRoles).toEqual(
      [leads?.id].filter((id) => discord.message(reminder.id)?.mentionRoles.includes(id ?? "")),
    );
    expect(says(reminder, `<@&${leads?.id}>`)).toBe(true);
    expect(reminder.mentionEveryone).toBe(false);
    await discord.user("chloe").click(card, "cs:approve");
    await discord.user("ana").click(card, "cs:approve");
    await ended(discord, card, "Approved by");
    expect(answers(discord, card.channel).filter((one) => says(one, "Still waiting"))).toHaveLength(1);
  });
});

it("[discord.embeds] breaks no rule of Discord's, and notifies nobody", () => {
  expect(discord.violations).toEqual([]);
  const sent = discord.calls.filter(({ route }) => /^(?:POST|PATCH) .*messages(?:\/:id)?$/.test(route));
  expect(sent.length).toBeGreaterThan(10);
  for (const { body } of sent) expect(body.allowed_mentions).toMatchObject({ parse: [] });
});
