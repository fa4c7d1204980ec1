import type { ActorId } from "#contract/actor.ts";
import type { Approval, EditRequest, Grant } from "#contract/approval.ts";
import type { Core, SettleRequest } from "#contract/core.ts";
import type { CallOutcome } from "#contract/tool.ts";

import { CountersignError } from "../base/errors.ts";
import { actorName } from "../base/ids.ts";
import { en } from "../base/words/en.ts";
import type { Db, Tx } from "../store/schema.ts";
import { createDecider, type Decider } from "./decide.ts";
import { whyNotEligible } from "./eligibility.ts";
import { createExecutor, type Executor } from "./execute.ts";
import { findGrant, listGrants, readGrant, revokeGrant } from "./grants.ts";
import { type LedgerOptions, Moves, type ReadyTurn, updateCall } from "./moves.ts";
import { noteNotice } from "./notices.ts";
import { addRequest, type EditedCall, renewRequest, replaceRequest, supersedeBefore } from "./request.ts";
import { type ApprovalDraft, conversationsOf, existingApproval, readApproval, withVotes } from "./rows.ts";
import type { AuditNote, Transact } from "./transact.ts";

/** The record of approvals: every move is one transaction with its audit entry. */
export interface Ledger extends Executor, Decider {
  /** See addRequest; works in the caller's transaction. */
  request(
    tx: Tx,
    note: AuditNote,
    draft: ApprovalDraft,
  ): Promise<{ approval: Approval; superseded: ReadyTurn[] }>;
  /** See supersedeBefore; works in the caller's transaction. Gives the turns that go on by it. */
  supersedeBefore(
    tx: Tx,
    note: AuditNote,
    turn: { id: string; conversationId: string; actor: ActorId },
  ): Promise<ReadyTurn[]>;
  /** Whether a standing approval covers the call; the request takes a use of it. */
  isGranted(draft: ApprovalDraft): Promise<boolean>;
  grants(conversationId?: string, takenPartBy?: readonly ActorId[]): Promise<Grant[]>;
  grant(id: string): Promise<Grant | undefined>;
  /** Codes: `not_found`, `not_eligible`. */
  revokeGrant(grantId: string, actor: ActorId): Promise<Grant>;
  /** See replaceRequest. Codes: `not_found`, `not_pending`, `not_eligible`. */
  edit(request: EditRequest, edited: EditedCall): Promise<Approval>;
  /** See renewRequest. */
  renew(approvalId: string, now: EditedCall & { why: string }): Promise<Approval>;
  /** Rejects with `not_found`, or `not_eligible` unless the actor asked for the change or may approve it. */
  requireConcerned(approvalId: string, actor: ActorId): Promise<Approval>;
  /** A person says what became of a call whose outcome is unknown. Codes: `not_found`, `not_unknown`, `not_eligible`. */
  settle(request: SettleRequest): Promise<Approval>;
  /** See remindDue. */
  remindDue(): Promise<number>;
  get(id: string): Promise<Approval | undefined>;
  /** The newest first; see Core.approvals. `channel`: only of that one. */
  list(filter: Parameters<Core["approvals"]>[0] & { channel?: string }): Promise<Approval[]>;
}

/** The most approvals that a listing shows. */
const LIST_LIMIT = 500;

