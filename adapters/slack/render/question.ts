import type { Button, KnownBlock } from "@slack/types";

import type { TurnView } from "#contract/present.ts";
import type { Question } from "#contract/question.ts";
import { formNote, questionText } from "#src/base/question-words.ts";
import { cutText, oneLine } from "#src/base/text.ts";

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
export function questionBlocks({ questions = [] }: TurnView): KnownBlock[] {
  return questions
    .filter((question) => question.state === "open")
    .slice(0, SHOWN)
    .flatMap((question) => (question.kind === "link" ? waitsFor(question) : formBlocks(question)));
}

function formBlocks(question: FormQuestion): KnownBlock[] {
  const said = cutText(cleanText(questionText(question)), LONGEST_MESSAGE);
  const head: KnownBlock = { type: "section", text: plain(said) };
  const answer = make("form", "Answer", question, { style: "primary" });
  const warning = plain(cleanText(formNote(question)));
  return [
    head,
    { type: "context", elements: [warning] },
    { type: "actions", elements: [answer, make("decline", "Decline", question)] },
  ];
}

/** Everybody sees for whom it waits; where the page is and what the server says of it is for them alone. */
function waitsFor(question: LinkQuestion): KnownBlock[] {
  const user = readId(question.actor)?.local ?? "";
  const whom: Line = /^[UW][A-Z0-9]+$/.test(user)
    ? [{ type: "mention", of: "user", id: user }]
    : words(oneLine(question.actor));
  const server = oneLine(cleanText(question.server));
  return [
    ...pack([[...words("Waiting for "), ...whom, ...words(` to open a page for ${server}.`)]]),
    { type: "actions", elements: [make("show", "Show me the page", question)] },
  ];
}

/** The page itself, for the person whose turn it is. */
export function linkContent(question: LinkQuestion): EphemeralContent {
  const said = `${question.server} asks: ${cutText(cleanText(question.message), LONGEST_MESSAGE - 100)}`;
  const buttons = [
    make("opened", "I have opened it", question, { style: "primary" }),
    make("decline", "Decline", question),
  ];
  const { url, domain, id: value } = question;
  return { text: escapeText(said), blocks: linkBlocks({ words: said, url, domain, value, buttons }) };
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
  /** Beside the one that opens the page. */
  buttons?: readonly Button[];
}

/** A page that one person is to open, with its domain before they do. */
export function linkBlocks({ words, url, domain, value, buttons = [] }: LinkParts): KnownBlock[] {
  const fits = url.length <= LONGEST_URL;
  const note = fits
    ? `It opens a page at ${domain}. Go there only if you trust it. Only you see this.`
    : `Its address at ${domain} is longer than Slack can open.`;
  const open: Button = {
    type: "button",
    action_id: "csq:open",
    text: plain(`Open ${oneLine(domain)}`, LIMITS.button.text),
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
