import { messageOf } from "../../kit/tool.ts";
import type { Agent, Ensemble, Profile } from "./definition.ts";
import { dependenciesOf, type Item, promptOf, selected } from "./input.ts";
import type { Models } from "./models.ts";
import { parsedJson } from "./references.ts";
import type { AgentResult, RunStatus, Usage } from "./result.ts";
import type { RunScript } from "./run-script.ts";

/** Time as the engine knows it, so that a test can have its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back after this many milliseconds, unless the answer is called before. */
  after(ms: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** What runs need of the world. */
export interface Engine {
  models: Models;
  runScript: RunScript;
  clock: Clock;
  /** Admits as many models and scripts at once as are allowed, over all runs. */
  limit: <T>(work: () => Promise<T>) => Promise<T>;
  profile(name: string): Profile | undefined;
  /** Throws where there is none, or a broken one. */
  ensemble(name: string): Ensemble;
  /** Where a script is and what it may read. Throws where there is none. */
  script(path: string): {
    file: string;
    root: string;
    cwd: string;
    hidden: string;
    version: string;
  };
  /** Answers of agents with `cache`, by what they were asked. */
  cache: Map<string, Outcome>;
}

export type RunEvent =
  | { type: "run_started"; ensemble: string; agents: string[] }
  | { type: "agent_started"; agent: string }
  | { type: "agent_ended"; agent: string; result: AgentResult; completed: number; total: number }
  | { type: "fallback"; agent: string; from: string; to: string; error: string }
  | { type: "run_ended"; status: RunStatus };

/** What came of an agent, and what it used. */
export interface Outcome {
  result: AgentResult;
  usage: Partial<Usage>;
}

const DEFAULT_TIMEOUT_S: Record<Agent["kind"], number> = {
  model: 120,
  script: 60,
  ensemble: 1800,
  loop: 1800,
  dispatch: 1800,
};
/** What an agent of a run is given. */
export interface AgentContext {
  engine: Engine;
  agent: Agent;
  input: string;
  results: ReadonlyMap<string, AgentResult>;
  signal: AbortSignal;
  depth: number;
  room: { left: number };
  item?: Item;
  onEvent: (event: RunEvent) => void;
}

/** Gives a work the agent's time. Rejects with an error that says so when it is over. */
export async function inTime<T>(
  { engine, agent, signal }: AgentContext,
  work: (signal: AbortSignal) => Promise<T>,
  seconds?: number,
): Promise<T> {
  const limit = agent.timeout_seconds ?? seconds ?? DEFAULT_TIMEOUT_S[agent.kind];
  const over = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = engine.clock.after(limit * 1000, () =>
    over.abort(new Error(`it took longer than ${limit} s: set timeout_seconds`)),
  );
  const both = AbortSignal.any([signal, over.signal]);
  const onAbort = (): void => reject(both.reason as Error);
  both.addEventListener("abort", onAbort, { once: true });
  try {
    both.throwIfAborted();
    return await Promise.race([work(both), promise]);
  } finally {
    cancel();
    both.removeEventListener("abort", onAbort);
  }
}

/** Asks the agent's model, and those it falls back on where that fails. */
export async function runModel(context: AgentContext): Promise<Outcome> {
  const { engine, agent, signal } = context;
  const tried: string[] = [];
  let profile = profileOf(engine, agent);
  for (;;) {
    tried.push(profile.name);
    try {
      const outcome = await askModel(context, profile);
      if (tried.length > 1) outcome.result.fallback = profile.name;
      return outcome;
    } catch (error) {
      const next =
        (tried.length === 1 ? agent.fallback_model_profile : undefined) ?? profile.fallback_model_profile;
      if (signal.aborted || next === undefined || tried.includes(next)) throw error;
      context.onEvent({
        type: "fallback",
        agent: agent.name,
        from: profile.name,
        to: next,
        error: messageOf(error),
      });
      profile = knownProfile(engine, agent, next);
    }
  }
}

function profileOf(engine: Engine, agent: Agent): Profile {
  if (agent.model_profile !== undefined) return knownProfile(engine, agent, agent.model_profile);
  return { name: agent.model ?? "", provider: agent.provider ?? "", model: agent.model ?? "" };
}

function knownProfile(engine: Engine, agent: Agent, name: string): Profile {
  const profile = engine.profile(name);
  if (profile !== undefined) return profile;
  throw new Error(`Agent '${agent.name}' uses unknown profile '${name}'`);
}

async function askModel(context: AgentContext, profile: Profile): Promise<Outcome> {
  const { engine, agent, input, results, item } = context;
  const json = agent.output_format === "json";
  const request = {
    provider: profile.provider,
    model: profile.model,
    system: agent.system_prompt ?? profile.system_prompt,
    prompt: promptOf(agent, input, results, item),
    temperature: agent.temperature ?? profile.temperature,
    maxTokens: agent.max_tokens ?? profile.max_tokens,
    json,
    options:
      profile.options === undefined && agent.options === undefined
        ? undefined
        : { ...profile.options, ...agent.options },
  };
  // Its time begins when it has its place among those that run at once.
  const { text, inputTokens, outputTokens } = await engine.limit(() =>
    inTime(context, (signal) => engine.models.ask({ ...request, signal }), profile.timeout_seconds),
  );
  if (json && parsedJson(text) === undefined)
    throw new Error(`${profile.model} was to answer JSON and did not: ${text.slice(0, 120)}`);
  const total = inputTokens + outputTokens;
  const usage = {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: total,
    cost_usd: total * (profile.cost_per_token ?? 0),
    model: profile.model,
    ...(agent.model_profile === undefined ? {} : { model_profile: profile.name }),
  };
  return { result: { response: text.trim(), status: "success" }, usage };
}

export async function runScriptAgent({
  engine,
  agent,
  input,
  results,
  item,
  signal,
}: AgentContext): Promise<Outcome> {
  const { version: _, ...launch } = engine.script(agent.script ?? "");
  const given = item?.value ?? (agent.input_key === undefined ? input : selected(agent, results));
  const context = item === undefined ? {} : { index: item.index, total: item.total, base_input: input };
  const answer = await engine.limit(() =>
    engine.runScript({
      ...launch,
      input: {
        agent_name: agent.name,
        input_data: given,
        context,
        dependencies: dependenciesOf(agent, results),
      },
      parameters: agent.parameters ?? {},
      timeoutMs: (agent.timeout_seconds ?? DEFAULT_TIMEOUT_S.script) * 1000,
      signal,
    }),
  );
  const { success, data, error, output } = answer;
  if (success) return { result: { response: output, status: "success", data }, usage: {} };
  return { result: { response: output, status: "failed", error: error ?? "the script failed" }, usage: {} };
}
