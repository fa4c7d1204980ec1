// The client that the conformance suite drives: the product's own pool with one server, whose tools are
// called as a turn would. The suite starts it with the server's address as its last argument.
import { discoverOAuthServerInfo } from "@modelcontextprotocol/client";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { QuestionDraft, QuestionReply } from "#contract/question.ts";
import type { Tool } from "#contract/tool.ts";
import type { OAuthGrant, SealedState } from "#src/mcp/auth/oauth-provider.ts";
import { createOAuth, type OAuth } from "#src/mcp/auth/oauth.ts";
import type { McpServerConfig } from "#src/mcp/config.ts";
import { createToolBox, type ManagedToolBox } from "#src/mcp/tool-box.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as {
  client_id?: string;
  client_secret?: string;
  toolCalls?: { name: string; arguments: JsonObject }[];
};
const publicUrl = "http://localhost:3000";

function memory<Value>(): SealedState<Value> {
  const kept = new Map<string, Value>();
  return {
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => kept.delete(key),
    async *iterator() {
      yield* kept;
    },
  };
}

function note(level: string): (data: object, message: string) => void {
  return (data, message) => console.error(level, message, JSON.stringify(data));
}
const log = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };

async function configured(): Promise<McpServerConfig> {
  const config: McpServerConfig = {
    name: "suite",
    url,
    use_persistent_session: true,
    session_scope: "shared",
    timeout_ms: 20_000,
    trust_annotations: true,
  };
  if (!scenario.startsWith("auth/")) return config;
  const { client_id, client_secret } = context;
  if (client_id === undefined) return { ...config, oauth: { per: "person" } };
  // An operator who was given a client id knows who gave it.
  const { authorizationServerUrl, authorizationServerMetadata } = await discoverOAuthServerInfo(url);
  const issuer = authorizationServerMetadata?.issuer ?? authorizationServerUrl;
  return {
    ...config,
    oauth: { per: "person", client_id, issuer, ...(client_secret === undefined ? {} : { client_secret }) },
  };
}

/** Opens what the product asks a person to open, and comes back with what the page answers. */
async function answer(oauth: OAuth, question: QuestionDraft): Promise<QuestionReply> {
  if (question.kind === "form") return { action: "accept", content: {} };
  if (question.refusal !== undefined) return { action: "decline" };
  const response = await fetch(question.url, { redirect: "manual" });
  const location = response.headers.get("location");
  if (location === null) return { action: "decline" };
  try {
    await oauth.finish(new URL(location, question.url).searchParams);
    return { action: "accept" };
  } catch (error) {
    console.error(String(error), error instanceof Error ? error.cause : "");
    return { action: "decline" };
  }
}

async function callAll(box: ManagedToolBox, oauth: OAuth): Promise<void> {
  const call = async (tool: Tool, args: JsonObject): Promise<boolean> => {
    const outcome = await box.call({
      tool,
      args,
      channel: "suite",
      actor: "console:suite",
      signal: AbortSignal.timeout(25_000),
      ask: (question) => answer(oauth, question),
    });
    console.error(tool.id, JSON.stringify(outcome));
    return outcome.ok;
  };
  const connect = box.find("suite.connect");
  if (connect !== undefined && scenario.startsWith("auth/") && !(await call(connect, {}))) {
    process.exitCode = 1;
    return;
  }
  if (context.toolCalls !== undefined) {
    for (const { name, arguments: args } of context.toolCalls) {
      const tool = box.find(`suite.${name}`);
      if (tool !== undefined) await call(tool, args);
    }
    return;
  }
  for (const tool of box.tools()) if (tool.server === "suite") await call(tool, filled(tool));
}

/** Something that fits each required argument. */
function filled(tool: Tool): JsonObject {
  const properties = (tool.inputSchema.properties ?? {}) as Record<string, { type?: string }>;
  const values: Record<string, JsonValue> = { number: 5, integer: 5, boolean: true, array: [], object: {} };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type = "string" }]) => [name, values[type] ?? "value"]),
  );
}

const config = await configured();
const grants = memory<OAuthGrant>();
const oauth = createOAuth({
  servers: [config],
  store: {
    flows: memory(),
    grants,
    clients: memory(),
    async renew(key, change) {
      const before = await grants.get(key);
      const after = before && change(before);
      if (after !== undefined) await grants.set(key, after);
      return after !== undefined;
    },
  },
  publicUrl: () => publicUrl,
  clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  log,
  now: Date.now,
});
const box = createToolBox({
  servers: [config],
  version: "1.0.0",
  cwd: process.cwd(),
  env: process.env,
  log,
  oauth,
});
await box.start();
await callAll(box, oauth);
await box.stop();
