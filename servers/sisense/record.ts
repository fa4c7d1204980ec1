import { createHash } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { isAlive, messageOf } from "#servers/kit/tool.ts";

/** What became of one thing; a failure with its reason. */
export type Became = ["done" | "skipped"] | ["failed", string];

/** How a migration ended, as it says itself. */
type End = "completed" | "cancelled";

/** How far the last run of a migration came. */
export interface LastRun {
  /** In ISO form. */
  started_at: string;
  /** interrupted: its process ended in the middle. */
  outcome: End | "interrupted" | "running";
  total: number;
  succeeded: number;
  skipped: number;
  failed: { name: string; reason: string }[];
  /** What was under way when it was interrupted: it may have been migrated or not. */
  under_way: string | null;
  not_tried: number;
}

/** The record of one migration: the same tool with the same arguments between the same two deployments. */
export interface MigrationRecord {
  last(): LastRun | undefined;
  /** Begins a run over the things of these names, in this order. */
  begin(names: readonly string[]): { note(became: Became): void; end(how: End): void };
}

interface Head {
  started_at: string;
  pid: number;
  names: string[];
}

/** So many records are kept, for so long. */
const MOST_RECORDS = 100;
const KEPT_MS = 30 * 24 * 3_600_000;
const SUFFIX = ".jsonl";

/**
 * Records of migrations in the data folder: a line for each thing as it is done, so that what a call that was
 * cancelled or killed has done is known although nobody heard its answer. Hosts and arguments are not in it, as a
 * record is named by a hash of them. Where it cannot be written the migration goes on without.
 */
export function openRecords(folder: string): (about: readonly unknown[]) => MigrationRecord {
  const place = join(folder, "sisense-migrations");
  const underWay = new Set<string>();
  return (about) => {
    const hash = createHash("sha256").update(JSON.stringify(about)).digest("hex");
    const path = join(place, `${hash.slice(0, 32)}${SUFFIX}`);
    return {
      last: () => readRun(path, (pid) => underWay.has(path) || (pid !== process.pid && isAlive(pid))),
      begin(names) {
        const head: Head = { started_at: new Date().toISOString(), pid: process.pid, names: [...names] };
        let isKept = attempt(() => {
          mkdirSync(place, { recursive: true, mode: 0o700 });
          prune(place);
          writeFileSync(path, line(head), { mode: 0o600, flush: true });
        });
        underWay.add(path);
        const add = (value: Became | { end: End }): void => {
          isKept &&= attempt(() => appendFileSync(path, line(value), { flush: true }));
        };
        return {
          note: add,
          end(how) {
            add({ end: how });
            underWay.delete(path);
          },
        };
      },
    };
  };
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    process.stderr.write(`the record of a migration cannot be kept: ${messageOf(error)}\n`);
    return false;
  }
}

function prune(place: string): void {
  const found = readdirSync(place)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => ({ name, at: statSync(join(place, name)).mtimeMs }))
    .toSorted((a, b) => b.at - a.at);
  for (const [index, { name, at }] of found.entries())
    if (index >= MOST_RECORDS || Date.now() - at > KEPT_MS) rmSync(join(place, name), { force: true });
}

function readRun(path: string, isRunning: (pid: number) => boolean): LastRun | undefined {
  let head: Head | undefined;
  let end: End | undefined;
  const became: Became[] = [];
  try {
    // The last line may have been cut off with its process.
    for (const text of readFileSync(path, "utf8").split("\n").slice(0, -1)) {
      const value = JSON.parse(text) as Head | Became | { end: End };
      if (Array.isArray(value)) became.push(value);
      else if ("end" in value) ({ end } = value);
      else head = value;
    }
  } catch {
    // Of none, or one that is damaged, there is nothing to tell.
    return undefined;
  }
  if (head === undefined) return undefined;
  const { names, pid, started_at } = head;
  const outcome = end ?? (isRunning(pid) ? "running" : "interrupted");
  const underWay = outcome === "interrupted" ? (names[became.length] ?? null) : null;
  const amountOf = (what: Became[0]): number => became.filter(([is]) => is === what).length;
  return {
    started_at,
    outcome,
    total: names.length,
    succeeded: amountOf("done"),
    skipped: amountOf("skipped"),
    failed: became.flatMap(([is, reason = ""], at) =>
      is === "failed" ? [{ name: names[at] ?? "", reason }] : [],
    ),
    under_way: underWay,
    not_tried: names.length - became.length - (underWay === null ? 0 : 1),
  };
}
