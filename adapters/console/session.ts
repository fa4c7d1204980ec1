import type { ActorId } from "#contract/actor.ts";
import type { Card } from "#contract/card.ts";
import type { AccountActions } from "#contract/connections.ts";
import type { MeActions } from "#contract/people.ts";
import type { Cards, Core } from "#contract/core.ts";
import type { Forms } from "#contract/form.ts";
import type { Choice, NextStep } from "#contract/plan.ts";
import type { TurnResult } from "#contract/turn.ts";
import { plainLine } from "#src/base/text.ts";

import type { Results } from "./answer.ts";
import type { Keyboard } from "./keyboard.ts";
import { renderCardTerminal } from "./render/terminal.ts";
import type { Screen } from "./screen.ts";

/** What the parts of the chat share. */
export interface Session {
  readonly core: Core;
  readonly cards: Cards;
  readonly forms: Forms;
  readonly accounts: AccountActions;
  readonly me: MeActions;
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  readonly results: Results;
  readonly actor: ActorId;
  /** Its channel as well. */
  readonly conversationId: string;
  /** Aborted when the program ends. */
  readonly signal: AbortSignal;
  /** How far each turn has been followed, and what it had brought by then. */
  readonly followed: Map<string, { seq: number; result?: TurnResult }>;
  /** Requests that this person has put off: only `/approvals` asks about them again. */
  readonly putOff: Set<string>;
  /** Requests whose card this chat has shown. */
  readonly shown: Set<string>;
  /** What was said where a decision was asked for: the next message. */
  said?: string | undefined;
  /** The turn whose answer was shown last. */
  answered?: string | undefined;
  /** The requests that were listed last, by whose place `/approve 2` names one. */
  listed?: readonly string[] | undefined;
  /** What the last turn offered, to be taken by its number until something else is said. */
  offered?: { turnId: string; choices: readonly (Choice | NextStep)[] } | undefined;
}

/** `actions`: whether the commands that do what its buttons do stand below it. */
export function printCardWhole({ screen }: Session, card: Card, options: { actions?: boolean } = {}): void {
  screen.print(renderCardTerminal(card, { width: screen.columns, color: screen.ink.color, ...options }));
}

/** Prints a card of the chat itself, such as the answer to `/help`. */
export function printStatus(session: Session, title: string, elements: Card["elements"]): void {
  printCardWhole(session, { kind: "status", title, elements });
}

export function printNote({ screen }: Session, text: string): void {
  screen.say(screen.ink.paint("gray", text));
}

export function printDone({ screen }: Session, text: string): void {
  screen.say(text, `${screen.ink.paint("green", "✔")} `);
}

/** Prints a page that the person may open themselves, its domain first. */
export function printLink({ screen }: Session, { domain, url }: { domain: string; url: string }): void {
  screen.say(`Domain: ${screen.ink.paint("bold", plainLine(domain))}`, "  ");
  screen.print(`  ${plainLine(url)}`);
}
