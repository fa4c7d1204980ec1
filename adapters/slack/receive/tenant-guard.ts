import type { Approval } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import { isSamePerson } from "#src/base/ids.ts";

import { containsPart, type Reference, type ReferenceCore, referencesIn } from "../../chat/place-guard.ts";
import { channelOf, readId } from "../ids.ts";
import type { SlackDeps } from "../options.ts";
import type { InteractionEvent } from "./event.ts";
import type { SlackMembership } from "./people.ts";

export interface PlaceGuardDeps {
  core: ReferenceCore & Pick<Core, "approvalsFor">;
  draftStore: Pick<SlackDeps["draftStore"], "get">;
  members: Pick<SlackMembership, "inChannel">;
  /** Whether a workspace is one that this app's token is good for. */
  isOwn: (team: string) => Promise<boolean>;
}

/** What was named is of another workspace, and nobody is told anything of it; or of another place. */
export type Refused = "workspace" | "place";

const DRAFT = /\bdraft_[0-9a-f-]{36}\b/g;
const NAMING = /(?:turn|appr|ques|grant|draft)_/;

/**
 * Why a press or a window has to be turned away before anything that it names is shown or done; else the
 * requests that it names. A button stands in the message or window that it came with; what it names belongs
 * to the channel of that message. In windows and in the home, which stand in no channel, it has to be for the
 * person: of a channel that they are in, or a request that they may decide. Slack gives back what this product
 * put there; this holds even if somebody finds a way to put something else there.
 */
export async function guardPlace(
  event: InteractionEvent,
  deps: PlaceGuardDeps,
): Promise<{ refused: Refused } | { approvals: Approval[] }> {
  const { actor, channel: place } = event;
  const named = [...(await referencesIn(event.texts, deps.core)), ...(await draftsIn(event, deps))];
  for (const { channel } of named) {
    const where = readId(channel);
    if (where === undefined || !(await deps.isOwn(where.team))) return { refused: "workspace" };
  }
  if (!isFromWhereItStands(event) || !(await isOwnHome(event, deps))) return { refused: "place" };
  for (const one of named) {
    const isHere = place === undefined ? await isFor(event, one, deps) : readId(one.channel)?.local === place;
    const isOthers = one.id.startsWith("draft_") && !isSamePerson(one.actor, actor);
    if (!isHere || isOthers) return { refused: "place" };
  }
  return { approvals: named.flatMap(({ approval }) => approval ?? []) };
}

async function draftsIn(
  { texts, actor }: InteractionEvent,
  { draftStore }: PlaceGuardDeps,
): Promise<Reference[]> {
  const found: Reference[] = [];
  for (const id of new Set(texts.flatMap((text) => text.match(DRAFT) ?? []))) {
    const draft = await draftStore.get(id);
    if (draft === undefined) continue;
    const { team, channel, conversationId = "", actor: whose } = draft;
    found.push({ id, channel: channelOf(team, channel), conversationId, actor: whose ?? actor });
  }
  return found;
}

/** Nothing is known of what stands in a message for one person alone: Slack sends no copy of it. */
function isFromWhereItStands({ actions, blocks }: InteractionEvent): boolean {
  if (blocks === undefined) return true;
  return actions.every(({ id, value }) => {
    // Words that a button asks for name nothing, and Slack may write some of their characters in another way.
    const isName = NAMING.test(value);
    return containsPart(
      blocks,
      (part) => part["action_id"] === id && (!isName || containsPart(part, (one) => one["value"] === value)),
    );
  });
}

/** What is asked in the home is asked in the person's direct conversation, which its metadata names. */
async function isOwnHome(
  { view, team, actor }: InteractionEvent,
  { members }: PlaceGuardDeps,
): Promise<boolean> {
  if (view?.type !== "home" || view.metadata === "") return true;
  return members.inChannel(actor, channelOf(team, view.metadata)).catch(() => false);
}

async function isFor(
  { actor }: InteractionEvent,
  { channel, approval, actor: asker }: Reference,
  { core, members }: PlaceGuardDeps,
): Promise<boolean> {
  if (isSamePerson(actor, asker)) return true;
  if (await members.inChannel(actor, channel).catch(() => false)) return true;
  return approval !== undefined && (await core.approvalsFor(actor)).some(({ id }) => id === approval.id);
}
