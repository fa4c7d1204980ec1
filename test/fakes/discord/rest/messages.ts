import { ChannelType } from "discord-api-types/v10";

import { DiscordError, refusal } from "../errors.ts";
import { reactionEvent } from "../events.ts";
import { demand, may, toWrite } from "../permissions.ts";
import type { Permission } from "../permissions.ts";
import { deleteMessage, editMessage, postMessage } from "../sending.ts";
import { messageShape } from "../shapes.ts";
import { channelOf, messageOf, route } from "./route.ts";
import type { Context, Handler, Route } from "./route.ts";

/** Routes of messages: https://discord.com/developers/docs/resources/message */
export const messageRoutes: readonly Route[] = [
  route("GET", "/channels/:channel/messages", list),
  route("POST", "/channels/:channel/messages", create),
  route("GET", "/channels/:channel/messages/:message", (context) => {
    const channel = channelOf(context);
    demand(context.world, channel, "ReadMessageHistory");
    return messageShape(context.world, messageOf(context, channel));
  }),
  route("PATCH", "/channels/:channel/messages/:message", edit),
  route("DELETE", "/channels/:channel/messages/:message", remove),
  route("PUT", "/channels/:channel/messages/:message/reactions/:emoji/@me", react("ADD")),
  route("DELETE", "/channels/:channel/messages/:message/reactions/:emoji/@me", react("REMOVE")),
  route("POST", "/channels/:channel/typing", (context) => {
    const channel = channelOf(context);
    demand(context.world, channel, toWrite(channel));
    // Clients draw it for ten seconds.
    context.world.typing.set(channel.id, context.world.clock.now() + 10_000);
    context.world.changed();
  }),
];

function list(context: Context): unknown {
  const { world, query } = context;
  const channel = channelOf(context);
  const limit = Number(query.get("limit") ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new DiscordError(400, 50035, "Invalid Form Body", {
      limit: { _errors: [{ code: "NUMBER_TYPE_MAX", message: "int value should be between 1 and 100." }] },
    });
  }
  if (!may(world, world.app.id, channel, "ReadMessageHistory")) return [];
  const newestFirst = world.messages
    .filter((m) => m.channel === channel.id && !m.deleted && m.ephemeralFor === undefined)
    .toReversed();
  const id = (name: string): bigint | undefined => {
    const value = query.get(name);
    return value === null ? undefined : BigInt(value);
  };
  const [before, after, around] = [id("before"), id("after"), id("around")];
  const older = (edge: bigint) => newestFirst.filter((m) => BigInt(m.id) < edge);
  const newer = (edge: bigint) => newestFirst.filter((m) => BigInt(m.id) > edge);
  let chosen = newestFirst.slice(0, limit);
  if (before !== undefined) chosen = older(before).slice(0, limit);
  if (after !== undefined) chosen = newer(after).slice(-limit);
  if (around !== undefined) {
    const half = Math.floor(limit / 2);
    const at = newestFirst.filter((m) => BigInt(m.id) === around);
    chosen = [...newer(around).slice(-half), ...at, ...older(around).slice(0, half)];
  }
  return chosen.map((message) => messageShape(world, message));
}

function create(context: Context): unknown {
  const { world, body, files } = context;
  const channel = channelOf(context);
  const needs: Permission[] = [toWrite(channel)];
  if (Array.isArray(body.embeds) && body.embeds.length > 0) needs.push("EmbedLinks");
  if (files.length > 0) needs.push("AttachFiles");
  if (body.message_reference !== undefined) needs.push("ReadMessageHistory");
  demand(world, channel, ...needs);
  if (channel.archived && channel.locked && !may(world, world.app.id, channel, "ManageThreads")) {
    throw refusal(50083);
  }
  const { type } = channel;
  const isClosed = (id: string): boolean => world.closedDirects.has(id);
  const isBots = [...channel.members].every((id) => world.users.get(id)?.isBot === true);
  if (type === ChannelType.DM && (isBots || [...channel.members].some(isClosed))) throw refusal(50007);
  return messageShape(world, postMessage(context, channel, body));
}

function edit(context: Context): unknown {
  const { world, body, files } = context;
  const channel = channelOf(context);
  const message = messageOf(context, channel);
  if (message.author !== world.app.id) throw refusal(50005);
  if (files.length > 0) demand(world, channel, "AttachFiles");
  if (Array.isArray(body.embeds) && body.embeds.length > 0) demand(world, channel, "EmbedLinks");
  if (channel.archived && channel.locked) throw refusal(50083);
  return messageShape(world, editMessage(context, message, body));
}

function remove(context: Context): unknown {
  const { world } = context;
  const channel = channelOf(context);
  const message = messageOf(context, channel);
  if (message.author !== world.app.id) demand(world, channel, "ManageMessages");
  deleteMessage(world, message);
  return undefined;
}

function react(kind: "ADD" | "REMOVE"): Handler {
  return (context) => {
    const { world, params } = context;
    const channel = channelOf(context);
    const message = messageOf(context, channel);
    const emoji = params.emoji ?? "";
    const found = message.reactions.find((reaction) => reaction.emoji === emoji);
    demand(world, channel, "ReadMessageHistory");
    if (kind === "ADD") {
      if (found === undefined) {
        demand(world, channel, "AddReactions");
        message.reactions.push({ emoji, users: [world.app.id] });
      } else if (!found.users.includes(world.app.id)) found.users.push(world.app.id);
    } else if (found !== undefined) found.users = found.users.filter((user) => user !== world.app.id);
    message.reactions = message.reactions.filter(({ users }) => users.length > 0);
    reactionEvent(world, kind, message, world.app.id, emoji);
    world.changed();
  };
}
