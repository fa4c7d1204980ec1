import { createHash } from "node:crypto";

import { messageOf } from "../../kit/tool.ts";
import {
  type AgentContext,
  type Engine,
  inTime,
  type Outcome,
  type RunEvent,
  runModel,
  runScriptAgent,
} from "./agent.ts";
import { type Agent, type Ensemble, MOST_DEPTH, MOST_IN_RUN, MOST_ITEMS } from "./definition.ts";
import { phasesOf } from "./graph.ts";
import { dependenciesOf, itemsOf, lookUp, promptOf, readable, valueOf } from "./input.ts";
import { asText, fieldOf, holds, isObject, partsOf } from "./references.ts";
import { type AgentResult, deliverableOf, type Run, type RunStatus, type Usage } from "./result.ts";

export interface RunOptions {
  signal: AbortSignal;
  /** Hears of everything; `run` gives the run as it stands. */
  onEvent?: (event: RunEvent, run: () => Run) => void;
  depth?: number;
  /** How many agents may still begin, shared by all ensembles of a run. */
  room?: { left: number };
}

/** Answers that are kept for agents with `cache`. */
const MOST_CACHED = 200;

/**
 * Runs an ensemble. Agents start as soon as those they depend on have ended; one that fails does not end the run.
 * Never rejects: a run that is cancelled ends as `cancelled`.
 */
export async function runEnsemble(
  engine: Engine,
  ensemble: Ensemble,
  input: string,
  options: RunOptions,
): Promise<Run> {
  const { agents } = ensemble;
  const { signal, onEvent = () => {}, depth = 0, room = { left: MOST_IN_RUN - agents.length } } = options;
  const phases = phasesOf(agents);
  const waits = Object.fromEntries(agents.map((agent) => [agent.name, agent.depends_on]));
  const task = input.trim() === "" ? (ensemble.default_task ?? "") : input;
  const startedMs = engine.clock.now();
  const ended = new Map<string, AgentResult>();
  const usages = new Map<string, Usage>();
  const running = new Set<string>();
  let status: RunStatus = "running";

  function run(): Run {
    const inOrder = agents.filter(({ name }) => ended.has(name));
    const nowMs = engine.clock.now();
    return {
      ensemble: ensemble.name,
      status,
      input: { data: task },
      results: Object.fromEntries(inOrder.map(({ name }) => [name, ended.get(name) ?? missing])),
      deliverable: status === "running" ? null : deliverableText(agents, ended),
      metadata: {
        agents_used: agents.length,
        started_at: new Date(startedMs).toISOString(),
        completed_at: status === "running" ? null : new Date(nowMs).toISOString(),
        duration: `${((nowMs - startedMs) / 1000).toFixed(2)}s`,
        duration_ms: nowMs - startedMs,
        phases,
        depends_on: waits,
        running: [...running],
        usage: {
          agents: Object.fromEntries(inOrder.map(({ name }) => [name, usages.get(name) ?? noUsage])),
          totals: totalOf(usages),
        },
        pid: process.pid,
      },
    };
  }

  async function runAgent(agent: Agent): Promise<void> {
    const { name } = agent;
    const why = signal.aborted ? "the run was cancelled" : whySkipped(agent, ended);
    if (why !== undefined) {
      ended.set(name, { response: "", status: "skipped", error: why });
    } else {
      running.add(name);
      onEvent({ type: "agent_started", agent: name }, run);
      const agentStartMs = engine.clock.now();
      const { result, usage } = await attempt(agent);
      running.delete(name);
      ended.set(name, result);
      usages.set(name, { ...noUsage, ...usage, duration_ms: engine.clock.now() - agentStartMs });
    }
    const result = ended.get(name) ?? missing;
    onEvent({ type: "agent_ended", agent: name, result, completed: ended.size, total: agents.length }, run);
  }

  async function attempt(agent: Agent): Promise<Outcome> {
    const context: AgentContext = {
      engine,
      agent,
      input: task,
      results: ended,
      signal,
      depth,
      room,
      onEvent: (event) => onEvent(event, run),
    };
    try {
      return agent.fan_out ? await fanOut(context) : await runOne(context);
    } catch (error) {
      const why = signal.aborted ? "the run was cancelled" : messageOf(error);
      return { result: { response: "", status: "failed", error: why }, usage: {} };
    }
  }

  onEvent({ type: "run_started", ensemble: ensemble.name, agents: agents.map(({ name }) => name) }, run);
  const ends = new Map<string, Promise<void>>();
  for (const phase of phases) {
    for (const agent of agents.filter(({ name }) => phase.includes(name))) {
      const before = agent.depends_on.map((name) => ends.get(name) ?? Promise.resolve());
      ends.set(
        agent.name,
        Promise.all(before).then(() => runAgent(agent)),
      );
    }
  }
  await Promise.all(ends.values());
  const isWhole = [...ended.values()].every(
    (result) => result.status === "success" || (result.status === "skipped" && !signal.aborted),
  );
  status = signal.aborted ? "cancelled" : isWhole ? "completed" : "completed_with_errors";
  const done = run();
  onEvent({ type: "run_ended", status }, () => done);
  return done;
}

