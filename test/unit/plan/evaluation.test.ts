import { beforeAll, describe, expect, it } from "vitest";

import type { Tool } from "#contract/tool.ts";
import { createArgumentChecker } from "#src/plan/arguments.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { createPlanner } from "#src/plan/planner.ts";
import { describeTool } from "#src/plan/planner-prompt.ts";
import { loadPrompts } from "#src/plan/prompts.ts";
import { createToolSelector } from "#src/plan/select-tools.ts";
import { estimateTokens } from "#src/plan/model-text.ts";

import { PARTS, readCases } from "../../../bench/eval/cases.ts";
import { crowd, noise } from "../../../bench/eval/catalogue.ts";
import { toScores } from "../../../bench/eval/report.ts";
import { play } from "../../../bench/eval/run.ts";
import { demoTools, pastTurn, planInput } from "./tools.ts";

const cases = readCases();
let demo: Tool[] = [];
let all: Tool[] = [];

beforeAll(async () => {
  demo = await demoTools();
  all = [...demo, ...crowd()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
});

describe("the evaluation", () => {
  it("has at least 150 different cases, of every kind", () => {
    expect(cases.length).toBeGreaterThanOrEqual(150);
    for (const part of PARTS)
      expect(cases.filter((one) => one.part === part).length).toBeGreaterThanOrEqual(12);
    expect(new Set(cases.map((one) => JSON.stringify([one.say, one.before]))).size).toBe(cases.length);
  });

  it("[llm.builtin] the built-in planner keeps what it has reached", async () => {
    const find = (name: string): Tool | undefined => all.find((tool) => tool.id === name);
    const planner = createPlanner({
      prompts: await loadPrompts("prompts"),
      checker: createArgumentChecker(),
      commands: () => [],
      find,
      builtin: createBuiltinPlanner(),
      model: () => undefined,
      onModelFailure() {},
      select: ({ tools }) => Promise.resolve(tools),
      resultChars: 1,
      historyTokens: 1,
      tokensPerTurn: 1,
      budget: { decisionTokens: 256, responseTokens: 300, responseMs: 10_000 },
      secret: "",
    });
    const outcomes = [];
    for (const one of cases) outcomes.push(await play(planner, one, one.part === "single" ? demo : all));
    const scores = new Map(toScores(outcomes).map((score) => [score.part, score]));
    for (const part of PARTS) expect(scores.get(part)?.args).toBeGreaterThanOrEqual(0.9);
    expect(scores.get("single")?.tools).toBeGreaterThanOrEqual(0.95);
    expect(scores.get("all")?.args).toBeGreaterThanOrEqual(0.96);
  });
});

describe("tools for the prompt", () => {
  const BUDGET = 3_000;
  const { signal } = new AbortController();
  const tokens = (tools: readonly Tool[]): number =>
    tools.reduce((sum, tool) => sum + estimateTokens(describeTool(tool)) + 2, 0);

  it("[plan.tools-injected] of 2,000, the needed one is offered in at least 95 % of the cases", async () => {
    const many = [...all, ...noise(2_000 - all.length)].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(many).toHaveLength(2_000);
    const select = createToolSelector(BUDGET);
    const asked = cases.filter((one) => one.expected.some(({ kind }) => kind !== "refuse"));
    let found = 0;
    for (const one of asked) {
      const history = one.before.map(({ say, calls, question }) =>
        pastTurn(say, {
          calls: calls.map((call) => ({ ...call, derived: false })),
          ...(question === undefined ? {} : { question }),
        }),
      );
      const chosen = await select(planInput(one.say, many, { history }), signal);
      expect(tokens(chosen)).toBeLessThanOrEqual(BUDGET);
      const ids = new Set(chosen.map(({ id }) => id));
      const isThere = one.expected.some((each) => {
        if (each.kind === "calls") return each.calls.every(({ tool }) => ids.has(tool));
        return each.kind === "ask" && ids.has(each.tool);
      });
      if (isThere) found += 1;
    }
    expect(found / asked.length).toBeGreaterThanOrEqual(0.95);
  });

  it("[plan.tools-injected] stay in their place through a conversation; what is new stands behind them", async () => {
    const select = createToolSelector(1_500);
    const ask = async (message: string): Promise<string[]> =>
      (await select(planInput(message, all, { conversationId: "c" }), signal)).map(({ id }) => id);
    const first = await ask("find issues about login");
    const second = await ask("weather forecast for Hamburg");
    expect(second.slice(0, first.length)).toEqual(first);
    expect(second).toContain("weather.get_forecast");
    expect(await ask("find issues about login")).toEqual(second);
    expect(first).not.toContain("weather.get_forecast");
  });

  it("[plan.tools-injected] are all of them, as they are, where they fit", async () => {
    expect(await createToolSelector(100_000)(planInput("hello", all), signal)).toBe(all);
  });
});
