import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  DEFAULT_MAX_REQUEST_BODY_SIZE,
  isLegacyRequest,
  type McpServer,
} from "@modelcontextprotocol/server";
import type { SSEServerTransport } from "@modelcontextprotocol/server-legacy/sse";

import { messageOf } from "./tool.ts";

/** Serves one path of an HTTP server. */
interface HttpHandler {
  /** The path clients connect to, such as `/mcp`. */
  path: string;
  /** Answers every request; may reject, which is answered with 500. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends sessions and streams. */
  close(): Promise<void>;
}

interface Listener {
  url: string;
  close(): Promise<void>;
}

/** Opens the port. Rejects with a message that names the port when it cannot be opened. */
export async function listen(
  handler: HttpHandler,
  address: { host: string; port: number },
): Promise<Listener> {
  const hostAllowed = localhostHostValidation();
  const originAllowed = localhostOriginValidation();
  const server = createServer((request, response) => {
    if (!hostAllowed(request, response) || !originAllowed(request, response)) return;
    handler.handle(request, response).catch((error: unknown) => {
      process.stderr.write(`${request.method ?? "?"} ${request.url ?? "?"}: ${messageOf(error)}\n`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "content-type": "text/plain" }).end("Internal error");
    });
  });
  server.listen(address.port, address.host);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw explain(error, address);
  });
  const { port } = server.address() as AddressInfo;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return {
    url: `http://${host}:${port}${handler.path}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      await handler.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function explain(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): Error {
  if (error.code === "EADDRINUSE") {
    return new Error(
      `port ${port} on ${host} is in use: stop the process that has it, or choose another with --port (0 for any free one)`,
    );
  }
  if (error.code === "EACCES") {
    return new Error(
      `port ${port} on ${host} may not be opened by this user: choose one above 1023 with --port`,
    );
  }
  return new Error(`cannot listen on ${host}:${port}: ${error.message}`);
}

const mcpPath = "/mcp";

/** Sessions of clients that went away without a DELETE; the longest unused go first. */
const maxSessions = 200;

/**
 * Streamable HTTP at `/mcp`. Requests of the 2026-07-28 revision are served one by one; clients of
 * earlier revisions get a session (`Mcp-Session-Id`), and 404 for one that is not known any more. `health` answers
 * `/health`, where there is one.
 */
export function createStreamableHandler(build: () => McpServer, health?: () => object): HttpHandler {
  const modern = createMcpHandler(build, { legacy: "reject" });
  const handleModern = toNodeHandler(modern);
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

  async function openSession(): Promise<NodeStreamableHTTPServerTransport> {
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
        const oldest = sessions.keys().next().value;
        if (sessions.size > maxSessions && oldest !== undefined) {
          void sessions.get(oldest)?.close();
          sessions.delete(oldest);
        }
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    await build().connect(transport);
    return transport;
  }

  async function sessionOf(
    id: string | undefined,
    body: unknown,
  ): Promise<NodeStreamableHTTPServerTransport> {
    if (id === undefined) {
      if (isInitialize(body)) return openSession();
      throw new Refusal(400, -32_000, "Bad request: expected an initialize request or an Mcp-Session-Id");
    }
    const transport = sessions.get(id);
    if (transport === undefined) throw new Refusal(404, -32_001, "Session not found");
    sessions.delete(id);
    sessions.set(id, transport);
    return transport;
  }

  return {
    path: mcpPath,
    async handle(request, response) {
      const path = urlOf(request).pathname.replace(/\/$/, "");
      if (path === "/health" && health !== undefined) {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(health()));
        return;
      }
      if (path !== mcpPath) return notFound(response, mcpPath);
      // The same object: the two types differ in how they write an absent url.
      const message = request as NodeIncomingMessageLike;
      try {
        const { web, body } = await readJson(message);
        if (!(await isLegacyRequest(web, body))) return await handleModern(message, response, body);
        const transport = await sessionOf(web.headers.get("mcp-session-id") ?? undefined, body);
        await transport.handleRequest(request, response, body);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { status, code, message: text } = error;
        response
          .writeHead(status, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", error: { code, message: text }, id: null }));
      }
    },
    async close() {
      await Promise.all([modern.close(), ...[...sessions.values()].map((transport) => transport.close())]);
      sessions.clear();
    },
  };
}

/** What is answered as a JSON-RPC error with this HTTP status. */
class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The request and its parsed body, which is undefined where the method has none. */
async function readJson(message: NodeIncomingMessageLike): Promise<{ web: Request; body: unknown }> {
  try {
    const web = await toWebRequest(message);
    return { web, body: web.method === "POST" ? await web.json() : undefined };
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new Refusal(400, -32_700, "Parse error: expected a JSON-RPC message");
    }
    if (!(error instanceof Error && error.name === "RequestBodyTooLargeError")) throw error;
    const most = DEFAULT_MAX_REQUEST_BODY_SIZE;
    throw new Refusal(413, -32_600, `Request body too large: expected at most ${most} bytes`);
  }
}

function isInitialize(body: unknown): boolean {
  const messages = [body].flat() as ({ method?: unknown } | null)[];
  return messages.some((message) => message?.method === "initialize");
}

const ssePath = "/sse/";
const messagePath = "/messages/";

/** The HTTP+SSE transport of 2024-11-05: a stream at `/sse/`, messages posted to `/messages/`. */
export async function createSseHandler(build: () => McpServer): Promise<HttpHandler> {
  const { SSEServerTransport } = await import("@modelcontextprotocol/server-legacy/sse");
  const sessions = new Map<string, SSEServerTransport>();
  return {
    path: ssePath,
    async handle(request, response) {
      const { pathname, searchParams } = urlOf(request);
      if (request.method === "GET" && (pathname === ssePath || `${pathname}/` === ssePath)) {
        const transport = new SSEServerTransport(messagePath, response);
        sessions.set(transport.sessionId, transport);
        response.once("close", () => sessions.delete(transport.sessionId));
        await build().connect(transport);
      } else if (request.method === "POST" && pathname === messagePath) {
        const transport = sessions.get(searchParams.get("sessionId") ?? "");
        if (transport !== undefined) return transport.handlePostMessage(request, response);
        response.writeHead(404, { "content-type": "text/plain" }).end("Session not found\n");
      } else {
        notFound(response, ssePath);
      }
    },
    async close() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
    },
  };
}

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? "/", "http://localhost");
}

function notFound(response: ServerResponse, expected: string): void {
  response
    .writeHead(404, { "content-type": "text/plain" })
    .end(`Not found: this server answers at ${expected}\n`);
}
