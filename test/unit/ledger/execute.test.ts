import { describe, expect, it } from "vitest";

import type { Approval } from "#contract/approval.ts";
import type { CallOutcome } from "#contract/tool.ts";
import { SEND_GRACE_MS } from "#src/ledger/execute.ts";

import { ana, asks, ben, chloe, deleteIssue, type LedgerBench, mallory, openBench } from "./support.ts";

const current = { tool: deleteIssue, decision: asks };
const done: CallOutcome = { ok: true, data: { deleted: "DEMO-1" } };
const lost: CallOutcome = {
  ok: false,
  data: null,
  error: { code: "transport", message: "the line was cut", sent: "maybe" },
};

async function approved(bench: LedgerBench): Promise<Approval> {
  const approval = await bench.request();
  await bench.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
  return approval;
}

describe("claiming an approved change", () => {
  it("[approve.once] is done by one of two workers, and the intent is written before it resolves", async () => {
    const bench = await openBench();
    const approval = await approved(bench);
    const second = bench.worker("second");
    const claims = await Promise.all(
      [bench.ledger, second, bench.ledger, second].map((ledger) => ledger.claim(approval.id, current)),
    );
    expect(claims.filter((claim) => claim.ok)).toHaveLength(1);
    expect(await bench.states(approval)).toMatchObject({ call: "intent", approval: "executing" });
    expect((await bench.audited(approval)).filter((kind) => kind === "approval.executing")).toHaveLength(1);
  });

  it("[approve.two-phase] is refused while nobody has decided", async () => {
    const bench = await openBench();
    const approval = await bench.request();
    expect(await bench.ledger.claim(approval.id, current)).toMatchObject({ ok: false });
    expect(await bench.states(approval)).toMatchObject({ call: "planned", approval: "pending" });
  });

  it.each([
    ["the tool changed", { tool: { ...deleteIssue, digest: "e".repeat(64) } }, "the tool's"],
    ["the tool is gone", { tool: undefined }, "not offered"],
    ["another rule asks", { decision: { ...asks, rule: "rule 1 (jira.*)" } }, "policy rule changed"],
    ["policy denies it", { decision: { ...asks, decision: "deny" as const } }, "now denies"],
    ["another server has its name", { tool: { ...deleteIssue, server: "evil" } }, "changed"],
  ])("[approve.binding] is void when %s since the request", async (_, changed, why) => {
    const bench = await openBench();
    const approval = await approved(bench);
    const claim = await bench.ledger.claim(approval.id, { ...current, ...changed });
    expect(claim).toMatchObject({
      ok: false,
      approval: { state: "void", note: expect.stringContaining(why) },
    });
    expect(await bench.states(approval)).toMatchObject({ call: "refused", approval: "void" });
    const click = await bench.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
    expect(click).toMatchObject({ outcome: "void", message: expect.stringContaining(why) });
  });

  it("[approve.binding] looks at what the arguments are, not at the order of their names", async () => {
    const bench = await openBench();
    const approval = await bench.request({}, { issue_key: "DEMO-1", dry_run: false });
    await bench.ledger.decide({ approvalId: approval.id, actor: ana, decision: "approve" });
    await bench.db
      .updateTable("approvals")
      .set({ args: JSON.stringify({ dry_run: false, issue_key: "DEMO-1" }) })
      .where("id", "=", approval.id)
      .execute();
    expect((await bench.ledger.claim(approval.id, current)).ok).toBe(true);
  });

  it("[approve.binding] is void when the arguments in the store were changed", async () => {
    const bench = await openBench();
    const approval = await approved(bench);
    await bench.db
      .updateTable("approvals")
      .set({ args: JSON.stringify({ issue_key: "DEMO-2" }) })
      .where("id", "=", approval.id)
      .execute();
    expect(await bench.ledger.claim(approval.id, current)).toMatchObject({
      ok: false,
      approval: { state: "void" },
    });
  });

  it("[approve.expiry] is too late once the request's time and the grace after its decision are over", async () => {
    const bench = await openBench();
    const approval = await approved(bench);
    bench.pass(Math.max(asks.ttlMs, SEND_GRACE_MS));
    expect(await bench.ledger.claim(approval.id, current)).toMatchObject({
      ok: false,
      approval: { state: "expired" },
    });
    expect(await bench.states(approval)).toMatchObject({ call: "refused" });
  });

  it("[approve.eligible] is void when somebody who approved it may no longer do so", async () => {
    const bench = await openBench();
    const decision = { ...asks, approvers: ["channel"], quorum: 2 };
    const approval = await bench.request(decision);
    for (const actor of [ben, chloe]) {
      await bench.ledger.decide({ approvalId: approval.id, actor, decision: "approve" });
    }
    bench.members.delete(ben);
    expect(await bench.ledger.claim(approval.id, { ...current, decision })).toMatchObject({
      ok: false,
      approval: { state: "void", note: expect.stringContaining("may no longer do so") },
    });
  });

  it("[approve.policy] needs nobody where policy allows the change, and is bound all the same", async () => {
    const bench = await openBench();
    const allowed = { ...asks, decision: "allow" as const, rule: "rule 1 (jira.*)" };
    const approval = await bench.request(allowed);
    expect(approval).toMatchObject({ state: "approved", quorum: 0 });
    expect(await bench.ledger.claim(approval.id, current)).toMatchObject({
      ok: false,
      approval: { state: "void" },
    });
    const second = await bench.request(allowed);
    expect((await bench.ledger.claim(second.id, { ...current, decision: allowed })).ok).toBe(true);
  });
});

