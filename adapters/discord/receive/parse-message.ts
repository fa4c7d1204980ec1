import type { APIUser, GatewayMessageCreateDispatchData } from "discord.js";

import type { Quote } from "#contract/message.ts";
import type { Place } from "#contract/present.ts";
import type { TurnRequest } from "#contract/turn.ts";

import { actorOf, channelOf, toPlace } from "../ids.ts";
import type { Conversations } from "./conversations.ts";

/** Something that was said to the bot, and where it is answered. */
export interface IncomingMessage {
  request: TurnRequest;
  place: Place;
}

/** A message that people write, and one that answers another. */
const WRITTEN: ReadonlySet<number> = new Set([0, 19]);

/**
 * What a message says to the bot: a mention, a direct message, a reply to one of its messages, or a message
 * in a thread in which it takes part, which `isKnown` tells. Returns undefined for everything else, such as
 * joins, webhooks and bots.
 */
export async function parseMessage(
  message: GatewayMessageCreateDispatchData,
  {
    bot,
    rooms,
    isKnown,
  }: { bot: string; rooms: Conversations; isKnown: (conversation: string) => Promise<boolean> },
): Promise<IncomingMessage | undefined> {
  const { author, guild_id: guild, channel_id: channel, id, content } = message;
  const { message_reference: reference, referenced_message: referenced } = message;
  if (author.bot === true || message.webhook_id !== undefined || !WRITTEN.has(message.type)) return undefined;
  const isMentioned = mentions(content, bot);
  // The conversation of the bot's message that this one answers, where that stands outside of a thread.
  const answered =
    reference?.message_id !== undefined && referenced?.author.id === bot
      ? await rooms.conversationOfReply(reference.message_id, channel)
      : undefined;
  const isAddressed = isMentioned || guild === undefined || answered !== undefined;
  const parent = guild === undefined ? undefined : await rooms.parentOf(channel, isMentioned);
  if (!isAddressed && parent === undefined) return undefined;

  const home = parent ?? channel;
  const isThread = parent !== undefined || guild === undefined;
  const conversationId =
    answered ?? (await rooms.conversation({ guild, channel: home, thread: isThread ? channel : id }));
  if (!isAddressed && !(await isKnown(conversationId))) return undefined;
  const words = plainWords(content, bot, message.mentions);
  // Nothing but pictures, or text that the bot is not allowed to read.
  if (words === "" && !isMentioned && guild !== undefined) return undefined;
  const quote = quoteOf(referenced, bot);
  return {
    request: {
      surface: "discord",
      actor: actorOf(guild, author.id),
      conversationId,
      channel: channelOf(guild, home),
      message: words === "" ? (quote === undefined ? "help" : "What about this?") : words,
      eventId: `message:${id}`,
      ...(quote === undefined ? {} : { quote }),
    },
    place: toPlace({
      guild,
      channel,
      since: id,
      answers: isThread ? undefined : id,
      starter: isThread || answered !== undefined ? undefined : id,
    }),
  };
}

/** Somebody's message that another one answers is what that one is about. */
function quoteOf(
  message: GatewayMessageCreateDispatchData["referenced_message"],
  bot: string,
): Quote | undefined {
  if (message === undefined || message === null || message.author.id === bot) return undefined;
  const { author, content, mentions: people } = message;
  if (content.trim() === "") return undefined;
  return { text: plainWords(content, bot, people), author: author.global_name ?? author.username };
}

/** What a person wrote, without mentions of the bot; those of others, and emoji, become plain text. */
export function plainWords(
  content: string,
  bot: string,
  people: readonly Pick<APIUser, "id" | "username" | "global_name">[] = [],
): string {
  return content
    .replaceAll(new RegExp(`\\s*<@!?${bot}>`, "g"), "")
    .replaceAll(/<@!?(\d+)>/g, (whole, id: string) => {
      const person = people.find((one) => one.id === id);
      return person === undefined ? whole : `@${person.global_name ?? person.username}`;
    })
    .replaceAll(/<a?(:\w+:)\d+>/g, "$1")
    .trim();
}

export function mentions(content: string, bot: string): boolean {
  return content.includes(`<@${bot}>`) || content.includes(`<@!${bot}>`);
}

/** The words of components, as far as they are text. */
export function textsOf(components: unknown): string {
  if (Array.isArray(components)) {
    return components
      .map(textsOf)
      .filter((text) => text !== "")
      .join("\n");
  }
  if (typeof components !== "object" || components === null) return "";
  const own = "content" in components && typeof components.content === "string" ? components.content : "";
  const inner = "components" in components ? textsOf(components.components) : "";
  return [own, inner].filter((text) => text !== "").join("\n");
}
