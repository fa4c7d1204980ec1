import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startFakeOllama } from "#test/fakes/ollama.ts";

import {
  cleanUpAll,
  follow,
  jiraOnly,
  parseEventStream,
  readMetrics,
  readStore,
  request,
  type HostedProduct,
  say,
  startHosted,
  type WireResult,
  type WireTurn,
} from "./support.ts";

let product: HostedProduct;

beforeAll(async () => {
  product = await startHosted();
});
afterAll(cleanUpAll);

/** A slash command is planned without any model, so these tests hang on nothing but the API. */
const SHOW = "/jira DEMO-1";

function stream(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${product.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      accept: "text/event-stream, application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe("POST /agent/turn", () => {
  it("[http.turn] [turn.events] streams status events in order and ends with the result", async () => {
    const response = await stream("/agent/turn", { session_id: "stream", message: SHOW });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const text = await response.text();
    const events = parseEventStream(text);

    expect(events[0]).toMatchObject({ event: "status", data: { phase: "queued" } });
    expect(events.at(-1)?.event).toBe("result");
    expect(events.filter(({ event }) => event === "result")).toHaveLength(1);
    const phases = events.filter(({ event }) => event === "status").map(({ data }) => data.phase);
    expect(phases).toContain("executing_tools");
    expect(phases.indexOf("queued")).toBeLessThan(phases.indexOf("executing_tools"));

    const turnIds = new Set(events.map(({ data }) => data.turn_id));
    expect(turnIds.size).toBe(1);
    expect([...turnIds][0]).toMatch(/^turn_/);
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(events.map((_, index) => index + 1));
    for (const { event, data } of events) {
      if (event === "status") expect(typeof data.elapsed_ms).toBe("number");
    }
  });

  it("[http.turn] answers with the result's data as JSON where no event stream is asked for", async () => {
    const { status, body } = await say(product, SHOW, { session_id: "json" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      planner: "command",
      tool_result: {
        tool_id: "jira.get_jira_issue",
        server: "jira",
        args: { issue_key: "DEMO-1" },
        ok: true,
        is_error: false,
        view: "JiraIssueView",
        data: { key: "DEMO-1" },
        card: { kind: "result" },
      },
    });
    expect(body.tool_results.at(-1)).toEqual(body.tool_result);
    expect(Object.keys(body.timings).toSorted()).toEqual(
      ["planning_ms", "queued_ms", "summarizing_ms", "tools_ms", "total_ms"].toSorted(),
    );
    expect(body.log[0]).toMatchObject({ at_ms: 0, stage: "inbox" });
    expect(body).not.toHaveProperty("pending_confirmation");
  });

  it("[http.turn] [llm.builtin] [view.registry] shows and lists issues, finds pages", async () => {
    const shown = await say(product, "show me DEMO-1", { session_id: "sentences" });
    expect(shown.body.tool_result).toMatchObject({
      tool_id: "jira.get_jira_issue",
      data: { key: "DEMO-1" },
      view: "JiraIssueView",
    });
    expect(shown.body.planner).toBe("builtin");
    const found = await say(product, "find issues about login", { session_id: "sentences" });
    expect(found.body.tool_result).toMatchObject({ tool_id: "jira.search_issues", view: "JiraSearchView" });
    expect(found.body.tool_result?.rows).toBeGreaterThan(1);
    const wiki = await say(product, "what does the wiki say about deploying", { session_id: "sentences" });
    expect(wiki.body.tool_result).toMatchObject({
      tool_id: "confluence.search_confluence",
      view: "ConfluenceSearchView",
    });
  });

  it("[turn.order] [ops.metrics] starts one turn for one event id, and another for another session's", async () => {
    const body = { session_id: "dedupe", message: SHOW, event_id: "e-1" };
    const [first, second] = await Promise.all([
      request<WireResult>(product, "POST", "/agent/turn", body),
      request<WireResult>(product, "POST", "/agent/turn", body),
    ]);
    expect(first.body.turn_id).toMatch(/^turn_/);
    expect(second.body.turn_id).toBe(first.body.turn_id);
    expect(second.body.tool_result).toEqual(first.body.tool_result);
    const elsewhere = await say(product, SHOW, { session_id: "dedupe-2", event_id: "e-1" });
    expect(elsewhere.body.turn_id).not.toBe(first.body.turn_id);
    const counted = await readMetrics(product);
    expect(counted['countersign_duplicates_total{surface="http"}']).toBe(1);
    expect(counted['countersign_turns_total{outcome="done"}']).toBeGreaterThan(1);
    expect(counted['countersign_turn_seconds_count{stage="total"}']).toBeGreaterThan(1);
    expect(counted.countersign_store_commits_total).toBeGreaterThan(3);
    expect(counted['countersign_mcp_server_up{server="jira"}']).toBe(1);
    const { head } = readStore<{ head: number }>(
      product.dataDir,
      "select max(seq) as head from audit",
    )[0] as { head: number };
    expect(counted.countersign_audit_head).toBe(head);
  });

  it("[http.turn] goes on with a turn whose client went away", async () => {
    const gone = new AbortController();
    const response = await fetch(`${product.url}/agent/turn`, {
      method: "POST",
      headers: { accept: "text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ session_id: "gone", message: SHOW }),
      signal: gone.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = parseEventStream((await reader?.read())?.value ?? "")[0];
    gone.abort();
    const turnId = String(first?.data.turn_id);
    expect((await follow(product, turnId)).at(-1)).toMatchObject({
      event: "result",
      data: { tool_result: { ok: true } },
    });
  });

  it("[http.turn] accepts tenant and migration settings and shows their tokens nowhere", async () => {
    const site = { domain: "tenant.example.com", token: "s3cret-tenant-token", ssl: true };
    const { status, body } = await say(product, SHOW, {
      session_id: "tenant",
      tenant_config: site,
      migration_config: { source: site, target: site },
      allow_summarization: false,
    });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(site.token);
    expect(JSON.stringify(product.log)).not.toContain(site.token);
    const turn = await request(product, "GET", `/agent/turns/${body.turn_id}`);
    expect(JSON.stringify(turn.body)).not.toContain(site.token);
  });
});

describe("GET /agent/turns/{id}", () => {
  it("[http.turn] shows the turn, its events and its steps", async () => {
    const { body: result } = await say(product, SHOW, { session_id: "read", actor: "ana" });
    const { status, body } = await request<WireTurn & Record<string, unknown>>(
      product,
      "GET",
      `/agent/turns/${result.turn_id}`,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      turn_id: result.turn_id,
      session_id: "read",
      actor: "http:ana",
      message: SHOW,
      state: "done",
    });
    expect(body.result).toEqual(result);
    expect(body.events.at(-1)).toMatchObject({ seq: body.events.length, event: "result" });
    expect(body.steps.length).toBeGreaterThan(0);
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it("[http.turn] streams the events after a number, or after the last one a client saw", async () => {
    const { body } = await say(product, SHOW, { session_id: "after" });
    const all = await follow(product, String(body.turn_id));
    expect(await follow(product, String(body.turn_id), 2)).toEqual(all.slice(2));
    const resumed = await stream(`/agent/turns/${body.turn_id}`, undefined, { "last-event-id": "3" });
    expect(parseEventStream(await resumed.text())).toEqual(all.slice(3));
    const wrong = await stream(`/agent/turns/${body.turn_id}?after=-1`);
    expect(wrong.status).toBe(400);
  });

  it("[http.turn] answers 404 for a turn that does not exist, read, streamed or stopped", async () => {
    for (const [method, path] of [
      ["GET", "/agent/turns/turn_none"],
      ["POST", "/agent/turns/turn_none/stop"],
    ] as const) {
      const { status, body } = await request(product, method, path);
      expect(status).toBe(404);
      expect(body).toMatchObject({ error: { code: "not_found" } });
    }
    expect((await stream("/agent/turns/turn_none")).status).toBe(404);
  });
});

describe("with a model that is slow or plans a long call", () => {
  it("[mcp.cancel] stops a running turn for the person who asks, and says who", async () => {
    const ollama = await startFakeOllama(() => ({ do: "hang" }));
    const slow = await startHosted({ env: { OLLAMA_HOST: ollama.url } });
    const response = await fetch(`${slow.url}/agent/turn`, {
      method: "POST",
      headers: { accept: "text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ session_id: "stop", message: "think for ever" }),
    });
    const text = response.body?.pipeThrough(new TextDecoderStream());
    let seen = "";
    let asked: Promise<{ status: number; body: unknown }> | undefined;
    let meanwhile: WireTurn | undefined;
    for await (const chunk of text ?? []) {
      seen += chunk;
      const turnId = /"turn_id":"(turn_\w+)"/.exec(seen)?.[1];
      if (asked === undefined && seen.includes('"planning"') && turnId !== undefined) {
        meanwhile = (await request<WireTurn>(slow, "GET", `/agent/turns/${turnId}`)).body;
        asked = request(slow, "POST", `/agent/turns/${turnId}/stop`, { actor: "ben" });
      }
    }
    expect(meanwhile).toMatchObject({ state: "running", events: [{ event: "status" }, { event: "status" }] });
    expect(await asked).toMatchObject({ status: 202, body: { stopped: true } });
    const last = parseEventStream(seen).at(-1);
    expect(last).toMatchObject({ event: "error", data: { code: "stopped" } });
    const { body } = await request<WireTurn>(slow, "GET", `/agent/turns/${String(last?.data.turn_id)}`);
    expect(body).toMatchObject({ state: "stopped", stopped_by: "http:ben" });
    const again = await request(slow, "POST", `/agent/turns/${String(last?.data.turn_id)}/stop`);
    expect(again).toMatchObject({ status: 202, body: { stopped: false } });
    await ollama.stop();
  });

  it("[mcp.progress] [turn.events] passes a call's progress on while it runs", async () => {
    const plan = 'BEGIN\nQUERY({"tool": "jira.export_issues", "args": {"project": "DEMO"}})\nEND';
    const done = 'BEGIN\nQUERY({"tool": "final_answer", "args": {}})\nEND';
    const commands = (text: string): unknown => ({
      commands: [
        text === plan
          ? { command: "QUERY", tool: "jira.export_issues", args: { project: "DEMO" } }
          : { command: "QUERY", tool: "final_answer", args: {} },
      ],
    });
    const ollama = await startFakeOllama((_, n) => {
      const text = n === 0 ? plan : done;
      return { do: "answer", text, json: commands(text) };
    });
    // Slow enough that the notifications of the call come one by one.
    const config = jiraOnly({ provider: "ollama", delayMs: 20 });
    const planned = await startHosted({ config, env: { OLLAMA_HOST: ollama.url } });
    const response = await fetch(`${planned.url}/agent/turn`, {
      method: "POST",
      headers: { accept: "text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ session_id: "export", message: "export DEMO", allow_summarization: false }),
    });
    const events = parseEventStream(await response.text());
    const progress = events.filter(({ event, data }) => event === "progress" && data.progress !== undefined);
    expect(progress.length).toBeGreaterThan(1);
    for (const { data } of progress) {
      expect(data).toMatchObject({ message: expect.any(String), tool: "jira.export_issues" });
      expect(Number(data.progress)).toBeLessThanOrEqual(Number(data.total));
    }
    expect(events.at(-1)).toMatchObject({
      event: "result",
      data: { tool_result: { tool_id: "jira.export_issues" } },
    });
    await ollama.stop();
  });
});
