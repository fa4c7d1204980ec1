import type { Outcome } from "./run.ts";
import { type Part, PARTS } from "./cases.ts";

export interface Score {
  part: Part | "all";
  cases: number;
  /** Shares from 0 to 1. */
  tools: number;
  args: number;
  /** Of the decisions of a model; 1 where none was asked. */
  valid: number;
  repairs: number;
  /** Cases that were refused. */
  refused: number;
  tokens: number;
  seconds: number;
}

export function toScores(outcomes: readonly Outcome[]): Score[] {
  const parts = PARTS.filter((part) => outcomes.some((one) => one.case.part === part));
  return [
    ...parts.map((part) =>
      score(
        part,
        outcomes.filter((one) => one.case.part === part),
      ),
    ),
    score("all", outcomes),
  ];
}

function score(part: Score["part"], outcomes: readonly Outcome[]): Score {
  const sum = (of: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const cases = outcomes.length;
  const decisions = sum((one) => one.decisions);
  return {
    part,
    cases,
    tools: sum((one) => Number(one.tools)) / cases,
    args: sum((one) => Number(one.args)) / cases,
    valid: decisions === 0 ? 1 : sum((one) => one.valid) / decisions,
    repairs: sum((one) => one.repairs),
    refused: sum((one) => Number(one.got === "refuses")),
    tokens: sum((one) => one.tokens),
    seconds: sum((one) => one.seconds),
  };
}

export function toTable(scores: readonly Score[]): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const rows = scores.map((one) => [
    one.part,
    String(one.cases),
    percent(one.tools),
    percent(one.args),
    percent(one.valid),
    String(one.repairs),
    String(one.refused),
    String(one.tokens),
    one.seconds.toFixed(1),
  ]);
  const head = ["part", "cases", "tools", "exact args", "valid", "repairs", "refused", "tokens", "seconds"];
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
