import { expect, it, vi } from "vitest";

import { scoreKnowledge } from "../../../bench/knowledge/questions.ts";

vi.setConfig({ testTimeout: 240_000 });

it("[knowledge.quality] finds what answers a question among the first five, by words alone", async () => {
  const { questions, recall_at_5: recall, mrr, wrong } = await scoreKnowledge();
  expect(questions).toBeGreaterThanOrEqual(80);
  expect(recall >= 0.85 ? [] : wrong).toEqual([]);
  expect(mrr).toBeGreaterThanOrEqual(0.7);
});
