import type { ModalView } from "@slack/types";
import { type Child, jsx as el } from "hono/jsx";

import type { ApprovalForm } from "#contract/approval-actions.ts";
import type { TurnView } from "#contract/present.ts";
import { isObject } from "#src/base/json.ts";

import { readActionId, readMenuValue } from "../../slack/render/buttons.ts";
import { renderCard } from "../../slack/render/card.ts";
import { renderForm } from "../../slack/render/form.ts";
import { VIEW_BUDGET } from "../../slack/render/limits.ts";
import { renderTurn } from "../../slack/render/turn.ts";
import { renderWindow } from "../../slack/render/window.ts";
import { type Fields, fieldsIn, type SlackDrawContext, stillSlack, textOf, wordsOf } from "../context.ts";
import {
  type Attributes,
  frameFile,
  frameMessage,
  frameWindow,
  type MessageFrame,
  span,
  toHtml,
  type WindowFrame,
} from "../frame.ts";
import { createPopovers, type TurnDrawing } from "../popovers.ts";
import { drawBlocks } from "./blocks.ts";

/**
 * The message of a turn as Slack would show it, from the blocks that Slack would be sent. Its buttons open
 * the windows that they open there; what would decide or change something does nothing.
 */
export async function drawSlackTurn(view: TurnView, parts: TurnDrawing): Promise<string> {
  const { blocks, attachments } = renderTurn(view, parts.cards, { native: true });
  const popovers = createPopovers("sl-popover", view, parts);
  const message = drawMessage(
    {
      author: "Countersign",
      isApp: true,
      note: "",
      blocks: blocks as unknown as Fields[],
      after: view.isSettled ? attachments.map(({ filename, title }) => drawFile(filename, title)) : [],
    },
    {
      ...stillSlack(),
      attributes(_block, element) {
        const { selected_option: option } = element;
        const chosen = isObject(option) ? readMenuValue(textOf(option.value)) : undefined;
        const { action_id: id, value } = chosen ?? element;
        return popovers.opener(readActionId(textOf(id)) ?? "", textOf(value));
      },
    },
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
  const noted = note === undefined ? {} : { note };
  return renderForm(form, { callbackId: "", metadata: "", submit, above, ...noted });
}

/** A message with the one who wrote it. */
export function drawMessage(
  { blocks, ...frame }: MessageFrame & { blocks: readonly Fields[] },
  context: SlackDrawContext,
): Child {
  return frameMessage("sl", frame, drawBlocks(blocks, context));
}

/** A file below a message, such as the whole of a long result. */
export function drawFile(name: string, note: string, href?: string): Child {
  const ending = name.split(".").at(-1)?.slice(0, 4) ?? "";
  const kind = el("span", { class: "sl-file-kind", "aria-hidden": "true" }, ending);
  return frameFile("sl", href, kind, span("sl-file-name", name, span("sl-muted", note)));
}

/** A window over the page, from its `view`. */
export function drawModal(
  view: Fields,
  context: SlackDrawContext,
  buttons: Pick<WindowFrame, "close" | "submit">,
): Child {
  const title = wordsOf(view.title);
  const leave = wordsOf(view.close) || "Cancel";
  const body = drawBlocks(fieldsIn(view.blocks), context);
  return frameWindow("sl", { title, leave, send: wordsOf(view.submit), ...buttons }, body);
}
