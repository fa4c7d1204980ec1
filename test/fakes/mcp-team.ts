// An MCP server over stdio with tools as teams have them: changes that only try unless they are told otherwise
// (`dry_run` is true by default), changes that want to be confirmed, searches that want to know for which
// organisation, and errors that say what would be right. Each tells what it was given.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const read = { readOnlyHint: true };

function told(data: object): { content: []; structuredContent: Record<string, unknown> } {
  return { content: [], structuredContent: { ...data } };
}

function fault(text: string): { content: [{ type: "text"; text: string }]; isError: true } {
  return { content: [{ type: "text", text }], isError: true };
}

serveStdio(() => {
  const server = new McpServer({ name: "team", version: "1" });
  server.registerTool(
    "cleanup_artifacts",
    {
      description: "Delete artifacts that are older than so many days.",
      inputSchema: z.object({ older_than_days: z.number(), dry_run: z.boolean().default(true) }),
    },
    (given) =>
      given.dry_run
        ? told({ dry_run: true, would_delete: ["review/2026-01-02", "review/2026-01-03"], bytes: 4_096 })
        : told({ deleted: 2, given }),
  );
  server.registerTool(
    "delete_ensemble",
    {
      description: "Delete an ensemble.",
      inputSchema: z.object({ ensemble_name: z.string(), confirm: z.boolean() }),
    },
    (given) => (given.confirm ? told({ given }) : fault("confirm must be true")),
  );
  server.registerTool(
    "knowledge_query",
    {
      description: "Search the knowledge of an organisation.",
      inputSchema: z.object({ query: z.string(), org_id: z.string(), task_id: z.string().default("") }),
      annotations: read,
    },
    (given) => told({ given }),
  );
  server.registerTool(
    "publish_note",
    {
      description: "Publish a note for an organisation.",
      inputSchema: z.object({ text: z.string(), org_id: z.string(), author: z.string(), place: z.string() }),
    },
    (given) => told({ given }),
  );
  server.registerTool(
    "current_time",
    {
      description: "The current time in a time zone.",
      inputSchema: z.object({ timezone: z.string() }),
      annotations: read,
    },
    ({ timezone }) =>
      timezone.includes("/")
        ? told({ timezone, time: "12:00" })
        : fault(`Invalid timezone: 'No time zone found with key ${timezone}'`),
  );
  server.registerTool(
    "list_ensembles",
    {
      description: "List the ensembles.",
      inputSchema: z.object({ scope: z.string().optional(), limit: z.number().default(10) }),
      annotations: read,
    },
    ({ scope }) =>
      scope === "global"
        ? told({ ensembles: ["security-review"] })
        : fault("No project directory (.llm-orc) here; pass scope: global"),
  );
  return server;
});
