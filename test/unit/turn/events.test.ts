import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { NumberedEvent, TurnEvent, TurnState } from "#contract/turn.ts";
import { openEmbeddedStore, type Store } from "#src/store/open.ts";
import { appendEvent, streamEvents } from "#src/turn/events.ts";
import { createTurnSignals } from "#src/turn/signals.ts";

let folder: string;
let store: Store;
const signals = createTurnSignals(0);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "events-"));
  store = await openEmbeddedStore(folder);
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
  await store.db.transaction().execute(async (tx) => {
    await tx.updateTable("turns").set({ state }).where("id", "=", "t1").execute();
    for (const event of events) await appendEvent(tx, "t1", event, 0);
  });
  signals.notify("t1");
}

function stream(after = 0, signal = new AbortController().signal): AsyncGenerator<NumberedEvent> {
  return streamEvents(store.db, signals, "t1", { after, signal });
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
    const events = stream();
    expect((await events.next()).value).toMatchObject({ seq: 1, turnId: "t1" });
    const rest = all(events);
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

  it("an unknown turn is not found", async () => {
    const events = streamEvents(store.db, signals, "t9", { signal: new AbortController().signal });
    await expect(events.next()).rejects.toMatchObject({ code: "not_found" });
  });
});
