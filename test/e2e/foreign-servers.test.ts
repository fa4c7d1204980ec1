import { once } from "node:events";
import { realpath, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  askFor,
  cleanUp,
  cleanUpAll,
  decide,
  follow,
  readTurn,
  request,
  type HostedProduct,
  say,
  startHosted,
  temporaryFolder,
  type WireResult,
} from "./support.ts";

const EVERYTHING = ["node", "node_modules/@modelcontextprotocol/server-everything/dist/index.js"];

let product: HostedProduct;
let folder: string;

beforeAll(async () => {
  folder = await realpath(await temporaryFolder());
  await writeFile(join(folder, "note.txt"), "remember the milk\n");
  product = await startHosted({
    config: {
      model: { provider: "builtin" },
      servers: [
        { name: "everything", command: EVERYTHING },
        {
          name: "files",
          command: ["node", "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", folder],
        },
        {
          name: "memory",
          command: ["node", "node_modules/@modelcontextprotocol/server-memory/dist/index.js"],
          env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
        },
        {
          name: "track",
          command: ["node", "test/fakes/mcp-track.ts"],
          env: { TRACK_FILE: join(folder, "track.json") },
        },
      ],
      policy: {
        rules: [
          { tools: ["track.get_record"], decision: "allow" },
          {
            tools: ["track.modify_record"],
            decision: "ask",
            approvers: ["channel"],
            grants: { max_ttl: "30m", max_uses: 2, vary: ["state", "priority"] },
          },
        ],
      },
      tools: {
        "track.modify_record": {
          statement: "Change {object}",
          object: {
            read: "get_record",
            kind: "record",
            label: "R-{record.ref}",
            title: "record.headline",
            url: "record.link",
          },
        },
      },
      commands: {
        track: { server: "track", default: "get_record", subcommands: { change: "modify_record" } },
        memory: {
          server: "memory",
          default: "search_nodes",
          subcommands: { add: "create_entities" },
        },
        sum: { server: "everything", default: "get-sum" },
        weather: { server: "everything", default: "get-structured-content" },
        picture: { server: "everything", default: "get-tiny-image" },
        file: {
          server: "files",
          default: "read_text_file",
          subcommands: { list: "list_directory", write: "write_file" },
        },
      },
    },
  });
});
afterAll(cleanUpAll);

/** Approves what a message asks for; the result of the continuation. */
async function approved(message: string): Promise<WireResult> {
  const { turnId, pending } = await askFor(product, message, { session_id: message.slice(0, 60) });
  const seen = (await follow(product, turnId)).length;
  expect((await decide(product, pending.approval_id, "approve")).body.outcome).toBe("approved");
  const last = (await follow(product, turnId, seen)).at(-1);
  if (last?.event !== "result") throw new Error(`expected a result, got ${JSON.stringify(last)}`);
  return last.data as unknown as WireResult;
}

