import { afterAll, beforeAll, expect, it } from "vitest";

import { isFields } from "#test/fakes/slack/json.ts";
import { NEW_BLOCKS } from "#test/fakes/slack/new-blocks.ts";
import { messageShape } from "#test/fakes/slack/shapes.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import { acme } from "#test/fakes/slack/world.ts";

import { answerTo, channelApproves, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll, freezeServers, type HostedProduct } from "./support.ts";

/** For the tests that need nothing of their own. */
let slack: FakeSlack;
let product: HostedProduct;
beforeAll(async () => {
  slack = await startSlackWorkspace();
  product = await startBot(slack);
});
afterAll(cleanUpAll);

/** What was refused for its blocks. */
function refusals(from = slack): number {
  return from.sent.filter(({ error }) => error === "invalid_blocks").length;
}

it("[slack.blocks] [slack.approve] a request is one container, and its buttons decide", async () => {
  const question = slack.user("ana").mention("general", "create a bug in DEMO: Login fails on Safari");
  const { ts, blocks = [], text } = await answerTo(slack, question, /cs:approve/);
  const [first] = blocks;
  expect(first?.type).toBe("container");
  // Desktop notices read the first block, phones the text.
  const title = isFields(first?.title) ? String(first.title.text) : "";
  expect(title).not.toBe("");
  expect(text).toContain(title);
  await slack.user("ana").click(ts, "cs:approve");
  // What was decided stays in its frame, without the buttons.
  await slack.until(() => {
    const now = slack.message(ts)?.blocks ?? [];
    return now.some(({ type }) => type === "container") && !says(now, "cs:approve") ? now : undefined;
  });
  expect(refusals()).toBe(0);
});

it("[slack.approve] [card.statement] several requests of a wish are one card, decided by one press", async () => {
  const question = slack.user("ana").mention("general", "move DEMO-1 and DEMO-3 to Done");
  const card = await answerTo(slack, question, /cs:approve_all/);
  const [first] = card.blocks ?? [];
  expect(first?.type).toBe("container");
  expect(card.text).toMatch(/^Move DEMO-1 and DEMO-3 to Done/);
  expect(card.blocks?.filter(({ type }) => type === "container")).toHaveLength(1);
  for (const words of ["Move 2 issues", "DEMO-1", "DEMO-3", "Deny all"])
    expect(says(card.blocks, words)).toBe(true);
  await slack.user("farid").click(card.ts, "cs:approve_all");
  await slack.until(() => slack.ephemerals("farid").find(({ thread_ts }) => thread_ts === question.ts));
  expect(says(card.blocks, "cs:approve_all")).toBe(true);
  await slack.user("ana").click(card.ts, "cs:approve_all");
  await slack.until(
    () =>
      !says(card.blocks, "cs:approve") &&
      says(card.blocks, /Moved DEMO-1.*Moved DEMO-3|Moved DEMO-3.*Moved DEMO-1/),
  );
  expect(refusals()).toBe(0);
});

it("[approve.binding] a press on all decides none but those that its card showed", async () => {
  const question = slack.user("ana").mention("general", "move DEMO-8 and DEMO-11 to Done");
  const card = await answerTo(slack, question, /cs:approve_all/);
  const old = structuredClone(card);
  const thaw = freezeServers(product);
  try {
    await slack.user("ana").click(card.ts, "Move DEMO-8");
    // While the first is at work, the other one can be decided.
    await slack.until(
      () =>
        says(card.blocks, "cs:stop") &&
        !says(card.blocks, "cs:approve_all") &&
        says(card.blocks, '"cs:approve"'),
    );
  } finally {
    thaw();
  }
  await slack.until(() => says(card.blocks, "Moved DEMO-8") && says(card.blocks, '"cs:approve"'));
  // As it stands on a screen that has not been drawn anew.
  const value = /"cs:approve_all","value":"([^"]+)"/.exec(JSON.stringify(old.blocks))?.[1] ?? "";
  expect(value).not.toBe("");
  await slack.user("ana").forge({
    type: "block_actions",
    container: { type: "message", message_ts: card.ts, channel_id: card.channel, is_ephemeral: false },
    channel: { id: card.channel, name: "general" },
    message: messageShape(slack.world, old),
    state: { values: {} },
    response_url: "",
    actions: [
      { type: "button", action_id: "cs:approve_all", block_id: "b", value, action_ts: slack.world.nextTs() },
    ],
  });
  await slack.until(() => slack.ephemerals("ana").find(({ text }) => text.includes("Other requests wait")));
  expect(says(card.blocks, "cs:approve")).toBe(true);
  expect(says(card.blocks, "Moved DEMO-11")).toBe(false);
  await slack.user("ana").click(card.ts, "Move DEMO-11");
  await slack.until(() => says(card.blocks, "Moved DEMO-11"));
});

