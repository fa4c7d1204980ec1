import { availableParallelism, cpus, totalmem } from "node:os";

/** One line of a result: what was measured, and its figures with their units in their names. */
export interface Row {
  what: string;
  figures: Record<string, number | string>;
}

/** Prints a bench as a table, and as one line of JSON for whoever compares runs. */
export function printBench(name: string, rows: Row[]): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row.figures)))];
  const lines = [
    [name, ...columns],
    ...rows.map((row) => [row.what, ...columns.map((column) => shown(row.figures[column]))]),
  ];
  const widths = [name, ...columns].map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join("  "),
    );
  }
  console.log(JSON.stringify({ bench: name, ...machine(), rows }));
}

export function machine(): Record<string, number | string> {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? "unknown",
    memory_gb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

/** The value below which the share of all values lies; `share` from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** What a number of timed operations came to. `ms` are their own times, `totalMs` the time of all. */
export function toFigures(ms: readonly number[], totalMs: number): Row["figures"] {
  return {
    count: ms.length,
    "per s": Math.round((ms.length / totalMs) * 1_000),
    "p50 ms": round(percentile(ms, 0.5)),
    "p99 ms": round(percentile(ms, 0.99)),
  };
}

/** Runs all with so many at once, and times each. */
export async function timeAll<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<Row["figures"]> {
  const ms: number[] = [];
  const left = [...items].toReversed();
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) {
        const at = performance.now();
        await work(item);
        ms.push(performance.now() - at);
      }
    }),
  );
  return toFigures(ms, performance.now() - begun);
}

/** Seconds with two decimals. */
export function toSeconds(ms: number): number {
  return Math.round(ms / 10) / 100;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function shown(value: number | string | undefined): string {
  return value === undefined ? "" : typeof value === "number" ? value.toLocaleString("en-US") : value;
}
