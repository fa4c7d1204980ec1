import { randomBytes } from "node:crypto";

import { ChannelType, MessageType, PermissionFlagsBits as Bits } from "discord-api-types/v10";

import type { Clock } from "../slack/clock.ts";
import type { AppSetup, Channel, ChannelKind, Guild, Message, Role, User, World } from "./types.ts";

/** The first second of 2015, where Discord's ids begin to count. */
export const DISCORD_EPOCH = 1_420_070_400_000;

export interface GuildSeed {
  name: string;
  /** Handle to what is special about the person; the first one owns the guild. */
  people: Record<string, { name: string; roles?: string[] }>;
  /** Role name to what it may do on top of @everyone. */
  roles: Record<string, { permissions?: (keyof typeof Bits)[]; mentionable?: boolean }>;
  /** With `only`, a channel is seen by these roles alone; `bot: false` hides it from the bot. */
  channels: Record<string, { only?: string[]; bot?: boolean }>;
  /** What @everyone may do. Default: `usualPermissions`. */
  everyone?: (keyof typeof Bits)[];
  /** What the bot's own role may do. Default: `botPermissions`. */
  bot?: (keyof typeof Bits)[];
}

/** A company with an owner, roles, a private channel and a channel that the bot does not see. */
export const acme: GuildSeed = {
  name: "Acme",
  people: {
    ana: { name: "Ana Lindqvist", roles: ["leads"] },
    ben: { name: "Ben Okafor", roles: ["oncall"] },
    chloe: { name: "Chloé Martin", roles: ["leads"] },
    dmitri: { name: "Dmitri Sokolov", roles: ["oncall"] },
    emi: { name: "Emi Tanaka" },
    farid: { name: "Farid Haddad" },
  },
  roles: { leads: {}, oncall: { mentionable: true } },
  channels: {
    general: {},
    engineering: {},
    "ops-private": { only: ["leads", "oncall"] },
    random: { bot: false },
  },
};

export const usualPermissions: readonly (keyof typeof Bits)[] = [
  "ViewChannel",
  "SendMessages",
  "SendMessagesInThreads",
  "CreatePublicThreads",
  "EmbedLinks",
  "AttachFiles",
  "ReadMessageHistory",
  "AddReactions",
  "UseApplicationCommands",
];

/** What docs for an app like this ask for at installation. */
export const botPermissions: readonly (keyof typeof Bits)[] = [
  "ViewChannel",
  "SendMessages",
  "SendMessagesInThreads",
  "CreatePublicThreads",
  "EmbedLinks",
  "AttachFiles",
  "ReadMessageHistory",
];

export const bits = (names: readonly (keyof typeof Bits)[]): bigint =>
  names.reduce((sum, name) => sum | Bits[name], 0n);

export function createWorld(clock: Clock, app: AppSetup): World {
  let last = 0n;
  const world: World = {
    clock,
    app,
    origin: "",
    guilds: new Map(),
    users: new Map(),
    channels: new Map(),
    messages: [],
    byId: new Map(),
    commands: new Map(),
    creates: new Map(),
    interactions: new Map(),
    modals: new Map(),
    files: new Map(),
    closedDirects: new Set(),
    typing: new Map(),
    personalInstall: false,
    calls: [],
    violations: [],
    nextId() {
      const now = BigInt(clock.now() - DISCORD_EPOCH) << 22n;
      last = now > last ? now : last + 1n;
      return String(last);
    },
    emit() {},
    changed() {},
  };
  addUser(world, { id: app.id, name: "countersign", realName: app.name, isBot: true });
  return world;
}

/** The `index`-th id of a kind, the same in every run: failing tests stay readable. */
const fixedId = (kind: number, index: number): string => String(10n ** 17n * BigInt(kind) + BigInt(index));

/**
 * Guild number `k`, counted from 0, belongs to shard `k mod n` for every n up to 16, since
 * `(id >> 22) % n` decides: https://discord.com/developers/docs/events/gateway#sharding
 */
const guildId = (index: number): string => String(BigInt(720_720 * 330_000 + index) << 22n);

export function addUser(world: World, user: User): User {
  world.users.set(user.id, user);
  return user;
}

