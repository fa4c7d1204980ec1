import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message, View } from "#test/fakes/slack/types.ts";

import { answerTo, channelApproves, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll, type HostedProduct, serversOf, temporaryFolder } from "./support.ts";

let slack: FakeSlack;
let product: HostedProduct;

const examples = [
  { message: "show me DEMO-1", tool: "jira.get_jira_issue", args: { issue_key: "DEMO-1" } },
  ...["login", "printer", "wiki", "deploy"].map((query) => ({
    message: `find issues about ${query}`,
    tool: "jira.search_issues",
    args: { query },
  })),
];

/** The server of the demo starts as long as this file is there. */
let switchOn = "";

beforeAll(async () => {
  slack = await startSlackWorkspace();
  switchOn = join(await temporaryFolder(), "on");
  await writeFile(switchOn, "");
  const config = channelApproves(400) as { servers: object[] };
  const command = ["sh", "-c", `test -e ${switchOn} && exec node servers/jira/main.ts`];
  const servers = config.servers.map((server) => ({ ...server, command }));
  product = await startBot(slack, { config: { ...config, servers, examples } });
});

afterAll(() => cleanUpAll());

function home(name: string, words: string | RegExp): Promise<View> {
  return slack.until(() => {
    const view = slack.home(name);
    return says(view?.blocks, words) ? view : undefined;
  });
}

describe("the app home", () => {
  it("[slack.commands] shows the status, and starts what it suggests in a direct message", async () => {
    slack.user("ana").openHome();
    const view = await home("ana", "Things to ask");
    expect(says(view.blocks, "the built-in planner")).toBe(true);
    expect(says(view.blocks, "Nothing waits for your approval")).toBe(true);
    await slack.user("ana").click(view.id, "show me DEMO-1");
    const answer = await slack.until(() =>
      slack
        .messages(slack.dm("ana").id)
        .find(({ blocks }) => says(blocks, "cs:menu") && says(blocks, "DEMO-1")),
    );
    expect(says(answer.blocks?.[0], "show me DEMO-1")).toBe(true);
  });

  it("[slack.commands] shows a person what they may decide, and changes when it is decided", async () => {
    slack.user("ben").openHome();
    await home("ben", "Nothing waits");
    const question = slack.user("ana").mention("general", "create an issue in DEMO titled 'On the home'");
    const card = await answerTo(slack, question, "cs:approve");
    const view = await home("ben", `p${card.ts.replace(".", "")}`);
    await slack.user("ben").click(view.id, "Details");
    const details = await slack.until(() => slack.modal("ben"));
    expect(says(details.blocks, "On the home")).toBe(true);

    slack.user("farid").openHome();
    await home("farid", "Nothing waits");
    await slack.user("chloe").click(card.ts, "cs:approve");
    await home("ben", "Nothing waits");
  });

  it("[card.notify] lists what waits in words, and approves several of a kind together, each as it was listed", async () => {
    slack.user("ben").openHome();
    const ask = async (title: string): Promise<Message> =>
      answerTo(
        slack,
        slack.user("chloe").mention("general", `create an issue in DEMO titled '${title}'`),
        "cs:approve",
      );
    const cards = [await ask("First of three"), await ask("Second of three")];
    const view = await home("ben", "Approve both");
    expect(says(view.blocks, "Chloé Martin asked")).toBe(true);
    expect(says(view.blocks, /create_issue|"text":"[^"]*U0CHLOE/)).toBe(false);
    await slack.user("ben").click(view.id, "Approve both");
    const list = await slack.until(() => slack.modal("ben"));
    for (const title of ["First of three", "Second of three"]) expect(says(list.blocks, title)).toBe(true);

    // Nobody has read the third one.
    cards.push(await ask("Third of three"));
    await home("ben", "Approve these 3");
    expect(await slack.user("ben").submit(list, {})).toEqual({
      result: "errors",
      errors: { "f0.0": expect.stringContaining("Other requests wait") },
    });
    await slack.user("ben").command("/countersign", "approvals", "engineering");
    const told = await slack.until(() =>
      slack.ephemerals("ben").find(({ blocks }) => says(blocks, "Approve these 3")),
    );
    expect(told.text).toBe("3 requests wait for your approval.");
    await slack.user("ben").click((await home("ben", "Approve these 3")).id, "Approve these 3");
    const all = await slack.until(() => {
      const modal = slack.modal("ben");
      return says(modal?.blocks, "Third of three") ? modal : undefined;
    });
    expect(await slack.user("ben").submit(all, { Reason: "read all three" })).toMatchObject({
      result: "closed",
    });
    for (const card of cards) await slack.until(() => says(card.blocks, "read all three"));
    await home("ben", "Nothing waits");
  });

  it("[slack.commands] switches the privacy of the channels that a person shares with the bot", async () => {
    slack.user("dmitri").openHome();
    const view = await home("dmitri", "#engineering");
    expect(says(view.blocks, "#ops-private")).toBe(true);
    expect(says(view.blocks, "#random")).toBe(false);
    slack.user("emi").openHome();
    expect(says((await home("emi", "#engineering")).blocks, "#ops-private")).toBe(false);

    const id = slack.channel("engineering").id;
    const buttons = JSON.stringify(view.blocks);
    expect(buttons).toContain(`${id}|on`);
    const at = (view.blocks as { accessory?: { value?: string }; block_id?: string }[]).find(
      ({ accessory }) => accessory?.value === `${id}|on`,
    );
    await slack.user("dmitri").click(view.id, `${at?.block_id ?? ""}/cs:privacy`);
    await home("dmitri", `${id}|off`);
    const seen = await home("emi", "Dmitri Sokolov made it so");
    const theirs = (seen.blocks as { accessory?: { value?: string }; block_id?: string }[]).find(
      ({ accessory }) => accessory?.value === `${id}|off`,
    );
    await slack.user("emi").click(seen.id, `${theirs?.block_id ?? ""}/cs:privacy`);
    const told = await slack.until(() => slack.modal("emi"));
    expect(says(told.blocks, "Only the person who made this channel private")).toBe(true);
  });
});

