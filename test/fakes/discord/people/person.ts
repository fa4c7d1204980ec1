import {
  ApplicationCommandType,
  ChannelType,
  InteractionType,
  MessageType,
  PermissionFlagsBits,
} from "discord-api-types/v10";

import { channelEvent, messageEvent, reactionEvent } from "../events.ts";
import type { GatewayControls } from "../gateway/gateway.ts";
import { mentionsOf } from "../mentions.ts";
import { has, may, permissionsIn, toWrite } from "../permissions.ts";
import { announce, deleteMessage } from "../sending.ts";
import { knownUser, messageShape } from "../shapes.ts";
import type { Channel, Command, Fields, Interaction, Message, Modal, User, World } from "../types.ts";
import { addChannel, addMessage, channelNamed, directChannel } from "../world.ts";
import { clickData, controlNamed, submission } from "./controls.ts";
import { interact } from "./interact.ts";
import type { Deed, Outcome } from "./interact.ts";
import { fillOptions } from "./options.ts";
import { createResolver, storedFile, userNamed } from "./resolved.ts";
import type { GivenFile } from "./resolved.ts";

/** Where a person is: a channel or thread by name or id, `"dm"` for the bot's direct messages, or a message's place. */
export type Place = string | Channel | Message;

/** What one member can do with their hands. What Discord's own app would not let them do throws. */
export interface Person {
  readonly id: string;
  readonly user: User;
  /** Writes a message; `<@id>` in the text mentions. */
  say(place: Place, text: string, more?: { reply?: string; files?: GivenFile[] }): Message;
  /** Writes a message that begins by mentioning the bot. */
  mention(place: Place, text: string, more?: { reply?: string; files?: GivenFile[] }): Message;
  edit(message: string | Message, text: string): void;
  remove(message: string | Message): void;
  react(message: string | Message, emoji: string): void;
  /** Starts a thread from a message. */
  startThread(message: string | Message, name: string): Channel;
  /** `slash("jira show", { key: "DEMO-1" })`: group and subcommand stand in the name. Default place: `general`. */
  slash(command: string, values?: Record<string, unknown>, place?: Place): Promise<Outcome>;
  /** Types into an option; resolves with the choices, or undefined when the app was too slow. */
  autocomplete(
    command: string,
    option: string,
    typed: string,
    values?: Record<string, unknown>,
    place?: Place,
  ): Promise<{ name: string; value: string | number }[] | undefined>;
  /** Presses a button or chooses in a menu, named by its label or custom_id; `value` is what is chosen. */
  click(message: string | Message, control: string, value?: unknown): Promise<Outcome>;
  /**
   * Sends a press that Discord's own app would not send: of any button, of a message as given, wherever the
   * person is.
   */
  forge(place: Place, customId: string, source: Message): Promise<Outcome>;
  /** Sends a form that was never opened. */
  forgeForm(place: Place, customId: string, components: Fields[]): Promise<Outcome>;
  /** Fills the open modal, by label or custom_id, and submits it. It stays open when nobody answers. */
  submit(values: Record<string, unknown>, modal?: Modal): Promise<Outcome>;
  /** Closes the open modal; the app hears nothing of it. */
  closeModal(): void;
  /** Uses a command of a message's context menu. */
  contextMenu(command: string, message: string | Message): Promise<Outcome>;
  /** Uses a command of a person's context menu. */
  userMenu(command: string, user: string, place?: Place): Promise<Outcome>;
}

export interface People {
  world: World;
  gateway: Pick<GatewayControls, "sessions">;
}

