import type { APIMessageComponentInteraction } from "discord.js";

import type { TurnView } from "#contract/present.ts";
import { en } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { nextOf, SHOWN_ALREADY, turnOfNext } from "../../chat/next.ts";
import { NOT_HERE } from "../../chat/place-guard.ts";
import { pressAtDesk } from "../../chat/press.ts";
import { openPage } from "../../chat/redraw.ts";
import { whyNotShown } from "../../chat/questions.ts";
import { formOf } from "../../chat/turn-parts.ts";
import { findWindow, windowOf, type WindowState } from "../../chat/windows.ts";
import { readRef as readMessage } from "../ids.ts";
import type { TurnStart } from "../options.ts";
import { type ButtonAction, readCustomId } from "../render/buttons.ts";
import { renderLinkQuestion } from "../render/question.ts";
import { readWindowValue, renderWindow } from "../render/window.ts";
import {
  type InteractionContext,
  type InteractionDeps,
  isForOne,
  placeOf,
  startTurn,
  turnHere,
} from "./context.ts";
import { beginForm, openForm, sendEarly } from "./forms.ts";
import { changeAccount, connectAccount, forgetMe } from "./own-command.ts";

/** A press on a button. What it does is durable before Discord hears that it arrived. */
export async function onClick(
  { data }: APIMessageComponentInteraction,
  context: InteractionContext,
  deps: InteractionDeps,
): Promise<void> {
  const { core, desk } = deps;
  const { actor, response } = context;
  const pressed = readCustomId(data.custom_id);
  const value = pressed?.isKept === true ? await deps.values.get(pressed.value) : pressed?.value;
  if (pressed === undefined || value === undefined) return response.tell(NOT_HERE);
  const window = windowOf(pressed.action, value);
  if (window !== undefined) return open(window, context, deps);
  const action = pressed.action as ButtonAction;
  const seen = context.seen?.id === value ? context.seen : undefined;
  const answer = await pressAtDesk(action, { value, actor, seen }, desk);
  if (answer?.kind === "asked")
    return beginForm({ kind: "desk", topic: answer.question.topic }, context, deps);
  if (answer?.kind === "told") return response.tell(answer.words);
  if (answer !== undefined) return response.done();
  switch (action) {
    case "revoke":
      return response.update(await desk.revoke(value, actor));
    case "stop": {
      const { stopped, message: said } = await core.stop(value, actor);
      return stopped ? response.done() : response.tell(said);
    }
    case "window": {
      const shown = readWindowValue(value);
      return shown === undefined ? response.tell(NOT_HERE) : open(shown.state, context, deps, shown.page);
    }
    case "page_previous":
    case "page_next":
      return turnPage(value, context, deps);
    case "prompt": {
      const start = await turnHere(value, context.message?.id ?? context.channel, context, deps);
      return void (await startTurn(start, {}, context, deps));
    }
    case "fill_in":
      return fillIn(value, context, deps);
    case "next":
      return goOn(value, context, deps);
    case "form_next":
    case "open_form":
      return openForm(value, context, deps);
    case "form_send":
      return sendEarly(value, context, deps);
    case "answer": {
      const why = whyNotShown(await core.question(value), actor);
      if (why !== undefined) return response.tell(why);
      return beginForm({ kind: "question", questionId: value }, context, deps);
    }
    case "answer_show": {
      const question = await core.question(value);
      // A page is for the person alone: whoever else presses gets nothing of it.
      const why = whyNotShown(question, actor);
      if (why !== undefined || question?.kind !== "link") return response.tell(why ?? NOT_HERE);
      return response.tell(renderLinkQuestion(question, wordsOf(context.language)));
    }
    case "answer_done":
    case "answer_decline": {
      const isDone = action === "answer_done";
      await core.answer({ questionId: value, actor, action: isDone ? "accept" : "decline" });
      // What everybody sees is the presenter's.
      if (context.message?.isForOne !== true) return response.done();
      return response.update(isDone ? en.recorded.opened() : en.recorded.declined());
    }
    case "connect":
      return connectAccount(value, context, deps);
    case "disconnect":
    case "use_site":
      return changeAccount(action, value, context, deps);
    case "me_change": {
      const topic = { about: "me", server: value, language: context.language } as const;
      const isKnown = (await desk.question(topic, actor)) !== undefined;
      if (!isKnown) return response.tell(en.recorded.noServerNames(value));
      return beginForm({ kind: "desk", topic }, context, deps);
    }
    case "me_forget":
      return forgetMe(value, context, deps);
    case "share":
      return share(value, context, deps);
    case "privacy":
      // Only Slack's home has it.
      return response.done();
    default:
      return response.tell(NOT_HERE);
  }
}

