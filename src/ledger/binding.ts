import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { digest } from "../base/digest.ts";

/** What `approved_keys` of the HTTP API name: the tool and the canonical arguments. */
export function approvalKey(toolId: string, args: JsonObject): string {
  return digest({ tool: toolId, args });
}

/**
 * What an approval is bound to. When any of it differs at dispatch, the approval is void: the server,
 * the tool and its description and schemas, the arguments as validated, and the rule that asked.
 */
export function bindingOf(tool: Tool, args: JsonObject, rule: string): string {
  return digest({ server: tool.server, tool: tool.id, args, tool_digest: tool.digest, rule });
}
