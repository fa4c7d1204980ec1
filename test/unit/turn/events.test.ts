import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import type { KyselyPlugin } from "kysely";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Core } from "#contract/core.ts";
import type { NumberedEvent, TurnEvent, TurnState } from "#contract/turn.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";
import { appendEvent, createTurnSignals, type WrittenEvent } from "#src/turn/events.ts";
import { followEvents } from "#src/turn/follow.ts";

let folder: string;
let store: Store;
/** Statements that followers made. */
let statements = 0;
let follow: Core["events"];
const signals = createTurnSignals(0);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "events-"));
  store = await openEmbeddedStore(folder);
  statements = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  follow = followEvents({ db: store.db.withPlugin(counting), signals });
  await store.db
    .insertInto("turns")
    .values({
      id: "t1",
      surface: "http",
      actor: "http:ana",
      conversation_id: "c1",
      channel: "c1",
      message: "hello",
      event_key: null,
      state: "running",
      allow_summarization: 1,
      created_at: 0,
      updated_at: 0,
      result: null,
      error: null,
      stopped_by: null,
      attempts: 0,
      epoch: 0,
    })
    .execute();
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const line = (message: string): TurnEvent => ({ type: "progress", message });
const ERROR: TurnEvent = { type: "error", code: "stopped", message: "Stopped by ana." };

/** Appends events with the turn's state in one transaction, as the journal does. */
async function record(state: TurnState, ...events: TurnEvent[]): Promise<void> {
  const written: WrittenEvent[] = [];
  await store.db.transaction().execute(async (tx) => {
    await tx.updateTable("turns").set({ state }).where("id", "=", "t1").execute();
    for (const event of events) written.push(...(await appendEvent(tx, "t1", event, 0)));
  });
  signals.notify("t1", { state, events: written });
}

function stream(after = 0, signal = new AbortController().signal): AsyncIterable<NumberedEvent> {
  return follow("t1", { after, signal });
}

async function all(events: AsyncIterable<NumberedEvent>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { seq, event } of events) {
    seen.push(`${seq} ${event.type === "progress" ? event.message : event.type}`);
  }
  return seen;
}

