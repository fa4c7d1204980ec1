import { z } from "zod";

import type { ActorId } from "#contract/actor.ts";

import type { Source } from "../install/client.ts";
import { actorOf } from "../ids.ts";

interface FromSource {
  /** Whom Slack sends it for: the workspace or organisation that has the app. */
  source: Source;
}

/** Somebody wrote something, or something of that form was posted. */
export interface MessageEvent extends FromSource {
  kind: "message";
  id: string;
  /** The workspace of the bot; in a shared channel not that of the person. */
  team: string;
  actor: ActorId;
  user: string;
  channel: string;
  /** The first message of its thread, or it itself. */
  thread: string;
  ts: string;
  text: string;
  isMention: boolean;
  isDirect: boolean;
  /** A person wrote it just now: it is no join, no edit and of no bot. */
  isWritten: boolean;
}

/** Somebody pressed Slack's own stop button in a thread. */
export interface StopEvent extends FromSource {
  kind: "stop";
  team: string;
  actor: ActorId;
  channel: string;
  thread: string;
}

export interface UninstallEvent extends FromSource {
  kind: "uninstall";
  type: "app_uninstalled" | "tokens_revoked";
  /** The workspace and the organisation that it may be about. */
  installations: string[];
  /** Ids of the bots whose tokens were revoked; undefined where the app itself is gone. */
  bots?: readonly string[];
}

export interface Person {
  /** The workspace in which the app is asked to act, empty when Slack names none. */
  team: string;
  user: string;
  actor: ActorId;
}

/** A press on a button, a window or a shortcut. */
export interface InteractionEvent extends FromSource, Person {
  kind: "interaction";
  type: string;
  /** Undefined in windows and in the home. */
  channel: string | undefined;
  /** What stands in the message or window that was used; undefined where Slack sends no copy of it. */
  blocks: unknown;
  view: { type: string | undefined; metadata: string } | undefined;
  actions: { id: string; value: string }[];
  /** What the app itself put into what was used, and nothing that a person typed. */
  texts: string[];
}

/**
 * A request of Slack, read once. `other` are commands and the events that nothing has to be recorded of;
 * `odd` claims to be an interaction and has not the form of one.
 */
export type SlackEvent =
  | MessageEvent
  | StopEvent
  | UninstallEvent
  | InteractionEvent
  | ({ kind: "other" } & FromSource)
  | { kind: "odd" };

const id = z.string().nullish();
const flag = z.union([z.boolean(), z.stringbool()]).nullish();

/** Messages that people write have no subtype, or one of these. */
const WRITTEN: ReadonlySet<string> = new Set(["file_share", "thread_broadcast"]);

const message = z.object({
  type: z.enum(["app_mention", "message"]),
  channel: z.string(),
  channel_type: z.string().optional(),
  user: z.string(),
  text: z.string().default(""),
  ts: z.string(),
  thread_ts: z.string().optional(),
  subtype: z.string().optional(),
  bot_id: z.string().optional(),
  edited: z.unknown().optional(),
  user_team: z.string().optional(),
});

const stop = z.object({
  type: z.literal("agent_session_stopped"),
  channel: z.string(),
  user: z.string(),
  thread_ts: z.string(),
});

const uninstalled = z.object({ type: z.literal("app_uninstalled") });

const revoked = z.object({
  type: z.literal("tokens_revoked"),
  tokens: z.object({ bot: z.array(z.string()).optional() }).optional(),
});

/** Events name who has the app; commands and interactions only where they happened. */
const callback = z.object({
  type: z.literal("event_callback"),
  event_id: z.string().optional().catch(undefined),
  team_id: id,
  enterprise_id: id,
  authorizations: z
    .array(z.object({ team_id: id, enterprise_id: id, is_enterprise_install: flag }))
    .nullish(),
  event: z.discriminatedUnion("type", [message, stop, uninstalled, revoked]).optional().catch(undefined),
});

const command = z.object({
  command: z.string(),
  team_id: z.string(),
  enterprise_id: id,
  is_enterprise_install: flag,
});

