import { describe, expect, it } from "vitest";

import type { ActorId } from "#contract/actor.ts";
import type { DecideReply } from "#contract/approval.ts";

import { ana, asks, ben, chloe, deleteIssue, mallory, openBench } from "./support.ts";

const WAITING = { turn: "pending_confirmation", call: "planned", approval: "pending" };

describe("who may decide", () => {
  it("[approve.eligible] a stranger may not, is told who may, and the request goes on waiting", async () => {
    const bench = await openBench();
    const approval = await bench.request();
    const reply = await bench.ledger.decide({ approvalId: approval.id, actor: mallory, decision: "approve" });
    expect(reply).toMatchObject({ outcome: "not_eligible", approval: { state: "pending", votes: [] } });
    expect(reply.message).toBe("You can't decide this request: ANA can.");
    expect(await bench.states(approval)).toEqual(WAITING);
    expect(await bench.audited(approval)).toEqual(["approval.pending", "approval.refused_click"]);
    expect(bench.continued).toEqual([]);
  });

  it("[approve.eligible] a stranger may not deny either", async () => {
    const bench = await openBench();
    const approval = await bench.request();
    const reply = await bench.ledger.decide({ approvalId: approval.id, actor: mallory, decision: "deny" });
    expect(reply.outcome).toBe("not_eligible");
    expect(await bench.states(approval)).toEqual(WAITING);
  });

  it("[approve.eligible] the requester is excluded where the rule says so, also as a member", async () => {
    const bench = await openBench();
    const approval = await bench.request({ approvers: ["channel", ana], excludeRequester: true });
    const own = await bench.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
    expect(own).toMatchObject({ outcome: "not_eligible" });
    expect(own.message).toContain("somebody else");
    const other = await bench.ledger.decide({ approvalId: approval.id, actor: ben, decision: "approve" });
    expect(other.outcome).toBe("approved");
  });

  it("[approve.eligible] a named person or a member of a named group may", async () => {
    const bench = await openBench();
    const named = await bench.request({ approvers: [ben] });
    expect(
      (await bench.ledger.decide({ approvalId: named.id, actor: ana, decision: "approve" })).outcome,
    ).toBe("not_eligible");
    expect(
      (await bench.ledger.decide({ approvalId: named.id, actor: ben, decision: "approve" })).outcome,
    ).toBe("approved");
    const grouped = await bench.request({ approvers: ["group:leads"] }, { issue_key: "DEMO-2" });
    expect(
      (await bench.ledger.decide({ approvalId: grouped.id, actor: ben, decision: "approve" })).outcome,
    ).toBe("not_eligible");
    expect(
      (await bench.ledger.decide({ approvalId: grouped.id, actor: chloe, decision: "approve" })).outcome,
    ).toBe("approved");
  });

  it("[approve.eligible] one person of several workspaces is one, and not twice", async () => {
    const bench = await openBench();
    // An organisation of Slack has one id for a person in all its workspaces.
    const [anaElsewhere, benElsewhere] = ["slack:T2:ANA", "slack:T2:BEN"] as const;
    bench.members.add(anaElsewhere).add(benElsewhere);
    const own = await bench.request({ approvers: ["channel"], excludeRequester: true });
    const self = await bench.ledger.decide({ approvalId: own.id, actor: anaElsewhere, decision: "approve" });
    expect(self.outcome).toBe("not_eligible");
    const two = await bench.request({ approvers: ["channel"], quorum: 2 }, { issue_key: "DEMO-2" });
    const decide = (actor: ActorId): Promise<DecideReply> =>
      bench.ledger.decide({ approvalId: two.id, actor, decision: "approve" });
    expect((await decide(ben)).outcome).toBe("recorded");
    expect(await decide(benElsewhere)).toMatchObject({ outcome: "recorded", approval: { state: "pending" } });
    expect((await decide(chloe)).outcome).toBe("approved");
  });

  it("requests of one moment are listed the newest first", async () => {
    const bench = await openBench();
    const asked: string[] = [];
    for (const key of ["DEMO-1", "DEMO-2", "DEMO-3"])
      asked.push((await bench.request({}, { issue_key: key })).id);
    const listed = (await bench.ledger.list({})).map(({ id }) => id);
    expect(listed).toEqual(asked.toReversed());
  });

  it("an unknown request is not found", async () => {
    const { ledger } = await openBench();
    const deciding = ledger.decide({ approvalId: "appr_none", actor: ana, decision: "approve" });
    await expect(deciding).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a decision", () => {
  it("[approve.two-phase] approves: the turn goes on and nothing has run yet", async () => {
    const bench = await openBench();
    const approval = await bench.request();
    const reply = await bench.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
    expect(reply).toMatchObject({ outcome: "approved", approval: { state: "approved" } });
    expect(reply.message).toContain("Approved by ANA");
    expect(await bench.states(approval)).toEqual({ turn: "queued", call: "planned", approval: "approved" });
    expect(bench.continued.map((turn) => turn.turnId)).toEqual([approval.turnId]);
    expect(await bench.audited(approval)).toEqual(["approval.pending", "approval.vote", "approval.approved"]);
  });

  it("[approve.two-phase] denies: the call is refused for good and the reason is kept", async () => {
    const bench = await openBench();
    const approval = await bench.request();
    const denied = await bench.ledger.decide({
      approvalId: approval.id,
      actor: ana,
      decision: "deny",
      reason: "wrong issue",
    });
    expect(denied).toMatchObject({ outcome: "denied", approval: { state: "denied", note: "wrong issue" } });
    expect(await bench.states(approval)).toEqual({ turn: "queued", call: "refused", approval: "denied" });
    const late = await bench.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
    expect(late).toMatchObject({ outcome: "already_decided" });
    expect(late.message).toContain("denied by ANA");
    expect(await bench.states(approval)).toMatchObject({ call: "refused", approval: "denied" });
    expect(await bench.ledger.claim(approval.id, { tool: deleteIssue, decision: asks })).toMatchObject({
      ok: false,
    });
  });

  it("[approve.once] of many at once is one; the others hear that it is decided", async () => {
    const bench = await openBench();
    const approval = await bench.request({ approvers: ["channel"] });
    const clicks = await Promise.all(
      [ana, ben, chloe, ana, ben, chloe].map((actor, n) =>
        bench.ledger.decide({
          approvalId: approval.id,
          actor,
          decision: n % 2 === 0 ? "approve" : "deny",
        }),
      ),
    );
    const outcomes = clicks.map((click) => click.outcome);
    expect(outcomes.filter((outcome) => outcome === "already_decided")).toHaveLength(5);
    expect(bench.continued).toHaveLength(1);
    expect((await bench.audited(approval)).filter((kind) => kind === "approval.vote")).toHaveLength(1);
  });

  it("[approve.quorum] of two is reached by two people, not by one twice", async () => {
    const bench = await openBench();
    const approval = await bench.request({ approvers: ["channel"], quorum: 2 });
    const decide = (actor: typeof ana) =>
      bench.ledger.decide({ approvalId: approval.id, actor, decision: "approve" });
    expect(await decide(ben)).toMatchObject({ outcome: "recorded", message: "Recorded: 1 of 2 approvals." });
    const twice = await decide(ben);
    expect(twice).toMatchObject({ outcome: "recorded", approval: { state: "pending" } });
    expect(twice.message).toContain("already decided");
    expect(await bench.states(approval)).toEqual(WAITING);
    expect(bench.continued).toEqual([]);
    const second = await decide(chloe);
    expect(second.outcome).toBe("approved");
    expect(second.approval.votes.map((vote) => vote.actor)).toEqual([ben, chloe]);
  });

  it("[approve.quorum] one denial is enough, also after an approval", async () => {
    const bench = await openBench();
    const approval = await bench.request({ approvers: ["channel"], quorum: 2 });
    await bench.ledger.decide({ approvalId: approval.id, actor: ben, decision: "approve" });
    const denied = await bench.ledger.decide({ approvalId: approval.id, actor: chloe, decision: "deny" });
    expect(denied.outcome).toBe("denied");
    expect(await bench.states(approval)).toMatchObject({ call: "refused" });
  });

  it("[approve.policy] needs a reason where the rule wants one, and nothing is recorded without it", async () => {
    const bench = await openBench();
    const approval = await bench.request({ reasonRequired: true });
    for (const reason of [undefined, "", "  \n"]) {
      const deciding = bench.ledger.decide({
        approvalId: approval.id,
        actor: ana,
        decision: "approve",
        ...(reason === undefined ? {} : { reason }),
      });
      await expect(deciding).rejects.toMatchObject({ code: "reason_required" });
    }
    expect(await bench.states(approval)).toEqual(WAITING);
    const reasoned = await bench.ledger.decide({
      approvalId: approval.id,
      actor: ana,
      decision: "approve",
      reason: "a duplicate",
    });
    expect(reasoned.approval.votes).toMatchObject([{ actor: ana, reason: "a duplicate" }]);
  });
});

describe("a request that is not pending any more", () => {
  it("[approve.expiry] expires when its time is over, and a click says so", async () => {
    const bench = await openBench();
    const approval = await bench.request({ ttlMs: 1_000 });
    bench.pass(999);
    expect(await bench.ledger.expireDue()).toBe(0);
    bench.pass(1);
    const late = await bench.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
    expect(late).toMatchObject({ outcome: "expired", approval: { state: "expired" } });
    expect(late.message).toContain("expired");
    expect(await bench.states(approval)).toEqual({ turn: "queued", call: "refused", approval: "expired" });
    expect(bench.continued).toHaveLength(1);
  });

  it("[approve.expiry] expires in the sweep, once", async () => {
    const bench = await openBench();
    const approval = await bench.request({ ttlMs: 1_000 });
    await bench.request({ ttlMs: 5_000 }, { issue_key: "DEMO-2" });
    bench.pass(2_000);
    expect(await bench.ledger.expireDue()).toBe(1);
    expect(await bench.ledger.expireDue()).toBe(0);
    expect(await bench.states(approval)).toMatchObject({ approval: "expired", call: "refused" });
    expect(bench.continued.map((turn) => turn.turnId)).toEqual([approval.turnId]);
  });

  it("[approve.expiry] is superseded by the same request, not by one with other arguments", async () => {
    const bench = await openBench();
    const first = await bench.request({}, { issue_key: "DEMO-1", force: true });
    const other = await bench.request({}, { issue_key: "DEMO-2" });
    const again = await bench.request({}, { force: true, issue_key: "DEMO-1" });
    expect(again.key).toBe(first.key);
    expect(other.key).not.toBe(first.key);
    expect(await bench.states(first)).toEqual({ turn: "queued", call: "refused", approval: "superseded" });
    expect(await bench.states(other)).toEqual(WAITING);
    const click = await bench.ledger.decide({ approvalId: first.id, actor: ana, decision: "approve" });
    expect(click).toMatchObject({ outcome: "void", approval: { state: "superseded" } });
    expect(await bench.states(again)).toEqual(WAITING);
  });
});

describe("a decision", () => {
  it("[approve.once] reads the request once beside what its surface has read of it", async () => {
    const bench = await openBench();
    const [first, second] = [await bench.request(), await bench.request({}, { issue_key: "DEMO-2" })];
    const readsOf = async (approvalId: string, seen: object): Promise<number> => {
      const before = bench.reads();
      const reply = await bench.ledger.decide({ approvalId, actor: ana, decision: "approve", ...seen });
      expect(reply.outcome).toBe("approved");
      return bench.reads() - before;
    };
    expect(await readsOf(first.id, { seen: first })).toBe(1);
    expect(await readsOf(second.id, {})).toBe(2);
  });

  it("[approve.eligible] takes no word for who may decide, also where what was read says otherwise", async () => {
    const bench = await openBench();
    const approval = await bench.request();
    const decided = bench.ledger.decide({
      approvalId: approval.id,
      actor: mallory,
      decision: "approve",
      seen: { ...approval, approvers: [mallory] },
    });
    await expect(decided).rejects.toThrow("what was read");
    expect(await bench.states(approval)).toEqual(WAITING);
    expect(bench.continued).toEqual([]);
  });
});
