import type { APIApplicationCommandInteractionDataBasicOption as Given } from "discord.js";

import type { Approval } from "#contract/approval.ts";
import type { AccountAsker } from "#contract/connections.ts";
import type { OwnCommand } from "#contract/core.ts";

import { accountsCard, errorForUser } from "../../chat/actions.ts";
import type { NameOf } from "../../chat/people.ts";
import type { DiscordDeps } from "../options.ts";
import { channelOf, DIRECT, readId } from "../ids.ts";
import type { RenderedMessage } from "../render/message.ts";
import { renderLink } from "../render/question.ts";
import { renderNotice } from "../render/window.ts";
import { readRef } from "../send/place.ts";
import type { InteractionContext } from "./interaction.ts";
import type { InteractionResponse } from "./response.ts";

/** What `/countersign help` tells beside the commands of the configuration. */
const OWN_HELP: readonly OwnCommand[] = [
  {
    usage: "/ask text",
    about: "ask in plain words; mentioning me in a channel or writing to me does the same",
  },
  { usage: "Apps › Ask Countersign about this", about: "in the menu of a message: ask about what it says" },
  { usage: "/countersign tools", about: "what I can work with, and what needs approval" },
  { usage: "/countersign status", about: "model, servers and store" },
  { usage: "/countersign approvals", about: "what waits for you" },
  {
    usage: "/countersign accounts",
    about: "accounts of yours that servers work with, to connect or disconnect",
  },
  { usage: "/countersign privacy", about: "whether results of this channel may go to the model" },
];

/** `/countersign SUBCOMMAND`; for the person alone, but for a switch that concerns everybody in the channel. */
export async function ownCommand(
  name: string,
  given: readonly Given[],
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: Pick<DiscordDeps, "core" | "cards" | "log" | "messageOf"> & AccountDeps,
): Promise<void> {
  const { core, cards, log } = parts;
  try {
    switch (name) {
      case "tools":
        return await answer.tell(cards.tools(core.tools()));
      case "status":
        return await answer.tell(cards.status(await core.health()));
      case "approvals": {
        // A group of the configuration may name people of several guilds; each is shown its own requests.
        const waiting = (await core.approvalsFor(deed.actor)).filter(
          ({ channel }) => readId(channel)?.guild === (deed.guild ?? DIRECT),
        );
        return await answer.tell(
          cards.pending(await Promise.all(waiting.map((one) => withLink(one, parts)))),
        );
      }
      case "accounts":
        return await answer.tell(await accountsMessage(deed, parts));
      case "privacy":
        return await privacy(given, deed, answer, parts);
      default:
        return await answer.tell(cards.help(core.commands(), OWN_HELP));
    }
  } catch (error) {
    log.warn({ error, command: name }, "a command had no effect");
    return answer.tell(errorForUser(error));
  }
}

async function withLink(
  approval: Approval,
  { messageOf }: Pick<DiscordDeps, "messageOf">,
): Promise<{ approval: Approval; link?: string }> {
  const ref = await messageOf(approval.turnId);
  const { guild } = readId(approval.channel) ?? {};
  if (ref === undefined || guild === undefined) return { approval };
  const { channel, message } = readRef(ref);
  return { approval, link: `https://discord.com/channels/${guild}/${channel}/${message}` };
}

async function privacy(
  given: readonly Given[],
  { actor, guild, channel: at, parent }: InteractionContext,
  answer: InteractionResponse,
  { core, cards }: Pick<DiscordDeps, "core" | "cards">,
): Promise<void> {
  const channel = channelOf(guild, parent ?? at);
  const wanted = given.find(({ name }) => name === "switch")?.value;
  const now =
    wanted === undefined
      ? await core.privacy(channel)
      : await core.setPrivacy({ channel, actor, summarize: wanted === "off" });
  const words = { on: "/countersign privacy switch: on", off: "/countersign privacy switch: off" };
  return answer.tell(cards.privacy(now, words));
}

export interface AccountDeps extends Pick<DiscordDeps, "accounts"> {
  /** What people are called. */
  nameOf: NameOf;
}

/** What servers want of the person and the channel, for this person alone. */
async function accountsMessage(
  deed: InteractionContext,
  { accounts, nameOf }: AccountDeps,
  said?: string,
): Promise<RenderedMessage> {
  const { card, buttons } = accountsCard(await accounts.list(askerOf(deed), nameOf), said);
  return renderNotice(card, buttons);
}

/** The link goes to who pressed. */
export async function connectAccount(
  server: string,
  deed: InteractionContext,
  answer: InteractionResponse,
  { accounts }: AccountDeps,
): Promise<void> {
  const connecting = await accounts.connect(server, askerOf(deed));
  if (!connecting.ok) return answer.tell(connecting.words);
  const { url, domain } = connecting.link;
  return answer.tell(renderLink({ words: connecting.words, url, domain }));
}

export async function disconnectAccount(
  value: string,
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: AccountDeps,
): Promise<void> {
  const said = await parts.accounts.disconnect(value, deed.actor);
  return answer.update(await accountsMessage(deed, parts, said));
}

function askerOf({ actor, guild, channel, parent }: InteractionContext): AccountAsker {
  return { actor, channel: channelOf(guild, parent ?? channel) };
}
