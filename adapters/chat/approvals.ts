import type { Approval } from "#contract/approval.ts";

import type { ButtonSpec } from "./buttons.ts";

/** Requests that wait come first, then the newest of the others. */
export function inOrder(approvals: readonly Approval[]): Approval[] {
  return [...approvals.filter(isOpen), ...approvals.filter((approval) => !isOpen(approval)).toReversed()];
}

export function isOpen(approval: Approval): boolean {
  return approval.state === "pending" || approval.state === "unknown";
}

/** What a chat platform offers beside the buttons of the card. */
export function approvalButtons(approval: Approval): ButtonSpec[] {
  const { id: value, grants, quorum } = approval;
  if (approval.state === "pending") {
    const mayGrant = grants !== undefined && quorum <= 1;
    return [
      ...(mayGrant ? [{ action: "grant", label: "Approve for a while", value } as const] : []),
      { action: "edit", label: "Edit", value },
      detailsButton(approval),
    ];
  }
  if (approval.state === "unknown" && approval.lookup !== undefined) {
    return [{ action: "lookup", label: "Look it up", value }];
  }
  return hasStanding(approval) ? [{ action: "grants", label: "Standing approvals", value }] : [];
}

/** Whether a standing approval was given with it and not taken back, or allowed it. */
function hasStanding({ standing, votes, createdAt }: Approval): boolean {
  if (standing !== undefined) return standing.revokedBy === undefined;
  // Only the ledger votes in the moment a request is made; see views/cards/grants.ts.
  return votes.some(({ reason, at }) => at === createdAt && reason?.startsWith("grant grant_") === true);
}

export function detailsButton(approval: Approval): ButtonSpec {
  return { action: "details", label: "Details", value: approval.id };
}
