import type { Approval, ApprovalVote } from "#contract/approval.ts";
import type { CardElement } from "#contract/card.ts";

import { humanTime } from "../dates.ts";
import { usedGrant } from "./grants.ts";
import { exactLine } from "./shown.ts";
import { who, words } from "./words.ts";

/** How it stands, in a sentence, once there is something to say; then why, and what came late. */
export function outcomeElements(approval: Approval): CardElement[] {
  const elements: CardElement[] = [];
  const text = sentence(approval);
  if (text !== undefined) elements.push({ type: "text", text });
  if (hasOwnNote(approval)) {
    elements.push({ type: "fields", items: [{ label: "Note", value: words(approval.note ?? "") }] });
  }
  return [...elements, ...lateResult(approval), ...lookupElements(approval)];
}

function sentence(approval: Approval): string | undefined {
  const { state, votes } = approval;
  const at = approval.decidedAt === undefined ? "" : ` on ${humanTime(approval.decidedAt)}`;
  const by = (decision: ApprovalVote["decision"]): string => {
    const names = votes
      .filter((vote) => vote.decision === decision)
      .map((vote) => who(vote.actor, approval.names));
    return names.length === 0 ? "" : ` by ${names.join(" and ")}`;
  };
  const approved = (): string => {
    const used = usedGrant(approval);
    if (used !== undefined)
      return `Allowed by the standing approval of ${who(used.vote.actor, approval.names)} (${used.use})${at}`;
    return votes.length === 0
      ? `Allowed by policy, without a countersignature${at}`
      : `Approved${by("approve")}${at}`;
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
      return `It no longer holds${at === "" ? "" : `, noticed${at}`}: ${reasonOfVoid(approval)}. Nothing was sent.`;
    case "superseded":
    default:
      return `${replacement(approval)}${at}. Nothing was sent from this one.`;
  }
}

function expiry({ votes, quorum, expiresAt, note }: Approval): string {
  const given = votes.filter((vote) => vote.decision === "approve").length;
  if (given >= quorum) {
    // The ledger says what was too late: a decision that came in time outlives the request's own time.
    const why = note === undefined || note.trim() === "" ? "it could not be sent in time" : words(note);
    return `${why.charAt(0).toUpperCase()}${why.slice(1).replace(/\.$/, "")}.`;
  }
  return given === 0
    ? `Nobody decided before ${humanTime(expiresAt)}.`
    : `Only ${given} of ${quorum} approvals came before ${humanTime(expiresAt)}.`;
}

function reasonOfVoid({ note }: Approval): string {
  return note === undefined || note.trim() === ""
    ? "the tool or its rule changed after the request"
    : words(note).replace(/\.$/, "");
}

/** Who changed it and what took its place; the note is the ledger's own. */
function replacement({ replacedBy, note }: Approval): string {
  const why = note === undefined || note.trim() === "" ? "" : ` (${words(note).replace(/\.$/, "")})`;
  if (replacedBy === undefined) return `A newer request took its place${why}`;
  return `The request ${exactLine(replacedBy)} took its place${why}`;
}

/** Whether the note says something that the sentence and the reasons of the votes do not. */
function hasOwnNote({ state, note, votes }: Approval): boolean {
  if (note === undefined || note.trim() === "") return false;
  if (state === "void" || state === "superseded" || state === "expired") return false;
  return !votes.some((vote) => vote.reason === note);
}

const LATE: Record<NonNullable<Approval["evidence"]>["state"], string> = {
  done: "the tool reports that it was done",
  failed: "the tool reports that it failed",
  unknown: "it does not tell whether it happened",
};

function lateResult({ evidence, state }: Approval): CardElement[] {
  if (evidence === undefined) return [];
  const rest =
    state === "unknown" ? "Settle it with this in mind." : "It is kept as evidence and changes nothing.";
  return [
    {
      type: "text",
      text: `A result came later, on ${humanTime(evidence.at)}: ${LATE[evidence.state]}. ${rest}`,
    },
  ];
}

/** The read that the rule names for an outcome that nobody knows. */
function lookupElements({ state, lookup }: Approval): CardElement[] {
  if (state !== "unknown" || lookup === undefined) return [];
  const text = `${exactLine(lookup.tool)} can tell; looking it up changes nothing.`;
  return [{ type: "fields", items: [{ label: "Look it up", value: text }] }];
}
