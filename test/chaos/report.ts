import { availableParallelism } from "node:os";

import { failPoints } from "./fail-points.ts";
import type { StoreName } from "./world.ts";

/** What an episode did and what it found wrong. */
export interface EpisodeReport {
  seed: number;
  /** By fail point, and `delay` for those killed from outside at a random time. */
  kills: Record<string, number>;
  acknowledged: number;
  clicks: number;
  stops: number;
  /** Approvals by their last state. */
  approvals: Record<string, number>;
  effects: number;
  auditEntries: number;
  /** The longest time until everything was at rest after the last kill. */
  settleMs: number;
  violations: string[];
}

export function emptyReport(seed: number): EpisodeReport {
  return {
    seed,
    kills: {},
    acknowledged: 0,
    clicks: 0,
    stops: 0,
    approvals: {},
    effects: 0,
    auditEntries: 0,
    settleMs: 0,
    violations: [],
  };
}

/** Adds up the episodes of a store. */
export function sumReports(seed: number, reports: EpisodeReport[]): EpisodeReport {
  const total = emptyReport(seed);
  for (const one of reports) {
    addTo(total.kills, one.kills);
    addTo(total.approvals, one.approvals);
    total.acknowledged += one.acknowledged;
    total.clicks += one.clicks;
    total.stops += one.stops;
    total.effects += one.effects;
    total.auditEntries += one.auditEntries;
    total.settleMs = Math.max(total.settleMs, one.settleMs);
    total.violations.push(...one.violations);
  }
  return total;
}

export function countKills(report: EpisodeReport): number {
  return Object.values(report.kills).reduce((sum, count) => sum + count, 0);
}

/** The table of a run, one column a store, and the whole as one line of JSON. */
export function printReport(totals: Map<StoreName, EpisodeReport>, seconds: number): void {
  const stores = [...totals.keys()];
  const rows: [string, (report: EpisodeReport) => number][] = [
    ["kills", countKills],
    ...[...failPoints, "delay"].map((name): [string, (report: EpisodeReport) => number] => [
      `  ${name}`,
      (report) => report.kills[name] ?? 0,
    ]),
    ["messages acknowledged", (report) => report.acknowledged],
    ["clicks answered", (report) => report.clicks],
    ["stops acknowledged", (report) => report.stops],
    ["changes that happened", (report) => report.effects],
    ...approvalStates(totals).map((state): [string, (report: EpisodeReport) => number] => [
      `requests ${state}`,
      (report) => report.approvals[state] ?? 0,
    ]),
    ["audit entries verified", (report) => report.auditEntries],
    ["longest settling, ms", (report) => report.settleMs],
    ["violations", (report) => report.violations.length],
  ];
  const cells = (values: (string | number)[]): string =>
    values.map((value) => String(value).padStart(12)).join("");
  console.log(`${"".padEnd(26)}${cells(stores)}`);
  for (const [label, value] of rows) {
    console.log(`${label.padEnd(26)}${cells([...totals.values()].map(value))}`);
  }
  const machine = { cores: availableParallelism(), node: process.version };
  console.log(JSON.stringify({ name: "chaos", ...machine, seconds, stores: Object.fromEntries(totals) }));
}

function approvalStates(totals: Map<StoreName, EpisodeReport>): string[] {
  return [...new Set([...totals.values()].flatMap((report) => Object.keys(report.approvals)))].toSorted();
}

function addTo(sum: Record<string, number>, more: Record<string, number>): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
}
