import type { App } from "@slack/bolt";
import type { ModalView } from "@slack/types";

import type { Card } from "#contract/card.ts";
import { isObject } from "#src/base/json.ts";
import { forOutsiders } from "#src/base/outsiders.ts";
import { en } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";

import { type ActionName, errorForUser } from "../../chat/actions.ts";
import { nextOf, SHOWN_ALREADY, turnOfNext } from "../../chat/next.ts";
import { NOT_HERE } from "../../chat/place-guard.ts";
import { pressAtDesk } from "../../chat/press.ts";
import { openPage } from "../../chat/redraw.ts";
import { readPageValue } from "../../chat/actions.ts";
import { findWindow, windowOf, type WindowState } from "../../chat/windows.ts";
import { readActionId, readMenuValue } from "../render/buttons.ts";
import { readModalState, renderNotice, renderWindow } from "../render/window.ts";
import { channelOf, type SlackRef } from "../ids.ts";
import { removeOriginal } from "../send/ephemeral.ts";
import type { SlackPort } from "../send/port.ts";
import { openApprovalForm } from "./approval-forms.ts";
import { showWindow, type SlackContext, startTurn, wordsAt } from "./context.ts";
import { fillIn, openForm, openFormOf } from "./drafts.ts";
import type { Homes } from "./home.ts";
import { type Click, readClick, seenApproval, seenIn } from "./interaction.ts";
import { changeAccount, connectAccount, forgetMe } from "./own-command.ts";
import { onQuestionButton, type QuestionAction } from "./questions.ts";

export interface ClickDeps extends SlackContext {
  port: Pick<SlackPort, "redraw" | "share">;
  homes: Pick<Homes, "ask" | "switchPrivacy">;
}

/** Handles every button: what it does is durable before Slack hears that the click arrived. */
export function handleClicks(app: App, deps: ClickDeps): void {
  app.action(/^csq?:/, async ({ body, action, ack, context }) => {
    if (body.type !== "block_actions" || !("block_id" in action)) return ack();
    const pressed = pressedIn(action);
    const click = pressed && readClick(body, pressed, seenIn(context));
    if (click === undefined) return ack();
    // A look-up calls a tool, which may take longer than Slack waits; nothing is lost with it.
    const isSlow = readActionId(click.id) === "lookup";
    if (isSlow) await ack();
    try {
      await onClick(click, deps);
    } catch (error) {
      deps.log.warn({ error, action: click.id, actor: click.actor }, "a click had no effect");
      await sendTo(click, errorForUser(error), deps);
    }
    return isSlow ? undefined : ack();
  });
}

/** What stands for several buttons says in its value which one it was. */
function pressedIn(
  action: Readonly<{ type: string; action_id: string; value?: unknown; selected_option?: unknown }>,
): { action_id: string; value?: string } | undefined {
  const { type, action_id, value, selected_option: option } = action;
  if (type === "overflow") return isObject(option) ? readMenuValue(String(option.value)) : undefined;
  if (type === "feedback_buttons") return readMenuValue(String(value));
  return type === "button" ? { action_id, ...(typeof value === "string" ? { value } : {}) } : undefined;
}

async function onClick(click: Click, deps: ClickDeps): Promise<void> {
  const { core, desk } = deps;
  const { id, actor, value } = click;
  if (id.startsWith("csq:")) return onQuestionButton(id.slice("csq:".length) as QuestionAction, click, deps);
  const window = windowOf(readActionId(id) ?? "", value);
  if (window !== undefined) return open(click, window, deps);
  // What is none of these has no effect.
  const action = readActionId(id) as ActionName | undefined;
  const answer = await pressAtDesk(action, { value, actor, seen: seenApproval(click, value) }, desk);
  if (answer?.kind === "asked") return openApprovalForm(click, answer.question, deps);
  if (answer?.kind === "told") return sendTo(click, answer.words, deps);
  switch (action) {
    case "revoke":
      return revoke(click, deps);
    case "stop": {
      const { stopped, message } = await core.stop(value, actor);
      return stopped ? undefined : sendTo(click, message, deps);
    }
    case "page_previous":
    case "page_next":
      return turnPage(click, deps);
    case "prompt":
      return click.ref === undefined ? deps.homes.ask(click) : suggest(click, click.ref, deps);
    case "privacy":
      return deps.homes.switchPrivacy(click);
    case "fill_in":
      return fillIn(click, deps);
    case "next":
      return goOn(click, deps);
    case "share":
      return share(click, deps);
    case "open_form":
      return openForm(click, deps);
    case "connect":
      return connectAccount(click, deps);
    case "disconnect":
    case "use_site":
      return changeAccount(action, click, deps);
    case "me_change": {
      const language = languageAt(click, deps);
      const form = await desk.question({ about: "me", server: value, language }, actor);
      if (form === undefined) return sendTo(click, en.recorded.noServerNames(value), deps);
      return openApprovalForm(click, form, deps);
    }
    case "me_forget":
      return forgetMe(click, deps);
    default:
      return undefined;
  }
}

/** Takes a standing approval back; the window says what came of it and lists what is left. */
async function revoke(click: Click, deps: ClickDeps): Promise<void> {
  const said = await deps.desk.revoke(click.value, click.actor);
  const words = recordedText(said, wordsAt(click.target, deps));
  try {
    if (await redrawWindow(click, 0, deps, words)) return undefined;
  } catch (error) {
    // It is revoked all the same, and must not be said to have changed nothing.
    deps.log.warn({ error, grant: click.value }, "a window could not be brought up to date");
  }
  return sendTo(click, words, deps);
}

