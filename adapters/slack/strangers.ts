import type { Core } from "#contract/core.ts";

import type { Drafts } from "./drafts.ts";
import { channelOf, readId } from "./ids.ts";

/** Turns, requests and questions, as `newId` names them, and drafts. */
const ID = /\b(?:turn|appr|ques)_[0-9A-HJKMNP-TV-Z]{26}\b|\bdraft_[0-9a-f-]{36}\b/g;

/**
 * Whether an interaction names a turn, a request or a question of somewhere else than the workspaces that this one
 * may see. Slack gives back what this product put into its buttons and windows; this holds even if
 * somebody finds a way to put another workspace's there.
 */
export async function namesStranger(
  body: unknown,
  isOwn: (team: string) => Promise<boolean>,
  core: Pick<Core, "approval" | "question" | "turn">,
  drafts?: Pick<Drafts, "find">,
): Promise<boolean> {
  for (const id of idsIn(body)) {
    const found = id.startsWith("draft_") ? await placeOf(id, drafts) : await lookUp(id, core);
    if (found === undefined) continue;
    const place = readId(found.channel);
    if (place === undefined || !(await isOwn(place.team))) return true;
  }
  return false;
}

async function placeOf(
  id: string,
  drafts: Pick<Drafts, "find"> | undefined,
): Promise<{ channel: string } | undefined> {
  const draft = await drafts?.find(id);
  return draft === undefined ? undefined : { channel: channelOf(draft.team, draft.channel) };
}

function lookUp(
  id: string,
  core: Pick<Core, "approval" | "question" | "turn">,
): Promise<{ channel: string } | undefined> {
  if (id.startsWith("appr_")) return core.approval(id);
  return id.startsWith("ques_") ? core.question(id) : core.turn(id);
}

/** In what the app itself put there, and nothing that a person typed. */
function idsIn(body: unknown): Set<string> {
  const found = new Set<string>();
  if (typeof body !== "object" || body === null) return found;
  const { actions, view } = body as { actions?: unknown; view?: { private_metadata?: unknown } };
  const texts = [
    ...(Array.isArray(actions) ? actions.flatMap((action: unknown) => valuesOf(action)) : []),
    view?.private_metadata,
  ];
  for (const text of texts) {
    if (typeof text === "string") for (const [id] of text.matchAll(ID)) found.add(id);
  }
  return found;
}

function valuesOf(action: unknown): unknown[] {
  if (typeof action !== "object" || action === null) return [];
  const { value, selected_option: option } = action as {
    value?: unknown;
    selected_option?: { value?: unknown };
  };
  return [value, option?.value];
}
