import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { onTestFinished } from "vitest";

const LONG = "x".repeat(2500);

export interface LlamaIndex {
  url: string;
  asked: { path: string; body: unknown }[];
  /** Ends it, and whatever was asked of it. */
  stop: () => Promise<void>;
}

/** What upstream's service answers, in its shapes: no `search`, graph rows by either name. */
const ANSWERS: Record<string, unknown> = {
  "/query": {
    results: [
      { content: LONG, source_type: "code", source_id: "shop/a.ts", relevance_score: 0.87654, metadata: {} },
      {
        content: "Second\n## Not a heading of the answer",
        source_type: "jira",
        source_id: "DEMO-1",
        relevance_score: 0.5,
      },
    ],
    query: "q",
    total_results: 2,
    source_types_queried: ["code"],
    cached: true,
    query_time_ms: 12.5,
  },
  "/query/code": {
    results: [
      {
        content: "const fence = '```';",
        source_type: "code",
        source_id: "1",
        relevance_score: 1,
        metadata: { repo: "shop", file_path: "src/a.ts", language: "typescript", line_start: 3, line_end: 9 },
      },
    ],
  },
  "/query/tickets": {
    results: [
      {
        content: LONG,
        source_type: "jira",
        source_id: "DEMO-4",
        relevance_score: 0.4,
        metadata: {
          key: "DEMO-4",
          summary: "Login fails",
          status: "Open",
          priority: "High",
          labels: ["login", "ios"],
        },
      },
    ],
  },
  "/query/docs": {
    results: [
      {
        content: LONG,
        source_type: "confluence",
        source_id: "1001",
        relevance_score: 0.4,
        metadata: { page_title: "Deploying", space: "ENG", last_modified: "2026-11-01T10:00:00Z" },
      },
    ],
  },
  "/graph/related": {
    results: [
      { relationship: "calls", name: "log", file: "src/log.ts", line: 4 },
      { relationship: "imports", name: "fs", file_path: "src/a.ts", line_number: 1 },
      { relationship: "calls", name: "sum", file_path: "src/sum.ts", line_number: 9 },
    ],
  },
};

/** A stand-in for an existing LlamaIndex service, until the test ends; what it was asked stands in `asked`. */
export async function startLlamaIndex(
  answer: (path: string) => { status?: number; body: unknown } | undefined = (path) => ({
    body: ANSWERS[path],
  }),
): Promise<LlamaIndex> {
  const asked: { path: string; body: unknown }[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const path = request.url ?? "";
      asked.push({ path, body: JSON.parse(text) });
      const given = answer(path);
      if (given === undefined) return;
      response.writeHead(given.status ?? 200, { "content-type": "application/json" });
      response.end(typeof given.body === "string" ? given.body : JSON.stringify(given.body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += String(part);
  return text;
}
