import type { App } from "@slack/bolt";

import type { Question } from "#contract/question.ts";
import { fieldsOf } from "#src/base/errors.ts";
import { formNote, questionText } from "#src/base/question-words.ts";
import { cutText } from "#src/base/text.ts";
import { en } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { errorForUser } from "../../chat/actions.ts";
import { answerTool, faultAtFirst } from "../../chat/forms.ts";
import { whyNotShown } from "../../chat/questions.ts";
import { cleanText } from "../../chat/text.ts";
import { formErrors, readForm, renderForm } from "../render/form.ts";
import { linkContent, LONGEST_MESSAGE } from "../render/question.ts";
import { contextBlocks } from "../render/rich.ts";
import { respond } from "../send/ephemeral.ts";
import {
  type Faults,
  handleWindow,
  showWindow,
  type SlackContext,
  type Submission,
  wordsAt,
} from "./context.ts";
import type { Click } from "./interaction.ts";

type QuestionDeps = Pick<SlackContext, "core" | "forms" | "language" | "log" | "client" | "sendEphemeral">;

const CALLBACK = "csq:answer";

/** What buttons of questions do, after `csq:`. */
export const QUESTION_ACTIONS = ["open", "decline", "opened", "show", "form"] as const;

export type QuestionAction = (typeof QUESTION_ACTIONS)[number];

/** Handles the buttons of servers' questions. */
export async function onQuestionButton(
  action: QuestionAction,
  click: Click,
  deps: QuestionDeps,
): Promise<void> {
  const { actor, value: questionId, target } = click;
  const { core, sendEphemeral } = deps;
  switch (action) {
    case "open":
      // The browser follows the address by itself.
      return undefined;
    case "decline":
      await core.answer({ questionId, actor, action: "decline" });
      return noted(click, en.recorded.declined(), deps);
    case "opened":
      await core.answer({ questionId, actor, action: "accept" });
      return noted(click, en.recorded.opened(), deps);
    case "show": {
      // A page is for the person alone: anybody else who presses gets nothing of it.
      const question = await core.question(questionId);
      const why = whyNotShown(question, actor);
      const isShown = why === undefined && question?.kind === "link";
      return sendEphemeral(
        target,
        isShown ? linkContent(question, wordsAt(target, deps)) : (why ?? en.recorded.questionGone()),
      );
    }
    case "form": {
      const question = await core.question(questionId);
      const why = whyNotShown(question, actor);
      if (why !== undefined || question?.kind !== "form")
        return sendEphemeral(target, why ?? en.recorded.questionGone());
      return openAnswer(click, question, deps);
    }
  }
}

/** What one person was shown alone reads as answered; the message in the thread is the presenter's. */
async function noted({ responseUrl, target }: Click, said: string, deps: QuestionDeps): Promise<void> {
  const text = recordedText(said, wordsAt(target, deps));
  if (responseUrl === undefined) return;
  await respond(responseUrl, { response_type: "ephemeral", replace_original: true, text }, deps.log);
}

async function openAnswer(
  click: Click,
  question: Extract<Question, { kind: "form" }>,
  deps: QuestionDeps,
): Promise<void> {
  const { id, channel } = question;
  const language = deps.language(channel);
  const say = wordsOf(language);
  const form = { ...deps.forms.toForm(answerTool(question), {}, language), title: say.buttons.answer };
  const view = renderForm(form, {
    callbackId: CALLBACK,
    metadata: id,
    submit: say.buttons.send,
    // The question's own words come last: they may say anything.
    above: contextBlocks([
      cleanText(formNote(question, { say })),
      cutText(cleanText(questionText(question, say)), LONGEST_MESSAGE),
    ]),
  });
  return showWindow(click, view, deps);
}

/** Handles the window that takes an answer. */
export function handleQuestions(app: App, deps: QuestionDeps): void {
  handleWindow(app, CALLBACK, (sent) => submit(sent, deps));
}

async function submit(
  { actor, metadata: questionId, values }: Submission,
  { core, forms, log, language }: QuestionDeps,
): Promise<Faults | undefined> {
  const question = await core.question(questionId);
  if (question?.kind !== "form") return undefined;
  const tool = answerTool(question);
  const form = forms.toForm(tool, {}, language(question.channel));
  const reading = forms.fromForm(tool, {}, readForm(form, values));
  if (!reading.ok) return formErrors(form, reading.faults);
  try {
    await core.answer({ questionId, actor, action: "accept", content: reading.args });
    return undefined;
  } catch (error) {
    log.warn({ error, question: questionId }, "an answer to a server's question was not taken");
    const message = errorForUser(error);
    const faults = fieldsOf(error)
      .filter((name) => form.fields.some((field) => field.name === name))
      .map((name) => ({ name, message }));
    return formErrors(form, faults.length === 0 ? [faultAtFirst(form, message)] : faults);
  }
}
