import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import type { NumberedEvent } from "#contract/turn.ts";

import { ApiError } from "../errors.ts";

/** The turn that goes on because of the decision, and its last event before it. */
export interface Continuation {
  turnId: string;
  after: number;
}

/**
 * Approves the session's pending requests with these keys. All keys are looked up before any is
 * decided, so that a wrong one changes nothing. With several keys the last one's turn is answered.
 */
export async function approveKeys(
  core: Core,
  request: { conversationId: string; keys: string[]; actor: ActorId },
): Promise<Continuation> {
  const known = await core.approvals({ conversationId: request.conversationId });
  const wanted = [...new Set(request.keys)].map((key) => latestPending(known, key));
  let continuation: Continuation | undefined;
  for (const approval of wanted) {
    const outcome = await approve(core, approval, request.actor);
    // Asked after the decision: before it an approver may see the request, and not the turn.
    const events = await core.eventsSoFar(approval.turnId);
    const after = events.findLast((one) => asksFor(one, approval.id))?.seq ?? 0;
    // A vote short of the quorum continues nothing: the answer is the turn as it waits.
    continuation = { turnId: approval.turnId, after: outcome === "approved" ? after : 0 };
  }
  if (continuation === undefined)
    throw new ApiError(400, "bad_request", "approved_keys: expected at least one key");
  return continuation;
}

/** A turn that waits has told so last; what comes after that follows the decision. */
function asksFor({ event }: NumberedEvent, approvalId: string): boolean {
  return event.type === "result" && event.result.pendingConfirmation?.id === approvalId;
}

function latestPending(known: Approval[], key: string): Approval {
  const same = known.filter((approval) => approval.key === key).toSorted((a, b) => b.createdAt - a.createdAt);
  const pending = same.find((approval) => approval.state === "pending") ?? same[0];
  if (pending === undefined) {
    throw new ApiError(
      404,
      "unknown_key",
      `approved_keys: this session has no request with the key ${JSON.stringify(key.slice(0, 80))}`,
    );
  }
  if (pending.state !== "pending") {
    throw new ApiError(
      409,
      "already_decided",
      `approved_keys: the request with the key ${JSON.stringify(key.slice(0, 80))} is ${pending.state}; ask again for a new one`,
      { details: { approval_id: pending.id, state: pending.state } },
    );
  }
  return pending;
}

async function approve(core: Core, approval: Approval, actor: ActorId): Promise<"approved" | "recorded"> {
  const reply = await core.decide({ approvalId: approval.id, actor, decision: "approve" });
  if (reply.outcome === "approved" || reply.outcome === "recorded") return reply.outcome;
  throw new ApiError(reply.outcome === "not_eligible" ? 403 : 409, reply.outcome, reply.message, {
    details: { approval_id: approval.id, state: reply.approval.state },
  });
}
