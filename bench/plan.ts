import type { PlanInput } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import { permitIf, taint } from "#src/base/tainted.ts";
import { createArgumentChecker } from "#src/plan/arguments.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { createOllama } from "#src/model/ollama.ts";
import { buildPlannerPrompt, describeTool } from "#src/plan/planner-prompt.ts";
import { loadPrompts } from "#src/plan/prompts.ts";
import { parsePlan, renderPlan } from "#src/plan/protocol.ts";
import { createToolSelector } from "#src/plan/select-tools.ts";
import { estimateTokens } from "#src/plan/size.ts";
import { demoTools } from "#test/unit/plan/tools.ts";

import { type Case, readCases } from "./eval/cases.ts";
import { crowd, noise } from "./eval/catalogue.ts";
import type { Places } from "./places.ts";
import { percentile, type Row } from "./table.ts";

const TOOLS = 2_000;
const BUDGET = 3_000;
const limits = { resultChars: 12_000, historyTokens: 1_200, secret: "bench" };

/**
 * What planning costs beside the model: prompts, parsing, retrieval among 2,000 tools with its recall
 * over the evaluation set, and how much of a prompt a model server has to read anew from turn to turn.
 * With `PLAN_BENCH_OLLAMA=http://host:port model` the last is measured on that server as well.
 */
