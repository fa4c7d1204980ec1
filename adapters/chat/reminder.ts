import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";

/** Naming more people of one group than this would be a crowd. */
const MAX_NAMED = 10;

/** Who a request waits for. */
export type Awaited =
  | { who: "channel" }
  | { who: "person"; actor: ActorId }
  /** A group of the configuration, with those of its members that a message names. */
  | { who: "members"; group: string; people: readonly ActorId[] }
  /** A group that the platform knows by this name. */
  | { who: "group"; group: string };

/** Members of a group that the configuration lists; undefined for a group of the platform. */
export type GroupMembers = (group: string) => readonly ActorId[] | undefined;

/** Who may still decide a request: as its rule names them, without those who have, and without a requester whom it excludes. */
export function awaitedBy(approval: Approval, membersOf: GroupMembers): Awaited[] {
  const { approvers, requestedBy, excludeRequester, votes } = approval;
  const isOut = (actor: ActorId): boolean =>
    votes.some((vote) => vote.actor === actor) || (excludeRequester && actor === requestedBy);
  return approvers.flatMap((approver): Awaited[] => {
    if (approver === "channel") return [{ who: "channel" }];
    if (approver.startsWith("group:")) {
      const group = approver.slice("group:".length);
      const members = membersOf(group);
      if (members === undefined) return [{ who: "group", group }];
      const people = members.filter((member) => !isOut(member)).slice(0, MAX_NAMED);
      return [{ who: "members", group, people }];
    }
    const actor = approver === "requester" ? requestedBy : (approver as ActorId);
    return isOut(actor) ? [] : [{ who: "person", actor }];
  });
}

/** "1 of 2 approvals are there." Empty where one is enough. */
export function countText({ quorum, votes }: Approval): string {
  if (quorum < 2) return "";
  const given = votes.filter(({ decision }) => decision === "approve").length;
  return `${given} of ${quorum} approvals ${given === 1 ? "is" : "are"} there.`;
}

/** "14:05 UTC on 21 Nov". */
export function timeOf(at: number): string {
  const iso = new Date(at).toISOString();
  const day = new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  return `${iso.slice(11, 16)} UTC on ${day}`;
}
