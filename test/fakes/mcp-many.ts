// An MCP server over stdio with 500 issues, which are read twenty at a time by a cursor, and with changes that say
// what was there before. MANY_FOLDER keeps who has what, so that it outlives the process; the file `fragile` in it
// has the tool of that name end the process once.
import { existsSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { serve } from "#servers/kit/serve.ts";

const folder = process.env.MANY_FOLDER ?? ".";
const kept = join(folder, "many.json");
const COUNT = 500;

interface Fields {
  assignee: string | null;
  status: string;
}

function changed(): Record<string, Partial<Fields>> {
  return existsSync(kept) ? (JSON.parse(readFileSync(kept, "utf8")) as Record<string, Partial<Fields>>) : {};
}

function issue(number: number): { key: string; summary: string; priority: string; url: string } & Fields {
  const key = `MANY-${number}`;
  const own = { assignee: null, status: "To Do", ...changed()[key] };
  return {
    key,
    summary: `The snake_case case ${number}`,
    priority: "High",
    url: `https://many.example/${key}`,
    ...own,
  };
}

function change(key: string, fields: Partial<Fields>): CallToolResult {
  const { assignee, status } = issue(Number(key.slice("MANY-".length)));
  const names = Object.keys(fields) as (keyof Fields)[];
  const was = { assignee, status };
  const before = Object.fromEntries(names.map((name) => [name, was[name]]));
  writeFileSync(kept, JSON.stringify({ ...changed(), [key]: { ...changed()[key], ...fields } }));
  return answer({ issue: issue(Number(key.slice("MANY-".length))), before, after: fields });
}

function answer(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

const issue_key = z
  .string()
  .regex(/^MANY-\d+$/)
  .describe("The key of the issue, such as MANY-1");

function build(): McpServer {
  const server = new McpServer({ name: "many", version: "1.0.0" });
  const read = { readOnlyHint: true };
  const changes = { readOnlyHint: false };

  server.registerTool(
    "search_issues",
    {
      title: "Search issues",
      description: "Finds issues by words, twenty at a time.",
      inputSchema: z.strictObject({ query: z.string().optional(), cursor: z.string().optional() }),
      annotations: read,
    },
    ({ cursor = "from-0" }) => {
      const from = Number(cursor.slice("from-".length));
      const issues = Array.from({ length: Math.min(20, COUNT - from) }, (_, at) => issue(from + at + 1));
      const end = from + issues.length;
      return answer({ issues, total: COUNT, next_cursor: end < COUNT ? `from-${end}` : null });
    },
  );
  server.registerTool(
    "get_issue",
    {
      title: "Get an issue",
      description: "Shows one issue by its key.",
      inputSchema: z.strictObject({ issue_key }),
      annotations: read,
    },
    ({ issue_key: key }) => answer({ ...issue(Number(key.slice("MANY-".length))) }),
  );
  server.registerTool(
    "fragile",
    {
      title: "Check the queue",
      description: "Tells how long the queue is.",
      inputSchema: z.strictObject({}),
      annotations: read,
    },
    () => {
      if (existsSync(join(folder, "fragile"))) {
        unlinkSync(join(folder, "fragile"));
        process.exit(7);
      }
      return answer({ waiting: 3 });
    },
  );
  server.registerTool(
    "assign_issue",
    {
      title: "Assign an issue",
      description: "Assigns an issue to a person.",
      inputSchema: z.strictObject({
        issue_key,
        assignee: z.string().nullable().describe("A name, or null for nobody"),
      }),
      annotations: changes,
    },
    ({ issue_key: key, assignee }) =>
      assignee === "Zoe"
        ? { content: [{ type: "text", text: `${key} is locked for Zoe` }], isError: true }
        : change(key, { assignee }),
  );
  server.registerTool(
    "move_issue",
    {
      title: "Move an issue to another status",
      description: "Moves an issue.",
      inputSchema: z.strictObject({ issue_key, status: z.string() }),
      annotations: changes,
    },
    ({ issue_key: key, status }) => change(key, { status }),
  );
  server.registerTool(
    "add_comment",
    {
      title: "Comment on an issue",
      description: "Adds a comment.",
      inputSchema: z.strictObject({ issue_key, body: z.string() }),
      annotations: changes,
    },
    ({ issue_key: key, body }) => answer({ issue_key: key, comment: { body } }),
  );
  server.registerTool(
    "delete_issue",
    {
      title: "Delete an issue",
      description: "Deletes an issue for ever.",
      inputSchema: z.strictObject({ issue_key }),
      annotations: changes,
    },
    ({ issue_key: key }) => answer({ issue_key: key, before: issue(1), after: null }),
  );
  return server;
}

await serve(build, { name: "many", defaultPort: 0, argv: process.argv.slice(2) });
