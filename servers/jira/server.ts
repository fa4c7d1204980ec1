import type { McpServer } from "@modelcontextprotocol/server";

import { dataFolder } from "#servers/kit/data.ts";
import type { RestAuth } from "#servers/kit/rest.ts";
import { createServer, ToolFailure } from "#servers/kit/tool.ts";

import type { JiraBackend } from "./backend.ts";
import { registerChangeTools, registerReadTools } from "./tools.ts";

export function createJiraServer(jira: JiraBackend): McpServer {
  const instructions =
    jira.kind === "demo"
      ? "Jira issues of the demo shop: projects DEMO, OPS and MOB."
      : "Jira issues: read, search, create and change them.";
  const server = createServer("jira", "Jira", instructions);
  registerReadTools(server, jira);
  registerChangeTools(server, jira);
  return server;
}

/**
 * The backend the environment asks for: Jira at JIRA_URL, as Cloud with JIRA_EMAIL and JIRA_API_TOKEN
 * or Data Center with JIRA_TOKEN; without JIRA_URL the demo store (JIRA_USER, JIRA_DEMO_DELAY_MS).
 * Only the backend that is used is loaded. Rejects with `bad_setting` or `bad_url`.
 */
export async function chooseBackend(env: NodeJS.ProcessEnv): Promise<JiraBackend> {
  const baseUrl = env.JIRA_URL?.trim() ?? "";
  if (baseUrl !== "") {
    const { createRemoteBackend } = await import("./rest/backend.ts");
    return createRemoteBackend(baseUrl, authOf(env));
  }
  const { createDemoBackend } = await import("./demo/backend.ts");
  return createDemoBackend({
    folder: dataFolder(env),
    me: env.JIRA_USER?.trim() || "ana",
    delayMs: delayOf(env.JIRA_DEMO_DELAY_MS),
    now: () => new Date(),
  });
}

function authOf(env: NodeJS.ProcessEnv): RestAuth {
  const [email, apiToken, token] = [env.JIRA_EMAIL, env.JIRA_API_TOKEN, env.JIRA_TOKEN].map(
    (text) => text?.trim() ?? "",
  );
  if (email && apiToken && !token) return { kind: "basic", email, token: apiToken };
  if (token && !email && !apiToken) return { kind: "bearer", token };
  throw new ToolFailure(
    "bad_setting",
    "JIRA_URL is set: expected either JIRA_EMAIL and JIRA_API_TOKEN (Cloud) or JIRA_TOKEN (Data Center) beside it",
  );
}

function delayOf(text: string | undefined): number {
  const value = text?.trim() || "0";
  if (/^\d{1,5}$/.test(value)) return Number(value);
  throw new ToolFailure(
    "bad_setting",
    `JIRA_DEMO_DELAY_MS: expected milliseconds from 0 to 99999, got "${value}"`,
  );
}
