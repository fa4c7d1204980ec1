import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Message } from "#test/fakes/discord/types.ts";

import { answers, channelApproves, says, startBot, startDiscord, told } from "./discord-support.ts";
import { cleanUpAll, storedIssues, temporaryFolder, type HostedProduct } from "./support.ts";

let discord: FakeDiscord;
let product: HostedProduct;
let config: object;

beforeAll(async () => {
  discord = await startDiscord();
  config = withCompletion();
  product = await startBot(discord, { config });
  await discord.until(() => discord.commands().length > 0);
});

afterAll(() => cleanUpAll());

/** Keys are suggested by what was typed, projects from a list; deleting asks, so it suggests nothing. */
function withCompletion(): object {
  const base = channelApproves({
    rules: [{ tools: ["jira.export_issues"], decision: "ask", approvers: ["channel"] }],
  }) as { commands: { jira: object } };
  const complete = {
    issue_key: { tool: "search_issues", query: "query", value: "key", label: "summary" },
    assignee: { tool: "export_issues", args: { project: "DEMO" }, value: "key" },
  };
  return { ...base, commands: { jira: { ...base.commands.jira, complete } } };
}

function inChannel(channel: string, words: string): Promise<Message> {
  return discord.until(() => answers(discord, channel).findLast((message) => says(message, words)));
}

describe("commands", () => {
  it("[discord.commands] are registered from the configuration, with options from the tools' schemas", () => {
    const jira = discord.commands().find(({ name }) => name === "jira");
    const create = (jira?.options ?? []).find(({ name }) => name === "create") as {
      options: { name: string; type: number; required: boolean; choices?: { value: string }[] }[];
    };
    expect(create.options.slice(0, 2)).toMatchObject([
      { name: "project", type: 3, required: true },
      { name: "summary", type: 3, required: true },
    ]);
    expect(create.options.slice(2).every(({ required }) => !required)).toBe(true);
    expect(discord.commands().map(({ name }) => name)).toEqual([
      "jira",
      "ask",
      "connect",
      "countersign",
      "Ask Countersign about this",
    ]);
  });

  it("[discord.commands] suggests values by the read that is configured, and none by one that would ask", async () => {
    const keys = (await discord.user("ana").autocomplete("jira get_jira_issue", "issue_key", "login")) ?? [];
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.every(({ value }) => /^[A-Z]+-\d+$/.test(String(value)))).toBe(true);
    const people = await discord.user("ana").autocomplete("jira create", "assignee", "DEMO");
    expect(people).toEqual([]);
  });

  it("[discord.commands] sends the options as they are, whatever their text says", async () => {
    const summary = 'Odd "quotes" & project=OPS --dry_run';
    const outcome = await discord
      .user("ana")
      .slash("jira create", { project: "DEMO", summary, labels: "one, two" }, "general");
    expect(outcome).toMatchObject({ ok: true });
    const card = await inChannel("general", "cs:approve");
    await discord.user("ben").click(card, "cs:approve");
    await discord.until(() => says(card, "Approved by"));
    expect(storedIssues(product.dataDir, summary)).toMatchObject([{ labels: ["one", "two"] }]);
  });

  it("[discord.commands] asks about a message through its menu, in a thread of that message", async () => {
    const chat = discord.user("ben").say("general", "The login page of DEMO-7 is broken again");
    await discord.user("ana").contextMenu("Ask Countersign about this", chat);
    const [label = ""] = labelsOf(discord.modal("ana")?.components);
    expect(await discord.user("ana").submit({ [label]: "show me DEMO-7" })).toMatchObject({ ok: true });
    const thread = await discord.until(() => discord.threadOf(chat));
    await discord.until(() => answers(discord, thread.id).find((one) => says(one, "cs:menu")));
  });

  it("[discord.approve] takes a form of more than five fields in parts, and what is wrong with it again", async () => {
    await discord.user("ana").slash("jira create", { project: "DEMO", summary: "In parts" }, "engineering");
    const card = await inChannel("engineering", "cs:approve");
    await discord.user("ana").click(card, "Edit");
    expect(discord.modal("ana")?.title).toContain("(1 of");
    await discord.user("ana").submit({ Summary: "In several parts" });
    const noted = await told(discord, "ana", "Next part");
    await discord.user("ana").click(noted, "Next part");
    const due = labelsOf(discord.modal("ana")?.components).find((label) => /epic/i.test(label)) ?? "?";
    await discord.user("ana").submit({ [due]: "no key" });
    await discord.until(() => says(noted, "Correct it") || says(noted, "Next part"));
    if (!says(noted, "Correct it")) {
      await discord
        .user("ana")
        .click(noted, /"custom_id":"(cs:form_send:[^"]+)"/.exec(JSON.stringify(noted))?.[1] ?? "");
    }
    await discord.until(() => says(noted, "Correct it"));
    await discord.user("ana").click(noted, "Correct it");
    await discord.user("ana").submit({ [due]: "" });
    await discord.until(() => says(noted, "form_send") || says(card, "In several parts"));
    if (!says(card, "In several parts")) {
      await discord
        .user("ana")
        .click(noted, /"custom_id":"(cs:form_send:[^"]+)"/.exec(JSON.stringify(noted))?.[1] ?? "");
    }
    await discord.until(() => says(card, "In several parts") && says(card, "cs:approve"));
    await discord.user("ben").click(card, "cs:approve");
    await discord.until(() => says(card, "Approved by"));
    expect(storedIssues(product.dataDir, "In several parts")).toHaveLength(1);
    expect(storedIssues(product.dataDir, "In parts")).toEqual([]);
  });

  it("takes plain words after /ask, also in direct messages", async () => {
    await discord.user("dmitri").slash("ask", { text: "show me DEMO-3" }, "dm");
    const answer = await inChannel(discord.dm("dmitri").id, "cs:menu");
    expect(says(answer, "DEMO-3")).toBe(true);
    expect(answers(discord, answer.channel)).toHaveLength(1);
  });

  it.each([
    ["help", "/jira"],
    ["tools", "get\\\\_jira\\\\_issue"],
    ["status", "sqlite"],
    ["approvals", "waits"],
    ["privacy", "model"],
  ])("[discord.commands] answers /countersign %s for one person", async (about, words) => {
    const before = discord.messages("engineering").length;
    await discord.user("emi").slash(`countersign ${about}`, {}, "engineering");
    await told(discord, "emi", words);
    expect(discord.messages("engineering")).toHaveLength(before);
  });
});

it("[discord.commands] are not registered again by a restart that changes nothing", async () => {
  const discord = await startDiscord();
  const puts = (): number =>
    discord.calls.filter(({ method, route }) => method === "PUT" && route.includes("commands")).length;
  const dataDir = await temporaryFolder();
  const first = await startBot(discord, { config, dataDir });
  await first.line(({ msg }) => msg === "commands registered with Discord");
  await first.stop();
  const before = puts();
  const second = await startBot(discord, { config, dataDir });
  await discord.user("farid").slash("countersign help", {}, "general");
  await told(discord, "farid", "/ask");
  await second.stop();
  expect(puts()).toBe(before);
});

it("breaks no rule of Discord's", () => {
  expect(discord.violations).toEqual([]);
});

function labelsOf(components: unknown): string[] {
  return [...JSON.stringify(components).matchAll(/"label":"([^"]+)"/g)].map(([, label = ""]) => label);
}
