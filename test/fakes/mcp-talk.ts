// An MCP server over Streamable HTTP whose calls take long and say so in other ways than by progress, in a process of
// its own: it prints its url. `migrate_messages` writes log messages on the stream of the call, `migrate_stream` on
// the stream for what a server says by itself, `migrate_comments` comments alone, as proxies do. It speaks the
// 2025-11-25 revision by hand.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

interface Message {
  id?: number | string;
  method?: string;
  params?: { name?: string; arguments?: { steps?: number } };
}

const tools = ["migrate_messages", "migrate_stream", "migrate_comments"].map((name) => ({
  name,
  inputSchema: { type: "object", properties: { steps: { type: "integer" } }, required: ["steps"] },
  annotations: { readOnlyHint: true },
}));

/** The streams for what a server says by itself, by session. */
const streams = new Map<string, ServerResponse>();

function event(message: object): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
}

function logged(step: number, steps: number): string {
  const data = { type: "progress", message: `Dashboard ${step} migrated`, migrated: step, total: steps };
  return event({ method: "notifications/message", params: { level: "info", logger: "migration", data } });
}

async function call(response: ServerResponse, session: string, { id, params = {} }: Message): Promise<void> {
  const steps = params.arguments?.steps ?? 0;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  for (let step = 1; step <= steps && !response.destroyed; step += 1) {
    if (params.name === "migrate_messages") response.write(logged(step, steps));
    if (params.name === "migrate_stream") streams.get(session)?.write(logged(step, steps));
    if (params.name === "migrate_comments") response.write(": keepalive\n\n");
    await delay(100);
  }
  response.end(event({ id, result: { content: [{ type: "text", text: `migrated ${steps}` }] } }));
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const session = String(request.headers["mcp-session-id"] ?? "");
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    return void streams.set(session, response);
  }
  if (request.method === "DELETE") return void response.writeHead(200).end();
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const message = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Message;
  const { id, method } = message;
  const answer = (result: object, headers = {}): void =>
    void response
      .writeHead(200, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  if (id === undefined) return void response.writeHead(202).end();
  if (method === "initialize") {
    const serverInfo = { name: "talk", version: "1" };
    const capabilities = { tools: {}, logging: {} };
    return answer(
      { protocolVersion: "2025-11-25", capabilities, serverInfo },
      { "mcp-session-id": randomUUID() },
    );
  }
  if (method === "tools/list") return answer({ tools });
  if (method === "tools/call") return call(response, session, message);
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }));
}

const http = createServer((request, response) => void serve(request, response));
http.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
});
