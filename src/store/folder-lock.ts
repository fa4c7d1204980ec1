import { accessSync, constants, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { CountersignError, messageOf } from "../base/errors.ts";
import { makePrivateFile, makePrivateFolder, type TellOpen } from "../base/private-files.ts";

/** Holds a data folder for this process. */
export interface FolderLock {
  /** The file that is locked: where another one stands at its path, another process may hold that. */
  file: string;
  release(): void;
}

/**
 * Takes the data folder for this process, or rejects with `data_folder_unwritable` or
 * `data_folder_in_use` naming the holder's pid. The lock is a file lock that SQLite takes on
 * `lock.db`: the kernel drops it with the process, also after kill -9, so nothing stale can remain.
 */
export function lockDataFolder(folder: string, tell?: TellOpen): FolderLock {
  try {
    makePrivateFolder(folder, tell);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw unwritable(folder, error);
  }
  const pidFile = join(folder, "lock.pid");
  const file = join(folder, "lock.db");
  let db: DatabaseSync | undefined;
  try {
    makePrivateFile(pidFile, tell);
    db = hold(file, tell);
  } catch (error) {
    throw unwritable(folder, error);
  }
  if (db === undefined)
    throw new CountersignError(
      "data_folder_in_use",
      `The data folder ${folder} is in use by process ${readPid(pidFile)}. One process holds it at a time: ` +
        "stop that one, set COUNTERSIGN_DATA to another folder, or share a Postgres database through store.url.",
    );
  try {
    writeFileSync(pidFile, `${process.pid}\n`);
  } catch (error) {
    db.close();
    throw unwritable(folder, error);
  }
  return { file, release: () => db.close() };
}

/** Runs work that one process does at a time, such as changing a file of the data folder; the others wait. */
export function alone<Result>(folder: string, work: () => Result): Result {
  const db = hold(join(folder, "change.lock"), undefined, 10_000);
  if (db === undefined)
    throw new CountersignError(
      "data_folder_in_use",
      `${folder} is being changed by another command: try again.`,
    );
  try {
    return work();
  } finally {
    db.close();
  }
}

/** A database that is never written, and locked as a whole; undefined where another process has it. */
function hold(file: string, tell?: TellOpen, timeout = 0): DatabaseSync | undefined {
  makePrivateFile(file, tell);
  const db = new DatabaseSync(file, { timeout });
  try {
    // No journal file is needed for it.
    db.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
    return db;
  } catch (error) {
    db.close();
    if (/locked|busy/i.test(messageOf(error))) return undefined;
    throw error;
  }
}

function readPid(file: string): string {
  try {
    return readFileSync(file, "utf8").trim() || "unknown";
  } catch {
    return "unknown";
  }
}

function unwritable(folder: string, cause: unknown): CountersignError {
  return new CountersignError(
    "data_folder_unwritable",
    `Cannot write to the data folder ${folder}: ${messageOf(cause)}. ` +
      "Make it writable for this user, free some space, or set COUNTERSIGN_DATA to another folder.",
    { cause },
  );
}

/** A file as it was when it was opened. */
interface Known {
  path: string;
  dev: bigint;
  ino: bigint;
}

/**
 * Whether files that this process holds open still stand at their paths. A file that was deleted can be
 * written for as long as it is open, and what is written is gone with the process. The result tells
 * what is wrong, or undefined; a look at a file costs about two microseconds.
 */
export function watchPlaces(paths: readonly string[]): () => string | undefined {
  const known = paths.map((path): Known => {
    const { dev, ino } = statSync(path, { bigint: true });
    return { path, dev, ino };
  });
  return () => {
    for (const { path, dev, ino } of known) {
      try {
        const found = statSync(path, { bigint: true, throwIfNoEntry: false });
        if (found === undefined) return `${path} is gone`;
        if (found.ino !== ino || found.dev !== dev) return `${path} was replaced by another file`;
      } catch (error) {
        return `${path} cannot be looked at: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
    return undefined;
  };
}
