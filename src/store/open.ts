import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { Kysely, SqliteAdapter, SqliteDialect } from "kysely";
import { Migrator } from "kysely/migration";

import { codeOf, CountersignError, messageOf } from "../base/errors.ts";
import { keepPrivate, makePrivateFile } from "../base/private-files.ts";
import { backUpBeforeUpgrade, finishRestore, isRestoring, STORE_FILE } from "./backup.ts";
import { lockDataFolder, watchPlaces } from "./folder-lock.ts";
import { migrations, type StoreKind } from "./migrations.ts";
import { openNodeSqlite } from "./node-sqlite.ts";
import { checkBeside, type Finding, quickCheck } from "./quick-check.ts";
import type { Db, Schema } from "./schema.ts";
import { storeTrouble, toStoreError } from "./store-errors.ts";
import { sqliteVectors, vectorExtension, type VectorSearch } from "./vectors.ts";

/** Whether a store works; `code` as in store-errors.ts. */
export interface StoreState {
  ok: boolean;
  /** What was found in a file that works all the same. */
  damage?: string[];
  code?: string;
  error?: string;
}

/** Told of what an operator should know. */
export interface StoreLog {
  info: (data: object, message: string) => void;
  warn: (data: object, message: string) => void;
  error: (data: object, message: string) => void;
}

/** An open store: the database and how to let go of it. */
export interface Store {
  kind: StoreKind;
  db: Db;
  /** The time by which requests expire and leases run out, in milliseconds since the epoch. */
  now: () => number;
  /** Compares vectors in the database; undefined where it cannot. */
  vectors: VectorSearch | undefined;
  /** Calls `hear` with the newest event of each turn that another replica wrote; only where there may be some. */
  listen?(hear: (turnId: string, seq: number) => void): void;
  /** Whether it stands where it was opened and a trivial query answers. Never rejects. */
  check(): Promise<StoreState>;
  close(): Promise<void>;
}

/**
 * Up to this size, in bytes, a file is looked through before the start goes on: some 13 ms from the cache,
 * and then nothing is migrated or taken up in a damaged one.
 */
const SMALL_FILE = 16 * 1024 * 1024;

/** How often it is looked whether the files still stand in their places when nothing is written. */
const PLACES_POLL_MS = 5_000;

/**
 * Opens the embedded store in a data folder (made when missing) and brings its tables up to date.
 * Rejects with `data_folder_in_use`, `data_folder_unwritable`, a `StoreTrouble` or `store_failed`.
 *
 * Once the database, its log or the lock is gone from its path, or another file stands there, nothing
 * is acknowledged any more: every write rejects with `store_lost`, for as long as that is so.
 */
export async function openEmbeddedStore(folder: string, log: StoreLog = silent): Promise<Store> {
  const tell = (message: string): void => log.warn({}, message);
  const lock = lockDataFolder(folder, tell);
  try {
    finishRestore(folder);
    const file = join(folder, STORE_FILE);
    makePrivateFile(file, tell);
    for (const beside of [`${file}-wal`, `${file}-shm`]) keepPrivate(beside, tell);
    let lost = (): string | undefined => undefined;
    let isToldLost = false;
    const requireDurable = (): void => {
      const why = lost();
      if (why !== undefined && !isToldLost) {
        log.error({ folder, why }, "the store is lost: nothing is acknowledged until it is back");
      }
      if (why === undefined && isToldLost) log.info({ folder }, "the store is back in its place");
      isToldLost = why !== undefined;
      if (why !== undefined) throw storeTrouble("store_lost", new Error(why));
    };
    const isLarge = statSync(file).size > SMALL_FILE;
    let damage: string[] = [];
    const note = (finding: Finding): void => {
      damage = finding.damage;
      if (damage.length === 0) return;
      log.error({ folder, damage }, "the store is damaged: stop the product and restore a backup");
    };
    const inspect = (raw: DatabaseSync): void => {
      if (isLarge) return;
      const finding = quickCheck(raw);
      if (finding.unreadable.length > 0) throw unreadable(file, finding);
      note(finding);
    };
    const extension = vectorExtension();
    const more = extension === undefined ? {} : { extension };
    const database = openNodeSqlite(file, { requireDurable, inspect, ...more });
    const db = new Kysely<Schema>({ dialect: new MigratedDialect({ database }) });
    const kept = await backUpBeforeUpgrade(folder);
    if (kept !== undefined) log.info({ file: kept }, "the store was backed up before its upgrade");
    await migrate(db, "sqlite");
    const onError = (error: unknown): void => log.warn({ error }, "the store could not be looked through");
    const checking = isLarge ? checkBeside(file, { onFinding: note, onError }) : undefined;
    lost = watchPlaces([file, `${file}-wal`, lock.file]);
    const check = async (): Promise<StoreState> => ({
      ...(await checkStore(db, requireDurable)),
      ...(damage.length === 0 ? {} : { damage }),
    });
    const poll = setInterval(() => void check(), PLACES_POLL_MS).unref();
    return {
      kind: "sqlite",
      db,
      now: () => Date.now(),
      vectors: extension === undefined ? undefined : sqliteVectors,
      check,
      async close() {
        clearInterval(poll);
        await checking?.terminate();
        await db.destroy();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw toStoreError(error);
  }
}

function unreadable(file: string, { damage }: Finding): CountersignError {
  return new CountersignError(
    "store_damaged",
    `Expected a whole database in ${file}, found: ${damage.join("; ")}. Nothing was changed in it. Keep a copy of the ` +
      "data folder, then restore a backup (docs/operations.md, Backup).",
  );
}

const silent: StoreLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Opens the embedded store beside the process that holds it, for commands that only look. Throws
 * `store_failed` where there is no store.
 */
export function openEmbeddedStoreForReading(
  folder: string,
  options: { mayWrite?: boolean } = {},
): Pick<Store, "db" | "close"> {
  const file = join(folder, STORE_FILE);
  if (isRestoring(folder) || !existsSync(file)) {
    const message = isRestoring(folder)
      ? `A restore in ${folder} was interrupted: start the product, which finishes it, or restore again.`
      : `There is no store in ${folder}: name the data folder with COUNTERSIGN_DATA, or the database with store.url.`;
    throw new CountersignError("store_failed", message);
  }
  return openFileForReading(file, options);
}

/** As above, of a store's file wherever it stands, such as a backup. */
export function openFileForReading(
  file: string,
  options: { mayWrite?: boolean } = {},
): Pick<Store, "db" | "close"> {
  try {
    const database = openNodeSqlite(file, { readOnly: options.mayWrite !== true });
    const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database }) });
    return { db, close: () => db.destroy() };
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Kysely's own says that SQLite cannot change tables in a transaction: it can, so an upgrade that is killed leaves nothing. */
class MigratedAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class MigratedDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new MigratedAdapter();
  }
}

/** Brings the tables up to date; Kysely holds a lock meanwhile, so that it happens once. */
export async function migrate(db: Db, kind: StoreKind): Promise<void> {
  const all = migrations(kind);
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(all) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw toStoreError(error);
}

/** A trivial query, after what else must hold. */
export async function checkStore(db: Db, require: () => void = () => undefined): Promise<StoreState> {
  try {
    require();
    await db.selectFrom("kv").select("key").limit(1).execute();
    return { ok: true };
  } catch (error) {
    const code = codeOf(error);
    return { ok: false, ...(code === undefined ? {} : { code }), error: messageOf(error) };
  }
}
