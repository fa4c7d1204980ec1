import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";

import { codeOf } from "./errors.ts";

/** Told of what stands, or stood, open to other users of the machine, and of what to do. */
export type TellOpen = (message: string) => void;

const OTHERS = 0o077;
/** Windows has access lists instead, and shows every file as open. */
const hasModes: boolean = process.platform !== "win32";

/**
 * Makes a folder for its owner alone, with those above it that are missing. One that was there before
 * may hold more than ours: its rights are left as they are, and `tell` says what to do.
 */
export function makePrivateFolder(folder: string, tell?: TellOpen): void {
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) return;
  if (isOpen(folder)) tell?.(`others can look into ${folder}: run chmod 700 on it, if it is for us alone`);
}

/**
 * Makes a file for its owner alone where there is none, before anything writes into it: what opens it
 * later keeps these rights, and so do the files that SQLite puts beside. One that is there is narrowed.
 */
export function makePrivateFile(file: string, tell?: TellOpen): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    // Not opened: closing it would drop the locks that this process holds on it (fcntl(2)).
    keepPrivate(file, tell);
  }
}

/** Narrows a file that may be there; a device or a pipe, such as /dev/null, is everybody's. */
export function keepPrivate(file: string, tell?: TellOpen): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true || !isOpen(file)) return;
  try {
    chmodSync(file, 0o600);
  } catch {
    // Not ours to change, such as on a volume that belongs to somebody else.
  }
  // Some volumes take a change of rights and keep their own.
  tell?.(
    isOpen(file)
      ? `others can read ${file}: run chmod 600 on it, or mount its volume for this user alone`
      : `others could read ${file} until now; it is for its owner alone again`,
  );
}

/** So that a new name survives a power cut; Windows knows no such thing. */
export function syncFolder(folder: string): void {
  if (!hasModes) return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function isOpen(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return hasModes && (mode & OTHERS) !== 0;
}
