import type { TurnView } from "#contract/present.ts";
import type { Question } from "#contract/question.ts";

import { cleanText, cutText, oneLine } from "../../chat/text.ts";
import type { DiscordButton } from "./buttons.ts";
import { bold, flowLine, linked, pack, plainFlow, small, words } from "./lines.ts";
import type { Laid } from "./pages.ts";
import { merge, rowLaid, textOf } from "./pages.ts";

const SHOWN = 3;
const LONGEST = 600;

/** What servers ask in the turn's calls and nobody has answered yet. */
export function openQuestions({ questions = [] }: Pick<TurnView, "questions">): Question[] {
  return questions.filter(({ state }) => state === "open").slice(0, SHOWN);
}

/** A question with what can be done about it; only whoever began the turn may. */
export function questionParts(question: Question): Laid[] {
  const { server, message, id: value } = question;
  const flow = [
    flowLine(bold(`${oneLine(cleanText(server))} asks:`)),
    ...plainFlow(cutText(cleanText(message), LONGEST)),
    ...(question.kind === "link"
      ? [
          small(words(`It wants you to open a page at ${question.domain}. Go there only if you trust it.`)),
          flowLine(linked(question.url, question.url)),
        ]
      : []),
  ];
  const buttons: DiscordButton[] = [
    question.kind === "form"
      ? { action: "answer", label: "Answer", value, style: "primary" }
      : { action: "answer_done", label: "I have opened it", value, style: "primary" },
    { action: "answer_decline", label: "Decline", value },
  ];
  return [...pack(flow).map(textOf).reduce<Laid[]>(merge, []), rowLaid(buttons)];
}
