import type { DeskQuestion } from "#contract/desk.ts";
import type { TurnView } from "#contract/present.ts";

import type { ModalView } from "@slack/types";
import type { Child } from "hono/jsx";

import { toHtml } from "../../chat/draw/html.ts";
import type { Attributes } from "../../chat/draw/look.ts";
import { createPopovers, type TurnDrawing } from "../../chat/draw/popovers.ts";
import { type Fields, textOf } from "../../chat/draw/wire.ts";
import { readActionId } from "../render/buttons.ts";
import { renderCard } from "../render/card.ts";
import { renderForm } from "../render/form.ts";
import { VIEW_BUDGET } from "../render/limits.ts";
import { renderWindow } from "../render/modals.ts";
import { renderTurn } from "../render/turn.ts";
import { type Look, stillLook } from "./look.ts";
import { drawFile, drawMessage, drawModal } from "./message.ts";

/**
 * The message of a turn as Slack would show it, from the blocks that Slack would be sent. Its buttons open
 * the windows that they open there; what would decide or change something does nothing.
 */
export async function drawSlackTurn(view: TurnView, parts: TurnDrawing): Promise<string> {
  const { blocks, attachments } = renderTurn(view, parts.cards);
  const popovers = createPopovers("sl-popover", view, parts);
  const look: Look = {
    ...stillLook(),
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
    drawModal(view as unknown as Fields, stillLook(), { close });
  const windows = await popovers.drawn({
    window: (window, close) => modal(renderWindow(window), close),
    question: (question, close) => modal(questionView(question), close),
  });
  return toHtml(message, ...windows);
}

function questionView({ form, card, note, submit }: DeskQuestion): ModalView {
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
