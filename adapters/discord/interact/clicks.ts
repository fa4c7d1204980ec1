import type { APIMessageComponentInteraction } from "discord.js";

import { approvalRef, readFoldValue, readPageValue, readRef, turnRef } from "../../chat/actions.ts";
import { whyNotShown } from "../../chat/questions.ts";
import { findWindow, type WindowState } from "../../chat/windows.ts";
import { channelOf } from "../ids.ts";
import { type ButtonAction, readCustomId } from "../render/buttons.ts";
import { renderLinkQuestion } from "../render/question.ts";
import { readWindowValue, renderWindow } from "../render/window.ts";
import { readRef as readMessage, toPlace } from "../send/place.ts";
import type { DiscordPort } from "../send/port.ts";
import type { CommandDeps } from "./commands.ts";
import { beginForm, openForm, sendEarly } from "./forms.ts";
import type { InteractionContext } from "./interaction.ts";
import { connectAccount, disconnectAccount } from "./own-command.ts";
import type { InteractionResponse } from "./response.ts";

export interface ClickDeps extends CommandDeps {
  port: Pick<DiscordPort, "redraw">;
}

/** A press on a button. What it does is durable before Discord hears that it arrived. */
export async function onClick(
  { data, message }: APIMessageComponentInteraction,
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: ClickDeps,
): Promise<void> {
  const pressed = readCustomId(data.custom_id);
  const value = pressed?.isKept === true ? await parts.values.get(pressed.value) : pressed?.value;
  if (pressed === undefined || value === undefined) return answer.tell(GONE);
  const { core, desk } = parts;
  const { actor } = deed;
  // Whoever handles it knows which names there are.
  const action = pressed.action as ButtonAction;
  switch (action) {
    case "approve":
    case "deny":
    case "grant":
    case "edit":
    case "settle_happened":
    case "settle_did_not":
    case "lookup": {
      const pressing = await desk.press({ action, approvalId: value, actor });
      if (pressing.kind === "asked") {
        const purpose = { kind: "desk" as const, topic: pressing.question.topic };
        return beginForm({ actor, channel: deed.channel, purpose, values: {} }, answer, parts);
      }
      return pressing.kind === "told" ? answer.tell(pressing.words) : answer.done();
    }
    case "details":
      return open({ view: "details", ref: approvalRef(value) }, answer, parts);
    case "grants":
      return open({ view: "grants", ref: approvalRef(value) }, answer, parts);
    case "revoke":
      return answer.update(await desk.revoke(value, actor));
    case "stop": {
      const { stopped, message: said } = await core.stop(value, actor);
      return stopped ? answer.done() : answer.tell(said);
    }
    case "show_json":
      return open({ view: "json", ref: turnRef(value) }, answer, parts);
    case "run_log":
      return open({ view: "log", ref: turnRef(value) }, answer, parts);
    case "show_result":
      return open({ view: "result", ref: value }, answer, parts);
    case "show_all": {
      const { ref, path } = readFoldValue(value) ?? { ref: "", path: "" };
      return open(path === "reply" ? { view: "reply", ref } : { view: "all", ref, path }, answer, parts);
    }
    case "window": {
      const window = readWindowValue(value);
      return window === undefined ? answer.tell(GONE) : open(window.state, answer, parts, window.page);
    }
    case "page_previous":
    case "page_next":
      return turnPage(value, { channel: deed.channel, message: message.id }, answer, parts);
    case "prompt":
      return suggest(value, deed, answer, parts);
    case "fill_in":
      return fillIn(value, deed, answer, parts);
    case "form_next":
    case "open_form":
      return openForm(value, deed, answer, parts);
    case "form_send":
      return sendEarly(value, deed, answer, parts);
    case "answer": {
      const why = whyNotShown(await core.question(value), actor);
      if (why !== undefined) return answer.tell(why);
      const purpose = { kind: "question" as const, questionId: value };
      return beginForm({ actor, channel: deed.channel, purpose, values: {} }, answer, parts);
    }
    case "answer_show":
      return showLink(value, deed, answer, parts);
    case "answer_done":
    case "answer_decline": {
      const said = action === "answer_done" ? "accept" : "decline";
      await core.answer({ questionId: value, actor, action: said });
      // What everybody sees is the presenter's.
      if (deed.message?.isForOne !== true) return answer.done();
      return answer.update(said === "accept" ? "Noted: you have opened the page." : "Declined.");
    }
    case "connect":
      return connectAccount(value, deed, answer, parts);
    case "disconnect":
      return disconnectAccount(value, deed, answer, parts);
    case "privacy":
      // Only Slack's home has it.
      return answer.done();
    default:
      return answer.tell(GONE);
  }
}

