import { randomUUID } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";

import { codeOf, CountersignError, messageOf } from "../base/errors.ts";
import type { FailPoint } from "../base/fail-point.ts";
import { makePrivateFile, makePrivateFolder, syncFolder } from "../base/private-files.ts";
import { lockDataFolder } from "./folder-lock.ts";
import { migrations } from "./migrations.ts";
import { fromDriver, storeTrouble } from "./store-errors.ts";

/** Of the data folder. */
export const STORE_FILE = "countersign.db";
/** A whole, checked store that takes the place of the one that stands there, whatever happens: see `finishRestore`. */
const DECIDED = `${STORE_FILE}.restored`;
const STAGED = `${STORE_FILE}.restoring`;
const FOLDER = "backups";
/** Of the backups that upgrades make by themselves. */
const KEPT_UPGRADES = 3;
const UPGRADE = "before-upgrade-";

/** What a backup holds, beside its rows. */
export interface BackupInfo {
  /** The newest migration; a store of this version, or of an earlier one. */
  schema: string;
  /** The secret key in base64, where the backup was asked to hold it. */
  secretKey?: string;
}

/** Where a backup stands that was not told another place: its name ends with the second it was made. */
export function backupFile(folder: string, kind: string, at: Date): string {
  const stamp = at
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-");
  return join(folder, FOLDER, `${kind}${stamp}.db`);
}

/**
 * Copies the store of a data folder into one file for its owner alone, while the product runs and writes: as it
 * is at one moment, with everything that was acknowledged before the call. The file is there whole and on disk,
 * or not at all; `isChecked` looks at every page of it. Rejects with `backup_exists`, `backup_damaged`, a
 * `StoreTrouble` or what the file system says.
 */
export async function backUpStore(
  folder: string,
  to: string,
  { secretKey, isChecked = true }: { secretKey?: string; isChecked?: boolean } = {},
): Promise<void> {
  const exists = (): CountersignError =>
    new CountersignError("backup_exists", `${to} is there already: name a file that is not.`);
  if (existsSync(to)) throw exists();
  makePrivateFolder(dirname(to));
  // Of two backups with one name each writes a file of its own.
  const part = `${to}.${randomUUID()}.part`;
  try {
    await copyStore(join(folder, STORE_FILE), part);
    onFile(part, (db) => {
      if (secretKey !== undefined) {
        db.exec("create table backup_key (value text not null)");
        db.prepare("insert into backup_key (value) values (?)").run(secretKey);
      }
      if (isChecked) checkStore(db, to);
    });
    syncFile(part);
    try {
      linkSync(part, to);
    } catch (error) {
      if (codeOf(error) === "EEXIST") throw exists();
      // Some volumes know no links.
      renameSync(part, to);
    }
    syncFolder(dirname(to));
  } finally {
    removeStore(part);
  }
}

/**
 * Makes a backup before an upgrade of a store that holds something, and gives up the oldest of those that earlier
 * upgrades made. Resolves to the file; undefined where there is nothing to keep.
 */
export async function backUpBeforeUpgrade(folder: string): Promise<string | undefined> {
  const applied = withStore(join(folder, STORE_FILE), { readOnly: true }, (db) =>
    isEmpty(db) ? undefined : appliedIn(db),
  );
  const last = applied?.at(-1);
  const newest = Object.keys(migrations("sqlite")).toSorted().at(-1);
  if (applied === undefined || last === undefined || last === newest) return undefined;
  const to = backupFile(folder, `${UPGRADE}of-${last}-`, new Date());
  const beside = join(folder, FOLDER);
  // Of a start that was killed within the same second.
  rmSync(to, { force: true });
  // What is wrong with the store is found when it is opened, and one that works all the same is upgraded.
  await backUpStore(folder, to, { isChecked: false });
  const made = readdirSync(beside).filter((name) => name.startsWith(UPGRADE));
  const timeOf = (name: string): string => name.slice(-"2026-11-23T07-45-00Z.db".length);
  const old = made
    .filter((name) => name.endsWith(".db"))
    .toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)))
    .slice(KEPT_UPGRADES);
  for (const name of [...old, ...made.filter((one) => one.includes(".part"))])
    rmSync(join(beside, name), { force: true });
  return to;
}

/** What a restore did. */
export interface Restored extends BackupInfo {
  /** Where the store stands that was there before; undefined where there was none. */
  before?: string;
}

/**
 * Puts a backup in the place of the data folder's store, which is kept beside it. Until the backup is copied and
 * checked, nothing of the old store is touched; from then on the restore happens, also when the process is killed
 * in the middle: the next start, or the next restore, finishes it. `check` may reject, with nothing changed;
 * `onKey` is told of the key that the backup holds before the new store counts.
 *
 * Rejects with `data_folder_in_use`, `backup_damaged`, `backup_newer` or a `StoreTrouble`.
 */
export async function restoreStore(
  folder: string,
  from: string,
  options: {
    check: (file: string) => Promise<void>;
    onKey: (secretKey: string) => void;
    failPoint: FailPoint;
  },
): Promise<Restored> {
  const { failPoint } = options;
  if (!existsSync(from)) throw damaged(from, "no such file");
  const lock = lockDataFolder(folder);
  const staged = join(folder, STAGED);
  try {
    finishRestore(folder);
    removeStore(staged);
    const info = await stage(from, staged);
    await options.check(staged);
    syncFile(staged);
    failPoint("restore.staged");
    const before = keepOld(folder);
    if (info.secretKey !== undefined) options.onKey(info.secretKey);
    failPoint("restore.kept");
    renameSync(staged, join(folder, DECIDED));
    syncFolder(folder);
    failPoint("restore.decided");
    finishRestore(folder, failPoint);
    return { ...info, ...(before === undefined ? {} : { before }) };
  } finally {
    removeStore(staged);
    lock.release();
  }
}