/** Only to the person who pressed: beside the message, or in a window where there is none. */
async function sendTo(click: Click, words: string | Card, deps: ClickDeps): Promise<void> {
  if (click.target !== undefined) return deps.sendEphemeral(click.target, words);
  const card: Card =
    typeof words === "string" ? textCard(recordedText(words, wordsAt(undefined, deps))) : words;
  return showWindow(click, renderNotice(card), deps);
}

function textCard(text: string): Card {
  return { kind: "status", title: text, elements: [{ type: "text", text }] };
}

async function open(click: Click, state: WindowState, deps: ClickDeps): Promise<void> {
  const view = await drawWindow(click, state, 0, deps);
  return view === undefined ? sendTo(click, NOT_HERE, deps) : showWindow(click, view, deps);
}

/** The window that a state names, below a notice; undefined when what it shows is no longer there. */
async function drawWindow(
  click: Click,
  state: WindowState,
  page: number,
  deps: ClickDeps,
  notice?: string,
): Promise<ModalView | undefined> {
  const window = await findWindow(state, { ...deps, core: readingOnce(click, deps) });
  if (window === undefined) return undefined;
  const { card } = window;
  const above: Card["elements"] = notice === undefined ? [] : [{ type: "text", text: notice }];
  return renderWindow({ ...window, card: { ...card, elements: [...above, ...card.elements] } }, { page });
}

/** Shows the window anew in which the button stands; false where there is none. */
async function redrawWindow(click: Click, page: number, deps: ClickDeps, notice?: string): Promise<boolean> {
  const { team, window } = click;
  const state = window && readModalState(window.metadata);
  const view = state && (await drawWindow(click, state, page, deps, notice));
  if (window === undefined || view === undefined) return false;
  const client = await deps.client(team);
  await client.views.update({ view_id: window.id, view });
  return true;
}

async function turnPage(click: Click, deps: ClickDeps): Promise<void> {
  const { ref, window, value } = click;
  if (window !== undefined) {
    await redrawWindow(click, readPageValue(value)?.page ?? 0, deps);
    return undefined;
  }
  const shown = ref ?? privateRef(click);
  if (shown === undefined) return undefined;
  const turnId = await openPage(value, { ...deps, core: readingOnce(click, deps) });
  if (turnId === undefined) return sendTo(click, NOT_HERE, deps);
  return deps.port.redraw(shown, () => deps.view(turnId));
}

/** The message for one person alone in which a button stands. */
function privateRef({ team, target, responseUrl }: Click): SlackRef | undefined {
  return target === undefined || responseUrl === undefined
    ? undefined
    : { team, channel: target.channel, ts: "", respond: responseUrl };
}

/** Shows the channel what its person alone saw. */
async function share(click: Click, deps: ClickDeps): Promise<void> {
  const { value: turnId, actor, team, target, responseUrl } = click;
  const view = await deps.view(turnId);
  if (view?.actor !== actor || target === undefined) return sendTo(click, NOT_HERE, deps);
  await deps.port.share({ team, channel: target.channel }, view);
  if (responseUrl !== undefined) await removeOriginal(responseUrl, deps.log);
  return undefined;
}

/** Does not read again the requests that the click was let through with; the home lists those of any channel. */
function readingOnce(click: Click, { core }: ClickDeps): Pick<SlackContext["core"], "approval"> {
  return {
    async approval(id) {
      const approval = seenApproval(click, id) ?? (await core.approval(id));
      return click.target === undefined ? approval && forOutsiders(approval) : approval;
    },
  };
}

/** A suggestion is asked where it stands. */
async function suggest(
  { team, actor, value: message, triggerId }: Click,
  { channel, ts, thread = ts }: NonNullable<Click["ref"]>,
  deps: ClickDeps,
): Promise<void> {
  const conversationId = await deps.conversation(team, channel, thread);
  const eventId = `click:${triggerId}`;
  await startTurn({ team, channel, thread, since: ts, actor, conversationId, message, eventId }, deps);
}

/** What is written where somebody pressed. */
function languageAt({ team, target }: Click, { language }: ClickDeps): string | undefined {
  return target === undefined ? undefined : language(channelOf(team, target.channel));
}

/** Does what a turn offers to do next, in its conversation. */
async function goOn(click: Click, deps: ClickDeps): Promise<void> {
  const { team, actor, value, triggerId, ref } = click;
  const chosen = await nextOf(value, deps.view);
  const shown = ref ?? privateRef(click);
  if (chosen === undefined || shown === undefined) return sendTo(click, NOT_HERE, deps);
  const { view, step } = chosen;
  if (step.kind === "form") return openFormOf(click, { view, call: step }, deps);
  const { channel, ts, thread = ts, respond } = shown;
  const where = ts === "" ? { respond, isPrivate: true } : { thread, since: ts };
  const place = { team, channel, ...where, actor, conversationId: view.conversationId };
  const isShown = await startTurn({ ...place, ...turnOfNext(view, step, `click:${triggerId}`) }, deps);
  return isShown && step.kind === "more" ? sendTo(click, SHOWN_ALREADY, deps) : undefined;
}
