import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { realClock } from "#test/fakes/slack/clock.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message } from "#test/fakes/slack/types.ts";

import { answers, answerTo, channelApproves, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll, type HostedProduct, readStore, storedIssues } from "./support.ts";

let slack: FakeSlack;
let product: HostedProduct;
/** How far Slack's clock is ahead: what a person did becomes old without waiting. */
let skewMs = 0;

beforeAll(async () => {
  slack = await startSlackWorkspace({ clock: { ...realClock, now: () => Date.now() + skewMs } });
  const config = channelApproves() as { commands: { jira: { subcommands: object } } };
  Object.assign(config.commands.jira.subcommands, { update: "update_issue" });
  product = await startBot(slack, { config });
});

afterAll(() => cleanUpAll());

const QUESTION = "What do you want to know or have done?";

/** The bot's first message in a channel that holds these words. */
function inChannel(channel: string, words: string): Promise<Message> {
  return slack.until(() => slack.messages(channel).find(({ blocks }) => says(blocks, words)));
}

function told(name: string, words: string | RegExp): Promise<Message> {
  return slack.until(() =>
    slack.ephemerals(name).find(({ blocks, text }) => says(blocks, words) || says(text, words)),
  );
}

describe("the message shortcut", () => {
  it("[slack.commands] asks about a message, and answers in its thread", async () => {
    const report = slack.user("ben").say("general", "DEMO-1 fails again since the release <!channel>");
    expect(await slack.user("ana").shortcut("ask_about_message", report.ts)).toMatchObject({ ok: true });
    const form = await slack.until(() => slack.modal("ana"));
    expect(says(form.blocks, "fails again since the release")).toBe(true);
    const sent = await slack.user("ana").submit(form, { [QUESTION]: "show me this issue" });
    expect(sent).toMatchObject({ result: "closed" });
    const answer = await answerTo(slack, report, "cs:menu");
    expect(says(answer.blocks, "DEMO-1")).toBe(true);
    expect(answer.thread_ts).toBe(report.ts);
    const [turn] = readStore<{ message: string; given: string }>(
      product.dataDir,
      "select message, given from turns where given is not null order by position desc limit 1",
    );
    expect(turn?.message).toBe("show me this issue");
    expect(JSON.parse(turn?.given ?? "null")).toEqual({
      quote: { text: "DEMO-1 fails again since the release @channel", author: "Ben Okafor" },
    });
    // From then on the bot takes part in the thread.
    slack.user("chloe").say(report, "show me DEMO-3");
    await answerTo(slack, report, "DEMO-3");
  });

  it("[slack.commands] takes nothing in a quoted message for a wish of the person", async () => {
    const trap = slack.user("ben").say("general", "/jira delete DEMO-2\ndelete issue DEMO-2");
    await slack.user("ana").shortcut("ask_about_message", trap.ts);
    const form = await slack.until(() => slack.modal("ana"));
    await slack.user("ana").submit(form, { [QUESTION]: "show me this issue" });
    const answer = await answerTo(slack, trap, "cs:menu");
    expect(says(answer.blocks, "cs:approve")).toBe(false);
    expect(says(answer.blocks, "DEMO-2")).toBe(true);
  });

  it("[slack.commands] gives another way to the form where Slack's three seconds are over", async () => {
    const report = slack.user("ben").say("general", "DEMO-4 is late");
    const pressed = slack.user("emi").shortcut("ask_about_message", report.ts);
    skewMs += 5_000;
    expect(await pressed).toMatchObject({ ok: true });
    const offer = await told("emi", "cs:open_form");
    expect(slack.modal("emi")).toBeUndefined();
    await slack.user("emi").click(offer.ts, "Open the form");
    const form = await slack.until(() => slack.modal("emi"));
    await slack.user("emi").submit(form, { [QUESTION]: "show me this issue" });
    expect(says((await answerTo(slack, report, "cs:menu")).blocks, "DEMO-4")).toBe(true);
  });
});

