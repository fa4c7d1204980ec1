// An MCP server over stdio that answers each call with the next line of the file named by SHAPES: a
// tool result, whatever it holds. Its answers are read-only. It speaks the 2025-11-25 revision by hand.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface Message {
  id?: number | string;
  method?: string;
  params?: { arguments?: { n?: number } };
}

const results = readFileSync(process.env.SHAPES ?? "", "utf8")
  .split("\n")
  .filter((line) => line !== "");

const inputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const annotations = { readOnlyHint: true };
const tools = ["read_shape", "read_secret"].map((name) => ({
  name,
  description: "Read one.",
  inputSchema,
  annotations,
}));

function send(message: string): void {
  process.stdout.write(`${message}\n`);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as Message;
  if (id === undefined) return;
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
  if (method === "initialize") {
    const result = {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "shapes", version: "1" },
    };
    return send(`${head}"result":${JSON.stringify(result)}}`);
  }
  if (method === "tools/list") return send(`${head}"result":${JSON.stringify({ tools })}}`);
  if (method === "tools/call") {
    return send(`${head}"result":${results[params?.arguments?.n ?? 0] ?? "{}"}}`);
  }
  send(`${head}"error":{"code":-32601,"message":"Method not found"}}`);
});
