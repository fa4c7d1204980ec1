import type { ApprovalState } from "#contract/approval.ts";

const STATES: Record<ApprovalState, true> = {
  pending: true,
  approved: true,
  executing: true,
  done: true,
  failed: true,
  unknown: true,
  denied: true,
  expired: true,
  void: true,
  superseded: true,
};

/** All of them, as people name one in a query or on a command line. */
export const APPROVAL_STATES = Object.keys(STATES) as readonly ApprovalState[];

export function isApprovalState(text: string): text is ApprovalState {
  return Object.hasOwn(STATES, text);
}
