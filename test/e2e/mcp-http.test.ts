import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

import { afterEach, describe, expect, it } from "vitest";

import type { CallProgress } from "#contract/tool.ts";
import type { McpServerConfig } from "#src/mcp/config.ts";
import { root, testBox } from "#test/fakes/mcp-box.ts";
import type { TestBox } from "#test/fakes/mcp-box.ts";

let open: TestBox | undefined;
const children: ChildProcess[] = [];

afterEach(async () => {
  await open?.box.stop();
  open = undefined;
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function start(...args: Parameters<typeof testBox>): Promise<TestBox> {
  open = testBox(...args);
  await open.box.start();
  return open;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function everythingOver(transport: "sse" | "streamableHttp"): Promise<McpServerConfig> {
  const port = await freePort();
  const program = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
  const url = `http://127.0.0.1:${port}`;
  return {
    name: "everything",
    command: ["node", "--import", "./test/fakes/loopback-only.mjs", program, transport],
    env: { PORT: String(port) },
    ...(transport === "sse" ? { sse_url: `${url}/sse` } : { url: `${url}/mcp` }),
  };
}

/** Starts the server that speaks both revisions, outside of the tool box. */
async function bothRevisions(port = 0): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ["test/fakes/mcp-http.ts"], {
    cwd: root,
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  if (child.stdout === null) throw new Error("no stdout");
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { url, child };
}

describe.each(["streamableHttp", "sse"] as const)("the everything server over %s", (transport) => {
  it.each([false, true])(
    "[mcp.transports] is launched, listed and called (persistent: %s)",
    async (persistent) => {
      const config = await everythingOver(transport);
      const { box, call } = await start([{ ...config, use_persistent_session: persistent }]);

      expect(box.servers()).toEqual([{ name: "everything", status: "up", tools: 15 }]);
      expect(await call("everything.get-sum", { a: 1, b: 2 })).toEqual({
        ok: true,
        data: "The sum of 1 and 2 is 3.",
      });
      const seen: CallProgress[] = [];
      await call(
        "everything.trigger-long-running-operation",
        { duration: 0.6, steps: 2 },
        { onProgress: (progress) => seen.push(progress) },
      );
      expect(seen[0]).toMatchObject({ progress: 1, total: 2 });

      await box.stop();
      await expect(fetch(config.url ?? config.sse_url ?? "")).rejects.toThrow("fetch failed");
    },
  );
});

describe("a server that speaks both revisions", () => {
  it("[mcp.transports] is spoken to in the 2026-07-28 revision, with the configured headers", async () => {
    const { url } = await bothRevisions();
    const { call } = await start([{ name: "remote", url, headers: { "X-Key": "k1" } }]);

    expect((await call("remote.double", { n: 21 })).data).toBe("42");
    const { data } = await call("remote.seen");
    const { requests } = data as { requests: { method: string; version: string; key: string }[] };
    expect(requests.map((request) => request.version).filter((version) => version !== "2026-07-28")).toEqual(
      [],
    );
    expect(new Set(requests.map((request) => request.key))).toEqual(new Set(["k1"]));
    // Asked once for its revision, and never again.
    expect(requests.map((request) => request.method)).toEqual([
      "server/discover",
      "tools/list",
      "tools/call",
      "tools/call",
    ]);
  });

  it("[ops.tracing] is told which trace a call is part of, in its request and its header", async () => {
    const { url } = await bothRevisions();
    const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const { call } = await start([{ name: "remote", url, use_persistent_session: true }]);
    await call("remote.double", { n: 21 }, { trace });
    const { data } = await call("remote.seen");
    const { requests } = data as { requests: { method: string; trace: string | null }[] };
    expect(requests.filter((request) => request.method === "tools/call").map(({ trace }) => trace)).toEqual([
      trace,
      null,
    ]);
    expect(requests.filter((request) => request.trace !== null)).toHaveLength(1);
  });

  it("[mcp.discovery] tells of a changed list over its subscription", async () => {
    const { url } = await bothRevisions();
    const { box, call, until } = await start([{ name: "remote", url, use_persistent_session: true }]);

    expect(box.find("remote.added")).toBeUndefined();
    await call("remote.grow");
    await until(() => box.find("remote.added") !== undefined);
  });
});

it.each([false, true])("a call under way ends with the box (persistent: %s)", async (persistent) => {
  const { url } = await bothRevisions();
  const { box, call } = await start([{ name: "remote", url, use_persistent_session: persistent }]);

  const started = call("remote.hang");
  await call("remote.double", { n: 1 });
  await box.stop();
  expect((await started).error).toMatchObject({ code: "transport", sent: "maybe" });
});

it.each([false, true])(
  "[mcp.cancel] tells the server that a call was stopped (persistent: %s)",
  async (persistent) => {
    const { url } = await bothRevisions();
    const { call } = await start([{ name: "remote", url, use_persistent_session: persistent }]);
    const stop = new AbortController();
    const calling = call("remote.hang", {}, { signal: stop.signal });
    const hanging = async (count: number): Promise<void> => {
      while (JSON.stringify((await call("remote.hanging")).data) !== `[${count}]`);
    };
    await hanging(1);
    stop.abort();
    expect((await calling).error).toMatchObject({ code: "cancelled", sent: "maybe" });
    await hanging(0);
  },
);

describe("a remote server that goes away", () => {
  it.each([false, true])(
    "[mcp.faults] is killed in the middle of a call (persistent: %s)",
    async (persistent) => {
      const { url, child } = await bothRevisions();
      const { call } = await start([{ name: "remote", url, use_persistent_session: persistent }]);

      const calling = call("remote.hang");
      await call("remote.double", { n: 1 });
      child.kill("SIGKILL");
      const outcome = await calling;
      expect(outcome.error).toMatchObject({ code: "transport", sent: "maybe" });
      const next = await call("remote.double", { n: 1 });
      expect(next.error?.code).toMatch(/transport|server_down/);
    },
  );

  it("[mcp.faults] is killed in the middle of a call of the 2025-11-25 revision", async () => {
    const { command = [], env = {}, url = "" } = await everythingOver("streamableHttp");
    const child = spawn(process.execPath, command.slice(1), { cwd: root, env: { ...process.env, ...env } });
    children.push(child);
    const { call, until, box } = await start([{ name: "remote", url, use_persistent_session: true }]);
    await until(() => box.servers()[0]?.status === "up");

    const progressed = Promise.withResolvers<void>();
    const args = { duration: 60, steps: 600 };
    const calling = call("remote.trigger-long-running-operation", args, {
      onProgress: () => progressed.resolve(),
    });
    await progressed.promise;
    child.kill("SIGKILL");
    const { error } = await calling;
    expect(error).toMatchObject({ code: "transport", sent: "maybe" });
    expect(error?.message).toContain("the server stopped answering");
  });

  it("[mcp.faults] is known to be gone as soon as somebody looks", async () => {
    const { url, child } = await bothRevisions();
    const { box, until, logged } = await start([{ name: "remote", url }]);
    // One that is there is not asked for its tools again.
    box.freshen();
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(box.servers()[0]?.status).toBe("up");
    const looking = setInterval(() => box.freshen(), 100);
    await until(() => box.servers()[0]?.status === "retrying").finally(() => clearInterval(looking));
    expect(logged.filter(({ message }) => message === "server is up")).toHaveLength(1);
    expect(box.servers()[0]?.error).toContain("ECONNREFUSED");
  });

  it("[mcp.discovery] is found again at its old address", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const { box, call, until } = await start([{ name: "remote", url }]);
    expect(box.servers()[0]).toMatchObject({
      status: "retrying",
      error: expect.stringContaining("ECONNREFUSED"),
    });

    await bothRevisions(port);
    await until(() => box.servers()[0]?.status === "up");
    expect((await call("remote.double", { n: 4 })).data).toBe("8");
  });
});
