import type { TurnView } from "#contract/present.ts";
import type { Question } from "#contract/question.ts";
import { secretWarning } from "#src/base/secret-words.ts";

import type { LinkQuestion } from "../../chat/links.ts";
import { cleanText, cutText, oneLine } from "../../chat/text.ts";
import { readId } from "../ids.ts";
import type { DiscordButton } from "./buttons.ts";
import { renderLink } from "./link.ts";
import { bold, flowLine, pack, plainFlow, small, words } from "./lines.ts";
import type { RenderedMessage } from "./message.ts";
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
  return question.kind === "link" ? waitsFor(question) : formParts(question);
}

function formParts({ server, message, id: value }: Question): Laid[] {
  const flow = [
    flowLine(bold(`${oneLine(cleanText(server))} asks:`)),
    ...plainFlow(cutText(cleanText(message), LONGEST)),
    small(words(secretWarning(oneLine(cleanText(server))))),
  ];
  const buttons: DiscordButton[] = [
    { action: "answer", label: "Answer", value, style: "primary" },
    { action: "answer_decline", label: "Decline", value },
  ];
  return [...pack(flow).map(textOf).reduce<Laid[]>(merge, []), rowLaid(buttons)];
}

/** Everybody sees for whom it waits; where the page is and what the server says of it is for them alone. */
function waitsFor({ server, actor, id: value }: LinkQuestion): Laid[] {
  const user = readId(actor)?.local;
  const plainly = (text: string): string => pack([flowLine(words(oneLine(cleanText(text))))]).join("");
  // Nobody is called by it: no mention of these messages may.
  const whom = user === undefined ? plainly(actor) : `<@${user}>`;
  return [
    textOf(`Waiting for ${whom} to open a page for ${plainly(`${server}.`)}`),
    rowLaid([{ action: "answer_show", label: "Show me the page", value, style: "primary" }]),
  ];
}

/** The page itself, for the person whose turn it is. */
export function renderLinkQuestion({
  server,
  message,
  url,
  domain,
  id: value,
}: LinkQuestion): RenderedMessage {
  const said = `${oneLine(cleanText(server))} asks: ${cutText(cleanText(message), LONGEST)}`;
  return renderLink({ words: said, url, domain }, [
    { action: "answer_done", label: "I have opened it", value, style: "primary" },
    { action: "answer_decline", label: "Decline", value },
  ]);
}
