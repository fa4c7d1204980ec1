import type { SelectQueryBuilder } from "kysely";

import type { ActorId } from "#contract/actor.ts";
import type {
  Approval,
  ApprovalState,
  ApprovalVote,
  CallTarget,
  Effect,
  Grant,
  GrantTerms,
  Lookup,
  PolicyDecision,
  ServerReads,
} from "#contract/approval.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ArgSources } from "#contract/plan.ts";
import type { Statement } from "#contract/statement.ts";
import type { Tool } from "#contract/tool.ts";

import { CountersignError } from "../base/errors.ts";
import { type Redactor, withSecretsOf } from "../base/redact.ts";
import { statementById } from "../base/plain-statement.ts";
import type { Db, Row, Schema } from "../store/schema.ts";

/** What a call needs to become a request. */
export interface ApprovalDraft {
  turnId: string;
  callId: string;
  conversationId: string;
  channel: string;
  tool: Tool;
  args: JsonObject;
  sources?: ArgSources;
  targets?: CallTarget[];
  effect?: Effect;
  statement: Statement;
  requestedBy: ActorId;
  decision: PolicyDecision;
  /** False: a person decides, whatever grants there are. */
  mayUseGrant?: boolean;
}

/**
 * One request, with what of it is no part of an Approval. `isLocked`: until the transaction ends, on Postgres.
 * `votes`: where they are known.
 */
export async function readRequest(
  db: Db,
  id: string,
  { isLocked = false, votes }: { isLocked?: boolean; votes?: ApprovalVote[] | undefined } = {},
): Promise<{ approval: Approval; row: Row<"approvals"> } | undefined> {
  const row = await db
    .selectFrom("approvals")
    .selectAll()
    .where("id", "=", id)
    .$if(isLocked, (query) => query.forUpdate())
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const [approval] =
    votes === undefined ? await withVotes(db, [row]) : [{ ...toApproval(row, [], undefined), votes }];
  return approval && { approval, row };
}

/** One approval with its votes, or undefined. */
export async function readApproval(db: Db, id: string): Promise<Approval | undefined> {
  return (await readRequest(db, id))?.approval;
}

/** As readRequest; rejects with `not_found`. */
export async function existingRequest(
  ...which: Parameters<typeof readRequest>
): Promise<{ approval: Approval; row: Row<"approvals"> }> {
  const found = await readRequest(...which);
  if (found === undefined) throw new CountersignError("not_found", `There is no approval ${which[1]}.`);
  return found;
}

/** As readApproval; rejects with `not_found`. */
export async function existingApproval(db: Db, id: string): Promise<Approval> {
  return (await existingRequest(db, id)).approval;
}

/** Rows to approvals, with the votes of all of them in one query. */
export async function withVotes(db: Db, rows: Row<"approvals">[]): Promise<Approval[]> {
  // The first vote of one decides, or nobody votes.
  const ids = rows.filter(mayHaveVotes).map(({ id }) => id);
  const votes =
    ids.length === 0
      ? []
      : await db.selectFrom("votes").selectAll().where("approval_id", "in", ids).orderBy("at").execute();
  // Most rules offer no grants, and then nothing is asked.
  const offering = rows.filter((row) => row.grants !== null && row.state !== "pending").map((row) => row.id);
  const grants =
    offering.length === 0
      ? []
      : await db.selectFrom("grants").selectAll().where("approval_id", "in", offering).execute();
  return rows.map((row) =>
    toApproval(
      row,
      votes.filter((vote) => vote.approval_id === row.id),
      grants.find((grant) => grant.approval_id === row.id),
    ),
  );
}

function mayHaveVotes({ state, quorum }: Row<"approvals">): boolean {
  return quorum > 1 || (quorum === 1 && state !== "pending");
}

function toApproval(
  row: Row<"approvals">,
  votes: Row<"votes">[],
  standing: Row<"grants"> | undefined,
): Approval {
  return {
    id: row.id,
    turnId: row.turn_id,
    conversationId: row.conversation_id,
    channel: row.channel,
    key: row.key,
    toolId: row.tool_id,
    toolDescription: row.tool_description,
    args: JSON.parse(row.args) as JsonObject,
    ...(row.sources === null ? {} : { sources: JSON.parse(row.sources) as ArgSources }),
    ...(row.targets === null ? {} : { targets: JSON.parse(row.targets) as CallTarget[] }),
    ...(row.effect === null ? {} : { effect: JSON.parse(row.effect) as Effect }),
    statement: toStatement(row),
    state: row.state as ApprovalState,
    rule: row.rule,
    requestedBy: row.requested_by as ActorId,
    approvers: JSON.parse(row.approvers) as string[],
    excludeRequester: row.exclude_requester === 1,
    reasonRequired: row.reason_required === 1,
    quorum: row.quorum,
    votes: votes.map(toVote),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.decided_at === null ? {} : { decidedAt: row.decided_at }),
    ...(row.note === null ? {} : { note: row.note }),
    ...(row.lookup === null ? {} : { lookup: JSON.parse(row.lookup) as Lookup }),
    ...(row.grants === null ? {} : { grants: JSON.parse(row.grants) as GrantTerms }),
    ...(standing === undefined ? {} : { standing: toStanding(toGrant(standing)) }),
    ...(row.reminded_at === null ? {} : { remindedAt: row.reminded_at }),
    ...(row.replaced_by === null ? {} : { replacedBy: row.replaced_by }),
    ...(row.evidence === null ? {} : { evidence: toEvidence(row.evidence) }),
  };
}

