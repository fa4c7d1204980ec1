import { expect, it } from "vitest";

import { answers, answerTo, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import { storedIssues } from "./support.ts";

it(
  "serves signed requests: a mention, a click, and nothing that is not signed",
  { timeout: 60_000 },
  async () => {
    const slack = await startSlackWorkspace();
    const product = await startBot(slack, { over: "http" });
    const { slack_url: url } = await product.line((line) => typeof line.slack_url === "string");
    slack.overHttp(String(url));

    const question = slack.user("ana").mention("general", "create an issue in DEMO titled 'Over HTTP'");
    const card = await answerTo(slack, question, "cs:approve");
    expect(await slack.user("ben").click(card.ts, "Approve")).toMatchObject({ ok: true });
    await slack.until(() => !says(card.blocks, "cs:approve") && says(card.blocks, "Run log"));
    expect(storedIssues(product.dataDir, "Over HTTP")).toHaveLength(1);
    expect(answers(slack, question)).toHaveLength(1);

    const forged = await fetch(String(url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ type: "event_callback", event_id: "Ev1", team_id: "T1", event: {} }),
    });
    expect(forged.status).toBe(401);
    expect(await product.stop()).toBe(0);
  },
);
