import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createClient } from "@redis/client";
import { describe, expect, it, onTestFinished } from "vitest";

import { type EventPublisher, openEvents } from "#servers/knowledge/events.ts";
import { chooseKnowledge, type Knowledge } from "#servers/knowledge/knowledge.ts";
import { createKnowledgeServer } from "#servers/knowledge/server.ts";
import { startLlamaIndex } from "#test/fakes/llamaindex.ts";
import { has } from "#test/machine.ts";

import { folderOf, openLibrary } from "./support.ts";

const silent: EventPublisher = { publish: () => {}, close: () => {} };

interface Answer {
  /** The answer, and what is noted beside it. */
  text: string;
  notes: string;
  isError: boolean;
  data: Record<string, unknown>;
}

type Call = (tool: string, args: Record<string, unknown>) => Promise<Answer>;

async function over(
  knowledge: Knowledge,
  events: EventPublisher = silent,
): Promise<{ call: Call; client: Client }> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await createKnowledgeServer(knowledge, events).connect(there);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(here);
  onTestFinished(() => client.close());
  const call: Call = async (name, args) => {
    const result = await client.callTool({ name, arguments: { org_id: "acme", ...args } });
    const [text = "", ...notes] = result.content.map((part) => (part.type === "text" ? part.text : ""));
    const data = (result.structuredContent ?? {}) as Record<string, unknown>;
    return { text, notes: notes.join(" "), isError: result.isError === true, data };
  };
  return { call, client };
}

const LONG = "x".repeat(2500);