export function addGuild(world: World, seed: GuildSeed): Guild {
  const index = world.guilds.size;
  const id = guildId(index);
  const everyone = bits(seed.everyone ?? usualPermissions);
  const own = bits(seed.bot ?? botPermissions);
  const role = (number: number, name: string, rest: Partial<Role>): Role => ({
    id: fixedId(4, index * 100 + number),
    name,
    permissions: 0n,
    mentionable: false,
    managed: false,
    ...rest,
  });
  const roles = [
    role(0, "@everyone", { id, permissions: everyone }),
    role(1, world.app.name, { permissions: own, managed: true }),
    ...Object.entries(seed.roles).map(([name, { permissions = [], mentionable = false }], i) =>
      role(2 + i, name, { permissions: bits(permissions), mentionable }),
    ),
  ];
  const roleId = (name: string): string => {
    const found = roles.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`expected a role of ${seed.name}, got "${name}"`);
    return found.id;
  };
  const members = new Map<string, Set<string>>([[world.app.id, new Set([roleId(world.app.name)])]]);
  for (const [name, { name: realName, roles: names = [] }] of Object.entries(seed.people)) {
    const known = [...world.users.values()].find((user) => user.name === name);
    const user = known ?? addUser(world, { id: fixedId(2, world.users.size), name, realName, isBot: false });
    members.set(user.id, new Set(names.map(roleId)));
  }
  const owner = [...members.keys()][1] ?? "";
  const guild: Guild = { id, name: seed.name, owner, roles: new Map(roles.map((r) => [r.id, r])), members };
  world.guilds.set(id, guild);
  for (const [number, [name, { only, bot = true }]] of Object.entries(seed.channels).entries()) {
    const channel = addChannel(world, fixedId(3, index * 100 + number), ChannelType.GuildText, name, id);
    const view = Bits.ViewChannel;
    if (only !== undefined) {
      const admit = (role: string): Channel["overwrites"][number] => ({
        id: role,
        type: 0,
        allow: view,
        deny: 0n,
      });
      channel.overwrites.push({ id, type: 0, allow: 0n, deny: view }, ...only.map(roleId).map(admit));
      if (bot) channel.overwrites.push({ id: world.app.id, type: 1, allow: view, deny: 0n });
    }
    if (!bot) channel.overwrites.push({ id: world.app.id, type: 1, allow: 0n, deny: view });
  }
  return guild;
}

export function addChannel(
  world: World,
  id: string,
  type: ChannelKind,
  name: string,
  guild: string | undefined,
): Channel {
  const channel: Channel = {
    id,
    type,
    guild,
    name,
    overwrites: [],
    parent: undefined,
    owner: undefined,
    members: new Set(),
    archived: false,
    locked: false,
    autoArchive: 1440,
    archivedAt: world.clock.now(),
    lastMessage: null,
    messageCount: 0,
  };
  world.channels.set(id, channel);
  return channel;
}

/** The direct conversation of a person with the bot, made on first use. */
export function directChannel(world: World, user: User): Channel {
  const known = [...world.channels.values()].find(
    ({ type, members }) => type === ChannelType.DM && members.has(user.id),
  );
  if (known !== undefined) return known;
  const channel = addChannel(world, `5${user.id.slice(1)}`, ChannelType.DM, user.name, undefined);
  channel.members = new Set([user.id, world.app.id]);
  return channel;
}

export function addMessage(
  world: World,
  given: Partial<Message> & Pick<Message, "channel" | "author">,
): Message {
  const message: Message = {
    id: world.nextId(),
    type: MessageType.Default,
    content: "",
    embeds: [],
    components: [],
    attachments: [],
    flags: 0,
    createdAt: world.clock.now(),
    editedAt: undefined,
    mentions: [],
    mentionRoles: [],
    mentionEveryone: false,
    reference: undefined,
    nonce: undefined,
    enforceNonce: false,
    webhook: false,
    interaction: undefined,
    reactions: [],
    history: [],
    deleted: false,
    ephemeralFor: undefined,
    ...given,
  };
  world.messages.push(message);
  world.byId.set(message.id, message);
  const channel = world.channels.get(message.channel);
  if (channel !== undefined && message.ephemeralFor === undefined) {
    channel.lastMessage = message.id;
    channel.messageCount += 1;
    if (channel.guild !== undefined && channel.parent !== undefined) channel.members.add(message.author);
  }
  return message;
}

export function channelNamed(world: World, name: string, guild?: string): Channel {
  const plain = name.replace(/^#/, "");
  const found =
    world.channels.get(name) ??
    [...world.channels.values()].find(
      (c) => c.name === plain && c.type === ChannelType.GuildText && (guild ?? c.guild) === c.guild,
    );
  if (found === undefined) throw new Error(`expected a channel, got "${name}"`);
  return found;
}

/** A token of the fake: its first part is the application's id, as libraries expect. Good on loopback only. */
export function newToken(id: string): string {
  return `${Buffer.from(id).toString("base64url")}.fake00.${randomBytes(20).toString("base64url")}`;
}