describe("servers that nobody here wrote, from configuration alone", () => {
  it("[mcp.discovery] [approve.policy] list their tools, all of which ask", async () => {
    const { body } = await request<{ tools: { id: string; server: string; decision: string }[] }>(
      product,
      "GET",
      "/tools",
    );
    const theirs = body.tools.filter((tool) => tool.server === "everything" || tool.server === "files");
    expect(theirs.map((tool) => tool.id)).toEqual(
      expect.arrayContaining([
        "everything.echo",
        "everything.get-sum",
        "files.read_text_file",
        "files.write_file",
      ]),
    );
    expect(theirs.filter((tool) => tool.decision !== "ask")).toEqual([]);
    const health = await request(product, "GET", "/health");
    expect(health).toMatchObject({
      status: 200,
      body: { status: "ok", servers: { everything: { status: "up" }, files: { status: "up" } } },
    });
  });

  it("[plan.commands] [view.fallback] are called by slash commands and shown by the generic view", async () => {
    const sum = await approved("/sum a=2 b=40");
    expect(sum.tool_result).toMatchObject({
      tool_id: "everything.get-sum",
      args: { a: 2, b: 40 },
      ok: true,
      view: "GenericView",
    });
    expect(JSON.stringify(sum.tool_result?.card)).toContain("42");

    const weather = await approved('/weather location="New York"');
    expect(weather.tool_result).toMatchObject({
      tool_id: "everything.get-structured-content",
      data: { conditions: "Cloudy" },
      view: "GenericView",
    });
    expect(JSON.stringify(weather.tool_result?.card)).toContain("Cloudy");

    const file = await approved(`/file ${join(folder, "note.txt")}`);
    expect(file.tool_result).toMatchObject({
      tool_id: "files.read_text_file",
      view: "GenericView",
      ok: true,
    });
    expect(JSON.stringify(file.tool_result?.card)).toContain("remember the milk");
  });

  it("[llm.builtin] are planned for in plain words, without a model", async () => {
    const { pending } = await askFor(product, "what is the sum of 19 and 23?", { session_id: "words" });
    expect(pending).toMatchObject({ tool_id: "everything.get-sum", args: { a: 19, b: 23 } });
    const read = await askFor(product, `read the file ${join(folder, "note.txt")}`, {
      session_id: "words-2",
    });
    expect(read.pending.tool_id).toMatch(/^files\.read/);
    expect(read.pending.args).toMatchObject({ path: join(folder, "note.txt") });
  });

  it("[view.fallback] show a refusal of the tool with its own words, and the turn ends well", async () => {
    const outside = await approved("/file /etc/hostname");
    expect(outside.tool_result).toMatchObject({ ok: false, is_error: true, view: "GenericView" });
    expect(JSON.stringify(outside.tool_result?.card)).toContain("Access denied");
    const turn = await readTurn(product, String(outside.turn_id));
    expect(turn.state).toBe("done");
  });

  it("[approve.two-phase] change nothing before approval, also where the server gives no dry run", async () => {
    const path = join(folder, "written.txt");
    const { pending, turnId } = await askFor(product, `/file write path=${path} content="tea"`, {
      session_id: "write",
    });
    expect(pending.args).toEqual({ path, content: "tea" });
    expect(pending.effect).toBeUndefined();
    const before = await approved(`/file list ${folder}`);
    expect(JSON.stringify(before.tool_result?.data)).not.toContain("written.txt");
    const seen = (await follow(product, turnId)).length;
    await decide(product, pending.approval_id, "approve");
    await follow(product, turnId, seen);
    const after = await approved(`/file list path=${folder}`);
    expect(JSON.stringify(after.tool_result?.data)).toContain("written.txt");
  });
});

describe("a foreign server whose record the configuration names", () => {
  const card = ({ tool_result: result }: WireResult): string => JSON.stringify(result?.card);

  it("[card.statement] asks by the record's title, with before and after, and reads the change back", async () => {
    const { pending, turnId } = await askFor(
      product,
      "/track change ref=7 state=closed owner=Ana remark=cold",
      {
        session_id: "track",
      },
    );
    expect(pending.statement).toMatchObject({
      ask: "Change R-7 “Printer on fire”",
      object: { kind: "record", label: "R-7", title: "Printer on fire", href: "https://track.example/7" },
      changes: [
        { label: "State", before: "open", after: "closed" },
        { label: "Owner", before: "ben", after: "Ana" },
        { label: "Remark", after: "cold" },
      ],
    });
    const seen = (await follow(product, turnId)).length;
    await request(product, "POST", `/approvals/${pending.approval_id}/decision`, {
      decision: "approve",
      grant: { ttl: "10m" },
    });
    const last = (await follow(product, turnId, seen)).at(-1)?.data as unknown as WireResult;
    expect(card(last)).toContain("Changed R-7 “Printer on fire”");
    expect(card(last)).toContain('"text":"verified"');
  });

  it("[card.statement] reads back what a standing approval allowed as well", async () => {
    const rest = "owner=Ana remark=cold";
    const say = async (values: string): Promise<WireResult> =>
      (
        await request<WireResult>(product, "POST", "/agent/turn", {
          session_id: "track",
          message: `/track change ref=7 ${values} ${rest}`,
        })
      ).body;
    const reopened = await say("state=open");
    expect(reopened.pending_confirmation).toBeUndefined();
    expect(card(reopened)).toContain("Changed R-7 “Printer on fire”");
    expect(card(reopened)).toContain('"text":"verified"');
    const kept = await say("state=open priority=sealed");
    expect(kept.pending_confirmation).toBeUndefined();
    expect(card(kept)).toMatch(/not.*Priority/i);
    expect(card(kept)).not.toContain('"text":"verified"');
  });

  it("[card.statement] spares people the question about a record that is not there", async () => {
    const { body } = await say(product, "/track change ref=9 state=closed", { session_id: "track-none" });
    expect(body.pending_confirmation).toBeUndefined();
    expect(card(body)).toContain("There is no record 9.");
  });
});

