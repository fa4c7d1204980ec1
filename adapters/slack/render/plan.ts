import type { PlanBlock, TaskCardBlock } from "@slack/types";

import type { TurnView } from "#contract/present.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { cleanText } from "../../chat/text.ts";
import { progressText } from "../../chat/turn-text.ts";

/** Earlier ones are counted in the title alone. */
const MOST_STEPS = 8;
const TITLE = 150;

/**
 * The steps of a turn that is under way, each with how it went; undefined while there is only one, of which
 * a line says enough.
 */
export function planOf(view: TurnView): PlanBlock | undefined {
  const { results, phase, turnId } = view;
  const { turn: say } = wordsOf(view.language);
  if (view.isSettled || results.length === 0) return undefined;
  const done = results.map(({ ok, card }, index): TaskCardBlock =>
    step(`${turnId}-${index}`, card.title || say.oneStep, ok ? "complete" : "error"),
  );
  const now = progressText(view) ?? say.phases[phase];
  return {
    type: "plan",
    title: say.step(say.phases[phase], results.length + 1),
    tasks: [...done.slice(-MOST_STEPS), step(`${turnId}-now`, now, "in_progress")],
  };
}

function step(id: string, said: string, status: TaskCardBlock["status"]): TaskCardBlock {
  const title = cutText(oneLine(cleanText(said)), TITLE) || "…";
  return { type: "task_card", task_id: id, title, status };
}
