import { codeOf } from "../base/errors.ts";
import type { Db } from "../store/schema.ts";
import { appendAudit, type AuditOptions, prepareEntry, type PreparedEntry } from "./audit.ts";
import { createGroupedTransact } from "./group-commit.ts";
import type { Transact } from "./transact.ts";

/** Serialization failure and deadlock: Postgres undid the transaction and wants it to be made again. */
const RETRIED = new Set(["40001", "40P01"]);
const MAX_TRIES = 5;

/** Grouped over the one connection of the embedded store, side by side and retried on Postgres. */
export function createTransact(db: Db, options: AuditOptions): Transact {
  return options.kind === "postgres"
    ? createRetriedTransact(db, options)
    : createGroupedTransact(db, options);
}

function createRetriedTransact(db: Db, options: AuditOptions): Transact {
  return async (work) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await db.transaction().execute(async (tx) => {
          const entries: PreparedEntry[] = [];
          const result = await work(tx, (entry) => entries.push(prepareEntry(entry, options.redactor)));
          await appendAudit(tx, entries, options);
          return result;
        });
      } catch (error) {
        if (attempt === MAX_TRIES || !RETRIED.has(codeOf(error) ?? "")) throw error;
      }
    }
  };
}
