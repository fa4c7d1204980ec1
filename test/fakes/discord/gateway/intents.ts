import { GatewayIntentBits as I } from "discord-api-types/v10";

import type { AppSetup, Fields, GatewayEvent } from "../types.ts";

/** The intent that an event needs, in a guild and in direct messages: https://discord.com/developers/docs/events/gateway#list-of-intents */
const needs: readonly [prefix: string, guild: number, direct: number][] = [
  ["MESSAGE_REACTION_", I.GuildMessageReactions, I.DirectMessageReactions],
  ["MESSAGE_", I.GuildMessages, I.DirectMessages],
  ["THREAD_MEMBER", I.Guilds, I.Guilds],
  ["THREAD_", I.Guilds, I.Guilds],
  ["GUILD_MEMBER_", I.GuildMembers, I.GuildMembers],
  ["GUILD_", I.Guilds, I.Guilds],
  ["CHANNEL_", I.Guilds, I.DirectMessages],
  ["TYPING_START", I.GuildMessageTyping, I.DirectMessageTyping],
];

export const allIntents: number = Object.values(I).reduce<number>(
  (sum, bit) => (typeof bit === "number" ? sum | bit : sum),
  0,
);

/** Privileged intents among these that the developer portal has not switched on. */
export function disallowed(intents: number, { privileged }: AppSetup): boolean {
  const asked = (bit: number): boolean => (intents & bit) !== 0;
  return (
    (asked(I.MessageContent) && !privileged.messageContent) ||
    (asked(I.GuildMembers) && !privileged.members) ||
    (asked(I.GuildPresences) && !privileged.presences)
  );
}

/** The event as a client with these intents gets it; undefined when it does not get it. */
export function asSeen(event: GatewayEvent, intents: number, bot: string): Fields | undefined {
  if (event.always !== true) {
    const need = needs.find(([prefix]) => event.t.startsWith(prefix));
    const bit = event.guild === undefined ? need?.[2] : need?.[1];
    if (bit !== undefined && (intents & bit) === 0) return undefined;
  }
  const isMessage = event.t === "MESSAGE_CREATE" || event.t === "MESSAGE_UPDATE";
  const open = (intents & I.MessageContent) !== 0 || event.guild === undefined;
  if (!isMessage || open || exempt(event.d, bot)) return event.d;
  return { ...event.d, content: "", embeds: [], attachments: [], components: [] };
}

/** The bot's own messages, and those that mention it, come whole without the intent. */
function exempt(message: Fields, bot: string): boolean {
  const { author, mentions } = message as { author: { id: string }; mentions: { id: string }[] };
  return author.id === bot || mentions.some(({ id }) => id === bot);
}
