import type { Approval, DecideReply } from "#contract/approval.ts";

import { actorName } from "../base/actor.ts";

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