describe("the five tools", () => {
  it("[knowledge.tools] only read, and nobody is asked for the organisation's name twice", async () => {
    const { client } = await over(await chooseKnowledge({ COUNTERSIGN_DATA: folderOf() }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name, inputSchema }) => [name, inputSchema.required])).toEqual([
      ["knowledge_query", ["query", "org_id"]],
      ["code_search", ["query", "org_id"]],
      ["find_related_code", ["entity", "entity_type", "org_id"]],
      ["search_jira_tickets", ["query", "org_id"]],
      ["search_confluence", ["query", "org_id"]],
    ]);
    for (const { annotations } of tools) expect(annotations?.readOnlyHint).toBe(true);
    expect(tools[0]?.inputSchema.properties).toMatchObject({
      source_types: { default: "code,jira,confluence" },
      top_k: { default: 10 },
      task_id: { default: "" },
    });
  });

  it("[knowledge.tools] [knowledge.format] answer from the index in the data folder, with sources, and say that it was by words", async () => {
    const { ingest, folder } = await openLibrary();
    const code = {
      "src/pay.ts": "/** Charges again. */\nexport function retryPayment(): void {\n  charge();\n}\n",
    };
    await ingest({ type: "git", path: folderOf(code), name: "shop" });
    await ingest({ type: "jira" });
    await ingest({ type: "confluence" });
    const { call } = await over(
      await chooseKnowledge({ COUNTERSIGN_DATA: folder, KNOWLEDGE_EMBED_MODEL: "off" }),
    );
    const all = await call("knowledge_query", { query: "how do we roll back a deploy?" });
    expect(all.text).toMatch(/^### 1\. confluence \(relevance \d\.\d{3}\)\n\n\*\*Source:\*\* \d+\n\n> /);
    expect(all.notes).toContain("Searched by words alone");
    expect(all.data).toMatchObject({ search: "lexical", indexing: null });
    expect(
      (await call("knowledge_query", { query: "retry payment", source_types: "code" })).data,
    ).toMatchObject({ total_results: 1 });
    const found = await call("code_search", {
      query: "retry a payment",
      repo_filter: "sh*",
      language: "typescript",
    });
    expect(found.text).toBe(
      "### shop/src/pay.ts:1-4\n\n```typescript\n/** Charges again. */\nexport function retryPayment(): void {\n  charge();\n}\n```",
    );
    expect((await call("find_related_code", { entity: "retryPayment", entity_type: "function" })).text).toBe(
      "### Calls\n\n- `charge`: `src/pay.ts:3`",
    );
    expect((await call("search_jira_tickets", { query: "passkey login", project: "MOB" })).text).toMatch(
      /^### MOB-20: Login with passkey .*\n\n\*\*Status:\*\* To Do \| \*\*Priority:\*\* \w+ \| \*\*Labels:\*\* /,
    );
    expect((await call("search_confluence", { query: "rollback", space: "OPS" })).text).toMatch(
      /^### .+ \(OPS\)\n\n\*\*Last modified:\*\* \d{4}-/,
    );
    expect((await call("knowledge_query", { query: "xylophone" })).text).toBe("No relevant results found.");
    expect((await call("code_search", { query: "xylophone" })).text).toBe("No code matches found.");
    const elsewhere = await call("knowledge_query", { query: "roll back", org_id: "others" });
    expect(elsewhere).toMatchObject({
      text: "No relevant results found.",
      notes: "Nothing is indexed here yet: `countersign knowledge ingest SOURCE` indexes something.",
      data: { empty: true },
    });
    expect((await call("code_search", { query: "xylophone" })).data).toMatchObject({ empty: false });
  });

  it("[knowledge.format] put an existing service's answers into the same words, cut where they are long", async () => {
    const { url } = await startLlamaIndex();
    const { call } = await over(await chooseKnowledge({ LLAMAINDEX_URL: url }));
    const all = await call("knowledge_query", { query: "q" });
    expect(all.text).toBe(
      `### 1. code (relevance 0.877)\n\n**Source:** shop/a.ts\n\n> ${"x".repeat(2000)}…\n\n` +
        "### 2. jira (relevance 0.500)\n\n**Source:** DEMO-1\n\n> Second\n> ## Not a heading of the answer",
    );
    expect(all).toMatchObject({ notes: "", data: { search: null, cached: true } });
    expect((await call("code_search", { query: "q" })).text).toBe(
      "### shop/src/a.ts:3-9\n\n````typescript\nconst fence = '```';\n````",
    );
    expect((await call("search_jira_tickets", { query: "q" })).text).toBe(
      `### DEMO-4: Login fails\n\n**Status:** Open | **Priority:** High | **Labels:** login, ios\n\n> ${"x".repeat(500)}…`,
    );
    expect((await call("search_confluence", { query: "q" })).text).toBe(
      `### Deploying (ENG)\n\n**Last modified:** 2026-11-01T10:00:00Z\n\n> ${"x".repeat(1000)}…`,
    );
    expect((await call("find_related_code", { entity: "a", entity_type: "file" })).text).toBe(
      "### Calls\n\n- `log`: `src/log.ts:4`\n- `sum`: `src/sum.ts:9`\n\n### Imports\n\n- `fs`: `src/a.ts:1`",
    );
  });

  it("[knowledge.tools] send an existing service its filters where its client and where its service has them", async () => {
    const { url, asked } = await startLlamaIndex();
    const { call } = await over(await chooseKnowledge({ LLAMAINDEX_URL: `${url}/` }));
    await call("knowledge_query", { query: "q", task_id: "t1", channel: "slack:T1:C1" });
    await call("code_search", { query: "q", repo_filter: "shop-*", language: "go", top_k: 3 });
    await call("search_jira_tickets", { query: "q", project: "DEMO" });
    await call("search_confluence", { query: "q", space: "*" });
    await call("find_related_code", { entity: "x", entity_type: "class", relationship: "extends" });
    expect(asked).toEqual([
      {
        path: "/query",
        body: {
          query: "q",
          org_id: "acme",
          top_k: 10,
          source_types: ["code", "jira", "confluence"],
          filters: {},
        },
      },
      {
        path: "/query/code",
        body: {
          query: "q",
          org_id: "acme",
          top_k: 3,
          repo_filter: "shop-*",
          language: "go",
          filters: { repo_filter: "shop-*", language: "go" },
        },
      },
      {
        path: "/query/tickets",
        body: { query: "q", org_id: "acme", top_k: 10, project: "DEMO", filters: { project: "DEMO" } },
      },
      { path: "/query/docs", body: { query: "q", org_id: "acme", top_k: 10, filters: {} } },
      {
        path: "/graph/related",
        body: { entity: "x", entity_type: "class", org_id: "acme", relationship: "extends" },
      },
    ]);
  });

  it("[knowledge.tools] say what is wrong with a service that is down, fails or answers something else", async () => {
    const answers: Record<string, { status?: number; body: unknown }> = {
      "/query": { status: 503, body: { detail: "the vector store is down" } },
      "/query/code": { body: "<html>" },
      "/query/docs": { body: { hits: [] } },
    };
    const { url, stop } = await startLlamaIndex((path) => answers[path]);
    const { call } = await over(await chooseKnowledge({ LLAMAINDEX_URL: url }));
    const said = async (tool: string): Promise<string> => {
      const { text, isError } = await call(tool, { query: "q" });
      expect(isError).toBe(true);
      return text;
    };
    expect(await said("knowledge_query")).toBe(
      "service_error: the knowledge service answered 503: the vector store is down",
    );
    expect(await said("code_search")).toContain(
      "service_error: the knowledge service answered no JSON: <html>",
    );
    expect(await said("search_confluence")).toContain(
      "service_error: the knowledge service answered in another shape",
    );
    await stop();
    expect(await said("search_jira_tickets")).toContain("service_down: the knowledge service at 127.0.0.1");
    await expect(chooseKnowledge({ LLAMAINDEX_URL: "redis://x" })).rejects.toThrow(
      "LLAMAINDEX_URL: expected http://HOST:PORT",
    );
  });
});