export function createLedger(options: LedgerOptions): Ledger {
  const { db, transact, membership, now, failPoint, onContinue, nameOf } = options;
  const moves = new Moves(options);

  async function requireConcerned(approvalId: string, actor: ActorId): Promise<Approval> {
    const approval = await existingApproval(db, approvalId);
    const refusal =
      approval.requestedBy === actor
        ? undefined
        : await whyNotEligible({ actor, ...approval }, membership, nameOf);
    if (refusal !== undefined) throw new CountersignError("not_eligible", refusal);
    return approval;
  }

  return {
    ...createExecutor(options, moves),
    ...createDecider(options, moves),
    requireConcerned,
    async isGranted(draft) {
      const grant = await findGrant(db, draft, now());
      if (grant === undefined) return false;
      // A grant is its giver's decision: somebody who may not decide any more does not go on deciding.
      const { channel, requestedBy, decision } = draft;
      const question = { actor: grant.grantedBy, channel, requestedBy, ...decision };
      return (await whyNotEligible(question, membership)) === undefined;
    },
    grants: (conversationId, takenPartBy) => listGrants(db, conversationId, takenPartBy),
    grant: (id) => readGrant(db, id),
    revokeGrant(grantId, actor) {
      const refusal = async (approvalId: string): Promise<string | undefined> =>
        whyNotEligible({ actor, ...(await existingApproval(db, approvalId)) }, membership, nameOf);
      return revokeGrant(transact, { grantId, actor, at: now(), refusal, db });
    },
    async edit(request, edited) {
      const old = await requireConcerned(request.approvalId, request.actor);
      failPoint("edit.before");
      const approval = await replaceRequest(transact, request, edited, { moves, now });
      failPoint("edit.after");
      onContinue(old);
      return approval;
    },
    async renew(approvalId, asked) {
      failPoint("renew.before");
      const approval = await renewRequest(transact, approvalId, asked, { moves, now });
      failPoint("renew.after");
      return approval;
    },
    request: (tx, note, draft) => addRequest(tx, note, draft, { moves, now }),
    supersedeBefore: (tx, note, turn) => supersedeBefore(tx, note, turn, moves),

    async settle({ approvalId, actor, outcome: said, note: more }) {
      await requireConcerned(approvalId, actor);
      const hasHappened = said === "happened";
      failPoint("settle.before");
      const settled = await transact(async (tx, note) => {
        const approval = await moves.lock(tx, approvalId);
        if (approval.state !== "unknown") {
          const message = en.recorded.onlyUnknownSettled(approval.state);
          throw new CountersignError("not_unknown", message);
        }
        const state = hasHappened ? "done" : "failed";
        const who = (hasHappened ? en.recorded.settledHappened : en.recorded.settledDidNot)(actorName(actor));
        const words = more === undefined ? who : `${who} (${more})`;
        const moved = await moves.move(tx, note, approval, state, { actor, note: words });
        const outcome: CallOutcome = hasHappened
          ? { ok: true, data: words }
          : { ok: false, data: null, error: { code: "transport", message: words, sent: "maybe" } };
        await updateCall(tx, approvalId, { state, outcome });
        await moves.wake(tx, approval);
        return moved ?? approval;
      });
      failPoint("settle.after");
      onContinue(settled);
      return settled;
    },

    remindDue: () => remindDue(db, transact, now),

    get: (id) => readApproval(db, id),

    async list({ state, conversationId, turnId, channel, takenPartBy }) {
      // Ids of one moment are in order.
      let query = db
        .selectFrom("approvals")
        .selectAll()
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(LIST_LIMIT);
      if (state !== undefined) query = query.where("state", "=", state);
      if (conversationId !== undefined) query = query.where("conversation_id", "=", conversationId);
      if (turnId !== undefined) query = query.where("turn_id", "=", turnId);
      if (channel !== undefined) query = query.where("channel", "=", channel);
      if (takenPartBy !== undefined)
        query = query.where("conversation_id", "in", conversationsOf(db, takenPartBy));
      return withVotes(db, await query.execute());
    },
  };
}

/** How many due reminders are made in one sweep. */
const SWEEP_SIZE = 200;

/**
 * Notes that people are to be reminded of requests that wait, once each: compare-and-set of the time
 * in one transaction with its audit entry, which presenters follow. Resolves to how many were noted.
 */
async function remindDue(db: Db, transact: Transact, now: () => number): Promise<number> {
  const due = await db
    .selectFrom("approvals")
    .select(["id", "turn_id", "conversation_id", "tool_id", "expires_at"])
    .where("state", "=", "pending")
    .where("remind_at", "<=", now())
    .where("reminded_at", "is", null)
    .limit(SWEEP_SIZE)
    .execute();
  let count = 0;
  for (const { id, turn_id: turnId, conversation_id: conversationId, tool_id: tool, expires_at } of due) {
    count += await transact(async (tx, note) => {
      const at = now();
      const { numUpdatedRows } = await tx
        .updateTable("approvals")
        .set({ reminded_at: at })
        .where("id", "=", id)
        .where("state", "=", "pending")
        .where("reminded_at", "is", null)
        // Nobody is reminded of what can no longer be decided.
        .where("expires_at", ">", at)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) {
        note({ kind: "approval.reminded", turnId, approvalId: id, data: { tool, expires_at } });
        await noteNotice(tx, { kind: "reminder", approval: { id, turnId, conversationId }, at });
      }
      return Number(numUpdatedRows);
    });
  }
  return count;
}
