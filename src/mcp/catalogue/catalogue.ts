import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { z } from "zod";

import type { JsonSchema } from "#contract/json.ts";
import type { Tool, ToolAnnotations } from "#contract/tool.ts";

import { digest, jsonFault } from "../../base/json.ts";
import { oneLine } from "../../base/text.ts";
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
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    annotations: toAnnotations(listed.annotations),
    digest: toolDigest({ name: listed.name, description, inputSchema, outputSchema }),
    trusted,
    ...(trusted && examplesOf(listed)),
  };
}

const MOST_EXAMPLES = 5;
const exampleSchema = z.object({
  user_query: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.json()),
});

/** What a tool says that people say to mean it; what is in another form is none. */
function examplesOf({ _meta: meta = {} }: McpTool): Pick<Tool, "examples"> {
  const said = meta["countersign/examples"] ?? meta.examples;
  const examples = (Array.isArray(said) ? said : []).slice(0, MOST_EXAMPLES).flatMap((one) => {
    const { success, data } = exampleSchema.safeParse(one);
    return success ? [{ message: oneLine(data.user_query), args: data.arguments }] : [];
  });
  return examples.length === 0 ? {} : { examples };
}

/** See `Tool.digest`. A missing output schema counts as null. */
export function toolDigest({
  name,
  description,
  inputSchema,
  outputSchema,
}: Pick<Tool, "name" | "description" | "inputSchema"> & { outputSchema?: JsonSchema | undefined }): string {
  return digest({ name, description, inputSchema, outputSchema: outputSchema ?? null });
}

function toAnnotations(listed: McpTool["annotations"] = {}): ToolAnnotations {
  const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
  const known = hints.filter((hint) => listed[hint] !== undefined);
  return Object.fromEntries(known.map((hint) => [hint, listed[hint]]));
}

/** Merges the lists of the servers, given in the order of the configuration; `servers` are all names there. */
export function mergeTools(lists: Tool[][], servers: readonly string[] = []): Catalogue {
  const all = lists.flat();
  const byId = Map.groupBy(all, (tool) => tool.id);
  const byName = Map.groupBy(all, (tool) => tool.name);
  const sameName = [...byName].filter(([, tools]) => new Set(tools.map((tool) => tool.server)).size > 1);
  const sameId = [...byId].filter(([, tools]) => tools.length > 1);
  const find = (name: string): Tool | undefined =>
    byId.get(name)?.at(-1) ?? (servers.includes(partsOf(name).server) ? undefined : byName.get(name)?.at(-1));
  return {
    tools: [...byId.values()].flatMap((tools) => tools.slice(-1)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    find,
    duplicates: [...sameName, ...sameId].map(([name, tools]) => ({
      name,
      servers: [...new Set(tools.map((tool) => tool.server))],
      winner: tools.at(-1)?.id ?? name,
    })),
  };
}
