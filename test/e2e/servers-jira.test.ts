import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, describe, expect, it } from "vitest";

const script = join(import.meta.dirname, "../../servers/jira/main.ts");

const running: ChildProcess[] = [];
const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const child of running.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
});

interface Result {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent: Record<string, unknown>;
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "jira-"));
}

function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, COUNTERSIGN_DATA: newFolder(), ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.push(child);
  return child;
}

/** Waits for the line that says where the server listens. */
async function urlOf(child: ChildProcess): Promise<URL> {
  const lines = createInterface({ input: child.stderr ?? process.stdin });
  for await (const line of lines) {
    const match = /^listening on (http:\S+)$/.exec(line);
    if (match?.[1] !== undefined) return new URL(match[1]);
  }
  throw new Error("the server ended before it listened");
}

async function text(child: ChildProcess): Promise<{ code: number; out: string; err: string }> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, "close")) as [number];
  return { code, out, err };
}

function newClient(revision: "2025-11-25" | "2026-07-28"): Client {
  const client = new Client(
    { name: "test", version: "1" },
    revision === "2026-07-28" ? { versionNegotiation: { mode: "auto" } } : {},
  );
  clients.push(client);
  return client;
}

function stdio(folder: string, env: Record<string, string> = {}): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [script],
    env: {
      COUNTERSIGN_DATA: folder,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
      ...env,
    },
  });
}

async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as Result;
}

/** The same short visit over every transport. */
async function visit(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools).toHaveLength(14);
  const read = await callTool(client, "get_jira_issue", { issue_key: "demo-1" });
  expect(read.structuredContent).toMatchObject({ key: "DEMO-1", project: { key: "DEMO" } });
  expect(read.content[0]?.text).toContain("DEMO-1 Login shows a blank page");
  const unknown = await callTool(client, "get_jira_issue", { issue_key: "DEMO-999" });
  expect(unknown.isError).toBe(true);
  expect(unknown.content[0]?.text).toContain("there is no issue DEMO-999");
}