/** Shows a window to the person alone; a button in it turns its own pages. */
async function open(
  state: WindowState,
  { response }: InteractionContext,
  deps: InteractionDeps,
  page?: number,
): Promise<void> {
  const window = await findWindow(state, deps);
  if (window === undefined) return response.tell(NOT_HERE);
  if (page === undefined) return response.tell(renderWindow(window));
  return response.update(renderWindow(window, page));
}

/** Turns a page of the message for everybody who sees it. */
async function turnPage(
  value: string,
  { channel, message, token, response }: InteractionContext,
  { core, pages, port, view, messageOf, options }: InteractionDeps,
): Promise<void> {
  const turnId = await openPage(value, { core, pages });
  if (turnId === undefined || message === undefined) return response.tell(NOT_HERE);
  await response.done();
  const recorded = await messageOf(turnId);
  const shown = recorded && readMessage(recorded);
  const pressed = { channel, message: message.id, isAnswer: true, isEmbeds: options.embeds };
  // What somebody shared stands in a second message.
  const ref = shown?.message === message.id ? shown : pressed;
  return port.redraw(message.isForOne ? { ...ref, isPrivate: true, token } : ref, () => view(turnId));
}

/** Shows the channel what its person alone saw. */
async function share(
  turnId: string,
  context: InteractionContext,
  { view, port }: InteractionDeps,
): Promise<void> {
  const { actor, response } = context;
  const shown = await view(turnId);
  if (shown?.actor !== actor) return response.tell(NOT_HERE);
  await port.share(placeOf(context), shown);
  return response.update(en.recorded.shared());
}

/** Opens the form for what a turn ended by asking for, or for what was chosen of what it offered. */
async function fillIn(value: string, context: InteractionContext, deps: InteractionDeps): Promise<void> {
  const form = await formOf(value, deps.view);
  if (form === undefined) return context.response.tell(NOT_HERE);
  return beginForm({ kind: "call", call: form.call, start: startOf(form.view, context) }, context, deps);
}

/** Does what a turn offers to do next, in its conversation. */
async function goOn(value: string, context: InteractionContext, deps: InteractionDeps): Promise<void> {
  const { id, response } = context;
  const chosen = await nextOf(value, deps.view);
  if (chosen === undefined) return response.tell(NOT_HERE);
  const { view, step } = chosen;
  const { tool, args } = step;
  const isPrivate = context.message?.isForOne === true && isForOne(tool, context, deps);
  const start = isPrivate
    ? { ...startOf(view, context), place: placeOf(context, true), isAnswer: true }
    : startOf(view, context);
  if (step.kind === "form") return beginForm({ kind: "call", call: { tool, args }, start }, context, deps);
  const { eventId, message, ...about } = turnOfNext(view, step, `interaction:${id}`);
  const isShown = await startTurn({ ...start, message }, about, context, deps, eventId);
  return isShown && step.kind === "more" ? response.tell(SHOWN_ALREADY) : response.done();
}

function startOf({ conversationId, channel, message }: TurnView, context: InteractionContext): TurnStart {
  return { conversationId, channel, message, place: placeOf(context), isAnswer: false };
}
