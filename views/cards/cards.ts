import type { Approval } from "#contract/approval.ts";
import type { Card, CardElement, ListElement } from "#contract/card.ts";
import type { Account } from "#contract/connections.ts";
import type { Cards } from "#contract/core.ts";
import type { ConfiguredPerson } from "#contract/people.ts";
import { isSamePerson, personText } from "#src/base/ids.ts";
import { askText } from "#src/base/statement.ts";
import { plural } from "#src/base/text.ts";

import { humanTime } from "../text.ts";
import { commandHelpCard, helpCard, infoCard, privacyCard, statusCard, toolsCard } from "./about.ts";
import { approvalCard, approvalsCard } from "./approval.ts";
import { exactLine, personLabel } from "./exact.ts";
import { meCard } from "./me.ts";
import { grantsCard, grantTermsCard } from "./grants.ts";

/**
 * The cards that are not tool results, for the composition root to hand to the adapters. `people` are those whom the
 * operator names: by that name they stand on cards where the surface has none for them.
 */
export function createCards(people: readonly Pick<ConfiguredPerson, "name" | "actors">[] = []): Cards {
  const named = (approval: Approval): Approval => withNames(approval, people);
  return {
    approval: (approval) => approvalCard(named(approval)),
    approvals: (approvals) => approvalsCard(approvals.map(named)),
    help: helpCard,
    commandHelp: commandHelpCard,
    tools: toolsCard,
    status: statusCard,
    privacy: privacyCard,
    accounts: accountsCard,
    me: meCard,
    pending: (waiting) => pendingCard(waiting.map((one) => ({ ...one, approval: named(one.approval) }))),
    grantTerms: grantTermsCard,
    grants: grantsCard,
  };
}

function withNames(
  approval: Approval,
  people: readonly Pick<ConfiguredPerson, "name" | "actors">[],
): Approval {
  const { requestedBy, votes, approvers, names } = approval;
  const known = [requestedBy, ...votes.map(({ actor }) => actor), ...approvers].flatMap((actor) => {
    const person = people.find(({ actors }) => actors.some((one) => isSamePerson(one, actor)));
    return person?.name === undefined ? [] : [[actor, person.name] as const];
  });
  return known.length === 0 ? approval : { ...approval, names: { ...Object.fromEntries(known), ...names } };
}

/** The accounts that servers want of a person and of the channel they are in, with what stands of them. */
function accountsCard(
  accounts: readonly Account[],
  actor: string,
  names: Readonly<Record<string, string>> = {},
): Card {
  const list: CardElement =
    accounts.length === 0
      ? { type: "text", text: "No accounts to connect here." }
      : { type: "list", items: accounts.map((account) => accountItem(account, actor, names)) };
  return infoCard("Accounts", [list]);
}

function accountItem(
  { server, per, connection }: Account,
  actor: string,
  names: Readonly<Record<string, string>>,
): ListElement["items"][number] {
  const text = exactLine(server);
  if (connection === undefined) {
    const whose = per === "channel" ? "an account of this channel" : "an account of your own";
    return { text, detail: `works with ${whose}`, badges: [{ text: "not connected", tone: "neutral" }] };
  }
  const whose = per === "channel" ? "this channel's account" : "your own account";
  const person = connection.by === actor ? "you" : personLabel(connection.by, names);
  const by = per === "person" ? "" : ` by ${person}`;
  const detail = `${whose}, connected${by} on ${humanTime(connection.since)}`;
  return { text, detail, badges: [{ text: "connected", tone: "good" }] };
}

/** Requests that wait for one person. Their arguments stand on their own cards, where everybody sees them. */
function pendingCard(approvals: readonly { approval: Approval; link?: string }[]): Card {
  if (approvals.length === 0) {
    return infoCard("Nothing waits for you", [{ type: "text", text: "Nothing waits for your approval." }]);
  }
  const items = approvals.map(({ approval, link }) => pendingItem(approval, link));
  return infoCard("Waiting for you", [{ type: "list", items }]);
}

function pendingItem(approval: Approval, link: string | undefined): ListElement["items"][number] {
  const { requestedBy, names, quorum, expiresAt, statement } = approval;
  const href = link ?? statement.object?.href;
  const given = approval.votes.filter(({ decision }) => decision === "approve").length;
  return {
    text: `${exactLine(askText(statement))}?`,
    ...(href === undefined ? {} : { href }),
    detail: `${exactLine(personText(requestedBy, names))} asked, ${given} of ${plural(quorum, "approval")}, expires ${humanTime(expiresAt)}`,
  };
}
