import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import { en } from "#src/base/words/en.ts";

/** Turns, requests, questions and standing approvals, as the core names them. */
const ID = /\b(?:turn|appr|ques|grant)_[0-9A-HJKMNP-TV-Z]{26}\b/g;

/** Something that a button, a window or a form names, and where it belongs. */
export interface Reference {
  id: string;
  /** The request, where it names one or what came with it. */
  approval?: Approval;
  channel: string;
  conversationId: string;
  /** Who asked for it. */
  actor: ActorId;
}

export type ReferenceCore = Pick<Core, "approval" | "grant" | "question" | "turn">;

/**
 * What the texts of an interaction name, before any of it is shown or done: it has to belong where the button
 * was pressed. What is not there, or no longer, is left out.
 */
export async function referencesIn(texts: readonly string[], core: ReferenceCore): Promise<Reference[]> {
  const ids = new Set<string>();
  for (const text of texts) for (const [id] of text.matchAll(ID)) ids.add(id);
  const found = await Promise.all([...ids].map((id) => lookUp(id, core)));
  return found.filter((one) => one !== undefined);
}

async function lookUp(id: string, core: ReferenceCore): Promise<Reference | undefined> {
  if (id.startsWith("grant_")) {
    const grant = await core.grant(id);
    const given = grant === undefined ? undefined : await lookUp(grant.approvalId, core);
    return given === undefined ? undefined : { ...given, id };
  }
  if (id.startsWith("appr_")) {
    const approval = await core.approval(id);
    if (approval === undefined) return undefined;
    const { channel, conversationId, requestedBy: actor } = approval;
    return { id, approval, channel, conversationId, actor };
  }
  const found = id.startsWith("ques_") ? await core.question(id) : await core.turn(id);
  if (found === undefined) return undefined;
  const { channel, conversationId, actor } = found;
  return { id, channel, conversationId, actor };
}

/** Whether one of the parts of a message or window is the one that was used. */
export function containsPart(
  parts: unknown,
  isUsed: (part: Readonly<Record<string, unknown>>) => boolean,
): boolean {
  const open: unknown[] = [parts];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== "object" || part === null) continue;
    if (!Array.isArray(part) && isUsed(part as Record<string, unknown>)) return true;
    for (const inner of Object.values(part)) open.push(inner);
  }
  return false;
}

/** To whom something names what is not from here: no more than of what was never there. */
export const NOT_HERE: string = en.recorded.notHere();
