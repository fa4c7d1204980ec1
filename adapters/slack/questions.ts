import type { FormTool } from "#contract/form.ts";
import type { TurnView } from "#contract/present.ts";
import type { Question } from "#contract/question.ts";

import type { App, BlockAction, ViewSubmitAction } from "@slack/bolt";
import type { Button, KnownBlock } from "@slack/types";

import type { ChatParts } from "../chat/parts.ts";
import { cleanText, cutText, oneLine } from "../chat/text.ts";
import { actorOf, teamOfInteraction } from "./ids.ts";
import { contextBlocks } from "./render/buttons.ts";
import { formErrors, readForm, renderForm } from "./render/form.ts";
import { LIMITS } from "./render/limits.ts";
import { plain } from "./render/rich.ts";
import type { Ear, Tell } from "./tell.ts";
import type { ClientOf } from "./workspaces.ts";

export interface QuestionParts extends Pick<ChatParts, "core" | "forms" | "log"> {
  client: ClientOf;
  tell: Tell;
}

const CALLBACK = "csq:answer";
const SHOWN = 3;
const LONGEST_MESSAGE = 1_000;
/** Slack takes no longer address in a button. */
const LONGEST_URL = 3_000;

/** What servers ask in the turn's calls and nobody has answered yet, below the turn's message. */
export function questionBlocks({ questions = [] }: TurnView): KnownBlock[] {
  return questions
    .filter((question) => question.state === "open")
    .slice(0, SHOWN)
    .flatMap(blocksOf);
}

function blocksOf(question: Question): KnownBlock[] {
  const words = cutText(cleanText(question.message), LONGEST_MESSAGE);
  const head: KnownBlock = { type: "section", text: plain(`${question.server} asks: ${words}`) };
  const note =
    question.kind === "link"
      ? contextBlocks([`It wants you to open a page at ${question.domain}. Go there only if you trust it.`])
      : [];
  return [head, ...note, { type: "actions", elements: buttonsOf(question) }];
}

function buttonsOf(question: Question): Button[] {
  const make = (action: string, label: string, more: Partial<Button> = {}): Button => ({
    type: "button",
    action_id: `csq:${action}`,
    text: plain(label, LIMITS.button.text),
    value: question.id,
    ...more,
  });
  const decline = make("decline", "Decline");
  if (question.kind === "form") return [make("form", "Answer", { style: "primary" }), decline];
  const open =
    question.url.length <= LONGEST_URL
      ? [make("open", `Open ${oneLine(question.domain)}`, { url: question.url })]
      : [];
  return [...open, make("opened", "I have opened it", { style: "primary" }), decline];
}

/** Handles the buttons of questions and the window that takes an answer. */
export function handleQuestions(app: App, parts: QuestionParts): void {
  app.action(/^csq:/, async ({ body, action, ack }) => {
    if (body.type !== "block_actions" || action.type !== "button" || !("block_id" in action)) return ack();
    try {
      await onButton(body, action.action_id.slice("csq:".length), action.value ?? "", parts);
    } catch (error) {
      parts.log.warn({ error, question: action.value }, "an answer to a server's question had no effect");
      await parts.tell(earOf(body), wordsOf(error));
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
  parts: QuestionParts,
): Promise<void> {
  const team = teamOfInteraction(body);
  const actor = actorOf(body.user.team_id ?? team, body.user.id);
  if (action === "decline") return void (await parts.core.answer({ questionId, actor, action: "decline" }));
  if (action === "opened") return void (await parts.core.answer({ questionId, actor, action: "accept" }));
  // The browser follows the address by itself.
  if (action !== "form") return undefined;
  const question = await parts.core.question(questionId);
  if (question?.kind !== "form" || question.state !== "open") return parts.tell(earOf(body), GONE);
  if (question.actor !== actor) return parts.tell(earOf(body), NOT_YOURS);
  const form = { ...parts.forms.toForm(toolOf(question), {}), title: "Answer" };
  const view = renderForm(form, {
    callbackId: CALLBACK,
    metadata: questionId,
    submit: "Send",
    note: cutText(`${question.server} asks: ${cleanText(question.message)}`, LONGEST_MESSAGE),
  });
  const client = await parts.client(team);
  await client.views.open({ trigger_id: body.trigger_id, view });
  return undefined;
}

async function onSubmit(
  body: ViewSubmitAction,
  { core, forms, log }: QuestionParts,
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
    const message = wordsOf(error);
    const names = fieldsOf(error).filter((name) => form.fields.some((field) => field.name === name));
    const faults = (names.length === 0 ? [first] : names).map((name) => ({ name, message }));
    return formErrors(form, faults);
  }
}

function toolOf(question: Extract<Question, { kind: "form" }>): FormTool {
  return { id: question.toolId, name: question.toolId, inputSchema: question.schema };
}

function earOf(body: BlockAction): Ear | undefined {
  const { channel, container, user } = body;
  if (channel === undefined) return undefined;
  const thread = typeof container.thread_ts === "string" ? { thread: container.thread_ts } : {};
  return { team: teamOfInteraction(body), channel: channel.id, user: user.id, ...thread };
}

/** Codes of Core.answer, whose messages are written for people. */
const KNOWN = new Set(["not_found", "not_eligible", "already_answered", "bad_args"]);

function wordsOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return error instanceof Error && KNOWN.has(code) ? error.message : "That did not work. Please try again.";
}

function fieldsOf(error: unknown): string[] {
  const details =
    typeof error === "object" && error !== null && "details" in error ? error.details : undefined;
  if (typeof details !== "object" || details === null || !("fields" in details)) return [];
  return Array.isArray(details.fields) ? details.fields.map(String) : [];
}

const GONE = "This question was answered or closed already.";
const NOT_YOURS = "Only the person who asked for this may answer the server's question.";