describe("a server that is down", () => {
  it("[mcp.discovery] is named in /health, stops nobody else, and is taken in when it comes up", async () => {
    const place = await temporaryFolder();
    const script = join(place, "server.mjs");
    const running = await startHosted({
      config: {
        model: { provider: "builtin" },
        servers: [
          { name: "late", command: ["node", script], use_persistent_session: true },
          { name: "jira", command: ["node", "servers/jira/main.ts"], trust_annotations: true },
        ],
        commands: { jira: { server: "jira", default: "get_jira_issue" } },
      },
    });
    const down = await request<{ status: string; servers: Record<string, Record<string, unknown>> }>(
      running,
      "GET",
      "/health",
    );
    expect(down).toMatchObject({
      status: 200,
      body: {
        status: "degraded",
        servers: { late: { status: "retrying", tools: 0 }, jira: { status: "up" } },
      },
    });
    expect(String(down.body.servers.late?.error)).not.toBe("");
    const other = await say(running, "/jira DEMO-1");
    expect(other.body.tool_result).toMatchObject({ ok: true });

    const link = new URL(`../../${EVERYTHING[1]}`, import.meta.url);
    await writeFile(
      `${script}.new`,
      `process.argv[2] = "stdio";\nawait import(${JSON.stringify(link.href)});\n`,
    );
    await rename(`${script}.new`, script);
    await running.line((line) => line.msg === "server is up" && line.server === "late");
    const health = await request(running, "GET", "/health");
    expect(health.body).toMatchObject({ status: "ok", servers: { late: { status: "up" } } });
  });

  it("[mcp.discovery] at an address that answers with something else is reported with what came", async () => {
    const server = createServer((_, response) => response.writeHead(503).end("down for maintenance"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanUp(async () => void server.close());
    const { port } = server.address() as AddressInfo;
    const running = await startHosted({
      config: {
        model: { provider: "builtin" },
        servers: [{ name: "web", url: `http://127.0.0.1:${port}/mcp` }],
      },
    });
    const { body } = await request<{ servers: Record<string, { status: string; error?: string }> }>(
      running,
      "GET",
      "/health",
    );
    expect(body.servers.web?.status).toBe("retrying");
    expect(body.servers.web?.error).toContain("503");
    const { body: answer } = await say(running, "what is new?");
    expect(answer.tool_results).toEqual([]);
  });
});

describe("the memory server", () => {
  it("[mcp.ephemeral] [approve.two-phase] remembers what was countersigned, also in its next process", async () => {
    const entities = '[{"name":"Ana","entityType":"person","observations":["likes tea"]}]';
    const result = await approved(`/memory add entities='${entities}'`);
    expect(result.tool_result).toMatchObject({ tool_id: "memory.create_entities", ok: true });
    const found = await approved("/memory Ana");
    expect(JSON.stringify(found.tool_result?.data)).toContain("likes tea");
  });
});
