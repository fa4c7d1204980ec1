import type { Approval, ApprovalState, ApprovalVote } from "#contract/approval.ts";
import type { Card, CardElement, FieldsElement, Tone } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import { cutText } from "#src/base/text.ts";
import { roughDuration } from "#src/base/time.ts";

import { changesElement } from "../change.ts";
import { knownFields } from "../parts.ts";
import { humanTime } from "../text.ts";
import { argumentElements, exactJson, exactLine, exactText, personLabel, visibleLine } from "./exact.ts";
import { grantElements, standingElements, usedGrant } from "./grants.ts";
import { sourceElements } from "./sources.ts";

/** Said of the tool, such as `Run {tool}?`, and in the badge. */
const WORDING: Record<ApprovalState, [header: (tool: string) => string, badge: string, tone: Tone]> = {
  pending: [(tool) => `Run ${tool}?`, "waiting for approval", "warn"],
  approved: [(tool) => `${tool} is about to run`, "approved", "good"],
  executing: [(tool) => `${tool} is running`, "running", "info"],
  done: [(tool) => `${tool} was run`, "done", "good"],
  failed: [(tool) => `${tool} failed`, "failed", "bad"],
  unknown: [(tool) => `Did ${tool} happen?`, "outcome unknown", "warn"],
  denied: [(tool) => `${tool} was not run`, "denied", "bad"],
  expired: [(tool) => `${tool} was not run`, "expired", "neutral"],
  void: [(tool) => `${tool} was not run`, "void", "neutral"],
  superseded: [(tool) => `${tool} was not run`, "replaced", "neutral"],
};

/** Where nothing was sent, or nobody can say, the card speaks of what was asked for. */
const ARGUMENTS_TITLE: Partial<Record<ApprovalState, string>> = {
  pending: "What will be sent",
  approved: "What will be sent",
  executing: "What is being sent",
  done: "What was sent",
  unknown: "What was sent",
};

/**
 * What an approver reads before and after deciding: the tool, every argument as it will be sent, the
 * effect, and who may decide until when. Nothing on it comes from a model, and no argument can add
 * anything outside its own field.
 */
export function approvalCard(approval: Approval): Card {
  const { state } = approval;
  const [header, badge, tone] = WORDING[state];
  const text = header(exactLine(approval.toolId));
  return {
    kind: "approval",
    title: cutText(`${text} (${badge})`, 150),
    elements: [
      { type: "header", text, eyebrow: "Countersignature", badges: [{ text: badge, tone }] },
      ...outcomeElements(approval),
      {
        type: "section",
        title: ARGUMENTS_TITLE[state] ?? "What was asked for",
        elements: argumentElements(approval.args),
      },
      ...sourceElements(approval),
      ...effect(approval),
      terms(approval),
      ...grantElements(approval),
      ...votes(approval),
      ...standingElements(approval),
      ...actions(approval),
      { type: "footer", text: `${exactLine(approval.id)} · key ${exactLine(approval.key.slice(0, 12))}` },
    ],
  };
}

/** What the tool itself says it would do, from its dry run. */
function effect(approval: Approval): CardElement[] {
  if (approval.effect === undefined) return [];
  const { before, after } = approval.effect;
  const items = changesElement(before, after).items.map((item) => ({
    label: exactLine(item.label),
    ...(item.before === undefined ? {} : { before: visibleValue(item.before) }),
    ...(item.after === undefined ? {} : { after: visibleValue(item.after) }),
  }));
  if (items.length === 0) return [];
  const elements: CardElement[] = [{ type: "changes", items }];
  return [{ type: "section", title: "Effect, as the tool describes it", elements }];
}

/** Line breaks stay (a page's text has them); what cannot be seen is written out. */
function visibleValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return exactText(value);
  return typeof value === "object" && value !== null ? exactJson(value) : value;
}

