import type { ModalView } from "@slack/types";
import { type Child, jsx as el } from "hono/jsx";

import type { ApprovalForm } from "#contract/approval-actions.ts";
import type { TurnView } from "#contract/present.ts";

import { readActionId } from "../../slack/render/buttons.ts";
import { renderCard } from "../../slack/render/card.ts";
import { renderForm } from "../../slack/render/form.ts";
import { VIEW_BUDGET } from "../../slack/render/limits.ts";
import { renderTurn } from "../../slack/render/turn.ts";
import { renderWindow } from "../../slack/render/window.ts";
import { type Attributes, type SlackDrawContext, stillSlack } from "../context.ts";
import { frameMessage, frameWindow, type MessageFrame, toHtml, type WindowFrame } from "../frame.ts";
import { type Fields, fieldsIn, textOf, wordsOf } from "../payload.ts";
import { createPopovers, type TurnDrawing } from "../popovers.ts";
import { drawBlocks } from "./blocks.ts";

/**
 * The message of a turn as Slack would show it, from the blocks that Slack would be sent. Its buttons open
 * the windows that they open there; what would decide or change something does nothing.
 */
export async function drawSlackTurn(view: TurnView, parts: TurnDrawing): Promise<string> {
  const { blocks, attachments } = renderTurn(view, parts.cards);
  const popovers = createPopovers("sl-popover", view, parts);
  const look: SlackDrawContext = {
    ...stillSlack(),
    attributes: (_block, element) =>
      popovers.opener(readActionId(textOf(element.action_id)) ?? "", textOf(element.value)),
  };
  const message = drawMessage(
    {
      author: "Countersign",
      isApp: true,
      note: "",
      blocks: blocks as unknown as Fields[],
      after: view.isSettled ? attachments.map(({ filename, title }) => drawFile(filename, title)) : [],
    },
    look,
  );
  const modal = (view: ModalView, close: Attributes): Child =>
    drawModal(view as unknown as Fields, stillSlack(), { close });
  const windows = await popovers.drawn({
    window: (window, close) => modal(renderWindow(window), close),
    question: (question, close) => modal(questionView(question), close),
  });
  return toHtml(message, ...windows);
}

function questionView({ form, card, note, submit }: ApprovalForm): ModalView {
  const above =
    card === undefined ? [] : renderCard(card, { budget: VIEW_BUDGET, tables: false, unfold: true }).blocks;
  return renderForm(form, {
    callbackId: "",
    metadata: "",
    submit,
    above,
    ...(note === undefined ? {} : { note }),
  });
}

/** A message with the one who wrote it. */
export interface DrawnMessage extends MessageFrame {
  blocks: readonly Fields[];
  /** Below the blocks: files, reactions. */
  after?: Child[];
}

export function drawMessage(message: DrawnMessage, look: SlackDrawContext): Child {
  return frameMessage("sl", message, [...drawBlocks(message.blocks, look), ...(message.after ?? [])]);
}

/** A file below a message, such as the whole of a long result. */
export function drawFile(name: string, note: string, href?: string): Child {
  const content = [
    el("span", { class: "sl-file-kind", "aria-hidden": "true" }, name.split(".").at(-1)?.slice(0, 4) ?? ""),
    el("span", { class: "sl-file-name" }, name, el("span", { class: "sl-muted" }, note)),
  ];
  return href === undefined
    ? el("div", { class: "sl-file" }, ...content)
    : el("a", { class: "sl-file", href }, ...content);
}

/** A window over the page, from its `view`. */
export function drawModal(
  view: Fields,
  look: SlackDrawContext,
  buttons: Pick<WindowFrame, "close" | "submit">,
): Child {
  const words = {
    title: wordsOf(view.title),
    leave: wordsOf(view.close) || "Cancel",
    send: wordsOf(view.submit),
  };
  return frameWindow("sl", { ...words, ...buttons }, drawBlocks(fieldsIn(view.blocks), look));
}
