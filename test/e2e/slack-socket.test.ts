import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { FakeSlack } from "#test/fakes/slack/slack.ts";

import { answers, answerTo, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll, readStore, storedIssues, type HostedProduct } from "./support.ts";

let slack: FakeSlack;
let product: HostedProduct;

beforeAll(async () => {
  slack = await startSlackWorkspace();
  product = await startBot(slack);
});

afterAll(() => cleanUpAll());

describe("ways in", () => {
  it("[slack.mention] answers a mention in its thread with one message", async () => {
    const question = slack.user("ana").mention("general", "show me DEMO-1");
    const answer = await answerTo(slack, question, "DEMO-1");
    expect(answer.thread_ts).toBe(question.ts);
    await slack.until(() => says(answer.blocks, "cs:menu"));
    expect(answers(slack, question)).toHaveLength(1);
  });

  it("[slack.mention] answers a direct message in its thread", async () => {
    const question = slack.user("ben").say("dm", "show me DEMO-2");
    const answer = await answerTo(slack, question, "DEMO-2");
    expect(answer.thread_ts).toBe(question.ts);
  });

  it("[slack.mention] goes on in a thread without a mention, and only where it takes part", async () => {
    const question = slack.user("ana").mention("general", "show me DEMO-1");
    await answerTo(slack, question, "DEMO-1");
    const other = slack.user("ana").say("general", "lunch?");
    slack.user("ben").say(other, "show me DEMO-4");
    slack.user("chloe").say(question, "show me DEMO-3");
    await answerTo(slack, question, "DEMO-3");
    await slack.settled();
    expect(answers(slack, question)).toHaveLength(2);
    expect(slack.thread(other.ts).some(({ bot_id }) => bot_id !== undefined)).toBe(false);
  });

  it("[slack.commands] answers a command that only looks to who typed it, until they share it", async () => {
    const before = slack.messages("engineering").length;
    await slack.user("ana").command("/jira", "search project=DEMO", "engineering");
    const list = await slack.until(() =>
      slack.ephemerals("ana").find(({ blocks }) => says(blocks, /Show \d+ more/)),
    );
    await slack.user("ana").click(list.ts, "cs:next");
    await slack.until(() => slack.ephemerals("ana").find(({ blocks }) => says(blocks, "Issues 21 to")));
    const outcome = await slack.user("ana").command("/jira", "DEMO-1", "engineering");
    expect(outcome).toMatchObject({ ok: true });
    const shown = await slack.until(() =>
      slack.ephemerals("ana").find(({ blocks }) => says(blocks, "cs:share") && says(blocks, "Assign DEMO-1")),
    );
    expect(slack.messages("engineering")).toHaveLength(before);
    await slack.user("ana").click(shown.ts, "Share with the channel");
    const answer = await slack.until(() =>
      slack.messages("engineering").find(({ blocks }) => says(blocks, "cs:menu") && says(blocks, "DEMO-1")),
    );
    expect(answer.thread_ts).toBeUndefined();
    expect(JSON.stringify(answer.blocks?.[0])).toContain(`<@${slack.user("ana").id}>`);
    expect(JSON.stringify(answer.blocks?.[0])).toContain("/jira DEMO-1");

    slack.user("ben").say(answer, "show me DEMO-5");
    await answerTo(slack, answer, "DEMO-5");
  });

  it("[plan.ladder] offers what a message may ask for by a button, and asks for it when it is pressed", async () => {
    const question = slack.user("ana").mention("general", "should we close MOB-15?");
    const answer = await answerTo(slack, question, "If you meant");
    await slack.user("ben").click(answer.ts, "Move MOB-15 to “Done”");
    const request = await slack.until(() =>
      answers(slack, question).find(({ blocks }) => says(blocks, "cs:approve") && says(blocks, "MOB-15")),
    );
    // Whoever says that it is meant asks for it.
    expect(says(request.blocks, "Requested by Ben Okafor")).toBe(true);
  });

  it("takes plain words after /ask", async () => {
    await slack.user("ana").command("/ask", "show me DEMO-6", "engineering");
    const answer = await slack.until(() =>
      slack.messages("engineering").find(({ blocks }) => says(blocks, "cs:menu") && says(blocks, "DEMO-6")),
    );
    expect(answer.thread_ts).toBeUndefined();
  });

  it.each(["help", "tools", "status", "approvals"])(
    "answers /countersign %s for one person",
    async (about) => {
      const before = slack.messages("engineering").length;
      await slack.user("dmitri").command("/countersign", about, "engineering");
      const words = {
        help: "/jira",
        tools: "jira.get_jira_issue",
        status: "sqlite",
        approvals: "Nothing waits",
      }[about];
      await slack.until(() => slack.ephemerals("dmitri").find(({ blocks }) => says(blocks, words ?? "?")));
      expect(slack.messages("engineering")).toHaveLength(before);
    },
  );

  it("tells a person that a command's channel is closed to the bot", async () => {
    await slack.user("ana").command("/ask", "show me DEMO-1", "random");
    const told = await slack.until(() =>
      slack.ephemerals("ana").find(({ text }) => text.includes("/invite")),
    );
    expect(told.channel).toBe(slack.channel("random").id);
    expect(slack.messages("random")).toEqual([]);
  });

  it("runs an event that comes twice once", async () => {
    slack.duplicate(3);
    const question = slack.user("emi").mention("general", "create an issue in DEMO titled 'Once only'");
    slack.calm();
    const card = await answerTo(slack, question, "cs:approve");
    await slack.user("ben").click(card.ts, "cs:approve");
    await slack.until(() => says(card.blocks, "cs:menu") && !says(card.blocks, "cs:approve"));
    await slack.settled();
    expect(answers(slack, question)).toHaveLength(1);
    expect(storedIssues(product.dataDir, "Once only")).toHaveLength(1);
  });

  it("ignores edits, and what other people say in a channel", async () => {
    const chat = slack.user("ana").say("general", "show me DEMO-7");
    slack.user("ana").edit(chat.ts, `<@${slack.team().botUserId}> show me DEMO-7`);
    await slack.settled();
    const question = slack.user("ana").mention("general", "show me DEMO-8");
    await answerTo(slack, question, "DEMO-8");
    expect(slack.thread(chat.ts)).toHaveLength(1);
  });
});

