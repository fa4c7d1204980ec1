import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { openHistory } from "#adapters/console/terminal-keyboard.ts";

function folder(): string {
  return mkdtempSync(join(tmpdir(), "history-"));
}

function fail(message: string): never {
  throw new Error(message);
}

describe("history", () => {
  it("[console.loop] keeps lines over restarts, newest first, readable by the owner only", () => {
    const file = join(folder(), "deep", "history");
    const first = openHistory(file, fail);
    for (const line of ["one", "one", " ", "two"]) first.add(line);
    expect(openHistory(file, fail).entries).toEqual(["two", "one"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("[console.loop] narrows the rights of an older file", () => {
    const file = join(folder(), "history");
    writeFileSync(file, "old\n");
    chmodSync(file, 0o644);
    openHistory(file, fail);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("[console.loop] offers the newest thousand lines and shortens a file that has grown", () => {
    const file = join(folder(), "history");
    writeFileSync(file, Array.from({ length: 2500 }, (_, index) => `line ${index}\n`).join(""));
    const history = openHistory(file, fail);
    expect(history.entries).toHaveLength(1000);
    expect(history.entries[0]).toBe("line 2499");
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(1000);
  });

  it("[console.loop] says once that it cannot be kept, and never throws", () => {
    const file = join(folder(), "history");
    mkdirSync(file);
    const warnings: string[] = [];
    const history = openHistory(file, (message) => warnings.push(message));
    history.add("one");
    history.add("two");
    expect(history.entries).toEqual([]);
    expect(warnings.filter((warning) => warning.includes("cannot be kept"))).toHaveLength(1);
  });
});
