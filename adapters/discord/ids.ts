import type { ActorId } from "#contract/actor.ts";

/** Stands for the guild in direct messages, as in Discord's own addresses. */
export const DIRECT = "@me";

/** `discord:GUILD:USER`. */
export function actorOf(guild: string | undefined, user: string): ActorId {
  return `discord:${guild ?? DIRECT}:${user}`;
}

/** `discord:GUILD:CHANNEL`; of a thread the channel that it hangs on. */
export function channelOf(guild: string | undefined, channel: string): string {
  return `discord:${guild ?? DIRECT}:${channel}`;
}

/**
 * `discord:GUILD:CHANNEL:THREAD`. A thread that is started from a message has that message's id, so the
 * conversation has its name before there is a thread.
 */
export function conversationOf(guild: string | undefined, channel: string, thread: string): string {
  return `${channelOf(guild, channel)}:${thread}`;
}

/** Guild and user of an actor, or guild and channel of a channel; undefined when it is not of Discord. */
export function readId(id: string): { guild: string; local: string } | undefined {
  const [, guild, local] = /^discord:(\d+|@me):(\d+)$/.exec(id) ?? [];
  return guild === undefined || local === undefined ? undefined : { guild, local };
}
