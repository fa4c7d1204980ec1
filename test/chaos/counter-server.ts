// An MCP server over stdio whose effects can be counted: every call writes one line, forced to disk, to
// `begun.log` when it arrives and one to `effects.log` when it takes effect. COUNTER_FOLDER holds both;
// COUNTER_OWNER names the product process that sends the calls.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { serve } from "#servers/kit/serve.ts";

const folder = process.env.COUNTER_FOLDER ?? ".";
const owner = process.env.COUNTER_OWNER ?? "";

/** One write of one short line to a file opened for appending: whole, also beside other processes. */
function append(file: string, line: string): void {
  const handle = openSync(join(folder, file), "a");
  writeSync(handle, `${line}\n`);
  fsyncSync(handle);
  closeSync(handle);
}

const changes = {
  append: "Appends a line.",
  append_twice: "Appends a line that two people approve.",
  append_again: "Appends a line, as often as it is called.",
  append_free: "Appends a line that nobody needs to approve.",
  append_brief: "Appends a line that is to be approved soon.",
};

const input = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/),
  delay_ms: z.int().min(0).max(60_000).default(0),
});

function build(): McpServer {
  const server = new McpServer({ name: "counter", version: "1.0.0" });
  for (const [name, description] of Object.entries({ ...changes, read: "Reads a line." })) {
    const readOnlyHint = name === "read";
    server.registerTool(
      name,
      { description, inputSchema: input, annotations: { readOnlyHint } },
      async ({ id, delay_ms }) => {
        append("begun.log", `${name} ${id} ${owner}`);
        // The effect lies in the middle, so that a process can die before it and after it.
        if (delay_ms > 0) await sleep(delay_ms / 2);
        append("effects.log", `${name} ${id}`);
        if (delay_ms > 0) await sleep(delay_ms / 2);
        return { content: [{ type: "text", text: JSON.stringify({ id }) }], structuredContent: { id } };
      },
    );
  }
  // For measuring: nothing of its own costs any time.
  server.registerTool(
    "instant",
    { description: "Answers at once.", inputSchema: input, annotations: { readOnlyHint: true } },
    ({ id }) => ({ content: [{ type: "text", text: id }], structuredContent: { id } }),
  );
  return server;
}

await serve(build, { name: "counter", defaultPort: 0, argv: process.argv.slice(2) });
