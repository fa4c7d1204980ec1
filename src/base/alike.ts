import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";

import { isSamePerson } from "./ids.ts";
import { digest } from "./json.ts";
import { DAY_MS } from "./time.ts";

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

/** How long what was decided is "recent", in milliseconds, and how many of that are shown. */
const RECENT_MS = 7 * DAY_MS;
const MOST_RECENT = 8;

/** What was decided lately of what the person decided or asked for, the newest first. */
export function recentlyDecided(
  approvals: readonly Approval[],
  actor: ActorId,
  now: number = Date.now(),
): Approval[] {
  const isTheirs = ({ votes, requestedBy }: Approval): boolean =>
    [requestedBy, ...votes.map((vote) => vote.actor)].some((one) => isSamePerson(one, actor));
  return approvals
    .filter((one) => one.quorum > 0 && one.decidedAt !== undefined && now - one.decidedAt < RECENT_MS)
    .filter((one) => !["pending", "unknown", "superseded"].includes(one.state) && isTheirs(one))
    .toSorted((one, other) => (other.decidedAt ?? 0) - (one.decidedAt ?? 0))
    .slice(0, MOST_RECENT);
}

/** Requests by kind, in the order in which the first of each stands. */
export function alikeApprovals(approvals: readonly Approval[]): AlikeApprovals[] {
  const kinds = Map.groupBy(approvals, ({ toolId, statement }) => digest([toolId, statement.verb]));
  return [...kinds].map(([kind, of]) => ({ kind: kind.slice(0, 12), approvals: of }));
}
