import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { Card, CardElement, Cell, Inline, Tone } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { changesElement } from "../change.ts";
import { humanDuration, humanTime } from "../dates.ts";
import { cut } from "../text.ts";
import { argumentElements } from "./arguments.ts";
import { grantElements, standingElements, usedGrant } from "./grants.ts";
import { outcomeElements } from "./outcome.ts";
import { exactJson, exactLine, exactText } from "./shown.ts";
import { who, words } from "./words.ts";

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
    title: cut(`${wording.header(tool)} (${wording.badge})`, 150),
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
    { label: "Asked by", value: who(approval.requestedBy, approval.names) },
    { label: "May approve", value: approversOf(approval) },
    ...(approval.quorum === 0 ? [] : [{ label: "Approvals", value: countOf(given, approval) }]),
    {
      label: pending ? "Expires" : "Would expire",
      value: `${humanTime(approval.expiresAt)} (${humanDuration(approval.expiresAt - approval.createdAt)} after it was asked)`,
    },
    { label: "Rule", value: exactLine(approval.rule) },
  ];
  if (approval.remindedAt !== undefined && pending) {
    items.push({ label: "Reminder", value: `sent on ${humanTime(approval.remindedAt)}` });
  }
  if (approval.reasonRequired && pending) items.push({ label: "Reason", value: "required with a decision" });
  if (approval.toolDescription.trim() !== "") {
    items.push({ label: "The tool says of itself", value: words(approval.toolDescription, 300) });
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
        text: `${who(vote.actor, approval.names)} ${vote.decision === "approve" ? "approved" : "denied"} on ${humanTime(vote.at)}`,
        ...(vote.reason === undefined || vote.reason === ""
          ? {}
          : { detail: `Reason: ${words(vote.reason)}` }),
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
      : who(approver, approval.names);
  });
  const all = names.length === 0 ? "nobody" : names.join(" or ");
  return approval.excludeRequester ? `${all}, but not whoever asked` : all;
}
