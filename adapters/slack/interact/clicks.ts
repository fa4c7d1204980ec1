import type { App } from "@slack/bolt";
import type { ModalView } from "@slack/types";

import type { Card, CardElement } from "#contract/card.ts";

import {
  approvalRef,
  errorForUser,
  readFoldValue,
  readPageValue,
  readRef,
  turnRef,
} from "../../chat/actions.ts";
import { findWindow, type WindowParts, type WindowState } from "../../chat/windows.ts";
import type { SlackContext } from "./context.ts";
import { channelOf } from "../ids.ts";
import { toPlace } from "../ids.ts";
import { readModalState, renderNotice, renderWindow } from "../render/window.ts";
import type { SlackPort } from "../send/port.ts";
import { openApprovalForm } from "./approval-forms.ts";
import { type Click, readClick } from "./interaction.ts";
import { fillIn, openForm } from "./drafts.ts";
import type { Homes } from "./home.ts";
import { onConnect, onDisconnect } from "./own-command.ts";

export interface ClickDeps extends SlackContext {
  port: Pick<SlackPort, "redraw">;
  homes: Pick<Homes, "ask" | "switchPrivacy">;
}

/** Handles every button: what it does is durable before Slack hears that the click arrived. */
export function handleClicks(app: App, parts: ClickDeps): void {
  app.action(/^cs:/, async ({ body, action, ack }) => {
    if (body.type !== "block_actions" || action.type !== "button" || !("block_id" in action)) return ack();
    const click = readClick(body, action);
    // A look-up calls a tool, which may take longer than Slack waits; nothing is lost with it.
    const isSlow = click?.action === "lookup";
    if (isSlow) await ack();
    if (click !== undefined) {
      try {
        await onClick(click, parts);
      } catch (error) {
        parts.log.warn({ error, action: click.action, actor: click.actor }, "a click had no effect");
        await tellOf(click, errorForUser(error), parts);
      }
    }
    return isSlow ? undefined : ack();
  });
}

async function onClick(click: Click, parts: ClickDeps): Promise<void> {
  const { core, desk } = parts;
  const { action, actor, value } = click;
  switch (action) {
    case "approve":
    case "deny":
    case "grant":
    case "edit":
    case "settle_happened":
    case "settle_did_not":
    case "lookup": {
      const answer = await desk.press({ action, approvalId: value, actor });
      if (answer.kind === "asked") return openApprovalForm(click, answer.question, parts);
      return answer.kind === "told" ? tellOf(click, answer.words, parts) : undefined;
    }
    case "grants":
      return open(click, { view: "grants", ref: approvalRef(value) }, parts);
    case "revoke":
      return revoke(click, parts);
    case "details":
      return open(click, { view: "details", ref: approvalRef(value) }, parts);
    case "stop": {
      const { stopped, message } = await core.stop(value, actor);
      return stopped ? undefined : tellOf(click, message, parts);
    }
    case "show_json":
      return open(click, { view: "json", ref: turnRef(value) }, parts);
    case "run_log":
      return open(click, { view: "log", ref: turnRef(value) }, parts);
    case "show_result":
      return open(click, { view: "result", ref: value }, parts);
    case "show_all": {
      const fold = readFoldValue(value);
      if (fold === undefined) return undefined;
      const { ref, path } = fold;
      return open(click, path === "reply" ? { view: "reply", ref } : { view: "all", ref, path }, parts);
    }
    case "page_previous":
    case "page_next":
      return turnPage(click, parts);
    case "prompt":
      return click.ref === undefined ? parts.homes.ask(click) : suggest(click, parts);
    case "privacy":
      return parts.homes.switchPrivacy(click);
    case "fill_in":
      return fillIn(click, parts);
    case "open_form":
      return openForm(click, parts);
    case "connect":
      return onConnect(click, parts);
    case "disconnect":
      return onDisconnect(click, parts);
  }
}