it("[view.charts] numbers are drawn by Slack itself, with the table beside them", async () => {
  const question = slack.user("ana").mention("general", "open issues in DEMO as a pie");
  const { blocks = [] } = await answerTo(slack, question, "cs:menu");
  const chart = blocks.find(({ type }) => type === "data_visualization");
  expect(chart).toMatchObject({
    title: "Count by status",
    chart: { type: "pie", segments: expect.arrayContaining([{ label: "To Do", value: expect.any(Number) }]) },
  });
  expect(says(blocks, "The numbers")).toBe(true);
  slack.user("ana").mention({ channel: "general", thread_ts: question.ts }, "as a bar chart");
  await slack.until(() => slack.thread(question.ts).find((one) => says(one.blocks, '"type":"bar"')));
  expect(refusals()).toBe(0);
});

it("[slack.blocks] a workspace that refuses the newest blocks gets plain ones, and is asked once a day", async () => {
  const slack = await startSlackWorkspace({ teams: [{ ...acme, unknownBlocks: NEW_BLOCKS }] });
  const bot = await startBot(slack);
  const ask = async (): Promise<string | undefined> => {
    const question = slack.user("ana").mention("general", "create a bug in DEMO: Login fails on Safari");
    return (await answerTo(slack, question, /cs:approve/)).blocks?.[0]?.type;
  };
  expect(await ask()).toBe("header");
  expect(refusals(slack)).toBe(1);
  await bot.line(({ msg }) => String(msg).startsWith("Slack refused the newest blocks"));
  expect(await ask()).toBe("header");
  expect(refusals(slack)).toBe(1);
  // Charts are pictures there.
  const question = slack.user("ana").mention("general", "open issues in DEMO as a pie");
  const { blocks } = await answerTo(slack, question, "-chart.png");
  expect(says(blocks, "The numbers")).toBe(true);
  const picture = await slack.until(() => slack.files().find(({ name }) => name.endsWith("-chart.png")));
  expect(picture).toMatchObject({
    thread: question.ts,
    altText: expect.stringContaining("Pie chart, Count by status: "),
  });
  expect(picture.content?.subarray(1, 4).toString()).toBe("PNG");
});

it("[slack.blocks] slack.native_blocks: off sends none of them", async () => {
  const slack = await startSlackWorkspace();
  const config = channelApproves() as { slack: object };
  await startBot(slack, { config: { ...config, slack: { ...config.slack, native_blocks: "off" } } });
  const question = slack.user("ana").mention("general", "find issues about login");
  // A channel sees the first rows, and all of them where somebody opens them.
  const { ts } = await answerTo(slack, question, /Run log|cs:menu/);
  await slack.user("ben").click(ts, "cs:page_next");
  await slack.until(() => slack.message(ts)?.blocks?.some(({ type }) => type === "table"));
  const types = slack.sent.flatMap(({ blocks }) => blocks.map(({ type }) => type));
  expect(types.filter((type) => NEW_BLOCKS.includes(type))).toEqual([]);
});