describe("events", () => {
  const found: Knowledge = {
    query: () =>
      Promise.resolve({
        results: Array.from({ length: 7 }, (_, at) => ({
          content: LONG,
          source_type: "code",
          source_id: `s${at}`,
          relevance_score: 0.5,
          metadata: {},
        })),
        cached: false,
        query_time_ms: 3,
        search: "lexical",
        indexing: undefined,
        empty: false,
      }),
    related: () => Promise.resolve([]),
  };

  it.runIf(has("redis-server"))(
    "[knowledge.events] go to the stream task_events of a real Redis, with a task alone",
    async () => {
      const redis = await startRedis();
      const events = await openEvents({ REDIS_URL: redis.url });
      onTestFinished(() => events.close());
      const { call } = await over(found, events);
      await call("knowledge_query", { query: "without a task" });
      await call("knowledge_query", { query: "q", task_id: "t1", source_types: "code, jira" });
      const rows = await redis.wait(2);
      expect(rows.map(({ type, task_id }) => [type, task_id])).toEqual([
        ["knowledge:query", "t1"],
        ["knowledge:result", "t1"],
      ]);
      for (const { timestamp } of rows) expect(new Date(timestamp ?? "").toISOString()).toBe(timestamp);
      expect(JSON.parse(rows[0]?.data ?? "")).toEqual({
        tool_name: "knowledge_query",
        query: "q",
        org_id: "acme",
        source_types: ["code", "jira"],
      });
      await call("code_search", { query: "q", task_id: "t1" });
      const [searched] = (await redis.wait(4)).slice(2);
      expect(JSON.parse(searched?.data ?? "")).toMatchObject({
        tool_name: "code_search",
        source_types: ["code"],
      });
      const result = JSON.parse(rows[1]?.data ?? "") as { results_preview: unknown[] };
      expect(result).toMatchObject({
        tool_name: "knowledge_query",
        query: "q",
        results_count: 7,
        query_time_ms: 3,
        cached: false,
      });
      expect(result.results_preview).toHaveLength(5);
      const off = await openEvents({ REDIS_URL: redis.url, PUBLISH_KNOWLEDGE_EVENTS: "false" });
      off.publish("knowledge:query", "t2", {});
      events.publish("knowledge:query", "t3", {});
      expect((await redis.wait(5)).at(-1)).toMatchObject({ task_id: "t3" });
    },
  );

  it.runIf(has("redis-server"))(
    "[knowledge.events] a Redis that is slow gets every event later, in order, and no answer waits for it",
    async () => {
      const redis = await startRedis();
      const slow = await startDoor(Number(new URL(redis.url).port));
      const warnings: string[] = [];
      const events = await openEvents({ REDIS_URL: slow.url }, (message) => warnings.push(message));
      onTestFinished(() => events.close());
      const { call } = await over(found, events);
      await call("knowledge_query", { query: "first", task_id: "t" });
      await redis.wait(2);
      slow.close();
      for (let at = 0; at < 20; at += 1)
        expect((await call("knowledge_query", { query: `q${at}`, task_id: "t" })).isError).toBe(false);
      // All of them were answered, and Redis has heard of none.
      expect(await redis.wait(2)).toHaveLength(2);
      slow.open();
      const rows = await redis.wait(42);
      const asked = rows.filter(({ type }) => type === "knowledge:query").map(({ data }) => queryOf(data));
      expect(asked).toEqual(["first", ...Array.from({ length: 20 }, (_, at) => `q${at}`)]);
      expect(warnings).toEqual([]);
    },
  );

  it.each(["dead", "hung"])(
    "[knowledge.events] a Redis that is %s costs one warning and delays nothing",
    async (kind) => {
      const url = kind === "dead" ? "redis://127.0.0.1:1" : await startHungRedis();
      const warned = Promise.withResolvers<string>();
      const warnings: string[] = [];
      const events = await openEvents({ REDIS_URL: url }, (message) => {
        warnings.push(message);
        warned.resolve(message);
      });
      onTestFinished(() => events.close());
      const { call } = await over(found, events);
      // More than may wait: each is answered at once, as none of them waits for Redis.
      for (let at = 0; at < 250; at += 1)
        expect((await call("knowledge_query", { query: "q", task_id: "t" })).isError).toBe(false);
      expect(await warned.promise).toContain("knowledge events are not published: ");
      expect(warnings).toHaveLength(1);
    },
  );
});

