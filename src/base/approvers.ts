import type { Approval } from "#contract/approval.ts";

import { isSamePerson } from "./ids.ts";
import type { Words } from "./words/en.ts";

/** Whether who asked took the request back: in words, or they denied what only others could have approved. */
export function isTakenBack({
  state,
  votes,
  requestedBy,
  excludeRequester,
  approvers,
}: Pick<Approval, "state" | "votes" | "requestedBy" | "excludeRequester" | "approvers">): boolean {
  const denied = votes.findLast(({ decision }) => decision === "deny");
  if (state !== "denied" || denied === undefined || !isSamePerson(denied.actor, requestedBy)) return false;
  if (denied.via === "words") return true;
  // Who a group holds is not known here.
  const mayApprove = approvers.some(
    (one) =>
      one === "channel" || one === "requester" || one.startsWith("group:") || isSamePerson(one, requestedBy),
  );
  return excludeRequester || !mayApprove;
}

type Terms = Pick<Approval, "excludeRequester" | "quorum" | "requestedBy"> &
  Partial<Pick<Approval, "channel">> & { approvers: readonly string[] };

/**
 * Who may approve, in words: "Ben or Chloe", "anyone in the channel other than Ana", "two people of the group leads".
 * `nameOf` names a person or, as it is in the configuration, a group.
 */
export function approversText(
  { approvers, excludeRequester, quorum, requestedBy, channel = "" }: Terms,
  nameOf: (actorOrGroup: string) => string,
  { approval: say, and, or }: Words,
): string {
  const isMany = quorum > 1;
  const whole: string[] = [];
  const people: string[] = [];
  for (const approver of approvers) {
    if (approver === "channel") whole.push(hasMembers(channel) ? say.inTheChannel : "");
    else if (approver.startsWith("group:")) whole.push(say.ofTheGroup(nameOf(approver.slice(6))));
    else people.push(nameOf(approver === "requester" ? requestedBy : approver));
  }
  const others = excludeRequester && whole.length > 0 ? say.otherThan(nameOf(requestedBy)) : "";
  if (whole.length === 0) {
    if (people.length === 0) return say.nobody;
    if (!isMany) return or(people);
    return people.length === quorum ? and(people) : say.someOf(quorum, and(people));
  }
  if (isMany && people.length === 0) return `${say.people(quorum, or(whole)).trim()}${others}`;
  const all = `${or([...people, ...whole.map((where) => say.anyone(where).trim())])}${others}`;
  return isMany ? say.someOfThese(quorum, all) : all;
}

/** The page and the terminal have no channels: whoever may talk there may approve there. */
function hasMembers(channel: string): boolean {
  return !/^(?:http|console):/.test(channel);
}
