import { randomBytes } from "node:crypto";

import type { Channel, ChannelKind, Message, Org, Team, User, UserGroup, World } from "./types.ts";
import type { Clock } from "./clock.ts";

/** The scopes of facts/slack.md, and those the methods of the fake ask for. */
export const allScopes: readonly string[] = [
  "app_mentions:read",
  "assistant:write",
  "channels:history",
  "channels:read",
  "chat:write",
  "chat:write.public",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "im:write",
  "reactions:read",
  "reactions:write",
  "team:read",
  "usergroups:read",
  "users:read",
  "users:read.email",
];

export interface TeamSeed {
  /** Without spaces; ids are made from it. Default `acme`. */
  domain: string;
  name: string;
  /** Handle to what is special about the person. */
  people: Record<string, { name: string; admin?: boolean; guest?: boolean }>;
  /** Name to kind and members; everybody but guests, and the bot, without `members`. */
  channels: Record<string, { kind?: "public" | "private"; members?: string[]; bot?: boolean }>;
  /** Handle to members. */
  groups: Record<string, string[]>;
  scopes?: readonly string[];
  /** False for a team that installs the app later, over OAuth. Default true. */
  installed?: boolean;
  /** The domain of the organisation it belongs to. */
  org?: string;
  /** Types of blocks that this workspace refuses, such as `NEW_BLOCKS`. */
  unknownBlocks?: readonly string[];
}

/** A company with one admin, one guest, a private channel and a channel without the bot. */
export const acme: TeamSeed = {
  domain: "acme",
  name: "Acme",
  people: {
    ana: { name: "Ana Lindqvist", admin: true },
    ben: { name: "Ben Okafor" },
    chloe: { name: "Chloé Martin" },
    dmitri: { name: "Dmitri Sokolov" },
    emi: { name: "Emi Tanaka" },
    farid: { name: "Farid Haddad", guest: true },
  },
  channels: {
    general: { members: ["ana", "ben", "chloe", "dmitri", "emi", "farid"] },
    engineering: {},
    "ops-private": { kind: "private", members: ["ana", "ben", "dmitri"] },
    random: { bot: false },
  },
  groups: { oncall: ["ben", "dmitri"], leads: ["ana", "chloe"] },
};

/** An id as Slack's look: a letter and at least eight more of A to Z and digits. */
function idOf(prefix: string, ...words: string[]): string {
  const name = words
    .join("")
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "");
  return `${prefix}0${name.padEnd(8, "0")}`;
}

export function createWorld(setup: Pick<World, "app" | "speed"> & { clock: Clock }): World {
  let lastMicros = 0;
  // A product that was run against an earlier Slack knows its ids: those of this one go on from the time.
  let counter = setup.clock.now();
  return {
    ...setup,
    origin: "",
    teams: new Map(),
    orgs: new Map(),
    codes: new Map(),
    deadTokens: new Map(),
    users: new Map(),
    channels: new Map(),
    messages: [],
    byTs: new Map(),
    replies: new Map(),
    views: new Map(),
    modals: new Map(),
    homes: new Map(),
    files: new Map(),
    groups: new Map(),
    triggers: new Map(),
    responseUrls: new Map(),
    sessions: new Map(),
    statuses: new Map(),
    prompts: new Map(),
    titles: new Map(),
    sent: [],
    calls: [],
    nextTs() {
      lastMicros = Math.max(setup.clock.now() * 1000, lastMicros + 1);
      return `${Math.floor(lastMicros / 1_000_000)}.${String(lastMicros % 1_000_000).padStart(6, "0")}`;
    },
    nextId(prefix) {
      counter += 1;
      return `${prefix}0${counter.toString(36).toUpperCase().padStart(9, "0")}`;
    },
    emit() {},
    changed() {},
  };
}

