import type { Approval } from "#contract/approval.ts";
import type { Card, HeaderElement } from "#contract/card.ts";
import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

import { withoutDetails } from "./windows.ts";

/** What a message shows of requests and results, each change once. */
export interface Receipts {
  /** The card of a request, with what was found when the change was read back. */
  cardOf: (approval: Approval) => Card;
  /** Whether the card of its request says all that this result does. */
  isTold: (index: number) => boolean;
  /** Whether it was only looked up for a request: a line names it, and a press shows it. */
  isAside: (index: number) => boolean;
}

/**
 * A result that only repeats the sentence and the changes of its request, or the reason for which that failed, is told
 * by the request's card.
 */
export function receiptsOf({ approvals, results }: TurnView, cards: Cards): Receipts {
  const drawn = new Map(
    approvals.map((approval) => [
      approval.id,
      { card: withoutDetails(cards.approval(approval)), state: approval.state },
    ]),
  );
  const told = new Set<number>();
  for (const [index, { card: result, ok, toolId, error }] of results.entries()) {
    const isFailure = ({ state, note, ...request }: Approval): boolean =>
      (state === "failed" || state === "unknown") && request.toolId === toolId && note === error?.message;
    if (!ok && error !== undefined && approvals.some(isFailure)) told.add(index);
    const request = [...drawn.values()].find(
      ({ card, state }) => state === "done" && ok && card.title === result.title && says(result, card),
    );
    const badges = headerOf(result)?.badges;
    if (request === undefined) continue;
    told.add(index);
    if (badges !== undefined) request.card = withBadges(request.card, badges);
  }
  return {
    cardOf: (approval) => drawn.get(approval.id)?.card ?? withoutDetails(cards.approval(approval)),
    isTold: (index) => told.has(index),
    isAside(index) {
      const result = results[index];
      if (result?.ok !== true || approvals.length === 0) return false;
      const isChange = result.card.elements.some(({ type }) => type === "changes");
      return !isChange && approvals.every(({ toolId }) => toolId !== result.toolId);
    },
  };
}

/** Nothing but a heading, changes that the request has as well, and what is folded. */
function says(result: Card, request: Card): boolean {
  const known = JSON.stringify(request.elements.filter(({ type }) => type === "changes"));
  const own = result.elements.filter(({ type }) => type === "changes");
  const isPlain = result.elements.every(
    (element) => element.type === "header" || element.type === "changes" || isFolded(element),
  );
  return isPlain && own.length > 0 && JSON.stringify(own) === known;
}

function isFolded(element: Card["elements"][number]): boolean {
  return element.type === "section" && element.folded === true;
}

function headerOf({ elements }: Card): HeaderElement | undefined {
  return elements.find((element): element is HeaderElement => element.type === "header");
}

function withBadges(card: Card, badges: NonNullable<HeaderElement["badges"]>): Card {
  const elements = card.elements.map((element) =>
    element.type === "header" ? { ...element, badges: [...(element.badges ?? []), ...badges] } : element,
  );
  return { ...card, elements };
}

/** Of a turn that goes on: each result is shown as it comes. */
export const NOTHING_TOLD: Pick<Receipts, "isTold" | "isAside"> = {
  isTold: () => false,
  isAside: () => false,
};
