import { ChannelType } from "discord-api-types/v10";

import { channelShape, eventShape, memberShape, threadMember, userShape } from "./shapes.ts";
import type { Channel, Fields, Guild, Message, User, World } from "./types.ts";

/** Tells the clients what happened, as the gateway words it. */
export function messageEvent(world: World, t: "MESSAGE_CREATE" | "MESSAGE_UPDATE", message: Message): void {
  if (message.ephemeralFor !== undefined) return;
  const channel = world.channels.get(message.channel);
  world.emit({ t, d: eventShape(world, message), guild: channel?.guild, channel: message.channel });
}

export function messageDeleted(world: World, message: Message): void {
  const channel = world.channels.get(message.channel);
  const d: Fields = { id: message.id, channel_id: message.channel };
  if (channel?.guild !== undefined) d.guild_id = channel.guild;
  world.emit({ t: "MESSAGE_DELETE", d, guild: channel?.guild, channel: message.channel });
}

export function channelEvent(world: World, kind: "CREATE" | "UPDATE" | "DELETE", channel: Channel): void {
  const thread = channel.parent !== undefined;
  if (channel.type === ChannelType.DM && kind !== "CREATE") return;
  const t = `${thread ? "THREAD" : "CHANNEL"}_${kind}`;
  const d = {
    ...channelShape(world, channel),
    ...(thread && kind === "CREATE" ? { newly_created: true } : {}),
  };
  world.emit({ t, d, guild: channel.guild, channel: channel.id });
}

export function threadMembersEvent(world: World, channel: Channel, added: string[]): void {
  const d = {
    id: channel.id,
    guild_id: channel.guild,
    member_count: channel.members.size,
    added_members: added.map((user) => threadMember(channel, user)),
    removed_member_ids: [],
  };
  world.emit({ t: "THREAD_MEMBERS_UPDATE", d, guild: channel.guild, channel: channel.id });
}

export function reactionEvent(
  world: World,
  kind: "ADD" | "REMOVE",
  message: Message,
  user: string,
  emoji: string,
): void {
  const guild = world.guilds.get(world.channels.get(message.channel)?.guild ?? "");
  const d: Fields = {
    user_id: user,
    channel_id: message.channel,
    message_id: message.id,
    message_author_id: message.author,
    emoji: { id: null, name: emoji },
    burst: false,
    type: 0,
  };
  if (guild !== undefined) Object.assign(d, { guild_id: guild.id, member: memberShape(guild, user) });
  world.emit({ t: `MESSAGE_REACTION_${kind}`, d, guild: guild?.id, channel: message.channel });
}

export function memberEvent(world: World, guild: Guild, user: User): void {
  const d = { ...memberShape(guild, user.id), user: userShape(user), guild_id: guild.id };
  world.emit({ t: "GUILD_MEMBER_UPDATE", d, guild: guild.id });
  world.changed();
}
