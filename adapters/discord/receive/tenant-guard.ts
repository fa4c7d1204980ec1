import {
  ApplicationIntegrationType as Install,
  ChannelType,
  type GatewayInteractionCreateDispatchData,
  type GatewayMessageCreateDispatchData,
} from "discord.js";

import type { Approval } from "#contract/approval.ts";
import { DAY_MS } from "#src/base/time.ts";
import { en } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { containsPart, NOT_HERE, referencesIn } from "../../chat/place-guard.ts";
import { readId } from "../ids.ts";
import type { Interaction, InteractionOrigin } from "../interact/interaction.ts";
import type { DiscordDeps } from "../options.ts";
import { readCustomId } from "../render/buttons.ts";
import { replyPlainly } from "./ingest.ts";
import { mentions } from "./parse-message.ts";
import type { DiscordMembership } from "./people.ts";

/** Whom the product works for: the members of its guilds, there and in direct messages. */
export interface TenantGuard {
  /** Whether a message is from there; whoever addresses the bot from elsewhere is told so, once a day. */
  takes(message: GatewayMessageCreateDispatchData, bot: string): Promise<boolean>;
  /** What to tell who did something elsewhere; undefined where it is taken. */
  whyNot(
    interaction: GatewayInteractionCreateDispatchData,
    origin: InteractionOrigin,
  ): Promise<string | undefined>;
}

/** In how many guilds a person of a direct message is looked for where none are configured. */
const MOST_GUILDS = 100;

/** Without guilds in the options each one is served that has the bot, which `joined` gives. */
export function createTenantGuard(
  members: Pick<DiscordMembership, "isMember">,
  joined: () => readonly string[],
  {
    options: { guilds },
    told,
    rest,
    log,
    language,
  }: Pick<DiscordDeps, "language" | "options" | "told" | "rest" | "log">,
): TenantGuard {
  const served = (): readonly string[] => (guilds.length > 0 ? guilds : joined());

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
    const say = wordsOf(language(place));
    await replyPlainly(rest, { channel, message }, recordedText(words, say)).catch((error: unknown) => {
      log.debug({ error, channel }, "a place that is not served could not be told so");
    });
  }

  return {
    async takes({ guild_id: guild, channel_id: channel, id, author, content, webhook_id }, bot) {
      if (guild !== undefined && served().includes(guild)) return true;
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
      if (guild !== undefined) return served().includes(guild) && !isPersonal ? undefined : GUILD_NOT_SERVED;
      if (channel?.type !== ChannelType.DM || isPersonal) return DIRECT_NOT_SERVED;
      return (await isMemberOfOne(readId(actor)?.local ?? "")) ? undefined : DIRECT_NOT_SERVED;
    },
  };
}

const GUILD_NOT_SERVED = en.recorded.guildNotServed();
const DIRECT_NOT_SERVED = en.recorded.directNotServed();

/**
 * Why an interaction is turned away before anything that it names is shown; else the request that it names. A
 * button stands in a message of this app, in the channel in which it was pressed, and what it names belongs
 * to the conversation there. Forms are held to where they began, see interact/forms.ts.
 */
export async function checkPlace(
  { kind, interaction }: Interaction,
  origin: InteractionOrigin,
  deps: Pick<DiscordDeps, "core" | "rooms" | "values" | "me">,
): Promise<{ violation?: string; seen?: Approval | undefined }> {
  if (kind === "click") {
    const { data, message } = interaction;
    const { app, bot } = deps.me();
    const isOwn = message.author.id === bot || message.application_id === app;
    const isThere = message.channel_id === origin.channel;
    const hasButton = containsPart(message.components, (part) => part["custom_id"] === data.custom_id);
    if (!isOwn || !isThere || !hasButton) return { violation: NOT_HERE };
    return checkNamed(data.custom_id, origin, deps);
  }
  if (kind !== "menu") return {};
  const target = interaction.data.resolved.messages[interaction.data.target_id];
  return target !== undefined && target.channel_id !== origin.channel ? { violation: NOT_HERE } : {};
}

async function checkNamed(
  customId: string,
  { guild, channel, home, channelId, isThread, message }: InteractionOrigin,
  { core, rooms, values }: Pick<DiscordDeps, "core" | "rooms" | "values">,
): ReturnType<typeof checkPlace> {
  const pressed = readCustomId(customId);
  const kept = pressed?.isKept === true ? await values.get(pressed.value) : undefined;
  const named = await referencesIn([kept ?? customId], core);
  if (named.length === 0) return {};
  let conversation: string | undefined;
  if (isThread) conversation = await rooms.conversation({ guild, channel: home, thread: channel });
  // Of a message in a channel the conversation is known once it was recorded.
  else if (message?.isForOne === false) conversation = await rooms.conversationAt(message.id);
  const isOther = named.some(
    (one) => one.channel !== channelId || one.conversationId !== (conversation ?? one.conversationId),
  );
  return isOther ? { violation: NOT_HERE } : { seen: named[0]?.approval };
}
