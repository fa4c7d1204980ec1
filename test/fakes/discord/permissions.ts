import { ChannelType, PermissionFlagsBits as Bits } from "discord-api-types/v10";

import { refusal } from "./errors.ts";
import type { Channel, World } from "./types.ts";

export type Permission = keyof typeof Bits;

const all = Object.values(Bits).reduce((sum, bit) => sum | bit, 0n);

/** What people and bots may do between themselves. */
const direct =
  Bits.ViewChannel |
  Bits.SendMessages |
  Bits.EmbedLinks |
  Bits.AttachFiles |
  Bits.ReadMessageHistory |
  Bits.AddReactions |
  Bits.UseApplicationCommands;

/** What a user may do in a channel; a thread has its parent's rules. Nobody outside may do anything. */
export function permissionsIn(world: World, user: string, channel: Channel): bigint {
  if (channel.guild === undefined) return channel.members.has(user) ? direct : 0n;
  const guild = world.guilds.get(channel.guild);
  const roles = guild?.members.get(user);
  if (guild === undefined || roles === undefined) return 0n;
  if (guild.owner === user) return all;
  const ids = [guild.id, ...roles];
  let sum = ids.reduce((bits, id) => bits | (guild.roles.get(id)?.permissions ?? 0n), 0n);
  if ((sum & Bits.Administrator) !== 0n) return all;
  const place = channel.parent === undefined ? channel : (world.channels.get(channel.parent) ?? channel);
  const apply = (which: typeof place.overwrites): void => {
    for (const { deny } of which) sum &= ~deny;
    for (const { allow } of which) sum |= allow;
  };
  const rules = place.overwrites;
  apply(rules.filter(({ id }) => id === guild.id));
  apply(rules.filter(({ id, type }) => type === 0 && roles.has(id)));
  apply(rules.filter(({ id, type }) => type === 1 && id === user));
  if (
    channel.type === ChannelType.PrivateThread &&
    !channel.members.has(user) &&
    !has(sum, "ManageThreads")
  ) {
    return 0n;
  }
  return has(sum, "ViewChannel") ? sum : 0n;
}

export function has(sum: bigint, permission: Permission): boolean {
  return (sum & Bits[permission]) !== 0n;
}

export function may(world: World, user: string, channel: Channel, permission: Permission): boolean {
  return has(permissionsIn(world, user, channel), permission);
}

/** Refuses what the bot may not do: 50001 for a channel that it does not see, 50013 otherwise. */
export function demand(world: World, channel: Channel, ...permissions: Permission[]): void {
  const sum = permissionsIn(world, world.app.id, channel);
  if (!has(sum, "ViewChannel")) throw refusal(50001);
  if (!permissions.every((permission) => has(sum, permission))) throw refusal(50013);
}

export function isThread(channel: Channel): boolean {
  return channel.type === ChannelType.PublicThread || channel.type === ChannelType.PrivateThread;
}

/** The permission that it takes to write here. */
export function toWrite(channel: Channel): Permission {
  return isThread(channel) ? "SendMessagesInThreads" : "SendMessages";
}
