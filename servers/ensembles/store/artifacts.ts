import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { isAlive, messageOf, ToolFailure } from "../../kit/tool.ts";
import type { Run } from "../engine/result.ts";
import { checkName, entriesOf, inside, isName, notWritable, sweep, temporaryIn } from "./paths.ts";
import { reportOf } from "./report.ts";

/** Runs as they are kept: `artifacts/{ensemble}/{YYYYMMDD-HHMMSS-mmm}/execution.json` and `.md`, and `latest`. */
export interface Artifacts {
  /** Begins to keep a run, which is on disk from then on as it stands. Throws a ToolFailure `not_writable`. */
  begin(run: Run): Recording;
  /** Newest first. */
  list(ensemble: string): string[];
  ensembles(): string[];
  /** The id of a run, also of `latest`. Throws a ToolFailure `unknown_artifact`. */
  exact(ensemble: string, id: string): string;
  /** Throws a ToolFailure `unknown_artifact`. `id` may be `latest`. */
  read(ensemble: string, id: string): Run;
  report(ensemble: string, id: string): string;
  /** Whether a run is under way, in this process or in another one. Throws `unknown_artifact`. */
  isRunning(ensemble: string, id: string): boolean;
  /** Also moves `latest` on. Throws `unknown_artifact`, `not_writable`, and `still_running` for a run under way. */
  remove(ensemble: string, id: string): void;
}

export interface Recording {
  /** Such as 20261123-101500-123. */
  id: string;
  /** Keeps how the run stands, soon: what came in the meantime is written together. */
  update(run: () => Run): void;
  /** Resolves when the whole run is kept. */
  finish(run: Run): Promise<void>;
}

const ID = /^\d{8}-\d{6}-\d{3}$/;

export function openArtifacts(local: string): Artifacts {
  const root = join(local, "artifacts");
  /** Runs of this process that are under way, by their folder. */
  const underWay = new Set<string>();

  function folderOf(ensemble: string): string {
    return inside(root, checkName("an ensemble", ensemble));
  }

  function list(ensemble: string): string[] {
    const names = entriesOf(folderOf(ensemble)).filter((entry) => entry.isDirectory() && ID.test(entry.name));
    return names
      .map((entry) => entry.name)
      .toSorted()
      .toReversed();
  }

  function pathOf(ensemble: string, id: string): string {
    return inside(folderOf(ensemble), exact(ensemble, id));
  }

  function exact(ensemble: string, id: string): string {
    const all = list(ensemble);
    const wanted = id === "latest" ? all[0] : all.find((one) => one === id);
    if (wanted !== undefined) return wanted;
    const some = all.length === 0 ? "none is kept yet" : `the newest are ${all.slice(0, 5).join(", ")}`;
    throw new ToolFailure("unknown_artifact", `there is no run ${ensemble}/${id.slice(0, 60)}: ${some}`);
  }

  function begin(run: Run): Recording {
    const folder = folderOf(run.ensemble);
    const making = temporaryIn(folder);
    try {
      mkdirSync(making, { recursive: true });
      sweep(folder);
      writeFileSync(join(making, "execution.json"), jsonOf(run));
      writeFileSync(join(making, "execution.md"), reportOf(run));
      const id = place(making, folder, Date.parse(run.metadata.started_at));
      point(folder, id);
      underWay.add(join(folder, id));
      return record(join(folder, id), id);
    } catch (error) {
      rmSync(making, { recursive: true, force: true });
      throw notWritable(folder, error);
    }
  }

  function record(folder: string, id: string): Recording {
    let next: (() => Run) | undefined;
    let waiting: NodeJS.Timeout | undefined;
    let writing = Promise.resolve();
    async function write(): Promise<void> {
      const run = next?.();
      waiting = next = undefined;
      if (run === undefined) return;
      await replace(folder, "execution.md", reportOf(run));
      await replace(folder, "execution.json", jsonOf(run));
    }
    return {
      id,
      update(run) {
        next = run;
        // A state that cannot be kept is no reason to end the run.
        waiting ??= setTimeout(() => {
          writing = writing.then(write).catch(() => {});
        }, WRITE_EVERY_MS);
      },
      async finish(run) {
        clearTimeout(waiting);
        await writing;
        next = () => run;
        try {
          await write();
        } catch (error) {
          throw notWritable(folder, error);
        } finally {
          underWay.delete(folder);
        }
      },
    };
  }

  function isAtWork(folder: string, { metadata }: Run): boolean {
    return underWay.has(folder) || (metadata.pid !== process.pid && isAlive(metadata.pid));
  }

  function isRunning(ensemble: string, id: string): boolean {
    const folder = pathOf(ensemble, id);
    if (underWay.has(folder)) return true;
    const file = inside(folder, "execution.json");
    // Most runs that are cleaned up have ended, which their first lines say.
    if (!/"status": ?"running"/.test(headOf(file))) return false;
    try {
      const run = readRun(file);
      return run.status === "running" && isAtWork(folder, run);
    } catch (error) {
      if (error instanceof ToolFailure) return false;
      throw error;
    }
  }

  return {
    begin,
    list,
    ensembles: () =>
      entriesOf(root)
        .flatMap((entry) => (entry.isDirectory() && isName(entry.name) ? [entry.name] : []))
        .toSorted(),
    read(ensemble, id) {
      const folder = pathOf(ensemble, id);
      const run = readRun(inside(folder, "execution.json"));
      const isLost = run.status === "running" && !isAtWork(folder, run);
      return isLost ? { ...run, status: "interrupted" } : run;
    },
    exact,
    isRunning,
    report(ensemble, id) {
      return reportOf(this.read(ensemble, id));
    },
    remove(ensemble, id) {
      const folder = pathOf(ensemble, id);
      if (isRunning(ensemble, id))
        throw new ToolFailure(
          "still_running",
          `the run ${ensemble}/${id} is under way: end it first, or wait`,
        );
      const parent = folderOf(ensemble);
      const gone = temporaryIn(parent);
      const [before] = list(ensemble).filter((one) => join(parent, one) !== folder);
      try {
        if (before === undefined) rmSync(join(parent, "latest"), { force: true });
        else if (latestOf(parent) === folder.slice(parent.length + 1)) point(parent, before);
        renameSync(folder, gone);
        rmSync(gone, { recursive: true, force: true });
      } catch (error) {
        throw notWritable(folder, error);
      }
    },
  };
}

