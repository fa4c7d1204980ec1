import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const MAIN = join(import.meta.dirname, "../../servers/confluence/main.ts");

let folder: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wiki-"));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  rmSync(folder, { recursive: true, force: true });
});

function environment(extra: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: folder, COUNTERSIGN_DATA: folder, ...extra };
}

async function overStdio(extra?: Record<string, string>): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN],
      env: environment(extra),
    }),
  );
  cleanups.push(() => client.close());
  return client;
}

/** Starts the server on a free port and answers the address that it prints. */
async function start(transport: "http" | "sse"): Promise<URL> {
  const child: ChildProcess = spawn(process.execPath, [MAIN, "--transport", transport, "--port", "0"], {
    env: environment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  cleanups.push(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  if (child.stderr === null) throw new Error("no stderr");
  for await (const line of createInterface({ input: child.stderr })) {
    const address = /listening on (\S+)/u.exec(line)?.[1];
    if (address !== undefined) return new URL(address);
  }
  throw new Error("the server ended before it listened");
}

async function connected(
  transport: StreamableHTTPClientTransport | SSEClientTransport,
  mode: "legacy" | "auto" = "legacy",
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  cleanups.push(() => client.close());
  return client;
}

async function search(client: Client, query: string): Promise<unknown> {
  const result = await client.callTool({ name: "search_confluence", arguments: { query, limit: 3 } });
  expect(result.isError ?? false).toBe(false);
  return result.structuredContent;
}

describe("node servers/confluence/main.ts", () => {
  it("[mcp.transports] [view.confluence] answers over stdio and keeps a new page after a restart", async () => {
    const first = await overStdio({ CONFLUENCE_USER: "emi" });
    expect((await first.listTools()).tools).toHaveLength(7);
    expect(await search(first, "what does the wiki say about deploying")).toMatchObject({
      results: [{ id: "1002", title: "Deploying to production" }, {}, {}],
    });
    const args = { space: "PEO", title: "Zeppelin policy", body: "Only *small* ones." };
    const made = await first.callTool({ name: "create_page", arguments: args });
    expect(made.structuredContent).toMatchObject({ page: { updated_by: { name: "Emi Tanaka" } } });
    await first.close();

    const second = await overStdio();
    expect(await search(second, "zeppelins")).toMatchObject({
      total: 1,
      results: [{ title: "Zeppelin policy", excerpt: "Only small ones." }],
    });
  });

  it.each(["legacy", "auto"] as const)("[mcp.transports] answers over Streamable HTTP (%s)", async (mode) => {
    const url = await start("http");
    const client = await connected(new StreamableHTTPClientTransport(url), mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
    expect(await search(client, "printers")).toMatchObject({ results: [{ title: "Printers" }, {}, {}] });
    const missing = await client.callTool({ name: "get_page", arguments: { page_id: "4" } });
    expect(missing.isError).toBe(true);
  });

  it("[mcp.transports] answers old clients over SSE", async () => {
    const client = await connected(new SSEClientTransport(await start("sse")));
    expect(await search(client, "on-call")).toMatchObject({ results: [{ title: "On-call guide" }, {}, {}] });
  });

  it("speaks to a Confluence of its own over plain http", async () => {
    const asked: string[] = [];
    const confluence = createServer((request, response) => {
      asked.push(`${request.headers.authorization} ${request.url}`);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ results: [], start: 0, limit: 3, size: 0, totalSize: 0, _links: {} }));
    });
    confluence.listen(0, "127.0.0.1");
    await once(confluence, "listening");
    cleanups.push(async () => {
      confluence.closeAllConnections();
      confluence.close();
      await once(confluence, "close");
    });
    const address = confluence.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const client = await overStdio({
      CONFLUENCE_URL: `http://127.0.0.1:${port}`,
      CONFLUENCE_TOKEN: "pat-1",
    });
    expect(await search(client, "deploy")).toEqual({ results: [], total: 0, next_cursor: null });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(/^Bearer pat-1 \/rest\/api\/search\?cql=/u);
  });

  it("says what is missing when it has a URL and no credentials", async () => {
    const child = spawn(process.execPath, [MAIN], {
      env: environment({ CONFLUENCE_URL: "https://acme.atlassian.net", CONFLUENCE_EMAIL: "a@b.example" }),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(1);
    expect(said).toMatch(/CONFLUENCE_API_TOKEN.*got only CONFLUENCE_EMAIL/u);
  });
});
