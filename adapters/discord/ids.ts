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
export interface DiscordPlace {
  /** Undefined in direct messages. */
  guild?: string | undefined;
  /** The channel or thread. */
  channel: string;
  /** A message of the channel whose thread the answer goes to; it may have to be started. */
  starter?: string | undefined;
  /** The message that the answer replies to where it stands outside of a thread. */
  answers?: string | undefined;
  /** The interaction that the answer answers. */
  interaction?: { id: string; token: string } | undefined;
  /** The answer is for the person alone: it answers the interaction, or nobody gets it. */
  isPrivate?: boolean | undefined;
  /** Nothing of the turn was posted before this id. */
  since: string;
}

/** A message of Discord. */
export interface DiscordRef {
  channel: string;
  message: string;
  /** What was asked stands above it, in a thread or as the message that it answers. */
  isAnswer: boolean;
  /** It is made of embeds: Discord never lets a message change to the other kind. */
  isEmbeds?: boolean | undefined;
  /** Reaches the message for fifteen minutes, also where the bot cannot look into the channel. */
  token?: string | undefined;
  /** One person alone sees it: only the token reaches it. */
  isPrivate?: boolean | undefined;
}

const placeSchema: z.ZodType<DiscordPlace> = z.object({
  guild: z.string().optional(),
  channel: z.string(),
  starter: z.string().optional(),
  answers: z.string().optional(),
  interaction: z.object({ id: z.string(), token: z.string() }).optional(),
  isPrivate: z.boolean().optional(),
  since: z.string(),
});

const refSchema: z.ZodType<DiscordRef> = z.object({
  channel: z.string(),
  message: z.string(),
  isAnswer: z.boolean(),
  isEmbeds: z.boolean().optional(),
  token: z.string().optional(),
  isPrivate: z.boolean().optional(),
});

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
