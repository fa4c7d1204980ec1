import type { NextStep } from "#contract/plan.ts";
import type { TurnView } from "#contract/present.ts";
import type { TurnRequest } from "#contract/turn.ts";
import { en } from "#src/base/words/en.ts";

import { type ButtonSpec, pageValue, readPageValue } from "./actions.ts";
import { keepsRowsBack, type ShortOptions } from "./short.ts";

/** The same again twice is one wish: the next page is shown once in a conversation. */
export const SHOWN_ALREADY: string = en.recorded.shownAlready();

/** What can be done with what a turn brought; a list is read on once all that was read of it is shown. */
export function nextButtons(view: TurnView, shown: ShortOptions = {}): ButtonSpec[] {
  const { next = [], turnId } = view;
  const isShort = keepsRowsBack(view, shown);
  return next.flatMap(({ kind, title }, at): ButtonSpec[] =>
    kind === "more" && isShort ? [] : [{ action: "next", label: title, value: pageValue(turnId, at) }],
  );
}

/** The turn and the step that such a button names; undefined where it is offered no more. */
export async function nextOf(
  value: string,
  viewOf: (turnId: string) => Promise<TurnView | undefined>,
): Promise<{ view: TurnView; step: NextStep } | undefined> {
  const chosen = readPageValue(value);
  const view = chosen && (await viewOf(chosen.ref));
  const step = chosen && view?.next?.[chosen.page];
  return view && step && { view, step };
}

/** The turn that a step begins; `press` names the press, so that one that is delivered twice begins one turn. */
export function turnOfNext(
  { turnId, message }: Pick<TurnView, "turnId" | "message">,
  { kind, title, tool, args }: NextStep,
  press: string,
): Pick<TurnRequest, "message" | "call" | "undoes"> & { eventId: string } {
  if (kind === "undo") return { message: title, undoes: turnId, eventId: press };
  const call = { tool, args };
  if (kind === "value" || kind === "meant") return { message: title, call, eventId: press };
  if (kind === "more") return { message: title, call, eventId: `more:${turnId}:${tool}` };
  return { message, call, eventId: press };
}
