import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

import { isAlive as isProcessThere, ToolFailure } from "../../kit/tool.ts";
import type { Index, IndexTables } from "./index-store.ts";

/** How often a job says that its process is there, and after how long without that it is taken over, in milliseconds. */
const BEAT_MS = 15_000;
const LOST_AFTER_MS = 90_000;

/** A process that runs jobs. Its number alone says little: another may have it afterwards, or in another container. */
export interface Worker {
  id: string;
  host: string;
  pid: number;
}

export const thisWorker: Worker = { id: randomUUID(), host: hostname(), pid: process.pid };

export type JobMode = "full" | "incremental" | "delete";
export type JobState = "running" | "done" | "failed" | "cancelled";

/** What a job did so far. */
export interface JobReport {
  /** Documents looked at, of how many; unknown before the source is listed. */
  done: number;
  total: number | undefined;
  /** What it works on: `reading`, `embedding`. */
  phase: string;
  changed: number;
  unchanged: number;
  removed: number;
  chunks: number;
  /** Keys and tokens that were found in text and left out. */
  secrets: number;
  /** What was not indexed, by reason. */
  skipped: Record<string, number>;
  /** The first documents that could not be read, and why. */
  failures: string[];
  error?: string;
}

export interface Job {
  id: number;
  /** What is indexed, as it was asked for. */
  definition: unknown;
  organisation: string;
  /** The key of its source. */
  source: string;
  mode: JobMode;
  state: JobState;
  started_at: string;
  report: JobReport;
}

interface JobRow extends Omit<Job, "report" | "definition"> {
  definition: string;
  worker: string;
  host: string;
  pid: number;
  beat_at: number;
  report: string;
}

const COLUMNS =
  "id, organisation, source, definition, mode, state, worker, host, pid, started_at, beat_at, report";

const EMPTY: JobReport = {
  done: 0,
  total: undefined,
  phase: "reading",
  changed: 0,
  unchanged: 0,
  removed: 0,
  chunks: 0,
  secrets: 0,
  skipped: {},
  failures: [],
};

/**
 * Begins a job over a source, or takes up the one that a process left when it was killed, so that it goes on where
 * that stood. Throws `already_running` while somebody works on it.
 */
export function beginJob(
  index: Index,
  { organisation, source, definition, mode }: Pick<Job, "organisation" | "source" | "definition" | "mode">,
  worker: Worker = thisWorker,
): Promise<Job> {
  return index.write(async (tables) => {
    const [last] = await tables.all<JobRow>(
      `SELECT ${COLUMNS} FROM jobs WHERE organisation = ? AND source = ? ORDER BY id DESC LIMIT 1`,
      organisation,
      source,
    );
    if (last?.state === "running") {
      if (isAlive(last, worker)) {
        throw new ToolFailure(
          "already_running",
          `${source} is being indexed by the process ${last.pid} on ${last.host} (job ${last.id}): wait until it is done`,
        );
      }
      if (last.mode === mode) {
        await tables.run(
          "UPDATE jobs SET worker = ?, host = ?, pid = ?, beat_at = ? WHERE id = ?",
          worker.id,
          worker.host,
          worker.pid,
          Date.now(),
          last.id,
        );
        return { ...toJob(last), definition, report: { ...toJob(last).report, done: 0 } };
      }
      await tables.run("UPDATE jobs SET state = 'cancelled' WHERE id = ?", last.id);
    }
    // A few are kept, for people who look.
    await tables.run(
      "DELETE FROM jobs WHERE organisation = ? AND source = ? AND id <= ?",
      organisation,
      source,
      (last?.id ?? 0) - 100,
    );
    await tables.run(
      `INSERT INTO jobs
         (organisation, source, definition, mode, state, worker, host, pid, started_at, beat_at, report)
       VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?)`,
      organisation,
      source,
      JSON.stringify(definition),
      mode,
      worker.id,
      worker.host,
      worker.pid,
      new Date().toISOString(),
      Date.now(),
      JSON.stringify(EMPTY),
    );
    const [row] = await tables.all<JobRow>(
      `SELECT ${COLUMNS} FROM jobs WHERE organisation = ? AND source = ? ORDER BY id DESC LIMIT 1`,
      organisation,
      source,
    );
    if (row === undefined) throw new TypeError("expected the job that was just written");
    return toJob(row);
  });
}