describe("the stream of a turn's events", () => {
  it("[turn.events] gives what happened and what happens, numbered without a gap, and ends with the turn", async () => {
    await record("running", line("one"));
    const events = stream()[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ seq: 1, turnId: "t1" });
    const rest = all({ [Symbol.asyncIterator]: () => events });
    await record("running", line("two"), line("three"));
    await record("failed", ERROR);
    expect(await rest).toEqual(["2 two", "3 three", "4 error"]);
  });

  it("[turn.events] misses nothing that is written while it reads", async () => {
    const seen = all(stream());
    for (let n = 1; n <= 30; n += 1) await record("running", line(`n${n}`));
    await record("done", ERROR);
    expect(await seen).toEqual([...Array.from({ length: 30 }, (_, n) => `${n + 1} n${n + 1}`), "31 error"]);
  });

  it("[turn.events] goes on after the event that a client names", async () => {
    await record("done", line("one"), line("two"), ERROR);
    expect(await all(stream(2))).toEqual(["3 error"]);
    expect(await all(stream(3))).toEqual([]);
    expect(await all(stream(99))).toEqual([]);
  });

  it("[turn.events] ends while the turn waits for a person, and can be taken up again", async () => {
    const waiting: TurnEvent = { type: "error", code: "stands_for_a_result", message: "" };
    await record("pending_confirmation", line("one"), waiting);
    expect(await all(stream())).toEqual(["1 one", "2 error"]);
    // Continued: a reader from the start goes past the old result to the new one.
    await record("queued");
    const again = all(stream());
    await record("running", line("three"));
    await record("done", ERROR);
    expect(await again).toEqual(["1 one", "2 error", "3 three", "4 error"]);
  });

  it("[turn.events] serves two readers alike", async () => {
    const readers = [all(stream()), all(stream())];
    await record("running", line("one"));
    await record("done", ERROR);
    expect(await Promise.all(readers)).toEqual([
      ["1 one", "2 error"],
      ["1 one", "2 error"],
    ]);
  });

  it("[turn.events] ends without an error when its reader goes away", async () => {
    const gone = new AbortController();
    const seen = all(stream(0, gone.signal));
    await record("running", line("one"));
    gone.abort();
    expect((await seen).length).toBeLessThanOrEqual(1);
    expect(await all(stream(0, AbortSignal.abort()))).toEqual([]);
  });

  it("[turn.events] goes on where somebody continues the turn on its result", async () => {
    const events = stream()[Symbol.asyncIterator]();
    await record("pending_confirmation", ERROR);
    expect((await events.next()).value).toMatchObject({ seq: 1 });
    await record("queued");
    const rest = all({ [Symbol.asyncIterator]: () => events });
    await record("done", line("two"));
    expect(await rest).toEqual(["2 two"]);
  });

  it("[turn.events] reads for 300 followers what it reads for one", async () => {
    const counts: number[] = [];
    for (const many of [1, 300]) {
      await store.db.deleteFrom("events").execute();
      await store.db.updateTable("turns").set({ event_count: 0 }).execute();
      await record("running", line("one"));
      statements = 0;
      const heard: number[] = [];
      let told = Promise.withResolvers<void>();
      const followers = Array.from({ length: many }, async (_, index) => {
        for await (const { seq } of stream()) {
          heard[index] = seq;
          if (heard.filter((last) => last === seq).length === many) told.resolve();
        }
      });
      for (let seq = 2; seq <= 10; seq += 1) {
        await told.promise;
        told = Promise.withResolvers();
        await record(seq === 10 ? "done" : "running", seq === 10 ? ERROR : line("more"));
      }
      await Promise.all(followers);
      expect(heard).toEqual(Array.from({ length: many }, () => 10));
      counts.push(statements);
    }
    // What is written here is told, from the first event on.
    expect(counts).toEqual([0, 0]);
  });

  it("[turn.events] serves 1,000 followers in many rounds, with others between", async () => {
    await record("running", line("one"));
    let rounds = 0;
    const over = new AbortController();
    const turning = (async () => {
      for (; !over.signal.aborted; rounds += 1) await nextRound();
    })();
    const rises = new Map<number, { first: number; last: number }>();
    const all = Promise.withResolvers<void>();
    let first = 0;
    const followers = Array.from({ length: 1_000 }, async () => {
      for await (const { seq } of stream()) {
        rises.set(seq, { first: rises.get(seq)?.first ?? rounds, last: rounds });
        first += seq === 1 ? 1 : 0;
        if (first === 1_000) all.resolve();
      }
    });
    await all.promise;
    await record("done", ERROR);
    await Promise.all(followers);
    over.abort();
    await turning;
    for (const { first: from, last: to } of rises.values()) expect(to - from).toBeGreaterThanOrEqual(5);
    expect(rises.size).toBe(2);
  });

  it("[turn.events] lets nobody wait for a slow follower, which reads what is not kept any more by pages", async () => {
    const slow = stream()[Symbol.asyncIterator]();
    await record("running", line("one"));
    expect((await slow.next()).value).toMatchObject({ seq: 1 });
    const quick = all(stream());
    for (let n = 2; n <= 200; n += 1) await record("running", line(`n${n}`));
    await record("done", ERROR);
    expect(await quick).toHaveLength(201);
    statements = 0;
    expect(await all({ [Symbol.asyncIterator]: () => slow })).toHaveLength(200);
    expect(statements).toBeLessThanOrEqual(10);
  });

  it("[turn.events] tells every follower of a failing store, and reads again for the next", async () => {
    await record("running", line("one"));
    const broken = vi.spyOn(store.db, "selectFrom").mockImplementation(() => {
      throw new Error("the disk is gone");
    });
    const failing = followEvents({ db: store.db, signals });
    const followers = [1, 2, 3].map(() => all(failing("t1", { signal: new AbortController().signal })));
    const ended = await Promise.allSettled(followers);
    expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    broken.mockRestore();
    const next = all(failing("t1", { signal: new AbortController().signal }));
    await record("done", ERROR);
    expect(await next).toEqual(["1 one", "2 error"]);
  });

  it("an unknown turn is not found", async () => {
    const events = follow("t9", { signal: new AbortController().signal });
    await expect(all(events)).rejects.toMatchObject({ code: "not_found" });
  });
});