it("[slack.commands] tells in the open home when a server goes away, and comes back", async () => {
  slack.user("chloe").openHome();
  await home("chloe", "All is well");
  await rm(switchOn);
  // The first is the one that its health is known by; channels have their own.
  process.kill(serversOf(product)[0] ?? Number.NaN, "SIGKILL");
  await slack.until(() => says(slack.home("chloe")?.blocks, "jira: retrying"));
  await writeFile(switchOn, "");
  const back = (): boolean => says(slack.home("chloe")?.blocks, "All is well");
  await slack.until(back, 60_000);
  expect(back()).toBe(true);
}, 90_000);

describe("the agent view", () => {
  it("[slack.agent] suggests at most four things to whoever opens the conversation", async () => {
    slack.user("emi").openHome("messages");
    const offered = await slack.until(() => slack.world.prompts.get(`${slack.dm("emi").id}:`));
    expect(offered.prompts).toHaveLength(4);
    expect(offered.prompts[0]).toEqual({ title: "show me DEMO-1", message: "show me DEMO-1" });
  });

  it("[slack.agent] names the session after the first message, and says whether it is at work", async () => {
    const question = slack.user("chloe").say("dm", "create an issue in DEMO titled 'In a session'");
    const key = `${question.channel}:${question.ts}`;
    const session = await slack.until(() => slack.world.sessions.get(key));
    expect(session.title).toBe("create an issue in DEMO titled 'In a session'");
    const card = await answerTo(slack, question, "cs:approve");
    await slack.until(() => session.status === "suspended");
    await slack.user("chloe").click(card.ts, "cs:approve");
    await slack.until(() => session.status === "active");
    slack.user("chloe").say(question, "/jira export DEMO");
    await slack.until(() => session.status === "processing");
    slack.user("chloe").stop(question.ts);
    await slack.until(() => session.status === "active");
    expect(session.title).toBe("create an issue in DEMO titled 'In a session'");
  });

  it("[slack.agent] stops the running turn when somebody presses Slack's stop button", async () => {
    const question = slack.user("ana").say("dm", "/jira export DEMO");
    const key = `${question.channel}:${question.ts}`;
    await slack.until(() => slack.world.sessions.get(key)?.status === "processing");
    slack.user("ana").stop(question.ts);
    const answer = await answerTo(slack, question, "Stopped by");
    expect(says(answer.blocks, `"user_id":"${slack.user("ana").id}"`)).toBe(true);
    await slack.until(() => slack.world.sessions.get(key)?.status === "active");
    // Where nothing runs any more the session is put to rest all the same.
    const session = slack.world.sessions.get(key);
    if (session !== undefined) session.status = "processing";
    slack.user("ana").stop(question.ts);
    await slack.until(() => session?.status === "active");
  });
});

it("sends nothing that Slack would refuse", () => {
  expect(slack.sent.flatMap(({ problems }) => problems)).toEqual([]);
  expect(slack.calls.filter(({ error }) => error !== undefined)).toEqual([]);
});
