import { readFileSync } from "node:fs";

import {
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type Variables,
} from "@modelcontextprotocol/server";

import { cacheHints, ToolFailure, VERSION } from "../kit/tool.ts";
import { describeFault, readYaml } from "./engine/parse.ts";
import { isObject } from "./engine/references.ts";
import { addEnsembleEditing, addProfiles, listProfiles } from "./tools/editing.ts";
import { addArtifacts, addProviders } from "./tools/housekeeping.ts";
import { addLibrary } from "./tools/library.ts";
import { toolAdder } from "./tools/register.ts";
import { addRunning, listEnsembles } from "./tools/running.ts";
import { addScripts } from "./tools/scripting.ts";
import type { Workshop } from "./workshop.ts";

/** A fresh MCP server for ensembles. */
export function createEnsemblesServer(workshop: Workshop): McpServer {
  const server = new McpServer(
    { name: "ensembles", title: "Ensembles", version: VERSION },
    {
      cacheHints,
      capabilities: { logging: {} },
      instructions:
        "Ensembles are several models and scripts that work on one input. list_ensembles says which there are, " +
        "invoke runs one, analyze_execution looks back at a run.",
    },
  );
  const add = toolAdder(server);
  addRunning(add, workshop);
  addEnsembleEditing(add, workshop);
  addProfiles(add, workshop);
  addScripts(add, workshop);
  addLibrary(add, workshop);
  addArtifacts(add, workshop);
  addProviders(add, workshop);
  addResources(server, workshop);
  return server;
}

const JSON_TYPE = "application/json";

/** What a client reads without calling a tool: two lists, and four kinds of things by name. */
function addResources(server: McpServer, workshop: Workshop): void {
  const { project, artifacts } = workshop;
  const fixed = (name: string, description: string, read: () => unknown): void => {
    server.registerResource(name, `llm-orc://${name}`, { description, mimeType: JSON_TYPE }, (uri) =>
      contents(uri, read),
    );
  };
  const byName = (
    name: string,
    path: string,
    description: string,
    read: (given: (key: string) => string) => unknown,
  ): void => {
    server.registerResource(
      name,
      new ResourceTemplate(`llm-orc://${path}`, { list: undefined }),
      { description, mimeType: JSON_TYPE },
      (uri, variables) => contents(uri, () => read((key) => textOf(variables, key))),
    );
  };

  fixed("ensembles", "All ensembles, with what they are for", () => listEnsembles(workshop));
  fixed("profiles", "Profiles of models that agents name", () => listProfiles(workshop));
  byName("ensemble", "ensemble/{name}", "One ensemble, as its file has it", (given) => {
    const { parsed, source, path, relativePath } = project.ensemble(given("name"));
    const { data, faults } = readYaml(readFileSync(path, "utf8"), `ensembles/${relativePath}`);
    if (!isObject(data))
      throw new ToolFailure(
        "invalid_ensemble",
        [...faults, ...parsed.faults].slice(0, 1).map(describeFault).join(""),
      );
    const errors = parsed.faults.map(describeFault);
    return { ...data, source, path, ...(errors.length === 0 ? {} : { errors }) };
  });
  byName("artifacts", "artifacts/{ensemble}", "Runs of an ensemble, the newest first", (given) => {
    const ensemble = given("ensemble");
    return {
      ensemble,
      artifacts: runsOf(workshop, ensemble).map(({ id, run }) => factsOf(ensemble, id, run)),
    };
  });
  byName("artifact", "artifact/{ensemble}/{id}", "One run with all that its agents answered", (given) =>
    artifacts.read(given("ensemble"), given("id")),
  );
  byName("metrics", "metrics/{ensemble}", "How runs of an ensemble did: success, cost and time", (given) => {
    const ensemble = given("ensemble");
    // One that is under way has neither succeeded nor failed.
    const runs = runsOf(workshop, ensemble).flatMap(({ run }) => (run.status === "running" ? [] : [run]));
    const mean = (numbers: number[]): number =>
      numbers.length === 0 ? 0 : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
    return {
      ensemble,
      success_rate: mean(runs.map(({ status }) => (status === "completed" ? 1 : 0))),
      avg_cost: mean(runs.map(({ metadata }) => metadata.usage.totals.total_cost_usd)),
      avg_duration: mean(runs.map(({ metadata }) => metadata.duration_ms / 1000)),
      total_executions: artifacts.list(ensemble).length,
    };
  });
}

type Run = ReturnType<Workshop["artifacts"]["read"]>;

/** Newest runs that are looked into for a list, and for the means of the metrics; older ones are only counted. */
const MOST_RUNS = 200;

/** Rejects as unknown what is neither an ensemble nor has runs. */
function runsOf({ artifacts, project }: Workshop, ensemble: string): { id: string; run: Run }[] {
  const ids = artifacts.list(ensemble);
  if (ids.length === 0) project.ensemble(ensemble);
  return ids.slice(0, MOST_RUNS).flatMap((id) => {
    try {
      return [{ id, run: artifacts.read(ensemble, id) }];
    } catch (error) {
      if (error instanceof ToolFailure) return [];
      throw error;
    }
  });
}

function factsOf(ensemble: string, id: string, { status, metadata }: Run): object {
  const { totals } = metadata.usage;
  return {
    id,
    artifact_id: `${ensemble}/${id}`,
    timestamp: metadata.started_at,
    status,
    agents: metadata.agents_used,
    duration: metadata.duration,
    cost: totals.total_cost_usd,
    total_tokens: totals.total_tokens,
  };
}

function textOf(variables: Variables, key: string): string {
  const value = variables[key];
  return decodeURIComponent(Array.isArray(value) ? (value[0] ?? "") : (value ?? ""));
}

/** What is not there is an error of the protocol, as for a URI that nothing answers to. */
function contents(
  uri: URL,
  read: () => unknown,
): { contents: { uri: string; mimeType: string; text: string }[] } {
  try {
    return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(read(), null, 1) }] };
  } catch (error) {
    if (error instanceof ToolFailure || error instanceof URIError)
      throw new ResourceNotFoundError(uri.href, error.message);
    throw error;
  }
}
