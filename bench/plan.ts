import { createHash } from "node:crypto";

import type { ModelText } from "#contract/model.ts";
import type { JsonValue } from "#contract/json.ts";
import type {
  ModelAttempt,
  Observation,
  PastTurn,
  PlanInput,
  PlannedCall,
  PlannedStep,
} from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import { permitIf, taint } from "#src/base/tainted.ts";
import { createArgumentChecker } from "#src/plan/arguments.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { createOllama } from "#src/model/ollama.ts";
import { createPlanner } from "#src/plan/planner.ts";
import { buildPlannerPrompt, describeTool } from "#src/plan/planner-prompt.ts";
import { loadPrompts } from "#src/plan/prompts.ts";
import { parsePlan, renderPlan } from "#src/plan/protocol.ts";
import { createToolSelector, type ToolSelector } from "#src/plan/select-tools.ts";
import { estimateTokens } from "#src/plan/model-text.ts";
import { createToolMeaning } from "#src/plan/tool-meaning.ts";
import { type Evaluation, startFakeOllama } from "#test/fakes/ollama.ts";
import { demoTools } from "#test/unit/plan/tools.ts";

import { type Case, readCases } from "./eval/cases.ts";
import { crowd, noise } from "./eval/catalogue.ts";
import type { Places } from "./places.ts";
import { percentile, type Row } from "./table.ts";

const TOOLS = 2_000;
const BUDGET = 3_000;
const WARM_UP = 20;
const { signal } = new AbortController();
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
    await ahead(all),
    await recall(`retrieval, ${TOOLS} tools`, cases, all, createToolSelector(BUDGET)),
    await recall("the same, fused with noise", cases, all, await withNoise(all)),
    times("prompt, 19 tools", 500, () =>
      buildPlannerPrompt(template, input("show DEMO-1", demo), demo, limits),
    ),
    ...parsing(demo),
    times("builtin plan, 19 tools", 300, planning(demo)),
    times("builtin plan, 2000 tools", 100, planning(all)),
    ...(await prefixes(template, all)),
    ...(await oneSlot(demo)),
    ...(await evaluated(template, all)),
  ];
}

function input(message: string, tools: Tool[], more: Partial<PlanInput> = {}): PlanInput {
  const now = new Date("2026-11-21T12:00:00Z");
  return { message, actorName: "ana", tools, examples: [], observations: [], history: [], now, ...more };
}

/** What is worked out when the catalogue changes, so that no request waits for it. */
async function ahead(tools: Tool[]): Promise<Row> {
  const clock = startClock();
  await createToolSelector(BUDGET).prepare(tools);
  return { what: `index, ${tools.length} tools`, figures: { count: 1, ...toSpentFigures([clock.stop()]) } };
}

/**
 * A selector whose tools and requests have random vectors of nomic-embed-text's length: what ranking by
 * meaning costs beside the model, and what is left of recall where it is of no use at all.
 */
async function withNoise(tools: Tool[]): Promise<ToolSelector> {
  const vectorOf = (text: string): number[] => {
    let state = createHash("sha256").update(text).digest().readUInt32LE(0);
    return Array.from({ length: 768 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 31 - 1;
    });
  };
  const embedder = {
    model: "noise",
    embed: (texts: readonly string[]) => Promise.resolve(texts.map(vectorOf)),
  };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const meaning = createToolMeaning({
    embedder: () => embedder,
    kept: {
      load: () => Promise.resolve(new Map()),
      keep: () => Promise.resolve(),
      dropUnused: () => Promise.resolve(),
    },
    now: Date.now,
    log: { info: () => resolve(), warn: (data) => reject(new Error(JSON.stringify(data))) },
  });
  meaning.prepare(tools);
  await promise;
  return createToolSelector(BUDGET, (one, stop) => meaning.rank(one, stop));
}

