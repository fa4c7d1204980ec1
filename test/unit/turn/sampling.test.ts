import { expect, it } from "vitest";

import type { PolicyDecision } from "#contract/approval.ts";
import type { ModelPort } from "#contract/model.ts";
import { samplingPrompt } from "#src/plan/prompts.ts";
import { createShowsTool } from "#src/policy/modes.ts";
import { createSampling, type Sample } from "#src/turn/questions.ts";
import type { StoredTurn } from "#src/turn/rows.ts";

const allowed: PolicyDecision = {
  decision: "allow",
  rule: "rule 1 (*)",
  approvers: [],
  excludeRequester: false,
  quorum: 1,
  ttlMs: 1,
  reasonRequired: false,
  idempotent: false,
};

const turn = { id: "turn_1", channel: "http:one", allowSummarization: true } as StoredTurn;

function sampling(withhold: string[], privateServers: string[]): { sample: Sample; asked: () => number } {
  let asked = 0;
  const model = {
    generate() {
      asked += 1;
      return Promise.resolve({ text: "Yes.", model: "small" });
    },
  } as unknown as ModelPort;
  const sample = createSampling({
    policy: () => allowed,
    ask: () => Promise.resolve({ action: "accept", content: {} }),
    model: () => model,
    toPrompt: samplingPrompt,
    showsTool: createShowsTool(withhold, privateServers),
  });
  return { sample, asked: () => asked };
}

const request = {
  server: "hr",
  toolId: "hr.list_salaries",
  messages: [{ role: "user" as const, text: "Ana earns 1" }],
};
const never = new AbortController().signal;

it("[privacy.mode] a private server gets no answer of a model, and no model its words", async () => {
  const { sample, asked } = sampling([], ["hr"]);
  await expect(sample(turn, request, never)).rejects.toMatchObject({ code: "refused" });
  expect(asked()).toBe(0);
});

it("[privacy.mode] nor does a call of a tool whose results are withheld", async () => {
  const { sample, asked } = sampling(["*_salaries"], []);
  await expect(sample(turn, request, never)).rejects.toMatchObject({ code: "refused" });
  expect(asked()).toBe(0);
  const other = sampling(["*_salaries"], ["finance"]);
  expect(await other.sample(turn, { ...request, toolId: "hr.list_people" }, never)).toMatchObject({
    text: "Yes.",
  });
});
