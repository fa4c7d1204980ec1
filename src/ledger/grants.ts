import type { Selectable } from "kysely";

import type { ActorId } from "#contract/actor.ts";
import type { Approval, Grant, GrantTerms } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";

import { CountersignError } from "../base/errors.ts";
import { isSamePerson, newId } from "../base/ids.ts";
import { canonicalJson } from "../base/json.ts";
import type { Db, GrantsTable, Tx } from "../store/schema.ts";
import type { ApprovalDraft } from "./request.ts";
import { conversationsOf } from "./rows.ts";
import type { AuditNote, Transact } from "./transact.ts";

/**
 * Records a grant with the approval that an approver just gave, within the terms of the rule. Rejects
 * with `grant_refused` where the rule offers none or the terms are exceeded: a grant never widens.
 */
export async function addGrant(
  tx: Tx,
  note: AuditNote,
  approval: Approval,
  wanted: { actor: ActorId; ttlMs: number; uses: number; at: number },
): Promise<void> {
  const terms = approval.grants;
  if (terms === undefined || approval.quorum > 1) {
    throw new CountersignError(
      "grant_refused",
      `${approval.rule} offers no standing approval for ${approval.toolId}: approve this call alone.`,
    );
  }
  if (!isBetween(wanted.ttlMs, 1, terms.maxTtlMs) || !isBetween(wanted.uses, 1, terms.maxUses)) {
    const message = `${approval.rule} allows at most ${terms.maxUses} uses within ${Math.round(terms.maxTtlMs / 1000)} s.`;
    throw new CountersignError("grant_refused", message);
  }
  const { tool_digest } = await tx
    .selectFrom("approvals")
    .select("tool_digest")
    .where("id", "=", approval.id)
    .executeTakeFirstOrThrow();
  const id = newId("grant");
  await tx
    .insertInto("grants")
    .values({
      id,
      conversation_id: approval.conversationId,
      tool_id: approval.toolId,
      tool_digest,
      rule: approval.rule,
      args: JSON.stringify(approval.args),
      vary: JSON.stringify(terms.vary),
      granted_by: wanted.actor,
      approval_id: approval.id,
      created_at: wanted.at,
      expires_at: wanted.at + wanted.ttlMs,
      max_uses: wanted.uses,
      uses: 0,
      revoked_at: null,
      revoked_by: null,
    })
    .execute();
  note({
    kind: "grant.given",
    turnId: approval.turnId,
    approvalId: approval.id,
    actor: wanted.actor,
    data: { grant: id, tool: approval.toolId, vary: terms.vary, uses: wanted.uses, ttl_ms: wanted.ttlMs },
  });
}

/** A grant that covers the call, whether or not it is used. */
export async function findGrant(db: Db, draft: ApprovalDraft, now: number): Promise<Grant | undefined> {
  const { tool, decision } = draft;
  const terms = decision.grants;
  if (terms === undefined || decision.quorum > 1) return undefined;
  const rows = await db
    .selectFrom("grants")
    .selectAll()
    .where("conversation_id", "=", draft.conversationId)
    .where("tool_id", "=", tool.id)
    .where("tool_digest", "=", tool.digest)
    .where("rule", "=", decision.rule)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .whereRef("uses", "<", "max_uses")
    .orderBy("created_at")
    .execute();
  return rows.map(toGrant).find((grant) => {
    // A grant is a decision of its giver: where the requester may not decide, it does not count for them.
    if (decision.excludeRequester && isSamePerson(grant.grantedBy, draft.requestedBy)) return false;
    return isWithin(grant, terms, now) && isCovered(grant, terms, draft.args);
  });
}

/** The rule may offer less by now than when the grant was given. */
function isWithin(grant: Grant, terms: GrantTerms, now: number): boolean {
  return grant.uses < terms.maxUses && now < grant.createdAt + terms.maxTtlMs;
}

