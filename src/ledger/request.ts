import type { ActorId } from "#contract/actor.ts";
import type { Approval, EditRequest, Effect, PolicyDecision } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";

import { CountersignError } from "../base/errors.ts";
import { actorName, newId } from "../base/ids.ts";
import { digest } from "../base/json.ts";
import type { Tx } from "../store/schema.ts";
import { useGrant } from "./grants.ts";
import { existingApproval, type Moves, type ReadyTurn } from "./moves.ts";
import type { AuditNote, Transact } from "./transact.ts";

/** What a call needs to become a request. */
export interface ApprovalDraft {
  turnId: string;
  callId: string;
  conversationId: string;
  channel: string;
  tool: Tool;
  args: JsonObject;
  effect?: Effect;
  requestedBy: ActorId;
  decision: PolicyDecision;
  /** False: a person decides, whatever grants there are. */
  mayUseGrant?: boolean;
}

/**
 * Adds a request: `pending`, or `approved` where policy allows the change, so that both are executed
 * by the same claim. A pending request for the very same change in the conversation is superseded.
 */
export async function addRequest(
  tx: Tx,
  note: AuditNote,
  draft: ApprovalDraft,
  { moves, now }: { moves: Moves; now: () => number },
): Promise<{ approval: Approval; superseded: ReadyTurn[] }> {
  const { tool, args, decision } = draft;
  const key = approvalKey(tool.id, args);
  const superseded = await supersede(tx, note, draft.conversationId, key, moves);
  const id = newId("appr");
  const at = now();
  const isAllowed = decision.decision === "allow";
  const mayUseGrant = !isAllowed && draft.mayUseGrant !== false;
  const grant = mayUseGrant ? await useGrant(tx, note, draft, id, at) : undefined;
  await tx
    .insertInto("approvals")
    .values({
      id,
      turn_id: draft.turnId,
      call_id: draft.callId,
      conversation_id: draft.conversationId,
      channel: draft.channel,
      key,
      binding: bindingOf(tool, args, decision.rule),
      tool_id: tool.id,
      tool_description: tool.description,
      tool_digest: tool.digest,
      args: JSON.stringify(args),
      effect: draft.effect === undefined ? null : JSON.stringify(draft.effect),
      state: isAllowed || grant !== undefined ? "approved" : "pending",
      rule: decision.rule,
      requested_by: draft.requestedBy,
      approvers: JSON.stringify(decision.approvers),
      exclude_requester: decision.excludeRequester ? 1 : 0,
      reason_required: decision.reasonRequired ? 1 : 0,
      // A change that policy allows needs nobody's countersignature.
      quorum: isAllowed ? 0 : decision.quorum,
      created_at: at,
      expires_at: at + decision.ttlMs,
      remind_at: decision.remindMs === undefined ? null : at + decision.ttlMs - decision.remindMs,
      reminded_at: null,
      decided_at: isAllowed || grant !== undefined ? at : null,
      note: null,
      lookup: decision.lookup === undefined ? null : JSON.stringify(decision.lookup),
      grants: decision.grants === undefined ? null : JSON.stringify(decision.grants),
      replaced_by: null,
      evidence: null,
      lease_owner: null,
      lease_until: null,
    })
    .execute();
  await tx.updateTable("calls").set({ approval_id: id }).where("id", "=", draft.callId).execute();
  if (grant !== undefined) {
    const reason = `grant ${grant.id}, use ${grant.uses} of ${grant.maxUses}`;
    await tx
      .insertInto("votes")
      .values({ approval_id: id, actor: grant.grantedBy, decision: "approve", reason, at })
      .execute();
  }
  note({
    kind: isAllowed
      ? "approval.allowed_by_policy"
      : grant === undefined
        ? "approval.pending"
        : "approval.granted",
    turnId: draft.turnId,
    approvalId: id,
    actor: draft.requestedBy,
    data: { tool: tool.id, key, args, rule: decision.rule },
  });
  return { approval: await existingApproval(tx, id), superseded };
}

async function supersede(
  tx: Tx,
  note: AuditNote,
  conversationId: string,
  key: string,
  moves: Moves,
): Promise<ReadyTurn[]> {
  const pending = await tx
    .selectFrom("approvals")
    .select("id")
    .where("conversation_id", "=", conversationId)
    .where("key", "=", key)
    .where("state", "=", "pending")
    .execute();
  const woken: ReadyTurn[] = [];
  for (const { id } of pending) {
    const old = await moves.lock(tx, id);
    if (!(await moves.move(tx, note, old, "superseded", { note: "the same change was asked for again" })))
      continue;
    await moves.refuseCall(tx, old.id, "superseded");
    await moves.wake(tx, old);
    woken.push({ turnId: old.turnId, conversationId: old.conversationId });
  }
  return woken;
}

/** What `approved_keys` of the HTTP API name: the tool and the canonical arguments. */
export function approvalKey(toolId: string, args: JsonObject): string {
  return digest({ tool: toolId, args });
}

/**
 * What an approval is bound to. When any of it differs at dispatch, the approval is void: the server,
 * the tool and its description and schemas, the arguments as validated, and the rule that asked.
 */
export function bindingOf(tool: Tool, args: JsonObject, rule: string): string {
  return digest({ server: tool.server, tool: tool.id, args, tool_digest: tool.digest, rule });
}

/** The edited call as policy sees it now. */
export type EditedCall = Pick<ApprovalDraft, "tool" | "decision" | "effect">;

/**
 * Replaces a pending request by one with other arguments: a new key, a new binding, no votes. Whoever
 * edits is the requester of the new one, so that a rule which excludes the requester excludes them.
 * Rejects with `not_pending`.
 */
export async function replaceRequest(
  transact: Transact,
  request: EditRequest,
  edited: EditedCall,
  { moves, now }: { moves: Moves; now: () => number },
): Promise<Approval> {
  return transact(async (tx, note) => {
    const old = await moves.lock(tx, request.approvalId);
    const state = old.state === "pending" && old.expiresAt <= now() ? "expired" : old.state;
    if (state !== "pending") {
      throw new CountersignError(
        "not_pending",
        `Only a pending request can be edited; this one is ${state}.`,
      );
    }
    const oldCall = await tx
      .selectFrom("calls")
      .selectAll()
      .where("approval_id", "=", old.id)
      .executeTakeFirstOrThrow();
    const last = await tx
      .selectFrom("calls")
      .select((eb) => eb.fn.max("place").as("place"))
      .where("turn_id", "=", old.turnId)
      .where("step", "=", oldCall.step)
      .executeTakeFirst();
    await moves.move(tx, note, old, "superseded", {
      actor: request.actor,
      note: `edited by ${actorName(request.actor)}`,
    });
    await moves.refuseCall(tx, old.id, "edited");
    const callId = newId("call");
    await tx
      .insertInto("calls")
      .values({
        ...oldCall,
        id: callId,
        place: (last?.place ?? oldCall.place) + 1,
        args: JSON.stringify(request.args),
        state: "planned",
        approval_id: null,
        outcome: null,
        started_at: null,
        ended_at: null,
      })
      .execute();
    const draft: ApprovalDraft = {
      turnId: old.turnId,
      callId,
      conversationId: old.conversationId,
      channel: old.channel,
      args: request.args,
      requestedBy: request.actor,
      ...edited,
    };
    const { approval } = await addRequest(tx, note, draft, { moves, now });
    await tx.updateTable("approvals").set({ replaced_by: approval.id }).where("id", "=", old.id).execute();
    // The turn goes on to show the new request, or to run it where policy allows the edited call.
    await moves.wake(tx, old);
    return existingApproval(tx, approval.id);
  });
}
