import { McpServer } from "@modelcontextprotocol/server";

import { cacheHints } from "#servers/kit/cache-hints.ts";

import type { JiraBackend } from "./backend.ts";
import { registerChangeTools } from "./change-tools.ts";
import { registerReadTools } from "./read-tools.ts";

export function createJiraServer(jira: JiraBackend): McpServer {
  const server = new McpServer(
    { name: "jira", title: "Jira", version: "0.1.0" },
    {
      cacheHints,
      instructions:
        jira.kind === "demo"
          ? "Jira issues of the demo shop: projects DEMO, OPS and MOB."
          : "Jira issues: read, search, create and change them.",
    },
  );
  registerReadTools(server, jira);
  registerChangeTools(server, jira);
  return server;
}
