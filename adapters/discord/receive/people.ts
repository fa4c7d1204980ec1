import {
  type APIChannel,
  type APIGuild,
  type APIGuildMember,
  type APIOverwrite,
  type APIRole,
  type APIUser,
  ChannelType,
  RESTJSONErrorCodes as Code,
  PermissionFlagsBits as Permission,
  type REST,
  Routes,
} from "discord.js";

import type { ActorId } from "#contract/actor.ts";

import { cached } from "../../chat/cached.ts";
import type { ChatLog } from "../../chat/parts.ts";
import type { NameOf } from "../../chat/people.ts";
import { DIRECT, readId } from "../ids.ts";
import type { DiscordOptions } from "../options.ts";
import { discordCode } from "../send/refusal.ts";

/** Who belongs where in a guild. Rejects when Discord does not say, which counts as "no". */
export interface DiscordMembership {
  /** Whoever can see the channel. */
  inChannel(actor: ActorId, channel: string): Promise<boolean>;
  /** A role of the guild that the channel is in, see `rolesOf`. */
  inGroup(actor: ActorId, group: string, channel: string): Promise<boolean>;
  /** Discord knows no guests: who may see what is a matter of roles. */
  isGuest(actor: ActorId): Promise<boolean>;
  isMember(guild: string, user: string): Promise<boolean>;
  /** What somebody is called; Discord gives no bot an e-mail address. */
  profile(actor: ActorId): Promise<{ name?: string } | undefined>;
}

/**
 * The ids of the roles that a group means in a guild: those that `roles` names for it, else the one role of
 * this guild with that name. Names are not unique: where several have it none is meant.
 */
export function rolesOf(
  guild: Pick<APIGuild, "id" | "roles">,
  group: string,
  roles: DiscordOptions["roles"],
): string[] {
  const own = guild.roles.filter(({ id }) => id !== guild.id);
  if (Object.hasOwn(roles, group)) {
    return own.flatMap(({ id }) => (roles[group]?.includes(id) === true ? [id] : []));
  }
  const [first, ...others] = own.filter(({ name }) => name === group);
  return first === undefined || others.length > 0 ? [] : [first.id];
}

/** Asks Discord, and keeps each answer for a minute. */
export function createMembership(
  rest: REST,
  { guilds: served, roles }: Pick<DiscordOptions, "guilds" | "roles">,
): DiscordMembership {
  const guilds = cached((guild) => rest.get(Routes.guild(guild)) as Promise<APIGuild>);
  const channels = cached((channel) => rest.get(Routes.channel(channel)) as Promise<APIChannel>);
  const members = cached(async (key) => {
    const [guild = "", user = ""] = key.split(":");
    try {
      return (await rest.get(Routes.guildMember(guild, user))) as APIGuildMember;
    } catch (error) {
      if (NOT_A_MEMBER.includes(discordCode(error))) return undefined;
      throw error;
    }
  });

  /** The two where they are of one guild that is served: elsewhere a role of the same name means nothing. */
  function together(actor: ActorId, at: string) {
    const person = readId(actor);
    const place = readId(at);
    if (person === undefined || place === undefined || person.guild !== place.guild) return undefined;
    const { guild, local: channel } = place;
    if (guild !== DIRECT && served.length > 0 && !served.includes(guild)) return undefined;
    return { guild, user: person.local, channel };
  }

  return {
    async inChannel(actor, at) {
      const here = together(actor, at);
      if (here === undefined) return false;
      const { guild, user, channel } = here;
      const found = await channels(channel);
      if (guild === DIRECT) {
        return found.type === ChannelType.DM && (found.recipients ?? []).some(({ id }) => id === user);
      }
      const member = await members(`${guild}:${user}`);
      if (member === undefined || !("guild_id" in found) || found.guild_id !== guild) return false;
      const overwrites = "permission_overwrites" in found ? (found.permission_overwrites ?? []) : [];
      return canSee(user, member, await guilds(guild), overwrites);
    },
    async inGroup(actor, group, at) {
      const here = together(actor, at);
      if (here === undefined || here.guild === DIRECT) return false;
      const { guild, user } = here;
      const [member, found] = await Promise.all([members(`${guild}:${user}`), guilds(guild)]);
      return rolesOf(found, group, roles).some((id) => member?.roles.includes(id) === true);
    },
    isGuest: () => Promise.resolve(false),
    isMember: async (guild, user) => (await members(`${guild}:${user}`)) !== undefined,
    async profile(actor) {
      const { guild = DIRECT, local = "" } = readId(actor) ?? {};
      if (local === "") return undefined;
      if (guild === DIRECT) return { name: nameOf((await rest.get(Routes.user(local))) as APIUser) };
      const member = await members(`${guild}:${local}`);
      return member === undefined ? undefined : { name: member.nick ?? nameOf(member.user) };
    },
  };
}

/** Also of a guild that the bot is not in. */
const NOT_A_MEMBER: readonly unknown[] = [
  Code.UnknownMember,
  Code.UnknownUser,
  Code.UnknownGuild,
  Code.MissingAccess,
];

/** https://docs.discord.com/developers/topics/permissions#permission-hierarchy */
function canSee(
  user: string,
  { roles: own }: APIGuildMember,
  guild: Pick<APIGuild, "id" | "owner_id" | "roles">,
  overwrites: readonly APIOverwrite[],
): boolean {
  if (guild.owner_id === user) return true;
  const isMine = ({ id }: APIRole): boolean => id === guild.id || own.includes(id);
  let may = guild.roles.filter(isMine).reduce((all, role) => all | BigInt(role.permissions), 0n);
  if ((may & Permission.Administrator) !== 0n) return true;
  const apply = (rules: readonly APIOverwrite[]): void => {
    for (const { deny } of rules) may &= ~BigInt(deny);
    for (const { allow } of rules) may |= BigInt(allow);
  };
  apply(overwrites.filter(({ id }) => id === guild.id));
  apply(overwrites.filter(({ id }) => own.includes(id)));
  apply(overwrites.filter(({ id }) => id === user));
  return (may & Permission.ViewChannel) !== 0n;
}

/** What people are called in a server, or everywhere; each answer is kept for a minute. */
export function createNames(rest: REST, log: Pick<ChatLog, "debug">): NameOf {
  const names = cached(async (actor) => {
    const { guild = DIRECT, local = "" } = readId(actor) ?? {};
    if (guild === DIRECT) return nameOf((await rest.get(Routes.user(local))) as APIUser);
    const { nick, user } = (await rest.get(Routes.guildMember(guild, local))) as APIGuildMember;
    return nick ?? nameOf(user);
  });
  return async (actor) => {
    if (readId(actor) === undefined) return undefined;
    try {
      return await names(actor);
    } catch (error) {
      log.debug({ error, actor }, "Discord did not say what a person is called");
      return undefined;
    }
  };
}

function nameOf({ global_name: name, username }: Pick<APIUser, "global_name" | "username">): string {
  return name ?? username;
}
