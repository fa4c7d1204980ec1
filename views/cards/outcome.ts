import type { Approval, ApprovalVote } from "#contract/approval.ts";
import type { CardElement } from "#contract/card.ts";
import { humanTime } from "../text.ts";
import { knownFields } from "../parts.ts";
import { personName, visibleLine } from "./exact.ts";
import { usedGrant } from "./grants.ts";

/** How it stands, in a sentence, once there is something to say; then why, and what came late. */
export function outcomeElements(approval: Approval): CardElement[] {
  const { state, note = "", evidence, lookup } = approval;
  const elements: CardElement[] = [];
  const text = sentence(approval);
  if (text !== undefined) elements.push({ type: "text", text });
  if (hasOwnNote(approval)) elements.push(knownFields({ Note: visibleLine(note) }));
  if (evidence !== undefined) {
    const rest =
      state === "unknown" ? "Settle it with this in mind." : "It is kept as evidence and changes nothing.";
    const late = `A result came later, on ${humanTime(evidence.at)}: ${LATE[evidence.state]}. ${rest}`;
    elements.push({ type: "text", text: late });
  }
  // The read that the rule names for an outcome that nobody knows.
  if (state === "unknown" && lookup !== undefined) {
    elements.push({ type: "text", text: "Looking it up shows what is there now, and changes nothing." });
  }
  return elements;
}

function sentence(approval: Approval): string | undefined {
  const { state, votes } = approval;
  const at = approval.decidedAt === undefined ? "" : ` on ${humanTime(approval.decidedAt)}`;
  const by = (decision: ApprovalVote["decision"]): string => {
    const names = votes
      .filter((vote) => vote.decision === decision)
      .map((vote) => personName(vote.actor, approval));
    return names.length === 0 ? "" : ` by ${names.join(" and ")}`;
  };
  const approved = (): string => {
    const used = usedGrant(approval);
    if (used !== undefined)
      return `Allowed by the standing approval of ${personName(used.vote.actor, approval)}${at}`;
    return votes.length === 0 ? `Allowed by policy, without approval${at}` : `Approved${by("approve")}${at}`;
  };
  switch (state) {
    case "pending":
      return undefined;
    case "approved":
      return `${approved()}. It has not been sent yet.`;
    case "executing":
      return `${approved()}; it is being sent.`;
    case "done":
      return `${approved()}, and done.`;
    case "failed":
      return `${approved()}, but it did not succeed.`;
    case "unknown":
      return `${approved()} and sent, but no answer came back. Look whether it happened, then say so here. It is not sent again.`;
    case "denied":
      return `Denied${by("deny")}${at}. Nothing was sent.`;
    case "expired":
      return `${expiry(approval)} Nothing was sent.`;
    case "void":
      return `It no longer holds${at === "" ? "" : `, noticed${at}`}: ${noteOf(approval) || "the tool or its rule changed after the request"}. Nothing was sent.`;
    case "superseded":
    default:
      return `${replacement(approval)}${at}. Nothing was sent from this one.`;
  }
}

function expiry(approval: Approval): string {
  const { votes, quorum, expiresAt } = approval;
  const given = votes.filter((vote) => vote.decision === "approve").length;
  if (given >= quorum) {
    // The ledger says what was too late: a decision that came in time outlives the request's own time.
    const why = noteOf(approval) || "it could not be sent in time";
    return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  }
  return given === 0
    ? `Nobody decided before ${humanTime(expiresAt)}.`
    : `Only ${given} of ${quorum} approvals came before ${humanTime(expiresAt)}.`;
}

/** What took its place, and who changed it; the note is the ledger's own. */
function replacement(approval: Approval): string {
  const note = noteOf(approval);
  return `A newer request took its place${note === "" ? "" : ` (${note})`}`;
}

/** The note as a part of a sentence; "" where there is none. */
function noteOf({ note }: Approval): string {
  return visibleLine(note ?? "").replace(/\.$/, "");
}

/** Whether the note says something that the sentence and the reasons of the votes do not. */
function hasOwnNote({ state, note, votes }: Approval): boolean {
  if (note === undefined || note.trim() === "" || ["void", "superseded", "expired"].includes(state))
    return false;
  return !votes.some((vote) => vote.reason === note);
}

const LATE: Record<NonNullable<Approval["evidence"]>["state"], string> = {
  done: "the tool reports that it was done",
  failed: "the tool reports that it failed",
  unknown: "it does not tell whether it happened",
};
