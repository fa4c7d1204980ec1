import { describe, expect, it, onTestFinished } from "vitest";

import { newId } from "#src/base/ids.ts";
import { amount } from "#test/amount.ts";
import { storeKinds, useStores } from "#test/ledger/stores.ts";

import { shownPhases } from "./platform.ts";
import { createStage, LEASE_MS, type Stage, status } from "./stage.ts";

const stores = useStores();

describe.each(storeKinds)("messages of processes that are gone, on %s", (kind) => {
  async function stage(): Promise<Stage> {
    return createStage(await stores.open(kind), onTestFinished);
  }

  it("[turn.recover] finds and edits the message that a dead process posted without recording it", async () => {
    const s = await stage();
    const { platform } = s;
    // It prolongs no lease any more.
    const dead = await s.open({ sweepMs: 3_600_000 });
    const silence = Promise.withResolvers<void>();
    // The platform has the post, and the process gets no answer any more.
    platform.after = (call) => (call.kind === "post" ? silence.promise : undefined);
    const turnId = await dead.say();
    await platform.until(() => platform.messages.length === 1);
    expect((await s.message(turnId)).ref).toBeNull();

    s.clock.now += LEASE_MS;
    const next = await s.open({ on: "second" });
    await platform.until(() => platform.calls.some((call) => call.kind === "find"));
    await next.answer(turnId, "Still here.");
    await platform.until(() => platform.shown(turnId)?.reply === "Still here.");
    await next.presenter.stop();
    expect(platform.of(turnId).views.at(-1)).toMatchObject({ phase: "done", isSettled: true });
    expect(await s.message(turnId)).toMatchObject({ state: "final", ref: '{"ts":"1"}' });

    // The process was only slow: what it learns now changes nothing.
    const before = platform.calls.length;
    silence.resolve();
    await dead.presenter.stop();
    expect(platform.calls).toHaveLength(before);
    expect(await s.message(turnId)).toMatchObject({ state: "final", lease_owner: null });
  });

  it("[turn.recover] edits a dead process's message, and posts where it had none", async () => {
    const s = await stage();
    const { platform } = s;
    const gone = await s.open();
    const running = await gone.say();
    await gone.emit(await gone.begin(running), status("planning"));
    await platform.until(() => platform.shown(running)?.phase === "planning");
    await gone.presenter.stop();
    const unposted = await gone.say();
    // As kill -9 leaves it: nothing was handed over.
    await s.db
      .updateTable("messages")
      .set({ lease_owner: "worker_gone", lease_until: s.clock.now + LEASE_MS })
      .where("lease_owner", "is not", null)
      .execute();

    if (kind === "postgres") s.clock.now += LEASE_MS;
    const next = await s.open();
    await platform.until(() => platform.shown(unposted)?.phase === "queued");
    await next.answer(running);
    await platform.until(() => platform.shown(running)?.isSettled === true);
    expect(platform.messages.map((message) => message.turnId)).toEqual([running, unposted]);
    expect(platform.calls.filter((call) => call.kind === "find").map((call) => call.turnId)).toEqual([
      unposted,
    ]);
  });

  it("leaves the messages of a process that lives alone", async () => {
    const s = await stage();
    const { platform } = s;
    const one = await s.open();
    const two = await s.open({ on: "second" });
    const turnId = await one.say();
    await platform.until(() => platform.shown(turnId) !== undefined);
    const holder = (await s.message(turnId)).lease_owner;
    // Leases are prolonged: time passes, but never a whole lease between two sweeps.
    for (let step = 0; step < 6; step += 1) {
      s.clock.now += LEASE_MS / 2;
      const until = s.clock.now + LEASE_MS;
      await expect.poll(async () => (await s.message(turnId)).lease_until).toBe(until);
    }
    expect((await s.message(turnId)).lease_owner).toBe(holder);
    await two.answer(turnId);
    await platform.until(() => platform.shown(turnId)?.isSettled === true);
    expect(shownPhases(platform, turnId)).toEqual(["post queued", "edit done"]);
  });

  it("shares the messages between two processes: each is shown by one, also when the other leaves", async () => {
    const s = await stage();
    const { platform } = s;
    const [one, two] = [await s.open(), await s.open({ on: "second" })];
    const turnIds = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : two).say()),
    );
    // Turns run wherever the queue has them run, not where they came in.
    const turns = await Promise.all(turnIds.map((turnId) => two.begin(turnId)));
    await Promise.all(turns.map((turn) => two.emit(turn, status("planning"), status("executing_tools"))));
    await platform.until(() =>
      turnIds.every((turnId) => platform.shown(turnId)?.phase === "executing_tools"),
    );
    await one.presenter.stop();
    await Promise.all(turns.map((turn) => two.finish(turn, "Done.")));
    await platform.until(() => turnIds.every((turnId) => platform.shown(turnId)?.isSettled === true));
    for (const turnId of turnIds) expect(platform.of(turnId).views.at(-1)?.reply).toBe("Done.");
    expect(platform.most.message).toBe(1);
  });

  it("takes up very many messages a few at a time, while new turns are shown at once", async () => {
    const s = await stage();
    const { platform } = s;
    const left = Array.from({ length: amount(1_000, 200) }, () => newId("turn"));
    await leaveBehind(s, left);
    const held = Promise.withResolvers<void>();
    platform.before = (call) => (call.kind === "find" ? held.promise : undefined);
    const p = await s.open({ sweepMs: 200 });
    await platform.until(() => platform.calls.filter((call) => call.kind === "find").length === 8);

    const turnId = await p.say();
    await p.answer(turnId, "At once.");
    await platform.until(() => platform.shown(turnId)?.reply === "At once.");
    expect(platform.messages).toHaveLength(1);

    platform.most.all = 0;
    held.resolve();
    await platform.until(() => platform.messages.length === left.length + 1);
    expect(platform.most.all).toBeLessThanOrEqual(8);
    expect(new Set(platform.messages.map((message) => message.turnId)).size).toBe(left.length + 1);
    await p.presenter.stop();
    const open = await s.db.selectFrom("messages").select("turn_id").where("state", "!=", "final").execute();
    expect(open).toEqual([]);
  });

  /** Turns that have ended, with messages that were never posted. */
  async function leaveBehind({ db, clock }: Stage, turnIds: readonly string[]): Promise<void> {
    const at = clock.now;
    await db.transaction().execute(async (tx) => {
      for (const id of turnIds) {
        await tx
          .insertInto("turns")
          .values({
            id,
            surface: "slack",
            actor: "slack:T1:ana",
            conversation_id: id,
            channel: "slack:T1:C1",
            message: "please",
            event_key: null,
            state: "failed",
            allow_summarization: 1,
            created_at: at,
            updated_at: at,
            result: null,
            error: JSON.stringify({ code: "plan_invalid", message: "no plan" }),
            stopped_by: null,
            attempts: 0,
            epoch: 1,
          })
          .execute();
        await tx
          .insertInto("messages")
          .values({
            turn_id: id,
            surface: "slack",
            place: "{}",
            ref: null,
            shown_seq: 0,
            shown_approvals: null,
            state: "showing",
            lease_owner: "worker_gone",
            lease_until: at,
          })
          .execute();
      }
    });
  }
});
