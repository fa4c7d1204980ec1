import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

import {
  Client as NewClient,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as OldSse } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";

import type { McpServerConfig } from "#src/mcp/options.ts";
import { root, testBox } from "#test/fakes/mcp-box.ts";

import { startSessionServer } from "./mcp-support.ts";
import { temporaryFolder } from "./support.ts";

const everything = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Starts the bundled Jira server with an address, and waits until it answers. */
async function startJira(way: "http" | "sse"): Promise<URL> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ["servers/jira/main.ts", "--transport", way, "--port", String(port)],
    {
      cwd: root,
      env: { ...process.env, COUNTERSIGN_DATA: await temporaryFolder() },
      stdio: "ignore",
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const url = new URL(way === "http" ? "/mcp" : "/sse/", `http://127.0.0.1:${port}`);
  for (;;) {
    const response = await fetch(url, { method: "HEAD" }).catch(() => undefined);
    if (response !== undefined) return url;
  }
}

describe.each(["stdio", "http", "sse"] as const)("the bundled servers over %s", (way) => {
  async function transports() {
    const command = { command: process.execPath, args: ["servers/jira/main.ts"], cwd: root };
    if (way === "stdio") return { old: new OldStdio(command), new: new StdioClientTransport(command) };
    const url = await startJira(way);
    return way === "http"
      ? { old: new OldHttp(url), new: new StreamableHTTPClientTransport(url) }
      : { old: new OldSse(url), new: new SSEClientTransport(url) };
  }

  it.each(["old", "new"] as const)("[mcp.transports] serve a client written with the %s SDK", async (sdk) => {
    const made = await transports();
    const client =
      sdk === "old"
        ? new OldClient({ name: "client", version: "1" })
        : new NewClient({ name: "client", version: "2" });
    await client.connect(made[sdk]);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain("get_jira_issue");
    const result = await client.callTool({ name: "get_jira_issue", arguments: { issue_key: "DEMO-1" } });
    expect(result.structuredContent).toMatchObject({ key: "DEMO-1" });
    await client.close();
  });
});

describe("the pool", () => {
  async function servers(): Promise<
    Record<string, McpServerConfig & { tool: string; args: Record<string, string | number> }>
  > {
    const [httpPort, ssePort] = [await freePort(), await freePort()];
    const launch = (mode: string, port: number) => ({
      command: ["node", "--import", "./test/fakes/loopback-only.mjs", everything, mode],
      env: { PORT: String(port) },
    });
    const sum = { tool: "get-sum", args: { a: 1, b: 2 } };
    const count = { tool: "count", args: {} };
    return {
      "1.x over stdio": { name: "s", command: ["node", everything], ...sum },
      "1.x over Streamable HTTP": {
        name: "s",
        ...launch("streamableHttp", httpPort),
        url: `http://127.0.0.1:${httpPort}/mcp`,
        ...sum,
      },
      "1.x over HTTP+SSE": {
        name: "s",
        ...launch("sse", ssePort),
        sse_url: `http://127.0.0.1:${ssePort}/sse`,
        ...sum,
      },
      "1.x over Streamable HTTP with sessions": {
        name: "s",
        url: (await startSessionServer("v1")).url,
        ...count,
      },
      "2.x over Streamable HTTP with sessions": {
        name: "s",
        url: (await startSessionServer("v2")).url,
        ...count,
      },
      "2.x over stdio": {
        name: "s",
        command: ["node", "servers/jira/main.ts"],
        tool: "get_jira_issue",
        args: { issue_key: "DEMO-1" },
      },
    };
  }

  it.each([false, true])(
    "[mcp.transports] reaches servers of both SDKs (persistent: %s)",
    async (persistent) => {
      const all = Object.entries(await servers()).map(([name, server], index) => ({
        name,
        server: { ...server, name: `s${index}` },
      }));
      const { box, call } = testBox(
        all.map(({ server: { tool: _tool, args: _args, ...config } }) => ({
          ...config,
          use_persistent_session: persistent,
        })),
        { discoveryTimeoutMs: 30_000 },
      );
      await box.start();
      const outcomes = await Promise.all(
        all.map(async ({ name, server }) => {
          const { ok, error } = await call(`${server.name}.${server.tool}`, server.args);
          return [name, ok ? "ok" : (error?.message ?? "")];
        }),
      );
      await box.stop();
      const reached: unknown = Object.fromEntries(outcomes);
      expect(reached).toEqual({
        "1.x over stdio": "ok",
        "1.x over Streamable HTTP": "ok",
        "1.x over HTTP+SSE": "ok",
        "1.x over Streamable HTTP with sessions": "ok",
        "2.x over Streamable HTTP with sessions": "ok",
        "2.x over stdio": "ok",
      });
    },
  );
});
