// An MCP server over Streamable HTTP with sessions, in a process of its own, written with the older SDK
// (`node mcp-sessions.ts v1`) or the newer one (`v2`). It prints its url. `GET /state` tells its open
// sessions and what it was asked; `POST /forget` drops all sessions, as a restart would. A third argument is how
// long it takes to answer who asks for its stream, in milliseconds, or `mute`: it never does.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { McpServer as NewServer } from "@modelcontextprotocol/server";
import { McpServer as OldServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

interface Session {
  handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>;
  close(): Promise<void>;
}

const sessions = new Map<string, Session>();
const seen: { method: string; session: string | null }[] = [];

const inputSchema = z.object({ note: z.string().optional() });

/** Tools that show which session they were called in; the count begins anew with each. */
function countOf(session: () => string | undefined): () => {
  content: { type: "text"; text: string }[];
  structuredContent: { count: number; session: string | undefined };
} {
  let count = 0;
  return () => {
    count += 1;
    return {
      content: [{ type: "text", text: `call ${count}` }],
      structuredContent: { count, session: session() },
    };
  };
}

async function openOld(): Promise<Session> {
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, session),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  const server = new OldServer({ name: "sessions", version: "1" });
  server.registerTool(
    "count",
    { description: "Counts calls.", inputSchema },
    countOf(() => transport.sessionId),
  );
  server.registerTool("ask_name", { description: "Asks for a name.", inputSchema }, async () => {
    const reply = await server.server.elicitInput({
      message: "Who are you?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return { content: [{ type: "text", text: JSON.stringify(reply) }] };
  });
  const session: Session = {
    handle: (request, response, body) => transport.handleRequest(request, response, body),
    close: () => transport.close(),
  };
  await server.connect(transport);
  return session;
}

async function openNew(): Promise<Session> {
  const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, session),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  const server = new NewServer({ name: "sessions", version: "2" });
  server.registerTool(
    "count",
    { description: "Counts calls.", inputSchema },
    countOf(() => transport.sessionId),
  );
  server.registerTool("ask_name", { description: "Asks for a name.", inputSchema }, async (_, ctx) => {
    const reply = await ctx.mcpReq.elicitInput({
      mode: "form",
      message: "Who are you?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return { content: [{ type: "text", text: JSON.stringify(reply) }] };
  });
  const session: Session = {
    handle: (request, response, body) => transport.handleRequest(request, response, body),
    close: () => transport.close(),
  };
  await server.connect(transport);
  return session;
}

const heldFor = process.argv[3] ?? "0";
const open = process.argv[2] === "v1" ? openOld : openNew;

async function read(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await read(request);
  if (request.url === "/state")
    return void response.end(JSON.stringify({ sessions: [...sessions.keys()], seen }));
  if (request.url === "/forget") {
    await Promise.all([...sessions.values()].map((session) => session.close()));
    sessions.clear();
    return void response.end();
  }
  const id = request.headers["mcp-session-id"]?.toString();
  const method = (body as { method?: string } | undefined)?.method ?? request.method ?? "";
  seen.push({ method, session: id ?? null });
  if (id === undefined && method !== "initialize")
    return void response.writeHead(400).end("initialize first");
  const session = id === undefined ? await open() : sessions.get(id);
  if (request.method === "GET" && heldFor !== "0") {
    if (heldFor === "mute") return;
    await delay(Number(heldFor));
  }
  if (session === undefined) return void response.writeHead(404).end("Session not found");
  await session.handle(request, response, body);
}

// A call on a line that was just closed as idle would have an unknown outcome.
const http = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void serve(request, response));
http.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
});