/** Takes a standing approval back; the window says what came of it and lists what is left. */
async function revoke(click: Click, parts: ClickDeps): Promise<void> {
  const words = await parts.desk.revoke(click.value, click.actor);
  try {
    const state = click.window === undefined ? undefined : readModalState(click.window.metadata);
    const view = state === undefined ? undefined : await drawWindow(state, 0, parts, words);
    if (click.window !== undefined && view !== undefined) {
      const client = await parts.client(click.team);
      await client.views.update({ view_id: click.window.id, view });
      return undefined;
    }
  } catch (error) {
    // It is revoked all the same, and must not be said to have changed nothing.
    parts.log.warn({ error, grant: click.value }, "a window could not be brought up to date");
  }
  return tellOf(click, words, parts);
}

/** Only to the person who pressed: beside the message, or in a window where there is none. */
async function tellOf(click: Click, words: string | Card, parts: ClickDeps): Promise<void> {
  if (click.ear !== undefined) return parts.tell(click.ear, words);
  const client = await parts.client(click.team);
  const open = click.window?.type === "modal" ? client.views.push : client.views.open;
  const card: Card =
    typeof words === "string"
      ? { kind: "status", title: words, elements: [{ type: "text", text: words }] }
      : words;
  await open({ trigger_id: click.triggerId, view: renderNotice(card) });
  return undefined;
}

async function open(click: Click, state: WindowState, parts: ClickDeps): Promise<void> {
  const view = await drawWindow(state, 0, parts);
  if (view === undefined) return tellOf(click, GONE, parts);
  const client = await parts.client(click.team);
  const show = click.window?.type === "modal" ? client.views.push : client.views.open;
  await show({ trigger_id: click.triggerId, view });
  return undefined;
}

async function turnPage(click: Click, parts: ClickDeps): Promise<void> {
  const wanted = readPageValue(click.value);
  const ref = wanted === undefined ? undefined : readRef(wanted.ref);
  if (wanted === undefined || ref === undefined) return;
  if (click.window !== undefined) {
    const state = readModalState(click.window.metadata);
    const view = state === undefined ? undefined : await drawWindow(state, wanted.page, parts);
    const client = await parts.client(click.team);
    if (view !== undefined) await client.views.update({ view_id: click.window.id, view });
    return;
  }
  if (click.ref === undefined) return;
  const turnId = ref.kind === "approval" ? (await parts.core.approval(ref.approvalId))?.turnId : ref.turnId;
  if (turnId === undefined) return tellOf(click, GONE, parts);
  await parts.pages.set(turnId, { ...(await parts.pages.get(turnId)), [wanted.ref]: wanted.page });
  await parts.port.redraw(click.ref, () => parts.view(turnId));
}

/** A suggestion is asked where it stands. */
async function suggest(click: Click, parts: ClickDeps): Promise<void> {
  if (click.ref === undefined) return;
  const { channel, ts, thread = ts } = click.ref;
  await parts.presenter.submit(
    {
      surface: "slack",
      actor: click.actor,
      conversationId: await parts.conversation(click.team, channel, thread),
      channel: channelOf(click.team, channel),
      message: click.value,
      eventId: `click:${click.triggerId}`,
    },
    toPlace({ team: click.team, channel, thread, since: ts }),
  );
}

const GONE = "This is no longer there.";

/**
 * The window that a state names, at a page from 0, below a notice where there is one; undefined when what
 * it shows is no longer there.
 */
async function drawWindow(
  state: WindowState,
  page: number,
  parts: WindowParts,
  notice?: string,
): Promise<ModalView | undefined> {
  const window = await findWindow(state, parts);
  if (window === undefined) return undefined;
  const { card } = window;
  const above: CardElement[] = notice === undefined ? [] : [{ type: "text", text: notice }];
  return renderWindow({ ...window, card: { ...card, elements: [...above, ...card.elements] } }, { page });
}
