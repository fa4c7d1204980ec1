// An MCP server that works on a site of the caller's: it is given an address and a token with each call
// and says them back wherever a server can (result, error, progress, question, file, stderr). It appends
// what it was given to the file RECEIVED. `node mcp-sites.ts` speaks stdio; with `http` it prints its url.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

interface Message {
  id?: number | string;
  method?: string;
  params?: { name?: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> };
}

type Send = (message: object) => void;

const site = { tenant_domain: { type: "string" }, tenant_token: { type: "string" } };
const both = {
  source_domain: { type: "string" },
  source_token: { type: "string" },
  target_domain: { type: "string" },
  target_token: { type: "string" },
};
const tenant = { ...site, tenant_ssl: { type: "boolean" }, what: { type: "string" } };
const tools = [
  {
    name: "read_site",
    description: "Read a list of the site.",
    inputSchema: { type: "object", properties: tenant, required: ["tenant_domain", "tenant_token", "what"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "read_broken",
    description: "Read what is broken.",
    inputSchema: { type: "object", properties: tenant, required: ["tenant_domain", "tenant_token"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "whoami",
    description: "Say who the token belongs to.",
    inputSchema: { type: "object", properties: site, required: Object.keys(site) },
    annotations: { readOnlyHint: true },
  },
  {
    name: "remove_site",
    description: "Remove something from the site.",
    inputSchema: { type: "object", properties: tenant, required: ["tenant_domain", "tenant_token", "what"] },
  },
  {
    name: "migrate",
    description: "Copy everything from one site to another.",
    inputSchema: {
      type: "object",
      properties: { ...both, what: { type: "string" } },
      required: [...Object.keys(both), "what"],
    },
    _meta: { when: "migration" },
  },
  {
    name: "copy_groups",
    description: "Copy groups from one site to another.",
    inputSchema: { type: "object", properties: { ...both, what: { type: "string" } }, required: ["what"] },
  },
];

function call({ id, params = {} }: Message, headers: object, send: Send): void {
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  const { progressToken, ...own } = meta;
  const received = { name, args, meta: own, headers };
  if (process.env.RECEIVED !== undefined)
    appendFileSync(process.env.RECEIVED, `${JSON.stringify(received)}\n`);
  const token = String(args.tenant_token ?? args.source_token ?? Object.values(headers).at(-1) ?? "");
  const echo = `used ${token} (${Buffer.from(`user:${token}`).toString("base64")}, ${encodeURIComponent(token)}) at ${String(args.tenant_domain ?? args.target_domain)}`;
  process.stderr.write(`sites: ${echo}\n`);
  if (progressToken !== undefined) {
    send({ method: "notifications/progress", params: { progressToken, progress: 1, message: echo } });
  }
  if (name === "read_broken" || token.startsWith("revoked")) {
    return send({ id, result: { content: [{ type: "text", text: `refused: ${echo}` }], isError: true } });
  }
  if (name === "whoami") {
    const text = `Somebody of ${String(args.tenant_domain).split(".")[0]}`;
    return send({ id, result: { content: [{ type: "text", text }] } });
  }
  const image = {
    type: "image",
    mimeType: "image/png",
    data: Buffer.from(`png ${token}`).toString("base64"),
  };
  const structuredContent = { what: args.what ?? null, echo, [token]: [received] };
  send({ id, result: { content: [{ type: "text", text: echo }, image], structuredContent } });
}

function take(message: Message, headers: object, send: Send): void {
  const { id, method } = message;
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "sites", version: "1" };
    return send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
  }
  if (method === "tools/list") return send({ id, result: { tools } });
  if (method === "tools/call") return call(message, headers, send);
  send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
}

if (process.argv[2] === "http") {
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const { authorization, "x-site": domain, "x-key": key } = request.headers;
    const headers = Object.fromEntries(
      Object.entries({ key, domain, authorization }).filter(([, value]) => value !== undefined),
    );
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const message = JSON.parse(body) as Message;
      if (message.id === undefined) {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      take(message, headers, (said) =>
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...said })}\n\n`),
      );
      response.end();
    });
  });
  server.listen(0, "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  });
} else {
  const send: Send = (message) =>
    void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  createInterface({ input: process.stdin }).on("line", (line) => take(JSON.parse(line) as Message, {}, send));
}
