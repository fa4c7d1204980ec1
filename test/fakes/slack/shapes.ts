import { threadAt, teamOf } from "./world.ts";
import type { Channel, Fields, Message, StoredFile, User, UserGroup, World } from "./types.ts";

/** A message as `conversations.history` and events show it. */
export function messageShape(world: World, message: Message): Fields {
  const { ts, text, user, team, blocks, attachments, bot_id, app_id, thread_ts, edited, metadata } = message;
  const replies =
    thread_ts === undefined || thread_ts === ts
      ? threadAt(world, message.channel, ts).filter((m) => m.ts !== ts)
      : [];
  const optional: Fields = { blocks, attachments, bot_id, app_id, thread_ts, edited, metadata };
  if (message.files.length > 0) {
    optional.files = message.files.flatMap((id) => {
      const file = world.files.get(id);
      return file === undefined ? [] : [fileShape(world, file)];
    });
  }
  if (message.reactions.length > 0) {
    optional.reactions = message.reactions.map(({ name, users }) => ({ name, users, count: users.length }));
  }
  if (replies.length > 0) {
    Object.assign(optional, {
      thread_ts: ts,
      reply_count: replies.length,
      reply_users: [...new Set(replies.map((reply) => reply.user))],
      latest_reply: replies.at(-1)?.ts,
    });
  }
  if (bot_id !== undefined) {
    optional.bot_profile = {
      id: bot_id,
      app_id,
      name: world.app.name,
      team_id: team,
      deleted: false,
      icons: {},
    };
  }
  return { type: "message", user, team, text, ts, ...defined(optional) };
}

export function userShape(world: World, user: User): Fields {
  return {
    id: user.id,
    team_id: user.team,
    name: user.name,
    real_name: user.realName,
    deleted: user.deleted,
    tz: "Europe/Stockholm",
    tz_offset: 3600,
    is_admin: user.isAdmin,
    is_owner: false,
    is_restricted: user.isGuest,
    is_ultra_restricted: false,
    is_bot: user.isBot,
    is_app_user: false,
    profile: {
      real_name: user.realName,
      display_name: user.name,
      team: user.team,
      ...(user.isBot || !teamOf(world, user.team).scopes.includes("users:read.email")
        ? {}
        : { email: `${user.name}@${teamOf(world, user.team).domain}.example.com` }),
    },
  };
}

export function channelShape(world: World, channel: Channel): Fields {
  const team = teamOf(world, channel.team);
  const base = {
    id: channel.id,
    created: 1_700_000_000,
    is_archived: channel.archived,
    is_org_shared: false,
  };
  if (channel.kind === "im") {
    const user = [...channel.members].find((id) => id !== team.botUserId);
    return { ...base, is_im: true, user, is_user_deleted: false, context_team_id: team.id };
  }
  return {
    ...base,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === "public",
    is_group: channel.kind === "private",
    is_private: channel.kind === "private",
    is_im: false,
    is_mpim: false,
    is_member: channel.members.has(team.botUserId),
    is_general: channel.name === "general",
    context_team_id: team.id,
    num_members: channel.members.size,
    topic: { value: "", creator: "", last_set: 0 },
    purpose: { value: "", creator: "", last_set: 0 },
  };
}

export function fileShape(world: World, file: StoredFile): Fields {
  return {
    id: file.id,
    name: file.name,
    title: file.title,
    size: file.length,
    user: file.user,
    filetype: file.name.split(".").at(-1),
    url_private: `${world.origin}/files/${file.id}/${encodeURIComponent(file.name)}`,
    permalink: `${world.origin}/files/${file.id}/${encodeURIComponent(file.name)}`,
    ...defined({ alt_txt: file.altText }),
  };
}

export function groupShape(group: UserGroup): Fields {
  return {
    id: group.id,
    team_id: group.team,
    is_usergroup: true,
    name: group.name,
    handle: group.handle,
    date_delete: 0,
    user_count: group.users.length,
  };
}

export function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
