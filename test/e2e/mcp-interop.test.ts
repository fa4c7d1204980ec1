// The older SDK at one end of the wire and this product at the other, as a table of combinations.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, describe, expect, it } from "vitest";

import { testBox } from "#test/fakes/mcp-box.ts";

import { cleanUp, cleanUpAll, projectRoot, temporaryFolder } from "./support.ts";

const kinds = ["stdio", "http", "sse"] as const;
type Kind = (typeof kinds)[number];

afterAll(cleanUpAll);

/** Starts a program and gives its first line on the stream that it tells its address on. */
async function start(
  args: string[],
  says: "stdout" | "stderr",
  env: Record<string, string> = {},
): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  cleanUp(async () => void child.kill("SIGKILL"));
  child[says === "stdout" ? "stderr" : "stdout"].resume();
  const [line] = (await once(createInterface({ input: child[says] }), "line")) as [string];
  const address = /https?:\/\/[^\s"]+/.exec(line)?.[0];
  if (address === undefined) throw new Error(`no address in ${line}`);
  return address;
}

async function bundled(server: string, kind: Kind): Promise<Transport> {
  const program = `servers/${server}/main.ts`;
  const env = { COUNTERSIGN_DATA: await temporaryFolder() };
  if (kind === "stdio") {
    const all = { ...process.env, ...env } as Record<string, string>;
    return new StdioClientTransport({
      command: process.execPath,
      args: [program],
      cwd: projectRoot,
      env: all,
    });
  }
  const address = await start([program, "--transport", kind, "--port", "0"], "stderr", env);
  const url = new URL(kind === "http" ? "/mcp" : "/sse/", address);
  return kind === "http" ? new StreamableHTTPClientTransport(url) : new SSEClientTransport(url);
}

describe.each(kinds)("an older client over %s", (kind) => {
  it.each([
    ["jira", "get_jira_issue", { issue_key: "DEMO-1" }, "DEMO-1"],
    ["confluence", "search_confluence", { query: "onboarding" }, "nboarding"],
  ])("[mcp.transports] lists and calls the bundled %s server", async (server, name, args, expected) => {
    const client = new Client({ name: "older", version: "1" });
    cleanUp(() => client.close());
    await client.connect(await bundled(server, kind));
    expect(client.getServerVersion()?.name).toBeTruthy();
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain(name);
    const result = await client.callTool({ name, arguments: args });
    expect(JSON.stringify(result)).toContain(expected);
    // A tool that is not there is an error of the protocol or of the tool, and ends nothing.
    const missing = await client
      .callTool({ name: "no_such_tool", arguments: {} })
      .catch((error: unknown) => error);
    expect(missing instanceof Error || (missing as { isError?: boolean }).isError).toBe(true);
    await client.listTools();
  });
});

describe.each(kinds)("an older server over %s", (kind) => {
  it.each([true, false])(
    "[mcp.transports] is listed and called by the pool (persistent: %s)",
    async (persistent) => {
      const program = "test/fakes/mcp-older.ts";
      const reached =
        kind === "stdio"
          ? { command: ["node", program] }
          : { [kind === "http" ? "url" : "sse_url"]: await start([program, kind], "stdout") };
      const { box, call } = testBox([{ name: "older", use_persistent_session: persistent, ...reached }]);
      cleanUp(() => box.stop());
      await box.start();
      expect(box.servers()).toEqual([{ name: "older", status: "up", tools: 3 }]);

      expect(await call("older.add", { a: 1, b: 2 })).toMatchObject({ ok: true, data: { sum: 3 } });
      expect(await call("older.fail")).toMatchObject({ ok: false, error: { code: "tool_error" } });
      const asked = await call(
        "older.ask",
        {},
        { ask: async () => ({ action: "accept", content: { name: "Ana" } }) },
      );
      expect(asked).toMatchObject({ ok: true, data: "hello Ana" });
    },
  );
});
