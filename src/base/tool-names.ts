import type { Tool, ToolBox } from "#contract/tool.ts";

import { CountersignError } from "./errors.ts";

/** The tool of this id and no other: a tool of another server may have the id for its name. */
export function toolById(tools: Pick<ToolBox, "find">, id: string): Tool | undefined {
  const tool = tools.find(id);
  return tool?.id === id ? tool : undefined;
}

/**
 * The tool that a person or the configuration names: by its id, or by its bare name where one server alone
 * offers it now. Throws with code `ambiguous_tool` where several do: which one is meant must not hang on
 * which of them is there.
 */
export function namedTool(tools: Pick<ToolBox, "find" | "tools">, name: string): Tool | undefined {
  const exact = toolById(tools, name);
  if (exact !== undefined) return exact;
  const candidates = tools.tools().filter((tool) => tool.name === name);
  if (candidates.length <= 1) return tools.find(name);
  const ids = candidates.map(({ id }) => id).join(", ");
  const message = `Expected one tool, got ${name}, which several servers offer. Write one of these: ${ids}.`;
  throw new CountersignError("ambiguous_tool", message);
}
