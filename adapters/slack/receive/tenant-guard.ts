import { z } from "zod";

import type { ActorId } from "#contract/actor.ts";
import type { Core } from "#contract/core.ts";
import { isSamePerson } from "#src/base/ids.ts";

import {
  containsPart,
  NOT_HERE,
  type Reference,
  type ReferenceCore,
  referencesIn,
} from "../../chat/place-guard.ts";
import { actorOf, channelOf, readId, teamOfInteraction } from "../ids.ts";
import type { Drafts } from "../options.ts";
import type { SlackMembership } from "./people.ts";
import type { Rejection } from "./receivers.ts";
import { renderNotice } from "../render/window.ts";
import type { SendEphemeral } from "../send/ephemeral.ts";

export interface PlaceGuardDeps {
  core: ReferenceCore & Pick<Core, "approvalsFor">;
  drafts: Pick<Drafts, "find">;
  members: Pick<SlackMembership, "inChannel">;
  /** Whether a workspace is one that this app's token is good for. */
  isOwn: (team: string) => Promise<boolean>;
}

const DRAFT = /\bdraft_[0-9a-f-]{36}\b/g;
const NAMING = /(?:turn|appr|ques|grant|draft)_/;

const interaction = z.object({
  type: z.string(),
  team: z.object({ id: z.string() }).nullish(),
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  channel: z.object({ id: z.string() }).nullish(),
  message: z.object({ blocks: z.unknown().optional() }).nullish(),
  view: z
    .object({
      type: z.string(),
      private_metadata: z.string().optional(),
      blocks: z.unknown().optional(),
      app_installed_team_id: z.string().optional(),
    })
    .optional(),
  actions: z
    .array(
      z.object({
        action_id: z.string().optional(),
        value: z.string().optional(),
        selected_option: z.object({ value: z.string().optional() }).nullish(),
      }),
    )
    .default([]),
});

type Interaction = z.infer<typeof interaction>;

/**
 * Why a press or a window has to be turned away before anything that it names is read. A button stands in
 * the message or window that it came with; what it names belongs to the channel of that message. In windows
 * and in the home, which stand in no channel, it has to be for the person: of a channel that they are in, or
 * a request that they may decide. Slack gives back what this product put there; this holds even if somebody
 * finds a way to put something else there. `workspace`: it is of one that this app's token is not for, and
 * nobody is to be told anything of it.
 */
export async function whyNotHere(
  body: unknown,
  parts: PlaceGuardDeps,
): Promise<"workspace" | "place" | undefined> {
  const parsed = interaction.safeParse(body);
  // What is of no form that Slack sends is not looked into any further.
  if (!parsed.success) return isInteraction(body) ? "place" : undefined;
  const { data } = parsed;
  const team = teamOfInteraction(data);
  const actor = actorOf(data.user.team_id ?? team, data.user.id);
  const texts = textsOf(data);
  const all = [...(await referencesIn(texts, parts.core)), ...(await draftsIn(texts, actor, parts))];
  for (const { channel } of all) {
    const where = readId(channel);
    if (where === undefined || !(await parts.isOwn(where.team))) return "workspace";
  }
  if (!isFromWhereItStands(data) || !(await isOwnHome(data, team, actor, parts))) return "place";
  const place = data.channel?.id;
  for (const named of all) {
    const isHere =
      place === undefined ? await isFor(actor, named, parts) : readId(named.channel)?.local === place;
    const isOthers = named.id.startsWith("draft_") && !isSamePerson(named.actor, actor);
    if (!isHere || isOthers) return "place";
  }
  return undefined;
}

/** What is asked in the home is asked in the person's direct conversation, which its metadata names. */
async function isOwnHome(
  { view }: Interaction,
  team: string,
  actor: ActorId,
  { members }: Pick<PlaceGuardDeps, "members">,
): Promise<boolean> {
  const { type, private_metadata: direct = "" } = view ?? {};
  if (type !== "home" || direct === "") return true;
  return members.inChannel(actor, channelOf(team, direct)).catch(() => false);
}

function isInteraction(body: unknown): boolean {
  const { type } = (body ?? {}) as { type?: unknown };
  return type === "block_actions" || type === "view_submission" || type === "view_closed";
}

/** For the log: which buttons, where, by whom. */
export function whatWasDone(body: unknown): { actions: string[]; channel?: string; user?: string } {
  const { data } = interaction.safeParse(body);
  return {
    actions: data?.actions.map(({ action_id: id = "" }) => id) ?? [],
    ...(data === undefined ? {} : { user: data.user.id }),
    ...(data?.channel === undefined || data.channel === null ? {} : { channel: data.channel.id }),
  };
}

/** Tells who pressed where they pressed; a window that was sent says it itself. */
export function createRejection(tell: SendEphemeral): (body: unknown) => Rejection {
  return (body) => {
    const { data } = interaction.safeParse(body);
    if (data?.type === "view_submission") {
      const elements = [{ type: "text" as const, text: NOT_HERE }];
      return {
        response_action: "update",
        view: renderNotice({ kind: "status", title: NOT_HERE, elements }),
      };
    }
    if (data?.channel !== undefined && data.channel !== null) {
      // Never rejects, and Slack need not wait for it.
      void tell({ team: teamOfInteraction(data), channel: data.channel.id, user: data.user.id }, NOT_HERE);
    }
    return undefined;
  };
}

/** Nothing is known of what stands in a message for one person alone: Slack sends no copy of it. */
function isFromWhereItStands({ actions, message, view }: Interaction): boolean {
  const blocks = message?.blocks ?? view?.blocks;
  if (blocks === undefined) return true;
  return actions.every(({ action_id: id = "", value = "" }) => {
    // Words that a button asks for name nothing, and Slack may write some of their characters in another way.
    const isName = NAMING.test(value);
    const isUsed = (part: Readonly<Record<string, unknown>>): boolean =>
      part["action_id"] === id && (!isName || part["value"] === value);
    return containsPart(blocks, isUsed);
  });
}

async function draftsIn(
  texts: readonly string[],
  actor: ActorId,
  { drafts }: Pick<PlaceGuardDeps, "drafts">,
): Promise<Reference[]> {
  const ids = new Set(texts.flatMap((text) => text.match(DRAFT) ?? []));
  const found: Reference[] = [];
  for (const id of ids) {
    const draft = await drafts.find(id);
    if (draft === undefined) continue;
    const { team, channel, conversationId = "", actor: whose } = draft;
    found.push({ id, channel: channelOf(team, channel), conversationId, actor: whose ?? actor });
  }
  return found;
}

async function isFor(
  actor: ActorId,
  { channel, approvalId, actor: asker }: Reference,
  { core, members }: PlaceGuardDeps,
): Promise<boolean> {
  if (isSamePerson(actor, asker)) return true;
  if (await members.inChannel(actor, channel).catch(() => false)) return true;
  if (approvalId === undefined) return false;
  return (await core.approvalsFor(actor)).some(({ id }) => id === approvalId);
}

/** What the app itself put there, and nothing that a person typed. */
function textsOf({ actions, view }: Interaction): string[] {
  return [
    ...actions.flatMap(({ value, selected_option: option }) => [value, option?.value]),
    view?.private_metadata,
  ].filter((text) => text !== undefined);
}
