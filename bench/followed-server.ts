// An MCP server over stdio for the bench of followers: one tool that waits until the file `go` is in
// FOLLOWED_FOLDER, then tells of its progress many times and answers.
import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { progressOf } from "#servers/kit/tool.ts";
import { serve } from "#servers/kit/serve.ts";

const folder = process.env.FOLLOWED_FOLDER ?? ".";
const STEPS = 10;
const STEP_MS = 500;

function gate(): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!existsSync(join(folder, "go"))) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(folder, look);
    look();
  });
}

function build(): McpServer {
  const server = new McpServer({ name: "followed", version: "1.0.0" });
  server.registerTool(
    "work",
    {
      description: "Works until it is done.",
      inputSchema: z.strictObject({}),
      annotations: { readOnlyHint: true },
    },
    async (_, context) => {
      const tell = progressOf(context);
      await tell(0, STEPS, "it waits");
      await gate();
      for (let step = 1; step <= STEPS; step += 1) {
        await tell(step, STEPS, `step ${step}`);
        await sleep(STEP_MS);
      }
      const rows = Array.from({ length: 50 }, (__, row) => ({ key: `ROW-${row}`, points: row }));
      return { content: [{ type: "text", text: JSON.stringify({ rows }) }], structuredContent: { rows } };
    },
  );
  return server;
}

await serve(build, { name: "followed", defaultPort: 0, argv: process.argv.slice(2) });
