import type { Selectable } from "kysely";

import { codeOf, CountersignError, messageOf } from "../base/errors.ts";
import type { AuditTable, Db } from "../store/schema.ts";
import { AUDIT_GENESIS, hashAuditRow } from "./audit.ts";

/** The newest entry of the chain; kept elsewhere, it shows later whether entries were cut off. */
export interface AuditHead {
  seq: number;
  hash: string;
}

export type AuditVerdict =
  | { ok: true; entries: number; head: AuditHead }
  | { ok: false; entries: number; broken: { seq: number; why: string } };

/** Rows are read in pages, so that memory stays the same however long the chain is. */
const PAGE = 2_000;

/** Every entry in order. Rejects with `audit_unreadable` at one whose values no reader can take. */
export async function* readAudit(db: Db): AsyncGenerator<Selectable<AuditTable>> {
  // Sequence numbers are part of what is verified: a page begins after the last row read, not at a count.
  let after = Number.MIN_SAFE_INTEGER;
  for (let size = PAGE; ;) {
    let rows: Selectable<AuditTable>[];
    try {
      rows = await readPage(db, after, size);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      // One such value spoils its whole page: what comes before it is read one by one.
      if (size === 1) throw new CountersignError("audit_unreadable", messageOf(error), { cause: error });
      size = 1;
      continue;
    }
    for (const row of rows) {
      after = row.seq;
      yield row;
    }
    if (rows.length < size) return;
  }
}

function readPage(db: Db, after: number, size: number): Promise<Selectable<AuditTable>[]> {
  return db.selectFrom("audit").selectAll().where("seq", ">", after).orderBy("seq").limit(size).execute();
}

/** A number beyond 2^53, or pages of SQLite's file that do not fit together; not a store that is away. */
function isUnreadable(error: unknown): boolean {
  return codeOf(error) === "ERR_OUT_OF_RANGE" || codeOf(error) === "store_damaged";
}

export async function readAuditHead(db: Db): Promise<AuditHead> {
  const row = await db
    .selectFrom("audit")
    .select(["seq", "hash"])
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? { seq: 0, hash: AUDIT_GENESIS };
}

/**
 * Recomputes the chain from its first entry and names the first that does not fit. With a recorded
 * head, entries that were cut off after it, or a chain that was written anew, are found as well.
 */
export async function verifyAudit(db: Db, recorded?: AuditHead): Promise<AuditVerdict> {
  let head: AuditHead = { seq: 0, hash: AUDIT_GENESIS };
  let isRecordedSeen = recorded === undefined || recorded.seq === 0;
  const broken = (seq: number, why: string): AuditVerdict => ({
    ok: false,
    entries: head.seq,
    broken: { seq, why },
  });
  const entries = readAudit(db);
  for (;;) {
    let row: Selectable<AuditTable>;
    try {
      const next = await entries.next();
      if (next.done === true) break;
      row = next.value;
    } catch (error) {
      if (codeOf(error) !== "audit_unreadable") throw error;
      const seq = head.seq + 1;
      return broken(seq, `entry ${seq} cannot be read: ${messageOf(error)}`);
    }
    const misfit = misfitOf(row, head);
    if (misfit !== undefined) return broken(misfit.seq, misfit.why);
    head = { seq: row.seq, hash: row.hash };
    if (recorded !== undefined && recorded.seq === row.seq) {
      if (recorded.hash !== row.hash)
        return broken(row.seq, `entry ${row.seq} is not the one that was recorded as head`);
      isRecordedSeen = true;
    }
  }
  if (!isRecordedSeen && recorded !== undefined) {
    return broken(
      head.seq + 1,
      `the chain ends at entry ${head.seq}, before the recorded head ${recorded.seq}`,
    );
  }
  return { ok: true, entries: head.seq, head };
}

/**
 * Whether the last `count` entries continue each other, as a quick look at every start: what was
 * changed among them is found, what lies before them is not. Resolves to what is wrong.
 */
export async function verifyAuditTail(db: Db, count: number): Promise<string | undefined> {
  let rows: Selectable<AuditTable>[];
  try {
    rows = await db.selectFrom("audit").selectAll().orderBy("seq", "desc").limit(count).execute();
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return `its last ${count} entries cannot be read`;
  }
  const [oldest] = rows.slice(-1);
  let before: AuditHead | undefined = oldest && { seq: oldest.seq - 1, hash: oldest.prev };
  for (const row of rows.toReversed()) {
    const misfit = before && misfitOf(row, before);
    if (misfit !== undefined) return misfit.why;
    before = { seq: row.seq, hash: row.hash };
  }
  return undefined;
}

/** Why an entry does not continue the one before it. */
function misfitOf(row: Selectable<AuditTable>, before: AuditHead): { seq: number; why: string } | undefined {
  const seq = before.seq + 1;
  if (row.seq !== seq) return { seq, why: `entry ${seq} is missing: the next one is ${row.seq}` };
  if (row.prev !== before.hash) return { seq, why: `entry ${seq} does not continue entry ${before.seq}` };
  if (hashAuditRow(row) !== row.hash) return { seq, why: `entry ${seq} was changed: its hash does not fit` };
  return undefined;
}
