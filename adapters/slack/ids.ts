import { z } from "zod";

import type { ActorId } from "#contract/actor.ts";
import type { MessageRef, Place } from "#contract/present.ts";

/** `slack:TEAM:USER`. */
export function actorOf(team: string, user: string): ActorId {
  return `slack:${team}:${user}`;
}

/** `slack:TEAM:CHANNEL`. */
export function channelOf(team: string, channel: string): string {
  return `slack:${team}:${channel}`;
}

/** What the ids of a workspace's channels begin with. */
export function inboxPlace(team: string): string {
  return channelOf(team, "");
}

/** `slack:TEAM:CHANNEL:THREAD`, where THREAD is the `ts` of the thread's first message. */
export function conversationOf(team: string, channel: string, thread: string): string {
  return `slack:${team}:${channel}:${thread}`;
}

/** Team and user of an actor, or team and channel of a channel; undefined when it is not of Slack. */
export function readId(id: string): { team: string; local: string } | undefined {
  const [, team, local] = /^slack:([^:]+):([^:]+)$/.exec(id) ?? [];
  return team === undefined || local === undefined ? undefined : { team, local };
}

/** Where a turn is shown. */
const placeSchema = z.object({
  /** The workspace that the bot posts in; empty in records from before there could be several. */
  team: z.string().default(""),
  channel: z.string(),
  /** The thread's first message; a command's answer begins a thread of its own. */
  thread: z.string().optional(),
  /** Nothing of the turn was posted before this `ts`. */
  since: z.string().optional(),
  /** Of a command: where to say that its channel is closed to the bot. */
  respond: z.string().optional(),
  /** Its answer is for the person alone, at `respond`. */
  isPrivate: z.boolean().optional(),
});
export type SlackPlace = z.infer<typeof placeSchema>;

/** A message of Slack. */
const refSchema = z.object({
  team: z.string().default(""),
  channel: z.string(),
  /** Empty of a message for one person alone, which has no name that others know. */
  ts: z.string(),
  thread: z.string().optional(),
  /** Of a message for one person alone: its address, which takes five messages within half an hour. */
  respond: z.string().optional(),
  /** The person alone has got the answer. */
  isAnswered: z.boolean().optional(),
});
export type SlackRef = z.infer<typeof refSchema>;

export function toPlace(place: SlackPlace): Place {
  return withoutUndefined({ ...place });
}

export function readPlace(place: Place): SlackPlace {
  return placeSchema.parse(place);
}

export function toRef(ref: SlackRef): MessageRef {
  return withoutUndefined({ ...ref });
}

export function readRef(ref: MessageRef): SlackRef {
  return refSchema.parse(ref);
}

function withoutUndefined(record: Record<string, string | boolean | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** As a `ts` of Slack; some time ago, as clocks differ. */
export function secondsAgo(seconds: number): string {
  return (Date.now() / 1000 - seconds).toFixed(6);
}
