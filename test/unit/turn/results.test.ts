import { expect, it } from "vitest";

import type { PlannedStep } from "#contract/plan.ts";
import { toTurnResult } from "#src/turn/results.ts";
import type { RecordedPlan } from "#src/turn/rows.ts";

const turn = {
  id: "turn_1",
  surface: "http",
  actor: "http:ana",
  conversationId: "c",
  channel: "c",
  message: "what is it",
  state: "running",
  createdAt: 0,
  updatedAt: 0,
  allowSummarization: true,
  attempts: 1,
  epoch: 1,
} as const;

function replyTo(...plans: Partial<PlannedStep>[]): string {
  const recorded = plans.map((plan, at): RecordedPlan => ({
    step: at + 1,
    plan: { planner: "builtin", outcome: { kind: "final" }, attempts: [], ...plan },
    at: 0,
    durationMs: 0,
  }));
  return toTurnResult(
    turn,
    "Two pages.",
    { presented: [], calls: [], plans: recorded, approvals: [], summarizingMs: 0 },
    0,
  ).reply;
}

const BY_BUILTIN = "Planned by the built-in planner, without a model.";

it("[llm.builtin] tells what the planner knows, each once: what was looked for below the answer, and who planned at the end", () => {
  const [one, other] = [{ notice: "I looked for “_x_” in Jira." }, { notice: "Nothing, so also for “x”." }];
  expect(replyTo(one, one, other)).toBe(
    `Nothing, so also for “x”.\n\nTwo pages.\n\n` +
      String.raw`I looked for “\_x\_” in Jira.` +
      `\n\n_${BY_BUILTIN}_`,
  );
  expect(replyTo({})).toBe(`Two pages.\n\n_${BY_BUILTIN}_`);
});

it("[llm.builtin] says below why it took over from a model, and of a model's own plan nothing", () => {
  expect(replyTo({ handover: "m did not answer." }, {})).toBe(
    `Two pages.\n\n_m did not answer. ${BY_BUILTIN}_`,
  );
  expect(replyTo({ planner: "ollama" })).toBe("Two pages.");
});
