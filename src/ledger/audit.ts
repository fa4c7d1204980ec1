import { createHash } from "node:crypto";

import { type RawBuilder, sql } from "kysely";

import type { JsonObject } from "#contract/json.ts";

import { canonicalJson, digest } from "../base/digest.ts";
import type { Redactor } from "../base/redact.ts";
import type { StoreKind } from "../store/migrations.ts";
import type { AuditTable, Tx } from "../store/schema.ts";
import { toWellFormed } from "../base/well-formed.ts";

/** The `prev` of the first entry. */
export const AUDIT_GENESIS: string = "0".repeat(64);

/** Names the chain among Postgres' advisory locks. */
const CHAIN_LOCK = 7_246_011;

export interface AuditEntry {
  kind: string;
  turnId?: string;
  approvalId?: string;
  actor?: string;
  /** Kept in redacted form beside its digest. */
  data?: JsonObject;
}

/** An entry with its text; only its place in the chain is missing. */
export interface PreparedEntry extends Omit<AuditEntry, "data"> {
  text: string;
}

export interface AuditOptions {
  kind: StoreKind;
  redactor: Redactor;
  now: () => number;
}

/** Throws where the data has no canonical form, such as with lists nested deeper than any recursion goes. */
export function prepareEntry({ data, ...entry }: AuditEntry, redactor: Redactor): PreparedEntry {
  const whole = toWellFormed(data ?? {});
  return { ...entry, text: canonicalJson({ digest: digest(whole), redacted: redactor.json(whole) }) };
}

/** Appends entries to the hash chain, in the transaction that records the state they tell of. */
export async function appendAudit(
  tx: Tx,
  entries: readonly PreparedEntry[],
  options: AuditOptions,
): Promise<void> {
  if (entries.length === 0) return;
  if (options.kind === "postgres") await chainLock().execute(tx);
  const head = await tx
    .selectFrom("audit")
    .select(["seq", "hash"])
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  let seq = head?.seq ?? 0;
  let prev = head?.hash ?? AUDIT_GENESIS;
  const rows: AuditTable[] = [];
  for (const entry of entries) {
    seq += 1;
    const row = {
      seq,
      at: options.now(),
      kind: entry.kind,
      turn_id: entry.turnId ?? null,
      approval_id: entry.approvalId ?? null,
      actor: entry.actor ?? null,
      data: entry.text,
      prev,
    };
    prev = hashAuditRow(row);
    rows.push({ ...row, hash: prev });
  }
  await tx.insertInto("audit").values(rows).execute();
}

/** Held until the transaction ends, so that replicas extend the chain one after the other. */
function chainLock(): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock(${CHAIN_LOCK})`;
}

/** The hash of an entry: `sha256` (hex) over the canonical JSON of all its other columns. */
export function hashAuditRow(row: Omit<AuditTable, "hash">): string {
  const { seq, at, kind, turn_id, approval_id, actor, data, prev } = row;
  return createHash("sha256")
    .update(canonicalJson({ seq, at, kind, turn_id, approval_id, actor, data, prev }))
    .digest("hex");
}
