import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

import { root } from "./lint.ts";

/** Folders that hold nothing written here. */
const skipped = new Set(["node_modules", "data", "coverage", "dist", ".git", ".tmp", "fixtures"]);

export interface TextFile {
  /** Relative to the project. */
  file: string;
  text: string;
}

/** The project's files whose path matches, sorted. */
export async function filesOfTree(wanted: RegExp): Promise<TextFile[]> {
  const found: TextFile[] = [];
  async function visit(folder: string): Promise<void> {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const file = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !skipped.has(entry.name)) await visit(file);
      if (entry.isFile() && wanted.test(file))
        found.push({ file, text: await readFile(join(root, file), "utf8") });
    }
  }
  await visit("");
  return found.toSorted((a, b) => a.file.localeCompare(b.file));
}
