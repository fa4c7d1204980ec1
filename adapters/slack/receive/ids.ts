import type { ActorId } from "#contract/actor.ts";

/** `slack:TEAM:USER`. */
export function actorOf(team: string, user: string): ActorId {
  return `slack:${team}:${user}`;
}

/** `slack:TEAM:CHANNEL`. */
export function channelOf(team: string, channel: string): string {
  return `slack:${team}:${channel}`;
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

/** Of an interaction, as Slack words it. */
export interface InteractionOf {
  team?: { id: string } | null | undefined;
  user: { team_id?: string | undefined };
  view?: { app_installed_team_id?: string | undefined } | undefined;
}

/**
 * The workspace in which the app is asked to act; empty when Slack names none. In a shared channel it is
 * not that of the person, and with an org-wide installation `team` is null.
 */
export function teamOfInteraction({ team, user, view }: InteractionOf): string {
  return view?.app_installed_team_id ?? team?.id ?? user.team_id ?? "";
}
