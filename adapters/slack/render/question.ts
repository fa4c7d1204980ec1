import type { Button, KnownBlock } from "@slack/types";

import type { TurnView } from "#contract/present.ts";
import type { Question } from "#contract/question.ts";
import { formNote, questionText } from "#src/base/question-words.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import type { LinkQuestion } from "../../chat/questions.ts";
import { cleanText } from "../../chat/text.ts";
import { readId } from "../ids.ts";
import type { EphemeralContent } from "../send/ephemeral.ts";

import { words } from "../../chat/line.ts";
import type { Line } from "../../document/tree.ts";
import { LIMITS } from "./limits.ts";
import { contextBlocks, pack, plain } from "./rich.ts";
import { escapeText } from "./text.ts";

type FormQuestion = Extract<Question, { kind: "form" }>;

const SHOWN = 3;
export const LONGEST_MESSAGE = 1_000;

/** What servers ask in the turn's calls and nobody has answered yet, below the turn's message. */
export function questionBlocks({ questions = [], language }: TurnView): KnownBlock[] {
  const say = wordsOf(language);
  return questions
    .filter((question) => question.state === "open")
    .slice(0, SHOWN)
    .flatMap((question) => (question.kind === "link" ? waitsFor(question, say) : formBlocks(question, say)));
}

function formBlocks(question: FormQuestion, say: Words): KnownBlock[] {
  const said = cutText(cleanText(questionText(question, say)), LONGEST_MESSAGE);
  const head: KnownBlock = { type: "section", text: plain(said) };
  const answer = make("form", say.buttons.answer, question, { style: "primary" });
  const warning = plain(cleanText(formNote(question, { say })));
  return [
    head,
    { type: "context", elements: [warning] },
    { type: "actions", elements: [answer, make("decline", say.buttons.decline, question)] },
  ];
}

/** Everybody sees for whom it waits; where the page is and what the server says of it is for them alone. */
function waitsFor(question: LinkQuestion, say: Words): KnownBlock[] {
  const user = readId(question.actor)?.local ?? "";
  const whom: Line = /^[UW][A-Z0-9]+$/.test(user)
    ? [{ type: "mention", of: "user", id: user }]
    : words(oneLine(question.actor));
  const server = oneLine(cleanText(question.server));
  return [
    ...pack([[...words(say.questions.waitingFor), ...whom, ...words(say.questions.toOpen(server))]]),
    { type: "actions", elements: [make("show", say.questions.showPage, question)] },
  ];
}

/** The page itself, for the person whose turn it is. */
export function linkContent(question: LinkQuestion, say: Words): EphemeralContent {
  const message = cutText(cleanText(recordedText(question.message, say)), LONGEST_MESSAGE - 100);
  const said = say.questions.asks(question.server, message);
  const buttons = [
    make("opened", say.buttons.opened, question, { style: "primary" }),
    make("decline", say.buttons.decline, question),
  ];
  const { url, domain, id: value } = question;
  return { text: escapeText(said), blocks: linkBlocks({ words: said, url, domain, value, say, buttons }) };
}

function make(action: string, label: string, { id }: Question, more: Partial<Button> = {}): Button {
  return {
    type: "button",
    action_id: `csq:${action}`,
    text: plain(label, LIMITS.button.text),
    value: id,
    ...more,
  };
}

/** Slack takes no longer address in a button. */
const LONGEST_URL = 3_000;
const LONGEST_WORDS = 1_000;

export interface LinkParts {
  words: string;
  url: string;
  domain: string;
  /** Names what it is about; the browser follows the address by itself. */
  value: string;
  say: Words;
  /** Beside the one that opens the page. */
  buttons?: readonly Button[];
}

/** A page that one person is to open, with its domain before they do. */
export function linkBlocks({ words, url, domain, value, say, buttons = [] }: LinkParts): KnownBlock[] {
  const fits = url.length <= LONGEST_URL;
  const note = fits ? say.questions.opensPage(domain) : say.questions.longAddress(domain);
  const open: Button = {
    type: "button",
    action_id: "csq:open",
    text: plain(say.buttons.openPage(oneLine(domain)), LIMITS.button.text),
    value,
    url,
  };
  const elements = [...(fits ? [open] : []), ...buttons];
  return [
    { type: "section", text: plain(cutText(cleanText(words), LONGEST_WORDS)) },
    ...contextBlocks([note]),
    ...(elements.length === 0 ? [] : [{ type: "actions" as const, elements }]),
  ];
}
