import { z } from "zod";

import type { MessageRef, Place } from "#contract/present.ts";

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
}

const placeSchema: z.ZodType<DiscordPlace> = z.object({
  guild: z.string().optional(),
  channel: z.string(),
  starter: z.string().optional(),
  answers: z.string().optional(),
  interaction: z.object({ id: z.string(), token: z.string() }).optional(),
  since: z.string(),
});

const refSchema: z.ZodType<DiscordRef> = z.object({
  channel: z.string(),
  message: z.string(),
  isAnswer: z.boolean(),
  isEmbeds: z.boolean().optional(),
  token: z.string().optional(),
});

export function toPlace({ guild, starter, answers, interaction, ...place }: DiscordPlace): Place {
  return {
    ...place,
    ...(guild === undefined ? {} : { guild }),
    ...(starter === undefined ? {} : { starter }),
    ...(answers === undefined ? {} : { answers }),
    ...(interaction === undefined ? {} : { interaction }),
  };
}

export function readPlace(place: Place): DiscordPlace {
  return placeSchema.parse(place);
}

export function toRef({ token, isEmbeds, ...ref }: DiscordRef): MessageRef {
  return {
    ...ref,
    ...(isEmbeds === true ? { isEmbeds } : {}),
    ...(token === undefined ? {} : { token }),
  };
}

export function readRef(ref: MessageRef): DiscordRef {
  return refSchema.parse(ref);
}
