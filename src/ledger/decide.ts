import type { Approval, DecideReply, DecideRequest } from "#contract/approval.ts";

import { CountersignError } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import { actorName, isSamePerson } from "../base/ids.ts";
import type { Db, Tx } from "../store/schema.ts";
import { type Membership, whyNotEligible } from "./eligibility.ts";
import { addGrant } from "./grants.ts";
import { countApprovals, existingApproval, type Moves, type ReadyTurn } from "./moves.ts";
import { withVotes } from "./rows.ts";
import type { AuditNote, Transact } from "./transact.ts";

export interface DecideDeps {
  db: Db;
  transact: Transact;
  moves: Moves;
  membership: Membership;
  now: () => number;
  failPoint: FailPoint;
  onContinue: (turn: ReadyTurn) => void;
}

export interface Decider {
  decide(request: DecideRequest): Promise<DecideReply>;
  expireDue(): Promise<number>;
}

/** How many due requests are closed in one sweep. */
const SWEEP_SIZE = 500;

/** Records what people decide: one transaction each, and an answer to every click. */
export function createDecider(deps: DecideDeps): Decider {
  const { db, transact, moves, now } = deps;

  async function expire(approval: Approval): Promise<Approval> {
    deps.failPoint("expire.before");
    const isMoved = await transact(async (tx, note) => {
      const current = await moves.lock(tx, approval.id);
      return current.state === "pending" && expireWithin(tx, note, current);
    });
    deps.failPoint("expire.after");
    if (isMoved) deps.onContinue(approval);
    return existingApproval(db, approval.id);
  }

  async function expireWithin(tx: Tx, note: AuditNote, approval: Approval): Promise<boolean> {
    if (!(await moves.move(tx, note, approval, "expired", { note: "nobody decided in time" }))) return false;
    await moves.refuseCall(tx, approval.id, "expired");
    await moves.wake(tx, approval);
    return true;
  }

  async function decideWithin(
    tx: Tx,
    note: AuditNote,
    request: DecideRequest,
    refusal: string | undefined,
  ): Promise<DecideReply> {
    const { actor, decision, reason } = request;
    const approval = await moves.lock(tx, request.approvalId);
    const about = { turnId: approval.turnId, approvalId: approval.id, actor };
    if (approval.state !== "pending") return replyToLateClick(approval);
    // Asking a platform who the person is takes time, and so may the lock. This moment decides: what it
    // approves is sent, also when the request's time ends before that (`SEND_GRACE_MS`).
    const at = now();
    if (approval.expiresAt <= at) {
      await expireWithin(tx, note, approval);
      return replyToLateClick(await existingApproval(tx, approval.id));
    }
    if (refusal !== undefined) {
      note({ kind: "approval.refused_click", ...about, data: { decision, why: refusal } });
      return { outcome: "not_eligible", message: refusal, approval };
    }
    if (approval.reasonRequired && (reason === undefined || reason.trim() === "")) {
      throw new CountersignError(
        "reason_required",
        "The rule for this tool wants a reason: say why, and decide again.",
      );
    }
    const earlier = approval.votes.find((vote) => isSamePerson(vote.actor, actor));
    if (earlier !== undefined && earlier.decision === "approve" && decision === "deny") {
      // Who approved and thinks better of it before it runs stops it.
      await tx
        .deleteFrom("votes")
        .where("approval_id", "=", approval.id)
        .where("actor", "=", earlier.actor)
        .execute();
      note({ kind: "approval.withdrawn", ...about });
    } else if (earlier !== undefined) {
      const message = `You have already decided: ${countApprovals(approval)} of ${approval.quorum} approvals so far.`;
      return { outcome: "recorded", message, approval };
    }
    await tx
      .insertInto("votes")
      .values({ approval_id: approval.id, actor, decision, reason: reason ?? null, at })
      .execute();
    note({ kind: "approval.vote", ...about, data: { decision, reason: reason ?? null } });
    return decision === "deny" ? deny(tx, note, request) : approve(tx, note, request);
  }

  async function deny(
    tx: Tx,
    note: AuditNote,
    { approvalId, actor, reason }: DecideRequest,
  ): Promise<DecideReply> {
    const counted = await existingApproval(tx, approvalId);
    await moves.move(tx, note, counted, "denied", {
      actor,
      ...(reason === undefined ? {} : { note: reason }),
    });
    await moves.refuseCall(tx, approvalId, "denied");
    await moves.wake(tx, counted);
    const message = `Denied by ${actorName(actor)}. Nothing is changed.`;
    return { outcome: "denied", message, approval: await existingApproval(tx, approvalId) };
  }

  async function approve(tx: Tx, note: AuditNote, request: DecideRequest): Promise<DecideReply> {
    const { approvalId, actor, grant } = request;
    const counted = await existingApproval(tx, approvalId);
    if (grant !== undefined) await addGrant(tx, note, counted, { actor, ...grant, at: now() });
    const count = countApprovals(counted);
    if (count < counted.quorum) {
      return {
        outcome: "recorded",
        message: `Recorded: ${count} of ${counted.quorum} approvals.`,
        approval: counted,
      };
    }
    await moves.move(tx, note, counted, "approved", { actor });
    await moves.wake(tx, counted);
    const message = `Approved by ${actorName(actor)}. It runs now.`;
    return { outcome: "approved", message, approval: await existingApproval(tx, approvalId) };
  }

  return {
    async decide(request) {
      const seen = await existingApproval(db, request.approvalId);
      if (seen.state === "pending" && seen.expiresAt <= now()) return replyToLateClick(await expire(seen));
      // Asked outside the transaction: a platform may have to be called for it.
      const refusal = await whyNotEligible({ actor: request.actor, ...seen }, deps.membership);
      deps.failPoint("decision.before");
      const reply = await transact((tx, note) => decideWithin(tx, note, request, refusal));
      deps.failPoint("decision.after");
      if (["approved", "denied", "expired"].includes(reply.outcome)) deps.onContinue(reply.approval);
      return reply;
    },

    async expireDue() {
      const due = await db
        .selectFrom("approvals")
        .selectAll()
        .where("state", "=", "pending")
        .where("expires_at", "<=", now())
        .limit(SWEEP_SIZE)
        .execute();
      for (const approval of await withVotes(db, due)) await expire(approval);
      return due.length;
    },
  };
}

