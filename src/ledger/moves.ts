import type { Approval, ApprovalState } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { CallOutcome } from "#contract/tool.ts";

import { CountersignError } from "../base/errors.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { Db, Tx } from "../store/schema.ts";
import { readApproval } from "./rows.ts";
import type { AuditNote } from "./transact.ts";

/** A turn that became ready to go on. */
export interface ReadyTurn {
  turnId: string;
  conversationId: string;
}

export interface MoveOptions {
  kind: StoreKind;
  now: () => number;
  /** Names this process in leases. */
  worker: string;
  leaseMs: number;
  /** Puts a turn that goes on into the queue, within the transaction that makes it ready. */
  enqueue: (tx: Tx, turn: ReadyTurn) => Promise<void>;
}

/** The steps that every change of an approval is made of. All work inside the caller's transaction. */
export interface Moves {
  /** The row, locked so that on Postgres two deciders of one request wait for each other. */
  lock(tx: Tx, id: string): Promise<Approval>;
  /** Compare-and-set of the state with its audit entry; false when somebody else moved it first. */
  move(tx: Tx, note: AuditNote, approval: Approval, to: ApprovalState, change: MoveChange): Promise<boolean>;
  /** Makes the turn that waits for this request go on. */
  wake(tx: Tx, approval: Approval): Promise<void>;
  /** Marks the call as one that will never be made. */
  refuseCall(tx: Tx, approvalId: string, why: string): Promise<void>;
}

interface MoveChange {
  actor?: string;
  note?: string;
  data?: JsonObject;
  /** Take the lease for this worker; otherwise it is given up. */
  lease?: boolean;
}

export function createMoves({ kind, now, worker, leaseMs, enqueue }: MoveOptions): Moves {
  return {
    async lock(tx, id) {
      if (kind === "postgres")
        await tx.selectFrom("approvals").select("id").where("id", "=", id).forUpdate().execute();
      return existingApproval(tx, id);
    },

    async move(tx, note, approval, to, change) {
      const at = now();
      const result = await tx
        .updateTable("approvals")
        .set({
          state: to,
          ...(approval.decidedAt === undefined && to !== "executing" ? { decided_at: at } : {}),
          ...(change.note === undefined ? {} : { note: change.note }),
          lease_owner: change.lease === true ? worker : null,
          lease_until: change.lease === true ? at + leaseMs : null,
        })
        .where("id", "=", approval.id)
        .where("state", "=", approval.state)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) return false;
      note({
        kind: `approval.${to}`,
        turnId: approval.turnId,
        approvalId: approval.id,
        ...(change.actor === undefined ? {} : { actor: change.actor }),
        data: {
          tool: approval.toolId,
          key: approval.key,
          from: approval.state,
          note: change.note ?? null,
          ...change.data,
        },
      });
      return true;
    },

    async wake(tx, approval) {
      // Locked first: a run that ends at this moment is waited for, and is then seen to wait.
      const turn = await tx
        .selectFrom("turns")
        .select("state")
        .where("id", "=", approval.turnId)
        .$if(kind === "postgres", (query) => query.forUpdate())
        .executeTakeFirst();
      // A run that goes on may have read the request before this; it is followed by another.
      if (turn?.state !== "pending_confirmation" && turn?.state !== "running") return;
      await tx
        .updateTable("turns")
        .set({ state: "queued", updated_at: now() })
        .where("id", "=", approval.turnId)
        .where("state", "=", "pending_confirmation")
        .execute();
      await enqueue(tx, { turnId: approval.turnId, conversationId: approval.conversationId });
    },

    async refuseCall(tx, approvalId, why) {
      const outcome: CallOutcome = {
        ok: false,
        data: null,
        error: { code: "refused", message: why, sent: "no" },
      };
      await tx
        .updateTable("calls")
        .set({ state: "refused", ended_at: now(), outcome: JSON.stringify(outcome) })
        .where("approval_id", "=", approvalId)
        .execute();
    },
  };
}

/** Rejects with `not_found`. */
export async function existingApproval(db: Db, id: string): Promise<Approval> {
  const approval = await readApproval(db, id);
  if (approval === undefined) throw new CountersignError("not_found", `There is no approval ${id}.`);
  return approval;
}

export function countApprovals(approval: Approval): number {
  return approval.votes.filter((vote) => vote.decision === "approve").length;
}

/**
 * Closes the requests of a turn that ends for good, so that none goes on saying that it waits or runs:
 * what was not sent is void; what was sent and has no outcome is unknown, and a result that still comes
 * is kept as evidence.
 */
export async function closeRequests(
  tx: Tx,
  note: AuditNote,
  turnId: string,
  { at, why }: { at: number; why: string },
): Promise<void> {
  // In this order: a claim that comes in between is waited for, and the second finds what it took.
  await close({ from: ["pending", "approved"], to: "void", message: `${why} before the call was sent` });
  await close({ from: ["executing"], to: "unknown", message: `${why} after the call was sent` });

  async function close(change: { from: string[]; to: "void" | "unknown"; message: string }): Promise<void> {
    const { from, to, message } = change;
    const closed = await tx
      .updateTable("approvals")
      .set((eb) => ({
        state: to,
        note: message,
        decided_at: eb.fn.coalesce("decided_at", eb.val(at)),
        lease_owner: null,
        lease_until: null,
      }))
      .where("turn_id", "=", turnId)
      .where("state", "in", from)
      .returning(["id", "call_id", "tool_id", "key"])
      .execute();
    const error: CallOutcome["error"] =
      to === "unknown"
        ? { code: "transport", message, sent: "maybe" }
        : { code: "refused", message, sent: "no" };
    for (const { id, call_id, tool_id, key } of closed) {
      await tx
        .updateTable("calls")
        .set({
          state: to === "unknown" ? "unknown" : "refused",
          ended_at: at,
          outcome: JSON.stringify({ ok: false, data: null, error }),
        })
        .where("id", "=", call_id)
        .execute();
      note({ kind: `approval.${to}`, turnId, approvalId: id, data: { tool: tool_id, key, note: message } });
    }
  }
}
