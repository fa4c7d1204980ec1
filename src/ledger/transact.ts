import type { Tx } from "../store/schema.ts";
import type { AuditEntry } from "./audit.ts";

/** Notes an audit entry for the end of the transaction. */
export type AuditNote = (entry: AuditEntry) => void;

/**
 * Runs work in one transaction and appends what it noted to the audit chain as its last write: the
 * state and its entry stand or fall together. The chain is locked only at the end, after every row
 * lock, so that two transactions cannot wait for each other. The work may run again when Postgres
 * asks for a retry, so it does nothing but read and write the store.
 */
export type Transact = <Result>(work: (tx: Tx, note: AuditNote) => Promise<Result>) => Promise<Result>;