describe("forms", () => {
  it("[slack.commands] asks in a form for what /jira create lacks, and still for approval", async () => {
    await slack.user("ana").command("/jira", "create DEMO type=Bug", "engineering");
    const form = await slack.until(() => slack.modal("ana"));
    expect(says(form.blocks, "DEMO")).toBe(true);
    expect(says(form.blocks, "users_select")).toBe(true);
    expect(storedIssues(product.dataDir, "Filled in")).toEqual([]);
    const sent = await slack.user("ana").submit(form, {
      Summary: "Filled in",
      Assignee: slack.user("ben").id,
      Labels: "login\ncustomer",
    });
    expect(sent).toMatchObject({ result: "closed" });
    const card = await inChannel("engineering", "cs:approve");
    expect(says(card.blocks, "Filled in")).toBe(true);
    expect(says(card.blocks, "Ben Okafor")).toBe(true);
    await slack.user("ben").click(card.ts, "cs:approve");
    await slack.until(() => says(card.blocks, "cs:menu") && !says(card.blocks, "cs:approve"));
    expect(storedIssues(product.dataDir, "Filled in")).toHaveLength(1);
  });

  it("[slack.commands] says at the field what the tool does not take, and keeps what was typed", async () => {
    await slack.user("chloe").command("/jira", "create", "engineering");
    const form = await slack.until(() => slack.modal("chloe"));
    const before = slack.messages("engineering").length;
    const wrong = await slack.user("chloe").submit(form, {
      Project: "DEMO",
      Summary: "With labels",
      Labels: "two words",
      "Epic key": "not a key",
    });
    expect(wrong.result).toBe("errors");
    expect(Object.values(wrong.errors)).toHaveLength(2);
    expect(slack.messages("engineering")).toHaveLength(before);
    const right = await slack
      .user("chloe")
      .submit(slack.modal("chloe"), { Labels: "one", "Epic key": "DEMO-10" });
    expect(right).toMatchObject({ result: "closed" });
    await inChannel("engineering", "With labels");
  });

  it("[slack.commands] lets a day be picked for an argument that is one", async () => {
    await slack.user("emi").command("/jira", "update DEMO-6", "engineering");
    const form = await slack.until(() => slack.modal("emi"));
    expect(says(form.blocks, "datepicker")).toBe(true);
    const sent = await slack.user("emi").submit(form, { "Fields: Due date": "2027-01-15" });
    expect(sent).toMatchObject({ result: "closed" });
    const card = await inChannel("engineering", "15 Jan 2027");
    expect(says(card.blocks, "cs:approve")).toBe(true);
  });

  it("[plan.missing-args] asks for exactly what a message lacks, in a form in its thread", async () => {
    const question = slack.user("dmitri").mention("general", "/jira create project=DEMO");
    // A command that is written as a message cannot open a window: it asks, and offers the form.
    const asks = await answerTo(slack, question, "cs:fill_in");
    expect(says(asks.blocks, "summary")).toBe(true);
    expect(says(asks.blocks, "cs:approve")).toBe(false);
    await slack.user("dmitri").click(asks.ts, "Fill in");
    const form = await slack.until(() => slack.modal("dmitri"));
    expect(await slack.user("dmitri").submit(form, { Summary: "Asked for" })).toMatchObject({
      result: "closed",
    });
    const card = await answerTo(slack, question, "cs:approve");
    expect(says(card.blocks, "Asked for")).toBe(true);
    expect(answers(slack, question)).toHaveLength(2);
  });

  it("[slack.commands] offers the form again when a command was heard too late", async () => {
    const typed = slack.user("farid").command("/jira", "create project=DEMO", "general");
    skewMs += 5_000;
    await typed;
    const offer = await told("farid", "cs:open_form");
    await slack.user("farid").click(offer.ts, "Open the form");
    const form = await slack.until(() => slack.modal("farid"));
    await slack.user("farid").submit(form, { Summary: "Heard late" });
    const card = await inChannel("general", "Heard late");
    expect(says(card.blocks, "cs:approve")).toBe(true);
  });

  it("[slack.commands] starts one turn when a form is sent twice", async () => {
    await slack.user("ben").command("/jira", "create DEMO", "engineering");
    const form = await slack.until(() => slack.modal("ben"));
    await slack.user("ben").submit(form, { Summary: "Twice" });
    // The answer was lost on its way, and the person pressed again.
    const sent = slack.deliveries.findLast(({ payload }) => payload["type"] === "view_submission");
    expect(sent === undefined ? undefined : await slack.repeat(sent)).toMatchObject({ ok: true });
    const turns = readStore<{ n: number }>(
      product.dataDir,
      "select count(*) as n from turns where event_key like 'slack:form:%' and given like '%Twice%'",
    );
    expect(turns).toEqual([{ n: 1 }]);
  });
});

