import { writeFile } from "node:fs/promises";

import { shownCall, type Verdict } from "./judge.ts";
import type { Played } from "./play.ts";

interface Score extends Record<Verdict, number> {
  cases: number;
}

/** Prints how each class did, and all of them. */
export function printScores(name: string, played: readonly Played[]): void {
  const classes = Map.groupBy(played, (one) => one.case.class);
  const rows: [string, Score][] = [...classes]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([label, some]) => [label, scoreOf(some)]);
  const lines = [
    [name, "cases", "useful", "useless", "harmful", "useful %"],
    ...[...rows, ["all", scoreOf(played)] as const].map(([label, score]) => [
      label,
      ...[score.cases, score.useful, score.useless, score.harmful].map(String),
      ((100 * score.useful) / Math.max(1, score.cases)).toFixed(1),
    ]),
  ];
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0))) ?? [];
  for (const line of lines) {
    const cells = line.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    console.log(cells.join("  "));
  }
  const offered = played.filter((one) => one.offered !== undefined);
  const meant = offered.filter((one) => one.offered === "useful");
  if (offered.length > 0)
    console.log(
      `of the useless, ${meant.length} offer what was meant as a button, ${offered.length - meant.length} something else`,
    );
  console.log();
}

/** Prints what was said and what came, of each that is not useful. */
export function printWrong(played: readonly Played[]): void {
  for (const one of played) {
    if (one.verdict === "useful") continue;
    console.log(`${one.verdict} ${one.case.id} (${one.case.class}, as ${one.case.as})`);
    for (const [at, turn] of one.case.turns.entries()) {
      const outcome = one.outcomes[at];
      const made = [...(outcome?.results ?? []), ...(outcome?.proposals ?? [])].map(shownCall).join(", ");
      console.log(`  > ${turn}\n    ${made === "" ? "" : `${made}; `}${firstLine(outcome?.reply ?? "")}`);
    }
    console.log(`  ${one.why}\n`);
  }
}

/** Writes the scores and every case with what came of it as JSON. */
export async function writeScores(
  file: string,
  parts: ReadonlyMap<string, readonly Played[]>,
): Promise<void> {
  const report = [...parts].map(([name, played]) => ({
    name,
    ...scoreOf(played),
    classes: Object.fromEntries(
      [...Map.groupBy(played, (one) => one.case.class)].map(([label, some]) => [label, scoreOf(some)]),
    ),
    played: played.map(({ case: one, verdict, why, offered, outcomes }) => ({
      id: one.id,
      class: one.class,
      verdict,
      offered,
      why,
      turns: one.turns.map((said, at) => ({
        said,
        reply: outcomes[at]?.reply,
        calls: outcomes[at]?.results.map(shownCall),
        proposals: outcomes[at]?.proposals.map(shownCall),
        question: outcomes[at]?.question,
        offers: outcomes[at]?.offers.map(({ title }) => title),
      })),
    })),
  }));
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
}

export function scoreOf(played: readonly Played[]): Score {
  const count = (verdict: Verdict): number => played.filter((one) => one.verdict === verdict).length;
  return {
    cases: played.length,
    useful: count("useful"),
    useless: count("useless"),
    harmful: count("harmful"),
  };
}

function firstLine(text: string): string {
  return text
    .replace(/\n+_Planned by.*$/s, "")
    .replaceAll(/\s+/g, " ")
    .slice(0, 300);
}
