import { statSync } from "node:fs";
import { dirname } from "node:path";
import pLimit from "p-limit";

import { dataFolder } from "../kit/data.ts";
import { ToolFailure } from "../kit/tool.ts";
import { MOST_DEPTH, MOST_IN_RUN, type Agent, type Ensemble } from "./engine/definition.ts";
import { findCircle } from "./engine/graph.ts";
import { createModels, type Models, unsupported, providerOf } from "./engine/models.ts";
import { describeFault, type Fault } from "./engine/parse.ts";
import type { Run } from "./engine/result.ts";
import { type Engine, type RunEvent, systemClock } from "./engine/agent.ts";
import { runEnsemble } from "./engine/run.ts";
import { createScriptRunner } from "./engine/run-script.ts";
import { type Artifacts, openArtifacts } from "./store/artifacts.ts";
import { type FoundEnsemble, meant, openProject, type Project } from "./store/project.ts";
import { findScript } from "./store/scripts.ts";

/** What the server, and the command line, work with. */
export interface Workshop {
  project: Project;
  artifacts: Artifacts;
  models: Models;
  engine: Engine;
}

/** Models and scripts at once, over all runs. */
const AT_ONCE = 8;

/**
 * Opens the project that the environment names (see openProject). `ENSEMBLES_AT_ONCE` is how many models and scripts
 * run at once (default 8). Throws a ToolFailure for a number that is none.
 */
export function openWorkshop(env: NodeJS.ProcessEnv, cwd: string = process.cwd()): Workshop {
  const project = openProject(env, cwd);
  const models = createModels(env);
  const artifacts = openArtifacts(project.local);
  const hidden = dataFolder(env, cwd);
  const engine: Engine = {
    models,
    runScript: createScriptRunner(env),
    clock: systemClock,
    limit: pLimit(atOnce(env.ENSEMBLES_AT_ONCE?.trim() || String(AT_ONCE))),
    profile: (name) => project.profile(name)?.profile,
    ensemble: (name) => readyEnsemble(project, name),
    script(path) {
      const { file, root } = findScript(project, path);
      const { mtimeMs, size } = statSync(file);
      const folder = dirname(project.local);
      const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
      return { file, root, cwd: isThere ? folder : root, hidden, version: `${mtimeMs}:${size}` };
    },
    cache: new Map(),
  };
  return { project, artifacts, models, engine };
}

function atOnce(text: string): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (number >= 1) return number;
  throw new ToolFailure("bad_number", `ENSEMBLES_AT_ONCE: expected 1 to 999, got "${text}"`);
}

/** Everything that is wrong with an ensemble, in its own file and by what else is there. */
export function faultsOf(project: Project, found: FoundEnsemble): Fault[] {
  const { parsed, relativePath } = found;
  const { value, faults } = parsed;
  if (value === undefined) return faults;
  const add: Fault[] = [];
  const profiles = project.profiles().map(({ profile }) => profile.name);
  const ensembles = project.ensembles().map((one) => one.name);
  value.agents.forEach((agent, index) => {
    const fault = (key: string, message: string, remedy: string): void => {
      const path = ["agents", index, key];
      add.push({
        file: `ensembles/${relativePath}`,
        line: parsed.lineOf(path),
        key: `agents[${index}].${key}`,
        message,
        remedy,
      });
    };
    checkProfiles(profiles, agent, fault);
    if (agent.script !== undefined) {
      try {
        findScript(project, agent.script);
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        fault(
          "script",
          `Agent '${agent.name}': ${error.message}`,
          "Make the script with create_script, or name another",
        );
      }
    }
    for (const [key, child] of childrenOf(agent)) {
      if (!ensembles.includes(child))
        fault(
          key,
          `Agent '${agent.name}' runs unknown ensemble '${child}'${meant(child, ensembles)}`,
          "Make it with create_ensemble, or name another",
        );
    }
  });
  return [...faults, ...add, ...nestingFaults(project, found)];
}

type AddFault = (key: string, message: string, remedy: string) => void;

function checkProfiles(names: readonly string[], agent: Agent, fault: AddFault): void {
  for (const key of ["model_profile", "fallback_model_profile"] as const) {
    const name = agent[key];
    if (name !== undefined && !names.includes(name))
      fault(
        key,
        `Agent '${agent.name}' uses unknown profile '${name}'${meant(name, names)}`,
        `Make it with create_profile, or name one of ${names.join(", ") || "those that you make"}`,
      );
  }
  if (agent.provider !== undefined && providerOf(agent.provider) === undefined) {
    fault("provider", `Agent '${agent.name}': ${unsupported(agent.provider)}`, "Name another provider");
  }
}

