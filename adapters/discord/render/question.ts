import type { TurnView } from "#contract/present.ts";
import type { Question } from "#contract/question.ts";
import { formNote, whoAsks } from "#src/base/question-words.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";

import type { LinkQuestion } from "../../chat/questions.ts";
import { cleanText } from "../../chat/text.ts";
import { readId } from "../ids.ts";
import { bold, linked, plainFlow, small, words } from "../../chat/line.ts";
import type { Line } from "../../document/tree.ts";
import type { DiscordButton } from "./buttons.ts";
import { inRows, type MeasuredComponent, measuredTexts } from "./card.ts";
import { Draft, type RenderedMessage } from "./message.ts";

const SHOWN = 3;
const LONGEST = 600;

/** What servers ask in the turn's calls and nobody has answered yet. */
export function openQuestions({ questions = [] }: Pick<TurnView, "questions">): Question[] {
  return questions.filter(({ state }) => state === "open").slice(0, SHOWN);
}

/** A question with what can be done about it; only whoever began the turn may. */
export function questionParts(question: Question, say: Words): MeasuredComponent[] {
  return question.kind === "link" ? waitsFor(question, say) : formParts(question, say);
}

function formParts(question: Extract<Question, { kind: "form" }>, say: Words): MeasuredComponent[] {
  const { id: value } = question;
  const message = question.topic === undefined ? question.message : recordedText(question.message, say);
  const who = cleanText(whoAsks(question, say));
  const flow = [
    ...(who === "" ? [] : [bold(`${who}:`)]),
    ...plainFlow(cutText(cleanText(message), LONGEST)),
    small(words(cleanText(formNote(question, { say })))),
  ];
  const buttons: DiscordButton[] = [
    { action: "answer", label: say.buttons.answer, value, style: "primary" },
    { action: "answer_decline", label: say.buttons.decline, value },
  ];
  return [...measuredTexts(flow), ...inRows(buttons)];
}

/** Everybody sees for whom it waits; where the page is and what the server says of it is for them alone. */
function waitsFor({ server, actor, id: value }: LinkQuestion, say: Words): MeasuredComponent[] {
  const id = readId(actor)?.local;
  // Nobody is called by it: no mention of these messages may.
  const whom: Line = id === undefined ? words(oneLine(actor)) : [{ type: "mention", of: "user", id }];
  const what = words(say.questions.toOpen(oneLine(cleanText(server))));
  return [
    ...measuredTexts([[...words(say.questions.waitingFor), ...whom, ...what]]),
    ...inRows([{ action: "answer_show", label: say.questions.showPage, value, style: "primary" }]),
  ];
}

/** The page itself, for the person whose turn it is. */
export function renderLinkQuestion(
  { server, message, url, domain, id: value }: LinkQuestion,
  say: Words,
): RenderedMessage {
  const text = cutText(cleanText(recordedText(message, say)), LONGEST);
  const said = say.questions.asks(oneLine(cleanText(server)), text);
  return renderLink({ words: said, url, domain, say }, [
    { action: "answer_done", label: say.buttons.opened, value, style: "primary" },
    { action: "answer_decline", label: say.buttons.decline, value },
  ]);
}

const LONGEST_WORDS = 1_000;

/** A page that one person is to open, with its domain before they do; for them alone. */
export function renderLink(
  { words: said, url, domain, say }: { words: string; url: string; domain: string; say: Words },
  buttons: readonly DiscordButton[] = [],
): RenderedMessage {
  const flow = [
    ...plainFlow(cutText(cleanText(said), LONGEST_WORDS)),
    // Discord takes no address of more than 512 characters in a button.
    linked(say.buttons.openPage(domain), url),
    small(words(say.questions.opensPage(domain))),
  ];
  const draft = new Draft();
  draft.add(measuredTexts(flow));
  return draft.done(inRows(buttons), []);
}