/** How often every tool that a case needs is among those in its prompt, and how long the choice takes. */
async function recall(
  what: string,
  cases: readonly Case[],
  tools: Tool[],
  select: ToolSelector,
): Promise<Row> {
  await select.prepare(tools);
  // A process that has just begun has compiled nothing yet.
  for (let at = 0; at < WARM_UP; at += 1) await select(input(`find issue ${at}`, tools), signal);
  const spent: Spent[] = [];
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
    const clock = startClock();
    const chosen = await select(input(one.say, tools, { history }), signal);
    spent.push(clock.stop());
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
  const share = rounded(((asked - missed.length) / asked) * 100);
  return {
    what,
    figures: { count: asked, ...toSpentFigures(spent), "recall %": share, "most tokens": most },
  };
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
  const spent = Array.from({ length: count }, () => {
    const clock = startClock();
    work();
    return clock.stop();
  });
  return { what, figures: { count, ...toSpentFigures(spent) } };
}

/** Time by the clock and of the processor, in ms: on a busy machine only the second is the work's own. */
interface Spent {
  wall: number;
  cpu: number;
}

function startClock(): { stop(): Spent } {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  return {
    stop() {
      const wall = performance.now() - begun;
      const { user, system } = process.cpuUsage(cpu);
      return { wall, cpu: (user + system) / 1_000 };
    },
  };
}

