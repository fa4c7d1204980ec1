import { expect, it } from "vitest";

import {
  answerTo,
  channelApproves,
  says,
  startBot,
  startOwnBot,
  startSlackWorkspace,
} from "./slack-support.ts";
import { storedIssues, temporaryFolder } from "./support.ts";

it("[slack.commands] loses no form that was sent to a process that died", { timeout: 90_000 }, async () => {
  const slack = await startSlackWorkspace();
  const dataDir = await temporaryFolder();
  const first = await startOwnBot(slack, { dataDir, env: { COUNTERSIGN_FAIL_POINT: "inbox.before" } });
  await slack.user("ana").command("/jira", "create DEMO", "engineering");
  const form = await slack.until(() => slack.modal("ana"));
  const lost = slack.user("ana").submit(form, { Summary: "Not lost" });
  await first.ended;
  // Nothing was acknowledged, so the window stays as it was filled in.
  slack.dropConnections();
  expect(await lost).toMatchObject({ result: "failed" });

  await startBot(slack, { dataDir });
  expect(await slack.user("ana").submit(slack.modal("ana"), {})).toMatchObject({ result: "closed" });
  const card = await slack.until(() =>
    slack.messages("engineering").find(({ blocks }) => says(blocks, "cs:approve")),
  );
  await slack.user("ben").click(card.ts, "cs:approve");
  await slack.until(() => says(card.blocks, "cs:menu") && !says(card.blocks, "cs:approve"));
  expect(storedIssues(dataDir, "Not lost")).toHaveLength(1);
});

it(
  "[slack.commands] [slack.agent] takes every way in over signed requests as well",
  { timeout: 90_000 },
  async () => {
    const slack = await startSlackWorkspace();
    const examples = [
      { message: "show me DEMO-1", tool: "jira.get_jira_issue", args: { issue_key: "DEMO-1" } },
    ];
    const product = await startBot(slack, { over: "http", config: { ...channelApproves(), examples } });
    const { slack_url: url } = await product.line((line) => typeof line.slack_url === "string");
    slack.overHttp(String(url));

    const report = slack.user("ben").say("general", "DEMO-3 again");
    await slack.user("ana").shortcut("ask_about_message", report.ts);
    const asks = await slack.until(() => slack.modal("ana"));
    await slack.user("ana").submit(asks, { "What do you want to know or have done?": "show me this issue" });
    await answerTo(slack, report, "cs:menu");

    await slack.user("chloe").command("/jira", "create DEMO", "engineering");
    const form = await slack.until(() => slack.modal("chloe"));
    await slack.user("chloe").submit(form, { Summary: "Over signed requests" });
    await slack.until(() =>
      slack.messages("engineering").find(({ blocks }) => says(blocks, "Over signed requests")),
    );

    slack.user("emi").openHome("messages");
    await slack.until(() => slack.world.prompts.get(`${slack.dm("emi").id}:`));
    slack.user("ana").openHome();
    const home = await slack.until(() => slack.home("ana"));
    await slack.user("ana").click(home.id, "show me DEMO-1");
    await slack.until(() => slack.messages(slack.dm("ana").id).find(({ blocks }) => says(blocks, "cs:menu")));
    expect(await product.stop()).toBe(0);
  },
);

it("[slack.commands] tells who asks about a message where the bot cannot answer", async () => {
  const slack = await startSlackWorkspace();
  await startBot(slack);
  const report = slack.user("ben").say("random", "DEMO-3 again");
  await slack.user("ana").shortcut("ask_about_message", report.ts);
  const asks = await slack.until(() => slack.modal("ana"));
  await slack.user("ana").submit(asks, { "What do you want to know or have done?": "show me this issue" });
  const told = await slack.until(() => slack.ephemerals("ana").find(({ text }) => text.includes("/invite")));
  expect(told.thread_ts).toBeUndefined();
  expect(slack.thread(report.ts)).toHaveLength(1);
});
