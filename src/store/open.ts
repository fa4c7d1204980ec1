import { existsSync } from "node:fs";
import { join } from "node:path";

import { Kysely, SqliteDialect } from "kysely";
import { Migrator } from "kysely/migration";

import { CountersignError, messageOf } from "../base/errors.ts";
import { keepPrivate, makePrivateFile, type TellOpen } from "../base/private-files.ts";
import { lockDataFolder } from "./folder-lock.ts";
import { migrations, type StoreKind } from "./migrations.ts";
import { openNodeSqlite } from "./node-sqlite.ts";
import type { Db, Schema } from "./schema.ts";

/** An open store: the database and how to let go of it. */
export interface Store {
  kind: StoreKind;
  db: Db;
  /** The time by which requests expire and leases run out, in milliseconds since the epoch. */
  now: () => number;
  /** Whether a trivial query answers. Never rejects. */
  check(): Promise<{ ok: boolean; error?: string }>;
  close(): Promise<void>;
}

/**
 * Opens the embedded store in a data folder (made when missing) and brings its tables up to date.
 * Rejects with `data_folder_in_use`, `data_folder_unwritable` or `store_failed`.
 */
export async function openEmbeddedStore(folder: string, tell?: TellOpen): Promise<Store> {
  const lock = lockDataFolder(folder, tell);
  try {
    const file = join(folder, "countersign.db");
    makePrivateFile(file, tell);
    for (const beside of [`${file}-wal`, `${file}-shm`]) keepPrivate(beside, tell);
    const database = openNodeSqlite(file);
    const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database }) });
    await migrate(db, "sqlite");
    return {
      kind: "sqlite",
      db,
      now: () => Date.now(),
      check: () => checkStore(db),
      async close() {
        await db.destroy();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw toStoreError(error);
  }
}

/**
 * Opens the embedded store beside the process that holds it, for commands that only look. Throws
 * `store_failed` where there is no store.
 */
export function openEmbeddedStoreForReading(
  folder: string,
  options: { mayWrite?: boolean } = {},
): Pick<Store, "db" | "close"> {
  const file = join(folder, "countersign.db");
  if (!existsSync(file)) {
    const message = `There is no store in ${folder}: name the data folder with COUNTERSIGN_DATA, or the database with store.url.`;
    throw new CountersignError("store_failed", message);
  }
  try {
    const database = openNodeSqlite(file, { readOnly: options.mayWrite !== true });
    const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database }) });
    return { db, close: () => db.destroy() };
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Brings the tables up to date; Kysely holds a lock meanwhile, so that it happens once. */
export async function migrate(db: Db, kind: StoreKind): Promise<void> {
  const all = migrations(kind);
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(all) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw toStoreError(error);
}

/** A trivial query. */
export async function checkStore(db: Db): Promise<{ ok: boolean; error?: string }> {
  try {
    await db.selectFrom("kv").select("key").limit(1).execute();
    return { ok: true };
  } catch (error) {
    return { ok: false, error: messageOf(error) };
  }
}

/** Gives errors of the database a stable code: `store_full` when the disk is, else `store_failed`. */
export function toStoreError(error: unknown): CountersignError {
  if (error instanceof CountersignError) return error;
  const message = messageOf(error);
  if (/disk is full|SQLITE_FULL|ENOSPC|No space left/i.test(message)) {
    return new CountersignError(
      "store_full",
      "The disk that holds the data folder is full: nothing was recorded and nothing was started. Free some space and try again.",
      { cause: error },
    );
  }
  return new CountersignError("store_failed", `The store did not answer as expected: ${message}`, {
    cause: error,
  });
}
