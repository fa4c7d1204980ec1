import type { JsonObject } from "#contract/json.ts";
import type { EmbedPort } from "#contract/model.ts";
import type { CallOutcome, Tool } from "#contract/tool.ts";

import { messageOf } from "../../base/errors.ts";
import { toolDigest } from "./catalogue.ts";

export const builtinServer = "builtin";

/** What the built-in tools need of the product. */
export interface BuiltinParts {
  /** The embedding model, while it is there. */
  embedder?: () => EmbedPort | undefined;
}

/** The tools that need no server. */
export function builtinTools(): Tool[] {
  return [
    ownTool(builtinServer, {
      name: "ping",
      title: "Ping",
      description: "Check that the assistant itself is alive; answers pong and the time.",
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      outputSchema: {
        type: "object",
        properties: { pong: { type: "boolean" }, at: { type: "string", format: "date-time" } },
        required: ["pong", "at"],
      },
    }),
    ownTool(builtinServer, {
      name: "embed_text",
      title: "Embed text",
      description:
        "Turn a text into its embedding vector with the local embedding model. The text is kept with it for this conversation, and recalled when a later message resembles it.",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string", minLength: 1, maxLength: 8_000 } },
        required: ["text"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: {
          model: { type: "string" },
          dimensions: { type: "integer" },
          embedding: { type: "array", items: { type: "number" } },
        },
        required: ["model", "dimensions", "embedding"],
      },
    }),
  ];
}

/** Offered while nobody has an account: without one the server does not even tell its tools. */
export function connectTool(server: string): Tool {
  const tool = ownTool(server, {
    name: "connect",
    title: `Connect ${server}`,
    description: `Connect your account with ${server}. Its own tools are known after that.`,
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
  });
  return { ...tool, annotations: { ...tool.annotations, openWorldHint: true } };
}

function ownTool(
  server: string,
  described: Pick<Tool, "name" | "title" | "description" | "inputSchema" | "outputSchema">,
): Tool {
  return {
    id: `${server}.${described.name}`,
    server,
    ...described,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    digest: toolDigest(described),
    trusted: true,
  };
}

/** Never rejects, as `ToolBox.call`. */
export async function callBuiltin(
  name: string,
  args: JsonObject,
  parts: BuiltinParts,
  signal: AbortSignal,
): Promise<CallOutcome> {
  if (name === "ping") return { ok: true, data: { pong: true, at: new Date().toISOString() }, text: "pong" };
  if (name === "embed_text") return embedText(typeof args.text === "string" ? args.text : "", parts, signal);
  return failed("unknown_tool", `There is no built-in tool ${name}.`);
}

async function embedText(text: string, parts: BuiltinParts, signal: AbortSignal): Promise<CallOutcome> {
  const embedder = parts.embedder?.();
  if (embedder === undefined) {
    const remedy =
      "Start Ollama, get one with: countersign model pull nomic-embed-text, and set model.ollama.embeddings: true.";
    return failed("tool_error", `No embedding model is there. ${remedy}`);
  }
  try {
    const [embedding = []] = await embedder.embed([text], signal);
    const { model } = embedder;
    const dimensions = embedding.length;
    return { ok: true, data: { model, dimensions, embedding }, text: `${model}: ${dimensions} dimensions` };
  } catch (error) {
    return failed("tool_error", messageOf(error));
  }
}

function failed(code: "unknown_tool" | "tool_error", message: string): CallOutcome {
  return { ok: false, data: null, error: { code, message, sent: "no" } };
}
