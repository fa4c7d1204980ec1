import {
  ApplicationCommandOptionType as O,
  ApplicationCommandType,
  ChannelType,
  MessageFlags,
} from "discord-api-types/v10";
import { type Child, jsx as el } from "hono/jsx";

import { toHtml } from "#adapters/preview/frame.ts";
import { fieldsIn, textOf } from "#adapters/preview/context.ts";
import { drawMarkdown } from "#adapters/preview/discord/text.ts";
import { drawMessage, drawModal } from "#adapters/preview/discord/message.ts";

import type { Person } from "../people/person.ts";
import { may } from "../permissions.ts";
import { attachmentShape } from "../shapes.ts";
import type { Channel, Command, Fields, Message, World } from "../types.ts";
import { directChannel } from "../world.ts";
import { lookOf } from "./look.ts";

export interface Looking {
  person: Person;
  /** A channel's id, or `dm`. */
  place: string;
  /** A thread's id; empty without one. */
  thread: string;
}

/** What one person sees now, as JSON with pieces of HTML for the page to put in place. */
export function pageState(world: World, { person, place, thread }: Looking): Fields {
  const { user } = person;
  const seen = [...world.channels.values()].filter(
    (channel) => channel.guild !== undefined && may(world, user.id, channel, "ViewChannel"),
  );
  const channel = place === "dm" ? directChannel(world, user) : seen.find(({ id }) => id === place);
  const side = seen.find(({ id, parent }) => id === thread && parent !== undefined);
  return {
    people: [...world.users.values()]
      .filter(({ isBot }) => !isBot)
      .map(({ id, name, realName }) => ({ name, label: `${realName}${rolesOf(world, id)}` })),
    places: [...places(world, seen), { label: "Direct messages" }, { id: "dm", label: world.app.name }],
    title: place === "dm" ? world.app.name : `# ${channel?.name ?? ""}`,
    messages: channel === undefined ? "" : articles(world, person, channel),
    typing: typing(world, channel),
    threadTitle: side === undefined ? "" : `${side.name}${side.archived ? " (archived)" : ""}`,
    thread: side === undefined ? "" : articles(world, person, side),
    threadTyping: typing(world, side),
    commands: slashCommands(world, channel),
    modal: modal(world, user.id),
  };
}

function rolesOf(world: World, user: string): string {
  const names = [...world.guilds.values()].flatMap(({ members, roles }) =>
    [...(members.get(user) ?? [])].map((id) => roles.get(id)?.name ?? ""),
  );
  return names.length === 0 ? "" : ` (${[...new Set(names)].join(", ")})`;
}

function places(world: World, seen: readonly Channel[]): Fields[] {
  return [...world.guilds.values()].flatMap((guild) => {
    const channels = seen.filter((channel) => channel.guild === guild.id && channel.parent === undefined);
    if (channels.length === 0) return [];
    const entries = channels.flatMap((channel) => [
      { id: channel.id, label: `# ${channel.name}${withoutApp(world, channel)}` },
      ...seen
        .filter(({ parent, archived }) => parent === channel.id && !archived)
        .map(({ id, name }) => ({ thread: id, label: name })),
    ]);
    return [{ label: guild.name }, ...entries];
  });
}

function withoutApp(world: World, channel: Channel): string {
  return may(world, world.app.id, channel, "ViewChannel") ? "" : " (without the app)";
}

function articles(world: World, { user }: Person, channel: Channel): string {
  return world.messages
    .filter((message) => message.channel === channel.id && !message.deleted)
    .filter(({ ephemeralFor }) => ephemeralFor === undefined || ephemeralFor === user.id)
    .map((message) => article(world, message, channel))
    .join("");
}

function article(world: World, message: Message, channel: Channel): string {
  const author = world.users.get(message.author);
  const loading = (message.flags & MessageFlags.Loading) !== 0;
  const note = [
    new Date(message.createdAt).toISOString().slice(11, 19),
    message.editedAt === undefined ? "" : "(edited)",
    message.ephemeralFor === undefined ? "" : "· only you can see this",
  ].filter((part) => part !== "");
  const attachments = message.attachments.map((file) => attachmentShape(world, file));
  const thread = world.channels.get(message.id);
  const count = thread?.messageCount ?? 0;
  const threadName = `${thread?.name ?? ""} · ${count} ${count === 1 ? "message" : "messages"}`;
  const answered = world.byId.get(message.reference ?? "");
  const drawn = drawMessage(
    {
      author: author?.realName ?? message.author,
      isApp: author?.isBot === true,
      note: note.join(" "),
      payload: { ...message, attachments },
      before: answered === undefined ? null : reply(world, answered),
      after: [
        loading ? el("p", { class: "note" }, `${world.app.name} is thinking…`) : null,
        el(
          "footer",
          null,
          ...message.reactions.map(({ emoji, users }) => el("span", null, `${emoji} ${users.length}`)),
          thread === undefined ? null : el("button", { "data-thread": thread.id }, threadName),
          ...menus(world, message, channel),
        ),
      ],
    },
    lookOf(world, message.id, message.attachments),
  );
  return toHtml(el("article", { "data-message": message.id }, drawn));
}

/** One line, as Discord shows what is answered. */
function reply(world: World, { author, content }: Message): Child {
  const name = world.users.get(author)?.realName ?? author;
  const line = content.slice(0, 80);
  return el("p", { class: "note" }, `↱ ${name}: `, ...drawMarkdown(line, lookOf(world, "", [])));
}

function menus(world: World, message: Message, channel: Channel): Child[] {
  if (message.ephemeralFor !== undefined) return [];
  return offered(world, channel)
    .filter(({ type }) => type === ApplicationCommandType.Message)
    .map(({ name }) => el("button", { "data-menu": name, "data-message": message.id }, name));
}

function offered(world: World, channel: Channel | undefined): Command[] {
  if (channel === undefined) return [];
  const context = channel.type === ChannelType.DM ? 1 : 0;
  const own = world.commands.get(channel.guild ?? "") ?? [];
  return [...own, ...(world.commands.get("global") ?? [])].filter(
    ({ contexts }) => !Array.isArray(contexts) || contexts.includes(context),
  );
}

/** Every command with its subcommands, and the fields of each. */
function slashCommands(world: World, channel: Channel | undefined): Fields[] {
  return offered(world, channel)
    .filter(({ type }) => type === ApplicationCommandType.ChatInput)
    .flatMap((command) => leaves(command, command.name));
}

function leaves(command: Fields, name: string): Fields[] {
  const options = fieldsIn(command.options);
  const nested = options.filter(({ type }) => type === O.Subcommand || type === O.SubcommandGroup);
  if (nested.length > 0) return nested.flatMap((option) => leaves(option, `${name} ${textOf(option.name)}`));
  const fields = options.map((option) => ({
    name: option.name,
    description: option.description,
    required: option.required === true,
    autocomplete: option.autocomplete === true,
    choices: option.type === O.Boolean ? ["true", "false"] : fieldsIn(option.choices).map(({ name }) => name),
  }));
  return [{ name, description: command.description, options: fields }];
}

function typing(world: World, channel: Channel | undefined): string {
  const until = world.typing.get(channel?.id ?? "") ?? 0;
  return until > world.clock.now() ? `${world.app.name} is typing…` : "";
}

function modal(world: World, user: string): Fields | null {
  const open = world.modals.get(user);
  if (open === undefined) return null;
  const look = lookOf(world, open.id, []);
  const parts = { close: { "data-deed": "close" }, submit: { "data-deed": "submit" } };
  return {
    id: open.id,
    body: toHtml(drawModal({ title: open.title, components: open.components }, look, parts)),
  };
}
