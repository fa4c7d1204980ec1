import { ChannelType } from "discord-api-types/v10";

import { permissionsIn } from "./permissions.ts";
import type { Channel, Fields, Guild, Message, Role, StoredFile, User, World } from "./types.ts";

/** Things of the world as Discord words them. */
export function userShape({ id, name, realName, isBot }: User): Fields {
  return {
    id,
    username: name,
    discriminator: "0",
    global_name: realName,
    avatar: null,
    bot: isBot,
    public_flags: 0,
  };
}

export function knownUser(world: World, id: string): Fields {
  const user = world.users.get(id);
  return user === undefined ? { id, username: "deleted", discriminator: "0", avatar: null } : userShape(user);
}

/** Without its user, as it stands beside an author. */
export function memberShape(guild: Guild, user: string): Fields {
  return {
    roles: [...(guild.members.get(user) ?? [])],
    nick: null,
    avatar: null,
    banner: null,
    joined_at: "2025-01-01T00:00:00.000000+00:00",
    premium_since: null,
    communication_disabled_until: null,
    deaf: false,
    mute: false,
    pending: false,
    flags: 0,
  };
}

export function roleShape(world: World, role: Role, position: number): Fields {
  return {
    id: role.id,
    name: role.name,
    permissions: String(role.permissions),
    position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    managed: role.managed,
    mentionable: role.mentionable,
    flags: 0,
    ...(role.managed ? { tags: { bot_id: world.app.id } } : {}),
  };
}

export function rolesShape(world: World, guild: Guild): Fields[] {
  return [...guild.roles.values()].map((role, position) => roleShape(world, role, position));
}

export function channelShape(world: World, channel: Channel): Fields {
  const { id, type, name, guild: guild_id, lastMessage: last_message_id } = channel;
  if (type === ChannelType.DM) {
    const recipients = [...channel.members]
      .filter((user) => user !== world.app.id)
      .map((user) => knownUser(world, user));
    return { id, type, last_message_id, recipients, flags: 0 };
  }
  if (type === ChannelType.GuildText) {
    const permission_overwrites = channel.overwrites.map(({ id, type, allow, deny }) => ({
      id,
      type,
      allow: String(allow),
      deny: String(deny),
    }));
    return {
      id,
      type,
      guild_id,
      name,
      position: 0,
      permission_overwrites,
      last_message_id,
      topic: null,
      nsfw: false,
      parent_id: null,
      rate_limit_per_user: 0,
      flags: 0,
    };
  }
  return {
    id,
    type,
    guild_id,
    name,
    parent_id: channel.parent,
    owner_id: channel.owner,
    last_message_id,
    message_count: channel.messageCount,
    total_message_sent: channel.messageCount,
    member_count: Math.min(50, channel.members.size),
    rate_limit_per_user: 0,
    flags: 0,
    thread_metadata: {
      archived: channel.archived,
      locked: channel.locked,
      auto_archive_duration: channel.autoArchive,
      archive_timestamp: iso(channel.archivedAt),
      create_timestamp: iso(channel.archivedAt),
    },
    ...(channel.members.has(world.app.id) ? { member: threadMember(channel, world.app.id) } : {}),
  };
}

export function threadMember(channel: Channel, user: string): Fields {
  return { id: channel.id, user_id: user, join_timestamp: iso(channel.archivedAt), flags: 1 };
}

