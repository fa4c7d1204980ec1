import type { Tool as McpTool } from "@modelcontextprotocol/client";

import type { JsonSchema } from "#contract/json.ts";
import type { Tool, ToolAnnotations } from "#contract/tool.ts";

import { digest, jsonFault } from "../../base/json.ts";
import { partsOf } from "../../base/tool-names.ts";

/** The merged tools of all servers. */
export interface Catalogue {
  /** Sorted by id. */
  tools: Tool[];
  /**
   * By id, else by bare name, where the last configured server wins. What begins with the name of a configured
   * server is an id alone: with that server away, no other one's tool of such a name takes its place.
   */
  find(name: string): Tool | undefined;
  /** Names and ids that more than one tool claims, with the id that won. */
  duplicates: { name: string; servers: string[]; winner: string }[];
}

/** The specification allows 128 letters. */
const longestName = 512;

/** A tool as its server lists it, in the form of the catalogue. Throws where it cannot be one. */
export function toTool(server: string, trusted: boolean, listed: McpTool): Tool {
  if (listed.name.length > longestName)
    throw new Error(`expected a name of at most ${longestName} characters, got ${listed.name.length}`);
  const description = listed.description ?? "";
  const inputSchema = listed.inputSchema as JsonSchema;
  const outputSchema = listed.outputSchema as JsonSchema | undefined;
  const fault = jsonFault({ inputSchema, outputSchema });
  if (fault !== undefined) throw new Error(`${fault.field ?? "schema"}: ${fault.why}`);
  const title = listed.title ?? listed.annotations?.title;
  return {
    id: `${server}.${listed.name}`,
    server,
    name: listed.name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: toAnnotations(listed.annotations),
    digest: toolDigest({ name: listed.name, description, inputSchema, outputSchema }),
    trusted,
  };
}

/** See `Tool.digest`. A missing output schema counts as null. */
export function toolDigest(tool: {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema | undefined;
}): string {
  const { name, description, inputSchema, outputSchema = null } = tool;
  return digest({ name, description, inputSchema, outputSchema });
}

function toAnnotations(listed: McpTool["annotations"]): ToolAnnotations {
  const annotations: ToolAnnotations = {};
  for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const) {
    const value = listed?.[hint];
    if (value !== undefined) annotations[hint] = value;
  }
  return annotations;
}

/** Merges the lists of the servers, given in the order of the configuration; `servers` are all names there. */
export function mergeTools(lists: Tool[][], servers: readonly string[] = []): Catalogue {
  const known = new Set(servers);
  const byId = new Map<string, Tool>();
  const byName = new Map<string, Tool[]>();
  const doubleIds = new Map<string, Tool[]>();
  for (const tool of lists.flat()) {
    const earlier = byId.get(tool.id);
    if (earlier !== undefined) addTo(doubleIds, tool.id, tool, [earlier]);
    byId.set(tool.id, tool);
    addTo(byName, tool.name, tool);
  }
  const sameName = [...byName].filter(([, tools]) => new Set(tools.map((tool) => tool.server)).size > 1);
  return {
    tools: [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    find: (name) =>
      byId.get(name) ?? (known.has(partsOf(name).server) ? undefined : byName.get(name)?.at(-1)),
    duplicates: [...sameName, ...doubleIds].map(([name, tools]) => ({
      name,
      servers: [...new Set(tools.map((tool) => tool.server))],
      winner: tools.at(-1)?.id ?? name,
    })),
  };
}

/** A server may offer one name thousands of times. */
function addTo(lists: Map<string, Tool[]>, key: string, tool: Tool, first: Tool[] = []): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [...first, tool]);
  else known.push(tool);
}
