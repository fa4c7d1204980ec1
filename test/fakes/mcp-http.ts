// An MCP server over Streamable HTTP that speaks both revisions, in a process of its own: it prints
// its url, and what it was asked is read with the tool `seen`.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { toNodeHandler } from "@modelcontextprotocol/node";
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const seen: { method: string; version: string | null; key: string | null; trace: string | null }[] = [];
let extra = false;
/** Fields that are called as an object's own parts are; the protocol's library leaves `__proto__` out. */
const odd = JSON.parse(
  `{"type":"object","required":["constructor"],"properties":{"__proto__":{"type":"string"},
    "constructor":{"type":"string"},"hasOwnProperty":{"type":"string"}}}`,
) as { type: "object"; properties: Record<string, { type: "string" }> };
/** Calls that wait for an answer which never comes. */
let hanging = 0;

const confirmation = z.object({ sure: z.boolean(), why: z.string().default("because") });

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "http", version: "1" });
  server.registerTool("seen", { description: "What was asked." }, () => ({
    content: [],
    structuredContent: { requests: seen },
  }));
  server.registerTool("double", { inputSchema: z.object({ n: z.number() }) }, ({ n }) => ({
    content: [{ type: "text", text: String(n * 2) }],
  }));
  server.registerTool("confirm", { inputSchema: z.object({ what: z.string() }) }, ({ what }, { mcpReq }) => {
    const given = mcpReq.inputResponses?.confirm as { action?: string } | undefined;
    const content = acceptedContent(mcpReq.inputResponses, "confirm", confirmation);
    if (given !== undefined)
      return { content: [], structuredContent: { what, action: given.action, ...content } };
    return inputRequired({
      inputRequests: {
        confirm: inputRequired.elicit({ message: `Really ${what}?`, requestedSchema: confirmation }),
      },
      requestState: "first",
    });
  });
  server.registerTool("odd", {}, ({ mcpReq }) => {
    const given = mcpReq.inputResponses?.odd as { content?: object } | undefined;
    if (given !== undefined) {
      const words = Object.entries(given.content ?? {}).map(([name, value]) => `${name} is ${String(value)}`);
      return { content: [{ type: "text", text: words.join(", ") }] };
    }
    const fields = inputRequired.elicit({ message: "What of the object?", requestedSchema: odd });
    return inputRequired({ inputRequests: { odd: fields } });
  });
  server.registerTool("visit", { inputSchema: z.object({ url: z.string() }) }, ({ url }, { mcpReq }) => {
    const given = mcpReq.inputResponses?.page as { action?: string } | undefined;
    if (given !== undefined) return { content: [], structuredContent: { action: given.action } };
    const page = inputRequired.elicitUrl({ message: "Sign in there, please.", url });
    return inputRequired({ inputRequests: { page } });
  });
  server.registerTool("hang", { inputSchema: z.object({}) }, (_, { mcpReq }) => {
    hanging += 1;
    mcpReq.signal.addEventListener("abort", () => (hanging -= 1), { once: true });
    return new Promise(() => {});
  });
  server.registerTool("hanging", {}, () => ({ content: [{ type: "text", text: `[${hanging}]` }] }));
  server.registerTool("grow", {}, () => {
    extra = true;
    handler.notify.toolsChanged();
    return { content: [{ type: "text", text: "grown" }] };
  });
  if (extra) server.registerTool("added", {}, () => ({ content: [] }));
  return server;
});

const handle = toNodeHandler(handler);
const http = createServer((request, response) => {
  const header = (name: string): string | null => request.headers[name]?.toString() ?? null;
  seen.push({
    method: header("mcp-method") ?? request.method ?? "",
    version: header("mcp-protocol-version"),
    key: header("x-key"),
    trace: header("traceparent"),
  });
  // The adapter's type of a request differs from Node's in one optional property.
  void handle(request as Parameters<typeof handle>[0], response);
});
http.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
});
