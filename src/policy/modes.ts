import type { TurnMode } from "#contract/message.ts";
import type { Tool } from "#contract/tool.ts";

import { compileGlob, compileToolGlob, partsOf } from "../base/tool-names.ts";

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

/**
 * Whether a model may see what a tool says, by the configuration: not of a private server's tools, nor
 * of tools whose id or bare name a glob of `privacy.withhold` matches.
 */
export function createShowsTool(
  withhold: readonly string[],
  privateServers: readonly string[],
): (toolId: string) => boolean {
  const matchers = withhold.flatMap((glob) => {
    const overName = compileGlob(glob, { ignoreCase: true });
    return [compileToolGlob(glob, { ignoreCase: true }), (id: string) => overName(partsOf(id).name)];
  });
  const hidden = new Set(privateServers);
  return (toolId) => !hidden.has(partsOf(toolId).server) && !matchers.some((matches) => matches(toolId));
}
