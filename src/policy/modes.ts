import type { TurnMode } from "#contract/message.ts";
import type { Tool } from "#contract/tool.ts";

/**
 * The tools that a turn is offered. Where a server has tools for moving things between two sites, a turn that came
 * with two sites sees these and reads, and any other turn sees the others. Other servers' tools are offered always.
 */
export function offeredInMode(tools: readonly Tool[], mode: TurnMode = "chat"): Tool[] {
  const withModes = new Set(tools.flatMap((tool) => (tool.mode === undefined ? [] : tool.server)));
  return tools.filter((tool) => {
    if (!withModes.has(tool.server)) return true;
    if (mode === "chat") return tool.mode !== "migration";
    return tool.mode === "migration" || tool.annotations.readOnlyHint === true;
  });
}
