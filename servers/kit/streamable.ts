import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import {
  type NodeIncomingMessageLike,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest, type McpServer } from "@modelcontextprotocol/server";

import { notFound, pathOf, type HttpHandler } from "./listen.ts";

const path = "/mcp";

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
    path,
    async handle(request, response) {
      if (pathOf(request).replace(/\/$/, "") !== path) return notFound(response, path);
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
