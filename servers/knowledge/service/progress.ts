import type { Job } from "./jobs.ts";

const WIDTH = 24;

/** How far a job is, as a line with a bar; `started` by performance.now(). */
export function progressText({ source, report }: Job, started: number): string {
  const { done, total = 0, phase } = report;
  const part = total === 0 ? 0 : Math.min(1, done / total);
  const bar = "#".repeat(Math.round(part * WIDTH)).padEnd(WIDTH, ".");
  const left = part === 0 ? 0 : Math.round(((performance.now() - started) / 1000 / part) * (1 - part));
  return `${source} [${bar}] ${Math.floor(part * 100)} %, ${phase} ${done} of ${total}, ${left} s left`;
}

/** What a job did, in words. */
export function reportText({ source, organisation, state, report }: Job): string {
  const { changed, unchanged, removed, chunks, secrets, skipped, failures, done, total } = report;
  const parts = [
    state === "running" ? `${done} of ${total ?? "?"} looked at` : "",
    `${changed} indexed in ${chunks} pieces`,
    `${unchanged} unchanged`,
    removed === 0 ? "" : `${removed} removed`,
    ...Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`),
    secrets === 0 ? "" : `${secrets} secrets left out`,
  ];
  return [
    `${source} (${organisation}): ${parts.filter((part) => part !== "").join(", ")}`,
    ...failures.map((failure) => `  ${failure}`),
  ].join("\n");
}
