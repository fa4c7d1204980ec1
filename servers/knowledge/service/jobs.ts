import { ToolFailure } from "../../kit/tool.ts";
import type { Index } from "./index-store.ts";

/** A job whose process has not been heard of for so long is taken over, in milliseconds. */
const LOST_AFTER_MS = 300_000;

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
  pid: number;
  beat_at: number;
  report: string;
}

const COLUMNS = "id, organisation, source, definition, mode, state, pid, started_at, beat_at, report";

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
 * that stood. Throws `already_running` while another process works on it.
 */
export function beginJob(
  index: Index,
  { organisation, source, definition, mode }: Pick<Job, "organisation" | "source" | "definition" | "mode">,
): Job {
  return index.write(() => {
    const [last] = index.all<JobRow>(
      `SELECT ${COLUMNS} FROM jobs WHERE organisation = ? AND source = ? ORDER BY id DESC LIMIT 1`,
      organisation,
      source,
    );
    if (last?.state === "running") {
      if (isAlive(last)) {
        throw new ToolFailure(
          "already_running",
          `${source} is being indexed by the process ${last.pid} (job ${last.id}): wait until it is done`,
        );
      }
      if (last.mode === mode) {
        index.run("UPDATE jobs SET pid = ?, beat_at = ? WHERE id = ?", process.pid, Date.now(), last.id);
        return { ...toJob(last), definition, report: { ...toJob(last).report, done: 0 } };
      }
      index.run("UPDATE jobs SET state = 'cancelled' WHERE id = ?", last.id);
    }
    // A few are kept, for people who look.
    index.run(
      "DELETE FROM jobs WHERE organisation = ? AND source = ? AND id <= ?",
      organisation,
      source,
      (last?.id ?? 0) - 100,
    );
    index.run(
      `INSERT INTO jobs (organisation, source, definition, mode, state, pid, started_at, beat_at, report)
       VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?)`,
      organisation,
      source,
      JSON.stringify(definition),
      mode,
      process.pid,
      new Date().toISOString(),
      Date.now(),
      JSON.stringify(EMPTY),
    );
    const [row] = index.all<JobRow>(
      `SELECT ${COLUMNS} FROM jobs WHERE organisation = ? AND source = ? ORDER BY id DESC LIMIT 1`,
      organisation,
      source,
    );
    if (row === undefined) throw new TypeError("expected the job that was just written");
    return toJob(row);
  });
}

/** Records how far a job is; inside `write`. */
export function recordJob(index: Index, { id, state, report }: Job): void {
  index.run(
    "UPDATE jobs SET state = ?, report = ?, beat_at = ? WHERE id = ?",
    state,
    JSON.stringify(report),
    Date.now(),
    id,
  );
}

/** The newest jobs first, of one organisation where one is named. */
export function listJobs(index: Index, organisation?: string): Job[] {
  const rows = index.all<JobRow>(
    `SELECT ${COLUMNS} FROM jobs WHERE ?1 IS NULL OR organisation = ?1 ORDER BY id DESC LIMIT 100`,
    organisation ?? null,
  );
  return rows.map(toJob);
}

/** Jobs whose process ended before they did. */
export function lostJobs(index: Index): Job[] {
  const rows = index.all<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE state = 'running' ORDER BY id`);
  return rows.filter((row) => !isAlive(row)).map(toJob);
}

/** How much of what is being indexed is done, 0 to 99; undefined where nothing is. */
export function indexingPercent(index: Index, organisation?: string): number | undefined {
  const rows = index.all<JobRow>(
    `SELECT ${COLUMNS} FROM jobs WHERE state = 'running' AND (?1 IS NULL OR organisation = ?1)`,
    organisation ?? null,
  );
  const running = rows.filter(isAlive).map((row) => toJob(row).report);
  if (running.length === 0) return undefined;
  const parts = running.map(({ done, total }) => (total === undefined || total === 0 ? 0 : done / total));
  return Math.min(99, Math.floor((parts.reduce((sum, part) => sum + part, 0) / parts.length) * 100));
}

function toJob({ pid: _pid, beat_at: _beat, definition, report, ...row }: JobRow): Job {
  return {
    ...row,
    definition: JSON.parse(definition) as unknown,
    report: { ...EMPTY, ...(JSON.parse(report) as object) },
  };
}

function isAlive({ pid, beat_at: beatAt }: JobRow): boolean {
  if (Date.now() - beatAt > LOST_AFTER_MS) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