const missing: AgentResult = { response: "", status: "failed", error: "it did not run" };
const noUsage: Usage = { total_tokens: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0, duration_ms: 0 };

function totalOf(usages: ReadonlyMap<string, Usage>): Run["metadata"]["usage"]["totals"] {
  const totals = {
    total_tokens: 0,
    total_input_tokens: 0,
    total_output_tokens: 0,
    total_cost_usd: 0,
    agents_count: usages.size,
  };
  for (const usage of usages.values()) {
    totals.total_tokens += usage.total_tokens;
    totals.total_input_tokens += usage.input_tokens;
    totals.total_output_tokens += usage.output_tokens;
    totals.total_cost_usd += usage.cost_usd;
  }
  return totals;
}

function deliverableText(agents: readonly Agent[], results: ReadonlyMap<string, AgentResult>): string | null {
  const last = deliverableOf(agents, results);
  return last === undefined ? null : readable(last);
}

function whySkipped(agent: Agent, results: ReadonlyMap<string, AgentResult>): string | undefined {
  const before = agent.depends_on.map((name) => [name, results.get(name)] as const);
  const isWithout =
    before.length > 0 &&
    before.every(([, result]) => result?.status === "failed" || result?.status === "skipped");
  if (agent.on_dependency_failure === "skip" && isWithout) {
    return `nothing before it succeeded: ${before.map(([name, result]) => `${name} (${result?.error ?? result?.status})`).join(", ")}`;
  }
  if (agent.when === undefined || holds(agent.when, (path) => lookUp(results, path))) return undefined;
  return `its condition does not hold: ${agent.when}`;
}

/** Nesting multiplies: a few small files would otherwise be a run without an end. */
function takeRoom({ room }: AgentContext, agents: number): void {
  if (agents > room.left) {
    throw new Error(
      `a run has at most ${MOST_IN_RUN} agents, and ${agents} more would be too many: give it fewer items, rounds or nested ensembles`,
    );
  }
  room.left -= agents;
}

/** Runs an agent once for each item of a list, and gathers what came of them. */
async function fanOut(context: AgentContext): Promise<Outcome> {
  const { agent } = context;
  const items = itemsOf(agent, context.results);
  if (items.length > MOST_ITEMS) {
    throw new Error(
      `fan_out: expected at most ${MOST_ITEMS} items, got ${items.length}: have the agent before put several into one`,
    );
  }
  takeRoom(context, items.length);
  const outcomes = await Promise.all(
    items.map((value, index) =>
      runOne({ ...context, item: { value, index, total: items.length } }).catch((error: unknown): Outcome => {
        if (context.signal.aborted) throw error;
        return { result: { response: "", status: "failed", error: messageOf(error) }, usage: {} };
      }),
    ),
  );
  const instances = outcomes.map(({ result }) => result);
  const failed = instances.filter(({ status }) => status === "failed");
  const status = failed.length === 0 ? "success" : failed.length < instances.length ? "partial" : "failed";
  const answers = instances.map((one) => (one.status === "failed" ? null : valueOf(one)));
  const error =
    failed.length === 0
      ? {}
      : { error: `${failed.length} of ${instances.length} items failed: ${failed[0]?.error ?? ""}` };
  return {
    result: { response: JSON.stringify(answers), status, ...error, instances },
    usage: sumOf(outcomes.map(({ usage }) => usage)),
  };
}

function sumOf(usages: readonly Partial<Usage>[]): Partial<Usage> {
  const sum = (key: "total_tokens" | "input_tokens" | "output_tokens" | "cost_usd"): number =>
    usages.reduce((total, usage) => total + (usage[key] ?? 0), 0);
  return {
    ...usages[0],
    total_tokens: sum("total_tokens"),
    input_tokens: sum("input_tokens"),
    output_tokens: sum("output_tokens"),
    cost_usd: sum("cost_usd"),
  };
}

async function runOne(context: AgentContext): Promise<Outcome> {
  const { engine, agent } = context;
  const key = agent.cache ? cacheKey(context) : undefined;
  const known = key === undefined ? undefined : engine.cache.get(key);
  if (known !== undefined) return { result: { ...known.result, cached: true }, usage: {} };
  const outcome = await runKind(context);
  if (key !== undefined && outcome.result.status === "success") {
    const [oldest] = engine.cache.keys();
    if (engine.cache.size >= MOST_CACHED && oldest !== undefined) engine.cache.delete(oldest);
    engine.cache.set(key, outcome);
  }
  return outcome;
}

