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

/** Changes with what is listed, so that nothing is decided that was not shown. */
export function sealOf(listed: readonly Pick<Approval, "id">[]): string {
  return digest(listed.map(({ id }) => id).toSorted()).slice(0, 12);
}

/** Of a button that decides all requests of a turn which a card shows: the turn, and which requests these are. */
export function groupValue(turnId: string, shown: readonly Pick<Approval, "id">[]): string {
  return `${turnId}|${sealOf(shown)}`;
}

/** Without a seal no requests fit it. */
export function readGroupValue(value: string): { turnId: string; seal: string } {
  const [turnId = "", seal = ""] = value.split("|");
  return { turnId, seal };
}

/** Requests by kind, in the order in which the first of each stands. */
export function alikeApprovals(approvals: readonly Approval[]): AlikeApprovals[] {
  const kinds = Map.groupBy(approvals, ({ toolId, statement }) => digest([toolId, statement.verb]));
  return [...kinds].map(([kind, of]) => ({ kind: kind.slice(0, 12), approvals: of }));
}
