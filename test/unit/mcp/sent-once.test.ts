import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { testBox, type TestBox } from "#test/fakes/mcp-box.ts";

interface Asked {
  id?: number;
  method: string;
  params?: { arguments?: { how?: string } };
}

/** What was asked, by path and method. */
let asked: string[] = [];
/** Answers to be given once a call that waits is let go. */
const waiting: (() => void)[] = [];
let address: string;
let box: TestBox | undefined;

/** By path: `/mcp` is moved to `/mcp/`; `/back` was moved to `/mcp/` until `isBack`. */
let isBack = false;
const server = createServer((request, response) => void answer(request, response));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? "";
  if (path === "/mcp" || (path === "/back" && !isBack))
    return void response.writeHead(307, { location: path === "/mcp" ? "/mcp/" : "/elsewhere" }).end();
  if (path === "/elsewhere" && isBack) return void response.writeHead(404).end();
  if (request.method !== "POST") return void response.writeHead(405).end();
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const { id, method, params } = JSON.parse(text) as Asked;
  asked.push(`${path} ${method}`);
  const say = (result: object): void => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };
  if (id === undefined) return void response.writeHead(202).end();
  if (method === "initialize") {
    response.setHeader("mcp-session-id", randomUUID());
    const serverInfo = { name: "moved", version: "1" };
    return say({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
  }
  if (method === "tools/list") return say({ tools: [{ name: "write", inputSchema: { type: "object" } }] });
  if (method === "ping" && path.includes("?silent")) return;
  if (method === "ping") return say({});
  const how = params?.arguments?.how;
  if (how === "moved") return void response.writeHead(307, { location: path }).end();
  if (how === "wait") return void waiting.push(() => say({ content: [] }));
  say({ content: [{ type: "text", text: "written" }] });
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const go of waiting.splice(0)) go();
  await box?.box.stop();
  box = undefined;
  asked = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function open(path: string, isPersistent: boolean, discoveryTimeoutMs = 10_000): Promise<TestBox> {
  const one = { name: "s", url: `${address}${path}`, use_persistent_session: isPersistent };
  box = testBox([one], { discoveryTimeoutMs });
  await box.box.start();
  asked = [];
  return box;
}

const calls = (): string[] => asked.filter((one) => one.endsWith("tools/call"));

describe.each([
  { kind: "fresh", isPersistent: false },
  { kind: "persistent", isPersistent: true },
])("over a $kind connection", ({ isPersistent }) => {
  it("[mcp.once-sent] a change that is answered with a redirect is not sent again", async () => {
    const { call } = await open("/plain", isPersistent);
    const outcome = await call("s.write", { how: "moved" });
    expect(calls()).toEqual(["/plain tools/call"]);
    expect(outcome.error).toMatchObject({ code: "transport", sent: "maybe" });
    expect(outcome.error?.message).toContain(`not on to ${address}/plain; if that is the server, use it`);
  });

  it("[mcp.once-sent] a change whose second round finds nobody may have been sent", async () => {
    let rounds = 0;
    const handler = createMcpHandler(() => {
      const asking = new McpServer({ name: "rounds", version: "1" });
      asking.registerTool("write", {}, () => {
        rounds += 1;
        return inputRequired({ requestState: "more" });
      });
      return asking;
    });
    const handle = toNodeHandler(handler);
    const own = createServer((request, response) => {
      if (request.headers["mcp-method"] === "tools/call") {
        own.close();
        response.once("close", () => own.closeAllConnections());
      }
      void handle(request as Parameters<typeof handle>[0], response);
    });
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    const { port } = own.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mcp`;
    box = testBox([{ name: "s", url, use_persistent_session: isPersistent }]);
    await box.box.start();
    expect((await box.call("s.write")).error).toMatchObject({ code: "transport", sent: "maybe" });
    expect(rounds).toBe(1);
  });

  it("a server whose address leads on to another one of its own works", async () => {
    const { call } = await open("/mcp", isPersistent);
    expect(await call("s.write")).toMatchObject({ ok: true, data: "written" });
    expect(await call("s.write")).toMatchObject({ ok: true });
    expect(calls()).toEqual(["/mcp/ tools/call", "/mcp/ tools/call"]);
  });

  it("and goes on to work when it is back", async () => {
    isBack = false;
    const { call, box: tools } = await open("/back", isPersistent);
    expect(await call("s.write")).toMatchObject({ ok: true });
    isBack = true;
    // Over a fresh connection the handshake is refused where the server was; the next one is made where it is.
    const first = await call("s.write");
    expect(first.ok || first.error?.sent === "no").toBe(true);
    await expect.poll(() => tools.servers()[0]?.status).toBe("up");
    expect(await call("s.write")).toMatchObject({ ok: true });
    expect(calls().at(-1)).toBe("/back tools/call");
  });
});

describe("before a change over a session", () => {
  it("a server that answers no ping is asked once more, over a new session, and never again", async () => {
    const { call } = await open("/plain?silent", true, 1_500);
    expect(await call("s.write")).toMatchObject({ ok: true });
    const pings = (): number => asked.filter((one) => one.endsWith(" ping")).length;
    expect([pings(), calls().length]).toEqual([2, 1]);
    expect(await call("s.write")).toMatchObject({ ok: true });
    expect([pings(), calls().length]).toEqual([2, 2]);
  });

  it("a server that is at work on another call is waited for", async () => {
    const { call } = await open("/plain?silent", true, 1_500);
    const long = call("s.write", { how: "wait" }, { repeatable: true });
    await expect.poll(() => calls().length).toBe(1);
    asked = [];
    expect(await call("s.write")).toMatchObject({ ok: true });
    expect(asked.filter((one) => /initialize|ping$/.test(one))).toEqual(["/plain?silent ping"]);
    for (const go of waiting.splice(0)) go();
    expect(await long).toMatchObject({ ok: true });
  });
});
