import type { Approval, CallTarget, PolicyDecision } from "#contract/approval.ts";
import type { CallOutcome, Tool } from "#contract/tool.ts";

import { targetsData, targetsText } from "../base/call-targets.ts";
import { canonicalJson, digest } from "../base/json.ts";
import { MINUTE_MS } from "../base/time.ts";
import { en } from "../base/words/en.ts";
import type { Tx } from "../store/schema.ts";
import { approversOf, type Voter, whyNotCounted, whyNotEligible } from "./eligibility.ts";
import { type LedgerOptions, type Moves, updateCall } from "./moves.ts";
import { bindingOf } from "./request.ts";
import { existingApproval } from "./rows.ts";
import type { AuditNote } from "./transact.ts";

/** The tool and what policy says of the call, as they are now. */
export interface CurrentCall {
  tool: Tool | undefined;
  decision: PolicyDecision | undefined;
  /** Where it would act. */
  targets?: CallTarget[];
  /** What a last look before it found against it. */
  objection?: string;
}

export interface Executor {
  /**
   * Takes an approved request for execution by this worker, once. What it is bound to is compared with
   * the tool and the policy as they are now; a difference, its expiry, or an approver who is no longer
   * eligible ends it instead. The intent of the call is committed when this resolves with `ok`.
   * `also` writes in the same transaction, where the claim succeeds. `seen`: the request as it was just read.
   */
  claim(
    approvalId: string,
    current: CurrentCall & { seen?: Approval },
    also?: (tx: Tx, note: AuditNote) => Promise<void>,
  ): Promise<{ ok: boolean; approval: Approval }>;
  /** Keeps the lease while `work` runs. */
  whileLeased<Result>(approvalId: string, work: () => Promise<Result>): Promise<Result>;
  /**
   * Records how the call of this worker ended. When the lease was lost and the outcome is settled or
   * unknown by now, the result is kept as evidence and nothing else changes. `seen`: the request as it was claimed.
   */
  finish(
    approvalId: string,
    state: "done" | "failed" | "unknown",
    outcome: CallOutcome,
    seen?: Approval,
  ): Promise<Approval>;
  /**
   * Takes over a request that another worker was executing once that one's lease has run out;
   * undefined while the lease holds.
   */
  takeOver(approvalId: string): Promise<Approval | undefined>;
}

