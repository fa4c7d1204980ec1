// An MCP server over Streamable HTTP that misbehaves on demand, in a process of its own: it prints its
// url. It speaks the 2025-11-25 revision by hand, without sessions, so that it can break it.
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Message {
  id?: number | string;
  method?: string;
  params?: { name?: string };
}

const faults: Record<string, (response: ServerResponse, id: Message["id"]) => void> = {
  echo: (response, id) => json(response, result(id, "echo")),
  not_found: (response) => void response.writeHead(404).end("gone"),
  unauthorized: (response) =>
    void response.writeHead(401, { "www-authenticate": "Bearer" }).end("who are you?"),
  forbidden: (response) => void response.writeHead(403).end("not you"),
  broken: (response) => void response.writeHead(502).end("<html>bad gateway</html>"),
  silent: () => {},
  silent_stream: (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("event: message\ndata: {");
  },
  loris: (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => response.write(":"), 10);
    response.once("close", () => clearInterval(timer));
  },
  cut: (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("event: message\ndata: {");
    response.destroy();
  },
  cut_at_once: (response) => void response.destroy(),
  garbage: (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end("%$§ not json");
  },
  wrong_type: (response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<html>a login page</html>");
  },
  wrong_id: (response) => json(response, result("somebody else's", "for nobody")),
  twice: (response, id) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const text of ["first", "second"])
      response.write(`event: message\ndata: ${JSON.stringify(result(id, text))}\n\n`);
    response.end();
  },
  gigabyte: (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const chunk = Buffer.alloc(1024 * 1024, "x");
    let left = 1024;
    const write = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        if (!response.write(chunk)) return void response.once("drain", write);
      }
      response.end();
    };
    write();
  },
};

function result(id: Message["id"], text: string): object {
  return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } };
}

function json(response: ServerResponse, message: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST") return void response.writeHead(405).end();
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Message;
  if (id === undefined) return void response.writeHead(202).end();
  if (method === "initialize") {
    const serverInfo = { name: "fault", version: "1" };
    return json(response, {
      jsonrpc: "2.0",
      id,
      result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo },
    });
  }
  if (method === "tools/list") {
    const tools = Object.keys(faults).map((name) => ({ name, inputSchema: { type: "object" } }));
    return json(response, { jsonrpc: "2.0", id, result: { tools } });
  }
  if (method === "tools/call") return faults[params.name ?? ""]?.(response, id);
  json(response, { jsonrpc: "2.0", id, error: { code: -32601, message: `Method not found: ${method}` } });
}

const http = createServer((request, response) => void serve(request, response));
http.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
});
