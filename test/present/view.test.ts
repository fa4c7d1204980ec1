import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { NumberedEvent, Turn, TurnEvent } from "#contract/turn.ts";
import { keepShown, shownApprovals, toView } from "#src/present/view.ts";
import { buildApproval, buildToolResult, buildTurnResult } from "#test/builders.ts";

import { progress, status } from "./stage.ts";

const queued: Turn = {
  id: "turn_1",
  surface: "slack",
  actor: "slack:T1:ana",
  conversationId: "conversation_1",
  channel: "slack:T1:C1",
  message: "please",
  state: "queued",
  createdAt: 1_000,
  updatedAt: 1_000,
};

const numbered = (...events: TurnEvent[]): NumberedEvent[] =>
  events.map((event, at) => ({ turnId: queued.id, seq: at + 1, event }));

const approval = (changes: Partial<Approval> = {}): Approval =>
  buildApproval({
    conversationId: queued.conversationId,
    channel: queued.channel,
    key: "k",
    toolDescription: "",
    args: {},
    requestedBy: queued.actor,
    createdAt: 1_100,
    expiresAt: 9_000,
    ...changes,
  });

const view = (turn: Partial<Turn>, events: TurnEvent[] = [], approvals: Approval[] = []) =>
  toView({ turn: { ...queued, ...turn }, events: numbered(...events), approvals, now: 4_000 });

describe("the view of a turn", () => {
  it("of a turn in the queue tells who asked what, and since when", () => {
    expect(view({})).toEqual({
      turnId: "turn_1",
      conversationId: "conversation_1",
      channel: "slack:T1:C1",
      actor: "slack:T1:ana",
      message: "please",
      phase: "queued",
      elapsedMs: 3_000,
      results: [],
      approvals: [],
      log: [],
      isSettled: false,
      canStop: true,
    });
  });

  it("[turn.events] has the latest phase, and progress of that phase alone", () => {
    const running = { state: "running" } as const;
    const calling = {
      type: "progress",
      message: "item 2",
      tool: "jira.export",
      progress: 2,
      total: 9,
    } as const;
    const { type: _type, ...shown } = calling;
    expect(
      view(running, [status("planning"), status("executing_tools"), progress("item 1"), calling]),
    ).toMatchObject({
      phase: "executing_tools",
      progress: shown,
    });
    expect(view(running, [status("executing_tools"), calling, status("planning")])).not.toHaveProperty(
      "progress",
    );
  });

  it("of a turn that ended has its answer, the time it took, and no progress", () => {
    const events = [status("executing_tools"), progress("late"), status("done"), progress("later")];
    const ended = view({ state: "done", updatedAt: 2_500, result: buildTurnResult("42") }, events);
    expect(ended).toMatchObject({ phase: "done", reply: "42", planner: "builtin", elapsedMs: 1_500 });
    expect(ended).toMatchObject({ isSettled: true, canStop: false, log: [{ stage: "inbox" }] });
    expect(ended).not.toHaveProperty("progress");
  });

  it("[plan.cite] leaves out what was only looked through", () => {
    const [found, page] = [
      buildToolResult({ isAside: true }),
      buildToolResult({ toolId: "confluence.get_page" }),
    ];
    const result = buildTurnResult("42", { toolResults: [found, page] });
    expect(view({ state: "done", result }).results).toEqual([page]);
  });

  it("of a turn that failed after it had waited has the error in place of the sentence that asked", () => {
    const error = { code: "model_timeout", message: "no answer" };
    const failed = view({
      state: "failed",
      result: buildTurnResult("It runs after ana has approved it."),
      error,
    });
    expect(failed).toMatchObject({ phase: "done", error, isSettled: true });
    expect(failed).not.toHaveProperty("reply");
  });

  it("keeps the sentence that asks while it is true, and drops it when the turn goes on", () => {
    const asked = buildTurnResult("It runs after ana has approved it.");
    const events = [status("planning"), status("awaiting_approval")];
    expect(view({ state: "pending_confirmation", result: asked }, events)).toMatchObject({
      phase: "awaiting_approval",
      reply: asked.reply,
      isSettled: true,
      canStop: false,
    });
    for (const state of ["queued", "running"] as const) {
      const goingOn = view({ state, result: asked }, events);
      expect(goingOn).toMatchObject({
        phase: state === "queued" ? "queued" : "executing_tools",
        isSettled: false,
      });
      expect(goingOn).not.toHaveProperty("reply");
    }
  });

  it("offers no second stop", () => {
    expect(view({ state: "running", stoppedBy: "slack:T1:ben" }).canStop).toBe(false);
  });

  it("needs no more of the events than are kept, wherever they are cut", () => {
    const phases = ["planning", "executing_tools", "summarizing"] as const;
    const event = fc.oneof(
      fc.constantFrom(...phases).map((phase) => status(phase)),
      fc.nat(99).map((n) => progress(`item ${n}`)),
      fc.constant<TurnEvent>({ type: "error", code: "x", message: "y" }),
    );
    const turn: Turn = { ...queued, state: "running" };
    fc.assert(
      fc.property(fc.array(event), fc.nat(), (events, cut) => {
        const all = numbered(...events);
        const at = events.length === 0 ? 0 : cut % events.length;
        const kept = keepShown([...keepShown(all.slice(0, at)), ...all.slice(at)]);
        expect(kept.length).toBeLessThanOrEqual(2);
        const facts = { turn, approvals: [], now: 4_000 };
        expect(toView({ ...facts, events: kept })).toEqual(toView({ ...facts, events: all }));
      }),
    );
  });
});

describe("the requests that people see", () => {
  it("are those that somebody decides, in every state", () => {
    const states: ApprovalState[] = [
      "pending",
      "approved",
      "executing",
      "done",
      "failed",
      "unknown",
      "expired",
    ];
    for (const state of states) expect(shownApprovals([approval({ state })])).toHaveLength(1);
  });

  it("are not changes that policy allows, unless nobody knows whether they happened", () => {
    const allowed = (changes: Partial<Approval>): number =>
      shownApprovals([approval({ quorum: 0, ...changes })]).length;
    expect(allowed({ state: "executing" })).toBe(0);
    expect(allowed({ state: "done" })).toBe(0);
    expect(allowed({ state: "failed", note: "no such project" })).toBe(0);
    expect(allowed({ state: "unknown" })).toBe(1);
    expect(allowed({ state: "done", note: "ana settled it: it happened" })).toBe(1);
    expect(allowed({ state: "failed", evidence: { state: "done", at: 1 } })).toBe(1);
  });

  it("are without one that an edit replaced in the same turn, and with one that another turn replaced", () => {
    const old = approval({ id: "old", state: "superseded", replacedBy: "new" });
    expect(shownApprovals([old, approval({ id: "new" })]).map(({ id }) => id)).toEqual(["new"]);
    expect(shownApprovals([approval({ id: "old", state: "superseded" })])).toHaveLength(1);
  });
});
