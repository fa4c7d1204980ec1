import type { AccountAsker } from "#contract/connections.ts";

import { accountsShown } from "../chat/accounts.ts";
import type { NameOf } from "../chat/names.ts";
import type { Answer } from "./answer.ts";
import { channelOf } from "./ids.ts";
import type { Deed } from "./interaction.ts";
import type { DiscordDesk } from "./options.ts";
import { renderLink } from "./render/link.ts";
import type { RenderedMessage } from "./render/message.ts";
import { renderNotice } from "./render/notice.ts";

export interface AccountParts extends Pick<DiscordDesk, "accounts"> {
  /** What people are called. */
  nameOf: NameOf;
}

/** What servers want of the person and the channel, for this person alone. */
export async function accountsMessage(
  deed: Deed,
  { accounts, nameOf }: AccountParts,
  said?: string,
): Promise<RenderedMessage> {
  const { card, buttons } = accountsShown(await accounts.list(askerOf(deed), nameOf), said);
  return renderNotice(card, buttons);
}

/** The link goes to who pressed. */
export async function connectAccount(
  server: string,
  deed: Deed,
  answer: Answer,
  { accounts }: AccountParts,
): Promise<void> {
  const connecting = await accounts.connect(server, askerOf(deed));
  if (!connecting.ok) return answer.tell(connecting.words);
  const { url, domain } = connecting.link;
  return answer.tell(renderLink({ words: connecting.words, url, domain }));
}

export async function disconnectAccount(
  value: string,
  deed: Deed,
  answer: Answer,
  parts: AccountParts,
): Promise<void> {
  const said = await parts.accounts.disconnect(value, deed.actor);
  return answer.update(await accountsMessage(deed, parts, said));
}

function askerOf({ actor, guild, channel, parent }: Deed): AccountAsker {
  return { actor, channel: channelOf(guild, parent ?? channel) };
}
