import { expect, it } from "vitest";

import { createEditQuota } from "#adapters/slack/send/budget.ts";

it("lets statuses wait where what is left is needed for the answers of those that are shown", () => {
  const owed = createEditQuota();
  expect(owed.patience("T1", 50)).toBe(0);
  for (let turn = 0; turn < 40; turn += 1) owed.shown("T1", `turn_${turn}`, false);
  expect(owed.patience("T1", 50)).toBeGreaterThan(0);
  expect(owed.maySpend("T1", 50)).toBe(false);
  expect(owed.patience("T2", 50)).toBe(0);
  for (let turn = 0; turn < 40; turn += 1) owed.shown("T1", `turn_${turn}`, true);
  expect(owed.patience("T1", 50)).toBe(0);
  expect(owed.maySpend("T1", 50)).toBe(true);
});
