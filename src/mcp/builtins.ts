import type { JsonObject } from "#contract/json.ts";
import type { CallOutcome, Tool } from "#contract/tool.ts";

import { toolDigest } from "./catalogue.ts";

export const builtinServer = "builtin";

/** The tools that need no server. */
export function builtinTools(): Tool[] {
  const name = "ping";
  const description = "Check that the assistant itself is alive; answers pong and the time.";
  const inputSchema = { type: "object", properties: {}, additionalProperties: false };
  const outputSchema = {
    type: "object",
    properties: { pong: { type: "boolean" }, at: { type: "string", format: "date-time" } },
    required: ["pong", "at"],
  };
  return [
    {
      id: `${builtinServer}.${name}`,
      server: builtinServer,
      name,
      title: "Ping",
      description,
      inputSchema,
      outputSchema,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      digest: toolDigest({ name, description, inputSchema, outputSchema }),
      trusted: true,
    },
  ];
}

export function callBuiltin(name: string, _args: JsonObject): CallOutcome {
  if (name === "ping") return { ok: true, data: { pong: true, at: new Date().toISOString() }, text: "pong" };
  return {
    ok: false,
    data: null,
    error: { code: "unknown_tool", message: `There is no built-in tool ${name}.`, sent: "no" },
  };
}
