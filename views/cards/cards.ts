import type { Approval } from "#contract/approval.ts";
import type { Card, CardElement, ListElement } from "#contract/card.ts";
import type { Account } from "#contract/connections.ts";
import type { Cards } from "#contract/core.ts";
import type { ConfiguredPerson, PersonInServer, PersonView } from "#contract/people.ts";
import { isSamePerson, personText } from "#src/base/ids.ts";
import { questionText, wordsFor } from "#src/base/statement.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { humanTime } from "../text.ts";
import { commandHelpCard, helpCard, infoCard, privacyCard, statusCard, toolsCard } from "./about.ts";
import { approvalCard, approvalsCard } from "./approval.ts";
import { exactLine, personLabel } from "./exact.ts";
import { grantsCard, grantTermsCard } from "./grants.ts";

/**
 * The cards that are not tool results, for the composition root to hand to the adapters. `people` are those whom the
 * operator names: by that name they stand on cards where the surface has none for them.
 */
export function createCards(
  people: () => readonly Pick<ConfiguredPerson, "name" | "actors">[] = () => [],
): Cards {
  const named = (approval: Approval): Approval => withNames(approval, people());
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
    pending: (waiting, language) =>
      pendingCard(
        waiting.map((one) => ({ ...one, approval: named(one.approval) })),
        language,
      ),
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
  language?: string,
): Card {
  const { about: say } = wordsOf(language);
  const list: CardElement =
    accounts.length === 0
      ? { type: "text", text: say.noAccounts }
      : { type: "list", items: accounts.map((account) => accountItem(account, { actor, names, say })) };
  return infoCard(say.accounts, [list], { language });
}

function accountItem(
  { server, per, connection, takes, site }: Account,
  { actor, names, say }: { actor: string; names: Readonly<Record<string, string>>; say: Words["about"] },
): ListElement["items"][number] {
  const text = exactLine(server);
  if (takes !== undefined) {
    if (connection === undefined || site === undefined)
      return { text, detail: takes.includes("tenant") ? say.worksOnSite : say.worksOnSites };
    const uses = site.uses.map((as) => say.siteUse[as]);
    return {
      text: exactLine(site.name),
      detail: exactLine(say.ownSite(site.domain, server, humanTime(connection.since))),
      badges:
        uses.length === 0
          ? [{ text: say.siteUnused, tone: "neutral" }]
          : uses.map((one) => ({ text: one, tone: "good" as const })),
    };
  }
  if (connection === undefined) {
    const detail = per === "channel" ? say.worksWithChannels : say.worksWithOwn;
    return { text, detail, badges: [{ text: say.notConnected, tone: "neutral" }] };
  }
  const person = connection.by === actor ? say.you : personLabel(connection.by, names);
  const since = humanTime(connection.since);
  const detail = per === "person" ? say.ownAccount(since) : say.channelAccount(person, since);
  return { text, detail, badges: [{ text: say.connected, tone: "good" }] };
}

/** Requests that wait for one person. Their arguments stand on their own cards, where everybody sees them. */
function pendingCard(approvals: readonly { approval: Approval; link?: string }[], language?: string): Card {
  const { inbox: say } = wordsOf(language ?? approvals[0]?.approval.statement.language);
  if (approvals.length === 0) {
    return infoCard(say.emptyTitle, [{ type: "text", text: say.nothing }], { language });
  }
  const items = approvals.map(({ approval, link }) => pendingItem(approval, link));
  return infoCard(say.title, [{ type: "list", items }], { language });
}

function pendingItem(approval: Approval, link: string | undefined): ListElement["items"][number] {
  const { requestedBy, names, quorum, expiresAt, statement } = approval;
  const words = wordsFor(statement);
  const href = link ?? statement.object?.href;
  const given = approval.votes.filter(({ decision }) => decision === "approve").length;
  return {
    text: exactLine(questionText(statement)),
    ...(href === undefined ? {} : { href }),
    detail: words.inbox.item(
      exactLine(personText(requestedBy, names, words)),
      given,
      quorum,
      humanTime(expiresAt),
    ),
  };
}

/** Who a person is in the servers that name people, and how to change it. */
function meCard(
  { name, email, also, servers }: PersonView,
  { command, said, language }: { command: string; said?: string; language?: string | undefined },
): Card {
  const { about: say } = wordsOf(language);
  const who = name === undefined ? [] : [{ label: say.labels.name, value: exactLine(name) }];
  const address = email === undefined ? [] : [{ label: say.labels.email, value: exactLine(email) }];
  const others = also.length === 0 ? [] : [{ label: say.labels.also, value: also.map(exactLine).join(", ") }];
  const items = [...who, ...address, ...others];
  const example = servers.find(({ account }) => account?.origin !== "file")?.server;
  return infoCard(
    say.whoYouAre,
    [
      ...(items.length === 0 ? [] : [{ type: "fields" as const, items }]),
      servers.length === 0
        ? { type: "text", text: say.noPeople }
        : { type: "list", items: servers.map((server) => serverItem(server, say)) },
      ...(example === undefined || command === ""
        ? []
        : [
            {
              type: "footer" as const,
              text: say.meFooter(command, exactLine(example)),
            },
          ]),
    ],
    { problem: said, language },
  );
}

function serverItem({ title, account }: PersonInServer, say: Words["about"]): ListElement["items"][number] {
  const text = exactLine(title);
  if (account === undefined)
    return { text, detail: say.asked, badges: [{ text: say.notKnown, tone: "neutral" }] };
  const { name, id, origin } = account;
  const whom = name === id ? exactLine(name) : `${exactLine(name)} (${exactLine(id)})`;
  return { text, detail: `${whom}, ${say.origins[origin]}` };
}
