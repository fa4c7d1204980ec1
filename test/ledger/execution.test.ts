import { describe, expect, it } from "vitest";

import type { Approval } from "#contract/approval.ts";
import type { Tool } from "#contract/tool.ts";
import { codeOf } from "#src/base/errors.ts";
import { type CurrentCall, SEND_GRACE_MS } from "#src/ledger/execute.ts";
import type { PolicyRule } from "#src/policy/policy.ts";

import {
  ana,
  anyone,
  ben,
  chloe,
  createDesk,
  decisionOf,
  type Desk,
  happened,
  LEASE_MS,
  makeTool,
  stranger,
} from "./desk.ts";
import { storeKinds, useStores } from "./stores.ts";

const stores = useStores();

/** The call as it stands at dispatch: nothing has changed unless the test says so. */
function current(
  approval: Approval,
  rule: Partial<PolicyRule> = anyone,
  tool: Tool = makeTool(),
): CurrentCall {
  return { tool, decision: decisionOf(rule, tool, approval.args) };
}

const cutOff = {
  ok: false,
  data: null,
  error: { code: "transport" as const, message: "the connection was lost", sent: "maybe" as const },
};

describe.each(storeKinds)("execution on %s", (kind) => {
  async function desk(): Promise<Desk> {
    return createDesk(await stores.open(kind));
  }

  async function approved(d: Desk, rule: Partial<PolicyRule> = anyone): Promise<Approval> {
    const { id: approvalId } = await d.ask({ rule });
    const reply = await d.first.decide({ approvalId, actor: ben, decision: "approve", reason: "fine" });
    expect(reply.outcome).toBe("approved");
    return reply.approval;
  }

  async function callState(d: Desk, approvalId: string): Promise<string | undefined> {
    const row = await d.db
      .selectFrom("calls")
      .select("state")
      .where("approval_id", "=", approvalId)
      .executeTakeFirst();
    return row?.state;
  }

  it("[approve.once] of many workers that want an approved request one gets it, with its intent recorded", async () => {
    const d = await desk();
    for (let round = 0; round < 10; round += 1) {
      const approval = await approved(d);
      const claims = await Promise.all(
        [d.first, d.second, d.first, d.second].map((ledger) => ledger.claim(approval.id, current(approval))),
      );
      expect(claims.filter((claim) => claim.ok)).toHaveLength(1);
      for (const claim of claims) expect(claim.approval.state).toBe("executing");
      expect(await callState(d, approval.id)).toBe("intent");
      expect(await d.entries("approval.executing", approval.id)).toBe(1);
    }
  });

  it("[approve.once] a request that nobody approved, and one that ran, cannot be taken", async () => {
    const d = await desk();
    const pending = await d.ask();
    expect(await d.first.claim(pending.id, current(pending))).toMatchObject({
      ok: false,
      approval: { state: "pending" },
    });
    const approval = await approved(d);
    await d.first.claim(approval.id, current(approval));
    await d.first.finish(approval.id, "done", happened);
    expect(await d.second.claim(approval.id, current(approval))).toMatchObject({
      ok: false,
      approval: { state: "done" },
    });
    expect(await callState(d, approval.id)).toBe("done");
  });

  it("[approve.eligible] a person who left the group between the click and the dispatch does not count", async () => {
    const d = await desk();
    d.people.groups.ops = new Set([ben, chloe]);
    const rule = { approvers: ["group:ops"] };
    const approval = await approved(d, rule);
    d.people.groups.ops.delete(ben);
    expect(await d.second.claim(approval.id, current(approval, rule))).toMatchObject({
      ok: false,
      approval: { state: "void", note: "somebody who approved it may no longer do so" },
    });
    expect(await callState(d, approval.id)).toBe("refused");
    expect(await d.entries("approval.void", approval.id)).toBe(1);
    // Coming back does not bring the request back.
    d.people.groups.ops.add(ben);
    expect((await d.first.claim(approval.id, current(approval, rule))).ok).toBe(false);
    expect(await d.first.decide({ approvalId: approval.id, actor: ben, decision: "approve" })).toMatchObject({
      outcome: "void",
      message: "This request is no longer valid: somebody who approved it may no longer do so.",
    });
  });

  it("[approve.quorum] [approve.eligible] with two needed and one of them gone the change does not run", async () => {
    const d = await desk();
    const rule = { ...anyone, quorum: 2 };
    const { id: approvalId } = await d.ask({ rule });
    await d.first.decide({ approvalId, actor: ben, decision: "approve" });
    const { approval } = await d.first.decide({ approvalId, actor: chloe, decision: "approve" });
    expect(approval.state).toBe("approved");
    d.people.channel.delete(chloe);
    expect(await d.first.claim(approvalId, current(approval, rule))).toMatchObject({
      ok: false,
      approval: { state: "void" },
    });
  });

  it("[approve.expiry] what was approved in the last moment is sent, also after its time", async () => {
    const d = await desk();
    const rule = { ...anyone, ttl_ms: 60_000, quorum: 2 };
    const { id: approvalId, expiresAt } = await d.ask({ rule });
    await d.first.decide({ approvalId, actor: ben, decision: "approve" });
    d.clock.now = expiresAt - 1;
    const reply = await d.second.decide({ approvalId, actor: chloe, decision: "approve" });
    expect(reply).toMatchObject({ outcome: "approved", message: expect.stringContaining("It runs now.") });
    // The turn waits for another of its conversation; the sweep has nothing to say about it meanwhile.
    d.clock.now = expiresAt + 60_000;
    expect(await d.first.expireDue()).toBe(0);
    expect(await d.first.claim(approvalId, current(reply.approval, rule))).toMatchObject({
      ok: true,
      approval: { state: "executing" },
    });
    // One moment later the vote itself is too late, and the words say so.
    const { id: other, expiresAt: end } = await d.ask({ rule });
    await d.first.decide({ approvalId: other, actor: ben, decision: "approve" });
    d.clock.now = end;
    const late = await d.second.decide({ approvalId: other, actor: chloe, decision: "approve" });
    expect(late).toMatchObject({ outcome: "expired", approval: { state: "expired" } });
    expect(late.message).toContain("This request expired at");
  });

  it("[approve.expiry] a decision that lay for longer than its grace is not carried out, and says why", async () => {
    const d = await desk();
    for (const rule of [
      { ...anyone, ttl_ms: 60_000 },
      { decision: "allow" as const, ttl_ms: 60_000 },
    ]) {
      const asked = await d.ask({ rule });
      const { id } = asked;
      if (asked.state === "pending")
        await d.first.decide({ approvalId: id, actor: ben, decision: "approve" });
      const decidedAt = (await d.first.get(id))?.decidedAt ?? 0;
      // As after an outage: the process comes back and takes the turn up.
      d.clock.now = decidedAt + SEND_GRACE_MS;
      const claim = await d.first.claim(id, current(asked, rule));
      expect(claim).toMatchObject({ ok: false, approval: { state: "expired", decidedAt } });
      expect(claim.approval.note).toMatch(
        /^it was (approved in time|allowed by policy), but nothing could send it before 20\d\d-/,
      );
      expect(await callState(d, id)).toBe("refused");
      expect(await d.entries("approval.expired", id)).toBe(1);
      const late = await d.second.decide({ approvalId: id, actor: chloe, decision: "approve" });
      expect(late.message).toContain("but nothing could send it before");
    }
  });

  it("[approve.expiry] a request with time left is sent within it, however long ago it was approved", async () => {
    const d = await desk();
    const rule = { ...anyone, ttl_ms: 24 * 3_600_000 };
    const approval = await approved(d, rule);
    d.clock.now = approval.expiresAt - 1;
    expect((await d.first.claim(approval.id, current(approval, rule))).ok).toBe(true);
  });

  const changes: [what: string, tool: Tool | undefined, rule: Partial<PolicyRule>, note: string][] = [
    [
      "the tool's description",
      makeTool({ description: "Creates an issue and mails everybody" }),
      anyone,
      "the tool's description changed since the request",
    ],
    [
      "the tool's input schema",
      makeTool({ inputSchema: { type: "object", properties: { project: { type: "string" } } } }),
      anyone,
      "the tool's schema changed since the request",
    ],
    [
      "the tool's output schema",
      makeTool({ outputSchema: { type: "object" } }),
      anyone,
      "the tool's schema changed since the request",
    ],
    ["the tool, gone", undefined, anyone, "jira.create_issue is not offered now"],
    ["the rule's tools", makeTool(), { ...anyone, tools: ["jira.*"] }, "the policy rule changed"],
    ["the rule's quorum", makeTool(), { ...anyone, quorum: 2 }, "the policy rule changed"],
    ["the rule's approvers", makeTool(), { approvers: [chloe] }, "the policy rule changed"],
    [
      "the rule's exclusion of the requester",
      makeTool(),
      { ...anyone, exclude_requester: true },
      "the policy rule changed",
    ],
    [
      "the rule's demand for a reason",
      makeTool(),
      { ...anyone, reason_required: true },
      "the policy rule changed",
    ],
    ["the rule, which denies now", makeTool(), { decision: "deny" }, "rule 1 (*) now denies this call"],
  ];

  it.each(changes)(
    "[approve.binding] a change of %s voids the approval and says so",
    async (_, tool, rule, note) => {
      const d = await desk();
      const approval = await approved(d);
      const now: CurrentCall =
        tool === undefined ? { tool, decision: undefined } : current(approval, rule, tool);
      const claim = await d.second.claim(approval.id, now);
      expect(claim).toMatchObject({ ok: false, approval: { state: "void" } });
      expect(claim.approval.note).toContain(note);
      expect(await callState(d, approval.id)).toBe("refused");
      // The change that was asked for is not made either when everything is as it was again.
      expect((await d.first.claim(approval.id, current(approval))).ok).toBe(false);
      const late = await d.first.decide({ approvalId: approval.id, actor: chloe, decision: "approve" });
      expect(late.outcome).toBe("void");
      expect(late.message).toContain(note);
    },
  );

  it("[approve.binding] [approve.policy] what policy allowed does not run when the same rule asks by now", async () => {
    const d = await desk();
    const approval = await d.ask({ rule: { decision: "allow" } });
    expect(approval).toMatchObject({ state: "approved", votes: [] });
    expect(await d.first.claim(approval.id, current(approval, { decision: "ask" }))).toMatchObject({
      ok: false,
      approval: { state: "void", note: "the policy rule changed since the request" },
    });
    const again = await d.ask({ rule: { decision: "allow" } });
    expect((await d.first.claim(again.id, current(again, { decision: "allow" }))).ok).toBe(true);
  });

  it("[approve.binding] arguments that differ from the approved ones in the store are not sent", async () => {
    const d = await desk();
    const approval = await approved(d);
    await d.db
      .updateTable("approvals")
      .set({ args: JSON.stringify({ project: "OPS", summary: "something else" }) })
      .where("id", "=", approval.id)
      .execute();
    expect(await d.first.claim(approval.id, current(approval))).toMatchObject({
      ok: false,
      approval: { state: "void" },
    });
  });

  it("[approve.once] a frozen worker back after its lease changes nothing; its result is kept", async () => {
    const d = await desk();
    const approval = await approved(d);
    await d.first.claim(approval.id, current(approval));
    d.clock.now += LEASE_MS;
    expect(await d.second.takeOver(approval.id)).toMatchObject({ state: "executing" });
    await d.second.finish(approval.id, "unknown", cutOff);

    const late = await d.first.finish(approval.id, "done", happened);
    expect(late).toMatchObject({
      state: "unknown",
      note: "the connection was lost",
      evidence: { state: "done", at: d.clock.now },
    });
    expect(await callState(d, approval.id)).toBe("unknown");
    expect(await d.entries("approval.late_result", approval.id)).toBe(1);
    expect(await d.entries("approval.done", approval.id)).toBe(0);
  });

  it("[approve.once] a worker whose request another executes by now does not end that execution", async () => {
    const d = await desk();
    const approval = await approved(d);
    await d.first.claim(approval.id, current(approval));
    d.clock.now += LEASE_MS;
    await d.second.takeOver(approval.id);
    expect(await d.first.finish(approval.id, "failed", cutOff)).toMatchObject({ state: "executing" });
    expect(await d.second.finish(approval.id, "done", happened)).toMatchObject({
      state: "done",
      evidence: { state: "failed" },
    });
    expect(await callState(d, approval.id)).toBe("done");
  });

  it("[approve.unknown] a person settles an unknown outcome either way, once", async () => {
    const d = await desk();
    for (const [outcome, state, words] of [
      ["happened", "done", "ben settled it: it happened (saw it on the board)"],
      ["did_not", "failed", "ben settled it: it did not happen (saw it on the board)"],
    ] as const) {
      const approval = await approved(d);
      await d.first.claim(approval.id, current(approval));
      await d.first.finish(approval.id, "unknown", cutOff);
      await d.db
        .updateTable("turns")
        .set({ state: "pending_confirmation" })
        .where("id", "=", approval.turnId)
        .execute();
      const jobs = await d.jobs(approval.turnId);
      const request = { approvalId: approval.id, actor: ben, outcome, note: "saw it on the board" };
      const settled = await Promise.allSettled([
        d.first.settle(request),
        d.second.settle(request),
        d.second.settle({ ...request, actor: chloe }),
      ]);
      expect(settled.filter((one) => one.status === "fulfilled")).toHaveLength(1);
      for (const one of settled)
        if (one.status === "rejected") expect(codeOf(one.reason)).toBe("not_unknown");
      const ended = await d.first.get(approval.id);
      expect(ended?.state).toBe(state);
      expect(ended?.note?.replace(/^(ben|chloe)/, "ben")).toBe(words);
      expect(await callState(d, approval.id)).toBe(state);
      expect(await d.jobs(approval.turnId)).toBe(jobs + 1);
      expect(await d.entries("approval.executing", approval.id)).toBe(1);
    }
  });

  it("[approve.unknown] [approve.eligible] the requester may settle the unknown, a stranger not", async () => {
    const d = await desk();
    const rule = { ...anyone, exclude_requester: true };
    const approval = await approved(d, rule);
    const request = { approvalId: approval.id, outcome: "happened" } as const;
    const early = d.first.settle({ ...request, actor: ana });
    await expect(early).rejects.toMatchObject({ code: "not_unknown" });
    await d.first.claim(approval.id, current(approval, rule));
    await d.first.finish(approval.id, "unknown", cutOff);
    await expect(d.second.settle({ ...request, actor: stranger })).rejects.toMatchObject({
      code: "not_eligible",
    });
    expect(await d.first.get(approval.id)).toMatchObject({ state: "unknown" });
    expect(await d.second.settle({ ...request, actor: ana })).toMatchObject({ state: "done" });
    await expect(d.first.settle({ ...request, approvalId: "appr_none", actor: ana })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("[approve.unknown] the request carries the read that can settle it, with its own arguments", async () => {
    const d = await desk();
    const rule = {
      ...anyone,
      lookup: { tool: "jira.search_issues", args: { project: "{project}", query: "{summary}", limit: 5 } },
    };
    const approval = await d.ask({ rule, args: { project: "DEMO", summary: "lost" } });
    expect(await d.second.get(approval.id)).toMatchObject({
      lookup: { tool: "jira.search_issues", args: { project: "DEMO", query: "lost", limit: 5 } },
    });
    expect(await d.second.requireConcerned(approval.id, ana)).toMatchObject({ id: approval.id });
    await expect(d.second.requireConcerned(approval.id, stranger)).rejects.toMatchObject({
      code: "not_eligible",
    });
  });

  it("[approve.once] whatever text the tool answers with, its outcome is recorded", async () => {
    const d = await desk();
    for (const [state, outcome] of [
      ["done", { ok: true, data: { title: "half a pair \ud83d", note: "nul \u0000" } }],
      ["failed", { ...cutOff, error: { ...cutOff.error, message: "bad \u0000 half \udc00" } }],
    ] as const) {
      const approval = await approved(d);
      await d.first.claim(approval.id, current(approval));
      expect(await d.first.finish(approval.id, state, outcome)).toMatchObject({ state });
      expect(await callState(d, approval.id)).toBe(state);
    }
    expect(await d.verify()).toMatchObject({ ok: true });
  });

  it("[approve.durable] [turn.recover] a decision while the turn runs is followed by another run of it", async () => {
    const d = await desk();
    const { id: approvalId, turnId } = await d.ask();
    // A run that shows the request again, as after an edit, and has read it as pending.
    await d.db.updateTable("turns").set({ state: "running" }).where("id", "=", turnId).execute();
    expect((await d.second.decide({ approvalId, actor: ben, decision: "approve" })).outcome).toBe("approved");
    expect(await d.jobs(turnId)).toBe(1);
    expect(d.continued).toContain(turnId);
  });
});

describe("leases", () => {
  it("[ops.scale] on Postgres one other replica takes over, after the lease", async () => {
    const d = createDesk(await stores.open("postgres"));
    const { id: approvalId } = await d.ask();
    const { approval } = await d.first.decide({ approvalId, actor: ben, decision: "approve" });
    await d.first.claim(approvalId, current(approval));
    d.clock.now += LEASE_MS - 1;
    expect(await d.second.takeOver(approvalId)).toBeUndefined();
    d.clock.now += 1;
    const taken = await Promise.all([
      d.second.takeOver(approvalId),
      d.first.takeOver(approvalId),
      d.second.takeOver(approvalId),
    ]);
    expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await d.entries("approval.taken_over", approvalId)).toBe(1);
    expect(await d.verify()).toMatchObject({ ok: true });
  });

  it("[ops.scale] a heartbeat keeps the lease of a worker while its call runs, and the end gives it up", async () => {
    const leaseMs = 60;
    const d = createDesk(await stores.open("postgres"), leaseMs);
    const { id: approvalId } = await d.ask();
    const { approval } = await d.first.decide({ approvalId, actor: ben, decision: "approve" });
    await d.first.claim(approvalId, current(approval));
    const lease = () =>
      d.db
        .selectFrom("approvals")
        .select(["lease_owner", "lease_until"])
        .where("id", "=", approvalId)
        .executeTakeFirstOrThrow();
    expect(await lease()).toEqual({ lease_owner: "worker_first", lease_until: d.clock.now + leaseMs });
    d.clock.now += leaseMs;
    await d.first.whileLeased(approvalId, async () => {
      while ((await lease()).lease_until !== d.clock.now + leaseMs);
    });
    expect(await d.second.takeOver(approvalId)).toBeUndefined();
    await d.first.finish(approvalId, "done", happened);
    expect(await lease()).toEqual({ lease_owner: null, lease_until: null });
  });

  it("[turn.recover] in the embedded store whoever had the lease is gone, and it is taken over at once", async () => {
    const d = createDesk(await stores.open("sqlite"));
    const { id: approvalId } = await d.ask();
    const { approval } = await d.first.decide({ approvalId, actor: ben, decision: "approve" });
    await d.first.claim(approvalId, current(approval));
    expect(await d.second.takeOver(approvalId)).toMatchObject({ state: "executing" });
    expect(await d.second.finish(approvalId, "unknown", cutOff)).toMatchObject({ state: "unknown" });
    expect(await d.second.takeOver(approvalId)).toMatchObject({ state: "unknown" });
  });
});