function isBetween(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

/** Takes one use of a grant that covers the call, in the transaction that records the request. */
export async function useGrant(
  tx: Tx,
  note: AuditNote,
  draft: ApprovalDraft,
  approvalId: string,
  now: number,
): Promise<Grant | undefined> {
  const grant = await findGrant(tx, draft, now);
  if (grant === undefined) return undefined;
  const used = await tx
    .updateTable("grants")
    .set((eb) => ({ uses: eb("uses", "+", 1) }))
    .where("id", "=", grant.id)
    .where("revoked_at", "is", null)
    .whereRef("uses", "<", "max_uses")
    // The number of this use: another replica may have taken one since the grant was found.
    .returning("uses")
    .executeTakeFirst();
  if (used === undefined) return undefined;
  note({
    kind: "grant.used",
    turnId: draft.turnId,
    approvalId,
    actor: grant.grantedBy,
    data: { grant: grant.id, use: used.uses, of: grant.maxUses },
  });
  return { ...grant, uses: used.uses };
}

/**
 * All arguments equal but those that may vary, by the grant and by the rule as it is now; one that is
 * added or left out is not equal.
 */
function isCovered(grant: Grant, terms: GrantTerms, args: JsonObject): boolean {
  const vary = grant.vary.filter((name) => terms.vary.includes(name));
  const fixed = (all: JsonObject): string =>
    canonicalJson(Object.fromEntries(Object.entries(all).filter(([name]) => !vary.includes(name))));
  return fixed(grant.args) === fixed(args);
}

/** The newest first. */
export async function listGrants(
  db: Db,
  conversationId: string | undefined,
  takenPartBy: readonly ActorId[] | undefined,
): Promise<Grant[]> {
  let query = db.selectFrom("grants").selectAll().orderBy("created_at", "desc").limit(200);
  if (conversationId !== undefined) query = query.where("conversation_id", "=", conversationId);
  if (takenPartBy !== undefined)
    query = query.where("conversation_id", "in", conversationsOf(db, takenPartBy));
  return (await query.execute()).map(toGrant);
}

export async function readGrant(db: Db, id: string): Promise<Grant | undefined> {
  const row = await db.selectFrom("grants").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : toGrant(row);
}

/** The giver may take a grant back, and so may whoever could approve the request it came with. */
export async function revokeGrant(
  transact: Transact,
  request: {
    grantId: string;
    actor: ActorId;
    at: number;
    refusal: (approvalId: string) => Promise<string | undefined>;
    db: Db;
  },
): Promise<Grant> {
  const { grantId, actor, at, db } = request;
  const seen = await db.selectFrom("grants").selectAll().where("id", "=", grantId).executeTakeFirst();
  if (seen === undefined) throw new CountersignError("not_found", `There is no grant ${grantId}.`);
  const refusal = seen.granted_by === actor ? undefined : await request.refusal(seen.approval_id);
  if (refusal !== undefined) throw new CountersignError("not_eligible", refusal);
  return transact(async (tx, note) => {
    const result = await tx
      .updateTable("grants")
      .set({ revoked_at: at, revoked_by: actor })
      .where("id", "=", grantId)
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    if (result.numUpdatedRows > 0n)
      note({
        kind: "grant.revoked",
        ...(await turnOf(tx, seen.approval_id)),
        approvalId: seen.approval_id,
        actor,
        data: { grant: grantId },
      });
    return toGrant(
      await tx.selectFrom("grants").selectAll().where("id", "=", grantId).executeTakeFirstOrThrow(),
    );
  });
}

/** Whose card says that the grant was given. */
async function turnOf(tx: Tx, approvalId: string): Promise<{ turnId?: string }> {
  const row = await tx
    .selectFrom("approvals")
    .select("turn_id")
    .where("id", "=", approvalId)
    .executeTakeFirst();
  return row === undefined ? {} : { turnId: row.turn_id };
}

function toGrant(row: Selectable<GrantsTable>): Grant {
  return {
    id: row.id,
    conversationId: row.conversation_id,
    toolId: row.tool_id,
    args: JSON.parse(row.args) as JsonObject,
    vary: JSON.parse(row.vary) as string[],
    rule: row.rule,
    grantedBy: row.granted_by as ActorId,
    approvalId: row.approval_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    maxUses: row.max_uses,
    uses: row.uses,
    ...(row.revoked_by === null ? {} : { revokedBy: row.revoked_by as ActorId }),
  };
}
