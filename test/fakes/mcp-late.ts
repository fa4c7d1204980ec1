// An MCP server over stdio that takes its time to start, as one does that has to be downloaded: it writes what it is
// doing, and reads nothing before the file named by START_FILE exists. Then it serves the 2026-07-28 revision alone,
// unless told `any`: a handshake of the older one is refused. `silent` leaves what it does not know without an answer
// and serves the older revision alone. STARTS_FILE gets a line for each of its processes.
import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const { START_FILE = "", STARTS_FILE = "", QUIET } = process.env;
const [, , kind] = process.argv;

if (STARTS_FILE !== "") appendFileSync(STARTS_FILE, `${process.pid}\n`);
const isThere = (): boolean => START_FILE === "" || existsSync(START_FILE);
for (let part = 1; !isThere(); part += 1) {
  if (QUIET === undefined) process.stderr.write(`Downloading part ${part}\r`);
  await delay(50);
}

if (kind === "silent") serveSilent();
else {
  serveStdio(
    () => {
      const server = new McpServer({ name: "late", version: "1" });
      server.registerTool("pid", { annotations: { readOnlyHint: true } }, () => ({
        content: [{ type: "text", text: String(process.pid) }],
      }));
      return server;
    },
    { legacy: kind === "any" ? "serve" : "reject" },
  );
}

function serveSilent(): void {
  const send = (id: unknown, result: object): void =>
    void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line) as { id?: unknown; method?: string };
    if (method === "initialize") {
      const serverInfo = { name: "late", version: "1" };
      send(id, { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
    }
    if (method === "tools/list") send(id, { tools: [{ name: "pid", inputSchema: { type: "object" } }] });
    if (method === "tools/call") send(id, { content: [{ type: "text", text: String(process.pid) }] });
  });
}
