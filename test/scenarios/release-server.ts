// An MCP server over stdio whose changes go wrong: publishing a version fails the first time, and announcing one
// ends the process before it answers. RELEASE_FOLDER keeps what was tried, so that it outlives the process.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { serve } from "#servers/kit/serve.ts";

const folder = process.env.RELEASE_FOLDER ?? ".";
const version = z
  .string()
  .regex(/^\d+\.\d+$/)
  .describe("The version, such as 2.1");

function build(): McpServer {
  const server = new McpServer({ name: "release", title: "Releases", version: "1.0.0" });
  const changes = { readOnlyHint: false, destructiveHint: false };

  server.registerTool(
    "publish_release",
    {
      title: "Publish release",
      description: "Publishes a version to the shop.",
      annotations: changes,
      inputSchema: z.object({ version }),
    },
    (args) => {
      const tried = join(folder, `tried-${args.version}`);
      if (existsSync(tried)) return { content: [{ type: "text", text: `Published ${args.version}.` }] };
      writeFileSync(tried, "");
      const text = "The registry is busy. Nothing was published.";
      return { content: [{ type: "text", text }], isError: true };
    },
  );
  server.registerTool(
    "announce_release",
    {
      title: "Announce release",
      description: "Tells all customers about a version.",
      annotations: changes,
      inputSchema: z.object({ version }),
    },
    () => process.exit(1),
  );
  return server;
}

await serve(build, { name: "release", defaultPort: 0, argv: process.argv.slice(2) });
