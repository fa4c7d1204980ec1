import type { GatewayMessageCreateDispatchData } from "discord.js";

import type { Quote } from "#contract/message.ts";
import type { Place } from "#contract/present.ts";
import type { TurnRequest } from "#contract/turn.ts";

import { toPlace } from "../send/place.ts";
import type { Conversations } from "./conversations.ts";
import { actorOf, channelOf } from "../ids.ts";

/** Something that was said to the bot, and where it is answered. */
export interface IncomingMessage {
  request: TurnRequest;
  place: Place;
}

export interface MessageContext {
  bot: string;
  rooms: Pick<Conversations, "parentOf" | "conversation" | "conversationAt">;
  /** Whether there was a turn in it. */
  isKnown: (conversation: string) => Promise<boolean>;
}

/** A message that people write, and one that answers another. */
const WRITTEN: ReadonlySet<number> = new Set([0, 19]);

/**
 * What a message says to the bot: a mention, a direct message, a reply to one of its messages, or a message
 * in a thread in which it takes part. Undefined for everything else, such as joins, webhooks and bots.
 */
export async function parseMessage(
  message: GatewayMessageCreateDispatchData,
  hearing: MessageContext,
): Promise<IncomingMessage | undefined> {
  const { author, guild_id: guild, channel_id: channel, id, content } = message;
  const { bot, rooms } = hearing;
  if (author.bot === true || message.webhook_id !== undefined || !WRITTEN.has(message.type)) return undefined;
  const isMentioned = mentions(content, bot);
  const answered = await answeredTurn(message, hearing);
  const parent = guild === undefined ? undefined : await rooms.parentOf(channel, isMentioned);
  const isThread = parent !== undefined;
  if (!isMentioned && guild !== undefined && answered === undefined && !isThread) return undefined;

  const conversationId =
    answered ??
    (await rooms.conversation({
      guild,
      channel: parent ?? channel,
      thread: isThread || guild === undefined ? channel : id,
    }));
  const isAddressed = isMentioned || guild === undefined || answered !== undefined;
  if (!isAddressed && !(await hearing.isKnown(conversationId))) return undefined;
  const words = plainWords(content, bot, message.mentions);
  // Nothing but pictures, or text that the bot is not allowed to read.
  if (words === "" && !isMentioned && guild !== undefined) return undefined;
  const quote = quoteOf(message, bot);
  return {
    request: {
      surface: "discord",
      actor: actorOf(guild, author.id),
      conversationId,
      channel: channelOf(guild, parent ?? channel),
      message: words === "" ? (quote === undefined ? "help" : "What about this?") : words,
      eventId: `message:${id}`,
      ...(quote === undefined ? {} : { quote }),
    },
    place: toPlace({
      guild,
      channel,
      since: id,
      ...(guild === undefined || isThread ? {} : { answers: id }),
      ...(guild === undefined || isThread || answered !== undefined ? {} : { starter: id }),
    }),
  };
}

/** The conversation of the bot's message that this one answers, where that stands outside of a thread. */
async function answeredTurn(
  { message_reference: reference, referenced_message: answered }: GatewayMessageCreateDispatchData,
  { bot, rooms }: MessageContext,
): Promise<string | undefined> {
  if (reference?.message_id === undefined || answered?.author.id !== bot) return undefined;
  return rooms.conversationAt(reference.message_id);
}

/** Somebody's message that this one answers is what it is about. */
function quoteOf(
  { referenced_message: answered }: GatewayMessageCreateDispatchData,
  bot: string,
): Quote | undefined {
  if (answered === undefined || answered === null || answered.author.id === bot) return undefined;
  if (answered.content.trim() === "") return undefined;
  const { author, content } = answered;
  return { text: plainWords(content, bot, answered.mentions), author: author.global_name ?? author.username };
}

/** A person of a message, as Discord names them. */
interface Named {
  id: string;
  username: string;
  global_name?: string | null;
}

/** What a person wrote, without mentions of the bot; those of others, and emoji, become plain text. */
export function plainWords(content: string, bot: string, people: readonly Named[] = []): string {
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
