// An MCP server over stdio for what people do around calls: a change that can be counted and can get
// lost, a read that tells whether it happened, reads that take their time or go on until they are stopped, and
// long lists of hostile data. DESK_FOLDER holds `effects.log`, one line for each change that took effect.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { serve } from "#servers/kit/serve.ts";

const file = join(process.env.DESK_FOLDER ?? ".", "effects.log");

function answer(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

/** A row whose every word tries to become something at the platform that shows it. */
function row(index: number): Record<string, unknown> {
  return {
    key: `ROW-${index}`,
    title: `<!channel> <@U0ANA00000> *row* ${index} <https://evil.example/${index}|click> :tada: @everyone`,
    points: index * 3,
    done: index % 2 === 0,
  };
}

function build(): McpServer {
  const server = new McpServer({ name: "desk", version: "1.0.0" });
  const change = { readOnlyHint: false };
  const read = { readOnlyHint: true };

  server.registerTool(
    "set",
    {
      description: "Sets a value. The value `lost` ends the server before it answers.",
      inputSchema: z.strictObject({ name: z.string(), value: z.string() }),
      annotations: change,
    },
    ({ name, value }) => {
      appendFileSync(file, `${name}=${value}\n`);
      if (value === "lost") process.exit(7);
      return answer({ name, value });
    },
  );
  server.registerTool(
    "note",
    {
      description: "Notes something about a case.",
      inputSchema: z.strictObject({ about: z.string(), body: z.string() }),
      annotations: change,
    },
    ({ about, body }) => {
      appendFileSync(file, `${about}: ${body}\n`);
      return answer({ about, body });
    },
  );
  server.registerTool(
    "sign_in",
    {
      description: "Signs somebody in, and repeats what it was given.",
      inputSchema: z.strictObject({ user: z.string(), password: z.string() }),
      annotations: change,
    },
    (given) => {
      appendFileSync(file, `${given.user}:${given.password}\n`);
      return answer({ given, words: `Hello ${given.user}.` });
    },
  );
  server.registerTool(
    "found",
    {
      description: "Tells what was set under a name.",
      inputSchema: z.strictObject({ name: z.string() }),
      annotations: read,
    },
    ({ name }) => {
      const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
      return answer({ name, values: lines.filter((line) => line.startsWith(`${name}=`)) });
    },
  );
  server.registerTool(
    "rows",
    {
      description: "Lists rows.",
      inputSchema: z.strictObject({ count: z.int().min(0).max(5_000) }),
      annotations: read,
    },
    ({ count }) => answer({ rows: Array.from({ length: count }, (_, index) => row(index)) }),
  );
  server.registerTool(
    "wait",
    {
      description: "Takes its time.",
      inputSchema: z.strictObject({ ms: z.int().min(0).max(60_000), mark: z.string() }),
      annotations: read,
    },
    async ({ ms, mark }) => {
      await sleep(ms);
      return answer({ mark });
    },
  );
  server.registerTool(
    "hang",
    { description: "Works until it is stopped.", inputSchema: z.strictObject({}), annotations: read },
    async (_, context) => {
      const { signal } = context.mcpReq;
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return answer({ stopped: true });
    },
  );
  return server;
}

await serve(build, { name: "desk", defaultPort: 0, argv: process.argv.slice(2) });
