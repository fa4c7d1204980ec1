import { expect, it } from "vitest";

import { answers, answerTo, channelApproves, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import { readMetrics } from "./support.ts";

const limit = { perMinute: 60, burst: 1, per: "channel" } as const;

it("[slack.progress] [ops.metrics] edits one status message into the answer under limits that Slack enforces", async () => {
  const slack = await startSlackWorkspace({
    rateLimits: { "chat.postMessage": limit, "chat.update": limit },
  });
  const product = await startBot(slack, { config: channelApproves(300, { status_after_ms: 0 }) });

  const ana = slack.user("ana");
  const questions = ["DEMO-1", "DEMO-2", "DEMO-3", "DEMO-4"].map((key, index) => ({
    key,
    question: ana.mention(index < 3 ? "general" : "engineering", `show me ${key}`),
  }));
  const edited: string[] = [];
  for (const { key, question } of questions) {
    const answer = await answerTo(slack, question, "cs:menu");
    expect(says(answer.blocks, key)).toBe(true);
    expect(answers(slack, question)).toHaveLength(1);
    const [first] = answer.history;
    // A turn that ended before there was room for its status is posted as its answer.
    if (first === undefined) continue;
    expect(says(first.blocks, "cs:stop")).toBe(true);
    expect(says(first.blocks, "cs:menu")).toBe(false);
    edited.push(key);
  }
  expect(edited).toContain("DEMO-4");
  expect(slack.calls.some(({ error }) => error === "ratelimited")).toBe(true);
  const counted = await readMetrics(product);
  expect(counted['countersign_rate_limit_wait_seconds_total{surface="slack"}']).toBeGreaterThan(0);
  expect(counted['countersign_edits_coalesced_total{surface="slack"}']).toBeGreaterThan(0);
  expect(
    counted['countersign_platform_calls_total{surface="slack",call="post",outcome="ok"}'],
  ).toBeGreaterThan(0);
  expect(slack.sent.flatMap(({ problems, error }) => (error === "ratelimited" ? [] : problems))).toEqual([]);
});
