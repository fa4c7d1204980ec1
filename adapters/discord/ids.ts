import { z } from "zod";

import type { ActorId } from "#contract/actor.ts";
import type { JsonObject } from "#contract/json.ts";
import type { MessageRef, Place } from "#contract/present.ts";

/** Stands for the guild in direct messages, as in Discord's own addresses. */
export const DIRECT = "@me";

/** `discord:GUILD:USER`. */
export function actorOf(guild: string | undefined, user: string): ActorId {
  return `discord:${guild ?? DIRECT}:${user}`;
}

/** `discord:GUILD:CHANNEL`; of a thread the channel that it hangs on. */
export function channelOf(guild: string | undefined, channel: string): string {
  return `discord:${guild ?? DIRECT}:${channel}`;
}

/**
 * `discord:GUILD:CHANNEL:THREAD`. A thread that is started from a message has that message's id, so the
 * conversation has its name before there is a thread.
 */
export function conversationOf(guild: string | undefined, channel: string, thread: string): string {
  return `${channelOf(guild, channel)}:${thread}`;
}

/** Guild and user of an actor, or guild and channel of a channel; undefined when it is not of Discord. */
export function readId(id: string): { guild: string; local: string } | undefined {
  const [, guild, local] = /^discord:(\d+|@me):(\d+)$/.exec(id) ?? [];
  return guild === undefined || local === undefined ? undefined : { guild, local };
}

/** Where a turn is shown. */
const placeSchema = z.object({
  /** Undefined in direct messages. */
  guild: z.string().optional(),
  /** The channel or thread. */
  channel: z.string(),
  /** A message of the channel whose thread the answer goes to; it may have to be started. */
  starter: z.string().optional(),
  /** The message that the answer replies to where it stands outside of a thread. */
  answers: z.string().optional(),
  /** The interaction that the answer answers. */
  interaction: z.object({ id: z.string(), token: z.string() }).optional(),
  /** The answer is for the person alone: it answers the interaction, or nobody gets it. */
  isPrivate: z.boolean().optional(),
  /** Nothing of the turn was posted before this id. */
  since: z.string(),
});
export type DiscordPlace = z.infer<typeof placeSchema>;

/** A message of Discord. */
const refSchema = z.object({
  channel: z.string(),
  message: z.string(),
  /** What was asked stands above it, in a thread or as the message that it answers. */
  isAnswer: z.boolean(),
  /** It is made of embeds: Discord never lets a message change to the other kind. */
  isEmbeds: z.boolean().optional(),
  /** Reaches the message for fifteen minutes, also where the bot cannot look into the channel. */
  token: z.string().optional(),
  /** One person alone sees it: only the token reaches it. */
  isPrivate: z.boolean().optional(),
});
export type DiscordRef = z.infer<typeof refSchema>;

export function toPlace(place: DiscordPlace): Place {
  return withoutUndefined(place);
}

export function readPlace(place: Place): DiscordPlace {
  return placeSchema.parse(place);
}

export function toRef(ref: DiscordRef): MessageRef {
  return withoutUndefined(ref);
}

export function readRef(ref: MessageRef): DiscordRef {
  return refSchema.parse(ref);
}

function withoutUndefined(record: object): JsonObject {
  return JSON.parse(JSON.stringify(record)) as JsonObject;
}