describe("the Jira server", () => {
  it.each(["2025-11-25", "2026-07-28"] as const)(
    "[mcp.transports] serves %s over stdio",
    async (revision) => {
      const client = newClient(revision);
      await client.connect(stdio(newFolder()));
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      await visit(client);
    },
  );

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "[mcp.transports] serves %s over Streamable HTTP",
    async (revision) => {
      const child = start(["--transport", "http", "--port", "0"]);
      const transport = new StreamableHTTPClientTransport(await urlOf(child));
      const client = newClient(revision);
      await client.connect(transport);
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      // Sessions are for the older revision only.
      expect(transport.sessionId === undefined).toBe(revision === "2026-07-28");
      await visit(client);
    },
  );

  it("[mcp.transports] serves HTTP+SSE at /sse/", async () => {
    const url = await urlOf(start(["--transport", "sse", "--port", "0"]));
    expect(url.pathname).toBe("/sse/");
    const client = newClient("2025-11-25");
    await client.connect(new SSEClientTransport(url));
    await visit(client);
  });

  it("tells every tool's inputs, outputs and effect", async () => {
    const client = newClient("2025-11-25");
    await client.connect(stdio(newFolder()));
    const { tools } = await client.listTools();
    const hints = Object.fromEntries(
      tools.map(({ name, annotations }) => [
        name,
        [
          annotations?.readOnlyHint,
          annotations?.destructiveHint,
          annotations?.idempotentHint,
          annotations?.openWorldHint,
        ],
      ]),
    );
    const reads = [true, undefined, undefined, false];
    const adds = [false, false, false, false];
    const replaces = [false, true, true, false];
    expect(hints).toEqual({
      get_jira_issue: reads,
      search_issues: reads,
      count_issues: reads,
      get_epic: reads,
      list_projects: reads,
      find_people: reads,
      export_issues: reads,
      create_issue: adds,
      add_comment: adds,
      link_issues: [false, false, true, false],
      update_issue: replaces,
      transition_issue: replaces,
      assign_issue: replaces,
      delete_issue: replaces,
    });
    for (const tool of tools) {
      expect(tool.description?.length).toBeGreaterThan(50);
      expect(tool.outputSchema?.type).toBe("object");
      for (const [name, schema] of Object.entries(tool.inputSchema.properties ?? {})) {
        expect(schema, `${tool.name}.${name}`).toHaveProperty("description");
      }
    }
    const create = tools.find(({ name }) => name === "create_issue");
    expect(create?.inputSchema.required).toEqual(["project", "summary"]);
    expect(Object.keys(create?.inputSchema.properties ?? {})).toContain("dry_run");
  });

  it("changes what it is asked to, and keeps it when it is killed", async () => {
    const folder = newFolder();
    const transport = stdio(folder);
    const client = newClient("2026-07-28");
    await client.connect(transport);
    const dry = await callTool(client, "create_issue", {
      project: "DEMO",
      summary: "Printer on fire",
      dry_run: true,
    });
    expect(dry.structuredContent).toEqual({
      dry_run: true,
      before: null,
      after: { project: "DEMO", type: "Task", summary: "Printer on fire" },
      issue: null,
    });
    const created = await callTool(client, "create_issue", { project: "DEMO", summary: "Printer on fire" });
    const { key } = created.structuredContent.issue as { key: string };
    expect(key).toBe("DEMO-28");
    process.kill(transport.pid ?? 0, "SIGKILL");

    const next = newClient("2025-11-25");
    await next.connect(stdio(folder));
    const found = await callTool(next, "search_issues", { query: "printer fire" });
    expect(found.structuredContent).toMatchObject({
      issues: [{ key: "DEMO-28" }],
      total: 1,
      next_cursor: null,
    });
    const assigned = await callTool(next, "assign_issue", { issue_key: key, assignee: "Okafor" });
    expect(assigned.structuredContent).toMatchObject({
      issue: { key, assignee: { id: "ben" } },
      before: { assignee: null },
      after: { assignee: "Ben Okafor" },
    });
    const moved = await callTool(next, "transition_issue", { issue_key: key, status: "done" });
    expect(moved.structuredContent).toMatchObject({ before: { status: "To Do" }, after: { status: "Done" } });
    const comment = await callTool(next, "add_comment", { issue_key: key, body: "It is out." });
    expect(comment.structuredContent).toMatchObject({ issue_key: key, comment: { body: "It is out." } });
    const link = await callTool(next, "link_issues", { from_key: key, to_key: "OPS-6", type: "relates to" });
    expect(link.structuredContent).toMatchObject({ from_key: key, to_key: "OPS-6", type: "relates to" });
    const removed = await callTool(next, "delete_issue", { issue_key: key });
    expect(removed.structuredContent).toMatchObject({ before: { key }, after: null, issue: null });
    expect((await callTool(next, "get_jira_issue", { issue_key: key })).isError).toBe(true);
  });

  it("refuses arguments that do not fit, and names them", async () => {
    const client = newClient("2025-11-25");
    await client.connect(stdio(newFolder()));
    const message = async (name: string, args: Record<string, unknown>): Promise<string> => {
      const result = await callTool(client, name, args);
      expect(result.isError).toBe(true);
      return result.content[0]?.text ?? "";
    };
    expect(await message("get_jira_issue", { issue_key: "the login bug" })).toContain(
      "expected an issue key such as DEMO-12",
    );
    expect(await message("create_issue", { project: "DEMO" })).toContain("summary");
    expect(await message("create_issue", { project: "DEMO", summary: "x", colour: "red" })).toContain(
      "colour",
    );
    expect(await message("search_issues", { limit: 500 })).toContain("limit");
    expect(await message("search_issues", { due_before: "tomorrow" })).toContain(
      'expected a date such as 2026-11-30, got "tomorrow"',
    );
    expect(await message("search_issues", { jql: "key = DEMO-1", type: "bug" })).toContain(
      "expected it alone, got it beside type",
    );
    expect(await message("search_issues", { type: "incident" })).toContain(
      "Possible: Epic, Story, Task, Bug",
    );
    expect(await message("count_issues", { group_by: "sprint" })).toContain("group_by");
    expect(await message("add_comment", { issue_key: "DEMO-1", body: "  " })).toContain("expected some text");
  });

  it("finds and counts by conditions, and takes blank ones for none", async () => {
    const client = newClient("2025-11-25");
    await client.connect(stdio(newFolder()));
    const blanks = { query: " ", status_category: "", labels: [], due_before: "", epic: "", reporter: null };
    const conditions = { ...blanks, type: "bugs", project: "operations" };
    const found = await callTool(client, "search_issues", { ...conditions, order_by: "created" });
    expect(found.structuredContent).toMatchObject({
      issues: [{ key: "OPS-20" }, { key: "OPS-4" }, {}, {}, {}, {}],
      jql: 'project = "OPS" AND type = "Bug" ORDER BY created DESC',
    });
    const counted = await callTool(client, "count_issues", { ...conditions, group_by: "assignee" });
    expect(counted.structuredContent).toMatchObject({
      total: 6,
      groups: [{ value: "Dmitri Sokolov", count: 3 }, {}, {}],
    });
    expect(counted.content[0]?.text).toBe("6 issues\nDmitri Sokolov: 3\nunassigned: 2\nBen Okafor: 1");
  });

  it("[mcp.progress] reports progress of an export while it runs, and stops when it is cancelled", async () => {
    const client = newClient("2025-11-25");
    await client.connect(stdio(newFolder(), { JIRA_DEMO_DELAY_MS: "5" }));
    const seen: number[] = [];
    const result = (await client.callTool(
      { name: "export_issues", arguments: { project: "OPS" } },
      { onprogress: ({ progress, total }) => void (expect(total).toBe(20), seen.push(progress)) },
    )) as Result;
    expect(result.structuredContent.issues).toHaveLength(20);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));

    const stop = new AbortController();
    const stopped = client.callTool(
      { name: "search_issues", arguments: {} },
      { signal: stop.signal, onprogress: () => stop.abort("enough") },
    );
    await expect(stopped).rejects.toThrow("enough");
    await visit(client);
  });
});

