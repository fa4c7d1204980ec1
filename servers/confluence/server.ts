import { McpServer } from "@modelcontextprotocol/server";

import { cacheHints } from "#servers/kit/cache-hints.ts";

import { registerReadTools } from "./tools-read.ts";
import { registerWriteTools } from "./tools-write.ts";
import type { Wiki } from "./wiki.ts";

/** A fresh MCP server over a wiki; many may share one wiki. */
export function createConfluenceServer(wiki: Wiki): McpServer {
  const server = new McpServer(
    { name: "confluence", title: "Confluence wiki", version: "0.1.0" },
    {
      cacheHints,
      instructions:
        "The team's wiki: search_confluence finds pages, get_page reads one by its id. update_page needs the version that get_page shows.",
    },
  );
  registerReadTools(server, wiki);
  registerWriteTools(server, wiki);
  return server;
}
