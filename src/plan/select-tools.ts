import MiniSearch from "minisearch";

import type { Tool } from "#contract/tool.ts";

import { tokenize } from "./builtin/words.ts";

/** Puts the tools that matter for a message into the prompt when the catalogue is large. */
export type ToolSelector = (message: string, tools: Tool[]) => Tool[];

interface ToolDocument {
  id: string;
  name: string;
  description: string;
  fields: string;
}

/**
 * A selector that leaves a catalogue of up to `limit` tools as it is, and of a larger one keeps the
 * `limit` best by BM25 over names, descriptions and argument names. The order stays the catalogue's,
 * so that prompts of similar requests share their beginning.
 */
export function createToolSelector(limit: number): ToolSelector {
  let cached: { key: string; search: MiniSearch<ToolDocument> } | undefined;

  function indexOf(tools: Tool[]): MiniSearch<ToolDocument> {
    const key = tools.map((tool) => `${tool.id} ${tool.digest}`).join("\n");
    if (cached?.key === key) return cached.search;
    const search = new MiniSearch<ToolDocument>({
      fields: ["name", "description", "fields"],
      tokenize: (text) => tokenize(text).map((token) => token.stem),
      processTerm: (term) => term || null,
      searchOptions: { boost: { name: 3 } },
    });
    search.addAll(
      tools.map((tool) => ({
        id: tool.id,
        name: `${tool.server} ${tool.name.replaceAll("_", " ")} ${tool.title ?? ""}`,
        description: tool.description,
        fields: Object.keys(toProperties(tool)).join(" ").replaceAll("_", " "),
      })),
    );
    cached = { key, search };
    return search;
  }

  return (message, tools) => {
    if (tools.length <= limit) return tools;
    const best = new Set(
      indexOf(tools)
        .search(message)
        .slice(0, limit)
        .map((hit) => String(hit.id)),
    );
    return tools.filter((tool) => best.has(tool.id));
  };
}

function toProperties(tool: Tool): object {
  const { properties } = tool.inputSchema;
  return typeof properties === "object" && properties !== null ? properties : {};
}
