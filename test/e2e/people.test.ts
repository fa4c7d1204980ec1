import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";

import { Visitors } from "./browser.ts";
import { type ChatHands, discordHands, slackHands } from "./chat-hands.ts";
import { channelApproves, startBot, startDiscord } from "./discord-support.ts";
import { channelApproves as onSlack, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll, request, type HostedProduct, say, type WireError } from "./support.ts";

/** One product for all surfaces. Its Jira works with Ana's account, and shows addresses at acme.example.com. */
let slack: FakeSlack;
let discord: FakeDiscord;
let product: HostedProduct;
let visitors: Visitors;

beforeAll(async () => {
  [slack, discord, visitors] = await Promise.all([startSlackWorkspace(), startDiscord(), Visitors.launch()]);
  const tools = ["jira.assign_issue", "jira.add_comment"];
  const rules = [{ tools, decision: "ask", approvers: ["requester"] }];
  product = await startBot(discord, {
    config: { ...onSlack(), ...channelApproves(), policy: { rules } },
    env: { ...slack.environment, SLACK_SIGNING_SECRET: "" },
    endsWith: "file",
  });
  await product.line(({ msg }) => String(msg).startsWith("Slack is connected"));
});

afterAll(async () => {
  await visitors.close();
  await cleanUpAll();
});

interface Shown {
  assignee: { id: string } | null;
  comments: { author: { id: string }; body: string }[];
}

/** The issue as the server has it. */
async function issue(key: string): Promise<Shown> {
  const { body } = await say(product, `show me ${key}`, { session_id: `look at ${key}`, actor: "ana" });
  return body.tool_results.at(-1)?.data as unknown as Shown;
}

/** Has a card approved by who asked, and waits until it is done. */
async function approve<Message>(hands: ChatHands<Message>, who: string, card: Message): Promise<void> {
  await hands.press(who, card, "cs:approve");
  await hands.until(() => !hands.holds(card, "cs:approve"));
}

describe("me on a chat", () => {
  it("[card.people] on Slack is whoever has the same e-mail address, and comments carry their name", async () => {
    const hands = slackHands(slack);
    const card = await hands.ask("ben", "assign DEMO-4 to me", "cs:approve");
    expect(hands.read(card)).toContain("acts as the bot, for Ben Okafor");
    await approve(hands, "ben", card);
    await expect.poll(() => issue("DEMO-4")).toMatchObject({ assignee: { id: "ben" } });
    expect(slack.modal("ben")).toBeUndefined();

    await approve(hands, "ben", await hands.ask("ben", "comment on DEMO-4: on it", "cs:approve"));
    await expect
      .poll(async () => (await issue("DEMO-4")).comments.at(-1))
      .toMatchObject({ author: { id: "ana" }, body: "Ben Okafor (via Countersign): on it" });
  });

  it("[card.people] on Discord, which tells no address, is asked once and kept", async () => {
    const hands = discordHands(discord);
    const asked = await hands.ask("ben", "assign DEMO-2 to me", "Who are you in Jira?");
    expect(hands.read(asked)).not.toMatch(/jira asks|Never type/);
    await hands.press("ben", asked, "Answer");
    await hands.fill("ben", { Account: "Ben Okafor" });
    await hands.until(() => hands.holds(asked, "cs:approve"));
    await approve(hands, "ben", asked);
    await expect.poll(() => issue("DEMO-2")).toMatchObject({ assignee: { id: "ben" } });
    const again = await hands.ask("ben", "assign DEMO-6 to me", "cs:approve");
    expect(hands.read(again)).toContain("Ben Okafor");
    // Nobody else becomes them by it.
    await hands.ask("chloe", "assign DEMO-6 to me", "Who are you in Jira?");
  });
});

it("[card.people] on the page is who the page acts as, and is asked where nobody knows them", async () => {
  const page = await visitors.visit(product.url);
  await page.getByRole("textbox", { name: "Message" }).fill("assign DEMO-7 to me");
  await page.keyboard.press("Enter");
  const form = page.getByRole("form", { name: "Who are you in Jira?" });
  await form.getByRole("textbox", { name: /Name or e-mail address/ }).fill("farid");
  await form.getByRole("button", { name: "Answer" }).click();
  await form.getByRole("combobox", { name: /Account/ }).selectOption("Farid Haddad");
  await form.getByRole("button", { name: "Answer" }).click();
  await expect.poll(() => page.getByRole("article").last().textContent()).toContain("Farid Haddad");
});

/** What is shown to one person alone, once it holds the words. */
function alone<Message>(hands: ChatHands<Message>, who: string, words: string): Promise<Message> {
  return hands.until(() => hands.alone(who).findLast((message) => hands.holds(message, words)));
}

