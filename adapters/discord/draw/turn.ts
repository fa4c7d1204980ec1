import type { TurnView } from "#contract/present.ts";

import { type Child, jsx as el } from "hono/jsx";

import { toHtml } from "../../chat/draw/html.ts";
import type { Attributes } from "../../chat/draw/look.ts";
import { createPopovers, type TurnDrawing } from "../../chat/draw/popovers.ts";
import { textOf } from "../../chat/draw/wire.ts";
import { readCustomId } from "../render/buttons.ts";
import { renderFormWindow } from "../render/form.ts";
import type { RenderedMessage } from "../render/message.ts";
import { renderNotice } from "../render/notice.ts";
import { renderTurn } from "../render/turn.ts";
import { renderWindow } from "../render/window.ts";
import { type Look, stillLook } from "./look.ts";
import { drawMessage, drawModal } from "./message.ts";

/**
 * The message of a turn as Discord would show it, from the components that Discord would be sent. Its
 * buttons open the answers for one person that they bring there; what would decide or change something
 * does nothing.
 */
export async function drawDiscordTurn(view: TurnView, parts: TurnDrawing): Promise<string> {
  const rendered = renderTurn(view, parts.cards);
  const popovers = createPopovers("dc-popover", view, parts);
  const look: Look = {
    ...lookOf(rendered),
    attributes(component) {
      const { action = "", value = "" } = readCustomId(textOf(component.custom_id)) ?? {};
      return popovers.opener(action, rendered.values.get(value) ?? value);
    },
  };
  const message = draw(rendered, "", look);
  const windows = await popovers.drawn({
    window: (window, close) => forOne(renderWindow(window), close),
    question({ form, card, note }, close) {
      // What a person says yes to stands in a message, as a window of Discord has no room for it.
      if (card !== undefined) return forOne(renderNotice(card, []), close);
      const modal = renderFormWindow(form, {
        page: 0,
        customId: "",
        values: {},
        ...(note === undefined ? {} : { note }),
      });
      return drawModal({ ...modal }, stillLook(Date.now()), { close });
    },
  });
  return toHtml(message, ...windows);
}

/** An answer that one person sees. */
function forOne(answer: RenderedMessage, close: Attributes): Child {
  return [
    draw(answer, "Only you can see this", lookOf(answer)),
    el("button", { ...close, type: "button", class: "dc-dismiss" }, "Dismiss message"),
  ];
}

function draw({ components }: RenderedMessage, note: string, look: Look): ReturnType<typeof drawMessage> {
  return drawMessage({ author: "Countersign", isApp: true, note, payload: { components } }, look);
}

function lookOf({ files }: RenderedMessage): Look {
  const notes = new Map(files.map(({ filename, title }) => [`attachment://${filename}`, title]));
  return {
    ...stillLook(Date.now()),
    file(url) {
      const note = notes.get(url);
      return note === undefined ? undefined : { note };
    },
  };
}
