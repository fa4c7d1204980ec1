import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";

import { isSamePerson } from "../base/actor.ts";
import { type Membership, whyNotEligible } from "./eligibility.ts";

/** Of requests that wait those that a person may decide and has not, the most urgent first. */
export async function waitingFor(
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