it("[card.people] /countersign me shows and changes it on Slack, and what they said goes before the address", async () => {
  const hands = slackHands(slack);
  await hands.own("emi", "me");
  await alone(hands, "emi", "Emi Tanaka (emi), by your e-mail address");
  await hands.own("emi", "me jira nobody at all");
  await alone(hands, "emi", "Jira knows nobody called “nobody at all”.");
  await hands.own("emi", "me Jira Dmitri");
  await alone(hands, "emi", "Noted: you are Dmitri Sokolov in Jira.");
  const card = await hands.ask("emi", "assign DEMO-9 to me", "cs:approve");
  expect(hands.read(card)).toContain("Dmitri Sokolov");
  await hands.own("emi", "me jira forget");
  await alone(hands, "emi", "Forgotten");
  // The same by buttons, and a window that asks.
  await hands.own("emi", "me");
  const shown = await alone(hands, "emi", "Change Jira");
  await slack.user("emi").click(shown.ts, "Change Jira");
  await slack.user("emi").submit(undefined, { "You there": "Farid" });
  await alone(hands, "emi", "Noted: you are Farid Haddad in Jira.");
  await hands.own("emi", "me");
  await slack.user("emi").click((await alone(hands, "emi", "Forget Jira")).ts, "Forget Jira");
  await hands.until(() => {
    const last = hands.alone("emi").findLast((message) => hands.holds(message, "Forgotten"));
    return last !== undefined && hands.holds(last, "by your e-mail address") ? last : undefined;
  });
});

it("[card.people] /countersign me shows and changes it on Discord", async () => {
  const hands = discordHands(discord);
  await hands.own("emi", "me");
  await alone(hands, "emi", "not known");
  const given = { server: "jira", account: "emi@acme.example.com" };
  await discord.user("emi").slash("countersign me", given, "general");
  await alone(hands, "emi", "Noted: you are Emi Tanaka in Jira.");
  const told = await alone(hands, "emi", "as you said");
  expect(hands.read(told)).toContain("Emi Tanaka (emi)");
  await discord.user("emi").click(told, "Change Jira");
  await discord.user("emi").submit({ "You there": "Farid" });
  await alone(hands, "emi", "Noted: you are Farid Haddad in Jira.");
  await hands.own("emi", "me");
  await discord.user("emi").click(await alone(hands, "emi", "Forget Jira"), "Forget Jira");
  await alone(hands, "emi", "Say who you are in Jira");
});

it("[card.people] the page shows and changes it beside the tools", async () => {
  const page = await visitors.visit(product.url);
  await page.getByRole("button", { name: /Tools & health/ }).click();
  const who = page.getByRole("region", { name: "Who you are" });
  await who.getByRole("textbox", { name: "You in Jira" }).fill("chloe");
  await who.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => who.textContent()).toContain("Noted: you are Chloé Martin in Jira.");
  await expect.poll(() => who.textContent()).toContain("Chloé Martin (chloe), as you said");
  await who.getByRole("button", { name: "Forget" }).click();
  await expect.poll(() => who.textContent()).toContain("Forgotten");
});

it("[card.people] the API shows, searches, changes and forgets it, for the caller alone", async () => {
  const me = (actor: string) =>
    request<{ servers: { account: unknown }[] }>(product, "GET", `/people/me?actor=${actor}`);
  const { body: unknown } = await me("zoe");
  expect(unknown).toMatchObject({
    servers: [{ server: "jira", title: "Jira", can_search: true, account: null }],
  });
  const found = await request(product, "GET", "/people/me/accounts/jira?query=far&actor=zoe");
  expect(found.body).toMatchObject({ people: [{ id: "farid", email: "farid@acme.example.com" }] });
  const path = "/people/me/accounts/jira";
  const set = await request(product, "PUT", path, { actor: "zoe", account: "farid" });
  expect(set).toMatchObject({ status: 200, body: { id: "farid", name: "Farid Haddad", origin: "told" } });
  expect((await me("zoe")).body).toMatchObject({ servers: [{ account: { id: "farid" } }] });
  expect((await me("yan")).body).toMatchObject({ servers: [{ account: null }] });
  const none = await request<WireError>(product, "PUT", path, { actor: "zoe", account: "nobody" });
  expect(none).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  expect(await request(product, "DELETE", path, { actor: "zoe" })).toMatchObject({ status: 200 });
  expect((await request(product, "DELETE", path, { actor: "zoe" })).status).toBe(404);
});

it("[card.people] over the API is the account of the same id, whatever it is called in the request", async () => {
  const one = { session_id: "api", actor: "ben" };
  const { body } = await say(product, "assign DEMO-8 to me", one);
  expect(body.pending_confirmation).toMatchObject({
    args: { issue_key: "DEMO-8", assignee: "ben" },
    statement: { as: "the bot, for Ben Okafor" },
  });
  const { body: stranger } = await say(product, "assign DEMO-8 to me", { session_id: "api 3", actor: "yan" });
  expect(stranger.reply).toMatch(/^I don't know who you are in Jira, so I did nothing\. Tell me under/);
  const { body: found } = await say(product, "my open issues", { session_id: "api 2", actor: "ben" });
  expect(found.tool_results[0]?.args).toMatchObject({ assignee: "ben" });
  const path = `/approvals/${body.pending_confirmation?.approval_id}/edit`;
  const args = { issue_key: "DEMO-8", assignee: "@Dmitri" };
  const edited = await request(product, "POST", path, { actor: "ben", args });
  expect(edited.body).toMatchObject({ args: { assignee: "dmitri" } });
});
