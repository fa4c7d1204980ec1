// An MCP server written with the older SDK: stdio, or with `http` (sessions) or `sse`, where it prints
// its address.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

function build(): McpServer {
  const server = new McpServer({ name: "older", version: "1" });
  const numbers = { a: z.number(), b: z.number() };
  server.registerTool("add", { inputSchema: numbers, outputSchema: { sum: z.number() } }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
    structuredContent: { sum: a + b },
  }));
  server.registerTool("fail", {}, () => ({ content: [{ type: "text", text: "it broke" }], isError: true }));
  server.registerTool("ask", {}, async () => {
    const reply = await server.server.elicitInput({
      message: "Who are you?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return { content: [{ type: "text", text: `hello ${String(reply.content?.name)}` }] };
  });
  return server;
}

const [, , kind] = process.argv;
if (kind === undefined) await build().connect(new StdioServerTransport());
else {
  const streams = new Map<string, StreamableHTTPServerTransport>();
  const pushes = new Map<string, SSEServerTransport>();
  const http = createServer((request, response) => void handle(request, response));

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (kind === "sse") {
      if (pathname === "/messages") {
        return pushes.get(searchParams.get("sessionId") ?? "")?.handlePostMessage(request, response);
      }
      if (request.method !== "GET") return void response.writeHead(405).end();
      const transport = new SSEServerTransport("/messages", response);
      pushes.set(transport.sessionId, transport);
      return build().connect(transport);
    }
    const known = streams.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) return known.handleRequest(request, response);
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void streams.set(id, transport),
    });
    await build().connect(transport);
    await transport.handleRequest(request, response);
  }
  http.listen(0, "127.0.0.1", () => {
    const { port } = http.address() as AddressInfo;
    console.log(`http://127.0.0.1:${port}/${kind === "sse" ? "sse" : "mcp"}`);
  });
}