type StatementColumns = Pick<Row<"approvals">, "statement" | "tool_id" | "args">;

export function toStatement({ statement, tool_id, args }: StatementColumns): Statement {
  return statement === null
    ? statementById(tool_id, JSON.parse(args) as JsonObject)
    : (JSON.parse(statement) as Statement);
}

/** What a request asks for, as people may see it. */
export function maskedStatement(row: StatementColumns, redactor: Redactor): Statement {
  const all = withSecretsOf(JSON.parse(row.args) as JsonObject, redactor);
  return maskStatement(toStatement(row), all);
}

/** It is plain data of texts, as JSON is. */
function maskStatement(statement: Statement, redactor: Redactor): Statement {
  return redactor.json(statement as unknown as JsonObject) as unknown as Statement;
}

/** The standing approval that was given with a request, as the request shows it. */
export function toStanding(grant: Grant): NonNullable<Approval["standing"]> {
  const { id, expiresAt, maxUses, uses, revokedBy } = grant;
  return { id, expiresAt, maxUses, uses, ...(revokedBy === undefined ? {} : { revokedBy }) };
}

export function toGrant(row: Row<"grants">): Grant {
  return {
    id: row.id,
    conversationId: row.conversation_id,
    toolId: row.tool_id,
    args: JSON.parse(row.args) as JsonObject,
    vary: JSON.parse(row.vary) as string[],
    ...(row.reads === null ? {} : { reads: JSON.parse(row.reads) as ServerReads }),
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

/** The outcome itself stays in the store: it may be large. */
function toEvidence(text: string): NonNullable<Approval["evidence"]> {
  const { state, at } = JSON.parse(text) as NonNullable<Approval["evidence"]>;
  return { state, at };
}

function toVote(row: Row<"votes">): ApprovalVote {
  return {
    actor: row.actor as ActorId,
    decision: row.decision === "approve" ? "approve" : "deny",
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.via === "page" || row.via === "words" ? { via: row.via } : {}),
    at: row.at,
  };
}

/** An approval as people may see it: every argument, secrets masked. What is sent stays as it is. */
export function maskApproval(approval: Approval, redactor: Redactor): Approval {
  const { effect, note, lookup } = approval;
  // The arguments are masked by name alone, as an edit of them is compared with.
  const args = redactor.json(approval.args) as JsonObject;
  const all = withSecretsOf(approval.args, redactor);
  const mask = (value: JsonValue): JsonValue => all.json(value);
  return {
    ...approval,
    args,
    statement: maskStatement(approval.statement, all),
    ...maskSources(approval, all),
    ...(effect === undefined ? {} : { effect: { before: mask(effect.before), after: mask(effect.after) } }),
    ...(note === undefined ? {} : { note: all.text(note) }),
    ...(lookup === undefined ? {} : { lookup: { ...lookup, args: mask(lookup.args) as JsonObject } }),
  };
}

/** Where arguments come from, as people may see it: `{sources}` to spread, or nothing. */
export function maskSources(
  { sources }: { sources?: ArgSources | undefined },
  redactor: Redactor,
): { sources?: ArgSources } {
  if (sources === undefined) return {};
  const masked = Object.entries(sources).map(([name, { from, ref }]) => [
    name,
    { from, ...(ref === undefined ? {} : { ref: redactor.text(ref) }) },
  ]);
  return { sources: Object.fromEntries(masked) as ArgSources };
}

/**
 * Ids of the conversations that somebody took part in, by any of their ids: who asked in it, who decided a
 * request of it, and whose request is one of it since they edited it.
 */
export function conversationsOf(
  db: Db,
  actors: readonly string[],
): SelectQueryBuilder<Schema, "turns", { conversation_id: string }> {
  return db
    .selectFrom("turns")
    .select("conversation_id")
    .where("actor", "in", actors)
    .union(db.selectFrom("approvals").select("conversation_id").where("requested_by", "in", actors))
    .union(
      db
        .selectFrom("votes")
        .innerJoin("approvals", "approvals.id", "votes.approval_id")
        .select("approvals.conversation_id")
        .where("votes.actor", "in", actors),
    );
}
