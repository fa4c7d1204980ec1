import type { AccountAsker } from "#contract/connections.ts";

import type { KnownBlock } from "@slack/types";

import { accountsShown } from "../chat/accounts.ts";
import type { Click } from "./click.ts";
import type { WaysDesk } from "./desk.ts";
import { channelOf, readId } from "./ids.ts";
import { renderCard } from "./render/card.ts";
import { linkBlocks } from "./render/link.ts";
import { escapeText } from "./render/text.ts";
import { respond } from "./respond.ts";

export type AccountParts = Pick<WaysDesk, "accounts" | "people" | "tell" | "log">;

interface Content {
  text: string;
  blocks: KnownBlock[];
}

/** What servers want of the person and the channel, for this person alone. */
export async function accountsContent(
  asker: AccountAsker,
  { accounts, people }: Pick<AccountParts, "accounts" | "people">,
  said?: string,
): Promise<Content> {
  const list = await accounts.list(asker, (actor) => {
    const { team = "", local } = readId(actor) ?? {};
    return people.name(team, local);
  });
  const { card, buttons } = accountsShown(list, said);
  return renderCard(card, { tables: false, buttons });
}

/** The link goes to who pressed, wherever the button stood. */
export async function onConnect(click: Click, { accounts, tell }: AccountParts): Promise<void> {
  const asker = askerOf(click);
  const answer = await accounts.connect(click.value, asker);
  if (!answer.ok) return tell(click.ear, answer.words);
  const { url, domain } = answer.link;
  const blocks = linkBlocks({ words: answer.words, url, domain, value: click.value });
  return tell(click.ear, { text: escapeText(answer.words), blocks });
}

export async function onDisconnect(click: Click, parts: AccountParts): Promise<void> {
  const said = await parts.accounts.disconnect(click.value, click.actor);
  if (click.respond === undefined) return parts.tell(click.ear, said);
  const content = await accountsContent(askerOf(click), parts, said);
  const response = { response_type: "ephemeral" as const, replace_original: true, ...content };
  if (await respond(click.respond, response, parts.log)) return undefined;
  return parts.tell(click.ear, said);
}

function askerOf({ actor, team, ear }: Click): AccountAsker {
  return { actor, channel: channelOf(team, ear?.channel ?? "") };
}
