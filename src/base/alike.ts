import type { Approval } from "#contract/approval.ts";

import { digest } from "./json.ts";

/** Requests for the same kind of change, of different records, which one person may decide together. */
interface AlikeApprovals {
  /** Names the kind, in letters and digits. */
  kind: string;
  /** At least one, in the order given. */
  approvals: Approval[];
}

/** The most requests that are decided together: each of them has to be read. */
export const MOST_TOGETHER = 10;

/** Requests by kind, in the order in which the first of each stands. */
export function alikeApprovals(approvals: readonly Approval[]): AlikeApprovals[] {
  const kinds = Map.groupBy(approvals, ({ toolId, statement }) => digest([toolId, statement.verb]));
  return [...kinds].map(([kind, of]) => ({ kind: kind.slice(0, 12), approvals: of }));
}