/** A Redis of its own, and what is in its stream once there is so much. */
async function startRedis(): Promise<{
  url: string;
  wait(count: number): Promise<Record<string, string>[]>;
}> {
  const port = await freePort();
  const child = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--save", ""], {
    cwd: folderOf(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes("Ready to accept connections")) break;
  const url = `redis://127.0.0.1:${port}`;
  const client = createClient({ url });
  await client.connect();
  onTestFinished(() => client.destroy());
  const rows = async (): Promise<Record<string, string>[]> =>
    ((await client.xRange("task_events", "-", "+")) ?? []).map(({ message }) => ({ ...message }));
  return {
    url,
    async wait(count) {
      await expect.poll(async () => (await rows()).length).toBe(count);
      return rows();
    },
  };
}

function queryOf(data = ""): unknown {
  return (JSON.parse(data) as { query: unknown }).query;
}

/** A way to a port of this machine on which everything stands still while it is closed. */
async function startDoor(port: number): Promise<{ url: string; open(): void; close(): void }> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    const behind = connect(port, "127.0.0.1");
    for (const one of [socket, behind]) one.on("error", () => {});
    sockets.push(socket.pipe(behind).pipe(socket), behind);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => sockets.forEach((socket) => socket.resume()),
    close: () => sockets.forEach((socket) => socket.pause()),
  };
}

async function freePort(): Promise<number> {
  const server = createTcpServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Takes connections and says nothing. */
async function startHungRedis(): Promise<string> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
