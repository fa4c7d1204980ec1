import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { QuestionReply } from "#contract/question.ts";
import type { McpServerConfig } from "#src/mcp/config.ts";
import type { SessionRecord, SessionRecords } from "#src/mcp/ports.ts";
import { faulty, running, testBox } from "#test/fakes/mcp-box.ts";
import type { TestBox } from "#test/fakes/mcp-box.ts";

import { type SessionServer, startSessionServer } from "./mcp-support.ts";
import { cleanUpAll } from "./support.ts";

const boxes: TestBox[] = [];

afterEach(async () => {
  await Promise.all(boxes.splice(0).map(({ box }) => box.stop()));
});

async function start(...args: Parameters<typeof testBox>): Promise<TestBox> {
  const open = testBox(...args);
  boxes.push(open);
  await open.box.start();
  return open;
}

/** What replicas share, in memory. */
function records(): SessionRecords & { kept: Map<string, SessionRecord> } {
  const kept = new Map<string, SessionRecord>();
  return {
    kept,
    get: (key) => Promise.resolve(kept.get(key)),
    set: (key, record) => Promise.resolve(kept.set(key, record)),
    delete: (key) => Promise.resolve(kept.delete(key)),
    async *iterator() {
      yield* kept;
    },
  };
}

interface Count {
  count: number;
  session: string;
}

async function count({ call }: TestBox, channel: string, repeatable = false): Promise<Count> {
  const { ok, data, error } = await call("sessions.count", {}, { channel, repeatable });
  if (!ok) throw new Error(error?.message);
  return data as unknown as Count;
}

async function until<Value>(read: () => Promise<Value>, wanted: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
  }
}

function overHttp(url: string, more: Partial<McpServerConfig> = {}): McpServerConfig {
  return { name: "sessions", url, use_persistent_session: true, ...more };
}

describe.each(["v1", "v2"] as const)("a server with sessions, written with the SDK's %s", (version) => {
  let server: SessionServer;
  let before: Awaited<ReturnType<SessionServer["asked"]>>;
  beforeAll(async () => {
    server = await startSessionServer(version);
  });
  beforeEach(async () => {
    before = await server.asked("initialize");
  });
  afterAll(cleanUpAll);

  /** Sessions that were asked for since the test began. */
  async function initialized(): Promise<unknown[]> {
    return (await server.asked("initialize")).slice(before.length);
  }

  it("[mcp.session] gives each channel a session of its own", async () => {
    const { url } = server;
    const box = await start([overHttp(url)], { sessions: records() });

    const [one, two, again] = [await count(box, "one"), await count(box, "two"), await count(box, "one")];
    expect([one.count, two.count, again.count]).toEqual([1, 1, 2]);
    expect(again.session).toBe(one.session);
    expect(two.session).not.toBe(one.session);
  });

  it("[mcp.session] goes on with a session after a restart, and beside the process that began it", async () => {
    const { url } = server;
    const shared = records();
    const first = await start([overHttp(url)], { sessions: shared });
    const begun = await count(first, "one");
    const replica = await start([overHttp(url)], { sessions: shared });

    expect(await count(replica, "one")).toEqual({ count: 2, session: begun.session });
    await first.box.stop();
    await replica.box.stop();
    const later = await start([overHttp(url)], { sessions: shared });
    expect(later.box.tools().map((tool) => tool.id)).toContain("sessions.count");
    expect(await count(later, "one")).toEqual({ count: 3, session: begun.session });
    // One for the list of tools and one for the channel.
    expect(await initialized()).toHaveLength(2);
  });

  it("[mcp.session] replaces a session once when the server has forgotten it, for reads and changes", async () => {
    const { url, forget } = server;
    const shared = records();
    const box = await start([overHttp(url)], { sessions: shared });
    const begun = await count(box, "one");
    await forget();

    const calls = await Promise.all([true, false, true].map((isRead) => count(box, "one", isRead)));
    const [replaced] = calls;
    expect(new Set(calls.map((call) => call.session)).size).toBe(1);
    expect(replaced?.session).not.toBe(begun.session);
    expect(calls.map((call) => call.count).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    expect([...shared.kept.values()].map((record) => record.session.id)).toContain(replaced?.session);
    expect((await initialized()).length).toBeLessThanOrEqual(4);
  });

  it("[mcp.session] takes up the session by which another process has replaced a lost one", async () => {
    const { url, forget } = server;
    const shared = records();
    const [one, two] = [
      await start([overHttp(url)], { sessions: shared }),
      await start([overHttp(url)], { sessions: shared }),
    ];
    await count(one, "c");
    await count(two, "c");
    await forget();

    const replaced = await count(one, "c");
    expect(await count(two, "c")).toEqual({ count: 2, session: replaced.session });
  });

  it("[mcp.session] tells the server when a channel's session has been idle", async () => {
    const { url, sessions } = server;
    const shared = records();
    const box = await start([overHttp(url, { session_idle_ms: 100 })], { sessions: shared });
    const { session } = await count(box, "one");

    await until(sessions, (open) => !open.includes(session));
    expect([...shared.kept.values()].map((record) => record.session.id)).not.toContain(session);
    expect((await count(box, "one")).count).toBe(1);
  });

  it("ends the sessions that an earlier process left behind, once they have been idle", async () => {
    const { url, sessions } = server;
    const shared = records();
    const first = await start([overHttp(url)], { sessions: shared });
    const { session } = await count(first, "gone");
    await first.box.stop();
    expect(await sessions()).toContain(session);
    for (const record of shared.kept.values()) record.usedAt -= 3_600_000;

    await start([overHttp(url)], { sessions: shared });
    await until(sessions, (open) => !open.includes(session));
  });
});

describe("the stream for what a server says by itself", () => {
  it("[mcp.elicit] is open before the first call, whose question would be lost without it", async () => {
    const { url } = await startSessionServer("v1", "300");
    const shared = records();
    const ask = async (): Promise<QuestionReply> => ({ action: "accept", content: { name: "Ana" } });
    const begun = await start([overHttp(url)], { sessions: shared });
    const asked = await Promise.all(
      ["x", "y"].map((channel) => begun.call("sessions.ask_name", {}, { channel, ask })),
    );
    await begun.box.stop();
    // Nor does one overtake it that goes on with a session.
    const later = await start([overHttp(url)], { sessions: shared });
    const resumed = await later.call("sessions.ask_name", {}, { channel: "x", ask });
    expect([...asked, resumed].map(({ data }) => data)).toEqual(
      Array.from({ length: 3 }, () => ({ action: "accept", content: { name: "Ana" } })),
    );
  });

  it("is not waited for without end, where the server never answers about it", async () => {
    const { url } = await startSessionServer("v1", "mute");
    const box = await start([overHttp(url, { timeout_ms: 1_000 })]);
    for (const channel of ["one", "two"]) expect((await count(box, channel)).count).toBe(1);
  });
});

it("[turn.concurrency] opens one session for a channel, however many calls come at once", async () => {
  const { url, asked } = await startSessionServer("v2");
  const box = await start([overHttp(url, { max_calls: 100 })], { sessions: records() });

  const channels = Array.from({ length: 60 }, (_, index) => `channel ${index % 6}`);
  const counts = await Promise.all(channels.map((channel) => count(box, channel)));
  expect(counts.map((one) => one.count).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 60 }, (_, index) => Math.floor(index / 6) + 1),
  );
  expect(new Set(counts.map((one) => one.session)).size).toBe(6);
  expect(await asked("initialize")).toHaveLength(7);
});

