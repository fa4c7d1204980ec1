import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";

import { isSamePerson } from "../base/ids.ts";

/** Who belongs where, as the surfaces know it. Fails closed: an error counts as "no". */
export interface Membership {
  inChannel(actor: ActorId, channel: string): Promise<boolean>;
  inGroup(actor: ActorId, group: string, channel: string): Promise<boolean>;
  /** A person of another organisation, or with a restricted account: approves only where named. */
  isGuest(actor: ActorId, channel: string): Promise<boolean>;
}

export interface EligibilityQuestion {
  actor: ActorId;
  requestedBy: string;
  approvers: readonly string[];
  excludeRequester: boolean;
  channel: string;
}

/** Why a person may not approve, as a sentence for them; undefined when they may. */
export async function whyNotEligible(
  question: EligibilityQuestion,
  membership: Membership,
): Promise<string | undefined> {
  const { actor, requestedBy, approvers, excludeRequester, channel } = question;
  if (excludeRequester && isSamePerson(actor, requestedBy)) {
    return "You asked for this change, and its rule wants somebody else to approve it.";
  }
  for (const approver of approvers) {
    if (await isApprover(approver, question, membership)) return undefined;
  }
  if (await isGuestHere(question, membership)) {
    return "You are a guest here, and guests approve only where a rule names them or their group.";
  }
  const who = approvers.map((approver) => describeApprover(approver, requestedBy)).join(", ");
  return `Only ${who} can decide this request; you are ${actor} in ${channel}.`;
}

/** For the wording only: an error leaves the general one. */
function isGuestHere({ actor, channel }: EligibilityQuestion, membership: Membership): Promise<boolean> {
  return membership.isGuest(actor, channel).catch(() => false);
}

async function isApprover(
  approver: string,
  question: EligibilityQuestion,
  membership: Membership,
): Promise<boolean> {
  const { actor, requestedBy, channel } = question;
  if (approver === actor) return true;
  try {
    if (approver === "requester") return actor === requestedBy && !(await membership.isGuest(actor, channel));
    if (approver === "channel") {
      return (await membership.inChannel(actor, channel)) && !(await membership.isGuest(actor, channel));
    }
    if (approver.startsWith("group:"))
      return await membership.inGroup(actor, approver.slice("group:".length), channel);
  } catch {
    return false;
  }
  return false;
}

/** How an approver of a rule reads: `requester` becomes the person. */
function describeApprover(approver: string, requestedBy: string): string {
  if (approver === "requester") return requestedBy;
  if (approver === "channel") return "anyone in the channel";
  return approver;
}

/** Of requests that wait those that a person may decide and has not, the most urgent first. */
export async function approvalsWaitingFor(
  actor: ActorId,
  pending: readonly Approval[],
  membership: Membership,
): Promise<Approval[]> {
  const open = pending.filter(({ votes }) => !votes.some((vote) => isSamePerson(vote.actor, actor)));
  const refusals = await Promise.all(
    open.map((approval) => whyNotEligible({ actor, ...approval }, membership)),
  );
  return open
    .filter((_, index) => refusals[index] === undefined)
    .toSorted((a, b) => a.expiresAt - b.expiresAt);
}
