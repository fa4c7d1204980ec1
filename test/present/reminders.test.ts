import { setImmediate } from "node:timers/promises";

import { describe, expect, it, onTestFinished } from "vitest";

import type { Approval } from "#contract/approval.ts";
import { anyone, ben } from "#test/ledger/desk.ts";
import { storeKinds, useStores } from "#test/ledger/stores.ts";

import { createStage, LEASE_MS, type Process, type Stage } from "./stage.ts";

const stores = useStores();

const MINUTE = 60_000;
/** Stands for half an hour, and people are reminded ten minutes before. */
const rule = { ...anyone, ttl_ms: 30 * MINUTE, remind_ms: 10 * MINUTE };

describe.each(storeKinds)("reminders on %s", (kind) => {
  async function stage(): Promise<Stage> {
    return createStage(await stores.open(kind), onTestFinished);
  }

  async function waiting({ platform }: Stage, p: Process, asked: object = { rule }): Promise<Approval> {
    const turnId = await p.say();
    const approval = await p.ask(await p.begin(turnId), asked);
    await platform.until(() => platform.shown(turnId)?.approvals[0]?.state === "pending");
    return approval;
  }

  async function reminded({ db }: Stage): Promise<(string | null)[]> {
    const rows = await db
      .selectFrom("audit")
      .select("approval_id")
      .where("kind", "=", "approval.reminded")
      .execute();
    return rows.map((row) => row.approval_id);
  }

  it("[approve.expiry] are shown once, on the card as well, whichever of two replicas sees them due", async () => {
    const s = await stage();
    const [p, q] = [await s.open(), await s.open({ on: "second" })];
    const { id, turnId } = await waiting(s, p);
    s.clock.now += 20 * MINUTE - 1;
    expect(await p.ledger.remindDue()).toBe(0);
    s.clock.now += 1;
    const noted = await Promise.all([p.ledger.remindDue(), q.ledger.remindDue(), p.ledger.remindDue()]);
    expect(noted.reduce((sum, count) => sum + count)).toBe(1);
    await s.platform.until(() => s.platform.shown(turnId)?.approvals[0]?.remindedAt !== undefined);
    await s.platform.until(() => s.platform.reminders.length > 0);
    expect(await p.ledger.remindDue()).toBe(0);
    // A process that starts later finds nothing to do.
    await s.open();
    const later = await waiting(s, p);
    s.clock.now += 20 * MINUTE;
    await p.ledger.remindDue();
    await s.platform.until(() => s.platform.reminders.includes(later.id));
    expect(s.platform.reminders).toEqual([id, later.id]);
    expect(await reminded(s)).toEqual([id, later.id]);
  });

  it("[approve.expiry] are not made for what was decided or has expired, nor where no rule asks for them", async () => {
    const s = await stage();
    const p = await s.open();
    const decided = await waiting(s, p);
    const plain = await waiting(s, p, { rule: anyone });
    const late = await waiting(s, p);
    await p.ledger.decide({ approvalId: decided.id, actor: ben, decision: "deny" });
    s.clock.now += 30 * MINUTE;
    expect(await p.ledger.remindDue()).toBe(0);
    const due = await waiting(s, p);
    s.clock.now += 20 * MINUTE;
    expect(await p.ledger.remindDue()).toBe(1);
    await s.platform.until(() => s.platform.reminders.length > 0);
    expect(s.platform.reminders).toEqual([due.id]);
    expect(await reminded(s)).toEqual([due.id]);
    expect(new Set([decided, plain, late, due].map(({ id }) => id)).size).toBe(4);
  });

  it("are shown by another process when the one that was about to is gone, and not twice", async () => {
    const s = await stage();
    // Shows cards, and leaves reminders to the others.
    const p = await s.open({ sweepMs: 3_600_000 });
    const { id } = await waiting(s, p);
    s.clock.now += 20 * MINUTE;
    await p.ledger.remindDue();
    let isDead = false;
    const lost = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<never>();
    // The platform did it, and the process that asked never hears.
    s.platform.after = (call) => {
      if (call.kind !== "remind" || isDead) return undefined;
      isDead = true;
      lost.resolve();
      return answer.promise;
    };
    await s.open({ on: "first" });
    await lost.promise;
    expect(s.platform.reminders).toEqual([id]);
    s.clock.now += 12 * LEASE_MS;
    await s.open({ on: "second" });
    await s.platform.until(() => s.platform.calls.filter(({ kind }) => kind === "remind").length === 2);
    await rowOf(s, id, "shown");
    expect(s.platform.reminders).toEqual([id]);
    // What it hears at last changes nothing any more.
    answer.reject(new Error("cut off"));
    await rowOf(s, id, "shown");
  });

  it("are tried again when the platform wants to wait, and given up where there is no place", async () => {
    const s = await stage();
    const p = await s.open();
    const { id } = await waiting(s, p);
    let tries = 0;
    s.platform.before = ({ kind: asked }) => {
      if (asked !== "remind") return;
      tries += 1;
      if (tries === 1) throw Object.assign(new Error("slow down"), { code: "rate_limited", retryAfterMs: 0 });
      throw Object.assign(new Error("archived"), { code: "place_gone" });
    };
    s.clock.now += 20 * MINUTE;
    await p.ledger.remindDue();
    await rowOf(s, id, "undeliverable");
    expect(tries).toBe(2);
    expect(s.platform.reminders).toEqual([]);
  });

  /** Looks at the record after each call of the platform, and a little later, until it is so. */
  async function rowOf({ db }: Stage, id: string, state: string): Promise<void> {
    for (;;) {
      const row = await db
        .selectFrom("reminders")
        .select("state")
        .where("approval_id", "=", id)
        .executeTakeFirst();
      if (row?.state === state) return;
      await setImmediate();
    }
  }
});