function childrenOf(agent: Agent): [string, string][] {
  return [
    ...(agent.ensemble === undefined ? [] : [["ensemble", agent.ensemble] as [string, string]]),
    ...(agent.loop === undefined ? [] : [["loop", agent.loop.body] as [string, string]]),
  ];
}

/** Ensembles that run themselves over others, that go deeper than they may, or that come to too many agents. */
export function nestingFaults(project: Project, { name, parsed, relativePath }: FoundEnsemble): Fault[] {
  const all = new Map(project.ensembles().map((one) => [one.name, one.parsed.value]));
  const next = (one: string): string[] =>
    (all.get(one)?.agents ?? []).flatMap(childrenOf).map(([, child]) => child);
  const at = { file: `ensembles/${relativePath}`, line: parsed.lineOf(["agents"]), key: "agents" };
  const circle = findCircle([name], next);
  if (circle !== undefined) {
    const message = `Circular dependency detected: ${circle.join(" -> ")}`;
    return [{ ...at, message, remedy: "Take one of these ensembles out of the other" }];
  }
  // Each ensemble is measured once: over several that run the same ones the ways multiply.
  const measured = new Map<string, { depth: number; agents: number }>();
  function measure(one: string): { depth: number; agents: number } {
    const known = measured.get(one);
    if (known !== undefined) return known;
    const inner = next(one).map(measure);
    const own = all.get(one)?.agents.length ?? 0;
    const size = {
      depth: Math.max(0, ...inner.map(({ depth }) => depth + 1)),
      agents: inner.reduce((sum, { agents }) => sum + agents, own),
    };
    measured.set(one, size);
    return size;
  }
  const { depth, agents } = measure(name);
  const faults: Fault[] = [];
  if (depth > MOST_DEPTH) {
    const message = `ensembles are nested ${depth} deep, and at most ${MOST_DEPTH} is allowed`;
    faults.push({ ...at, message, remedy: "Put some of them into one" });
  }
  if (agents > MOST_IN_RUN) {
    const message = `with the ensembles that it runs it has ${agents} agents, and at most ${MOST_IN_RUN} is allowed`;
    faults.push({ ...at, message, remedy: "Run fewer ensembles, or smaller ones" });
  }
  return faults;
}

function readyEnsemble(project: Project, name: string): Ensemble {
  const found = project.ensemble(name);
  const { value } = found.parsed;
  // What other files lack is said by the agents that miss it: the rest of the run is worth having.
  const [fault] = found.parsed.faults;
  if (value !== undefined && fault === undefined) return value;
  const more = found.parsed.faults.length > 1 ? ` (and ${found.parsed.faults.length - 1} more)` : "";
  throw new ToolFailure(
    "invalid_ensemble",
    `"${name}" cannot run: ${fault === undefined ? "it is no ensemble" : describeFault(fault)}${more}`,
  );
}

/** A run, and where it is kept: null, with a warning that says why, where it could not be kept to its end. */
interface Invoked {
  run: Run;
  artifact: string | null;
  warning?: string;
}

/** Runs an ensemble and keeps the run. Rejects with a ToolFailure where it cannot begin. */
export async function invoke(
  { engine, artifacts }: Pick<Workshop, "engine" | "artifacts">,
  name: string,
  input: string,
  { signal, onEvent }: { signal: AbortSignal; onEvent: (event: RunEvent) => void },
): Promise<Invoked> {
  const ensemble = engine.ensemble(name);
  let recording: ReturnType<Artifacts["begin"]> | undefined;
  const run = await runEnsemble(engine, ensemble, input, {
    signal,
    onEvent(event, run) {
      if (event.type === "run_started") recording = artifacts.begin(run());
      else if (event.type !== "run_ended") recording?.update(run);
      onEvent(event);
    },
  });
  try {
    await recording?.finish(run);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    // What models and scripts have done is worth more than its record.
    return { run, artifact: null, warning: `this run is not kept: ${error.message}` };
  }
  return { run, artifact: `${run.ensemble}/${recording?.id ?? ""}` };
}
