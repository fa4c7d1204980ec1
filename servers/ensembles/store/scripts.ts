import { openSync, readSync, closeSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join } from "node:path";

import { ToolFailure } from "../../kit/tool.ts";
import { checkPath, filesBelow, inside } from "./paths.ts";
import { meant, type Project, type Source } from "./project.ts";

export interface FoundScript {
  /** Below scripts/, such as data/csv_profile.js. */
  path: string;
  /** The whole path. */
  file: string;
  /** The scripts/ folder it is in. */
  root: string;
  source: Source;
}

/** What runs a script, by the end of its name. */
export const RUNTIMES: Readonly<Record<string, string>> = {
  ".js": "node",
  ".mjs": "node",
  ".ts": "node",
  ".py": "python3",
  ".sh": "sh",
};

/** All scripts, the nearest of each path. */
export function scriptsOf({ folders }: Pick<Project, "folders">): FoundScript[] {
  const found = new Map<string, FoundScript>();
  for (const { source, path: folder } of folders) {
    const root = join(folder, "scripts");
    for (const path of filesBelow(root, Object.keys(RUNTIMES))) {
      if (!found.has(path)) found.set(path, { path, file: join(root, path), root, source });
    }
  }
  return [...found.values()];
}

/** The script that a path means, with or without `scripts/` before it. Throws a ToolFailure `unknown_script`. */
export function findScript(project: Pick<Project, "folders">, given: string): FoundScript {
  const path = checkPath("a script", given.replace(/^(?:\.llm-orc\/)?scripts\//, ""));
  if (RUNTIMES[extname(path)] === undefined) {
    throw new ToolFailure(
      "bad_script",
      `"${given}" is no script: expected ${Object.keys(RUNTIMES).join(", ")} at its end`,
    );
  }
  for (const { source, path: folder } of project.folders) {
    const root = join(folder, "scripts");
    if (statSync(join(root, path), { throwIfNoEntry: false }) === undefined) continue;
    const file = inside(root, path);
    if (statSync(file).isFile()) return { path, file, root, source };
  }
  const names = scriptsOf(project).map((one) => one.path);
  throw new ToolFailure(
    "unknown_script",
    `there is no script "${given}"${meant(path, names)}. list_scripts names them all`,
  );
}

export interface ScriptFacts {
  name: string;
  path: string;
  category: string;
  source: Source;
  runtime: string;
  description: string;
}

export function factsOf({ path, file, source }: FoundScript): ScriptFacts {
  const category = dirname(path) === "." ? "" : dirname(path);
  const name = path.slice(category === "" ? 0 : category.length + 1).replace(/\.\w+$/, "");
  return {
    name,
    path,
    category,
    source,
    runtime: RUNTIMES[extname(path)] ?? "",
    description: describe(file),
  };
}

/** Longest script that is read, in bytes. */
const MOST_BYTES = 256_000;

export function sourceOf({ file }: FoundScript): string {
  if (statSync(file).size > MOST_BYTES)
    throw new ToolFailure("too_large", `${file} is larger than ${MOST_BYTES} bytes`);
  return readFileSync(file, "utf8");
}

/** The first sentence of its first comment. */
function describe(file: string): string {
  const lines = head(file)
    .split("\n")
    .filter((line) => !line.startsWith("#!"));
  const first = lines.find((line) => line.trim() !== "") ?? "";
  const comment = /^\s*(?:\/\*\*?|\/\/|#|"""|''')\s*(.*?)\s*(?:\*\/|"""|''')?\s*$/.exec(first)?.[1];
  const second = (lines[lines.indexOf(first) + 1] ?? "").replace(/^\s*\*?\s*/, "").trim();
  return (comment === "" ? second : (comment ?? "")).slice(0, 300);
}

function head(file: string): string {
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(2000);
    return buffer.toString("utf8", 0, readSync(handle, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(handle);
  }
}
