import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { makePrivateFile, makePrivateFolder } from "#src/base/private-files.ts";

const KEPT = 1000;

export interface History {
  /** Newest first, as readline wants it. */
  readonly entries: string[];
  /** Keeps a typed line; never throws. */
  add(line: string): void;
}

/**
 * What was typed before, from a file that only its owner can read. A file that cannot be read or
 * written costs the history, not the chat: `warn` is then told once.
 */
export function openHistory(file: string, warn: (message: string) => void): History {
  const lines = readLines(file, warn);
  let writable = true;
  let newest = lines.at(-1);
  const keep = (write: () => void): void => {
    if (!writable) return;
    try {
      write();
    } catch (error) {
      writable = false;
      warn(
        `The history cannot be kept in ${file}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  keep(() => {
    makePrivateFolder(dirname(file));
    makePrivateFile(file);
    // Rewritten when it has grown to twice what is kept, otherwise only appended to.
    if (lines.length > 2 * KEPT) writeFileSync(file, `${lines.slice(-KEPT).join("\n")}\n`);
    else appendFileSync(file, "");
  });
  return {
    entries: lines.slice(-KEPT).toReversed(),
    add(line) {
      if (line.trim() === "" || line === newest) return;
      newest = line;
      keep(() => appendFileSync(file, `${line}\n`));
    },
  };
}

function readLines(file: string, warn: (message: string) => void): string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!missing)
      warn(
        `The history in ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    return [];
  }
}
