import {
  type APIChannel,
  type APIGuild,
  type APIGuildMember,
  type APIOverwrite,
  type APIRole,
  ChannelType,
  PermissionFlagsBits as Permission,
  type REST,
  RESTJSONErrorCodes as Code,
  Routes,
} from "discord.js";

import type { ActorId } from "#contract/actor.ts";

import { cached } from "../chat/cached.ts";
import { DIRECT, readId } from "./ids.ts";
import { discordCode } from "./refusal.ts";

/** Who belongs where in a guild. Rejects when Discord does not say, which counts as "no". */
export interface DiscordMembership {
  /** Whoever can see the channel. */
  inChannel(actor: ActorId, channel: string): Promise<boolean>;
  /** A role by its name, in the guild of the person. */
  inGroup(actor: ActorId, group: string): Promise<boolean>;
  /** Discord knows no guests: who may see what is a matter of roles. */
  isGuest(actor: ActorId): Promise<boolean>;
}

/** Asks Discord, and keeps each answer for a minute. */
export function createMembers(rest: REST): DiscordMembership {
  const guilds = cached((guild) => rest.get(Routes.guild(guild)) as Promise<APIGuild>);
  const channels = cached((channel) => rest.get(Routes.channel(channel)) as Promise<APIChannel>);
  const members = cached(async (key) => {
    const [guild = "", user = ""] = key.split(":");
    try {
      return (await rest.get(Routes.guildMember(guild, user))) as APIGuildMember;
    } catch (error) {
      if (discordCode(error) === Code.UnknownMember || discordCode(error) === Code.UnknownUser)
        return undefined;
      throw error;
    }
  });

  return {
    async inChannel(actor, channel) {
      const person = readId(actor);
      const place = readId(channel);
      if (person === undefined || place === undefined || person.guild !== place.guild) return false;
      const found = await channels(place.local);
      if (person.guild === DIRECT) {
        return (
          found.type === ChannelType.DM && (found.recipients ?? []).some(({ id }) => id === person.local)
        );
      }
      const member = await members(`${person.guild}:${person.local}`);
      if (member === undefined || !("guild_id" in found) || found.guild_id !== place.guild) return false;
      const overwrites = "permission_overwrites" in found ? (found.permission_overwrites ?? []) : [];
      return canSee(person.local, member, await guilds(place.guild), overwrites);
    },
    async inGroup(actor, group) {
      const person = readId(actor);
      if (person === undefined || person.guild === DIRECT) return false;
      const [member, { roles }] = await Promise.all([
        members(`${person.guild}:${person.local}`),
        guilds(person.guild),
      ]);
      const named = roles.filter(({ name, id }) => name === group && id !== person.guild);
      return named.some(({ id }) => member?.roles.includes(id) === true);
    },
    isGuest: () => Promise.resolve(false),
  };
}

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