/** The answer to a click on a request that is no longer pending. */
export function replyToLateClick(approval: Approval): DecideReply {
  const when = approval.decidedAt === undefined ? "" : ` at ${clockTime(approval.decidedAt)}`;
  switch (approval.state) {
    case "expired": {
      // What was approved has the time of that decision; why it was too late is in the note.
      const why = isApproved(approval) && approval.note !== undefined ? `: ${approval.note}` : when;
      return {
        outcome: "expired",
        message: `This request expired${why}. Ask again to get a new one.`,
        approval,
      };
    }
    case "void":
      return {
        outcome: "void",
        message: `This request is void: ${approval.note ?? "what it was bound to changed"}.`,
        approval,
      };
    case "superseded":
      return {
        outcome: "void",
        message: `This request is void: ${approval.note ?? "a newer one replaced it"}.`,
        approval,
      };
    default:
      return {
        outcome: "already_decided",
        message: `Already ${verdict(approval)}${when}. Nothing was done again.`,
        approval,
      };
  }
}

function isApproved({ votes, quorum }: Approval): boolean {
  return votes.filter((vote) => vote.decision === "approve").length >= quorum;
}

function verdict(approval: Approval): string {
  const by = (decision: "approve" | "deny"): string =>
    approval.votes
      .filter((vote) => vote.decision === decision)
      .map((vote) => actorName(vote.actor))
      .join(" and ");
  if (approval.state === "denied") return `denied by ${by("deny")}`;
  return approval.votes.length === 0 ? "allowed by policy" : `approved by ${by("approve")}`;
}

/** Hours and minutes in UTC, for sentences that are read within a day. */
function clockTime(at: number): string {
  return `${new Date(at).toISOString().slice(11, 16)} UTC`;
}
