import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

import { messageOf, ToolFailure } from "../../kit/tool.ts";

/** Names and paths that came from outside, kept inside their folder. */

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} _.-]{0,119}$/u;

/** A name that may become the name of a file. Throws a ToolFailure for `..`, `/`, NUL and whatever else is none. */
export function checkName(kind: string, name: string): string {
  if (isName(name)) return name;
  throw new ToolFailure(
    "bad_name",
    `${JSON.stringify(name.slice(0, 80))} cannot be the name of ${kind}: expected letters, digits, spaces, _, . and -, ` +
      "without .. and /",
  );
}

export function isName(name: string): boolean {
  return NAME.test(name) && !name.includes("..");
}

/** A path of one or more names below a folder. Throws as checkName. */
export function checkPath(kind: string, path: string): string {
  const parts = path.split("/");
  for (const part of parts) checkName(kind, part);
  return parts.join("/");
}

/**
 * The path of `parts` below `root`, also after every link on the way is followed; what is not there yet is judged by
 * the folder it would be in. Throws a ToolFailure `outside` where it leaves the folder.
 */
export function inside(root: string, ...parts: string[]): string {
  const path = resolve(root, ...parts);
  let existing = path;
  while (!isThere(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const [realRoot, real] = [realOf(root), realOf(existing)];
  // A link whose target is gone can be followed by nobody who checks, only by who writes.
  const isDangling = isThere(existing) && real === undefined;
  const isIn =
    real !== undefined &&
    (isBelow(realRoot ?? root, real) || (realRoot === undefined && isBelow(real, resolve(root))));
  if (isBelow(resolve(root), path) && isIn && !isDangling) return path;
  throw new ToolFailure(
    "outside",
    `${parts.join("/")} leads out of its folder: nothing is read or written there`,
  );
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (!way.startsWith(`..${sep}`) && way !== ".." && !way.startsWith(sep));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // Below a file there is nothing.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw error;
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Writes a file whole or not at all. Throws a ToolFailure `not_writable`. */
export function writeWhole(path: string, text: string): void {
  const temporary = temporaryIn(dirname(path));
  try {
    mkdirSync(dirname(path), { recursive: true });
    sweep(dirname(path));
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw notWritable(path, error);
  }
}

/** A hidden name that nothing has: what another process, or one before with the same pid, left behind is not in its way. */
export function temporaryIn(folder: string): string {
  return join(folder, `.${randomUUID()}.tmp`);
}

/** Whatever is written takes less; what is older was left behind by a process that was killed. */
const LEFT_BEHIND_MS = 3_600_000;

/** When each folder was swept last. */
const swept = new Map<string, number>();

/** Takes away what is left of files and folders that were never finished in a folder; looks once an hour. */
export function sweep(folder: string): void {
  if (Date.now() - (swept.get(folder) ?? 0) < LEFT_BEHIND_MS) return;
  swept.set(folder, Date.now());
  for (const { name } of entriesOf(folder)) {
    if (!/^\..+\.tmp$/.test(name)) continue;
    const path = join(folder, name);
    const { mtimeMs = Number.POSITIVE_INFINITY } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) rmSync(path, { recursive: true, force: true });
  }
}

export function notWritable(path: string, error: unknown): ToolFailure {
  return new ToolFailure(
    "not_writable",
    `cannot write ${path}: ${messageOf(error)}. Make the folder writable and free some space, or set ENSEMBLES_PROJECT to another`,
    { cause: error },
  );
}

/** How deep and how much of a folder is looked at. */
const MOST_LEVELS = 6;
const MOST_FILES = 2000;

/** Files below a folder by their path in it, sorted; no hidden ones, none that a link has outside of it. */
export function filesBelow(root: string, suffixes: readonly string[]): string[] {
  const found: string[] = [];
  const walk = (folder: string, level: number): void => {
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith(".") || found.length >= MOST_FILES) continue;
      if (entry.isDirectory() && level < MOST_LEVELS && entry.name !== "__pycache__") walk(path, level + 1);
      else if (suffixes.some((suffix) => entry.name.endsWith(suffix)) && isFileInside(root, path))
        found.push(path);
    }
  };
  walk("", 1);
  return found.toSorted();
}

function isFileInside(root: string, path: string): boolean {
  try {
    return lstatSync(realpathSync(inside(root, path))).isFile();
  } catch {
    return false;
  }
}

export function entriesOf(folder: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(folder);
  } catch {
    return [];
  }
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}
