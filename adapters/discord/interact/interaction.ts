import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIMessageApplicationCommandInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  ApplicationCommandType,
  type GatewayInteractionCreateDispatchData,
  InteractionType,
  MessageFlags,
} from "discord.js";

import type { ActorId } from "#contract/actor.ts";

import { actorOf, channelOf } from "../ids.ts";
import { parentOf } from "../receive/conversations.ts";

/** What is done at Discord, as far as this app offers it. */
export type Interaction =
  | { kind: "command"; interaction: APIChatInputApplicationCommandInteraction }
  | { kind: "menu"; interaction: APIMessageApplicationCommandInteraction }
  | { kind: "typing"; interaction: APIApplicationCommandAutocompleteInteraction }
  | { kind: "click"; interaction: APIMessageComponentInteraction }
  | { kind: "form"; interaction: APIModalSubmitInteraction };

/** Who did something where. */
export interface InteractionOrigin {
  id: string;
  token: string;
  actor: ActorId;
  /** Undefined in direct messages. */
  guild: string | undefined;
  /** The channel or thread. */
  channel: string;
  /** The channel, or the one that the thread hangs on, as Discord and as the core know it. */
  home: string;
  channelId: string;
  /** A thread or a direct conversation is one conversation; a channel holds many. */
  isThread: boolean;
  /** The message at which it was done. */
  message: { id: string; isForOne: boolean } | undefined;
}

/** Returns undefined where Discord does not say who did it or where. */
export function readOrigin(interaction: GatewayInteractionCreateDispatchData): InteractionOrigin | undefined {
  const { id, token, guild_id: guild, channel } = interaction;
  const user = interaction.member?.user ?? interaction.user;
  if (channel === undefined || user === undefined) return undefined;
  const parent = parentOf(channel);
  const home = parent ?? channel.id;
  const message = "message" in interaction ? interaction.message : undefined;
  return {
    id,
    token,
    actor: actorOf(guild, user.id),
    guild,
    channel: channel.id,
    home,
    channelId: channelOf(guild, home),
    isThread: parent !== undefined || guild === undefined,
    message: message && { id: message.id, isForOne: ((message.flags ?? 0) & MessageFlags.Ephemeral) !== 0 },
  };
}

const COMMANDS: Readonly<Record<number, Interaction["kind"]>> = {
  [ApplicationCommandType.ChatInput]: "command",
  [ApplicationCommandType.Message]: "menu",
};

const KINDS: Readonly<Record<number, Interaction["kind"]>> = {
  [InteractionType.ApplicationCommandAutocomplete]: "typing",
  [InteractionType.MessageComponent]: "click",
  [InteractionType.ModalSubmit]: "form",
};

/** Returns undefined for what this app does not offer. */
export function readInteraction(interaction: GatewayInteractionCreateDispatchData): Interaction | undefined {
  const isCommand = interaction.type === InteractionType.ApplicationCommand;
  const kind = isCommand ? COMMANDS[interaction.data.type] : KINDS[interaction.type];
  return kind && ({ kind, interaction } as Interaction);
}