it("turns the pages of a long result for everybody, and attaches it whole", async () => {
  const question = slack.user("ana").mention("general", "/jira export DEMO");
  const answer = await answerTo(slack, question, "cs:page_next");
  expect(says(answer.blocks, "Page 1 of")).toBe(true);
  await slack.user("chloe").click(answer.ts, "cs:page_next");
  await slack.until(() => says(answer.blocks, "Page 2 of"));
  await slack.user("chloe").click(answer.ts, "cs:page_previous");
  await slack.until(() => says(answer.blocks, "Page 1 of"));
  const [file] = await slack.until(() => slack.files().length > 0 && slack.files());
  expect(file?.thread).toBe(question.ts);
});

describe("approvals", () => {
  async function ask(title: string) {
    const question = slack.user("ana").mention("general", `create an issue in DEMO titled '${title}'`);
    return { question, card: await answerTo(slack, question, "cs:approve") };
  }

  it("makes the change when somebody of the channel approves", async () => {
    const { card } = await ask("By a click");
    expect(storedIssues(product.dataDir, "By a click")).toEqual([]);
    await slack.user("ben").click(card.ts, "cs:approve");
    await slack.until(() => !says(card.blocks, "cs:approve") && says(card.blocks, "cs:menu"));
    expect(storedIssues(product.dataDir, "By a click")).toHaveLength(1);
    await slack.user("chloe").click(card.ts, "cs:menu", "Run log");
    expect(JSON.stringify(slack.modal("chloe"))).toContain("Run log");
  });

  it("changes nothing when somebody denies", async () => {
    const { card } = await ask("Not wanted");
    await slack.user("ben").click(card.ts, "Deny");
    const form = await slack.until(() => slack.modal("ben"));
    expect(await slack.user("ben").submit(form, {})).toMatchObject({ result: "closed" });
    await slack.until(() => !says(card.blocks, "cs:approve") && says(card.blocks, /denied/i));
    expect(storedIssues(product.dataDir, "Not wanted")).toEqual([]);
  });

  it("tells a person who may not decide, and only them", async () => {
    const { card } = await ask("By a guest");
    await slack.user("farid").click(card.ts, "cs:approve");
    const [told] = await slack.until(() => slack.ephemerals("farid").length > 0 && slack.ephemerals("farid"));
    expect(told?.text).toContain("guest");
    expect(told?.thread_ts).toBe(card.thread_ts);
    expect(says(card.blocks, "cs:approve")).toBe(true);
    expect(storedIssues(product.dataDir, "By a guest")).toEqual([]);
  });

  it("asks for other arguments in a form, and sends those", async () => {
    const { card } = await ask("Before the edit");
    await slack.user("ana").click(card.ts, "Edit");
    const form = await slack.until(() => slack.modal("ana"));
    expect(await slack.user("ana").submit(form, { Summary: "After the edit" })).toMatchObject({
      result: "closed",
    });
    await slack.until(() => says(card.blocks, "After the edit") && says(card.blocks, "cs:approve"));
    await slack.user("ben").click(card.ts, "cs:approve");
    await slack.until(() => !says(card.blocks, "cs:approve") && says(card.blocks, "cs:menu"));
    expect(storedIssues(product.dataDir, "Before the edit")).toEqual([]);
    expect(storedIssues(product.dataDir, "After the edit")).toHaveLength(1);
  });

  it("asks for the reason that a rule wants, and tells who was the first of two", async () => {
    const question = slack.user("ana").mention("general", "/jira delete DEMO-9");
    const card = await answerTo(slack, question, "cs:approve");
    for (const name of ["ben", "chloe"]) {
      await slack.user(name).click(card.ts, "cs:approve");
      const form = await slack.until(() => slack.modal(name));
      const sent = await slack.user(name).submit(form, { Reason: `${name} says so` });
      expect(sent).toMatchObject({ result: "closed" });
    }
    const told = await slack.until(() => slack.ephemerals("ben").at(-1));
    expect(told.thread_ts).toBe(question.ts);
    await slack.until(() => !says(card.blocks, "cs:approve") && says(card.blocks, "cs:menu"));
    expect(says(card.blocks, "chloe says so")).toBe(true);
  });

  it("shows the details of a request in a window", async () => {
    const { card } = await ask("In detail");
    await slack.user("ben").click(card.ts, "Details");
    const view = await slack.until(() => slack.modal("ben"));
    expect(JSON.stringify(view)).toContain("In detail");
  });
});

