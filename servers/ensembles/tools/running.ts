import type { ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";

import { progressOf } from "../../kit/tool.ts";
import type { AgentKind } from "../engine/definition.ts";
import { phasesOf } from "../engine/graph.ts";
import { describeFault, type Fault } from "../engine/parse.ts";
import type { RunEvent } from "../engine/agent.ts";
import { headline } from "../store/report.ts";
import { faultsOf, invoke, type Workshop } from "../workshop.ts";
import { artifactOf, type AddTool, nameSchema, WithFile } from "./register.ts";

/** The five tools that everything began with: run, list, check, and look back. */
export function addRunning(add: AddTool, workshop: Workshop): void {
  const { artifacts } = workshop;

  add(
    "invoke",
    {
      title: "Run an ensemble",
      description:
        "Run an ensemble: several models and scripts that work on one input, such as a code review by several " +
        "reviewers. Answers what each agent said, and keeps the run as an artifact.",
      input: {
        ensemble_name: nameSchema.describe("Name of the ensemble, such as code-review"),
        input_data: z.string().max(500_000).describe("What the agents work on: a text, a diff, a table"),
      },
      effect: "run",
    },
    async ({ ensemble_name: name, input_data: input }, context) => {
      const { run, artifact, warning } = await invoke(workshop, name, input, {
        signal: context.mcpReq.signal,
        onEvent: tellClient(context),
      });
      const { results, status, deliverable, metadata } = run;
      const kept = { artifact, ...(warning === undefined ? {} : { warning }) };
      return { ensemble: name, status, summary: headline(run), deliverable, results, metadata, ...kept };
    },
  );

  add(
    "list_ensembles",
    {
      title: "List ensembles",
      description: "List all ensembles: the project's own, those for all projects and those of the library.",
      input: {},
      effect: "read",
    },
    () => {
      const ensembles = listEnsembles(workshop);
      return { ensembles, count: ensembles.length };
    },
  );

  add(
    "validate_ensemble",
    {
      title: "Validate an ensemble",
      description:
        "Check an ensemble's file: keys, agents, circles, profiles, scripts; each fault with line and remedy.",
      input: { ensemble_name: nameSchema.describe("Name of the ensemble") },
      effect: "read",
    },
    ({ ensemble_name: name }) => validate(workshop, name),
  );

  add(
    "analyze_execution",
    {
      title: "Analyse a run",
      description:
        "Analyse a run that was kept: how many agents succeeded, what failed, time, tokens and cost.",
      input: {
        artifact_id: nameSchema.describe(
          "ENSEMBLE/TIMESTAMP, such as code-review/20261123-101500-123; ENSEMBLE or ENSEMBLE/latest: its newest run",
        ),
      },
      effect: "read",
    },
    ({ artifact_id: id }) => {
      const { ensemble, run: given } = artifactOf(id.includes("/") ? id : `${id}/latest`);
      // Which one it is has to be said where only the newest was asked for.
      const runId = artifacts.exact(ensemble, given);
      const run = artifacts.read(ensemble, runId);
      const results = Object.entries(run.results);
      const succeeded = results.filter(([, { status }]) => status === "success").length;
      const { totals } = run.metadata.usage;
      const { agents_used: total, phases, depends_on: waits } = run.metadata;
      const agents = phases.flat().map((name) => ({
        name,
        status: run.results[name]?.status ?? "unfinished",
        depends_on: waits[name] ?? [],
      }));
      const report = artifacts.report(ensemble, runId);
      const data = {
        artifact_id: `${ensemble}/${runId}`,
        ensemble: run.ensemble,
        status: run.status,
        started_at: run.metadata.started_at,
        analysis: {
          total_agents: total,
          successful_agents: succeeded,
          failed_agents: results.filter(([, { status }]) => status === "failed" || status === "partial")
            .length,
          skipped_agents: results.filter(([, { status }]) => status === "skipped").length,
          unfinished_agents: total - results.length,
          failures: Object.fromEntries(
            results.flatMap(([name, { error }]) => (error === undefined ? [] : [[name, error]])),
          ),
        },
        phases,
        agents,
        metrics: {
          agent_success_rate: total === 0 ? 1 : succeeded / total,
          cost: totals.total_cost_usd,
          duration: run.metadata.duration_ms / 1000,
          total_tokens: totals.total_tokens,
        },
        report,
      };
      const uri = `llm-orc://artifact/${ensemble}/${runId}/${ensemble}-${runId}.md`;
      return new WithFile(data, { uri, mimeType: "text/markdown", text: report });
    },
  );
}

interface Listed {
  name: string;
  description: string;
  source: string;
  category: string;
  relative_path: string;
  agent_count: number;
  error?: string;
}

/** What is known of each ensemble without running it. */
export function listEnsembles({ project }: Pick<Workshop, "project">): Listed[] {
  return project.ensembles().map(({ name, source, relativePath, category, parsed }) => ({
    name,
    description: parsed.value?.description ?? "",
    source,
    category,
    relative_path: relativePath,
    agent_count: parsed.value?.agents.length ?? 0,
    ...(parsed.faults[0] === undefined ? {} : { error: describeFault(parsed.faults[0]) }),
  }));
}

interface Validation {
  ensemble: string;
  valid: boolean;
  details: {
    errors: string[];
    agent_count: number;
    /** Those of each can run at the same time; agents of a circle are in none. */
    phases: string[][];
    agents: { name: string; kind: AgentKind; depends_on: string[] }[];
    faults: Fault[];
    warnings: string[];
  };
}

/** What validate_ensemble answers. Throws a ToolFailure where there is no such ensemble. */
export function validate({ project }: Pick<Workshop, "project">, name: string): Validation {
  const found = project.ensemble(name);
  const { value, warnings } = found.parsed;
  const named = new Set(value?.agents.flatMap((one) => [one.model_profile, one.fallback_model_profile]));
  const isMissing = [...named].some((one) => one !== undefined && project.profile(one) === undefined);
  // A file of which nothing can be read may have the profile that is missing.
  const faults = [
    ...faultsOf(project, found),
    ...project
      .profileFaults()
      .filter(({ profile }) => (profile === undefined ? isMissing : named.has(profile))),
  ];
  return {
    ensemble: name,
    valid: faults.length === 0,
    details: {
      errors: faults.map(describeFault),
      agent_count: value?.agents.length ?? 0,
      phases: phasesOf(value?.agents ?? []),
      agents: (value?.agents ?? []).map(({ name, kind, depends_on }) => ({ name, kind, depends_on })),
      faults,
      warnings: warnings.map(describeFault),
    },
  };
}

/** Reports progress and says what happens, to a client that asked for it. */
function tellClient(context: ServerContext): (event: RunEvent) => void {
  const progress = progressOf(context);
  const say = (level: "info" | "warning" | "error", data: string): void => {
    // A client that went away is told by its signal; what is said must not end the run.
    void context.mcpReq.log(level, data, "ensembles").catch(() => {});
  };
  const list = new Map<string, string>();
  const checklist = (): string => [...list].map(([agent, mark]) => `${mark} ${agent}`).join("\n");
  return (event) => {
    switch (event.type) {
      case "run_started":
        for (const agent of event.agents) list.set(agent, "○");
        say("info", `Ensemble '${event.ensemble}' started with ${event.agents.length} agents`);
        return void progress(0, event.agents.length, checklist());
      case "agent_started":
        list.set(event.agent, "◐");
        return say("info", `Agent '${event.agent}' started`);
      case "agent_ended": {
        const { agent, result, completed, total } = event;
        const isFailure = result.status === "failed" || result.status === "partial";
        list.set(agent, isFailure ? "✗" : result.status === "skipped" ? "–" : "✓");
        if (isFailure) say("error", `Agent '${agent}' failed: ${result.error ?? ""}`);
        else
          say(
            "info",
            `Agent '${agent}' ${result.status === "skipped" ? `skipped: ${result.error ?? ""}` : "completed"}`,
          );
        return void progress(completed, total, checklist());
      }
      case "fallback":
        return say(
          "warning",
          `Agent '${event.agent}' falls back from ${event.from} to ${event.to}: ${event.error}`,
        );
      case "run_ended":
        return say("info", `Ensemble ended: ${event.status}`);
    }
  };
}
