import { describe, expect, it } from "vitest";

import type { ActorId } from "#contract/actor.ts";
import type { DecideReply } from "#contract/approval.ts";
import { codeOf } from "#src/base/errors.ts";
import { amount } from "#test/amount.ts";

import { ana, anyone, ben, chloe, createDesk, type Desk, dmitri, guest, stranger } from "./desk.ts";
import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();
const REQUESTS = amount(100, 25);

describe.each(storeKinds)("decisions on %s", (kind) => {
  async function desk(): Promise<Desk> {
    return createDesk(await stores.open(kind));
  }

  it("[approve.once] [approve.key] many requests, clicks on both replicas: one approval each", async () => {
    const { first, second, ...d } = await desk();
    const approvals = await Promise.all(
      Array.from({ length: REQUESTS }, (_, index) =>
        d.ask({
          args: { project: "DEMO", summary: `issue ${index}` },
          on: index % 2 === 0 ? "first" : "second",
        }),
      ),
    );
    expect(new Set(approvals.map((approval) => approval.key)).size).toBe(REQUESTS);
    const replies = await Promise.all(
      approvals.flatMap(({ id: approvalId }) =>
        [ana, ben, chloe].flatMap((actor) =>
          [first, second, first, second].map((ledger) =>
            ledger.decide({ approvalId, actor, decision: "approve" }),
          ),
        ),
      ),
    );
    expect(replies).toHaveLength(REQUESTS * 12);
    for (const approval of approvals) {
      const own = replies.filter((reply) => reply.approval.id === approval.id);
      expect(tally(own)).toEqual({ approved: 1, already_decided: 11 });
      for (const reply of own) expect(reply.message).toMatch(/^(Already a|A)pproved by (ana|ben|chloe)/);
      expect(await d.jobs(approval.turnId)).toBe(1);
    }
    expect(await d.entries("approval.approved")).toBe(REQUESTS);
    expect(await d.entries("approval.vote")).toBe(REQUESTS);
    expect(await d.verify()).toMatchObject({ ok: true });
  }, 120_000);

  it("[approve.once] asked for again in the moment of a click: whichever came first holds", async () => {
    const { first, second, ...d } = await desk();
    for (let round = 0; round < amount(20, 8); round += 1) {
      const args = { project: "DEMO", summary: `again ${round}` };
      const conversation = `again ${round}`;
      const { id: approvalId } = await d.ask({ args, conversation });
      const [reply] = await Promise.all([
        second.decide({ approvalId, actor: ben, decision: "approve" }),
        d.ask({ args, conversation }),
      ]);
      const after = await first.get(approvalId);
      expect(after?.state).toBe(reply.outcome === "approved" ? "approved" : "superseded");
    }
    expect(await d.verify()).toMatchObject({ ok: true });
  });

  it("[approve.quorum] counts people, not clicks: the same person twice leaves a quorum of two open", async () => {
    const { first, second, ...d } = await desk();
    const { id: approvalId, turnId } = await d.ask({ rule: { ...anyone, quorum: 2 } });
    const bens = await Promise.all(
      [first, second, first, second].map((ledger) =>
        ledger.decide({ approvalId, actor: ben, decision: "approve" }),
      ),
    );
    expect(tally(bens)).toEqual({ recorded: 4 });
    expect(await first.get(approvalId)).toMatchObject({ state: "pending", votes: [{ actor: ben }] });
    expect(await d.entries("approval.vote", approvalId)).toBe(1);
    expect(await d.jobs(turnId)).toBe(0);
    expect(bens.map((reply) => reply.message).toSorted()[0]).toBe("Recorded: 1 of 2 approvals.");

    const reply = await second.decide({ approvalId, actor: chloe, decision: "approve" });
    expect(reply).toMatchObject({ outcome: "approved", approval: { state: "approved" } });
    expect(reply.approval.votes.map((vote) => vote.actor)).toEqual([ben, chloe]);
    expect(await d.jobs(turnId)).toBe(1);
  });

  it("[approve.quorum] of people who click at once the last one needed approves, and only once", async () => {
    const { first, second, ...d } = await desk();
    const { id: approvalId, turnId } = await d.ask({ rule: { ...anyone, quorum: 3 } });
    const people: ActorId[] = [ana, ben, chloe, dmitri];
    const replies = await Promise.all(
      people.flatMap((actor) =>
        [first, second].map((ledger) => ledger.decide({ approvalId, actor, decision: "approve" })),
      ),
    );
    expect(tally(replies).approved).toBe(1);
    expect(tally(replies).not_eligible).toBeUndefined();
    expect(await d.entries("approval.approved", approvalId)).toBe(1);
    expect((await first.get(approvalId))?.votes).toHaveLength(3);
    expect(await d.jobs(turnId)).toBe(1);
  });

  it("[approve.once] an approval and a denial at the same moment: one of them decides, the other is told", async () => {
    const { first, second, ...d } = await desk();
    for (let round = 0; round < 10; round += 1) {
      const { id: approvalId, turnId } = await d.ask();
      const replies = await Promise.all([
        first.decide({ approvalId, actor: ben, decision: "approve" }),
        second.decide({ approvalId, actor: chloe, decision: "deny", reason: "not now" }),
      ]);
      const outcomes = replies.map((reply) => reply.outcome).toSorted();
      expect([
        ["already_decided", "approved"],
        ["already_decided", "denied"],
      ]).toContainEqual(outcomes);
      const ended = await first.get(approvalId);
      expect(ended?.state).toBe(outcomes[1]);
      expect(ended?.votes).toHaveLength(1);
      expect(await d.jobs(turnId)).toBe(1);
    }
  });

  it("[approve.eligible] the requester, where the rule wants somebody else, may not approve, and may take the request back", async () => {
    const { first, ...d } = await desk();
    const { id: approvalId } = await d.ask({ rule: { ...anyone, exclude_requester: true }, by: ana });
    const reply = await first.decide({ approvalId, actor: ana, decision: "approve" });
    expect(reply).toMatchObject({
      outcome: "not_eligible",
      message: "You asked for this change, so somebody else has to approve it.",
      approval: { state: "pending", votes: [] },
    });
    expect(await d.entries("approval.refused_click", approvalId)).toBe(1);
    expect((await first.decide({ approvalId, actor: ben, decision: "approve" })).outcome).toBe("approved");

    const { id: regretted } = await d.ask({ rule: { approvers: [ben], exclude_requester: true }, by: ana });
    expect(await first.decide({ approvalId: regretted, actor: ana, decision: "deny" })).toMatchObject({
      outcome: "denied",
      approval: { state: "denied", votes: [{ actor: ana, decision: "deny" }] },
    });
    expect((await first.decide({ approvalId: regretted, actor: ben, decision: "approve" })).outcome).toBe(
      "already_decided",
    );
  });

  it("[approve.eligible] a stranger and a guest are refused, told why, and change nothing", async () => {
    const { first, second, ...d } = await desk();
    const { id: approvalId, turnId } = await d.ask();
    for (const [actor, why] of [
      [stranger, "You can't decide this request: anyone in the channel can."],
      [guest, "You are a guest here, and guests approve only where a rule names them or their group."],
    ] as const) {
      for (const decision of ["approve", "deny"] as const) {
        const reply = await second.decide({ approvalId, actor, decision });
        expect(reply).toMatchObject({ outcome: "not_eligible", message: why });
      }
    }
    expect(await first.get(approvalId)).toMatchObject({ state: "pending", votes: [] });
    expect(await d.jobs(turnId)).toBe(0);
    expect(await d.entries("approval.refused_click", approvalId)).toBe(4);

    const own = await d.ask({ by: guest, rule: { approvers: ["requester"] } });
    const asked = await first.decide({ approvalId: own.id, actor: guest, decision: "approve" });
    expect(asked.outcome).toBe("not_eligible");
    const named = await d.ask({ rule: { approvers: [guest] } });
    const invited = await first.decide({ approvalId: named.id, actor: guest, decision: "approve" });
    expect(invited.outcome).toBe("approved");
  });

  it("[approve.eligible] named people and groups may decide; no answer of a platform is a no", async () => {
    const { first, ...d } = await desk();
    d.people.groups.ops = new Set([chloe]);
    const rule = { approvers: [ben, "group:ops"] };
    const { id: named } = await d.ask({ rule });
    expect(await first.decide({ approvalId: named, actor: ana, decision: "approve" })).toMatchObject({
      outcome: "not_eligible",
      message: "You can't decide this request: ben or anyone of the group ops can.",
    });
    expect((await first.decide({ approvalId: named, actor: ben, decision: "approve" })).outcome).toBe(
      "approved",
    );
    const { id: grouped } = await d.ask({ rule });
    d.people.whileAsked = () => {
      throw new Error("the platform is down");
    };
    expect((await first.decide({ approvalId: grouped, actor: chloe, decision: "approve" })).outcome).toBe(
      "not_eligible",
    );
    delete d.people.whileAsked;
    expect((await first.decide({ approvalId: grouped, actor: chloe, decision: "approve" })).outcome).toBe(
      "approved",
    );
  });

  it("[approve.expiry] a click after the time is answered with expired, and the turn goes on", async () => {
    const { first, ...d } = await desk();
    const { id: approvalId, turnId, expiresAt } = await d.ask({ rule: { ...anyone, ttl_ms: 60_000 } });
    d.clock.now = expiresAt;
    const reply = await first.decide({ approvalId, actor: ben, decision: "approve" });
    expect(reply).toMatchObject({ outcome: "expired", approval: { state: "expired", votes: [] } });
    expect(reply.message).toMatch(/^This request expired at \d\d:\d\d UTC\./);
    expect(await d.jobs(turnId)).toBe(1);
    expect((await first.decide({ approvalId, actor: chloe, decision: "deny" })).outcome).toBe("expired");
    expect(await d.jobs(turnId)).toBe(1);
    expect(await d.entries("approval.expired", approvalId)).toBe(1);
  });

  it("[approve.expiry] a request that expires while a person is looked up is not approved", async () => {
    const { first, ...d } = await desk();
    const { id: approvalId, turnId, expiresAt } = await d.ask({ rule: { ...anyone, ttl_ms: 60_000 } });
    d.people.whileAsked = () => {
      d.clock.now = expiresAt + 1;
    };
    const reply = await first.decide({ approvalId, actor: ben, decision: "approve" });
    expect(reply).toMatchObject({ outcome: "expired", approval: { state: "expired", votes: [] } });
    expect(await d.jobs(turnId)).toBe(1);
    expect(d.continued).toContain(turnId);
  });

  it("[approve.expiry] the sweeps of two replicas close each due request once, and leave the others", async () => {
    const { first, second, ...d } = await desk();
    const due = await Promise.all(
      Array.from({ length: 12 }, () => d.ask({ rule: { ...anyone, ttl_ms: 1_000 } })),
    );
    const later = await d.ask({ rule: { ...anyone, ttl_ms: 60_000 } });
    d.clock.now += 1_000;
    await Promise.all([first.expireDue(), second.expireDue(), first.expireDue()]);
    for (const { id, turnId } of due) {
      expect(await first.get(id)).toMatchObject({ state: "expired", note: "nobody decided in time" });
      expect(await d.entries("approval.expired", id)).toBe(1);
      expect(await d.jobs(turnId)).toBe(1);
    }
    expect(await first.get(later.id)).toMatchObject({ state: "pending" });
    expect(await first.expireDue()).toBe(0);
  });

  it("[approve.expiry] asking again for the same change closes the first request", async () => {
    const { first, second, ...d } = await desk();
    const args = { project: "DEMO", summary: "the same" };
    const conversation = "conversation_same";
    const old = await d.ask({ args, conversation });
    const elsewhere = await d.ask({ args, conversation: "conversation_other" });
    const fresh = await d.ask({ args: { summary: "the same", project: "DEMO" }, conversation, on: "second" });
    expect(fresh.key).toBe(old.key);
    expect(await second.decide({ approvalId: old.id, actor: ben, decision: "approve" })).toMatchObject({
      outcome: "void",
      message: "This request is no longer valid: the same change was asked for again.",
      approval: { state: "superseded", votes: [] },
    });
    expect(await d.jobs(old.turnId)).toBe(1);
    expect(await first.get(fresh.id)).toMatchObject({ state: "pending" });
    expect(await first.get(elsewhere.id)).toMatchObject({ state: "pending" });
  });

  it("[approve.expiry] a rule that wants a reason takes no decision without one", async () => {
    const { first, ...d } = await desk();
    const { id: approvalId } = await d.ask({ rule: { ...anyone, reason_required: true } });
    for (const reason of [undefined, "", "  "]) {
      const refused = first.decide({
        approvalId,
        actor: ben,
        decision: "approve",
        ...(reason === undefined ? {} : { reason }),
      });
      expect(codeOf(await refused.catch((error: unknown) => error))).toBe("reason_required");
    }
    expect(await first.get(approvalId)).toMatchObject({ state: "pending", votes: [] });
    const reply = await first.decide({
      approvalId,
      actor: ben,
      decision: "deny",
      reason: "broken \u0000 plan",
    });
    expect(reply).toMatchObject({ outcome: "denied", approval: { state: "denied" } });
  });

  it("[approve.once] a decision is there with its entry, its vote and its continuation, or not at all", async () => {
    const { first, ...d } = await desk();
    const { id: approvalId, turnId } = await d.ask();
    const before = await d.verify();
    const failing = d.transact(async (tx, note) => {
      await tx.updateTable("approvals").set({ state: "approved" }).where("id", "=", approvalId).execute();
      note({ kind: "approval.approved", turnId, approvalId });
      const vote = { approval_id: approvalId, actor: ben, decision: "approve", reason: null, at: 0 };
      await tx.insertInto("votes").values([vote]).execute();
      // One person votes once: the database refuses this, and everything before it.
      await tx.insertInto("votes").values([vote]).execute();
    });
    await expect(failing).rejects.toThrow(/unique/i);
    expect(await first.get(approvalId)).toMatchObject({ state: "pending", votes: [] });
    expect(await d.verify()).toEqual(before);
    expect(await d.jobs(turnId)).toBe(0);
  });
});

/** How often each outcome was given. */
function tally(replies: DecideReply[]): Partial<Record<DecideReply["outcome"], number>> {
  const counts: Partial<Record<DecideReply["outcome"], number>> = {};
  for (const { outcome } of replies) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
