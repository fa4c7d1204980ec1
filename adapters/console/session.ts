import type { AccountActions } from "#contract/connections.ts";
import type { ActorId } from "#contract/actor.ts";
import type { Card } from "#contract/card.ts";
import type { Cards, Core } from "#contract/core.ts";
import type { Forms } from "#contract/form.ts";
import type { TurnResult } from "#contract/turn.ts";
import type { Keyboard } from "./keyboard.ts";
import { renderCardTerminal } from "./render/terminal.ts";
import type { Results } from "./answer.ts";
import type { Screen } from "./screen.ts";

/** What the parts of the chat share. */
export interface Session {
  readonly core: Core;
  readonly cards: Cards;
  readonly forms: Forms;
  readonly accounts: AccountActions;
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  readonly results: Results;
  readonly actor: ActorId;
  readonly conversationId: string;
  readonly channel: string;
  readonly version: string;
  /** Aborted when the program ends. */
  readonly signal: AbortSignal;
  /** How far each turn has been followed, and what it had brought by then. */
  readonly followed: Map<string, { seq: number; result?: TurnResult }>;
}

export function printCardWhole(session: Session, card: Card): void {
  const { screen } = session;
  screen.print(renderCardTerminal(card, { width: screen.columns, color: screen.ink.color }));
}

export function printNote(session: Session, text: string): void {
  session.screen.print(session.screen.ink.paint("gray", text));
}

/** A card of the chat itself, such as the answer to `/help`. */
export function noteCard(title: string, elements: Card["elements"]): Card {
  return { kind: "status", title, elements };
}
