import type { McpServer } from "@modelcontextprotocol/server";
import { SSEServerTransport } from "@modelcontextprotocol/server-legacy/sse";

import { notFound, pathOf, type HttpHandler } from "./listen.ts";

const path = "/sse/";
const messagePath = "/messages/";

/** The HTTP+SSE transport of 2024-11-05: a stream at `/sse/`, messages posted to `/messages/`. */
export function createSseHandler(build: () => McpServer): HttpHandler {
  const sessions = new Map<string, SSEServerTransport>();
  return {
    path,
    async handle(request, response) {
      const at = pathOf(request);
      if (request.method === "GET" && (at === path || `${at}/` === path)) {
        const transport = new SSEServerTransport(messagePath, response);
        sessions.set(transport.sessionId, transport);
        response.once("close", () => sessions.delete(transport.sessionId));
        await build().connect(transport);
        return;
      }
      if (request.method === "POST" && at === messagePath) {
        const id = new URL(request.url ?? "", "http://localhost").searchParams.get("sessionId") ?? "";
        const transport = sessions.get(id);
        if (transport !== undefined) return transport.handlePostMessage(request, response);
        response.writeHead(404, { "content-type": "text/plain" }).end("Session not found\n");
        return;
      }
      notFound(response, path);
    },
    async close() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
    },
  };
}