describe("the end of a call", () => {
  it.each([
    ["done", done],
    ["failed", { ...lost, error: { code: "tool_error", message: "no", sent: "yes" } }],
    ["unknown", lost],
  ] as const)("[audit.chain] is recorded as %s together with its audit entry", async (state, outcome) => {
    const bench = await openBench();
    const approval = await approved(bench);
    await bench.ledger.claim(approval.id, current);
    const ended = await bench.ledger.finish(approval.id, state, outcome);
    expect(ended.state).toBe(state);
    expect(await bench.states(approval)).toMatchObject({ call: state, approval: state });
    expect((await bench.audited(approval)).at(-1)).toBe(`approval.${state}`);
  });

  it("[approve.unknown] that comes after the outcome was settled is kept as evidence and changes nothing", async () => {
    const bench = await openBench();
    const approval = await approved(bench);
    await bench.ledger.claim(approval.id, current);
    const second = bench.worker("second");
    expect(await second.takeOver(approval.id)).toMatchObject({ state: "executing" });
    await second.finish(approval.id, "unknown", lost);
    await second.settle({ approvalId: approval.id, actor: ana, outcome: "did_not" });

    const late = await bench.ledger.finish(approval.id, "done", done);
    expect(late.state).toBe("failed");
    expect(await bench.states(approval)).toMatchObject({ call: "failed", approval: "failed" });
    const { evidence } = await bench.db
      .selectFrom("approvals")
      .select("evidence")
      .where("id", "=", approval.id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(evidence ?? "null")).toMatchObject({ state: "done", outcome: done });
    expect((await bench.audited(approval)).at(-1)).toBe("approval.late_result");
  });

  it("[approve.unknown] is settled once, by somebody concerned, and the turn goes on", async () => {
    const bench = await openBench();
    const approval = await approved(bench);
    await bench.ledger.claim(approval.id, current);
    await bench.ledger.finish(approval.id, "unknown", lost);
    await bench.db
      .updateTable("turns")
      .set({ state: "pending_confirmation" })
      .where("id", "=", approval.turnId)
      .execute();
    const settle = (actor: typeof ana, outcome: "happened" | "did_not") =>
      bench.ledger.settle({ approvalId: approval.id, actor, outcome, note: "looked" });
    await expect(settle(mallory, "happened")).rejects.toMatchObject({ code: "not_eligible" });
    expect(await settle(ana, "happened")).toMatchObject({
      state: "done",
      note: "ANA settled it: it happened (looked)",
    });
    expect(await bench.states(approval)).toEqual({ turn: "queued", call: "done", approval: "done" });
    await expect(settle(ana, "did_not")).rejects.toMatchObject({ code: "not_unknown" });
  });

  it("[approve.unknown] can only be settled where it is unknown", async () => {
    const bench = await openBench();
    const approval = await bench.request();
    const settling = bench.ledger.settle({ approvalId: approval.id, actor: ana, outcome: "happened" });
    await expect(settling).rejects.toMatchObject({ code: "not_unknown" });
    await expect(
      bench.ledger.settle({ approvalId: "appr_none", actor: ana, outcome: "happened" }),
    ).rejects.toMatchObject({ code: "not_found" });
  });
});
