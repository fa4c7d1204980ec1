import type { Card } from "#contract/card.ts";
import type { Core } from "#contract/core.ts";
import type { JsonValue } from "#contract/json.ts";
import type { Choice, NextStep } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import type { ToolCallResult, TurnResult } from "#contract/turn.ts";
import { isCursor } from "#src/base/paging.ts";
import { plainLine, plural } from "#src/base/text.ts";
import { durationText } from "#src/base/time.ts";
import { partsOf } from "#src/base/tool-names.ts";
import { toolTitle, toolWords } from "#src/base/tool-words.ts";

import { ownReply } from "../document/reply.ts";
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
  const reply = ownReply(result, result.toolResults);
  if (reply !== "") {
    // A question stands out; everything else is plain running text.
    const kind = result.question === undefined ? "answer" : "question";
    const card: Card = { kind, title: reply, elements: [{ type: "text", text: reply, format: "markdown" }] };
    screen.print(renderCardTerminal(card, { width: screen.columns, color: ink.color }));
  }
  // What was only looked up for a request is named above it.
  const isAside = result.pendingConfirmation !== undefined;
  for (const call of result.toolResults.slice(repeated(result.toolResults, earlier))) {
    screen.print();
    const isLookedUp = isAside && call.ok && results.onlyReads(call.toolId);
    printCall(screen, results, call, { isAside: call.isAside === true || isLookedUp });
  }
  printOffers(screen, result);
  screen.print();
  screen.say(ink.paint("gray", footer(result)));
}

/** What may have been meant, and what can be done next, in the order of their numbers. */
export function offersOf({ choices = [], next = [] }: TurnResult): readonly (Choice | NextStep)[] {
  return [...choices, ...next].slice(0, MOST_OFFERS);
}

/** Each is typed as one digit. */
const MOST_OFFERS = 9;

/** Without a terminal nobody fills a form in; the reply names what there is. */
function printOffers(screen: Screen, result: TurnResult): void {
  const offers = offersOf(result);
  if (offers.length === 0 || !screen.interactive) return;
  const { ink } = screen;
  screen.print();
  for (const [at, { title }] of offers.entries())
    screen.say(plainLine(title), `  ${ink.paint("bold", String(at + 1))}  `);
  const isMeant = result.choices !== undefined;
  screen.say(
    ink.paint("gray", isMeant ? "Type a number to fill it in, or try rephrasing." : "Type a number."),
  );
}

/** Prints a card under its number, shortened; `/show N` opens all of it. */
export function printCard(
  screen: Screen,
  shown: ShownResult,
  { note = "", ...options }: { note?: string; foldedLines?: number; actions?: boolean },
): void {
  const { columns: width, ink } = screen;
  const more = `/show ${shown.number}`;
  screen.print(rule(screen, ` ${shown.number} · ${shown.label}`, note));
  screen.print(renderCardTerminal(shown.card, { width, color: ink.color, more, ...options }));
}

export function printCall(
  screen: Screen,
  results: Results,
  call: ToolCallResult,
  { isAside = false }: { isAside?: boolean } = {},
): void {
  const { toolId, card, data } = call;
  const shown = results.add(results.titleOf(toolId), card, data, `${plainLine(toolId)}${args(call.args)}`);
  const note = durationText(call.durationMs);
  if (!isAside) return printCard(screen, shown, { note });
  screen.print(rule(screen, ` ${shown.number} · ${shown.label}`, note));
  screen.say(screen.ink.paint("gray", `${plainLine(card.title)} · /show ${shown.number} shows it`));
}

/** `── 3 · Get a Jira issue ───────── 0.04 s ──`, as wide as the terminal. */
function rule(screen: Screen, label: string, note: string): string {
  const width = screen.columns;
  const right = note === "" ? "──" : ` ${note} ──`;
  const shown = cut(label, Math.max(8, width - right.length - 6));
  const line = "─".repeat(Math.max(1, width - 3 - columnsOf(shown) - right.length));
  const { ink } = screen;
  return `${ink.paint("gray", "──")}${ink.paint("cyan", shown)} ${ink.paint("gray", line + right)}`;
}

/** How many calls an earlier result of the same turn has shown already: the common beginning. */
function repeated(calls: ToolCallResult[], earlier: ToolCallResult[]): number {
  const keyOf = ({ toolId, durationMs, args }: ToolCallResult): string =>
    JSON.stringify([toolId, durationMs, args]);
  const shown = earlier.map(keyOf);
  const differing = calls.findIndex((call, index) => shown[index] !== keyOf(call));
  return differing === -1 ? calls.length : differing;
}

function args(values: Record<string, JsonValue>): string {
  return Object.entries(values)
    .filter(([name]) => !isCursor(name))
    .map(([name, value]) => ` ${plainLine(name)}=${plainLine(JSON.stringify(value))}`)
    .join("");
}

const PLANNED: Readonly<Record<string, string>> = {
  command: "run as a command",
  builtin: "planned without a model",
};

function footer({ timings, toolResults, planner }: TurnResult): string {
  const calls = toolResults.length;
  return [
    PLANNED[planner] ?? `planned by ${planner}`,
    ...(calls === 0 ? [] : [`${plural(calls, "call")} ${durationText(timings.toolsMs)}`]),
    ...(timings.queuedMs >= 500 ? [`waited ${durationText(timings.queuedMs)}`] : []),
    `total ${durationText(timings.totalMs)}`,
  ].join(" · ");
}

/** Something that was shown, under the number that `/show` and `/json` name it by. */
export interface ShownResult {
  number: number;
  label: string;
  /** The tool and its arguments, where it came from a call. */
  call?: string | undefined;
  card: Card;
  data: JsonValue;
}

/** How many results stay open to `/show`; the oldest go first. */
const KEPT = 200;

export class Results {
  /** What people call a tool, by its id. */
  readonly titleOf: (toolId: string) => string;
  /** Whether a tool says that it changes nothing. */
  readonly onlyReads: (toolId: string) => boolean;
  readonly #shown: ShownResult[] = [];
  #last = 0;

  constructor(core: Pick<Core, "tools">) {
    const find = (toolId: string): Tool | undefined =>
      core.tools().find((listing) => listing.tool.id === toolId)?.tool;
    this.onlyReads = (toolId) => find(toolId)?.annotations.readOnlyHint === true;
    this.titleOf = (toolId) => {
      const tool = find(toolId);
      return plainLine(tool === undefined ? toolWords(partsOf(toolId).name) : toolTitle(tool));
    };
  }

  add(label: string, card: Card, data: JsonValue, call?: string): ShownResult {
    this.#last += 1;
    const shown = { number: this.#last, label, card, data, call };
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