/** Records how far a job is; inside `write`. Throws `taken_over` where another process has it by now. */
export async function recordJob(
  tables: IndexTables,
  { id, state, report }: Job,
  worker: Worker = thisWorker,
): Promise<void> {
  const [own] = await tables.all(
    "UPDATE jobs SET state = ?, report = ?, beat_at = ? WHERE id = ? AND worker = ? AND state = 'running' RETURNING id",
    state,
    JSON.stringify(report),
    Date.now(),
    id,
    worker.id,
  );
  if (own === undefined)
    throw new ToolFailure(
      "taken_over",
      `job ${id} was taken over by another process: this one had been silent`,
    );
}

/** Says every some seconds that a job's process is there, whatever it waits for; until the result is called. */
export function keepAlive(index: Index, { id }: Job, worker: Worker = thisWorker): () => void {
  const timer = setInterval(() => {
    const now = Date.now();
    index
      .run("UPDATE jobs SET beat_at = ? WHERE id = ? AND worker = ? AND beat_at < ?", now, id, worker.id, now)
      // An index that cannot be written now is told by the job's next batch.
      .catch(() => {});
  }, BEAT_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The newest jobs first, of one organisation where one is named. */
export async function listJobs(index: IndexTables, organisation?: string): Promise<Job[]> {
  const [where, values] = of(organisation);
  const rows = await index.all<JobRow>(
    `SELECT ${COLUMNS} FROM jobs WHERE ${where} ORDER BY id DESC LIMIT 100`,
    ...values,
  );
  return rows.map(toJob);
}

/** Jobs whose process ended before they did. */
export async function lostJobs(index: IndexTables): Promise<Job[]> {
  const rows = await running(index);
  return rows.filter((row) => !isAlive(row, thisWorker)).map(toJob);
}

/** How much of what is being indexed is done, 0 to 99; undefined where nothing is. */
export async function indexingPercent(
  index: IndexTables,
  organisation?: string,
): Promise<number | undefined> {
  const rows = (await running(index, organisation)).filter((row) => isAlive(row, thisWorker));
  if (rows.length === 0) return undefined;
  const parts = rows
    .map((row) => toJob(row).report)
    .map(({ done, total }) => (total === undefined || total === 0 ? 0 : done / total));
  return Math.min(99, Math.floor((parts.reduce((sum, part) => sum + part, 0) / parts.length) * 100));
}

async function running(index: IndexTables, organisation?: string): Promise<JobRow[]> {
  const [where, values] = of(organisation);
  return index.all(`SELECT ${COLUMNS} FROM jobs WHERE state = 'running' AND ${where} ORDER BY id`, ...values);
}

function of(organisation: string | undefined): [where: string, values: string[]] {
  return organisation === undefined ? ["1 = 1", []] : ["organisation = ?", [organisation]];
}

function toJob({ worker: _worker, host: _host, pid: _pid, beat_at: _beat, ...row }: JobRow): Job {
  return {
    ...row,
    definition: JSON.parse(row.definition) as unknown,
    report: { ...EMPTY, ...(JSON.parse(row.report) as object) },
  };
}

/** Whether a job's process is there, as far as this one can tell. */
function isAlive({ worker, host, pid, beat_at: beatAt }: JobRow, own: Worker): boolean {
  if (Date.now() - beatAt > LOST_AFTER_MS) return false;
  // Processes of other machines and containers are known by their beat alone.
  if (worker === own.id || host !== own.host) return true;
  // This process has the number of the one that is gone.
  return pid !== own.pid && isProcessThere(pid);
}
