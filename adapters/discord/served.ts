import type {
  GatewayInteractionCreateDispatchData,
  GatewayMessageCreateDispatchData,
  REST,
} from "discord.js";
import { ApplicationIntegrationType as Install, ChannelType, Routes } from "discord.js";

import type { ChatLog, ChatState } from "../chat/parts.ts";
import { readId } from "./ids.ts";
import type { Deed } from "./interaction.ts";
import type { DiscordMembership } from "./membership.ts";
import { mentions } from "./words.ts";

export interface ServedParts {
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
export interface Served {
  /** Whether a message is from there; whoever addresses the bot from elsewhere is told so, once a day. */
  takes(message: GatewayMessageCreateDispatchData, bot: string): Promise<boolean>;
  /** What to tell who did something elsewhere; undefined where it is taken. */
  whyNot(interaction: GatewayInteractionCreateDispatchData, deed: Deed): Promise<string | undefined>;
}

const DAY_MS = 24 * 3_600_000;

/** A person of a direct message is looked for in so many guilds where none are configured. */
const MOST_GUILDS = 100;

export function createServed({ guilds, joined, members, told, rest, log }: ServedParts): Served {
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
        if (mentions(content, bot)) await tellOnce(guild, channel, id, GUILD);
      } else if (await isMemberOfOne(author.id)) return true;
      else await tellOnce(channel, channel, id, DIRECT);
      log.debug({ guild, channel }, "a message from a place that is not served");
      return false;
    },

    async whyNot({ channel, authorizing_integration_owners: owners }, { guild, actor }) {
      // Installed by a person for themselves, the app can be brought to any place.
      const isPersonal =
        owners?.[Install.GuildInstall] === undefined && owners?.[Install.UserInstall] !== undefined;
      if (guild !== undefined) return isServed(guild) && !isPersonal ? undefined : GUILD;
      if (channel?.type !== ChannelType.DM || isPersonal) return DIRECT;
      return (await isMemberOfOne(readId(actor)?.local ?? "")) ? undefined : DIRECT;
    },
  };
}

const GUILD =
  "I do not work in this server. Whoever runs Countersign can add the server's id to discord.guilds.";
const DIRECT = "I work only for members of the servers that I was set up for.";
