import { expect, it } from "vitest";

import { answers, answerTo, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import { storedIssues, temporaryFolder } from "./support.ts";

it("takes a click on a card of a process that was killed", { timeout: 60_000 }, async () => {
  const slack = await startSlackWorkspace();
  const dataDir = await temporaryFolder();
  const first = await startBot(slack, { dataDir });
  const question = slack.user("ana").mention("general", "create an issue in DEMO titled 'After the crash'");
  const card = await answerTo(slack, question, "cs:approve");
  await first.kill();

  await startBot(slack, { dataDir });
  expect(await slack.user("ben").click(card.ts, "Approve")).toMatchObject({ ok: true });
  await slack.until(() => !says(card.blocks, "cs:approve") && says(card.blocks, "Run log"));
  expect(answers(slack, question)).toHaveLength(1);
  expect(storedIssues(dataDir, "After the crash")).toHaveLength(1);
});

it("finds its message again after it was killed before it had noted it", { timeout: 60_000 }, async () => {
  const slack = await startSlackWorkspace();
  const dataDir = await temporaryFolder();
  const first = await startBot(slack, { dataDir, env: { COUNTERSIGN_FAIL_POINT: "present.posted" } });
  const question = slack.user("ana").mention("general", "show me DEMO-1");
  await first.ended;
  expect(answers(slack, question)).toHaveLength(1);

  await startBot(slack, { dataDir });
  const answer = await answerTo(slack, question, "Run log");
  expect(says(answer.blocks, "DEMO-1")).toBe(true);
  expect(answers(slack, question)).toHaveLength(1);
});
