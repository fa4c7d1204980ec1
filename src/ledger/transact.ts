import { setImmediate } from "node:timers/promises";
import { CompiledQuery } from "kysely";

import type { AuditHead } from "#contract/audit.ts";

import { codeOf } from "../base/errors.ts";
import { UNPREPARED } from "../store/postgres-dialect.ts";
import type { Db, Tx } from "../store/schema.ts";
import {
  appendAudit,
  type AuditEntry,
  type AuditOptions,
  type PreparedEntry,
  prepareEntry,
} from "./audit.ts";

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
const RETRIED = new Set(["40001", "40P01", ...UNPREPARED]);
const MAX_TRIES = 5;

export interface TransactOptions extends AuditOptions {
  /** Called after each commit with the audit entries that it recorded, and its milliseconds; must not throw. */
  onCommit?: (entries: readonly Pick<AuditEntry, "kind">[], ms: number) => void;
}

/** Grouped over the one connection of the embedded store, side by side and retried on Postgres. */
export function createTransact(db: Db, options: TransactOptions): Transact {
  if (options.kind !== "postgres") return createGroupedTransact(db, options);
  return async (work) => {
    for (let attempt = 1; ; attempt += 1) {
      const begun = performance.now();
      const entries: PreparedEntry[] = [];
      try {
        const result = await db.transaction().execute(async (tx) => {
          const done = await work(tx, (entry) => entries.push(prepareEntry(entry, options.redactor)));
          await appendAudit(tx, entries, options);
          return done;
        });
        options.onCommit?.(entries, performance.now() - begun);
        return result;
      } catch (error) {
        if (attempt === MAX_TRIES || !RETRIED.has(codeOf(error) ?? "")) throw error;
      }
    }
  };
}

/** Whether the next place of the chain has an entry already: nothing of the transaction happened. */
function isPlaceTaken(error: unknown): boolean {
  return error instanceof Error && error.message.includes("audit.seq");
}

interface Waiting {
  work: (tx: Tx, note: AuditNote) => Promise<unknown>;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** Where the chain of an embedded store ends, which has one writer. */
const heads = new WeakMap<Db, AuditHead>();

const SAVEPOINT = CompiledQuery.raw("savepoint work");
const RELEASE = CompiledQuery.raw("release work");
const UNDO = CompiledQuery.raw("rollback to work");

/** Keeps a failure that undoes a whole group from reaching too many. */
const MAX_GROUP = 64;

/**
 * Transact over a single connection: what waits is committed together, since the disk's flush costs
 * more than all the rest. Each work has a savepoint of its own, so that one which rejects undoes only
 * itself; all hear of their end after the commit. When the commit fails, or SQLite gives the
 * transaction up by itself (a full disk), every work of the group rejects and none has happened.
 */
function createGroupedTransact(db: Db, options: TransactOptions): Transact {
  const waiting: Waiting[] = [];
  let isRunning = false;

  /** A single work needs no savepoint: what undoes it undoes the whole transaction. */
  async function alone(tx: Tx, { work, resolve }: Waiting, entries: PreparedEntry[]): Promise<() => void> {
    const result = await work(tx, (entry) => entries.push(prepareEntry(entry, options.redactor)));
    return () => resolve(result as never);
  }

  async function drain(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      // node:sqlite never yields: without this, a backlog would keep out all other events.
      await setImmediate();
      await commit(waiting.splice(0, MAX_GROUP));
    }
    isRunning = false;
  }

  async function commit(group: readonly Waiting[], isAgain = false): Promise<void> {
    const endings: (() => void)[] = [];
    const write = group.length === 1 ? alone : attempt;
    let head = heads.get(db);
    const begun = performance.now();
    const entries: PreparedEntry[] = [];
    try {
      await db.transaction().execute(async (tx) => {
        for (const one of group) endings.push(await write(tx, one, entries));
        head = await appendAudit(tx, entries, options, head);
      });
    } catch (error) {
      // It may have been committed all the same: the next one looks where the chain ends.
      heads.delete(db);
      // A command beside the product, such as `people forget`, has added entries.
      if (!isAgain && isPlaceTaken(error)) return commit(group, true);
      for (const { reject } of group) reject(error);
      return;
    }
    if (head !== undefined) heads.set(db, head);
    for (const end of endings) end();
    options.onCommit?.(entries, performance.now() - begun);
  }

  /** Runs one work in its savepoint; resolves to what tells its caller, throws when the group is lost. */
  async function attempt(
    tx: Tx,
    { work, resolve, reject }: Waiting,
    entries: PreparedEntry[],
  ): Promise<() => void> {
    const noted: PreparedEntry[] = [];
    await tx.executeQuery(SAVEPOINT);
    try {
      // Prepared within the work: what cannot be written down must fail it alone, and not its group.
      const result = await work(tx, (entry) => noted.push(prepareEntry(entry, options.redactor)));
      await tx.executeQuery(RELEASE);
      entries.push(...noted);
      return () => resolve(result as never);
    } catch (error) {
      await tx.executeQuery(UNDO).catch(() => {
        throw error; // There is no savepoint any more: SQLite undid everything.
      });
      await tx.executeQuery(RELEASE);
      return () => reject(error);
    }
  }

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject });
      if (!isRunning) void drain();
    });
}
