import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, matchesGlob } from "node:path";

import ignore, { type Ignore } from "ignore";

import { messageOf, ToolFailure } from "../../kit/tool.ts";

/** What no source holds, whether it says so or not. */
const NEVER = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  "__pycache__",
  ".venv",
  "target",
  ".next",
  ".cache",
]);
const LOCKS = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "poetry.lock",
  "Cargo.lock",
  "go.sum",
  "composer.lock",
]);

export interface FoundFile {
  /** With `/`, from the folder of the source. */
  path: string;
  full: string;
}

interface Globs {
  include: string[];
  exclude: string[];
}

/** Whether a file is wanted by its path, in folders that nobody walks through. */
export function isWanted(path: string, { include, exclude }: Globs): boolean {
  const parts = path.split("/");
  if (parts.some((part) => NEVER.has(part)) || LOCKS.has(parts.at(-1) ?? "")) return false;
  const above = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  if (exclude.some((glob) => above.some((one) => matchesGlob(one, glob)))) return false;
  return include.length === 0 || include.some((glob) => matchesGlob(path, glob));
}

/**
 * The files of a folder in the order of their names, without what its .gitignore files leave out, links and what other
 * programs make. Rejects with `source_not_found` where there is no such folder.
 */
export async function walk(root: string, globs: Globs, signal: AbortSignal): Promise<FoundFile[]> {
  const place = await stat(root).catch((error: unknown) => {
    throw new ToolFailure("source_not_found", `expected a folder at ${root}: ${messageOf(error)}`, {
      cause: error,
    });
  });
  if (!place.isDirectory())
    throw new ToolFailure("source_not_found", `expected a folder, got a file: ${root}`);
  const found: FoundFile[] = [];
  const own = await rulesIn(join(root, ".git/info/exclude"));
  await enter("", own === undefined ? [] : [{ base: "", rules: own }]);
  return found;

  async function enter(folder: string, above: { base: string; rules: Ignore }[]): Promise<void> {
    signal.throwIfAborted();
    const here = await rulesIn(join(root, folder, ".gitignore"));
    const rules = here === undefined ? above : [...above, { base: folder, rules: here }];
    let entries: Dirent[];
    try {
      entries = await readdir(join(root, folder), { withFileTypes: true });
    } catch (error) {
      // A folder that may not be read is no reason to lose the others.
      if (folder === "") throw error;
      return;
    }
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const isFolder = entry.isDirectory();
      if ((!isFolder && !entry.isFile()) || NEVER.has(entry.name) || LOCKS.has(entry.name)) continue;
      if (isIgnored(isFolder ? `${path}/` : path, rules)) continue;
      if (globs.exclude.some((glob) => matchesGlob(path, glob))) continue;
      if (isFolder) await enter(path, rules);
      else if (globs.include.length === 0 || globs.include.some((glob) => matchesGlob(path, glob)))
        found.push({ path, full: join(root, path) });
    }
  }
}

/** The last rule that says anything of a path decides, the innermost file's after the outer ones'. */
function isIgnored(path: string, rules: { base: string; rules: Ignore }[]): boolean {
  let isOut = false;
  for (const { base, rules: own } of rules) {
    const verdict = own.test(base === "" ? path : path.slice(base.length + 1));
    if (verdict.ignored) isOut = true;
    else if (verdict.unignored) isOut = false;
  }
  return isOut;
}

async function rulesIn(path: string): Promise<Ignore | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? undefined : ignore().add(text);
}
