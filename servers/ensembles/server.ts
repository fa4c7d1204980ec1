import { McpServer } from "@modelcontextprotocol/server";

import { cacheHints, VERSION } from "../kit/tool.ts";
import { addResources } from "./resources.ts";
import { addEnsembleEditing, addProfiles } from "./tools/editing.ts";
import { addArtifacts, addProviders } from "./tools/housekeeping.ts";
import { addLibrary } from "./tools/library.ts";
import { toolAdder } from "./tools/register.ts";
import { addRunning } from "./tools/running.ts";
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
