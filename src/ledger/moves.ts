import type { Approval, ApprovalState, ApprovalVote } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { CallOutcome } from "#contract/tool.ts";

import type { FailPoint } from "../base/fail-point.ts";
import type { Owner } from "../base/shares.ts";
import type { StoreKind } from "../store/migrations.ts";
import { packed } from "../store/packed.ts";
import type { Db, Row, Tx } from "../store/schema.ts";
import type { Membership, NameOf } from "./eligibility.ts";
import { isNews, noteNotice } from "./notices.ts";
import { existingRequest, withVotes } from "./rows.ts";
import type { AuditNote, Transact } from "./transact.ts";

/** A turn that became ready to go on. */
export interface ReadyTurn {
  turnId: string;
  conversationId: string;
  /** Who asks, and where, by which turns wait for each other; a turn that goes on waits for none. */
  of?: Owner;
  /** How many turns of the same person, and of the same channel, were not done when it became ready. */
  ahead?: { ofPerson: number; ofChannel: number };
  /** Not to be begun before then, in milliseconds since the epoch. */
  notBefore?: number;
}

export interface LedgerOptions {
  db: Db;
  kind: StoreKind;
  transact: Transact;
  membership: Membership;
  now: () => number;
  failPoint: FailPoint;
  /** What somebody is called, where that is known without asking their surface. */
  nameOf?: NameOf;
  /** Names this process in leases. */
  worker: string;
  leaseMs: number;
  /** Puts a turn that goes on into the queue, within the transaction that makes it ready. */
  enqueue: (tx: Tx, turn: ReadyTurn) => Promise<void>;
  /** Called after the commit that makes a turn ready; must not throw and may be called twice for one turn. */
  onContinue: (turn: ReadyTurn) => void;
}

export interface MoveChange {
  actor?: string;
  note?: string;
  data?: JsonObject;
  /** Take the lease for this worker; otherwise it is given up. */
  lease?: boolean;
}

/** The steps that every change of an approval is made of. All work inside the caller's transaction. */
export class Moves {
  readonly #options: LedgerOptions;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /** The request, locked so that on Postgres two deciders of it wait for each other. */
  async lock(tx: Tx, id: string): Promise<Approval> {
    return (await this.lockRow(tx, id)).approval;
  }

  /** `votes`: of a request that was decided, which takes no more. */
  lockRow(
    tx: Tx,
    id: string,
    votes?: ApprovalVote[],
  ): Promise<{ approval: Approval; row: Row<"approvals"> }> {
    return existingRequest(tx, id, { isLocked: this.#options.kind === "postgres", votes });
  }

  /**
   * Compare-and-set of the state with its audit entry. Returns the request as it is then; undefined when
   * somebody else moved it first.
   */
  async move(
    tx: Tx,
    note: AuditNote,
    approval: Approval,
    to: ApprovalState,
    change: MoveChange,
  ): Promise<Approval | undefined> {
    const { now, worker, leaseMs } = this.#options;
    const at = now();
    const isDecision = approval.decidedAt === undefined && to !== "executing";
    const said = change.note === undefined ? {} : { note: change.note };
    const result = await tx
      .updateTable("approvals")
      .set({
        state: to,
        ...(isDecision ? { decided_at: at } : {}),
        ...said,
        lease_owner: change.lease === true ? worker : null,
        lease_until: change.lease === true ? at + leaseMs : null,
      })
      .where("id", "=", approval.id)
      .where("state", "=", approval.state)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) return undefined;
    const { id: approvalId, turnId, toolId: tool, key, state: from } = approval;
    note({
      kind: `approval.${to}`,
      turnId,
      approvalId,
      ...(change.actor === undefined ? {} : { actor: change.actor }),
      data: { tool, key, from, note: change.note ?? null, ...change.data },
    });
    if (isNews(approval, to, at)) await noteNotice(tx, { kind: "outcome", approval, outcome: to, at });
    return { ...approval, state: to, ...(isDecision ? { decidedAt: at } : {}), ...said };
  }

  /** Makes the turn that waits for this request go on. */
  async wake(tx: Tx, { turnId, conversationId }: ReadyTurn): Promise<void> {
    const { now, enqueue } = this.#options;
    // A run that ends at this moment is waited for, and is then seen to wait. One that goes on may have read the
    // request before this; it is followed by another.
    const { numUpdatedRows } = await tx
      .updateTable("turns")
      .set((eb) => ({
        state: eb.case("state").when("pending_confirmation").then("queued").else(eb.ref("state")).end(),
        updated_at: now(),
      }))
      .where("id", "=", turnId)
      .where("state", "in", ["pending_confirmation", "running"])
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await enqueue(tx, { turnId, conversationId });
  }

  /** Marks the call as one that will never be made. */
  async refuseCall(tx: Tx, approvalId: string, why: string): Promise<void> {
    await updateCall(tx, approvalId, {
      state: "refused",
      ended_at: this.#options.now(),
      outcome: { ok: false, data: null, error: { code: "refused", message: why, sent: "no" } },
    });
  }
}

/** Writes how the call of a request stands. Times are milliseconds since the epoch. */
export async function updateCall(
  tx: Tx,
  approvalId: string,
  { outcome, ...set }: { state: string; started_at?: number; ended_at?: number; outcome?: CallOutcome },
): Promise<void> {
  await tx
    .updateTable("calls")
    .set({ ...set, ...(outcome === undefined ? {} : { outcome: packed(JSON.stringify(outcome)) }) })
    .where("approval_id", "=", approvalId)
    .execute();
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
  await close(["pending", "approved"], "void", `${why} before the call was sent`);
  await close(["executing"], "unknown", `${why} after the call was sent`);

  async function close(from: ApprovalState[], to: "void" | "unknown", message: string): Promise<void> {
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
      .returningAll()
      .execute();
    const isSent = to === "unknown";
    const error: CallOutcome["error"] = isSent
      ? { code: "transport", message, sent: "maybe" }
      : { code: "refused", message, sent: "no" };
    for (const approval of await withVotes(tx, closed)) {
      const { id, toolId: tool, key } = approval;
      const outcome: CallOutcome = { ok: false, data: null, error };
      await updateCall(tx, id, { state: isSent ? "unknown" : "refused", ended_at: at, outcome });
      note({ kind: `approval.${to}`, turnId, approvalId: id, data: { tool, key, note: message } });
      if (isNews(approval, to, at)) await noteNotice(tx, { kind: "outcome", approval, outcome: to, at });
    }
  }
}
