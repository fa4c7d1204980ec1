import type { McpServer } from "@modelcontextprotocol/server";

import { createServer, ToolFailure } from "#servers/kit/tool.ts";

import { dataFolder } from "../kit/data.ts";
import { openCloudWiki } from "./cloud.ts";
import { openDataCenterWiki } from "./data-center.ts";
import { openDemoWiki } from "./demo.ts";
import { registerReadTools, registerWriteTools } from "./tools.ts";
import type { Wiki } from "./wiki.ts";

/** A fresh MCP server over a wiki; many may share one wiki. */
export function createConfluenceServer(wiki: Wiki): McpServer {
  const server = createServer(
    "confluence",
    "Confluence wiki",
    "The team's wiki: search_confluence finds pages, get_page reads one by its id or title. update_page needs the version that get_page shows.",
  );
  registerReadTools(server, wiki);
  registerWriteTools(server, wiki);
  return server;
}

/**
 * Opens the wiki that the environment names. `CONFLUENCE_URL` with `CONFLUENCE_EMAIL` and
 * `CONFLUENCE_API_TOKEN` is Confluence Cloud, with `CONFLUENCE_TOKEN` (a personal access token) Data
 * Center; without a URL it is the demo wiki, kept in `COUNTERSIGN_DATA` and written by
 * `CONFLUENCE_USER`. Throws a ToolFailure that says what is missing.
 */
export function openWiki(env: NodeJS.ProcessEnv): Wiki {
  const value = (name: string): string => env[name]?.trim() ?? "";
  const url = value("CONFLUENCE_URL");
  if (url === "") {
    return openDemoWiki({ dataFolder: dataFolder(env), user: value("CONFLUENCE_USER") || "ana" });
  }
  const [email, apiToken] = [value("CONFLUENCE_EMAIL"), value("CONFLUENCE_API_TOKEN")];
  if (email !== "" && apiToken !== "") return openCloudWiki({ url, email, apiToken });
  const token = value("CONFLUENCE_TOKEN");
  if (token !== "") return openDataCenterWiki({ url, token });
  throw new ToolFailure(
    "credentials_missing",
    "CONFLUENCE_URL is set: expected CONFLUENCE_EMAIL and CONFLUENCE_API_TOKEN (Cloud) or " +
      "CONFLUENCE_TOKEN (Data Center) beside it, got " +
      (email === "" && apiToken === ""
        ? "neither"
        : `only ${email === "" ? "CONFLUENCE_API_TOKEN" : "CONFLUENCE_EMAIL"}`),
  );
}
