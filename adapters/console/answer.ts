import type { Card } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import type { ToolCallResult, TurnResult } from "#contract/turn.ts";
import { plainLine } from "#src/base/text.ts";

import { columnsOf, cut } from "./render/layout.ts";
import { renderCardTerminal } from "./render/terminal.ts";
import type { Screen } from "./screen.ts";

/** Prints what a turn brought: the reply, a card for each new call, and how it came about. */
export function printAnswer(
  screen: Screen,
  results: Results,
  result: TurnResult,
  earlier: ToolCallResult[],
): void {
  const { ink } = screen;
  const reply = result.reply.trim();
  if (reply !== "") {
    const text = { type: "text", text: reply, format: "markdown" } as const;
    // A question stands out; everything else is plain running text.
    const kind = result.question === undefined ? "answer" : "question";
    screen.print(
      renderCardTerminal(
        { kind, title: reply, elements: [text] },
        { width: screen.columns, color: ink.color },
      ),
    );
  }
  for (const call of result.toolResults.slice(repeated(result.toolResults, earlier))) {
    screen.print();
    printCall(screen, results, call);
  }
  screen.print();
  screen.print(ink.paint("gray", footer(result)));
}

/** Prints a card under its number, shortened; `/show N` opens all of it. */
export function printCard(
  screen: Screen,
  shown: ShownResult,
  options: { note?: string; foldedLines?: number; actions?: boolean } = {},
): void {
  const { note = "", ...rest } = options;
  const width = screen.columns;
  screen.print(rule(screen, ` ${shown.number} · ${shown.label} `, note));
  screen.print(
    renderCardTerminal(shown.card, {
      width,
      color: screen.ink.color,
      more: `/show ${shown.number}`,
      ...rest,
    }),
  );
}

export function printCall(screen: Screen, results: Results, call: ToolCallResult): void {
  const shown = results.add(`${plainLine(call.toolId)}${args(call.args)}`, call.card, call.data);
  printCard(screen, shown, { note: seconds(call.durationMs) });
}

/** `── 3 · jira.get_jira_issue ───────── 0.04 s ──`, as wide as the terminal. */
function rule(screen: Screen, label: string, note: string): string {
  const width = screen.columns;
  const right = note === "" ? "──" : ` ${note} ──`;
  const shown = cut(label.trimEnd(), Math.max(8, width - right.length - 6));
  const line = "─".repeat(Math.max(1, width - 3 - columnsOf(shown) - right.length));
  const { ink } = screen;
  return `${ink.paint("gray", "──")}${ink.paint("cyan", shown)} ${ink.paint("gray", line + right)}`;
}

/** Calls that an earlier result of the same turn has shown already: the common beginning. */
function repeated(calls: ToolCallResult[], earlier: ToolCallResult[]): number {
  const same = (one: ToolCallResult | undefined, other: ToolCallResult | undefined): boolean =>
    one?.toolId === other?.toolId &&
    one?.durationMs === other?.durationMs &&
    JSON.stringify(one?.args) === JSON.stringify(other?.args);
  const differing = calls.findIndex(
    (call, index) => earlier[index] === undefined || !same(call, earlier[index]),
  );
  return differing === -1 ? calls.length : differing;
}

function args(values: Record<string, JsonValue>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${plainLine(name)}=${plainLine(JSON.stringify(value))}`)
    .join("");
}

function footer(result: TurnResult): string {
  const { timings } = result;
  const calls = result.toolResults.length;
  const parts = [
    result.planner === "command" ? "command" : `planned by ${result.planner}`,
    ...(calls === 0 ? [] : [`${calls === 1 ? "1 call" : `${calls} calls`} ${seconds(timings.toolsMs)}`]),
    ...(timings.queuedMs >= 500 ? [`waited ${seconds(timings.queuedMs)}`] : []),
    `total ${seconds(timings.totalMs)}`,
  ];
  return parts.join(" · ");
}

function seconds(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Something that was shown, under the number that `/show` and `/json` name it by. */
export interface ShownResult {
  number: number;
  label: string;
  card: Card;
  data: JsonValue;
}

/** How many results stay open to `/show`; the oldest go first. */
const KEPT = 200;

export class Results {
  readonly #shown: ShownResult[] = [];
  #last = 0;

  add(label: string, card: Card, data: JsonValue): ShownResult {
    this.#last += 1;
    const shown = { number: this.#last, label, card, data };
    this.#shown.push(shown);
    if (this.#shown.length > KEPT) this.#shown.shift();
    return shown;
  }

  /** By number; without one the newest. */
  find(number?: number): ShownResult | undefined {
    return number === undefined ? this.#shown.at(-1) : this.#shown.find((shown) => shown.number === number);
  }

  numbers(): number[] {
    return this.#shown.map((shown) => shown.number);
  }
}
