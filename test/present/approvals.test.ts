import { setImmediate } from "node:timers/promises";

import { describe, expect, it, onTestFinished } from "vitest";

import type { Approval } from "#contract/approval.ts";
import { statementById } from "#src/base/plain-statement.ts";
import { anyone, ben, chloe, decisionOf, makeTool } from "#test/ledger/desk.ts";
import { storeKinds, useStores } from "#test/ledger/stores.ts";

import { createStage, type Process, type Stage } from "./stage.ts";

const stores = useStores();

describe.each(storeKinds)("approval cards on %s", (kind) => {
  async function stage(): Promise<Stage> {
    return createStage(await stores.open(kind), onTestFinished);
  }

  /** A turn that waits for a person, with its card shown. */
  async function waiting(
    { platform }: Stage,
    p: Process,
    asked: Parameters<Process["ask"]>[1] = {},
    conversationId?: string,
  ): Promise<Approval> {
    const turnId = await p.say(conversationId === undefined ? {} : { conversationId });
    const approval = await p.ask(await p.begin(turnId), asked);
    await platform.until(() => platform.shown(turnId)?.approvals[0]?.state === "pending");
    return approval;
  }

  const stateOf = ({ platform }: Stage, { turnId }: Pick<Approval, "turnId">): string | undefined =>
    platform.shown(turnId)?.approvals.at(-1)?.state;

  it("shows each decision that is made elsewhere, before and after the turn goes on", async () => {
    const s = await stage();
    const { platform } = s;
    const p = await s.open();
    // Another surface, or another replica: it tells this process nothing.
    const elsewhere = await s.open({ on: "second" });
    const { id: approvalId, turnId, ...approval } = await waiting(s, p, { rule: { ...anyone, quorum: 2 } });
    expect(approval.state).toBe("pending");
    expect(platform.shown(turnId)).toMatchObject({
      phase: "awaiting_approval",
      isSettled: true,
      canStop: false,
    });

    await elsewhere.ledger.decide({ approvalId, actor: ben, decision: "approve" });
    await platform.until(() => platform.shown(turnId)?.approvals[0]?.votes.length === 1);
    expect(platform.shown(turnId)).toMatchObject({ isSettled: true, approvals: [{ state: "pending" }] });

    await elsewhere.ledger.decide({ approvalId, actor: chloe, decision: "approve" });
    await platform.until(() => platform.shown(turnId)?.approvals[0]?.state === "approved");
    // The sentence that asked for the approval would be false by now.
    expect(platform.shown(turnId)).toMatchObject({ phase: "queued", isSettled: false });
    expect(platform.shown(turnId)).not.toHaveProperty("reply");

    const turn = await elsewhere.begin(turnId);
    const decision = decisionOf({ ...anyone, quorum: 2 }, makeTool(), approval.args);
    await elsewhere.ledger.claim(approvalId, { tool: makeTool(), decision });
    await platform.until(() => platform.shown(turnId)?.approvals[0]?.state === "executing");
    await elsewhere.ledger.finish(approvalId, "done", { ok: true, data: { key: "DEMO-99" } });
    await elsewhere.finish(turn, "Created DEMO-99.");
    await platform.until(() => platform.shown(turnId)?.reply === "Created DEMO-99.");
    expect(platform.shown(turnId)?.approvals).toMatchObject([{ id: approvalId, state: "done" }]);
    expect(platform.messages).toHaveLength(1);
    expect(platform.most.message).toBe(1);
  });

  it("shows a denial, an expiry and a replacement although nothing runs the turns", async () => {
    const s = await stage();
    const { platform } = s;
    const p = await s.open();
    const denied = await waiting(s, p);
    const args = { project: "DEMO", summary: "twice" };
    const replaced = await waiting(s, p, { args }, "conversation_1");
    await p.ledger.decide({ approvalId: denied.id, actor: ben, decision: "deny", reason: "not now" });
    await platform.until(() => stateOf(s, denied) === "denied");
    expect(platform.shown(denied.turnId)?.approvals).toMatchObject([
      { note: "not now", votes: [{ actor: ben }] },
    ]);

    const again = await waiting(s, p, { args }, "conversation_1");
    await platform.until(() => stateOf(s, replaced) === "superseded");

    s.clock.now = again.expiresAt;
    await p.ledger.expireDue();
    await platform.until(() => stateOf(s, again) === "expired");
    expect(platform.messages).toHaveLength(3);
  });

  it("shows the edited request in place of the one that was edited", async () => {
    const s = await stage();
    const { platform } = s;
    const p = await s.open();
    const old = await waiting(s, p);
    const args = { project: "OPS", summary: "better" };
    const tool = makeTool();
    const edited = await p.ledger.edit(
      { approvalId: old.id, actor: ben, args },
      {
        tool,
        decision: decisionOf(anyone, tool, args),
        statement: statementById(tool.id, args),
        targets: [],
      },
    );
    await platform.until(() => platform.shown(old.turnId)?.approvals[0]?.id === edited.id);
    expect(platform.shown(old.turnId)?.approvals).toMatchObject([{ state: "pending", args }]);
  });

  it("shows what a person settled after the turn had ended", async () => {
    const s = await stage();
    const { platform } = s;
    const p = await s.open();
    const { id: approvalId, turnId, args } = await waiting(s, p);
    await p.ledger.decide({ approvalId, actor: ben, decision: "approve" });
    const turn = await p.begin(turnId);
    await p.ledger.claim(approvalId, { tool: makeTool(), decision: decisionOf(anyone, makeTool(), args) });
    await p.fail(turn, "the store was away");
    await platform.until(() => stateOf(s, { turnId }) === "unknown");
    expect(platform.shown(turnId)).toMatchObject({ phase: "done", error: { message: "the store was away" } });

    await p.ledger.settle({ approvalId, actor: ben, outcome: "happened" });
    await platform.until(() => platform.shown(turnId)?.approvals[0]?.state === "done");
    // Shown first and let go then.
    while ((await s.message(turnId)).state !== "final") await setImmediate();
    await p.presenter.stop();
    expect(await s.message(turnId)).toMatchObject({ state: "final", lease_owner: null });
  });

  it("[approve.durable] repairs the cards that became false while no process ran, and no other", async () => {
    const s = await stage();
    const { platform } = s;
    const before = await s.open();
    const args = { project: "DEMO", summary: "twice" };
    const superseded = await waiting(s, before, { args }, "conversation_2");
    const approved = await waiting(s, before);
    const expired = await waiting(s, before, { rule: { ...anyone, ttl_ms: 1_000 } });
    const kept = await waiting(s, before);
    const ended = await before.say();
    await before.answer(ended);
    await platform.until(() => platform.shown(ended)?.isSettled === true);
    await before.presenter.stop();

    // Decided over HTTP, or by a replica that shows nothing.
    await before.ledger.decide({ approvalId: approved.id, actor: ben, decision: "approve" });
    s.clock.now = expired.expiresAt;
    await before.ledger.expireDue();
    const turnId = await before.say({ conversationId: "conversation_2" });
    await before.ask(await before.begin(turnId), { args });
    const callsBefore = platform.calls.length;

    await s.open();
    await platform.until(
      () =>
        stateOf(s, superseded) === "superseded" &&
        stateOf(s, approved) === "approved" &&
        stateOf(s, expired) === "expired" &&
        platform.shown(turnId)?.approvals[0]?.state === "pending",
    );
    const touched = new Set(platform.calls.slice(callsBefore).map((call) => call.turnId));
    expect(touched).toEqual(new Set([superseded.turnId, approved.turnId, expired.turnId, turnId]));
    expect(stateOf(s, kept)).toBe("pending");
    expect(new Set(platform.messages.map((message) => message.turnId)).size).toBe(platform.messages.length);
  });
});
