import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { CallClock, totalsOf } from "#src/mcp/connect/open-call.ts";
import { serverSchema } from "#src/settings/server-schema.ts";
import type { Owner } from "#src/base/shares.ts";
import { Semaphore } from "#src/mcp/call/semaphore.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("the clock of a call", () => {
  it("ends it after so long a silence, which a sign of life starts anew", () => {
    const clock = new CallClock({ idleMs: 100, totalMs: 1_000 });
    vi.advanceTimersByTime(90);
    clock.touch();
    vi.advanceTimersByTime(90);
    expect(clock.signal.aborted).toBe(false);
    vi.advanceTimersByTime(10);
    expect(clock.signal.aborted).toBe(true);
    expect(clock.outOfTime()).toEqual({ limit: "idle", ms: 100 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends it after its whole time, whatever signs of life there are", () => {
    const clock = new CallClock({ idleMs: 100, totalMs: 250 });
    for (let at = 0; at < 240; at += 40) {
      vi.advanceTimersByTime(40);
      clock.touch();
    }
    vi.advanceTimersByTime(40);
    expect(clock.outOfTime()).toEqual({ limit: "total", ms: 250 });
  });

  it("[mcp.messages] lets a migration of five minutes that writes a message a second end, under the default limits", () => {
    const { timeout_ms: idleMs, total_timeout_ms: configured } = serverSchema.parse({
      name: "sisense",
      command: ["sisense"],
    });
    const total = totalsOf(configured, idleMs)({ id: "sisense.migrate", name: "migrate" });
    expect([idleMs, total]).toEqual([30_000, 600_000]);
    const clock = new CallClock({ idleMs, totalMs: total });
    for (let second = 0; second < 300; second += 1) {
      vi.advanceTimersByTime(1_000);
      clock.touch();
    }
    expect(clock.signal.aborted).toBe(false);
    clock.stop();
    const rules = totalsOf({ default: 600_000, "migration.*": 14_400_000 }, idleMs);
    expect(rules({ id: "sisense.migration.all", name: "migration.all" })).toBe(14_400_000);
    expect(rules({ id: "sisense.access.get_user", name: "access.get_user" })).toBe(600_000);
  });

  it("stands still while a person is asked, by one or several questions", () => {
    const clock = new CallClock({ idleMs: 100, totalMs: 200 });
    vi.advanceTimersByTime(50);
    const [first, second] = [clock.hold(), clock.hold()];
    vi.advanceTimersByTime(10_000);
    first();
    first();
    vi.advanceTimersByTime(10_000);
    expect(clock.signal.aborted).toBe(false);
    second();
    vi.advanceTimersByTime(99);
    expect(clock.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(clock.outOfTime()?.limit).toBe("idle");
  });

  it("ends with whatever it heeds, which is no running out of time, and leaves no timer behind", () => {
    const stop = new AbortController();
    const clock = new CallClock({ idleMs: 100, totalMs: 200 });
    clock.heed(stop.signal);
    stop.abort();
    expect([clock.signal.aborted, clock.outOfTime()]).toEqual([true, undefined]);
    const late = new CallClock({ idleMs: 100, totalMs: 200 });
    late.heed(stop.signal);
    expect(late.signal.aborted).toBe(true);
    const done = new CallClock({ idleMs: 100, totalMs: 200 });
    const release = done.hold();
    done.stop();
    release();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the gate", () => {
  const never = new AbortController().signal;

  it("lets so many in, then one for each that leaves, in order", async () => {
    const gate = new Semaphore(2);
    const [one, two] = [await gate.enter(never, 1_000), await gate.enter(never, 1_000)];
    const order: string[] = [];
    const third = gate.enter(never, 1_000).then((leave) => (order.push("third"), leave));
    const fourth = gate.enter(never, 1_000).then((leave) => (order.push("fourth"), leave));
    one();
    one();
    (await third)();
    (await fourth)();
    two();
    expect(order).toEqual(["third", "fourth"]);
    expect(gate.taken).toBe(0);
  });

  it("[ops.fair] gives a free place to whose calls have fewest, and to who waited longest among those", async () => {
    const gate = new Semaphore(2);
    const of = (person: string): Owner => ({ person, channel: "c" });
    const order: string[] = [];
    const enter = (person: string): Promise<() => void> =>
      gate.enter(never, 1_000, of(person)).then((leave) => (order.push(person), leave));
    const running = [await enter("ana"), await enter("ana")];
    const waiting = ["ana", "ana", "ben", "chloe"].map(enter);
    running.forEach((leave) => leave());
    expect(await Promise.all([waiting[2], waiting[3]])).toHaveLength(2);
    expect(order).toEqual(["ana", "ana", "ben", "chloe"]);
    for (const at of [2, 3, 0, 1]) (await waiting[at])?.();
    expect(order).toEqual(["ana", "ana", "ben", "chloe", "ana", "ana"]);
  });

  it("turns away who has waited too long or was stopped, and keeps no place for them", async () => {
    const gate = new Semaphore(1);
    const leave = await gate.enter(never, 1_000);
    const stop = new AbortController();
    const waiting = [gate.enter(never, 50), gate.enter(stop.signal, 1_000)];
    const ends = waiting.map((one) => one.catch((error: { code: string }) => error.code));
    stop.abort();
    vi.advanceTimersByTime(50);
    expect(await Promise.all(ends)).toEqual(["busy", "stopped"]);
    leave();
    (await gate.enter(never, 1_000))();
    expect(gate.taken).toBe(0);
  });
});
