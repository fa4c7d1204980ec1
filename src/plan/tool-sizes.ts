import type { Tool } from "#contract/tool.ts";

import { describeTool } from "./planner-prompt.ts";
import { estimateTokens } from "./size.ts";

const REMEMBERED = 20_000;

/** About how many tokens a tool takes in a prompt; worked out once for a tool. */
export type ToolSizes = (tool: Tool) => number;

export function createToolSizes(): ToolSizes {
  const sizes = new Map<string, number>();
  return (tool) => {
    let size = sizes.get(tool.digest);
    if (size === undefined) {
      if (sizes.size > REMEMBERED) sizes.clear();
      size = estimateTokens(describeTool(tool)) + 2;
      sizes.set(tool.digest, size);
    }
    return size;
  };
}

/** Whether all of them fit into a prompt, so that there is nothing to choose. */
export function areSmall(tools: readonly Tool[], budget: number, sizeOf: ToolSizes): boolean {
  return tools.reduce((sum, tool) => sum + sizeOf(tool), 0) <= budget;
}