/** Ends a restore that was decided: whoever calls holds the folder. */
export function finishRestore(folder: string, failPoint: FailPoint = () => undefined): void {
  if (!isRestoring(folder)) return;
  const file = join(folder, STORE_FILE);
  // The log of the old store would be played into the new one.
  for (const beside of [`${file}-wal`, `${file}-shm`]) rmSync(beside, { force: true });
  syncFolder(folder);
  failPoint("restore.cleared");
  renameSync(join(folder, DECIDED), file);
  syncFolder(folder);
}

/** Whether a restore was decided and is not finished, so that what stands there counts no more. */
export function isRestoring(folder: string): boolean {
  return existsSync(join(folder, DECIDED));
}

async function stage(from: string, staged: string): Promise<BackupInfo> {
  try {
    await copyStore(from, staged);
    return onFile(staged, (db): BackupInfo => {
      checkStore(db, from);
      const applied = appliedIn(db);
      const schema = applied?.at(-1);
      if (applied === undefined || schema === undefined) throw damaged(from, "no store of Countersign");
      const unknown = applied.filter((name) => !Object.hasOwn(migrations("sqlite"), name));
      if (unknown.length > 0)
        throw new CountersignError(
          "backup_newer",
          `${from} is of a newer version, which has ${unknown.join(", ")}. Restore it with that version. Nothing was changed.`,
        );
      const secretKey = takeKey(db);
      return { schema, ...(secretKey === undefined ? {} : { secretKey }) };
    });
  } catch (error) {
    if (codeOf(error) === "store_damaged") throw damaged(from, messageOf((error as Error).cause ?? error));
    throw error;
  }
}

/** The store that stands there as one file in `backups`; a damaged one with its log as it is. */
function keepOld(folder: string): string | undefined {
  const file = join(folder, STORE_FILE);
  if (!existsSync(file)) return undefined;
  try {
    onFile(file, () => undefined);
  } catch (error) {
    // One that is read by somebody would be changed below them.
    if (codeOf(error) !== "store_damaged") throw error;
  }
  const to = backupFile(folder, "before-restore-", new Date());
  makePrivateFolder(dirname(to));
  for (const end of ["", "-wal"]) {
    if (!existsSync(`${file}${end}`)) continue;
    rmSync(`${to}${end}`, { force: true });
    try {
      linkSync(`${file}${end}`, `${to}${end}`);
    } catch {
      // Some volumes know no links.
      copyFileSync(`${file}${end}`, `${to}${end}`);
      syncFile(`${to}${end}`);
    }
  }
  syncFolder(dirname(to));
  return to;
}

/** Copies the pages of one moment: a transaction that is open pins it however much is written meanwhile. */
async function copyStore(from: string, to: string): Promise<void> {
  makePrivateFile(to);
  try {
    const source = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
    try {
      source.exec("begin");
      source.prepare("select count(*) from sqlite_schema").get();
      await backup(source, to, { rate: 1_000 });
    } finally {
      source.close();
    }
  } catch (error) {
    throw fromDriver(error);
  }
}

/** Opens a store as one file without a log beside it, for some work. */
function onFile<Result>(file: string, work: (db: DatabaseSync) => Result): Result {
  return withStore(file, {}, (db) => {
    db.exec("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON");
    const { journal_mode: mode } = db.prepare("PRAGMA journal_mode = DELETE").get() as {
      journal_mode: string;
    };
    if (mode !== "delete") throw storeTrouble("store_busy", new Error(`${file} is read by another program`));
    return work(db);
  });
}

function withStore<Result>(
  file: string,
  options: { readOnly?: boolean },
  work: (db: DatabaseSync) => Result,
): Result {
  try {
    const db = new DatabaseSync(file, { timeout: 5_000, ...options });
    try {
      return work(db);
    } finally {
      db.close();
    }
  } catch (error) {
    throw fromDriver(error);
  }
}

/** Every page and every index. Throws `backup_damaged`. */
function checkStore(db: DatabaseSync, named: string): void {
  const rows = db.prepare("PRAGMA integrity_check(5)").all() as { integrity_check: string }[];
  const faults = rows.map((row) => row.integrity_check).filter((line) => line !== "ok");
  if (faults.length > 0) throw damaged(named, faults.join("; ").slice(0, 500));
}

/** In the order of their names, in which they run; undefined where there is no store. */
function appliedIn(db: DatabaseSync): string[] | undefined {
  if (!hasTable(db, "kysely_migration")) return undefined;
  const rows = db.prepare("select name from kysely_migration order by name").all() as { name: string }[];
  return rows.map(({ name }) => name);
}

function isEmpty(db: DatabaseSync): boolean {
  return ["turns", "audit", "kv"].every(
    (table) => !hasTable(db, table) || db.prepare(`select 1 from ${table} limit 1`).get() === undefined,
  );
}

function takeKey(db: DatabaseSync): string | undefined {
  if (!hasTable(db, "backup_key")) return undefined;
  const row = db.prepare("select value from backup_key").get() as { value: string } | undefined;
  db.exec("drop table backup_key");
  return row?.value;
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined;
}

function removeStore(file: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${file}${end}`, { force: true });
}

function syncFile(file: string): void {
  const handle = openSync(file, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function damaged(file: string, found: string): CountersignError {
  return new CountersignError(
    "backup_damaged",
    `Expected a whole store of Countersign in ${file}, found: ${found}. Nothing was changed.`,
  );
}
