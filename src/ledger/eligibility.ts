import type { ActorId } from "#contract/actor.ts";
import type { Approval, ApprovalVote } from "#contract/approval.ts";

import { approversText } from "../base/approvers.ts";
import { actorName, isSamePerson } from "../base/ids.ts";
import { en } from "../base/words/en.ts";

/** What a person is called, where that is known. */
export type NameOf = (actor: ActorId) => Promise<string | undefined>;

export const nobodyKnown: NameOf = () => Promise.resolve(undefined);

/** Each with what its people are called: who asked, who decided, and whom the policy names. */
export async function withNames(approvals: readonly Approval[], nameOf: NameOf): Promise<Approval[]> {
  const people = new Set(
    approvals.flatMap(({ requestedBy, approvers, votes }) => [
      requestedBy,
      ...approvers.filter((one): one is ActorId => /^(?:slack|discord|http|console):/.test(one)),
      ...votes.map(({ actor }) => actor),
    ]),
  );
  const known = await Promise.all([...people].map(async (actor) => [actor, await nameOf(actor)] as const));
  const names = Object.fromEntries(
    known.flatMap(([actor, name]) => (name === undefined ? [] : [[actor, name]])),
  );
  return approvals.map((approval) => ({ ...approval, names }));
}

/**
 * Who belongs where, as the surfaces know it. Fails closed: an error counts as "no", and where two may be one
 * person as "yes".
 */
export interface Membership {
  inChannel(actor: ActorId, channel: string): Promise<boolean>;
  inGroup(actor: ActorId, group: string, channel: string): Promise<boolean>;
  /** A person of another organisation, or with a restricted account: approves only where named. */
  isGuest(actor: ActorId, channel: string): Promise<boolean>;
  /** Whether two actors certainly are one person: what one may do the other may. Absent: by their ids alone. */
  areSame?(one: ActorId, other: ActorId): Promise<boolean>;
  /** Whether they may be one person, by whatever anybody said: they count once. Absent: by their ids alone. */
  mayBeSame?(one: ActorId, other: ActorId): Promise<boolean>;
}

/** Whether the two are one person, so that what one may do the other may. */
export async function areSame(
  one: ActorId,
  other: ActorId,
  membership: Pick<Membership, "areSame">,
): Promise<boolean> {
  if (isSamePerson(one, other)) return true;
  return (await membership.areSame?.(one, other).catch(() => false)) ?? false;
}

/** Whether the two may be one person, so that what one did the other did. */
export async function mayBeSame(
  one: ActorId,
  other: ActorId,
  membership: Pick<Membership, "mayBeSame">,
): Promise<boolean> {
  if (isSamePerson(one, other)) return true;
  return (await membership.mayBeSame?.(one, other).catch(() => true)) ?? false;
}

/**
 * Why somebody's approval would not count beside those there are, as a sentence for them: they gave one of them by
 * another name, or may have.
 */
export async function whyNotCounted(
  { actor, via }: Voter,
  others: readonly Voter[],
  quorum: number,
  membership: Membership,
): Promise<string | undefined> {
  for (const { actor: other, via: otherVia } of others) {
    if (isSamePerson(actor, other)) continue;
    if (via === "page" && otherVia === "page") return en.recorded.onePage(String(quorum));
    if (await mayBeSame(actor, other, membership))
      return en.recorded.countsOnce(actorName(other), surfaceName(other));
  }
  return undefined;
}

const SURFACES: Readonly<Record<string, string>> = {
  slack: "Slack",
  discord: "Discord",
  http: "the page",
  console: "the terminal",
};

function surfaceName(actor: ActorId): string {
  return SURFACES[actor.slice(0, actor.indexOf(":"))] ?? "another surface";
}

export interface EligibilityQuestion {
  actor: ActorId;
  requestedBy: ActorId;
  approvers: readonly string[];
  excludeRequester: boolean;
  channel: string;
}

/**
 * Why a person may not approve, as a sentence for them; undefined when they may. `nameOf`: what those are called who may,
 * asked only when it has to be said.
 */
export async function whyNotEligible(
  question: EligibilityQuestion,
  membership: Membership,
  nameOf: NameOf = nobodyKnown,
): Promise<string | undefined> {
  const { actor, requestedBy, approvers, excludeRequester } = question;
  if (excludeRequester && (await mayBeSame(actor, requestedBy, membership))) {
    return en.recorded.ownRequest();
  }
  for (const approver of approvers) {
    if (await isApprover(approver, question, membership)) return undefined;
  }
  if (await isGuestHere(question, membership)) {
    return en.recorded.guest();
  }
  const named = async (one: ActorId): Promise<[string, string]> => [
    one,
    (await nameOf(one)) ?? actorName(one),
  ];
  const people = approvers.filter((one): one is ActorId => /^(?!group:).+:/.test(one));
  const names = new Map(await Promise.all([...people, requestedBy].map(named)));
  // Each of them may decide, however many it takes.
  const who = approversText({ ...question, quorum: 1 }, (name) => names.get(name) ?? name, en);
  return en.recorded.onlyThese(who);
}

/** Whether somebody asked for the change, so that they may take the request back, whoever has to approve it. */
export function mayWithdraw(
  { actor, requestedBy }: Pick<EligibilityQuestion, "actor" | "requestedBy">,
  membership: Membership,
): Promise<boolean> {
  return areSame(actor, requestedBy, membership);
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
  const { actor, channel } = question;
  if (approver === actor) return true;
  try {
    if (approver === "requester") return await isRequester(question, membership);
    if (approver === "channel") {
      return (await membership.inChannel(actor, channel)) && !(await membership.isGuest(actor, channel));
    }
    if (approver.startsWith("group:"))
      return await membership.inGroup(actor, approver.slice("group:".length), channel);
    return await areSame(actor, approver as ActorId, membership);
  } catch {
    return false;
  }
}

/** Also on another surface. A guest of a platform is one wherever they decide. */
async function isRequester(
  { actor, requestedBy, channel }: EligibilityQuestion,
  membership: Membership,
): Promise<boolean> {
  if (actor !== requestedBy && !(await areSame(actor, requestedBy, membership))) return false;
  return !(await membership.isGuest(requestedBy, channel));
}

/** Who decides, and whether a browser says so in which nobody signed in. */
export type Voter = Pick<ApprovalVote, "actor" | "via">;

/** Who has approved a request so far. */
export function approversOf({ votes }: Pick<Approval, "votes">): Voter[] {
  return votes.filter(({ decision }) => decision === "approve");
}

/** Of requests that wait those that a person may decide and has not, the most urgent first. */
export async function approvalsWaitingFor(
  actor: ActorId,
  pending: readonly Approval[],
  membership: Membership,
): Promise<Approval[]> {
  const open = pending.filter(({ votes }) => !votes.some((vote) => isSamePerson(vote.actor, actor)));
  const refusals = await Promise.all(
    open.map(
      async (approval) =>
        (await whyNotEligible({ actor, ...approval }, membership)) ??
        whyNotCounted({ actor }, approversOf(approval), approval.quorum, membership),
    ),
  );
  return open
    .filter((_, index) => refusals[index] === undefined)
    .toSorted((a, b) => a.expiresAt - b.expiresAt || (a.id < b.id ? -1 : 1));
}
