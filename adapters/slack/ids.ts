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
export interface SlackPlace {
  /** The workspace that the bot posts in; empty in records from before there could be several. */
  team: string;
  channel: string;
  /** The thread's first message; a command's answer begins a thread of its own. */
  thread?: string | undefined;
  /** Nothing of the turn was posted before this `ts`. */
  since?: string | undefined;
  /** Of a command: where to say that its channel is closed to the bot. */
  respond?: string | undefined;
  /** Its answer is for the person alone, at `respond`. */
  isPrivate?: boolean | undefined;
}

/** A message of Slack. */
export interface SlackRef {
  team: string;
  channel: string;
  /** Empty of a message for one person alone, which has no name that others know. */
  ts: string;
  thread?: string | undefined;
  /** Of a message for one person alone: its address, which takes five messages within half an hour. */
  respond?: string | undefined;
  /** The person alone has got the answer. */
  isAnswered?: boolean | undefined;
}

const placeSchema: z.ZodType<SlackPlace> = z.object({
  team: z.string().default(""),
  channel: z.string(),
  thread: z.string().optional(),
  since: z.string().optional(),
  respond: z.string().optional(),
  isPrivate: z.boolean().optional(),
});

const refSchema: z.ZodType<SlackRef> = z.object({
  team: z.string().default(""),
  channel: z.string(),
  ts: z.string(),
  thread: z.string().optional(),
  respond: z.string().optional(),
  isAnswered: z.boolean().optional(),
});

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
