import type { Approval, ApprovalVote } from "#contract/approval.ts";
import type { CardElement } from "#contract/card.ts";
import { isTakenBack } from "#src/base/approvers.ts";
import { wordsFor } from "#src/base/statement.ts";
import type { Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";

import { humanTime } from "../text.ts";
import { personName, visibleLine } from "./exact.ts";
import { usedGrant } from "./grants.ts";

/** How it stands, in a sentence, once there is something to say; then why, and what came late. */
export function outcomeElements(approval: Approval): CardElement[] {
  const { state, note = "", evidence, lookup } = approval;
  const words = wordsFor(approval.statement);
  const say = words.outcome;
  const elements: CardElement[] = [];
  const text = sentence(approval, words);
  if (text !== undefined) elements.push({ type: "text", text });
  if (hasOwnNote(approval))
    elements.push({
      type: "fields",
      items: [{ label: say.note, value: visibleLine(recordedText(note, words)) }],
    });
  if (evidence !== undefined) {
    const rest = state === "unknown" ? say.settleWithIt : say.keptAsEvidence;
    const late = say.cameLater(humanTime(evidence.at), say.lateResults[evidence.state], rest);
    elements.push({ type: "text", text: late });
  }
  // The read that the rule names for an outcome that nobody knows.
  if (state === "unknown" && lookup !== undefined) elements.push({ type: "text", text: say.lookUp });
  return elements;
}

function sentence(approval: Approval, words: Words): string | undefined {
  const { state, votes } = approval;
  const say = words.outcome;
  const at = approval.decidedAt === undefined ? "" : say.on(humanTime(approval.decidedAt));
  const by = (decision: ApprovalVote["decision"]): string => {
    const names = votes
      .filter((vote) => vote.decision === decision)
      .map((vote) => personName(vote.actor, approval));
    return names.length === 0 ? "" : say.by(words.and(names));
  };
  const approved = (): string => {
    const used = usedGrant(approval);
    if (used !== undefined) return say.byStanding(personName(used.vote.actor, approval), at);
    return votes.length === 0 ? say.byPolicy(at) : say.approved(by("approve"), at);
  };
  switch (state) {
    case "pending":
      return undefined;
    case "approved":
      return say.notSent(approved());
    case "executing":
      return say.beingSent(approved());
    case "done":
      return say.done(approved());
    case "failed":
      return say.failed(approved());
    case "unknown":
      return say.unknown(approved());
    case "denied":
      return (isTakenBack(approval) ? say.takenBack : say.denied)(by("deny"), at);
    case "expired":
      return say.expired(expiry(approval, words));
    case "void":
      return say.void(at, noteOf(approval, words) || say.voidWhy);
    case "superseded":
    default:
      // The note is the ledger's own: what took its place, and who changed it.
      return say.superseded(noteOf(approval, words), at);
  }
}

function expiry(approval: Approval, words: Words): string {
  const { votes, quorum, expiresAt } = approval;
  const say = words.outcome;
  const given = votes.filter((vote) => vote.decision === "approve").length;
  if (given >= quorum) {
    // The ledger says what was too late: a decision that came in time outlives the request's own time.
    const why = noteOf(approval, words) || say.lateWhy;
    return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  }
  return given === 0
    ? say.nobodyBefore(humanTime(expiresAt))
    : say.onlySome(given, quorum, humanTime(expiresAt));
}

/** The note as a part of a sentence; "" where there is none. */
function noteOf({ note }: Approval, words: Words): string {
  return visibleLine(recordedText(note ?? "", words)).replace(/\.$/, "");
}

/** Whether the note says something that the sentence and the reasons of the votes do not. */
function hasOwnNote({ state, note, votes }: Approval): boolean {
  if (note === undefined || note.trim() === "" || ["void", "superseded", "expired"].includes(state))
    return false;
  return !votes.some((vote) => vote.reason === note);
}
