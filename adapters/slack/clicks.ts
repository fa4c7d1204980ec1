import type { Approval } from "#contract/approval.ts";

import type { App } from "@slack/bolt";
import type { WebClient } from "@slack/web-api";

import { askForEdit, askForReason } from "./asking.ts";
import { type Click, readClick } from "./click.ts";
import { channelOf } from "./ids.ts";
import type { SlackDesk } from "./options.ts";
import { toPlace } from "./place.ts";
import type { SlackPort } from "./port.ts";
import { readFoldValue, readPageValue } from "./render/buttons.ts";
import { type ModalState, readModalState } from "./render/modals.ts";
import { approvalRef, readRef, turnRef } from "./render/refs.ts";
import { say } from "./say.ts";
import type { Tell } from "./tell.ts";
import { drawWindow } from "./windows.ts";

export interface ClickParts extends SlackDesk {
  client: WebClient;
  port: Pick<SlackPort, "redraw">;
  tell: Tell;
  conversation: (team: string, channel: string, thread: string) => Promise<string>;
}

/** Handles every button: what it does is durable before Slack hears that the click arrived. */
export function handleClicks(app: App, parts: ClickParts): void {
  app.action(/^cs:/, async ({ body, action, ack }) => {
    if (body.type !== "block_actions" || action.type !== "button" || !("block_id" in action)) return ack();
    const click = readClick(body, action);
    if (click !== undefined) {
      try {
        await onClick(click, parts);
      } catch (error) {
        parts.log.warn({ error, action: click.action, actor: click.actor }, "a click had no effect");
        await parts.tell(click.ear, say(error));
      }
    }
    return ack();
  });
}

async function onClick(click: Click, parts: ClickParts): Promise<void> {
  const { core, tell } = parts;
  const { action, actor, value, ear } = click;
  switch (action) {
    case "approve":
    case "deny":
      return decide(click, action, parts);
    case "edit":
      return askForEdit(click, await approvalOf(value, parts), parts);
    case "details":
      return open(click, { view: "details", ref: approvalRef(value) }, parts);
    case "settle_happened":
    case "settle_did_not": {
      const outcome = action === "settle_happened" ? "happened" : "did_not";
      await core.settle({ approvalId: value, actor, outcome });
      return undefined;
    }
    case "lookup":
      return tell(ear, (await core.lookup(value, actor)).card);
    case "stop": {
      const { stopped, message } = await core.stop(value, actor);
      return stopped ? undefined : tell(ear, message);
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
      return ask(click, parts);
    case "privacy":
      // Only the app home has it, and this app has none.
      return undefined;
  }
}

async function decide(click: Click, decision: "approve" | "deny", parts: ClickParts): Promise<void> {
  const { core, tell } = parts;
  const approval = await approvalOf(click.value, parts);
  if (approval.reasonRequired && approval.state === "pending") {
    return askForReason(click, approval, decision, parts);
  }
  const reply = await core.decide({ approvalId: approval.id, actor: click.actor, decision });
  // The message tells everybody of these two.
  if (reply.outcome !== "approved" && reply.outcome !== "denied") await tell(click.ear, reply.message);
}

async function approvalOf(id: string, { core }: Pick<ClickParts, "core">): Promise<Approval> {
  const approval = await core.approval(id);
  if (approval !== undefined) return approval;
  throw Object.assign(new Error("This request is not known here any more."), { code: "not_found" });
}

async function open(click: Click, state: ModalState, parts: ClickParts): Promise<void> {
  const view = await drawWindow(state, 0, parts);
  if (view === undefined) return parts.tell(click.ear, GONE);
  await parts.client.views.open({ trigger_id: click.triggerId, view });
  return undefined;
}

async function turnPage(click: Click, parts: ClickParts): Promise<void> {
  const wanted = readPageValue(click.value);
  const ref = wanted === undefined ? undefined : readRef(wanted.ref);
  if (wanted === undefined || ref === undefined) return;
  if (click.window !== undefined) {
    const state = readModalState(click.window.metadata);
    const view = state === undefined ? undefined : await drawWindow(state, wanted.page, parts);
    if (view !== undefined) await parts.client.views.update({ view_id: click.window.id, view });
    return;
  }
  if (click.ref === undefined) return;
  const turnId = ref.kind === "approval" ? (await approvalOf(ref.approvalId, parts)).turnId : ref.turnId;
  await parts.pages.set(turnId, { ...(await parts.pages.get(turnId)), [wanted.ref]: wanted.page });
  await parts.port.redraw(click.ref, () => parts.view(turnId));
}

/** A suggestion is asked where it stands. */
async function ask(click: Click, parts: ClickParts): Promise<void> {
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
    toPlace({ channel, thread, since: ts }),
  );
}

const GONE = "This is no longer there.";
