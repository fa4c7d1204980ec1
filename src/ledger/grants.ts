import type { ActorId } from "#contract/actor.ts";
import type { Approval, Grant, GrantTerms } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";

import { targetsText } from "../base/call-targets.ts";
import { CountersignError } from "../base/errors.ts";
import { isSamePerson, newId } from "../base/ids.ts";
import { canonicalJson } from "../base/json.ts";
import { en } from "../base/words/en.ts";
import type { Db, Tx } from "../store/schema.ts";
import { type ApprovalDraft, conversationsOf, toGrant, toStanding } from "./rows.ts";
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
): Promise<Approval["standing"]> {
  const { grants: terms, rule } = approval;
  const { actor, ttlMs, uses, at } = wanted;
  if (terms === undefined || approval.quorum > 1) {
    throw new CountersignError("grant_refused", en.recorded.standingNotOffered(rule, approval.toolId));
  }
  if (!isBetween(ttlMs, 1, terms.maxTtlMs) || !isBetween(uses, 1, terms.maxUses)) {
    const message = en.recorded.standingAtMost(
      rule,
      String(terms.maxUses),
      String(Math.round(terms.maxTtlMs / 1000)),
    );
    throw new CountersignError("grant_refused", message);
  }
  const row = await tx
    .insertInto("grants")
    .values((eb) => ({
      id: newId("grant"),
      conversation_id: approval.conversationId,
      tool_id: approval.toolId,
      tool_digest: eb.selectFrom("approvals").select("tool_digest").where("id", "=", approval.id),
      rule,
      args: JSON.stringify(approval.args),
      vary: JSON.stringify(terms.vary),
      reads: terms.reads === undefined ? null : canonicalJson(terms.reads),
      granted_by: actor,
      approval_id: approval.id,
      created_at: at,
      expires_at: at + ttlMs,
      max_uses: uses,
      uses: 0,
    }))
    .returningAll()
    .executeTakeFirstOrThrow();
  note({
    kind: "grant.given",
    turnId: approval.turnId,
    approvalId: approval.id,
    actor,
    data: {
      grant: row.id,
      tool: approval.toolId,
      vary: terms.vary,
      uses,
      ttl_ms: ttlMs,
      ...(terms.reads && { reads: { ...terms.reads }, channel: approval.channel }),
    },
  });
  return toStanding(toGrant(row));
}

/** A grant that covers the call, whether or not it is used. */
export async function findGrant(db: Db, draft: ApprovalDraft, now: number): Promise<Grant | undefined> {
  const { tool, decision } = draft;
  const terms = decision.grants;
  if (terms === undefined || decision.quorum > 1) return undefined;
  const targets = targetsText(draft.targets);
  const rows = await db
    .selectFrom("grants")
    .selectAll()
    .where((eb) => {
      const { reads } = terms;
      if (reads !== undefined) return eb("reads", "=", canonicalJson(reads));
      return eb.and([
        eb("conversation_id", "=", draft.conversationId),
        eb("tool_id", "=", tool.id),
        eb("tool_digest", "=", tool.digest),
        eb("reads", "is", null),
      ]);
    })
    .where("rule", "=", decision.rule)
    // What was allowed on one site is not on another.
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("approvals")
          .select("approvals.id")
          .whereRef("approvals.id", "=", "grants.approval_id")
          .where("approvals.channel", "=", draft.channel)
          .$if(targets === null, (one) => one.where("approvals.targets", "is", null))
          .$if(targets !== null, (one) => one.where("approvals.targets", "=", targets)),
      ),
    )
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .whereRef("uses", "<", "max_uses")
    .orderBy("created_at")
    .execute();
  return rows.map(toGrant).find((grant) => {
    // A grant is a decision of its giver: where the requester may not decide, it does not count for them.
    if (decision.excludeRequester && isSamePerson(grant.grantedBy, draft.requestedBy)) return false;
    // The rule may offer less by now than when the grant was given.
    const isWithin = grant.uses < terms.maxUses && now < grant.createdAt + terms.maxTtlMs;
    return isWithin && (grant.reads !== undefined || isCovered(grant, terms, draft.args));
  });
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

function isBetween(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

/** The newest first. */
export async function listGrants(
  db: Db,
  conversationId: string | undefined,
  takenPartBy: readonly ActorId[] | undefined,
): Promise<Grant[]> {
  let query = db.selectFrom("grants").selectAll().orderBy("created_at", "desc").limit(200);
  if (conversationId !== undefined)
    query = query.where((eb) => {
      const channel = eb
        .selectFrom("turns")
        .select("channel")
        .where("conversation_id", "=", conversationId)
        .limit(1);
      // What is allowed in its channel is allowed in it.
      const ofChannel = eb.selectFrom("approvals").select("id").where("channel", "=", channel);
      return eb.or([
        eb("conversation_id", "=", conversationId),
        eb.and([eb("reads", "is not", null), eb("approval_id", "in", ofChannel)]),
      ]);
    });
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
  const seen = await readGrant(db, grantId);
  if (seen === undefined) throw new CountersignError("not_found", `There is no grant ${grantId}.`);
  const { approvalId } = seen;
  const refusal = seen.grantedBy === actor ? undefined : await request.refusal(approvalId);
  if (refusal !== undefined) throw new CountersignError("not_eligible", refusal);
  return transact(async (tx, note) => {
    const revoked = await tx
      .updateTable("grants")
      .set({ revoked_at: at, revoked_by: actor })
      .where("id", "=", grantId)
      .where("revoked_at", "is", null)
      .returningAll()
      .executeTakeFirst();
    if (revoked === undefined) return (await readGrant(tx, grantId)) ?? seen;
    // Whose card says that the grant was given.
    const turn = await tx
      .selectFrom("approvals")
      .select("turn_id as turnId")
      .where("id", "=", approvalId)
      .executeTakeFirst();
    note({ kind: "grant.revoked", ...turn, approvalId, actor, data: { grant: grantId } });
    return toGrant(revoked);
  });
}
