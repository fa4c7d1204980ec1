import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest, type McpServer } from "@modelcontextprotocol/server";
import { SSEServerTransport } from "@modelcontextprotocol/server-legacy/sse";

/** Serves one path of an HTTP server. */
export interface HttpHandler {
  /** The path clients connect to, such as `/mcp`. */
  path: string;
  /** Answers every request; may reject, which is answered with 500. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends sessions and streams. */
  close(): Promise<void>;
}

export interface Listener {
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
      const message = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${request.method ?? "?"} ${request.url ?? "?"}: ${message}\n`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "content-type": "text/plain" }).end("Internal error");
    });
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, address)));
    server.listen(address.port, address.host, () => {
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : address.port);
    });
  });
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return {
    url: `http://${host}:${port}${handler.path}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await handler.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The path of a request without its query. */
function pathOf(request: IncomingMessage): string {
  return new URL(request.url ?? "/", "http://localhost").pathname;
}

function notFound(response: ServerResponse, expected: string): void {
  response
    .writeHead(404, { "content-type": "text/plain" })
    .end(`Not found: this server answers at ${expected}\n`);
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

/** Largest request body, in bytes. */
const maxBody = 4 * 1024 * 1024;

/**
 * Streamable HTTP at `/mcp`. Requests of the 2026-07-28 revision are served one by one; clients of
 * earlier revisions get a session (`Mcp-Session-Id`), and 404 for one that is not known any more.
 */
export function createStreamableHandler(build: () => McpServer): HttpHandler {
  const modern = createMcpHandler(build, { legacy: "reject", maxRequestBodySize: maxBody });
  const handleModern = toNodeHandler(modern, { maxRequestBodySize: maxBody });
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

  async function handleLegacy(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
  ): Promise<void> {
    const id = request.headers["mcp-session-id"];
    if (typeof id === "string") {
      const transport = sessions.get(id);
      if (transport === undefined) return answerError(response, 404, -32_001, "Session not found");
      sessions.delete(id);
      sessions.set(id, transport);
      return transport.handleRequest(request, response, body);
    }
    if (!isInitialize(body)) {
      return answerError(
        response,
        400,
        -32_000,
        "Bad request: expected an initialize request or an Mcp-Session-Id",
      );
    }
    const transport = await openSession();
    await transport.handleRequest(request, response, body);
  }

  return {
    path: mcpPath,
    async handle(request, response) {
      if (pathOf(request).replace(/\/$/, "") !== mcpPath) return notFound(response, mcpPath);
      const body = await readJson(request, response);
      if (body === answered) return;
      // The same object: the two types differ in how they write an absent url.
      const message = request as NodeIncomingMessageLike;
      const legacy = await isLegacyRequest(await toWebRequest(message, body), body);
      await (legacy ? handleLegacy(request, response, body) : handleModern(message, response, body));
    },
    async close() {
      await Promise.all([modern.close(), ...[...sessions.values()].map((transport) => transport.close())]);
      sessions.clear();
    },
  };
}

const answered = Symbol("answered");

/** The parsed body; undefined where the method has none; `answered` when it was refused here. */
async function readJson(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  if (request.method !== "POST") return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) {
      answerError(response, 413, -32_600, `Request body too large: expected at most ${maxBody} bytes`);
      return answered;
    }
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    answerError(response, 400, -32_700, "Parse error: expected a JSON-RPC message");
    return answered;
  }
}

function isInitialize(body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.some(
    (message) =>
      typeof message === "object" &&
      message !== null &&
      "method" in message &&
      message.method === "initialize",
  );
}

function answerError(response: ServerResponse, status: number, code: number, message: string): void {
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}

const ssePath = "/sse/";
const messagePath = "/messages/";

/** The HTTP+SSE transport of 2024-11-05: a stream at `/sse/`, messages posted to `/messages/`. */
export function createSseHandler(build: () => McpServer): HttpHandler {
  const sessions = new Map<string, SSEServerTransport>();
  return {
    path: ssePath,
    async handle(request, response) {
      const at = pathOf(request);
      if (request.method === "GET" && (at === ssePath || `${at}/` === ssePath)) {
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
      notFound(response, ssePath);
    },
    async close() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
    },
  };
}