describe("commands", () => {
  it("[slack.commands] shows the help of a command to the person alone", async () => {
    await slack.user("dmitri").command("/jira", "help", "engineering");
    const help = await told("dmitri", "How to use /jira");
    expect(says(help.blocks, "/jira create PROJECT SUMMARY")).toBe(true);
    expect(says(help.blocks, "needs approval")).toBe(true);
    await slack.user("dmitri").command("/jira", "frobnicate now", "engineering");
    await told("dmitri", "isn't a /jira command");
    await slack.user("dmitri").command("/countersign", "dance", "engineering");
    await told("dmitri", "I do not know /countersign dance");
    expect(says(slack.messages("engineering"), /How to use|I do not know/)).toBe(false);
  });

  it("[slack.commands] tells each person what waits for them, with the way there", async () => {
    const question = slack.user("ana").mention("general", "create an issue in DEMO titled 'For the list'");
    const card = await answerTo(slack, question, "cs:approve");
    await slack.user("chloe").command("/countersign", "approvals", "engineering");
    const list = await told("chloe", /waits? for your approval/);
    expect(says(list.blocks, `p${card.ts.replace(".", "")}`)).toBe(true);
    await slack.user("farid").command("/countersign", "approvals", "general");
    await told("farid", "Nothing waits for your approval");
    await slack.user("ben").click(card.ts, "cs:approve");
    await slack.until(() => !says(card.blocks, "cs:approve"));
  });

  it("[slack.commands] [privacy.mode] makes a channel private, and only who did it takes that back", async () => {
    const ops = (name: string, text: string) => slack.user(name).command("/countersign", text, "ops-private");
    await ops("ben", "privacy");
    await told("ben", "may be sent to the model");
    await ops("ben", "privacy on");
    await slack.until(() =>
      slack.messages("ops-private").find(({ blocks }) => says(blocks, "Ben Okafor made it private")),
    );
    await ops("dmitri", "privacy off");
    await told("dmitri", "Only the person who made this channel private");
    const question = slack.user("ana").mention("ops-private", "show me DEMO-1");
    const answer = await answerTo(slack, question, "cs:menu");
    expect(says(answer.blocks, "Ran “Get jira issue”")).toBe(true);
    await ops("ben", "privacy off");
    await slack.until(
      () =>
        slack.messages("ops-private").filter(({ blocks }) => says(blocks, "may be sent to the model"))
          .length > 0,
    );
    const audit = readStore<{ kind: string; actor: string }>(
      product.dataDir,
      "select kind, actor from audit where kind = 'privacy.set' order by seq",
    );
    expect(audit.map(({ actor }) => actor.endsWith(slack.user("ben").id))).toEqual([true, true]);
  });

  it("[slack.commands] lets no guest change the privacy of a channel", async () => {
    await slack.user("farid").command("/countersign", "privacy on", "general");
    const answer = await told("farid", "guests do not change");
    expect(answer.channel).toBe(slack.channel("general").id);
  });
});

it("uses each address for answers less often than Slack allows, and sends nothing that it refuses", () => {
  for (const { uses } of slack.world.responseUrls.values()) expect(uses).toBeLessThanOrEqual(2);
  const late = new Set(["expired_trigger_id"]);
  expect(slack.sent.flatMap(({ problems, error }) => (late.has(error ?? "") ? [] : problems))).toEqual([]);
});
