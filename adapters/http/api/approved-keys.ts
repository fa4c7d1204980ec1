import * as z from "zod";

import type { Approval, DecideReply, DecideRequest } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { codeOf } from "#src/base/errors.ts";
import { canonicalJson, isObject } from "#src/base/json.ts";
import { pendingOf } from "#src/base/statement.ts";

import { ApiError } from "../errors.ts";
import { jsonObject } from "./bodies.ts";
import { approvalToWire } from "./wire.ts";

/**
 * One of the keys that a client keeps: the digest of a request, `tool_id:args_json`, or the pair, as an object or as
 * `[tool_id, args]`, whose arguments may be JSON as text.
 */
type ApprovedKey = string | { tool_id: string; args: JsonObject } | [string, JsonObject | string];

const text = z.string().min(1);

/** The set grows with every approval of a session; the size of the body bounds it. */
export const approvedKeys: z.ZodDefault<z.ZodType<ApprovedKey[]>> = z
  .array(
    z.union(
      [
        text,
        z.strictObject({ tool_id: text, args: jsonObject }),
        z.tuple([text, z.union([text, jsonObject])]),
      ],
      "expected the key of a request, tool_id:args_json or {tool_id, args}",
    ),
  )
  .max(1000)
  .default([]);

/** The turn that is answered, and the last of its events that is not. */
export interface Continuation {
  turnId: string;
  after: number;
}

interface KeysRequest {
  conversationId: string;
  keys: readonly ApprovedKey[];
  /** Whether the keys came without a message: then somebody has just approved by them. */
  isAlone: boolean;
}

/**
 * Approves the session's pending requests that the keys name. Keys that name nothing that waits change nothing: a
 * client sends all that it ever had. So a key that somebody approved by before says nothing of the same change asked
 * for again, beside a message or another key; alone it does, where it names one request. Nor does a key approve that
 * names several. Resolves to the turn to answer with; undefined where the keys name none.
 */
export async function approveByKeys(
  core: Core,
  { conversationId, keys, isAlone }: KeysRequest,
  by: Pick<DecideRequest, "actor" | "via">,
): Promise<Continuation | undefined> {
  const known = (await core.approvals({ conversationId })).toSorted((a, b) => a.createdAt - b.createdAt);
  const named = keys.map((key) => known.filter(namedBy(key)));
  const waiting = named.flatMap((all) => {
    const [one, ...others] = all.filter(({ state }) => state === "pending");
    if (one === undefined || others.length > 0) return [];
    return { approval: one, isSpent: all.some((other) => other !== one && wasApproved(other)) };
  });
  const fresh = new Set(waiting.flatMap(({ approval, isSpent }) => (isSpent ? [] : approval)));
  const spent = new Set(waiting.map(({ approval }) => approval));
  const pressed = fresh.size === 0 && isAlone && spent.size === 1 ? spent : fresh;
  let continuation: Continuation | undefined;
  let refused: DecideReply | undefined;
  for (const { id, turnId } of known.filter((one) => pressed.has(one))) {
    const reply = await decide(core, { ...by, approvalId: id, decision: "approve" }, isAlone);
    if (reply?.outcome === "not_eligible") refused = reply;
    if (reply?.outcome !== "approved" && reply?.outcome !== "recorded") continue;
    // A vote short of the quorum continues nothing: the answer is the turn as it waits.
    continuation = { turnId, after: reply.outcome === "approved" ? await lastAsked(core, turnId, id) : 0 };
  }
  if (continuation !== undefined) return continuation;
  if (isAlone && refused !== undefined) {
    const details = { approval_id: refused.approval.id, state: refused.approval.state };
    throw new ApiError(403, refused.outcome, refused.message, { details });
  }
  const last = named
    .flat()
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .at(-1);
  return last && { turnId: last.turnId, after: 0 };
}

/** Beside a message a request that wants more than a key, such as a reason, goes on waiting. */
async function decide(
  core: Core,
  request: DecideRequest,
  isAlone: boolean,
): Promise<DecideReply | undefined> {
  try {
    return await core.decide(request);
  } catch (error) {
    if (!isAlone && codeOf(error) === "reason_required") return undefined;
    throw error;
  }
}

/**
 * The number of the event with which a turn asked for this. Looked up after the decision: before it an approver may
 * see the request, and not the turn. A turn that waits has told so last; what comes after follows the decision.
 */
async function lastAsked(core: Core, turnId: string, approvalId: string): Promise<number> {
  const asked = (await core.eventsSoFar(turnId)).findLast(
    ({ event }) => event.type === "result" && pendingOf(event.result).some(({ id }) => id === approvalId),
  );
  return asked?.seq ?? 0;
}

function wasApproved({ votes }: Approval): boolean {
  return votes.some(({ decision }) => decision === "approve");
}

/** Clients make keys of what they were shown. */
function namedBy(key: ApprovedKey): (approval: Approval) => boolean {
  const pair = pairOf(key);
  if (pair === undefined) return (approval) => approval.key === key;
  const args = canonicalJson(pair.args);
  return (approval) =>
    approval.toolId === pair.toolId && canonicalJson(approvalToWire(approval).args) === args;
}

function pairOf(key: ApprovedKey): { toolId: string; args: JsonValue } | undefined {
  if (Array.isArray(key)) {
    const [toolId, args] = key;
    return typeof args === "string" ? pairOf(`${toolId}:${args}`) : { toolId, args };
  }
  if (typeof key !== "string") return { toolId: key.tool_id, args: key.args };
  const at = key.indexOf(":");
  if (at < 0) return undefined;
  try {
    const args = JSON.parse(key.slice(at + 1)) as JsonValue;
    return isObject(args) ? { toolId: key.slice(0, at), args } : undefined;
  } catch {
    return undefined;
  }
}
