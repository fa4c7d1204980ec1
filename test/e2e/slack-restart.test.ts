import { expect, it } from "vitest";

import { answers, answerTo, says, startBot, startOwnBot, startSlackWorkspace } from "./slack-support.ts";
import { storedIssues, temporaryFolder } from "./support.ts";

it(
  "takes a click on a killed process's card, and finds an unnoted message again",
  { timeout: 90_000 },
  async () => {
    const slack = await startSlackWorkspace();
    const dataDir = await temporaryFolder();
    const first = await startOwnBot(slack, { dataDir, env: { COUNTERSIGN_FAIL_POINT: "present.posted:2" } });
    const change = slack.user("ana").mention("general", "create an issue in DEMO titled 'After the crash'");
    const card = await answerTo(slack, change, "cs:approve");
    const read = slack.user("ana").mention("general", "show me DEMO-1");
    await first.ended;
    expect(answers(slack, read)).toHaveLength(1);

    await startBot(slack, { dataDir });
    expect(await slack.user("ben").click(card.ts, "cs:approve")).toMatchObject({ ok: true });
    await slack.until(() => !says(card.blocks, "cs:approve") && says(card.blocks, "cs:menu"));
    expect(answers(slack, change)).toHaveLength(1);
    expect(storedIssues(dataDir, "After the crash")).toHaveLength(1);
    const answer = await answerTo(slack, read, "cs:menu");
    expect(says(answer.blocks, "DEMO-1")).toBe(true);
    expect(answers(slack, read)).toHaveLength(1);
  },
);
