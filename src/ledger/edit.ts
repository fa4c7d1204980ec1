import type { Approval, EditRequest } from "#contract/approval.ts";

import { actorName } from "../base/actor.ts";
import { CountersignError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { existingApproval, type Moves } from "./moves.ts";
import { addRequest, type ApprovalDraft } from "./request.ts";
import type { Transact } from "./transact.ts";

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