describe("what is no person's doing", () => {
  /** An event of the Events API, as Slack sends it. */
  const told = (event: object): object => ({
    envelope_id: "e",
    type: "events_api",
    accepts_response_payload: false,
    payload: {
      type: "event_callback",
      event_id: `Ev${JSON.stringify(event).length}`,
      team_id: slack.team().id,
      api_app_id: slack.app.id,
      event,
    },
  });

  it("frames and events of an odd form are dropped, and what comes after them is answered", async () => {
    const odd = [null, undefined, [], "text", 7, {}];
    for (const frame of ["", "{", "null", "[]", "7", '"text"']) slack.sendFrame(frame);
    for (const type of ["events_api", "interactive", "slash_commands", "error", "no_such_type", null, 7]) {
      for (const payload of odd) slack.sendFrame({ envelope_id: "e", type, payload });
      for (const event of odd)
        slack.sendFrame({ envelope_id: "e", type, payload: { type: "event_callback", event } });
    }
    for (const type of ["block_actions", "view_submission", "view_closed", "message_action", "shortcut"]) {
      for (const part of odd) {
        const payload = {
          type,
          user: part,
          team: part,
          channel: part,
          message: part,
          view: part,
          actions: part,
        };
        slack.sendFrame({ envelope_id: "e", type: "interactive", payload });
        const whole = { ...payload, user: { id: "U0ANA00000" }, team: { id: slack.team().id } };
        slack.sendFrame({ envelope_id: "e", type: "interactive", payload: whole });
      }
    }
    for (const event of [
      { type: "error" },
      { type: {} },
      { type: "message", channel: null, user: 7 },
      { type: "app_mention", text: [], ts: {} },
    ]) {
      slack.sendFrame(told(event));
    }
    const question = slack.user("ana").mention("general", "show me DEMO-1");
    expect(says((await answerTo(slack, question, "cs:menu")).blocks, "DEMO-1")).toBe(true);
    expect(product.log.some(({ msg }) => String(msg).includes("of an odd form"))).toBe(true);
  });

  it("an unfurled link, an unfurler and a look at a message begin nothing and decide nothing", async () => {
    const asking = slack
      .user("ana")
      .mention("general", "create an issue in DEMO titled 'Seen by an unfurler'");
    const card = await answerTo(slack, asking, "cs:approve");
    const { id } = slack.channel("general");
    const turns = (): number =>
      readStore<{ turns: number }>(product.dataDir, "select count(*) as turns from turns")[0]?.turns ?? 0;
    const before = turns();
    const link = `https://acme.slack.com/archives/${id}/p${card.ts.replace(".", "")}`;
    const unfurler = { user: "USLACKBOT", bot_id: "B0UNFURLER", channel: id, ts: "1.000001" };
    for (const event of [
      {
        type: "link_shared",
        channel: id,
        user: slack.user("ben").id,
        message_ts: card.ts,
        links: [{ url: link }],
      },
      { type: "message", subtype: "message_changed", channel: id, message: { ...unfurler, text: link } },
      { type: "message", ...unfurler, text: `<@${slack.team().botUserId}> show me DEMO-2 ${link}` },
      { type: "app_mention", ...unfurler, text: `<@${slack.team().botUserId}> show me DEMO-2` },
      {
        type: "app_mention",
        ...unfurler,
        bot_id: undefined,
        user: slack.team().botUserId,
        text: "show me DEMO-2",
      },
    ]) {
      slack.sendFrame(told(event));
    }
    // What came before this is done when it is answered.
    await answerTo(slack, slack.user("ana").mention("general", "show me DEMO-3"), "cs:menu");
    expect(turns()).toBe(before + 1);
    expect(says(card.blocks, "cs:approve")).toBe(true);
    expect(storedIssues(product.dataDir, "Seen by an unfurler")).toEqual([]);
  });
});

it("sends nothing that Slack would refuse", () => {
  expect(slack.sent.length).toBeGreaterThan(10);
  expect(slack.sent.flatMap(({ problems, error }) => (error === "not_in_channel" ? [] : problems))).toEqual(
    [],
  );
});
