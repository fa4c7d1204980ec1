import { ChannelType } from "discord-api-types/v10";
import type { RESTPatchAPIChannelJSONBody, RESTPostAPIChannelThreadsJSONBody } from "discord-api-types/v10";

import { Form } from "../check/form.ts";
import type { FieldsOf } from "../check/form.ts";
import { refusal } from "../errors.ts";
import { channelEvent } from "../events.ts";
import { demand, isThread, toWrite } from "../permissions.ts";
import { join } from "../sending.ts";
import { channelShape, threadMember } from "../shapes.ts";
import type { Channel } from "../types.ts";
import { addChannel, directChannel } from "../world.ts";
import { channelOf, messageOf, route } from "./route.ts";
import type { Context, Route } from "./route.ts";

/** Routes of channels and threads: https://discord.com/developers/docs/resources/channel */
export const channelRoutes: readonly Route[] = [
  route("GET", "/channels/:channel", (context) => channelShape(context.world, channelOf(context))),
  route("PATCH", "/channels/:channel", change),
  route("POST", "/channels/:channel/messages/:message/threads", (context) => startThread(context, true)),
  route("POST", "/channels/:channel/threads", (context) => startThread(context, false)),
  route("GET", "/channels/:channel/thread-members", (context) => {
    const thread = channelOf(context);
    return [...thread.members].map((user) => threadMember(thread, user));
  }),
  route("GET", "/channels/:channel/thread-members/:user", (context) => {
    const thread = channelOf(context);
    const user = context.params.user === "@me" ? context.world.app.id : (context.params.user ?? "");
    if (!thread.members.has(user)) throw refusal(10007);
    return threadMember(thread, user);
  }),
  route("PUT", "/channels/:channel/thread-members/:user", (context) => {
    const thread = channelOf(context);
    if (!isThread(thread)) throw refusal(10003);
    join(
      context.world,
      thread,
      context.params.user === "@me" ? context.world.app.id : (context.params.user ?? ""),
    );
  }),
  route("POST", "/users/@me/channels", (context) => {
    const user = context.world.users.get(String(context.body.recipient_id));
    if (user === undefined) throw refusal(10013);
    return channelShape(context.world, directChannel(context.world, user));
  }),
];

const threadFields: FieldsOf<RESTPostAPIChannelThreadsJSONBody> = {
  name: true,
  auto_archive_duration: true,
  rate_limit_per_user: true,
  type: true,
  invitable: true,
};

const ARCHIVE_MINUTES = [60, 1440, 4320, 10_080];

function startThread(context: Context, onMessage: boolean): unknown {
  const { world, body } = context;
  const parent = channelOf(context);
  const form = new Form();
  form.object(body, [], threadFields);
  form.text(body.name, ["name"], 100, 1);
  form.choice(body.auto_archive_duration, ["auto_archive_duration"], ARCHIVE_MINUTES);
  context.accept(form);
  if (parent.type !== ChannelType.GuildText) throw refusal(50013);
  const isPrivate = !onMessage && (body.type ?? ChannelType.PrivateThread) === ChannelType.PrivateThread;
  demand(world, parent, isPrivate ? "CreatePrivateThreads" : "CreatePublicThreads");
  const message = onMessage ? messageOf(context, parent) : undefined;
  // A thread that hangs on a message has its id.
  if (message !== undefined && world.channels.has(message.id)) throw refusal(160004);
  const type = isPrivate ? ChannelType.PrivateThread : ChannelType.PublicThread;
  const thread = addChannel(world, message?.id ?? world.nextId(), type, String(body.name), parent.guild);
  Object.assign(thread, {
    parent: parent.id,
    owner: world.app.id,
    autoArchive: Number(body.auto_archive_duration ?? 1440),
    members: new Set([world.app.id, ...(message === undefined ? [] : [message.author])]),
  } satisfies Partial<Channel>);
  channelEvent(world, "CREATE", thread);
  world.changed();
  return channelShape(world, thread);
}

const patchFields: FieldsOf<RESTPatchAPIChannelJSONBody> = {
  name: true,
  type: true,
  position: true,
  topic: true,
  nsfw: true,
  rate_limit_per_user: true,
  bitrate: true,
  user_limit: true,
  permission_overwrites: true,
  parent_id: true,
  rtc_region: true,
  video_quality_mode: true,
  archived: true,
  auto_archive_duration: true,
  locked: true,
  default_auto_archive_duration: true,
  flags: true,
  available_tags: true,
  invitable: true,
  default_reaction_emoji: true,
  default_thread_rate_limit_per_user: true,
  default_sort_order: true,
  default_forum_layout: true,
  applied_tags: true,
};

function change(context: Context): unknown {
  const { world, body } = context;
  const channel = channelOf(context);
  const form = new Form();
  form.object(body, [], patchFields);
  form.text(body.name, ["name"], 100, 1, false);
  form.choice(body.auto_archive_duration, ["auto_archive_duration"], ARCHIVE_MINUTES);
  form.flag(body.archived, ["archived"]);
  context.accept(form);
  if (!isThread(channel)) demand(world, channel, "ManageChannels");
  else {
    // Whoever may write opens an archived thread again; everything else is its owner's and the moderators'.
    const opensOnly = Object.keys(body).every((key) => key === "archived") && body.archived === false;
    const owns = channel.owner === world.app.id && body.locked === undefined;
    demand(world, channel, owns || (opensOnly && !channel.locked) ? toWrite(channel) : "ManageThreads");
    if (channel.archived && body.archived !== false) throw refusal(50083);
  }
  const { name, archived, locked, auto_archive_duration: minutes } = body;
  Object.assign(channel, {
    name: typeof name === "string" ? name : channel.name,
    archived: typeof archived === "boolean" ? archived : channel.archived,
    locked: typeof locked === "boolean" ? locked : channel.locked,
    autoArchive: typeof minutes === "number" ? minutes : channel.autoArchive,
    archivedAt: world.clock.now(),
  } satisfies Partial<Channel>);
  channelEvent(world, "UPDATE", channel);
  world.changed();
  return channelShape(world, channel);
}
