import { describe, expect, it } from "vitest";

import type { ReadyTurn } from "#src/ledger/moves.ts";
import { createEmbeddedQueue, type TurnQueue } from "#src/turn/queue.ts";

const turn = (turnId: string, conversationId = "c1"): ReadyTurn => ({ turnId, conversationId });

/** A queue whose runs end when the test says so. */
interface Bench {
  queue: TurnQueue;
  /** What began, in order. */
  begun: string[];
  /** Resolves when the turn has begun for the n-th time. */
  begins(turnId: string, times?: number): Promise<void>;
  /** Resolves when so many have begun. */
  reaches(count: number): Promise<void>;
  end(turnId: string): void;
  fail(turnId: string): void;
}

function openBench(left: ReadyTurn[] = [], retryMs = 1): Bench & { start: () => Promise<number> } {
  const begun: string[] = [];
  const open = new Map<string, PromiseWithResolvers<void>>();
  const waiting = new Set<() => void>();
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!isSo()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const queue = createEmbeddedQueue({ unfinished: () => Promise.resolve(left), retryMs, now: () => 0 });
  return {
    queue,
    begun,
    start: () =>
      queue.start((turnId) => {
        begun.push(turnId);
        const run = Promise.withResolvers<void>();
        open.set(turnId, run);
        for (const wake of waiting) wake();
        return run.promise;
      }),
    begins: (turnId, times = 1) => until(() => begun.filter((one) => one === turnId).length >= times),
    reaches: (count) => until(() => begun.length >= count),
    end: (turnId) => open.get(turnId)?.resolve(),
    fail: (turnId) => open.get(turnId)?.reject(new Error("the disk is full")),
  };
}