export function guildShape(world: World, guild: Guild): Fields {
  const visible = [...world.channels.values()].filter(
    (channel) => channel.guild === guild.id && permissionsIn(world, world.app.id, channel) !== 0n,
  );
  const shapes = (threads: boolean): Fields[] =>
    visible
      .filter(({ parent, archived }) => (parent !== undefined) === threads && !(threads && archived))
      .map((channel) => channelShape(world, channel));
  return {
    ...guildSummary(world, guild),
    joined_at: "2025-01-01T00:00:00.000000+00:00",
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    members: [{ ...memberShape(guild, world.app.id), user: knownUser(world, world.app.id) }],
    channels: shapes(false),
    threads: shapes(true),
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** What `GET /guilds/:id` answers. */
export function guildSummary(world: World, guild: Guild): Fields {
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.owner,
    roles: rolesShape(world, guild),
    emojis: [],
    stickers: [],
    features: [],
    icon: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    description: null,
    afk_channel_id: null,
    afk_timeout: 300,
    application_id: null,
    default_message_notifications: 1,
    explicit_content_filter: 0,
    mfa_level: 0,
    nsfw_level: 0,
    preferred_locale: "en-US",
    premium_subscription_count: 0,
    premium_tier: 0,
    premium_progress_bar_enabled: false,
    public_updates_channel_id: null,
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    system_channel_flags: 0,
    system_channel_id: null,
    vanity_url_code: null,
    verification_level: 0,
  };
}

export function attachmentShape(world: World, file: StoredFile): Fields {
  const url = `${world.origin}/attachments/${file.id}/${encodeURIComponent(file.filename)}`;
  return {
    id: file.id,
    filename: file.filename,
    size: file.content.length,
    url,
    proxy_url: url,
    content_type: file.contentType,
    ...(file.description === undefined ? {} : { description: file.description }),
    ...(file.ephemeral ? { ephemeral: true } : {}),
  };
}

export function messageShape(world: World, message: Message): Fields {
  const { reference } = message;
  const answered = reference === undefined ? undefined : world.byId.get(reference);
  const thread = world.channels.get(message.id);
  return {
    id: message.id,
    type: message.type,
    channel_id: message.channel,
    author: knownUser(world, message.author),
    content: message.content,
    timestamp: iso(message.createdAt),
    edited_timestamp: message.editedAt === undefined ? null : iso(message.editedAt),
    tts: false,
    mention_everyone: message.mentionEveryone,
    mentions: message.mentions.map((id) => knownUser(world, id)),
    mention_roles: message.mentionRoles,
    attachments: message.attachments.map((file) => attachmentShape(world, file)),
    embeds: message.embeds.map((embed) => linked(world, message, { type: "rich", ...embed })),
    components: message.components.map((component) => linked(world, message, component)),
    pinned: false,
    flags: message.flags,
    ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
    ...(message.webhook ? { webhook_id: world.app.id, application_id: world.app.id } : {}),
    ...(message.interaction === undefined ? {} : { interaction_metadata: message.interaction }),
    ...(thread === undefined ? {} : { thread: channelShape(world, thread) }),
    ...(reference === undefined
      ? {}
      : {
          message_reference: { type: 0, channel_id: message.channel, message_id: reference },
          // One level only, as Discord does it.
          referenced_message:
            answered === undefined || answered.deleted
              ? null
              : messageShape(world, { ...answered, reference: undefined }),
        }),
    ...(message.reactions.length === 0
      ? {}
      : {
          reactions: message.reactions.map(({ emoji, users }) => ({
            count: users.length,
            count_details: { burst: 0, normal: users.length },
            me: users.includes(world.app.id),
            me_burst: false,
            emoji: { id: null, name: emoji },
            burst_colors: [],
          })),
        }),
  };
}

/** What the gateway adds: the guild and the author's member. */
export function eventShape(world: World, message: Message): Fields {
  const channel = world.channels.get(message.channel);
  const guild = world.guilds.get(channel?.guild ?? "");
  const shape = { ...messageShape(world, message), channel_type: channel?.type };
  if (guild === undefined) return shape;
  return { ...shape, guild_id: guild.id, member: memberShape(guild, message.author) };
}

/** `attachment://name` becomes the address of the file. */
function linked(world: World, message: Message, value: Fields): Fields {
  const addresses = new Map(
    message.attachments.map((file) => [`attachment://${file.filename}`, attachmentShape(world, file)]),
  );
  const visit = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(visit);
    if (typeof item !== "object" || item === null) return item;
    const file = addresses.get(String((item as Fields).url));
    const entries = Object.entries(item).map(([key, inner]) => [key, visit(inner)]);
    const copy = Object.fromEntries(entries) as Fields;
    if (file !== undefined) {
      Object.assign(copy, { url: file.url, proxy_url: file.url, content_type: file.content_type });
    }
    return copy;
  };
  return visit(value) as Fields;
}

export function iso(time: number): string {
  return new Date(time).toISOString().replace("Z", "000+00:00");
}