describe("the command line of a bundled server", () => {
  it("shows its help", async () => {
    const { code, out } = await text(start(["--help"]));
    expect(code).toBe(0);
    expect(out).toContain("--transport stdio|http|sse");
    expect(out).toContain("default 8003");
  });

  it.each([
    [["--transprot", "http"], "Unknown option '--transprot'"],
    [["--transport", "tcp"], 'expected stdio, http or sse, got "tcp"'],
    [["--transport", "http", "--port", "99999"], "expected a number from 0 to 65535"],
    [["--transport", "http", "--host", "0.0.0.0"], "expected a loopback address"],
  ])("refuses %j", async (args, problem) => {
    const { code, err } = await text(start(args));
    expect(code).toBe(2);
    expect(err).toContain(problem);
    expect(err).toContain("Usage: node servers/jira/main.ts");
  });

  it("names a port that is in use", async () => {
    const url = await urlOf(start(["--transport", "http", "--port", "0"]));
    const { code, err } = await text(start(["--transport", "sse", "--port", url.port]));
    expect(code).toBe(1);
    expect(err).toContain(`port ${url.port} on 127.0.0.1 is in use`);
  });

  it("names a setting that is wrong", async () => {
    const { code, err } = await text(start([], { JIRA_URL: "https://jira.example.com" }));
    expect(code).toBe(1);
    expect(err).toContain("JIRA_EMAIL and JIRA_API_TOKEN");
  });

  it.each(["http", "sse"])(
    "answers over %s only to this machine's pages, and at its path",
    async (transport) => {
      const url = await urlOf(start(["--transport", transport, "--port", "0"]));
      const post = (target: URL | string, headers: Record<string, string>) =>
        fetch(target, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: "{}",
        });
      expect((await post(url, { origin: "https://evil.example" })).status).toBe(403);
      expect((await post(new URL("/elsewhere", url), {})).status).toBe(404);
    },
  );

  it("answers 404 for a session that is not there, so that old clients open a new one", async () => {
    const url = await urlOf(start(["--transport", "http", "--port", "0"]));
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": "6f1b0c9e-0000-4000-8000-000000000000",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(response.status).toBe(404);
    await response.body?.cancel();
  });

  it.each(["SIGTERM", "SIGINT"] as const)("ends cleanly on %s with a client connected", async (signal) => {
    const child = start(["--transport", "http", "--port", "0"]);
    const client = newClient("2025-11-25");
    await client.connect(new StreamableHTTPClientTransport(await urlOf(child)));
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("ends when its stdin closes", async () => {
    const child = start([]);
    child.stdin?.end();
    expect((await text(child)).code).toBe(0);
  });
});
