import { codeOf } from "../base/errors.ts";
import type { Db, Tx } from "../store/schema.ts";
import { appendAudit, type AuditEntry, type AuditOptions } from "./audit.ts";

/** Notes an audit entry for the end of the transaction. */
export type AuditNote = (entry: AuditEntry) => void;

/**
 * Runs work in one transaction and appends what it noted to the audit chain as its last write: the
 * state and its entry stand or fall together. The chain is locked only at the end, after every row
 * lock, so that two transactions cannot wait for each other. The work may run again when Postgres
 * asks for a retry, so it does nothing but read and write the store.
 */
export type Transact = <Result>(work: (tx: Tx, note: AuditNote) => Promise<Result>) => Promise<Result>;

/** Serialization failure and deadlock: Postgres undid the transaction and wants it to be made again. */
const RETRIED = new Set(["40001", "40P01"]);
const MAX_TRIES = 5;

export function createTransact(db: Db, options: AuditOptions): Transact {
  return async (work) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await db.transaction().execute(async (tx) => {
          const entries: AuditEntry[] = [];
          const result = await work(tx, (entry) => entries.push(entry));
          await appendAudit(tx, entries, options);
          return result;
        });
      } catch (error) {
        if (attempt === MAX_TRIES || !RETRIED.has(codeOf(error) ?? "")) throw error;
      }
    }
  };
}