describe("the pool's bounds", () => {
  const perChannel = { use_persistent_session: true, session_scope: "channel" } as const;

  async function pidOf({ call }: TestBox, channel: string): Promise<number> {
    const { data } = await call("server.pid", {}, { channel });
    return (data as { pid: number }).pid;
  }

  it("[turn.concurrency] keeps at most so many sessions, and closes the one longest unused", async () => {
    const box = await start([faulty("server", [], { ...perChannel, max_sessions: 2 })]);
    const pids = [await pidOf(box, "a"), await pidOf(box, "b"), await pidOf(box, "a"), await pidOf(box, "c")];

    expect(pids[2]).toBe(pids[0]);
    expect(new Set(pids).size).toBe(3);
    await until(
      () => running(pids[1] ?? 0),
      (alive) => !alive,
    );
    expect(await pidOf(box, "a")).toBe(pids[0]);
    expect(await running(pids[3] ?? 0)).toBe(true);
  });

  it("[turn.concurrency] ends a channel's process when it has been idle", async () => {
    const box = await start([faulty("server", [], { ...perChannel, session_idle_ms: 100 })]);
    const pid = await pidOf(box, "a");
    await until(
      () => running(pid),
      (alive) => !alive,
    );
    expect(await pidOf(box, "a")).not.toBe(pid);
  });

  it("gives the first channel the process that listed the tools", async () => {
    const box = await start([faulty("server", [], perChannel)]);
    const pids = [await pidOf(box, "a"), await pidOf(box, "b")];
    expect(new Set(pids).size).toBe(2);
    expect(box.logged.filter((line) => line.message === "server launched")).toHaveLength(2);
  });

  it("[mcp.session] gives each channel a process of its own unless told otherwise", async () => {
    const box = await start([
      faulty("server", [], { use_persistent_session: true }),
      faulty("shared", [], { use_persistent_session: true, session_scope: "shared" }),
    ]);
    expect(await pidOf(box, "a")).not.toBe(await pidOf(box, "b"));
    const [one, other] = await Promise.all(
      ["a", "b"].map((channel) => box.call("shared.pid", {}, { channel })),
    );
    expect(one).toEqual(other);
  });

  it("[turn.concurrency] makes so many calls at once, in order, and says when the server stays busy", async () => {
    const box = await start([
      faulty("server", [], { use_persistent_session: true, max_calls: 2, timeout_ms: 1_500 }),
    ]);
    const stop = new AbortController();
    const hanging = [1, 2].map(() => box.call("server.hang", {}, { signal: stop.signal }));
    const waiting = box.call("server.echo", { a: 1 });
    const turned = new AbortController();
    const left = box.call("server.echo", {}, { signal: turned.signal });
    turned.abort();
    expect((await left).error).toMatchObject({ code: "cancelled", sent: "no" });
    stop.abort();
    expect((await waiting).data).toEqual({ a: 1 });
    expect((await Promise.all(hanging)).map((outcome) => outcome.error?.code)).toEqual([
      "cancelled",
      "cancelled",
    ]);

    const [one, two, late] = await Promise.all(
      ["hang", "hang", "echo"].map((tool) => box.call(`server.${tool}`)),
    );
    expect([one?.error?.code, two?.error?.code]).toEqual(["timeout", "timeout"]);
    // Either its turn came when the two gave up, or it was told before that.
    expect(late?.ok === true || late?.error?.sent === "no").toBe(true);
  });
});