export function createExecutor(options: LedgerOptions, moves: Moves): Executor {
  const { db, kind, transact, membership, now, worker, leaseMs, failPoint } = options;

  /** What stands against executing now: the state it ends in, and why. */
  function objection(
    approval: Approval,
    binding: string,
    { tool, decision, targets, objection: found }: CurrentCall,
  ): { to: "void" | "expired"; note: string } | undefined {
    const until = sendBy(approval);
    if (until <= now()) {
      const { lateAfterPolicy, lateAfterApproval } = en.recorded;
      const late = approval.votes.length === 0 ? lateAfterPolicy : lateAfterApproval;
      return { to: "expired", note: late(isoSeconds(until)) };
    }
    if (tool === undefined || decision === undefined) {
      return isVoid(en.recorded.notOffered(approval.toolId));
    }
    if (found !== undefined) return isVoid(found);
    if (decision.decision === "deny") return isVoid(en.recorded.nowDenied(decision.rule));
    if (targetsText(targets) !== targetsText(approval.targets)) return isVoid(en.recorded.placeChanged());
    const isSameRule = isAskedAlike(approval, decision);
    if (!isSameRule || binding !== bindingOf(tool, approval.args, decision.rule, targets)) {
      const ofTool = tool.description === approval.toolDescription ? "schema" : "description";
      const { toolChanged, ruleChanged } = en.recorded;
      return isVoid(isSameRule ? toolChanged(ofTool) : ruleChanged());
    }
    return undefined;
  }

  /** Whether those who approved it still may, and are enough. */
  async function hasApprovers(approval: Approval): Promise<boolean> {
    const standing: Voter[] = [];
    for (const voter of approversOf(approval)) {
      const refusal =
        (await whyNotEligible({ actor: voter.actor, ...approval }, membership)) ??
        (await whyNotCounted(voter, standing, approval.quorum, membership));
      if (refusal === undefined) standing.push(voter);
    }
    return standing.length >= approval.quorum;
  }

  async function renew(approvalId: string): Promise<void> {
    await db
      .updateTable("approvals")
      .set({ lease_until: now() + leaseMs })
      .where("id", "=", approvalId)
      .where("lease_owner", "=", worker)
      .where("state", "=", "executing")
      .execute();
  }

  return {
    async claim(approvalId, current, also) {
      const seen = current.seen ?? (await existingApproval(db, approvalId));
      if (seen.state !== "approved") return { ok: false, approval: seen };
      const isApproved = await hasApprovers(seen);
      failPoint("intent.before");
      const claimed = await transact(async (tx, note) => {
        const { approval, row } = await moves.lockRow(tx, approvalId, seen.votes);
        if (approval.state !== "approved") return { ok: false, approval };
        const against = objection(approval, row.binding, current) ?? (isApproved ? undefined : noLonger);
        if (against !== undefined) {
          const ended = await moves.move(tx, note, approval, against.to, { note: against.note });
          await moves.refuseCall(tx, approvalId, against.note);
          return { ok: false, approval: ended ?? approval };
        }
        const change = { lease: true, data: { args: approval.args, ...targetsData(approval.targets) } };
        const taken = await moves.move(tx, note, approval, "executing", change);
        if (taken === undefined) return { ok: false, approval };
        await updateCall(tx, approvalId, { state: "intent", started_at: now() });
        await also?.(tx, note);
        return { ok: true, approval: taken };
      });
      failPoint("intent.after");
      return claimed;
    },

    async whileLeased(approvalId, work) {
      // A missed renewal is made up by the next one; losing the lease is noticed when the call ends.
      const timer = setInterval(() => void renew(approvalId).catch(() => undefined), Math.ceil(leaseMs / 3));
      try {
        return await work();
      } finally {
        clearInterval(timer);
      }
    },

    async finish(approvalId, state, outcome, seen) {
      return transact(async (tx, note) => {
        const { approval, row } = await moves.lockRow(tx, approvalId, seen?.votes);
        if (approval.state !== "executing" || row.lease_owner !== worker) {
          const at = now();
          await tx
            .updateTable("approvals")
            .set({ evidence: JSON.stringify({ state, outcome, at }) })
            .where("id", "=", approvalId)
            .execute();
          const data = { state, outcome: digest(outcome.data), found: approval.state };
          note({ kind: "approval.late_result", turnId: approval.turnId, approvalId, data });
          return { ...approval, evidence: { state, at } };
        }
        const ended = await moves.move(tx, note, approval, state, {
          ...(outcome.error === undefined ? {} : { note: outcome.error.message }),
          data: { outcome: digest(outcome.data), ok: outcome.ok },
        });
        await updateCall(tx, approvalId, { state, ended_at: now(), outcome });
        return ended ?? approval;
      });
    },

    async takeOver(approvalId) {
      const taken = await transact(async (tx, note) => {
        const approval = await moves.lock(tx, approvalId);
        const result = await tx
          .updateTable("approvals")
          .set({ lease_owner: worker, lease_until: now() + leaseMs })
          .where("id", "=", approvalId)
          .where("state", "=", "executing")
          // The embedded store has one process: whoever held the lease before is gone.
          .$if(kind === "postgres", (query) => query.where("lease_until", "<=", now()))
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) return approval.state === "executing" ? undefined : approval;
        note({ kind: "approval.taken_over", turnId: approval.turnId, approvalId, data: { worker } });
        return approval;
      });
      if (taken?.state === "executing") failPoint("takeover.after");
      return taken;
    },
  };
}

/**
 * How long after its decision a request may still be sent, in milliseconds, when its own time is over
 * by then: a turn may wait for another of its conversation. A decision that lay for longer, such as
 * over an outage, is not carried out when nobody expects it any more.
 */
export const SEND_GRACE_MS: number = 10 * MINUTE_MS;

/** What was decided in time is sent until its time ends, and shortly after its decision at any rate. */
function sendBy({ expiresAt, decidedAt }: Approval): number {
  return Math.max(expiresAt, (decidedAt ?? 0) + SEND_GRACE_MS);
}

function isoSeconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

function isVoid(note: string): { to: "void"; note: string } {
  return { to: "void", note };
}

const noLonger = isVoid("somebody who approved it may no longer do so");

/** Whether the rule asks today for what it asked then; its name alone says only where it stands. */
function isAskedAlike(approval: Approval, decision: PolicyDecision): boolean {
  return (
    decision.rule === approval.rule &&
    (decision.decision === "allow" ? 0 : decision.quorum) === approval.quorum &&
    decision.excludeRequester === approval.excludeRequester &&
    decision.reasonRequired === approval.reasonRequired &&
    canonicalJson(decision.approvers) === canonicalJson(approval.approvers)
  );
}
