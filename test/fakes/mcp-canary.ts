// An MCP server over stdio whose every answer holds a canary: a word that must not turn up where the
// answers must not go. It speaks the 2025-11-25 revision by hand.
import { createInterface } from "node:readline";

interface Message {
  id?: number | string;
  method?: string;
  params?: {
    name?: string;
    arguments?: { size?: number };
    _meta?: { progressToken?: number; traceparent?: string };
  };
}

const annotations = { readOnlyHint: true };
const inputSchema = { type: "object", properties: { size: { type: "integer" } } };
const tools = [
  { name: "read_report", description: "Read the report.", inputSchema, annotations },
  { name: "read_broken_report", description: "Read the broken report.", inputSchema, annotations },
];

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function call(id: Message["id"], params: NonNullable<Message["params"]>): void {
  const { progressToken, traceparent } = params._meta ?? {};
  if (traceparent !== undefined) process.stderr.write(`called in ${traceparent}\n`);
  if (progressToken !== undefined) {
    const progress = { progressToken, progress: 1, total: 2, message: "passed canary-progress" };
    send({ method: "notifications/progress", params: progress });
  }
  // Counted by tests: no other text holds this letter so often.
  const long = "ж".repeat(params.arguments?.size ?? 0);
  if (params.name === "read_broken_report") {
    const content = [{ type: "text", text: `canary-error ${long}` }];
    return send({ id, result: { content, isError: true } });
  }
  const structuredContent = {
    "canary-key": 1,
    title: "canary-title",
    people: [{ name: "canary-name" }, { name: "canary-second" }],
    long,
  };
  send({ id, result: { content: [{ type: "text", text: `canary-text ${long}` }], structuredContent } });
}

function take({ id, method, params = {} }: Message): void {
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "canary", version: "1" };
    return send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
  }
  if (method === "tools/list") return send({ id, result: { tools } });
  if (method === "tools/call") return call(id, params);
  send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
}

createInterface({ input: process.stdin }).on("line", (line) => take(JSON.parse(line) as Message));
