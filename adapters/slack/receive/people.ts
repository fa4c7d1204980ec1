import type { ActorId } from "#contract/actor.ts";

import { cached } from "../../chat/cached.ts";
import type { ChatLog } from "../../chat/parts.ts";
import type { NameOf } from "../../chat/people.ts";
import { readId } from "../ids.ts";
import type { ClientOf } from "../install/client.ts";
import { pagesOf } from "../send/find.ts";

/** Who belongs where in a workspace. Rejects when Slack does not say, which counts as "no". */
export interface SlackMembership {
  inChannel(actor: ActorId, channel: string): Promise<boolean>;
  /** A user group, by its handle without the @, of the workspace that the channel is in. */
  inGroup(actor: ActorId, group: string, channel: string): Promise<boolean>;
  isGuest(actor: ActorId, channel: string): Promise<boolean>;
  /** What somebody is called, and their address where the app may know it (`users:read.email`). */
  profile(actor: ActorId): Promise<{ name?: string; email?: string } | undefined>;
}

/** Asks Slack with the token of the channel's workspace, and keeps each answer for a minute. */
export function createMembership(clientOf: ClientOf): SlackMembership {
  const members = cached(async (key: string) => {
    const { team, local: channel } = splitKey(key);
    const client = await clientOf(team);
    const all = new Set<string>();
    for await (const page of pagesOf((cursor) =>
      client.conversations.members({ channel, limit: 999, ...cursor }),
    )) {
      for (const member of page.members ?? []) all.add(member);
    }
    return all;
  });
  const groups = cached(async (team: string) => {
    const client = await clientOf(team);
    const { usergroups = [] } = await client.usergroups.list({ include_users: true });
    return new Map(usergroups.map(({ handle = "", users = [] }) => [handle, new Set(users)]));
  });
  const users = cached(async (key: string) => {
    const { team, local: user } = splitKey(key);
    const client = await clientOf(team);
    return (await client.users.info({ user })).user;
  });
  const guests = cached(async (key: string) => {
    const { team } = splitKey(key);
    const found = await users(key);
    if (found === undefined) return true;
    if (found.is_restricted === true || found.is_ultra_restricted === true) return true;
    if (found.team_id === team || found.enterprise_user?.teams?.includes(team) === true) return false;
    // Slack's own `is_stranger` is false for everybody who shares a channel: other organisations are told by their ids.
    const org = found.enterprise_user?.enterprise_id ?? found.enterprise_id;
    return org === undefined || org === "" || org !== (await orgs(team));
  });
  /** The organisation that a workspace belongs to; undefined where there is none. */
  const orgs = cached(async (team: string) => {
    const client = await clientOf(team);
    return (await client.auth.test()).enterprise_id;
  });

  return {
    async inChannel(actor, channel) {
      const { user, team, place } = both(actor, channel);
      return user !== undefined && (await members(`${team} ${place}`)).has(user);
    },
    async inGroup(actor, group, channel) {
      const { user, team } = both(actor, channel);
      return user !== undefined && (await groups(team)).get(group)?.has(user) === true;
    },
    async isGuest(actor, channel) {
      const { user, team } = both(actor, channel);
      return user === undefined || guests(`${team} ${user}`);
    },
    async profile(actor) {
      const { team, local: user } = readId(actor) ?? {};
      if (team === undefined || user === undefined) return undefined;
      const found = await users(`${team} ${user}`);
      const name = fullName(found);
      // An address is its owner's where the workspace vouches for its people: not of another one's.
      const email = found?.team_id === team ? found.profile?.email : undefined;
      return { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) };
    },
  };
}

/** Without a user where one of them is not of Slack. */
function both(actor: ActorId, channel: string): { user?: string; team: string; place: string } {
  const user = readId(actor)?.local;
  const { team, local: place } = readId(channel) ?? { team: "", local: "" };
  return { team, place, ...(user === undefined || team === "" ? {} : { user }) };
}

/** What people are called: by their full name; undefined where Slack does not say, or nobody was named. */
export interface People {
  name(team: string, user: string | undefined): Promise<string | undefined>;
  nameOf: NameOf;
}

export function createPeople(clientOf: ClientOf, log: Pick<ChatLog, "warn">): People {
  const names = cached(async (key: string) => {
    const { team, local: user } = splitKey(key);
    const client = await clientOf(team);
    return fullName((await client.users.info({ user })).user);
  });

  async function name(team: string, user: string | undefined): Promise<string | undefined> {
    if (user === undefined || user === "") return undefined;
    try {
      return await names(`${team} ${user}`);
    } catch (error) {
      log.warn({ error, user }, "Slack did not say what a person is called");
      return undefined;
    }
  }

  return {
    name,
    nameOf(actor) {
      const { team = "", local } = readId(actor) ?? {};
      return name(team, local);
    },
  };
}

function fullName(
  user: { real_name?: string; name?: string; profile?: { real_name?: string } } | undefined,
): string | undefined {
  return user?.real_name ?? user?.profile?.real_name ?? user?.name;
}

/** Neither id has a space. */
function splitKey(key: string): { team: string; local: string } {
  const [team = "", local = ""] = key.split(" ", 2);
  return { team, local };
}
