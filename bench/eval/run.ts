import { isDeepStrictEqual } from "node:util";

import type { JsonValue } from "#contract/json.ts";
import type { ModelAttempt, Observation, PlannedStep, Planner, ToolExample } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import { permitIf, taint } from "#src/base/tainted.ts";

import type { Call, Case, Expected } from "./cases.ts";

/** What a planner made of a case. */
export interface Outcome {
  case: Case;
  tools: boolean;
  args: boolean;
  /** Decisions of a model, and how many of them were valid at once. */
  decisions: number;
  valid: number;
  repairs: number;
  tokens: number;
  seconds: number;
  got: string;
}

const MAX_STEPS = 6;
const NOW = new Date("2026-11-21T12:00:00");

/** Plays a case through: plans, pretends to call, plans again until the planner says that it is done. */
export async function play(
  planner: Planner,
  one: Case,
  tools: Tool[],
  examples: ToolExample[] = [],
): Promise<Outcome> {
  const begun = performance.now();
  const { signal } = new AbortController();
  const observations: Observation[] = [];
  const attempts: ModelAttempt[] = [];
  let last: PlannedStep | undefined;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    last = await planner.decide(
      { ...toInput(one, tools), examples, observations: [...observations] },
      signal,
    );
    attempts.push(...last.attempts);
    if (last.outcome.kind !== "calls") break;
    const made = new Set(observations.map(({ tool, args }) => JSON.stringify([tool, args])));
    const fresh = last.outcome.calls.filter(({ tool, args }) => !made.has(JSON.stringify([tool, args])));
    if (fresh.length === 0) break;
    for (const { tool, args } of fresh)
      observations.push(toObservation(tool, args, one, observations.length));
  }
  const got = toGot(observations, last);
  const decisions = attempts.filter(({ stage }) => stage === "decision");
  return {
    case: one,
    tools: one.expected.some((expected) => sameTools(expected, got)),
    args: one.expected.some((expected) => sameArgs(expected, got)),
    decisions: decisions.length,
    valid: decisions.filter(({ fault }) => fault === undefined).length,
    repairs: decisions.filter(({ prompt }) => prompt?.includes("It could not be used:") === true).length,
    tokens: attempts.reduce(
      (sum, { usage }) => sum + (usage?.promptTokens ?? 0) + (usage?.answerTokens ?? 0),
      0,
    ),
    seconds: (performance.now() - begun) / 1000,
    got: describe(got),
  };
}

function toInput(one: Case, tools: Tool[]): Parameters<Planner["decide"]>[0] {
  return {
    message: one.say,
    actorName: "ana",
    tools,
    examples: [],
    observations: [],
    history: one.before.map(({ say, calls, found, question }) => ({
      message: say,
      reply: taint(found.length === 0 ? "Here it is." : `I found ${found.join(", ")}.`),
      ...permitIf(true),
      calls: calls.map((call) => ({ ...call, derived: false })),
      ...(found.length === 0 ? {} : { shown: taint({ rows: found.map((id) => ({ id })) }) }),
      ...(question === undefined ? {} : { question }),
    })),
    now: NOW,
  };
}

function toObservation(tool: string, args: Call["args"], one: Case, at: number): Observation {
  const data: JsonValue = /search/.test(tool)
    ? { total: 1, issues: [{ key: one.found ?? "DEMO-1", summary: one.say, status: "To Do" }] }
    : { ok: true };
  return {
    id: `call_${at}`,
    tool,
    args,
    ok: true,
    data: taint(data),
    ...permitIf(true),
    facts: { rows: 1 },
  };
}

type Got = Expected | { kind: "failed"; message: string };

function toGot(observations: readonly Observation[], last: PlannedStep | undefined): Got {
  const outcome = last?.outcome;
  const calls = observations.map(({ tool, args }) => ({ tool, args }));
  if (outcome?.kind === "question" && calls.length === 0)
    return { kind: "ask", tool: outcome.question.tool, fields: outcome.question.fields };
  if (outcome?.kind === "failed" && calls.length === 0) return { kind: "failed", message: outcome.message };
  return calls.length === 0 ? { kind: "refuse" } : { kind: "calls", calls };
}

function sameTools(expected: Expected, got: Got): boolean {
  if (expected.kind === "other") return !sameArgs(expected.than, got);
  if (expected.kind === "ask") return got.kind === "ask" && got.tool === expected.tool;
  if (expected.kind === "refuse") return got.kind === "refuse";
  return got.kind === "calls" && isDeepStrictEqual(names(expected.calls), names(got.calls));
}

function sameArgs(expected: Expected, got: Got): boolean {
  if (expected.kind === "other") return !sameArgs(expected.than, got);
  if (expected.kind === "ask")
    return (
      sameTools(expected, got) &&
      got.kind === "ask" &&
      isDeepStrictEqual([...got.fields].toSorted(), [...expected.fields].toSorted())
    );
  if (expected.kind === "refuse") return got.kind === "refuse";
  return got.kind === "calls" && isDeepStrictEqual(sorted(expected.calls), sorted(got.calls));
}

function names(calls: readonly Call[]): string[] {
  return calls.map(({ tool }) => tool).toSorted();
}

function sorted(calls: readonly Call[]): unknown[] {
  return calls
    .map(({ tool, args }) => [tool, args])
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function describe(got: Got): string {
  if (got.kind === "calls")
    return got.calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join("; ");
  if (got.kind === "ask") return `asks for ${got.fields.join(", ")} of ${got.tool}`;
  return got.kind === "failed" ? `failed: ${got.message.slice(0, 120)}` : "refuses";
}
