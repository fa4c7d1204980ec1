import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { CardElement, SectionElement } from "#contract/card.ts";
import { roughDuration } from "#src/base/time.ts";

import { changesElement } from "../change-data.ts";
import { knownFields } from "../parts.ts";
import { humanTime } from "../text.ts";
import { visibleValue } from "./changes.ts";
import { argumentElements, exactLine, personLabel, visibleLine } from "./exact.ts";
import { grantElements, usedGrant } from "./grants.ts";
import { sourceElements } from "./sources.ts";

/** Where nothing was sent, or nobody can say, the card speaks of what was asked for. */
const ARGUMENTS_TITLE: Partial<Record<ApprovalState, string>> = {
  pending: "What will be sent",
  approved: "What will be sent",
  executing: "What is being sent",
  done: "What was sent",
  unknown: "What was sent",
};

/** Everything exact about a request: the call as it is bound, the rule, ids, and where values come from. */
export function detailsSection(approval: Approval): SectionElement {
  const title = ARGUMENTS_TITLE[approval.state] ?? "What was asked for";
  return {
    type: "section",
    role: "details",
    title: "Details",
    folded: true,
    elements: [
      { type: "section", title, elements: argumentElements(approval.args) },
      ...sourceElements(approval),
      ...effectElements(approval),
      ...grantElements(approval),
      recordFields(approval),
    ],
  };
}

/** The tool's own dry run, whole. */
function effectElements({ effect }: Approval): CardElement[] {
  if (effect === undefined) return [];
  const items = changesElement(effect.before, effect.after).items.map(({ label, before, after }) => ({
    label: exactLine(label),
    before: visibleValue(before ?? null),
    after: visibleValue(after ?? null),
  }));
  if (items.length === 0) return [];
  return [
    { type: "section", title: "What the dry run says will change", elements: [{ type: "changes", items }] },
  ];
}

function recordFields(approval: Approval): CardElement {
  const { state, names, createdAt, expiresAt, remindedAt, toolDescription, replacedBy } = approval;
  const isPending = state === "pending";
  return knownFields({
    Action: exactLine(approval.toolId),
    "About this action": toolDescription.trim() === "" ? null : visibleLine(toolDescription, 300),
    "Requested by": personLabel(approval.requestedBy, names),
    Expires: isPending
      ? `${humanTime(expiresAt)} (${roughDuration(expiresAt - createdAt)} after it was asked)`
      : null,
    Reminder: isPending && remindedAt !== undefined ? `sent on ${humanTime(remindedAt)}` : null,
    Rule: exactLine(approval.rule),
    "Standing approval": usedGrant(approval)?.use ?? null,
    "Replaced by": replacedBy === undefined ? null : exactLine(replacedBy),
    Request: exactLine(approval.id),
    Key: exactLine(approval.key.slice(0, 12)),
  });
}
