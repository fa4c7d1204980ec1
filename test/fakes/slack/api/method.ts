import type { Structure } from "../structure.ts";
import { SlackError } from "../types.ts";
import type { Channel, Fields, Message, Team, World } from "../types.ts";
import { messageAt } from "../world.ts";

export interface Context {
  world: World;
  structure: Structure;
  /** The workspace of the token. */
  team: Team;
  /** A fresh url for a Socket Mode connection. */
  ticket: () => string;
}

export interface Method {
  /** What the token needs; any one of several. */
  scopes?: readonly string[];
  /** The kind of token: a bot's unless told otherwise. */
  token?: "bot" | "app" | "none";
  run(args: Fields, context: Context): Fields;
}

export type Methods = Record<string, Method>;

/** The channel of a call, as far as the caller may know of it. */
export function channelFor({ world, team }: Context, id: string): Channel {
  const found =
    world.channels.get(id) ??
    [...world.channels.values()].find(
      ({ name, team: owner, kind }) => owner === team.id && kind !== "im" && `#${name}` === id,
    );
  const hidden = found?.kind !== "public" && found?.members.has(team.botUserId) !== true;
  if (found === undefined || found.team !== team.id || hidden) throw new SlackError("channel_not_found");
  return found;
}

/** A channel that the bot may write to. */
export function writable(context: Context, id: string): Channel {
  const { world, team } = context;
  // A person's id stands for the direct conversation with that person, if it exists.
  const person = world.users.get(id);
  const channel = channelFor(context, person === undefined ? id : `D${id.slice(1)}`);
  if (channel.archived) throw new SlackError("is_archived");
  if (!channel.members.has(team.botUserId) && !team.scopes.includes("chat:write.public")) {
    throw new SlackError("not_in_channel");
  }
  return channel;
}

/** A message of the bot itself, to be changed. */
export function ownMessage({ world, team }: Context, channel: Channel, ts: string, refusal: string): Message {
  const message = messageAt(world, ts, channel.id);
  if (message === undefined || message.ephemeralFor !== undefined) throw new SlackError("message_not_found");
  if (message.bot_id !== team.botId) throw new SlackError(refusal);
  return message;
}