function toSpentFigures(spent: readonly Spent[]): Row["figures"] {
  const [wall, cpu] = [spent.map((one) => one.wall), spent.map((one) => one.cpu)];
  return {
    "p50 ms": rounded(percentile(wall, 0.5)),
    "p99 ms": rounded(percentile(wall, 0.99)),
    "cpu p50": rounded(percentile(cpu, 0.5)),
    "cpu p99": rounded(percentile(cpu, 0.99)),
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
async function conversation(
  template: Parameters<typeof buildPlannerPrompt>[0],
  tools: Tool[],
  sticky: boolean,
): Promise<ModelText[]> {
  const select = createToolSelector(BUDGET);
  const prompts: ModelText[] = [];
  for (const [at, message] of CONVERSATION.entries()) {
    const one = input(message, tools, sticky ? { conversationId: "c" } : {});
    const history = CONVERSATION.slice(Math.max(0, at - 6), at).map((said) => ({
      message: said,
      reply: taint("Here it is."),
      ...permitIf(true),
      calls: [],
    }));
    const chosen = await select({ ...one, history: [] }, signal);
    prompts.push(buildPlannerPrompt(template, { ...one, history }, chosen, limits));
  }
  return prompts;
}

/** How many tokens of each prompt stand behind what it shares with the one before. */
async function prefixes(template: Parameters<typeof buildPlannerPrompt>[0], tools: Tool[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const sticky of [true, false]) {
    const prompts = await conversation(template, tools, sticky);
    const fresh = prompts.slice(1).map((prompt, at) => {
      const before = prompts[at] ?? "";
      let same = 0;
      while (same < prompt.length && prompt[same] === before[same]) same += 1;
      return estimateTokens(prompt.slice(same));
    });
    rows.push({
      what: `ten turns, ${sticky ? "stable" : "changing"} beginning`,
      figures: {
        count: prompts.length,
        "prompt tokens": estimateTokens(prompts.at(-1) ?? ""),
        "new tokens": Math.round(fresh.reduce((sum, one) => sum + one, 0) / fresh.length),
      },
    });
  }
  return rows;
}

const PROSE =
  "Sign in with the company account. Where the page stays blank, clear the cookies of the site and try again; after three failures the account is locked for a quarter of an hour, and the desk can open it. ";

/** What is said, what the tool brings, and whether something else is wanted after it. */
const TURNS: { say: string; call: PlannedCall; data: JsonValue; next?: PlannedCall }[] = [
  {
    say: "show DEMO-1",
    call: { command: "QUERY", tool: "jira.get_jira_issue", args: { issue_key: "DEMO-1" } },
    data: { key: "DEMO-1", summary: "The login page is blank", status: "To Do", assignee: "ben" },
  },
  {
    say: "search the wiki for login",
    call: { command: "QUERY", tool: "confluence.search_confluence", args: { query: "login" } },
    data: {
      total: 40,
      pages: Array.from({ length: 40 }, (_, at) => ({ id: 1000 + at, text: PROSE })),
    },
  },
  {
    say: "find issues about login and then show DEMO-8",
    call: { command: "QUERY", tool: "jira.search_issues", args: { query: "login" } },
    data: { total: 1, issues: [{ key: "DEMO-8", summary: "Login fails on Friday" }] },
    next: { command: "QUERY", tool: "jira.get_jira_issue", args: { issue_key: "DEMO-8" } },
  },
];

/**
 * What each stage costs a server with one slot, whose cache holds the last prompt alone: how many tokens
 * of a prompt it has to read anew, over a conversation of three turns, with a small result, a large one and two calls.
 */
async function oneSlot(tools: Tool[]): Promise<Row[]> {
  let said: unknown;
  const server = await startFakeOllama(
    () => ({ do: "answer", text: "DEMO-8 is open [source 1]. Cheers!", json: said }),
    { models: ["m"] },
  );
  try {
    const port = createOllama({ base_url: server.url, model: "m", retries: 0 });
    await port.probe();
    const planner = createPlanner({
      prompts: await loadPrompts("prompts"),
      checker: createArgumentChecker(),
      commands: () => [],
      find: (name) => tools.find(({ id }) => id === name),
      builtin: undefined,
      model: () => port,
      onModelFailure() {},
      select: createToolSelector(BUDGET),
      ...limits,
      tokensPerTurn: 1_000_000,
      budget: { decisionTokens: 256, responseTokens: 300, responseMs: 10_000 },
    });
    const attempts: ModelAttempt[] = [];
    const history: PastTurn[] = [];
    for (const { say, call, data, next: following } of TURNS) {
      const observations: Observation[] = [];
      const asked = (): PlanInput => ({
        ...input(say, tools, { history, observations: [...observations] }),
        conversationId: "c",
      });
      const decide = async (next: PlannedCall | undefined): Promise<PlannedStep> => {
        const final = { command: "QUERY", tool: "final_answer", args: {} };
        const summary = { summary: "Forty pages about the login.", entities: ["1000"] };
        said = { commands: [next ?? final], ...summary };
        const step = await planner.decide(asked(), signal);
        attempts.push(...step.attempts);
        for (const { call, perception } of step.perceptions ?? []) {
          const seen = observations.find(({ id }) => id === call);
          if (seen !== undefined) seen.perception = taint(perception);
        }
        return step;
      };
      await decide(call);
      const calls = following === undefined ? [call] : [call, following];
      let last: PlannedStep | undefined;
      for (const [at, { tool, args }] of calls.entries()) {
        observations.push({
          id: `call_${at}`,
          tool,
          args,
          ok: true,
          data: taint(data),
          ...permitIf(true),
          facts: {},
        });
        last = await decide(calls[at + 1]);
      }
      const reply = last?.outcome.kind === "final" ? last.outcome.reply : undefined;
      if (reply === undefined) {
        const answer = await planner.respond({ ...asked(), localReply: "", planner: "ollama" }, signal);
        attempts.push(...(answer.attempts ?? []));
      }
      history.push({
        message: say,
        reply: taint("DEMO-8 is open."),
        ...permitIf(true),
        calls: calls.map(({ tool, args }) => ({ tool, args, derived: false })),
      });
    }
    if (attempts.length !== server.evaluations.length)
      throw new Error("expected an evaluation for each attempt");
    const stages = ["decision", "perception", "response"] as const;
    return stages.map((stage) => {
      const of = server.evaluations.filter((_, at) => attempts[at]?.stage === stage);
      const mean = (pick: (one: Evaluation) => number): number =>
        Math.round(of.reduce((sum, one) => sum + (one === undefined ? 0 : pick(one)), 0) / of.length);
      return {
        what: `one slot, ${stage}`,
        figures: {
          count: of.length,
          "prompt tokens": mean((one) => one.promptTokens),
          "new tokens": mean((one) => one.evaluated),
        },
      };
    });
  } finally {
    await server.stop();
  }
}

async function evaluated(template: Parameters<typeof buildPlannerPrompt>[0], tools: Tool[]): Promise<Row[]> {
  const [url, model] = (process.env.PLAN_BENCH_OLLAMA ?? "").split(" ");
  if (url === undefined || model === undefined) return [];
  const rows: Row[] = [];
  for (const sticky of [true, false]) {
    const port = createOllama({ base_url: url, model, timeout_ms: 600_000, retries: 0 });
    const begun = performance.now();
    const tokens: number[] = [];
    for (const prompt of await conversation(template, tools, sticky)) {
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