export function addTeam(world: World, seed: TeamSeed): Team {
  // The first team's ids are the plain ones, so that `U0ANA00000` stays readable in a failing test.
  const mark = world.teams.size === 0 ? "" : seed.domain;
  const team: Team = {
    id: idOf("T", seed.domain),
    name: seed.name,
    domain: seed.domain,
    botToken: seed.installed === false ? "" : newToken(seed.domain),
    scopes: seed.scopes ?? allScopes,
    botUserId: idOf("U", "bot", mark),
    botId: idOf("B", "bot", mark),
    unknownBlocks: new Set(seed.unknownBlocks),
    ...(seed.org === undefined ? {} : { org: orgOf(world, seed.org) }),
  };
  world.teams.set(team.id, team);
  const person = (id: string, name: string, realName: string, flags: Partial<User>): void => {
    const rest = { isAdmin: false, isGuest: false, isBot: false, deleted: false, ...flags };
    world.users.set(id, { id, team: team.id, name, realName, ...rest });
  };
  person(team.botUserId, "countersign", world.app.name, { isBot: true });
  const ids = new Map<string, string>();
  for (const [handle, { name, admin = false, guest = false }] of Object.entries(seed.people)) {
    const id = idOf("U", handle, mark);
    ids.set(handle, id);
    person(id, handle, name, { isAdmin: admin, isGuest: guest });
  }
  const idsOf = (handles: string[]): string[] => handles.map((handle) => ids.get(handle) ?? handle);
  const regulars = Object.keys(seed.people).filter((handle) => seed.people[handle]?.guest !== true);
  for (const [name, { kind = "public", members = regulars, bot = true }] of Object.entries(seed.channels)) {
    const all = new Set([...idsOf(members), ...(bot ? [team.botUserId] : [])]);
    addChannel(world, team.id, idOf("C", name, mark), name, kind, all);
  }
  for (const [handle, users] of Object.entries(seed.groups)) {
    const group: UserGroup = {
      id: idOf("S", handle, mark),
      team: team.id,
      handle,
      name: handle,
      users: idsOf(users),
    };
    world.groups.set(group.id, group);
  }
  return team;
}

function orgOf(world: World, domain: string): Org {
  const id = idOf("E", domain);
  const known = world.orgs.get(id);
  if (known !== undefined) return known;
  const made: Org = { id, name: `${domain} organisation`, botToken: "" };
  world.orgs.set(id, made);
  return made;
}

/** The app is in the workspace by way of its organisation. */
export function isOrgWide(team: Team): boolean {
  return team.botToken === "" && team.org !== undefined && team.org.botToken !== "";
}

/** The workspaces that a token is good for; a bot of an organisation is in all of them. */
export function teamsOfToken(world: World, token: string): Team[] {
  if (token === "") return [];
  return [...world.teams.values()].filter((team) => team.botToken === token || team.org?.botToken === token);
}

/** A token of the fake: it is good on loopback only, and never the same twice. */
export function newToken(domain: string): string {
  return `xoxb-${domain}-${randomBytes(9).toString("hex")}`;
}

export function addChannel(
  world: World,
  team: string,
  id: string,
  name: string,
  kind: ChannelKind,
  members: Set<string>,
): Channel {
  const channel: Channel = { id, team, name, kind, members, archived: false };
  world.channels.set(id, channel);
  return channel;
}

/** The direct conversation of a person with the bot, made on first use. */
export function directChannel(world: World, user: User): Channel {
  const team = teamOf(world, user.team);
  const id = `D${user.id.slice(1)}`;
  return (
    world.channels.get(id) ??
    addChannel(world, team.id, id, user.name, "im", new Set([user.id, team.botUserId]))
  );
}

export function teamOf(world: World, id: string): Team {
  const team = world.teams.get(id);
  if (team === undefined) throw new Error(`expected a team of the fake, got "${id}"`);
  return team;
}

export function addMessage(world: World, message: Message): void {
  world.messages.push(message);
  world.byTs.set(message.ts, message);
  const { thread_ts: thread } = message;
  if (thread === undefined || thread === message.ts) return;
  const replies = world.replies.get(thread);
  if (replies === undefined) world.replies.set(thread, [message]);
  else replies.push(message);
}

/** A message that was not deleted; it may be for one person's eyes. */
export function messageAt(world: World, ts: string, channel?: string): Message | undefined {
  const message = world.byTs.get(ts);
  const elsewhere = channel !== undefined && message?.channel !== channel;
  return message === undefined || message.deleted || elsewhere ? undefined : message;
}

/** A message and what everybody sees of its thread, oldest first. */
export function threadAt(world: World, channel: string, ts: string): Message[] {
  const all = [world.byTs.get(ts), ...(world.replies.get(ts) ?? [])];
  return all.filter(
    (message): message is Message =>
      message !== undefined &&
      message.channel === channel &&
      !message.deleted &&
      message.ephemeralFor === undefined,
  );
}
