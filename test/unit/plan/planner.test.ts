import { describe, expect, it } from "vitest";

import type { ModelAnswer, ModelPort, ModelRequest } from "#contract/model.ts";
import type { PlanInput, RespondInput } from "#contract/plan.ts";
import { ModelError } from "#src/model/errors.ts";
import { createArgumentChecker } from "#src/plan/arguments.ts";
import { createPlanner, type PlannerOptions } from "#src/plan/planner.ts";
import { loadPrompts } from "#src/plan/prompts.ts";

import { makeTool, objectSchema, observed, planInput } from "./tools.ts";

const { signal } = new AbortController();
const read = makeTool("jira", { name: "get_issue", inputSchema: objectSchema({ key: { type: "string" } }) });
const FINAL = 'BEGIN\nQUERY({"tool": "final_answer", "args": {}})\nEND';
const SHOW = 'BEGIN\nQUERY({"tool": "jira.get_issue", "args": {"key": "DEMO-1"}})\nEND';

/** A planner over a model that says these things one after the other, or fails. */
async function planning(says: (string | ModelError)[], more: Partial<PlannerOptions> = {}) {
  const requests: ModelRequest[] = [];
  const model: ModelPort = {
    provider: "ollama",
    model: "m",
    async generate(request): Promise<ModelAnswer> {
      const said = says[requests.push(request) - 1] ?? "";
      if (said instanceof ModelError) throw said;
      const usage = { promptTokens: 90, answerTokens: 10 };
      return { text: said, structured: false, provider: "ollama", model: "m", usage };
    },
    probe: () => Promise.resolve({ reachable: true }),
  };
  const planner = createPlanner({
    prompts: await loadPrompts("prompts"),
    checker: createArgumentChecker(),
    commands: () => [],
    find: (name) => (name === read.id ? read : undefined),
    builtin: {
      plan: ({ observations }) => ({
        text: observations.length === 0 ? SHOW : FINAL,
        sources: [{}],
        isAnchored: false,
      }),
      prepare: () => Promise.resolve(),
    },
    model: () => model,
    onModelFailure() {},
    select: ({ tools }) => Promise.resolve(tools),
    resultChars: 12_000,
    historyTokens: 500,
    tokensPerTurn: 1_000,
    budget: { decisionTokens: 256, responseTokens: 300, responseMs: 10_000 },
    secret: "s",
    ...more,
  });
  return { planner, requests };
}

function input(more: Partial<PlanInput> = {}): PlanInput {
  return planInput("what is DEMO-1 about, the issue", [read], more);
}

const small = observed("jira.get_issue", { key: "DEMO-1" }, { data: { key: "DEMO-1" } });

describe("a turn's budget of tokens", () => {
  it("[plan.iterate] that is used up ends the turn with what was found, and asks no model again", async () => {
    const { planner, requests } = await planning([SHOW]);
    const step = await planner.decide(input({ spentTokens: 1_000, observations: [small] }), signal);
    expect(step).toMatchObject({ outcome: { kind: "final", local: true }, attempts: [] });
    expect(step.notice).toContain("1000 model tokens");
    const respond: RespondInput = {
      ...input({ observations: [small] }),
      localReply: "DEMO-1",
      planner: "ollama",
      spentTokens: 1_000,
    };
    expect(await planner.respond(respond, signal)).toEqual({ reply: "DEMO-1" });
    expect(requests).toEqual([]);
  });

  it("is counted by what the server says of each call", async () => {
    const { planner } = await planning([SHOW]);
    const step = await planner.decide(input({ spentTokens: 999 }), signal);
    expect(step.attempts).toMatchObject([
      { stage: "decision", model: "ollama/m", usage: { promptTokens: 90, answerTokens: 10 } },
    ]);
  });
});