function cacheKey({ engine, agent, input, results, item }: AgentContext): string {
  const profile = agent.model_profile === undefined ? undefined : engine.profile(agent.model_profile);
  const version = agent.script === undefined ? undefined : engine.script(agent.script).version;
  const asked = [agent, profile, version, input, item, dependenciesOf(agent, results)];
  return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}

function runKind(context: AgentContext): Promise<Outcome> {
  switch (context.agent.kind) {
    case "model":
      return runModel(context);
    case "script":
      return runScriptAgent(context);
    case "loop":
      return inTime(context, (signal) => runLoop({ ...context, signal }));
    default:
      return inTime(context, (signal) => runChild({ ...context, signal }));
  }
}

/** Runs the ensemble that an `ensemble` agent names, or that a `dispatch` agent was told. */
async function runChild(context: AgentContext): Promise<Outcome> {
  const { agent, results } = context;
  const target = agent.ensemble ?? lookUp(results, partsOf(agent.dispatch ?? ""));
  if (typeof target !== "string" || target.trim() === "") {
    throw new Error(
      `dispatch: expected the name of an ensemble at ${agent.dispatch ?? ""}, got ${asText(target).slice(0, 80) || "nothing"}`,
    );
  }
  const child = await descend(context, target.trim(), promptOf(agent, context.input, results, context.item));
  const { name, status } = child;
  const error = child.isSuccess ? {} : { error: `the ensemble ${name} ended as ${status}: ${child.why}` };
  const result: AgentResult = {
    response: child.text,
    status: child.isSuccess ? "success" : child.text === "" ? "failed" : "partial",
    ...error,
    ensemble: { name, status, results: child.results },
  };
  return { result, usage: child.usage };
}

interface Child {
  name: string;
  status: RunStatus;
  isSuccess: boolean;
  why: string;
  text: string;
  /** What its last agent answered, as a value. */
  value: unknown;
  results: Run["results"];
  usage: Partial<Usage>;
}

async function descend(context: AgentContext, name: string, input: string): Promise<Child> {
  const { engine, signal, depth, room } = context;
  if (depth + 1 > MOST_DEPTH)
    throw new Error(`Ensemble nesting depth limit exceeded: depth ${depth + 1} > limit ${MOST_DEPTH}`);
  const ensemble = engine.ensemble(name);
  takeRoom(context, ensemble.agents.length);
  const { status, results, deliverable, metadata } = await runEnsemble(engine, ensemble, input, {
    signal,
    depth: depth + 1,
    room,
  });
  signal.throwIfAborted();
  const { totals } = metadata.usage;
  const usage = {
    total_tokens: totals.total_tokens,
    input_tokens: totals.total_input_tokens,
    output_tokens: totals.total_output_tokens,
    cost_usd: totals.total_cost_usd,
  };
  const failed = Object.entries(results).find(
    ([, result]) => result.status === "failed" || result.status === "partial",
  );
  const last = deliverableOf(ensemble.agents, new Map(Object.entries(results)));
  return {
    name,
    status,
    isSuccess: status === "completed",
    why: failed === undefined ? "" : `${failed[0]}: ${failed[1].error ?? ""}`,
    text: deliverable ?? "",
    value: valueOf(last),
    results,
    usage,
  };
}

/** Runs an ensemble until what it answers fulfils a condition, or the rounds are over. */
async function runLoop(context: AgentContext): Promise<Outcome> {
  const { agent, results } = context;
  const { loop } = agent;
  if (loop === undefined) throw new Error("expected a loop");
  let input = promptOf(agent, context.input, results, context.item);
  const usages: Partial<Usage>[] = [];
  for (let iterations = 1; ; iterations += 1) {
    const child = await descend(context, loop.body, input);
    usages.push(child.usage);
    const output = isObject(child.value) ? child.value : { value: child.value };
    const isDone = holds(loop.until, (path) => fieldOf(output, path));
    if (isDone || iterations >= loop.max_iterations) {
      const answer = { output, iterations, terminated: isDone ? "until" : "max_iterations" };
      const result: AgentResult = {
        response: JSON.stringify(answer),
        status: child.text === "" ? "failed" : "success",
        ...(child.text === ""
          ? { error: `round ${iterations} of ${loop.body} answered nothing: ${child.why}` }
          : {}),
        ensemble: { name: child.name, status: child.status, results: child.results },
      };
      return { result, usage: sumOf(usages) };
    }
    const carried = loop.carry === undefined ? undefined : fieldOf(output, partsOf(loop.carry));
    if (carried !== undefined && carried !== null) input = asText(carried);
  }
}