export async function benchPlan(_places: Places): Promise<Row[]> {
  const demo = await demoTools();
  const others = crowd();
  const all = [...demo, ...others, ...noise(TOOLS - demo.length - others.length)].toSorted((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const { template } = await loadPrompts("prompts");
  const cases = readCases();
  return [
    ...recall(cases, all),
    times("prompt, 19 tools", 500, () =>
      buildPlannerPrompt(template, input("show DEMO-1", demo), demo, limits),
    ),
    ...parsing(demo),
    times("builtin plan, 19 tools", 300, planning(demo)),
    times("builtin plan, 2000 tools", 100, planning(all)),
    ...prefixes(template, all),
    ...(await evaluated(template, all)),
  ];
}

function input(message: string, tools: Tool[], more: Partial<PlanInput> = {}): PlanInput {
  const now = new Date("2026-11-21T12:00:00Z");
  return { message, actorName: "ana", tools, examples: [], observations: [], history: [], now, ...more };
}

/** How often every tool that a case needs is among those in its prompt, and how long the choice takes. */
function recall(cases: readonly Case[], tools: Tool[]): Row[] {
  const select = createToolSelector(BUDGET);
  select(input("warm up", tools));
  const ms: number[] = [];
  const missed: string[] = [];
  let asked = 0;
  let most = 0;
  for (const one of cases) {
    const needed = new Set(
      one.expected.flatMap((each) =>
        each.kind === "calls" ? each.calls.map(({ tool }) => tool) : each.kind === "ask" ? [each.tool] : [],
      ),
    );
    if (needed.size === 0) continue;
    asked += 1;
    const history = one.before.map(({ say, calls, question }) => ({
      ...(question === undefined ? {} : { question }),
      message: say,
      reply: taint(""),
      ...permitIf(true),
      calls: calls.map((call) => ({ ...call, derived: false })),
    }));
    const begun = performance.now();
    const chosen = select(input(one.say, tools, { history }));
    ms.push(performance.now() - begun);
    const ids = new Set(chosen.map(({ id }) => id));
    most = Math.max(
      most,
      chosen.reduce((sum, tool) => sum + estimateTokens(describeTool(tool)), 0),
    );
    // One of several right answers is enough.
    const isThere = one.expected.some((each) =>
      each.kind === "calls"
        ? each.calls.every(({ tool }) => ids.has(tool))
        : each.kind === "ask" && ids.has(each.tool),
    );
    if (!isThere) missed.push(one.say);
  }
  if (process.env.PLAN_BENCH_WRONG !== undefined) console.log(missed.join("\n"));
  return [
    {
      what: `retrieval, ${tools.length} tools`,
      figures: {
        count: asked,
        "p50 ms": rounded(percentile(ms, 0.5)),
        "p99 ms": rounded(percentile(ms, 0.99)),
        "recall %": rounded(((asked - missed.length) / asked) * 100),
        "most tokens": most,
      },
    },
  ];
}

function parsing(tools: Tool[]): Row[] {
  const catalogue = { find: (name: string) => tools.find((tool) => tool.id === name) };
  const checker = createArgumentChecker();
  const call = { command: "QUERY", tool: "jira.get_jira_issue", args: { issue_key: "DEMO-1" } } as const;
  const short = renderPlan([call, call, call]);
  const long = `${"thinking aloud, line after line\n".repeat(3_000)}${short}`;
  return [
    times("parse, 3 calls", 2_000, () => parsePlan(short, catalogue, checker)),
    times("parse, 100 KB", 200, () => parsePlan(long, catalogue, checker)),
  ];
}

function planning(tools: Tool[]): () => void {
  const planner = createBuiltinPlanner();
  return () => void planner.plan(input("assign DEMO-4 to ben", tools));
}

function times(what: string, count: number, work: () => unknown): Row {
  work();
  const ms = Array.from({ length: count }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  });
  return {
    what,
    figures: { count, "p50 ms": rounded(percentile(ms, 0.5)), "p99 ms": rounded(percentile(ms, 0.99)) },
  };
}

const CONVERSATION = [
  "find issues about login",
  "show DEMO-8",
  "assign it to me",
  "who is on call",
  "comment on it: on my way",
  "list open incidents",
  "search the wiki for login",
  "open page 1003",
  "move DEMO-8 to in progress",
  "close DEMO-8",
];

/** The prompts of a conversation of ten turns; `sticky`: the tools of earlier prompts stay in. */
function conversation(template: Parameters<typeof buildPlannerPrompt>[0], tools: Tool[], sticky: boolean) {
  const select = createToolSelector(BUDGET);
  return CONVERSATION.map((message, at) => {
    const one = input(message, tools, sticky ? { conversationId: "c" } : {});
    const history = CONVERSATION.slice(Math.max(0, at - 6), at).map((said) => ({
      message: said,
      reply: taint("Here it is."),
      ...permitIf(true),
      calls: [],
    }));
    return buildPlannerPrompt(template, { ...one, history }, select({ ...one, history: [] }), limits);
  });
}

/** How many tokens of each prompt stand behind what it shares with the one before. */
function prefixes(template: Parameters<typeof buildPlannerPrompt>[0], tools: Tool[]): Row[] {
  return [true, false].map((sticky) => {
    const prompts = conversation(template, tools, sticky);
    const fresh = prompts.slice(1).map((prompt, at) => {
      const before = prompts[at] ?? "";
      let same = 0;
      while (same < prompt.length && prompt[same] === before[same]) same += 1;
      return estimateTokens(prompt.slice(same));
    });
    return {
      what: `ten turns, ${sticky ? "stable" : "changing"} beginning`,
      figures: {
        count: prompts.length,
        "prompt tokens": estimateTokens(prompts.at(-1) ?? ""),
        "new tokens": Math.round(fresh.reduce((sum, one) => sum + one, 0) / fresh.length),
      },
    };
  });
}

async function evaluated(template: Parameters<typeof buildPlannerPrompt>[0], tools: Tool[]): Promise<Row[]> {
  const [url, model] = (process.env.PLAN_BENCH_OLLAMA ?? "").split(" ");
  if (url === undefined || model === undefined) return [];
  const rows: Row[] = [];
  for (const sticky of [true, false]) {
    const port = createOllama({ base_url: url, model, timeout_ms: 600_000, retries: 0 });
    const { signal } = new AbortController();
    const begun = performance.now();
    const tokens: number[] = [];
    for (const prompt of conversation(template, tools, sticky)) {
      const system = (await loadPrompts("prompts")).decision;
      const { usage } = await port.generate({ stage: "decision", system, prompt, signal });
      tokens.push(usage?.promptTokens ?? 0);
    }
    const later = tokens.slice(1);
    rows.push({
      what: `${model}, ${sticky ? "stable" : "changing"} beginning`,
      figures: {
        count: tokens.length,
        "evaluated tokens": Math.round(later.reduce((sum, one) => sum + one, 0) / later.length),
        "s per turn": rounded((performance.now() - begun) / 1000 / tokens.length),
      },
    });
  }
  return rows;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