/** A page is for the person alone: whoever else presses gets nothing of it. */
async function showLink(
  id: string,
  { actor }: InteractionContext,
  answer: InteractionResponse,
  { core }: ClickDeps,
): Promise<void> {
  const question = await core.question(id);
  const why = whyNotShown(question, actor);
  return answer.tell(
    why === undefined && question?.kind === "link" ? renderLinkQuestion(question) : (why ?? GONE),
  );
}

/** Shows a window to the person alone; a button in it turns its own pages. */
async function open(
  state: WindowState,
  answer: InteractionResponse,
  parts: ClickDeps,
  page?: number,
): Promise<void> {
  const window = await findWindow(state, parts);
  if (window === undefined) return answer.tell(GONE);
  return page === undefined ? answer.tell(renderWindow(window)) : answer.update(renderWindow(window, page));
}

/** Turns a page of the message for everybody. */
async function turnPage(
  value: string,
  at: { channel: string; message: string },
  answer: InteractionResponse,
  { core, pages, port, view, messageOf }: ClickDeps,
): Promise<void> {
  const wanted = readPageValue(value);
  const ref = wanted === undefined ? undefined : readRef(wanted.ref);
  if (wanted === undefined || ref === undefined) return answer.tell(GONE);
  const turnId = ref.kind === "approval" ? (await core.approval(ref.approvalId))?.turnId : ref.turnId;
  if (turnId === undefined) return answer.tell(GONE);
  await pages.set(turnId, { ...(await pages.get(turnId)), [wanted.ref]: wanted.page });
  await answer.done();
  const shown = await messageOf(turnId);
  return port.redraw(shown === undefined ? { ...at, isAnswer: true } : readMessage(shown), () =>
    view(turnId),
  );
}

/** A suggestion is asked where it stands. */
async function suggest(
  value: string,
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: ClickDeps,
): Promise<void> {
  const { id, actor, guild, channel, parent } = deed;
  const start = {
    conversationId: await parts.rooms.conversation({
      guild,
      channel: parent ?? channel,
      thread: parent === undefined && guild !== undefined ? (deed.message?.id ?? channel) : channel,
    }),
    channel: channelOf(guild, parent ?? channel),
    message: value,
    place: toPlace({ guild, channel, since: id }),
    isAnswer: false,
  };
  await parts.startTurn({ ...start, actor, eventId: `interaction:${id}` }, {}, deed, answer);
}

/** Opens the form for what a turn ended by asking for. */
async function fillIn(
  turnId: string,
  deed: InteractionContext,
  answer: InteractionResponse,
  parts: ClickDeps,
): Promise<void> {
  const view = await parts.view(turnId);
  if (view?.missing === undefined) return answer.tell(GONE);
  const { tool, args } = view.missing;
  const { id, actor, guild, channel } = deed;
  const start = {
    conversationId: view.conversationId,
    channel: view.channel,
    message: view.message,
    place: toPlace({ guild, channel, since: id }),
    isAnswer: false,
  };
  return beginForm(
    { actor, channel, purpose: { kind: "call", call: { tool, args }, start }, values: {} },
    answer,
    parts,
  );
}

const GONE = "This is no longer there.";
