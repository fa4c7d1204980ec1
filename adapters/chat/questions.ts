import type { TurnView } from "#contract/present.ts";
import type { Question } from "#contract/question.ts";
import { en } from "#src/base/words/en.ts";

import type { ChatState } from "./parts.ts";

/** A page that a server wants opened, by the person whose turn it is and by nobody else. */
export type LinkQuestion = Extract<Question, { kind: "link" }>;

/** Longer than any question waits. */
const KEPT_MS = 24 * 3_600_000;

/** Pages that wait for their person. */
export function openLinks({ questions = [] }: Pick<TurnView, "questions">): LinkQuestion[] {
  return questions.filter(
    (question): question is LinkQuestion => question.kind === "link" && question.state === "open",
  );
}

/**
 * Shows each page that a turn waits for to its person, once, also over a restart: `show` resolves to whether
 * the platform took it. Never rejects: a button of the message shows them as well.
 */
export async function showLinksOnce(
  view: Pick<TurnView, "questions">,
  told: ChatState<boolean>,
  show: (question: LinkQuestion) => Promise<boolean>,
): Promise<void> {
  for (const question of openLinks(view)) {
    try {
      if ((await told.get(question.id)) === true) continue;
      if (await show(question)) await told.set(question.id, true, KEPT_MS);
    } catch {
      return;
    }
  }
}

/** Why a page is not shown to who presses its button; undefined where it is. */
export function whyNotShown(question: Question | undefined, actor: string): string | undefined {
  if (question?.state !== "open") return en.recorded.questionClosed();
  return question.actor === actor ? undefined : en.recorded.notYours();
}