describe("a model that does not answer", () => {
  const down = new ModelError("model_unreachable", "it is down");

  it("[llm.builtin] is replaced by the built-in planner, which the step says; its attempt is kept", async () => {
    const { planner } = await planning([down]);
    const step = await planner.decide(input(), signal);
    expect(step).toMatchObject({ planner: "builtin", outcome: { kind: "calls" } });
    expect(step.handover).toContain("m did not answer (it is down)");
    expect(step.attempts[0]).toMatchObject({ code: "model_unreachable", fault: "it is down", raw: "" });
  });

  it("is shown where nothing takes its place, for comparison", async () => {
    const { planner } = await planning([down], { builtin: undefined });
    expect((await planner.decide(input(), signal)).outcome).toEqual({
      kind: "failed",
      code: "model_unreachable",
      message: "it is down",
    });
  });

  it("loses no result when it fails to put it into words", async () => {
    const { planner } = await planning([down]);
    const step = await planner.decide(input({ observations: [small] }), signal);
    expect(step).toMatchObject({
      planner: "builtin",
      outcome: { kind: "final" },
      attempts: [{ stage: "response" }, {}],
      handover: expect.stringContaining("it is down"),
    });
  });
});

describe("a refusal of the built-in planner", () => {
  it("[plan.missing-args] keeps what may have been meant, with what each call still needs", async () => {
    const text = 'BEGIN\nERROR({"message": "What do you mean?"})\nEND';
    const choices = [
      { tool: "jira.get_issue", args: {}, fields: [] },
      { tool: "jira.gone", args: {}, fields: ["key"] },
    ];
    const builtin = {
      plan: () => ({ text, sources: [], isAnchored: false, choices }),
      prepare: () => Promise.resolve(),
    };
    const inputSchema = objectSchema({ key: { type: "string" } }, ["key"]);
    const find = (id: string) => (id === read.id ? { ...read, inputSchema } : undefined);
    const { planner } = await planning([], { builtin, find, model: () => undefined });
    expect((await planner.decide(input(), signal)).outcome).toEqual({
      kind: "message",
      message: "What do you mean?",
      choices: [{ tool: "jira.get_issue", args: {}, fields: ["key"] }, choices[1]],
    });
  });
});

describe("the prompts of a turn", () => {
  it("[llm.budget] begin alike in every stage, so that a server with one slot reads that once", async () => {
    const large = { ...observed("jira.get_issue", { key: "DEMO-1" }, { data: "word ".repeat(2_000) }) };
    const said = [SHOW, "no JSON", '{"summary": "s", "entities": []}', FINAL, "It is open. Cheers!"];
    const { planner, requests } = await planning(["no plan", ...said], { tokensPerTurn: 100_000 });
    const about = { conversationId: "c", language: "German" };
    await planner.decide(input(about), signal);
    await planner.decide(input({ ...about, observations: [large] }), signal);
    const answered = {
      ...input({ ...about, observations: [small, large] }),
      localReply: "",
      planner: "ollama",
    } as const;
    await planner.respond(answered, signal);
    expect(requests.map(({ stage }) => stage)).toEqual([
      "decision",
      "decision",
      "perception",
      "decision",
      "decision",
      "response",
    ]);
    const [first] = requests;
    const shared = first?.prompt.split("# Your part now")[0] ?? "";
    expect(shared).toContain("what is DEMO-1 about");
    for (const { system, prompt } of requests) {
      expect(system).toBe(first?.system);
      expect(prompt.startsWith(shared.trimEnd())).toBe(true);
    }
    // The repair reads on where the decision ended, and each later step where the one before did.
    expect(requests[1]?.prompt.startsWith(first?.prompt ?? "-")).toBe(true);
  });
});

describe("free text", () => {
  it("[plan.no-native-tools] [plan.protocol] is asked for where decisions are not constrained", async () => {
    const { planner, requests } = await planning([`I think so.\n${SHOW}`], { structured: false });
    const step = await planner.decide(input(), signal);
    expect(step.outcome).toMatchObject({ kind: "calls", calls: [{ tool: "jira.get_issue" }] });
    expect(requests[0]).not.toHaveProperty("schema");
  });
});
