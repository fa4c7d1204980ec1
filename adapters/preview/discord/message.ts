import { type Child, jsx as el } from "hono/jsx";

import type { TurnView } from "#contract/present.ts";

import { readCustomId } from "../../discord/render/buttons.ts";
import { renderFormWindow } from "../../discord/render/form.ts";
import type { RenderedMessage } from "../../discord/render/message.ts";
import { renderTurn } from "../../discord/render/turn.ts";
import { renderNotice, renderWindow } from "../../discord/render/window.ts";
import { type Attributes, type DiscordDrawContext, stillDiscord } from "../context.ts";
import { frameMessage, frameWindow, type MessageFrame, toHtml, type WindowFrame } from "../frame.ts";
import { type Fields, fieldsIn, textOf } from "../payload.ts";
import { createPopovers, type TurnDrawing } from "../popovers.ts";
import { drawComponents, drawEmbed, drawFile } from "./components.ts";
import { drawMarkdown } from "./text.ts";

/**
 * The message of a turn as Discord would show it, from the components that Discord would be sent. Its
 * buttons open the answers for one person that they bring there; what would decide or change something
 * does nothing.
 */
export async function drawDiscordTurn(view: TurnView, parts: TurnDrawing): Promise<string> {
  const rendered = renderTurn(view, parts.cards);
  const popovers = createPopovers("dc-popover", view, parts);
  const look: DiscordDrawContext = {
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
      return drawModal({ ...modal }, stillDiscord(Date.now()), { close });
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

function draw(
  { components }: RenderedMessage,
  note: string,
  look: DiscordDrawContext,
): ReturnType<typeof drawMessage> {
  return drawMessage({ author: "Countersign", isApp: true, note, payload: { components } }, look);
}

function lookOf({ files }: RenderedMessage): DiscordDrawContext {
  const notes = new Map(files.map(({ filename, title }) => [`attachment://${filename}`, title]));
  return {
    ...stillDiscord(Date.now()),
    file(url) {
      const note = notes.get(url);
      return note === undefined ? undefined : { note };
    },
  };
}

/** A message with the one who wrote it. */
export interface DrawnMessage extends MessageFrame {
  /** `content`, `embeds`, `components` and `attachments`, as they go over the wire. */
  payload: Fields;
  /** Below it: reactions, threads. */
  after?: Child[];
}

export function drawMessage(message: DrawnMessage, look: DiscordDrawContext): Child {
  return frameMessage("dc", message, [...drawPayload(message.payload, look), ...(message.after ?? [])]);
}

/** Text, then embeds, then components; files that no component shows come last. */
function drawPayload(payload: Fields, look: DiscordDrawContext): Child[] {
  const content = textOf(payload.content);
  const components = JSON.stringify(payload.components ?? []);
  const files = fieldsIn(payload.attachments).map((file) => textOf(file.filename));
  return [
    content === "" ? null : el("div", { class: "dc-text" }, ...drawMarkdown(content, look)),
    ...fieldsIn(payload.embeds).map((embed) => drawEmbed(embed, look)),
    ...drawComponents(payload.components, look),
    ...files
      .filter((name) => name !== "" && !components.includes(JSON.stringify(`attachment://${name}`)))
      .map((name) => drawFile(`attachment://${name}`, look)),
  ];
}

/** A window over the page, from its payload. */
export function drawModal(
  modal: Fields,
  look: DiscordDrawContext,
  buttons: Pick<WindowFrame, "close" | "submit">,
): Child {
  const words = { title: textOf(modal.title), leave: "Cancel", send: "Submit" };
  return frameWindow("dc", { ...words, ...buttons }, drawComponents(modal.components, look));
}
