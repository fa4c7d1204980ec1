import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIMessageApplicationCommandInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  ApplicationCommandType,
  ChannelType,
  type GatewayInteractionCreateDispatchData,
  InteractionType,
  MessageFlags,
} from "discord.js";

import type { ActorId } from "#contract/actor.ts";

import { actorOf } from "../ids.ts";

/** Who did something where. */
export interface InteractionContext {
  id: string;
  token: string;
  /** Undefined in direct messages. */
  guild: string | undefined;
  /** The channel or thread. */
  channel: string;
  /** The channel that a thread hangs on. */
  parent: string | undefined;
  actor: ActorId;
  /** It was done at a message. */
  message: { id: string; isForOne: boolean } | undefined;
}

export type Interaction =
  | { kind: "command"; interaction: APIChatInputApplicationCommandInteraction }
  | { kind: "menu"; interaction: APIMessageApplicationCommandInteraction }
  | { kind: "typing"; interaction: APIApplicationCommandAutocompleteInteraction }
  | { kind: "click"; interaction: APIMessageComponentInteraction }
  | { kind: "form"; interaction: APIModalSubmitInteraction };

const EPHEMERAL = MessageFlags.Ephemeral;

export function readContext(
  interaction: GatewayInteractionCreateDispatchData,
): InteractionContext | undefined {
  const { id, token, guild_id: guild, channel } = interaction;
  const user = interaction.member?.user ?? interaction.user;
  if (channel === undefined || user === undefined) return undefined;
  const isThread =
    channel.type === ChannelType.PublicThread ||
    channel.type === ChannelType.PrivateThread ||
    channel.type === ChannelType.AnnouncementThread;
  const message = "message" in interaction ? interaction.message : undefined;
  return {
    id,
    token,
    guild,
    channel: channel.id,
    parent: isThread && "parent_id" in channel ? (channel.parent_id ?? undefined) : undefined,
    actor: actorOf(guild, user.id),
    message:
      message === undefined
        ? undefined
        : { id: message.id, isForOne: ((message.flags ?? 0) & EPHEMERAL) !== 0 },
  };
}

/** What was done; undefined for what this app does not offer. */
export function readInteraction(interaction: GatewayInteractionCreateDispatchData): Interaction | undefined {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand:
      if (interaction.data.type === ApplicationCommandType.ChatInput) {
        return { kind: "command", interaction: interaction as APIChatInputApplicationCommandInteraction };
      }
      if (interaction.data.type === ApplicationCommandType.Message) {
        return { kind: "menu", interaction: interaction as APIMessageApplicationCommandInteraction };
      }
      return undefined;
    case InteractionType.ApplicationCommandAutocomplete:
      return { kind: "typing", interaction };
    case InteractionType.MessageComponent:
      return { kind: "click", interaction };
    case InteractionType.ModalSubmit:
      return { kind: "form", interaction };
    default:
      return undefined;
  }
}