/** What comes in the meantime is written together. */
const WRITE_EVERY_MS = 20;

function jsonOf(run: Run): string {
  return `${JSON.stringify(run, null, 1)}\n`;
}

/** Puts a finished folder in its place, which is its time; a millisecond later where that is taken. */
function place(making: string, folder: string, startedMs: number): string {
  for (let tries = 0; ; tries += 1) {
    const id = idOf(startedMs + tries);
    try {
      renameSync(making, join(folder, id));
      return id;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (tries >= 1000 || (code !== "ENOTEMPTY" && code !== "EEXIST")) throw error;
    }
  }
}

/** UTC, as 20261123-101500-123. */
function idOf(ms: number): string {
  const [date = "", time = ""] = new Date(ms).toISOString().split("T");
  return `${date.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${time.slice(9, 12)}`;
}

/** Points `latest` to a run, at once: there is always one or the other. */
function point(folder: string, id: string): void {
  const making = temporaryIn(folder);
  symlinkSync(id, making);
  renameSync(making, join(folder, "latest"));
}

function latestOf(folder: string): string | undefined {
  try {
    return readlinkSync(join(folder, "latest"));
  } catch {
    return undefined;
  }
}

async function replace(folder: string, name: string, text: string): Promise<void> {
  // Beside the run, where the next one sweeps.
  const making = temporaryIn(dirname(folder));
  try {
    await writeFile(making, text);
    await rename(making, join(folder, name));
  } catch (error) {
    await rm(making, { force: true });
    throw error;
  }
}

/** The first lines of a file; empty where there is none. */
function headOf(path: string): string {
  try {
    const handle = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(500);
      return bytes.toString("utf8", 0, readSync(handle, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(handle);
    }
  } catch {
    return "";
  }
}

/** Longest artifact that is read, in bytes. */
const MOST_BYTES = 64_000_000;

function readRun(path: string): Run {
  try {
    if (statSync(path).size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
    return whole(JSON.parse(readFileSync(path, "utf8")) as ForeignRun);
  } catch (error) {
    throw new ToolFailure("damaged_artifact", `${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** As llm-orc itself writes it: times in seconds, and less beside. */
type ForeignRun = Omit<Partial<Run>, "metadata"> & {
  metadata?: Partial<Omit<Run["metadata"], "started_at" | "completed_at">> & {
    started_at?: string | number;
    completed_at?: string | number | null;
  };
};

function whole(run: ForeignRun): Run {
  const { metadata = {}, results = {} } = run;
  const time = (given: string | number | null | undefined): string | null =>
    typeof given === "number" ? new Date(given * 1000).toISOString() : (given ?? null);
  const { agents = {}, totals } = metadata.usage ?? {};
  const noTotals = {
    total_tokens: 0,
    total_input_tokens: 0,
    total_output_tokens: 0,
    total_cost_usd: 0,
    agents_count: 0,
  };
  return {
    ensemble: run.ensemble ?? "",
    status: run.status ?? "completed",
    input: run.input ?? { data: "" },
    results,
    deliverable: run.deliverable ?? null,
    metadata: {
      agents_used: metadata.agents_used ?? Object.keys(results).length,
      started_at: time(metadata.started_at) ?? "",
      completed_at: time(metadata.completed_at),
      duration: metadata.duration ?? "",
      duration_ms: metadata.duration_ms ?? Math.round(Number.parseFloat(metadata.duration ?? "0") * 1000),
      phases: metadata.phases ?? [],
      depends_on: metadata.depends_on ?? {},
      running: metadata.running ?? [],
      usage: { agents, totals: totals ?? noTotals },
      pid: metadata.pid ?? 0,
    },
  };
}
