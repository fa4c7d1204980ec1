import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { messageOf, ToolFailure } from "./tool.ts";

/** How long a writer waits for another process's write, in milliseconds. */
const lockWaitMs = 10_000;

/** The folder for what a server keeps: COUNTERSIGN_DATA, or ./data. */
export function dataFolder(env: NodeJS.ProcessEnv, cwd: string = process.cwd()): string {
  return resolve(cwd, env.COUNTERSIGN_DATA?.trim() || "data");
}

/** A JSON file that several processes read and change. */
export interface JsonStore<T> {
  /** The state as it stands on disk. Treat it as read-only. */
  read(): T;
  /**
   * Changes a copy of the state and writes it, while no other process writes. What `change` throws
   * is thrown on, and nothing is written.
   */
  update<R>(change: (state: T) => R): R;
}

/**
 * Opens the JSON file at `path`, made from `seed` where it does not exist. In a folder that cannot be
 * written reads answer from the seed and writes fail with `store_not_writable`.
 */
export function openJsonStore<T>(path: string, seed: () => T): JsonStore<T> {
  let cached: { version: string; state: T } | undefined;

  function load(): T | undefined {
    const version = versionOf(path);
    if (version === undefined) return undefined;
    if (cached?.version !== version) cached = { version, state: parse<T>(path) };
    return cached.state;
  }

  function loadOrSeed(): T {
    const state = load() ?? seed();
    if (versionOf(path) === undefined) writeJsonAtomic(path, state);
    return state;
  }

  return {
    read() {
      const state = load();
      if (state !== undefined) return state;
      try {
        return withLock(path, loadOrSeed);
      } catch (error) {
        if (!(error instanceof ToolFailure) || error.code !== "store_not_writable") throw error;
        cached ??= { version: "seed", state: seed() };
        return cached.state;
      }
    },
    update(change) {
      return withLock(path, () => {
        const draft = structuredClone(loadOrSeed());
        const result = change(draft);
        writeJsonAtomic(path, draft);
        return result;
      });
    },
  };
}

/** Writes a whole file or nothing: a temporary file beside it, flushed to disk, renamed over it. */
function writeJsonAtomic(path: string, value: unknown): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    makeFolder(dirname(path));
    writeFileSync(temporary, `${JSON.stringify(value, null, 1)}\n`, { mode: 0o600, flush: true });
    renameSync(temporary, path);
    flushFolder(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw notWritable(path, error);
  }
}

/**
 * Runs `work` while no other process holds the lock of `path`. SQLite's file lock is used because the
 * system drops it when a process dies, so that a kill leaves nothing to clean up.
 */
function withLock<R>(path: string, work: () => R): R {
  const lock = openLock(`${path}.lock`);
  try {
    takeLock(lock, path);
    return work();
  } finally {
    lock.close();
  }
}

function openLock(path: string): DatabaseSync {
  try {
    makeFolder(dirname(path));
    // SQLite would make it for everybody; nothing else is opened, as closing that would drop locks.
    if (existsSync(path)) keepPrivate(path);
    else closeSync(openSync(path, "a", 0o600));
    return new DatabaseSync(path, { timeout: lockWaitMs });
  } catch (error) {
    throw notWritable(path, error);
  }
}

/** Where it is ours to change; there is nothing in it but the lock. */
function keepPrivate(path: string): void {
  try {
    if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) throw error;
  }
}

/** For its owner alone: it holds what people wrote. */
function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

function takeLock(lock: DatabaseSync, path: string): void {
  try {
    // In memory: nothing is ever stored, so there is nothing to journal.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    if (!isBusy(error)) throw notWritable(path, error);
    throw new ToolFailure(
      "store_busy",
      `another process has held the lock of ${path} for ${lockWaitMs / 1000} s: try again`,
      { cause: error },
    );
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}

/** Changes with every rename, also within one tick of the clock. */
function versionOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino}:${stat.mtimeNs}:${stat.size}`;
}

function parse<T>(path: string): T {
  const text = readFileSync(path, "utf8");
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new ToolFailure(
      "store_damaged",
      `${path} is not valid JSON (${messageOf(error)}): mend it, or move it away to start again from the demo data`,
      { cause: error },
    );
  }
}

function flushFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function notWritable(path: string, error: unknown): ToolFailure {
  return new ToolFailure(
    "store_not_writable",
    `cannot write ${path}: ${messageOf(error)}. Make the folder writable and free some space, or set COUNTERSIGN_DATA to another folder`,
    { cause: error },
  );
}
