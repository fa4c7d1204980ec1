import type { App, BlockAction, ViewSubmitAction } from "@slack/bolt";

import type { ActorId } from "#contract/actor.ts";
import type { FormTool } from "#contract/form.ts";
import type { Question } from "#contract/question.ts";
import { secretWarning } from "#src/base/secret-words.ts";

import { errorForUser } from "../../chat/actions.ts";
import type { ChatParts } from "../../chat/parts.ts";
import { whyNotShown } from "../../chat/questions.ts";
import { cleanText, cutText, oneLine } from "../../chat/text.ts";
import { actorOf, teamOfInteraction } from "../ids.ts";
import type { ClientOf } from "../install/client.ts";
import { contextBlocks } from "../render/buttons.ts";
import { formErrors, readForm, renderForm } from "../render/form.ts";
import { linkContent, LONGEST_MESSAGE } from "../render/question.ts";
import { type EphemeralTarget, respond, type SendEphemeral } from "../send/ephemeral.ts";

export interface QuestionDeps extends Pick<ChatParts, "core" | "forms" | "log"> {
  client: ClientOf;
  tell: SendEphemeral;
}

const CALLBACK = "csq:answer";

/** What buttons of questions do, after `csq:`. */
export const QUESTION_ACTIONS = ["open", "decline", "opened", "show", "form"] as const;

/** Handles the buttons of questions and the window that takes an answer. */
export function handleQuestions(app: App, parts: QuestionDeps): void {
  app.action(/^csq:/, async ({ body, action, ack }) => {
    if (body.type !== "block_actions" || action.type !== "button" || !("block_id" in action)) return ack();
    try {
      await onButton(body, action.action_id.slice("csq:".length), action.value ?? "", parts);
    } catch (error) {
      parts.log.warn({ error, question: action.value }, "an answer to a server's question had no effect");
      await parts.tell(earOf(body), errorForUser(error));
    }
    return ack();
  });
  app.view(CALLBACK, async ({ body, ack }) => {
    if (body.type !== "view_submission") return ack();
    const errors = await onSubmit(body, parts);
    return errors === undefined ? ack() : ack({ response_action: "errors", errors });
  });
}

async function onButton(
  body: BlockAction,
  action: string,
  questionId: string,
  parts: QuestionDeps,
): Promise<void> {
  const team = teamOfInteraction(body);
  const actor = actorOf(body.user.team_id ?? team, body.user.id);
  // The browser follows the address by itself.
  if (action === "open") return undefined;
  if (action === "decline" || action === "opened") {
    await parts.core.answer({ questionId, actor, action: action === "decline" ? "decline" : "accept" });
    return noted(body, action === "decline" ? "Declined." : "Noted: you have opened the page.", parts);
  }
  if (action === "show") return showLink(body, questionId, actor, parts);
  if (action !== "form") return undefined;
  const question = await parts.core.question(questionId);
  const why = whyNotShown(question, actor);
  if (why !== undefined || question?.kind !== "form") return parts.tell(earOf(body), why ?? GONE);
  const form = { ...parts.forms.toForm(toolOf(question), {}), title: "Answer" };
  const view = renderForm(form, {
    callbackId: CALLBACK,
    metadata: questionId,
    submit: "Send",
    // The question's own words come last: they may say anything.
    above: contextBlocks([
      secretWarning(oneLine(cleanText(question.server))),
      cutText(`${question.server} asks: ${cleanText(question.message)}`, LONGEST_MESSAGE),
    ]),
  });
  const client = await parts.client(team);
  await client.views.open({ trigger_id: body.trigger_id, view });
  return undefined;
}

/** A page is for the person alone: whoever else presses gets nothing of it. */
async function showLink(
  body: BlockAction,
  questionId: string,
  actor: ActorId,
  { core, tell }: QuestionDeps,
): Promise<void> {
  const question = await core.question(questionId);
  const why = whyNotShown(question, actor);
  if (why !== undefined || question?.kind !== "link") return tell(earOf(body), why ?? GONE);
  return tell(earOf(body), linkContent(question));
}

/** What one person was shown alone reads as answered; the message in the thread is the presenter's. */
async function noted(body: BlockAction, text: string, { log }: QuestionDeps): Promise<void> {
  if (body.message !== undefined || body.container.is_ephemeral !== true) return;
  await respond(body.response_url, { response_type: "ephemeral", replace_original: true, text }, log);
}

async function onSubmit(
  body: ViewSubmitAction,
  { core, forms, log }: QuestionDeps,
): Promise<Record<string, string> | undefined> {
  const questionId = body.view.private_metadata;
  const question = await core.question(questionId);
  if (question?.kind !== "form") return undefined;
  const tool = toolOf(question);
  const form = forms.toForm(tool, {});
  const first = form.fields[0]?.name ?? "";
  const reading = forms.fromForm(tool, {}, readForm(form, body.view.state.values));
  if (!reading.ok) return formErrors(form, reading.faults);
  const actor = actorOf(body.user.team_id ?? body.team?.id ?? "", body.user.id);
  try {
    await core.answer({ questionId, actor, action: "accept", content: reading.args });
    return undefined;
  } catch (error) {
    log.warn({ error, question: questionId }, "an answer to a server's question was not taken");
    const message = errorForUser(error);
    const names = fieldsOf(error).filter((name) => form.fields.some((field) => field.name === name));
    const faults = (names.length === 0 ? [first] : names).map((name) => ({ name, message }));
    return formErrors(form, faults);
  }
}

function toolOf(question: Extract<Question, { kind: "form" }>): FormTool {
  return { id: question.toolId, name: question.toolId, inputSchema: question.schema };
}

function earOf(body: BlockAction): EphemeralTarget | undefined {
  const { channel, container, user } = body;
  if (channel === undefined) return undefined;
  const thread = typeof container.thread_ts === "string" ? { thread: container.thread_ts } : {};
  return { team: teamOfInteraction(body), channel: channel.id, user: user.id, ...thread };
}

function fieldsOf(error: unknown): string[] {
  const details =
    typeof error === "object" && error !== null && "details" in error ? error.details : undefined;
  if (typeof details !== "object" || details === null || !("fields" in details)) return [];
  return Array.isArray(details.fields) ? details.fields.map(String) : [];
}

const GONE = "This question is no longer there.";
