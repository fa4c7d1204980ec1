import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  askFor,
  cleanUpAll,
  decide,
  jiraOnly,
  parseEventStream,
  readStore,
  request,
  type HostedProduct,
  say,
  startHosted,
  type WireError,
} from "./support.ts";

interface WireConversation {
  session_id: string;
  title: string;
  turns: number | { turn_id: string; message: string }[];
  pending: number;
  found?: string;
}

interface WirePage {
  title: string;
  turns: { turn_id: string; message: string }[];
  earlier: number;
  later: number;
}

let product: HostedProduct;

beforeAll(async () => {
  product = await startHosted({ config: jiraOnly() });
});
afterAll(cleanUpAll);

async function list(query = ""): Promise<WireConversation[]> {
  const path = `/conversations${query}`;
  return (await request<{ conversations: WireConversation[] }>(product, "GET", path)).body.conversations;
}

function read(session: string, query = ""): Promise<{ status: number; body: WirePage & WireError }> {
  return request(product, "GET", `/conversations/${encodeURIComponent(session)}${query}`);
}

describe("conversations over HTTP", () => {
  it("[http.playground] are listed, found by their words, and renamed", async () => {
    await say(product, "/jira DEMO-1", { session_id: "a/b c" });
    await say(product, "/jira search Safari", { session_id: "second" });
    expect(await list()).toMatchObject([
      { session_id: "second", title: "/jira search Safari", turns: 1, pending: 0 },
      { session_id: "a/b c", title: "/jira DEMO-1" },
    ]);
    expect(await list("?q=safari")).toMatchObject([{ session_id: "second", found: "/jira search Safari" }]);
    const renamed = await request<WireConversation>(product, "PATCH", "/conversations/a%2Fb%20c", {
      title: "  Quarterly <numbers>  ",
    });
    expect(renamed).toMatchObject({ status: 200, body: { title: "Quarterly <numbers>" } });
    expect(await list("?q=numbers")).toMatchObject([{ session_id: "a/b c", title: "Quarterly <numbers>" }]);
    expect((await read("a/b c")).body).toMatchObject({ title: "Quarterly <numbers>", earlier: 0 });
    for (const title of ["", "  ", "x".repeat(121), "two\nlines"]) {
      const { status, body } = await request<WireError>(product, "PATCH", "/conversations/second", { title });
      expect([title, status, body.error.details]).toEqual([
        title,
        400,
        { field: "title", fields: ["title"] },
      ]);
    }
    expect((await request(product, "PATCH", "/conversations/none", { title: "x" })).status).toBe(404);
  });

  it("[http.playground] are read in pages, the newest first", async () => {
    for (let at = 0; at < 7; at += 1) await say(product, `/jira DEMO-${at + 1}`, { session_id: "pages" });
    expect((await read("pages")).body.turns).toHaveLength(7);
    const newest = (await read("pages", "?limit=3")).body;
    expect(newest).toMatchObject({ earlier: 4, later: 0 });
    expect(newest.turns.map(({ message }) => message)).toEqual([
      "/jira DEMO-5",
      "/jira DEMO-6",
      "/jira DEMO-7",
    ]);
    const before = (await read("pages", `?limit=3&before=${newest.turns[0]?.turn_id}`)).body;
    expect(before.turns.map(({ message }) => message)).toEqual([
      "/jira DEMO-2",
      "/jira DEMO-3",
      "/jira DEMO-4",
    ]);
    expect((await read("pages", `?limit=2&after=${before.turns[2]?.turn_id}`)).body).toMatchObject({
      turns: [{ message: "/jira DEMO-5" }, { message: "/jira DEMO-6" }],
      later: 1,
    });
    expect((await read("pages", "?from=start&limit=1")).body.turns[0]?.message).toBe("/jira DEMO-1");
    expect((await read("pages", "?limit=0")).body.error.message).toContain("limit: expected a number");
    expect((await read("pages", "?before=turn_0")).status).toBe(404);
    expect((await read("pages", "?before=x&from=start")).status).toBe(400);
    expect((await read("nothing")).body.error.message).toContain('no session "nothing"');
  });

  it("[http.playground] [audit.chain] are deleted with their content once all is decided", async () => {
    const { turnId, pending } = await askFor(product, "/jira delete DEMO-12", { session_id: "gone" });
    const remove = (): Promise<{ status: number; body: WireError }> =>
      request(product, "DELETE", "/conversations/gone");
    expect(await remove()).toMatchObject({
      status: 409,
      body: { error: { code: "undecided", message: expect.stringContaining("Approve, deny or settle it") } },
    });
    await decide(product, pending.approval_id, "deny");
    const settled = `select state from turns where id = ?`;
    await expect
      .poll(() => readStore<{ state: string }>(product.dataDir, settled, turnId)[0]?.state)
      .toBe("done");
    expect(await remove()).toMatchObject({ status: 200, body: { session_id: "gone", deleted_turns: 1 } });
    expect((await remove()).status).toBe(404);
    for (const path of [`/agent/turns/${turnId}`, `/approvals/${pending.approval_id}`, "/conversations/gone"])
      expect([path, (await request(product, "GET", path)).status]).toEqual([path, 404]);
    const audit = "select kind, actor from audit where turn_id = ? or kind = 'conversation.deleted'";
    const kinds = readStore<{ kind: string }>(product.dataDir, audit, turnId).map(({ kind }) => kind);
    expect(kinds).toContain("turn.accepted");
    expect(kinds).toContain("approval.denied");
    expect(kinds.at(-1)).toBe("conversation.deleted");
  });

  it("[http.playground] tell of changes as they happen, and from where a client was", async () => {
    const stop = new AbortController();
    const open = (query = ""): Promise<Response> =>
      fetch(`${product.url}/changes${query}`, { signal: stop.signal });
    /** The stream's text until it names the session. */
    const until = async (response: Response, session: string): Promise<string> => {
      let text = "";
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        if (text.includes(`"${session}"`) && text.endsWith("\n\n")) return text;
      }
      throw new Error(`the stream ended: ${text}`);
    };
    const response = await open();
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const { body } = await say(product, "/jira DEMO-1", { session_id: "watched" });
    const text = await until(response, "watched");
    const [connected, ...rest] = parseEventStream(text);
    expect(connected).toMatchObject({ event: "connected" });
    // What works is told as well.
    expect(rest.find(({ event }) => event !== "health")).toMatchObject({
      event: "changes",
      data: {
        changes: [{ kind: "turn", session_id: "watched", turn_id: body.turn_id }],
        is_complete: true,
      },
    });
    const from = /id: (\d+)/.exec(text)?.[1];
    expect(await until(await open(`?after=${from}`), "watched")).toContain(`"${body.turn_id}"`);
    expect((await fetch(`${product.url}/changes?after=x`)).status).toBe(400);
    stop.abort();
  });
});
