import { setImmediate } from "node:timers/promises";

import { describe, expect, it, onTestFinished } from "vitest";

import type { Approval } from "#contract/approval.ts";
import type { Notice, NoticeKind } from "#contract/present.ts";
import { ana, anyone, ben } from "#test/ledger/desk.ts";
import { storeKinds, useStores } from "#test/ledger/stores.ts";

import { createStage, LEASE_MS, type Process, type Stage } from "./stage.ts";

const stores = useStores();

const MINUTE = 60_000;
/** Stands for half an hour, and people are reminded ten minutes before. */
const named = { ...anyone, approvers: ["channel", ben] };
const rule = { ...named, ttl_ms: 30 * MINUTE, remind: 10 * MINUTE };

describe.each(storeKinds)("notices on %s", (kind) => {
  async function stage(): Promise<Stage> {
    return createStage(await stores.open(kind), onTestFinished);
  }

  async function waiting({ platform }: Stage, p: Process, more: Asking = {}): Promise<Approval> {
    const turnId = await p.say(more.request);
    const approval = await p.ask(await p.begin(turnId), { rule, ...more.asked });
    await platform.until(() => platform.shown(turnId)?.approvals[0]?.state === "pending");
    return approval;
  }

  function told({ platform }: Stage, of: NoticeKind): Notice[] {
    return platform.notices.filter((notice) => notice.kind === of);
  }

  function idsOf(notices: readonly Notice[]): string[] {
    return notices.flatMap(({ approvals }) => approvals.map(({ id }) => id));
  }

  async function noted({ db }: Stage): Promise<(string | null)[]> {
    const rows = await db
      .selectFrom("audit")
      .select("approval_id")
      .where("kind", "=", "approval.reminded")
      .execute();
    return rows.map((row) => row.approval_id);
  }

  it("[approve.expiry] remind once, on the card as well, whichever of two replicas sees them due", async () => {
    const s = await stage();
    const [p, q] = [await s.open(), await s.open({ on: "second" })];
    const { id, turnId } = await waiting(s, p);
    s.clock.now += 20 * MINUTE - 1;
    expect(await p.ledger.remindDue()).toBe(0);
    s.clock.now += 1;
    const counts = await Promise.all([p.ledger.remindDue(), q.ledger.remindDue(), p.ledger.remindDue()]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    await s.platform.until(() => s.platform.shown(turnId)?.approvals[0]?.remindedAt !== undefined);
    await s.platform.until(() => told(s, "reminder").length > 0);
    expect(await p.ledger.remindDue()).toBe(0);
    // A process that starts later finds nothing to do.
    await s.open();
    const later = await waiting(s, p);
    s.clock.now += 20 * MINUTE;
    await p.ledger.remindDue();
    await s.platform.until(() => idsOf(told(s, "reminder")).includes(later.id));
    expect(idsOf(told(s, "reminder"))).toEqual([id, later.id]);
    expect(await noted(s)).toEqual([id, later.id]);
  });

  it("[approve.expiry] remind of nothing that was decided or has expired, nor where no rule asks for it", async () => {
    const s = await stage();
    const p = await s.open();
    const decided = await waiting(s, p);
    const plain = await waiting(s, p, { asked: { rule: anyone } });
    const late = await waiting(s, p);
    await p.ledger.decide({ approvalId: decided.id, actor: ben, decision: "deny" });
    s.clock.now += 30 * MINUTE;
    expect(await p.ledger.remindDue()).toBe(0);
    const due = await waiting(s, p);
    s.clock.now += 20 * MINUTE;
    expect(await p.ledger.remindDue()).toBe(1);
    await s.platform.until(() => told(s, "reminder").length > 0);
    expect(idsOf(told(s, "reminder"))).toEqual([due.id]);
    expect(await noted(s)).toEqual([due.id]);
    expect(new Set([decided, plain, late, due].map(({ id }) => id)).size).toBe(4);
  });

  it("[card.notify] tell approvers when they are asked, once over two replicas and starts", async () => {
    const s = await stage();
    const [p] = [await s.open(), await s.open({ on: "second" })];
    const { id } = await waiting(s, p);
    await rowOf(s, `asked ${id}`, "shown");
    await s.open();
    const next = await waiting(s, p);
    await rowOf(s, `asked ${next.id}`, "shown");
    expect(idsOf(told(s, "asked"))).toEqual([id, next.id]);
    expect(told(s, "asked")[0]).toMatchObject({ way: "mention", isSilent: false });
  });

  it("[card.notify] call nobody who has just asked for what they decide alone, but who waited for long", async () => {
    const s = await stage();
    const p = await s.open();
    const own = { ...rule, approvers: ["requester"] };
    const quick = await waiting(s, p, { asked: { rule: own } });
    await rowOf(s, `asked ${quick.id}`, "moot");
    const turnId = await p.say();
    const turn = await p.begin(turnId);
    s.clock.now += 2 * MINUTE;
    const slow = await p.ask(turn, { rule: own });
    await rowOf(s, `asked ${slow.id}`, "shown");
    expect(idsOf(told(s, "asked"))).toEqual([slow.id]);
  });

  it("[card.notify] of a flood of requests in a thread are one message", async () => {
    const s = await stage();
    const p = await s.open({ gatherMs: 2_000 });
    const request = { conversationId: "slack:T1:C1:flood" };
    const all: string[] = [];
    for (let index = 0; index < 12; index += 1) all.push((await waiting(s, p, { request })).id);
    expect(s.platform.notices).toEqual([]);
    s.clock.now += 2_000;
    await s.platform.until(() => s.platform.notices.length > 0);
    await rowOf(s, `asked ${all[11]}`, "shown");
    expect(told(s, "asked")).toHaveLength(1);
    expect(idsOf(told(s, "asked")).toSorted()).toEqual(all.toSorted());
    // Nor is each of them an ending of its own.
    s.clock.now += 31 * MINUTE;
    await p.ledger.expireDue();
    s.clock.now += 2_000;
    await rowOf(s, `expired ${all[11]}`, "shown");
    expect(told(s, "outcome").map(({ approvals }) => approvals.length)).toEqual([12]);
  });

  it("[card.notify] tell the requester of an ending that they did not see, and of none within a minute", async () => {
    const s = await stage();
    const p = await s.open();
    const quick = await waiting(s, p);
    await p.ledger.decide({ approvalId: quick.id, actor: ben, decision: "deny" });
    const denied = await waiting(s, p);
    const expired = await waiting(s, p);
    s.clock.now += 2 * MINUTE;
    await p.ledger.decide({ approvalId: denied.id, actor: ben, decision: "deny", reason: "not now" });
    await rowOf(s, `denied ${denied.id}`, "shown");
    const own = await waiting(s, p);
    s.clock.now += 2 * MINUTE;
    // They see what they decide.
    await p.ledger.decide({ approvalId: own.id, actor: ana, decision: "deny" });
    s.clock.now += 30 * MINUTE;
    await p.ledger.expireDue();
    await rowOf(s, `expired ${expired.id}`, "shown");
    const ends = told(s, "outcome").flatMap(({ approvals }) => approvals);
    expect(ends.map(({ id, state }) => [id, state])).toEqual([
      [denied.id, "denied"],
      [expired.id, "expired"],
    ]);
    expect(ends[0]?.note).toBe("not now");
  });

  it("[card.notify] wait for the end of quiet hours, but for what would expire before", async () => {
    const s = await stage();
    s.clock.now = Date.UTC(2026, 10, 23, 21, 0);
    const quietHours = { from: 20 * 60, to: 7 * 60, zone: "UTC" };
    const p = await s.open({ notices: () => ({ notify: "mention", quietHours }) });
    const patient = await waiting(s, p, { asked: { rule: { ...named, ttl_ms: 24 * 60 * MINUTE } } });
    const urgent = await waiting(s, p);
    await rowOf(s, `asked ${urgent.id}`, "shown");
    expect(s.platform.notices).toMatchObject([{ isSilent: true, approvals: [{ id: urgent.id }] }]);
    s.clock.now = Date.UTC(2026, 10, 24, 7, 0);
    await rowOf(s, `asked ${patient.id}`, "shown");
    expect(s.platform.notices[1]).toMatchObject({ isSilent: false, approvals: [{ id: patient.id }] });
  });

  it("[card.notify] are no reminder where nobody was asked yet", async () => {
    const s = await stage();
    s.clock.now = Date.UTC(2026, 10, 23, 21, 0);
    const quietHours = { from: 20 * 60, to: 7 * 60, zone: "UTC" };
    const p = await s.open({ notices: () => ({ notify: "mention", quietHours }) });
    const ttl = 24 * 60 * MINUTE;
    const { id } = await waiting(s, p, { asked: { rule: { ...named, ttl_ms: ttl, remind: ttl - MINUTE } } });
    await until(s, `asked ${id}`, (row) => row.due_at > s.clock.now);
    s.clock.now += 2 * MINUTE;
    expect(await p.ledger.remindDue()).toBe(1);
    s.clock.now = Date.UTC(2026, 10, 24, 7, 0);
    await rowOf(s, `asked ${id}`, "shown");
    expect(told(s, "reminder")).toEqual([]);
  });

  it("[card.notify] are not made where the settings say none, but for reminders", async () => {
    const s = await stage();
    const p = await s.open({ notices: () => ({ notify: "none" }) });
    const { id } = await waiting(s, p);
    await rowOf(s, `asked ${id}`, "moot");
    s.clock.now += 20 * MINUTE;
    await p.ledger.remindDue();
    await rowOf(s, `reminder ${id}`, "shown");
    expect(s.platform.notices.map((notice) => notice.kind)).toEqual(["reminder"]);
  });

  it("are shown by another process when the one that was about to is gone, and not twice", async () => {
    const s = await stage();
    // Shows cards, and leaves notices to the others: for as long as it is there, more may come of the thread.
    const p = await s.open({ gatherMs: 3_600_000, sweepMs: 3_600_000 });
    let isDead = false;
    const lost = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<never>();
    // The platform did it, and the process that asked never hears.
    s.platform.after = (call) => {
      if (call.kind !== "notify" || isDead) return undefined;
      isDead = true;
      lost.resolve();
      return answer.promise;
    };
    const { id } = await waiting(s, p);
    await p.presenter.stop();
    await s.open({ on: "first" });
    s.clock.now += 20 * MINUTE;
    await p.ledger.remindDue();
    await lost.promise;
    s.clock.now += 12 * LEASE_MS;
    await s.open({ on: "second" });
    await rowOf(s, `reminder ${id}`, "shown");
    await rowOf(s, `asked ${id}`, "shown");
    expect(s.platform.notices.map((notice) => notice.kind).toSorted()).toEqual(["asked", "reminder"]);
    // What it hears at last changes nothing any more.
    answer.reject(new Error("cut off"));
    await rowOf(s, `reminder ${id}`, "shown");
  });

  it("are tried again when the platform wants to wait, and given up where there is no place", async () => {
    const s = await stage();
    const p = await s.open();
    let tries = 0;
    s.platform.before = ({ kind: asked }) => {
      if (asked !== "notify") return;
      tries += 1;
      if (tries === 1) throw Object.assign(new Error("slow down"), { code: "rate_limited", retryAfterMs: 0 });
      throw Object.assign(new Error("archived"), { code: "place_gone" });
    };
    const { id } = await waiting(s, p);
    await rowOf(s, `asked ${id}`, "undeliverable");
    expect(tries).toBe(2);
    expect(s.platform.notices).toEqual([]);
  });

  /** Looks at the record after each call of the platform, and a little later, until it is so. */
  async function rowOf(s: Stage, id: string, state: string): Promise<void> {
    await until(s, id, (row) => row.state === state);
  }

  async function until(
    { db }: Stage,
    id: string,
    isSo: (row: { state: string; due_at: number }) => boolean,
  ): Promise<void> {
    for (;;) {
      const row = await db
        .selectFrom("notices")
        .select(["state", "due_at"])
        .where("id", "=", id)
        .executeTakeFirst();
      if (row !== undefined && isSo(row)) return;
      await setImmediate();
    }
  }
});

interface Asking {
  request?: Parameters<Process["say"]>[0];
  asked?: Parameters<Process["ask"]>[1];
}
