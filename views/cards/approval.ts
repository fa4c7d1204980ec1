import type { Approval, ApprovalState, ApprovalVote } from "#contract/approval.ts";
import type { Card, CardElement, Cell, Inline, Tone } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import { roughDuration } from "#src/base/time.ts";
import { cutText } from "#src/base/text.ts";

import { changesElement } from "../change.ts";
import { argumentElements, exactJson, exactLine, exactText, personLabel, visibleLine } from "./exact.ts";
import { grantElements, standingElements, usedGrant } from "./grants.ts";
import { humanTime } from "../text.ts";

interface Wording {
  /** Said of the tool: `Run {tool}?` */
  header: (tool: string) => string;
  badge: string;
  tone: Tone;
}

const WORDING: Record<ApprovalState, Wording> = {
  pending: { header: (tool) => `Run ${tool}?`, badge: "waiting for approval", tone: "warn" },
  approved: { header: (tool) => `${tool} is about to run`, badge: "approved", tone: "good" },
  executing: { header: (tool) => `${tool} is running`, badge: "running", tone: "info" },
  done: { header: (tool) => `${tool} was run`, badge: "done", tone: "good" },
  failed: { header: (tool) => `${tool} failed`, badge: "failed", tone: "bad" },
  unknown: { header: (tool) => `Did ${tool} happen?`, badge: "outcome unknown", tone: "warn" },
  denied: { header: (tool) => `${tool} was not run`, badge: "denied", tone: "bad" },
  expired: { header: (tool) => `${tool} was not run`, badge: "expired", tone: "neutral" },
  void: { header: (tool) => `${tool} was not run`, badge: "void", tone: "neutral" },
  superseded: { header: (tool) => `${tool} was not run`, badge: "replaced", tone: "neutral" },
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
  const wording = WORDING[state];
  const tool = exactLine(approval.toolId);
  const status: Inline = { text: wording.badge, tone: wording.tone };
  return {
    kind: "approval",
    title: cutText(`${wording.header(tool)} (${wording.badge})`, 150),
    elements: [
      { type: "header", text: wording.header(tool), eyebrow: "Countersignature", badges: [status] },
      ...outcomeElements(approval),
      {
        type: "section",
        title: ARGUMENTS_TITLE[state] ?? "What was asked for",
        elements: argumentElements(approval.args),
      },
      ...effect(approval),
      { type: "fields", items: terms(approval) },
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
  const { items } = changesElement(before, after);
  if (items.length === 0) return [];
  return [
    {
      type: "section",
      title: "Effect, as the tool describes it",
      elements: [
        {
          type: "changes",
          items: items.map((item) => ({
            label: exactLine(item.label),
            before: seen(item.before),
            after: seen(item.after),
          })),
        },
      ],
    },
  ];
}

/** Line breaks stay (a page's text has them); what cannot be seen is written out. */
function seen(value: JsonValue): JsonValue {
  if (typeof value === "string") return exactText(value);
  return typeof value === "object" && value !== null ? exactJson(value) : value;
}

function terms(approval: Approval): { label: string; value: Cell }[] {
  const given = approval.votes.filter((vote) => vote.decision === "approve").length;
  const pending = approval.state === "pending";
  const items: { label: string; value: Cell }[] = [
    { label: "Asked by", value: personLabel(approval.requestedBy, approval.names) },
    { label: "May approve", value: approversOf(approval) },
    ...(approval.quorum === 0 ? [] : [{ label: "Approvals", value: countOf(given, approval) }]),
    {
      label: pending ? "Expires" : "Would expire",
      value: `${humanTime(approval.expiresAt)} (${roughDuration(approval.expiresAt - approval.createdAt)} after it was asked)`,
    },
    { label: "Rule", value: exactLine(approval.rule) },
  ];
  if (approval.remindedAt !== undefined && pending) {
    items.push({ label: "Reminder", value: `sent on ${humanTime(approval.remindedAt)}` });
  }
  if (approval.reasonRequired && pending) items.push({ label: "Reason", value: "required with a decision" });
  if (approval.toolDescription.trim() !== "") {
    items.push({ label: "The tool says of itself", value: visibleLine(approval.toolDescription, 300) });
  }
  return pending ? items : items.filter((item) => item.label !== "Would expire");
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

function actions(approval: Approval): CardElement[] {
  const { state, id: value } = approval;
  if (state === "pending") {
    return [
      {
        type: "actions",
        items: [
          { id: "approve", label: "Approve", style: "primary", value },
          { id: "deny", label: "Deny", style: "danger", value },
        ],
      },
    ];
  }
  if (state !== "unknown") return [];
  return [
    {
      type: "actions",
      items: [
        { id: "settle_happened", label: "It happened", value },
        { id: "settle_did_not", label: "It did not happen", value },
      ],
    },
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
  const elements: CardElement[] = [];
  const text = sentence(approval);
  if (text !== undefined) elements.push({ type: "text", text });
  if (hasOwnNote(approval)) {
    elements.push({ type: "fields", items: [{ label: "Note", value: visibleLine(approval.note ?? "") }] });
  }
  return [...elements, ...lateResult(approval), ...lookupElements(approval)];
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
    const why = note === undefined || note.trim() === "" ? "it could not be sent in time" : visibleLine(note);
    return `${why.charAt(0).toUpperCase()}${why.slice(1).replace(/\.$/, "")}.`;
  }
  return given === 0
    ? `Nobody decided before ${humanTime(expiresAt)}.`
    : `Only ${given} of ${quorum} approvals came before ${humanTime(expiresAt)}.`;
}

function reasonOfVoid({ note }: Approval): string {
  return note === undefined || note.trim() === ""
    ? "the tool or its rule changed after the request"
    : visibleLine(note).replace(/\.$/, "");
}

/** Who changed it and what took its place; the note is the ledger's own. */
function replacement({ replacedBy, note }: Approval): string {
  const why = note === undefined || note.trim() === "" ? "" : ` (${visibleLine(note).replace(/\.$/, "")})`;
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
