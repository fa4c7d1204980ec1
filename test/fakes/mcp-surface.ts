// An MCP server over stdio for the contract of surfaces: a read with a link and hostile words, one that waits
// for a gate with its progress told, a long list, and a change. TOOLS_FOLDER holds `effects.log`, one line
// for each thing that took effect, and the gates, empty files.
import { appendFileSync, existsSync, watch } from "node:fs";
import { join } from "node:path";

import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { progressOf } from "#servers/kit/tool.ts";
import { serve } from "#servers/kit/serve.ts";
import { HOSTILE, SOURCE } from "#test/contract/surface/words.ts";

const folder = process.env.TOOLS_FOLDER ?? ".";

function note(line: string): void {
  appendFileSync(join(folder, "effects.log"), `${line}\n`);
}

function answer(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

/** Resolves with true once the gate is there, with false when the caller gave up. */
function gate(name: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isOpen: boolean): void => {
      watcher.close();
      resolve(isOpen);
    };
    // Watched before it is looked for: it may come in between.
    const watcher = watch(folder, () => existsSync(join(folder, name)) && end(true));
    signal.addEventListener("abort", () => end(false), { once: true });
    if (existsSync(join(folder, name))) end(true);
  });
}

function build(): McpServer {
  const server = new McpServer({ name: "tools", version: "1.0.0" });
  const read = { readOnlyHint: true };
  server.registerTool(
    "issue",
    {
      description: "Shows an issue; marked hostile, its every word tries to be more than a word.",
      inputSchema: z.strictObject({ mark: z.string() }),
      annotations: read,
    },
    ({ mark }) => {
      note(`read ${mark}`);
      const [summary, ...labels] = mark === "hostile" ? HOSTILE : ["A lamp is broken"];
      return answer({ key: "DEMO-1", summary, labels, url: SOURCE, assignee: { name: `marked ${mark}` } });
    },
  );
  server.registerTool(
    "work",
    {
      description: "Works until a gate opens.",
      inputSchema: z.strictObject({ gate: z.string() }),
      annotations: read,
    },
    async ({ gate: name }, context) => {
      note(`began ${name}`);
      await progressOf(context)(1, 2, "half way there");
      if (await gate(name, context.mcpReq.signal)) return answer({ note: `finished ${name}` });
      note(`cancelled ${name}`);
      return answer({ note: "nobody waits for this" });
    },
  );
  server.registerTool(
    "rows",
    {
      description: "Lists rows.",
      inputSchema: z.strictObject({ count: z.int().min(0).max(5_000) }),
      annotations: read,
    },
    ({ count }) =>
      answer({
        rows: Array.from({ length: count }, (_, index) => ({ key: `ROW-${index}.`, points: index })),
      }),
  );
  server.registerTool(
    "put",
    {
      description: "Puts a value under a name.",
      inputSchema: z.strictObject({ name: z.string(), value: z.string() }),
      annotations: { readOnlyHint: false },
    },
    ({ name, value }) => {
      note(`put ${name}=${value}`);
      return answer({ note: `stored ${value} under ${name}` });
    },
  );
  return server;
}

await serve(build, { name: "tools", defaultPort: 0, argv: process.argv.slice(2) });
