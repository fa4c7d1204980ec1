import {
  ChannelType,
  type GatewayInteractionCreateDispatchData,
  type GatewayMessageCreateDispatchData,
  ApplicationIntegrationType as Install,
  type REST,
  Routes,
} from "discord.js";

import type { ChatLog, ChatState } from "../../chat/parts.ts";
import { containsPart, NOT_HERE, type ReferenceCore, referencesIn } from "../../chat/place-guard.ts";
import type { Interaction, InteractionContext } from "../interact/interaction.ts";
import { readCustomId } from "../render/buttons.ts";
import type { Identity } from "./connection.ts";
import type { Conversations } from "./conversations.ts";
import { channelOf, readId } from "../ids.ts";
import { mentions } from "./parse-message.ts";
import type { DiscordMembership } from "./people.ts";

export interface TenantGuardDeps {
  /** `discord.guilds`; without any each guild that has the bot is served. */
  guilds: readonly string[];
  /** The guilds that have the bot, as the gateway told. */
  joined: () => readonly string[];
  members: Pick<DiscordMembership, "isMember">;
  /** Where a stranger was told so lately. */
  told: ChatState<boolean>;
  rest: REST;
  log: ChatLog;
}

/** Whom the product works for: the members of its guilds, there and in direct messages. */
export interface TenantGuard {
  /** Whether a message is from there; whoever addresses the bot from elsewhere is told so, once a day. */
  takes(message: GatewayMessageCreateDispatchData, bot: string): Promise<boolean>;
  /** What to tell who did something elsewhere; undefined where it is taken. */
  whyNot(
    interaction: GatewayInteractionCreateDispatchData,
    deed: InteractionContext,
  ): Promise<string | undefined>;
}

const DAY_MS = 24 * 3_600_000;

/** A person of a direct message is looked for in so many guilds where none are configured. */
const MOST_GUILDS = 100;

export function createTenantGuard({
  guilds,
  joined,
  members,
  told,
  rest,
  log,
}: TenantGuardDeps): TenantGuard {
  const isServed = (guild: string): boolean => (guilds.length > 0 ? guilds : joined()).includes(guild);

  async function isMemberOfOne(user: string): Promise<boolean> {
    const asked = guilds.length > 0 ? guilds : joined().slice(0, MOST_GUILDS);
    const failures: unknown[] = [];
    for (const guild of asked) {
      try {
        if (await members.isMember(guild, user)) return true;
      } catch (error) {
        failures.push(error);
      }
    }
    // Whether they are one cannot be told now: it is tried again, and not answered with a no.
    if (failures.length > 0) {
      throw new AggregateError(failures, "Discord did not say whether a person is in a guild that is served");
    }
    return false;
  }

  async function tellOnce(place: string, channel: string, message: string, words: string): Promise<void> {
    const key = `elsewhere ${place}`;
    if ((await told.get(key)) === true) return;
    // Said at most once, rather than again and again where it cannot be recorded.
    await told.set(key, true, DAY_MS);
    const body = {
      content: words,
      message_reference: { message_id: message, fail_if_not_exists: false },
      allowed_mentions: { parse: [], replied_user: false },
    };
    await rest.post(Routes.channelMessages(channel), { body }).catch((error: unknown) => {
      log.debug({ error, channel }, "a place that is not served could not be told so");
    });
  }

  return {
    async takes({ guild_id: guild, channel_id: channel, id, author, content, webhook_id }, bot) {
      if (guild !== undefined && isServed(guild)) return true;
      if (author.bot === true || webhook_id !== undefined) return false;
      if (guild !== undefined) {
        if (mentions(content, bot)) await tellOnce(guild, channel, id, GUILD_NOT_SERVED);
      } else if (await isMemberOfOne(author.id)) return true;
      else await tellOnce(channel, channel, id, DIRECT_NOT_SERVED);
      log.debug({ guild, channel }, "a message from a place that is not served");
      return false;
    },

    async whyNot({ channel, authorizing_integration_owners: owners }, { guild, actor }) {
      // Installed by a person for themselves, the app can be brought to any place.
      const isPersonal =
        owners?.[Install.GuildInstall] === undefined && owners?.[Install.UserInstall] !== undefined;
      if (guild !== undefined) return isServed(guild) && !isPersonal ? undefined : GUILD_NOT_SERVED;
      if (channel?.type !== ChannelType.DM || isPersonal) return DIRECT_NOT_SERVED;
      return (await isMemberOfOne(readId(actor)?.local ?? "")) ? undefined : DIRECT_NOT_SERVED;
    },
  };
}

const GUILD_NOT_SERVED =
  "I do not work in this server. Whoever runs Countersign can add the server's id to discord.guilds.";
const DIRECT_NOT_SERVED = "I work only for members of the servers that I was set up for.";

export interface ReferenceGuardDeps {
  core: ReferenceCore;
  rooms: Pick<Conversations, "conversation" | "conversationAt">;
  /** What does not fit into a button. */
  values: ChatState<string>;
  me: () => Identity;
}

/**
 * Why an interaction is turned away before anything that it names is read; undefined where it may go on. A
 * button stands in a message of this app, in the channel in which it was pressed, and what it names belongs
 * to the conversation there. Forms are held to where they began, see form-sessions.ts.
 */
export async function tenantViolation(
  doing: Interaction,
  deed: InteractionContext,
  parts: ReferenceGuardDeps,
): Promise<string | undefined> {
  switch (doing.kind) {
    case "click": {
      const { data, message } = doing.interaction;
      const { app, bot } = parts.me();
      const isOwn = message.author.id === bot || message.application_id === app;
      const isThere = message.channel_id === deed.channel;
      const hasButton = containsPart(message.components, (part) => part["custom_id"] === data.custom_id);
      if (!isOwn || !isThere || !hasButton) return NOT_HERE;
      return (await namesOther(data.custom_id, deed, parts)) ? NOT_HERE : undefined;
    }
    case "menu": {
      const { data } = doing.interaction;
      const target = data.resolved.messages[data.target_id];
      return target !== undefined && target.channel_id !== deed.channel ? NOT_HERE : undefined;
    }
    default:
      return undefined;
  }
}

async function namesOther(
  customId: string,
  deed: InteractionContext,
  { core, rooms, values }: ReferenceGuardDeps,
): Promise<boolean> {
  const pressed = readCustomId(customId);
  const kept = pressed?.isKept === true ? await values.get(pressed.value) : undefined;
  const named = await referencesIn([kept ?? customId], core);
  if (named.length === 0) return false;
  const { guild, channel, parent } = deed;
  const here = channelOf(guild, parent ?? channel);
  const conversation = await conversationAt(deed, rooms);
  return named.some(
    (one) => one.channel !== here || (conversation !== undefined && conversation !== one.conversationId),
  );
}

/** A thread or a direct conversation is one; of a message in a channel it is known once it was recorded. */
async function conversationAt(
  { guild, channel, parent, message }: InteractionContext,
  rooms: ReferenceGuardDeps["rooms"],
): Promise<string | undefined> {
  if (parent !== undefined || guild === undefined) {
    return rooms.conversation({ guild, channel: parent ?? channel, thread: channel });
  }
  return message === undefined || message.isForOne ? undefined : rooms.conversationAt(message.id);
}