export function createPerson({ world, gateway }: People, user: User): Person {
  const channelAt = (place: Place): Channel => {
    if (place === "dm") return directChannel(world, user);
    const name = typeof place === "string" ? place : "content" in place ? place.channel : place.id;
    const channel = channelNamed(world, name);
    if (!may(world, user.id, channel, "ViewChannel"))
      throw new Error(`${user.name} does not see ${channel.name}`);
    return channel;
  };

  const readable = (given: string | Message): { message: Message; channel: Channel } => {
    const id = typeof given === "string" ? given : given.id;
    const message = world.byId.get(id);
    if (message === undefined || message.deleted) throw new Error(`expected a message, got "${id}"`);
    const hidden = message.ephemeralFor !== undefined && message.ephemeralFor !== user.id;
    const channel = world.channels.get(message.channel);
    if (hidden || channel === undefined || !may(world, user.id, channel, "ViewChannel")) {
      throw new Error(`${user.name} does not see message ${id}`);
    }
    return { message, channel };
  };

  const own = (given: string | Message): { message: Message; channel: Channel } => {
    const found = readable(given);
    if (found.message.author !== user.id)
      throw new Error(`message ${found.message.id} is not ${user.name}'s`);
    return found;
  };

  const say: Person["say"] = (place, text, { reply, files = [] } = {}) => {
    const channel = channelAt(place);
    if (!may(world, user.id, channel, toWrite(channel)) || channel.locked) {
      throw new Error(`${user.name} may not write in ${channel.name}`);
    }
    if (text.length > 2000) throw new Error(`Discord takes 2000 characters, got ${text.length}`);
    const mentions = mentionsOf(world, channel, user.id, text);
    const answered = reply === undefined ? undefined : readable(reply).message;
    if (answered !== undefined && !mentions.mentions.includes(answered.author)) {
      mentions.mentions.push(answered.author);
    }
    const message = addMessage(world, {
      channel: channel.id,
      author: user.id,
      content: text,
      type: reply === undefined ? MessageType.Default : MessageType.Reply,
      reference: reply,
      attachments: files.map((file) => storedFile(world, file)),
      ...mentions,
    });
    announce(world, channel, message);
    return message;
  };

  const act = (deed: Omit<Deed, "user">): Promise<Outcome> => interact(world, gateway, { ...deed, user });

  const commandNamed = (name: string, type: ApplicationCommandType, channel: Channel): Command => {
    const here = channel.guild === undefined ? [] : (world.commands.get(channel.guild) ?? []);
    const offered = [...here, ...(world.commands.get("global") ?? [])].filter(
      (command) => command.type === type,
    );
    const command = offered.find((candidate) => candidate.name === name);
    if (command === undefined) {
      const known = offered.map((candidate) => `"${candidate.name}"`).join(", ") || "(none is registered)";
      throw new Error(`expected one of the commands ${known}, got "${name}"`);
    }
    const contexts = command.contexts as number[] | null | undefined;
    if (contexts?.includes(channel.type === ChannelType.DM ? 1 : 0) === false) {
      throw new Error(`"${name}" is not offered here`);
    }
    const needed = command.default_member_permissions;
    const sum = permissionsIn(world, user.id, channel);
    const allowed =
      typeof needed !== "string" || channel.guild === undefined || (sum & BigInt(needed)) === BigInt(needed);
    const admin = (sum & PermissionFlagsBits.Administrator) !== 0n;
    if (!has(sum, "UseApplicationCommands") || !(allowed || admin)) {
      throw new Error(`${user.name} may not use "${name}" here`);
    }
    return command;
  };

  const commandData = (command: Command, options: Fields[], resolved: Fields | undefined): Fields => ({
    id: command.id,
    name: command.name,
    type: command.type,
    ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }),
    ...(options.length === 0 ? {} : { options }),
    ...(resolved === undefined ? {} : { resolved }),
  });

  const prepare = (
    words: string,
    values: Record<string, unknown>,
    place: Place,
    focus?: { option: string; typed: string },
  ): { channel: Channel; data: Fields } => {
    const channel = channelAt(place);
    const [name = "", ...path] = words.replace(/^\//, "").split(" ");
    const command = commandNamed(name, ApplicationCommandType.ChatInput, channel);
    const resolver = createResolver(world, channel);
    const options = fillOptions(command, path, values, resolver, focus);
    return { channel, data: commandData(command, options, resolver.data()) };
  };

  const topModal = (modal: Modal | undefined): Modal => {
    const open = world.modals.get(user.id);
    if (open === undefined || (modal !== undefined && modal.id !== open.id)) {
      throw new Error(`${user.name} has no such modal open`);
    }
    return open;
  };

  return {
    id: user.id,
    user,
    say,
    mention: (place, text, more) => say(place, `<@${world.app.id}> ${text}`, more),
    edit(given, text) {
      const { message, channel } = own(given);
      const { content, embeds, components, attachments, flags } = message;
      message.history.push({ content, embeds, components, attachments, flags });
      const mentions = mentionsOf(world, channel, user.id, text);
      Object.assign(message, { content: text, editedAt: world.clock.now(), ...mentions });
      messageEvent(world, "MESSAGE_UPDATE", message);
      world.changed();
    },
    remove: (given) => deleteMessage(world, own(given).message),
    react(given, emoji) {
      const { message } = readable(given);
      const found = message.reactions.find((reaction) => reaction.emoji === emoji);
      if (found === undefined) message.reactions.push({ emoji, users: [user.id] });
      else if (!found.users.includes(user.id)) found.users.push(user.id);
      reactionEvent(world, "ADD", message, user.id, emoji);
      world.changed();
    },
    startThread(given, name) {
      const { message, channel } = readable(given);
      const thread = addChannel(world, message.id, ChannelType.PublicThread, name, channel.guild);
      Object.assign(thread, {
        parent: channel.id,
        owner: user.id,
        members: new Set([user.id, message.author]),
      });
      channelEvent(world, "CREATE", thread);
      world.changed();
      return thread;
    },
    async slash(words, values = {}, place = "general") {
      const { channel, data } = prepare(words, values, place);
      return act({ type: InteractionType.ApplicationCommand, data, channel });
    },
    async autocomplete(words, option, typed, values = {}, place = "general") {
      const { channel, data } = prepare(words, values, place, { option, typed });
      const outcome = await act({ type: InteractionType.ApplicationCommandAutocomplete, data, channel });
      return outcome.interaction.choices;
    },
    async click(given, name, value) {
      const { message, channel } = readable(given);
      const data = clickData(controlNamed(message.components, name), value, createResolver(world, channel));
      const metadata = { interacted_message_id: message.id };
      return act({ type: InteractionType.MessageComponent, data, channel, source: message, metadata });
    },
    forge: (place, customId, source) =>
      act({
        type: InteractionType.MessageComponent,
        data: { custom_id: customId, component_type: 2, id: 1 },
        channel: channelAt(place),
        source,
      }),
    forgeForm: (place, customId, components) =>
      act({
        type: InteractionType.ModalSubmit,
        data: { custom_id: customId, components },
        channel: channelAt(place),
      }),
    async submit(values, given) {
      const modal = topModal(given);
      const opener = world.interactions.get(modal.interaction) as Interaction;
      const channel = channelNamed(world, opener.channel);
      const resolver = createResolver(world, channel);
      const components = submission(modal.components, values, resolver);
      const resolved = resolver.data();
      const data: Fields = {
        custom_id: modal.customId,
        components,
        ...(resolved === undefined ? {} : { resolved }),
      };
      const outcome = await act({
        type: InteractionType.ModalSubmit,
        data,
        channel,
        source: world.byId.get(opener.source ?? ""),
        metadata: { triggering_interaction_metadata: opener.metadata },
      });
      if (outcome.ok && world.modals.get(user.id) === modal) world.modals.delete(user.id);
      world.changed();
      return outcome;
    },
    closeModal() {
      world.modals.delete(user.id);
      world.changed();
    },
    async contextMenu(name, given) {
      const { message, channel } = readable(given);
      const command = commandNamed(name, ApplicationCommandType.Message, channel);
      const resolved = { messages: { [message.id]: messageShape(world, message) } };
      const data = { ...commandData(command, [], resolved), target_id: message.id };
      const metadata = { target_message_id: message.id };
      return act({ type: InteractionType.ApplicationCommand, data, channel, metadata });
    },
    async userMenu(name, handle, place = "general") {
      const channel = channelAt(place);
      const command = commandNamed(name, ApplicationCommandType.User, channel);
      const resolver = createResolver(world, channel);
      const target = resolver.user(userNamed(world, handle).id);
      const data = { ...commandData(command, [], resolver.data()), target_id: target };
      const metadata = { target_user: knownUser(world, target) };
      return act({ type: InteractionType.ApplicationCommand, data, channel, metadata });
    },
  };
}