describe("the embedded queue", () => {
  it("[turn.order] runs one turn of a conversation at a time, in order", async () => {
    const bench = openBench();
    await bench.start();
    for (const id of ["a", "b", "c"]) bench.queue.wake(turn(id));
    await bench.begins("a");
    expect(bench.begun).toEqual(["a"]);
    bench.end("a");
    await bench.begins("b");
    expect(bench.begun).toEqual(["a", "b"]);
    bench.end("b");
    await bench.begins("c");
    bench.end("c");
    await bench.queue.drain();
    expect(bench.begun).toEqual(["a", "b", "c"]);
  });

  it("[turn.order] runs conversations side by side", async () => {
    const bench = openBench();
    await bench.start();
    bench.queue.wake(turn("a", "c1"));
    bench.queue.wake(turn("b", "c2"));
    await Promise.all([bench.begins("a"), bench.begins("b")]);
    bench.end("b");
    bench.queue.wake(turn("c", "c2"));
    await bench.begins("c");
    expect(bench.begun).toEqual(["a", "b", "c"]);
    bench.end("a");
    bench.end("c");
    await bench.queue.drain();
  });

  it("[turn.order] a turn that is told of twice waits once", async () => {
    const bench = openBench();
    await bench.start();
    bench.queue.wake(turn("a"));
    await bench.begins("a");
    bench.queue.wake(turn("b"));
    bench.queue.wake(turn("b"));
    bench.end("a");
    await bench.begins("b");
    bench.end("b");
    await bench.queue.drain();
    expect(bench.begun).toEqual(["a", "b"]);
  });

  it("a turn that is told of while it runs is run again: it may have become ready meanwhile", async () => {
    const bench = openBench();
    await bench.start();
    bench.queue.wake(turn("a"));
    await bench.begins("a");
    bench.queue.wake(turn("a"));
    bench.end("a");
    await bench.begins("a", 2);
    bench.end("a");
    await bench.queue.drain();
    expect(bench.begun).toEqual(["a", "a"]);
  });

  it("[turn.recover] begins with what an earlier process left, before what came since", async () => {
    const bench = openBench([turn("old-1"), turn("old-2")]);
    const started = bench.start();
    bench.queue.wake(turn("old-1"));
    expect(bench.begun).toEqual([]);
    expect(await started).toBe(2);
    bench.queue.wake(turn("new"));
    for (const id of ["old-1", "old-2", "new"]) {
      await bench.begins(id);
      bench.end(id);
    }
    await bench.queue.drain();
    expect(bench.begun).toEqual(["old-1", "old-2", "new"]);
  });

  it("[turn.order] [turn.recover] a turn whose run failed goes again before its conversation's next", async () => {
    const bench = openBench();
    await bench.start();
    bench.queue.wake(turn("a"));
    bench.queue.wake(turn("b"));
    bench.queue.wake(turn("other", "c2"));
    await bench.begins("a");
    bench.fail("a");
    await bench.begins("other");
    bench.end("other");
    await Promise.race([bench.begins("a", 2), bench.begins("b")]);
    expect(bench.begun.filter((id) => id !== "other")).toEqual(["a", "a"]);
    bench.end("a");
    await bench.begins("b");
    bench.end("b");
    await bench.queue.drain();
  });

  it("begins nothing more once it drains, and waits for what runs", async () => {
    const bench = openBench();
    await bench.start();
    bench.queue.wake(turn("a"));
    bench.queue.wake(turn("b"));
    await bench.begins("a");
    let isDrained = false;
    const drained = bench.queue.drain().then(() => (isDrained = true));
    bench.queue.wake(turn("c", "c2"));
    await Promise.resolve();
    expect(isDrained).toBe(false);
    bench.end("a");
    await drained;
    expect(bench.begun).toEqual(["a"]);
  });

  it("does not run more turns at once than it should", async () => {
    const bench = openBench();
    await bench.start();
    for (let n = 0; n < 40; n += 1) bench.queue.wake(turn(`t${n}`, `c${n}`));
    await bench.begins("t31");
    expect(bench.begun).toHaveLength(32);
    bench.end("t0");
    await bench.begins("t32");
    expect(bench.begun).toHaveLength(33);
    for (let n = 1; n < 40; n += 1) {
      await bench.begins(`t${n}`);
      bench.end(`t${n}`);
    }
    await bench.queue.drain();
  });

  describe("[ops.fair] under a burst", () => {
    const asked = (turnId: string, person: string, channel = person): ReadyTurn => ({
      ...turn(turnId, turnId),
      of: { person, channel },
    });
    /** `count` turns of each of these people, in conversations of their own. */
    const burst = (people: readonly string[], count: number): ReadyTurn[] =>
      people.flatMap((person) => Array.from({ length: count }, (_, at) => asked(`${person}-${at}`, person)));
    const many = Array.from({ length: 50 }, (_, at) => `noisy${at}`);

    it("gives the next free place to whoever has nothing running", async () => {
      const bench = openBench(burst(["ana"], 40));
      await bench.start();
      bench.queue.wake(asked("quiet", "ben"));
      expect(bench.begun).not.toContain("quiet");
      bench.end("ana-0");
      await bench.begins("quiet");
      expect(bench.begun.at(32)).toBe("quiet");
    });

    it("serves 50 people in turns, and a quiet one among them first each time", async () => {
      const bench = openBench(burst(many, 8));
      await bench.start();
      // One place for each, as far as there are places.
      expect(new Set(bench.begun.map((id) => id.split("-")[0])).size).toBe(32);
      const endOldest = (): Promise<void> => {
        const began = bench.begun.length;
        bench.end(bench.begun[began - 32] ?? "");
        return bench.reaches(began + 1);
      };
      // First all have one who asked before.
      for (let at = 32; at < 50; at += 1) await endOldest();
      expect(new Set(bench.begun).size).toBe(50);
      for (let round = 0; round < 5; round += 1) {
        bench.queue.wake(asked(`quiet${round}`, "quiet"));
        await endOldest();
        expect(bench.begun.at(-1)).toBe(`quiet${round}`);
        // Then each of the others has a turn, before the quiet one asks again.
        for (let at = 0; at < 50; at += 1) await endOldest();
        expect(new Set(bench.begun.slice(-50).map((id) => id.split("-")[0])).size).toBe(50);
      }
    });

    it("takes the channel with less where people have the same", async () => {
      const loud = Array.from({ length: 40 }, (_, at) => asked(`loud-${at}`, `loud${at}`, "loud"));
      const bench = openBench(loud);
      await bench.start();
      bench.queue.wake(asked("calm", "ben", "calm"));
      bench.end("loud-0");
      await bench.begins("calm");
      expect(bench.begun.at(32)).toBe("calm");
    });

    it("lets what goes on after a decision go first", async () => {
      const bench = openBench(burst(many, 1));
      await bench.start();
      bench.queue.wake(asked("quiet", "quiet"));
      bench.queue.wake(turn("decided", "decided"));
      bench.end("noisy0-0");
      await bench.begins("decided");
      expect(bench.begun.at(32)).toBe("decided");
    });
  });
});
