import { afterEach, describe, expect, it } from "vitest";

import { startFakeSlack } from "#test/fakes/slack/slack.ts";
import type { FakeSlack, FakeSlackOptions } from "#test/fakes/slack/slack.ts";

import { startBot } from "./bot.ts";
import type { Bot } from "./bot.ts";

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const part of running.splice(0).toReversed()) await part.stop();
});

async function start(
  over: "socket" | "http",
  options?: FakeSlackOptions,
): Promise<{ slack: FakeSlack; bot: Bot }> {
  const slack = await startFakeSlack(options);
  running.push(slack);
  const bot = await startBot(slack, over);
  running.push(bot);
  return { slack, bot };
}

describe.each(["socket", "http"] as const)("Bolt over %s", (over) => {
  it("answers a mention in its thread and a button in place", async () => {
    const { slack } = await start(over);
    const question = slack.user("ana").mention("general", "what is DEMO-1?");
    const answer = await slack.until(() => slack.thread(question.ts)[1]);
    expect(answer.text).toBe(`heard: <@${slack.team().botUserId}> what is DEMO-1?`);

    const outcome = await slack.user("ben").click(answer.ts, "Approve");
    expect(outcome.ok).toBe(true);
    await slack.until(() => answer.edited);
    expect(slack.message(answer.ts)?.text).toBe(`approved 7 by ${slack.user("ben").id}`);
    expect(answer.history).toMatchObject([{ text: expect.stringMatching(/^heard:/) }]);
    expect(slack.sent.map(({ method, problems }) => [method, problems])).toEqual([
      ["chat.postMessage", []],
      ["chat.update", []],
    ]);
  });

  it("answers a command for one person only", async () => {
    const { slack } = await start(over);
    await slack.user("chloe").command("/jira", "login", "#engineering");
    const [answer] = await slack.until(
      () => slack.ephemerals("chloe").length > 0 && slack.ephemerals("chloe"),
    );
    expect(answer?.text).toBe("looking for login");
    expect(slack.ephemerals("ben")).toEqual([]);
    expect(slack.messages("engineering")).toEqual([]);
  });

  it("opens a modal, shows its complaint and takes its values", async () => {
    const { slack } = await start(over);
    const dmitri = slack.user("dmitri");
    await dmitri.command("/jira", "create", "general");
    const view = await slack.until(() => slack.modal("dmitri"));
    await expect(dmitri.submit(view, {})).rejects.toThrow('"Summary" is empty');
    expect(await dmitri.submit(view, { Summary: "Oh" })).toEqual({
      result: "errors",
      errors: { summary: "too short" },
    });
    expect(await dmitri.submit(view, { Summary: "Printer on fire", Priority: "High" })).toMatchObject({
      result: "closed",
    });
    expect(slack.modal("dmitri")).toBeUndefined();
    await slack.until(() =>
      slack.messages("general").find(({ text }) => text === `created Printer on fire for ${dmitri.id}`),
    );
  });
});