function terms(approval: Approval): FieldsElement {
  const { state, names, quorum, createdAt, expiresAt, remindedAt, reasonRequired, toolDescription } =
    approval;
  const given = approval.votes.filter((vote) => vote.decision === "approve").length;
  const pending = state === "pending";
  const expiry = `${humanTime(expiresAt)} (${roughDuration(expiresAt - createdAt)} after it was asked)`;
  return knownFields({
    "Asked by": personLabel(approval.requestedBy, names),
    "May approve": approversOf(approval),
    Approvals: quorum === 0 ? null : countOf(given, approval),
    Expires: pending ? expiry : null,
    Rule: exactLine(approval.rule),
    Reminder: pending && remindedAt !== undefined ? `sent on ${humanTime(remindedAt)}` : null,
    Reason: pending && reasonRequired ? "required with a decision" : null,
    "The tool says of itself": toolDescription.trim() === "" ? null : visibleLine(toolDescription, 300),
  });
}

/** "1 of 3, 2 more needed". */
function countOf(given: number, { quorum, state }: Approval): string {
  const missing = state === "pending" && given > 0 ? quorum - given : 0;
  return `${given} of ${quorum}${missing > 0 ? `, ${missing} more needed` : ""}`;
}

/** Each decision so far, with its reason. */
function votes(approval: Approval): CardElement[] {
  // The sentence above says which standing approval it was; nobody clicked.
  if (approval.votes.length === 0 || usedGrant(approval) !== undefined) return [];
  return [
    {
      type: "list",
      items: approval.votes.map((vote) => ({
        text: `${personLabel(vote.actor, approval.names)} ${vote.decision === "approve" ? "approved" : "denied"} on ${humanTime(vote.at)}`,
        ...(vote.reason === undefined || vote.reason === ""
          ? {}
          : { detail: `Reason: ${visibleLine(vote.reason)}` }),
      })),
    },
  ];
}

function actions({ state, id: value }: Approval): CardElement[] {
  if (state === "pending") {
    const approve = { id: "approve", label: "Approve", style: "primary", value } as const;
    return [{ type: "actions", items: [approve, { id: "deny", label: "Deny", style: "danger", value }] }];
  }
  if (state !== "unknown") return [];
  const happened = { id: "settle_happened", label: "It happened", value } as const;
  return [
    { type: "actions", items: [happened, { id: "settle_did_not", label: "It did not happen", value }] },
  ];
}

function approversOf(approval: Approval): string {
  const names = approval.approvers.map((approver) => {
    if (approver === "channel") return "anyone in this channel";
    if (approver === "requester") return "whoever asked";
    return approver.startsWith("group:")
      ? `the group ${exactLine(approver.slice(6))}`
      : personLabel(approver, approval.names);
  });
  const all = names.length === 0 ? "nobody" : names.join(" or ");
  return approval.excludeRequester ? `${all}, but not whoever asked` : all;
}

/** How it stands, in a sentence, once there is something to say; then why, and what came late. */
function outcomeElements(approval: Approval): CardElement[] {
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
    const hint = `${exactLine(lookup.tool)} can tell; looking it up changes nothing.`;
    elements.push(knownFields({ "Look it up": hint }));
  }
  return elements;
}

function sentence(approval: Approval): string | undefined {
  const { state, votes } = approval;
  const at = approval.decidedAt === undefined ? "" : ` on ${humanTime(approval.decidedAt)}`;
  const by = (decision: ApprovalVote["decision"]): string => {
    const names = votes
      .filter((vote) => vote.decision === decision)
      .map((vote) => personLabel(vote.actor, approval.names));
    return names.length === 0 ? "" : ` by ${names.join(" and ")}`;
  };
  const approved = (): string => {
    const used = usedGrant(approval);
    if (used !== undefined)
      return `Allowed by the standing approval of ${personLabel(used.vote.actor, approval.names)} (${used.use})${at}`;
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
  const { replacedBy } = approval;
  const note = noteOf(approval);
  const what = replacedBy === undefined ? "A newer request" : `The request ${exactLine(replacedBy)}`;
  return `${what} took its place${note === "" ? "" : ` (${note})`}`;
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