const interaction = z.object({
  type: z.string(),
  team: z.object({ id: z.string() }).nullish(),
  enterprise: z.object({ id: z.string() }).nullish(),
  is_enterprise_install: flag,
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  channel: z.object({ id: z.string() }).nullish(),
  message: z.object({ blocks: z.unknown().optional() }).nullish(),
  view: z
    .object({
      type: z.string().optional(),
      private_metadata: z.string().default(""),
      blocks: z.unknown().optional(),
      app_installed_team_id: z.string().optional(),
    })
    .optional(),
  actions: z
    .array(
      z.object({
        action_id: z.string().default(""),
        value: z.string().default(""),
        selected_option: z.object({ value: z.string().optional() }).nullish(),
      }),
    )
    .default([]),
});

const odd = z.object({ type: z.enum(["block_actions", "view_submission", "view_closed"]) });

/** Returns undefined for what is nothing of a workspace. */
export function parseEvent(body: unknown): SlackEvent | undefined {
  const told = callback.safeParse(body);
  if (told.success) return ofCallback(told.data);
  const said = command.safeParse(body);
  if (said.success) {
    const { team_id: team, enterprise_id: org, is_enterprise_install: isOrgWide } = said.data;
    return { kind: "other", source: toSource(team, org, isOrgWide) };
  }
  const done = interaction.safeParse(body);
  if (done.success) return ofInteraction(done.data);
  return odd.safeParse(body).success ? { kind: "odd" } : undefined;
}

function ofCallback({
  event_id: id,
  team_id: named,
  enterprise_id: org,
  authorizations,
  event,
}: z.infer<typeof callback>): SlackEvent {
  const [first] = authorizations ?? [];
  const source = toSource(first?.team_id ?? named, first?.enterprise_id ?? org, first?.is_enterprise_install);
  if (event?.type === "app_uninstalled" || event?.type === "tokens_revoked") {
    const installations = [named, org].filter((key) => key != null);
    const bots = event.type === "tokens_revoked" ? { bots: event.tokens?.bot ?? [] } : {};
    return { kind: "uninstall", source, type: event.type, installations, ...bots };
  }
  if (event === undefined || named == null) return { kind: "other", source };
  const team = source.team ?? named;
  if (event.type === "agent_session_stopped") {
    const { channel, user, thread_ts: thread } = event;
    return { kind: "stop", source, team, actor: actorOf(named, user), channel, thread };
  }
  if (id === undefined) return { kind: "other", source };
  const { channel, user, ts, text, subtype } = event;
  return {
    kind: "message",
    source,
    id,
    team,
    actor: actorOf(event.user_team ?? named, user),
    user,
    channel,
    thread: event.thread_ts ?? ts,
    ts,
    text,
    isMention: event.type === "app_mention",
    isDirect: event.channel_type === "im",
    isWritten:
      event.bot_id === undefined &&
      event.edited === undefined &&
      (subtype === undefined || WRITTEN.has(subtype)),
  };
}

function ofInteraction({
  type,
  channel,
  message,
  view,
  actions,
  enterprise,
  is_enterprise_install: isOrgWide,
  ...body
}: z.infer<typeof interaction>): InteractionEvent {
  const person = personOf({ ...body, view });
  const options = actions.map(({ selected_option: option }) => option?.value ?? "");
  return {
    kind: "interaction",
    source: toSource(person.team, enterprise?.id, isOrgWide),
    type,
    ...person,
    channel: channel?.id,
    blocks: message?.blocks ?? view?.blocks,
    view: view && { type: view.type, metadata: view.private_metadata },
    actions: actions.map(({ action_id: id, value }) => ({ id, value })),
    texts: [...actions.map(({ value }) => value), ...options, view?.private_metadata ?? ""],
  };
}

type Maybe<Value> = Value | null | undefined;

function toSource(team: Maybe<string>, org: Maybe<string>, isOrgWide: Maybe<boolean>): Source {
  const ofOrg = isOrgWide === true ? org : undefined;
  return { team: team === "" ? undefined : (team ?? undefined), org: ofOrg ?? undefined };
}

/** The parts of an interaction that say who did it, as Slack words them. */
interface PersonBody {
  team?: { id: string } | null | undefined;
  user: { id: string; team_id?: string | undefined };
  view?: { app_installed_team_id?: string | undefined } | undefined;
}

/** Who did it. In a shared channel the workspace is not theirs, and with an org-wide installation `team` is null. */
export function personOf(body: PersonBody): Person {
  const { user, view } = body;
  const team = view?.app_installed_team_id ?? body.team?.id ?? user.team_id ?? "";
  return { team, user: user.id, actor: actorOf(user.team_id ?? team, user.id) };
}
