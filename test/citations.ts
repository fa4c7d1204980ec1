import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** `it("…")` and the like, and the second call of `it.each(rows)("…")`, up to the first quoted title. */
const title =
  /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/g;

/** A row's id in brackets: `[plan.template]`. */
const id = /\[([a-z0-9-]+\.[a-z0-9-]+)\]/g;

/** The ids in the test titles of a text. */
export function citedIds(text: string): string[] {
  const titles = [...text.matchAll(title)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
  return titles.flatMap((words) => [...words.matchAll(id)].map((match) => match[1] ?? ""));
}

/** Every id that a test file under `folder` cites in a title, with those files, relative to the folder. */
export async function citations(folder: URL): Promise<Map<string, string[]>> {
  const cited = new Map<string, string[]>();
  const cwd = fileURLToPath(folder);
  for (const file of (await readdir(cwd, { recursive: true }))
    .filter((name) => name.endsWith(".ts"))
    .toSorted()) {
    const text = await readFile(join(cwd, file), "utf8");
    for (const found of new Set(citedIds(text))) cited.set(found, [...(cited.get(found) ?? []), file]);
  }
  return cited;
}
