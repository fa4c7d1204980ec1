import type { GatewayMessageCreateDispatchData } from "discord.js";

import type { Quote } from "#contract/given.ts";
import type { Place } from "#contract/present.ts";
import type { TurnRequest } from "#contract/turn.ts";

import type { Rooms } from "./rooms.ts";
import { actorOf, channelOf } from "./ids.ts";
import { toPlace } from "./place.ts";
import { mentions, plainWords } from "./words.ts";

/** Something that was said to the bot, and where it is answered. */
export interface Heard {
  request: TurnRequest;
  place: Place;
}

export interface Hearing {
  bot: string;
  rooms: Pick<Rooms, "parentOf" | "conversation" | "conversationAt">;
  /** Whether there was a turn in it. */
  isKnown: (conversation: string) => Promise<boolean>;
}

/** A message that people write, and one that answers another. */
const WRITTEN: ReadonlySet<number> = new Set([0, 19]);

/**
 * What a message says to the bot: a mention, a direct message, a reply to one of its messages, or a message
 * in a thread in which it takes part. Undefined for everything else, such as joins, webhooks and bots.
 */
export async function hear(
  message: GatewayMessageCreateDispatchData,
  hearing: Hearing,
): Promise<Heard | undefined> {
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
  { bot, rooms }: Hearing,
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
