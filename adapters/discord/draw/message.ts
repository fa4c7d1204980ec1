import { type Child, jsx as el } from "hono/jsx";

import { frameMessage, frameWindow, type MessageFrame, type WindowFrame } from "../../chat/draw/frame.ts";
import { type Fields, fieldsIn, textOf } from "../../chat/draw/wire.ts";
import { drawComponents } from "./components.ts";
import { drawEmbed } from "./embed.ts";
import type { Look } from "./look.ts";
import { drawMarkdown } from "./markdown.ts";
import { drawFile } from "./media.ts";

/** A message with the one who wrote it. */
export interface DrawnMessage extends MessageFrame {
  /** `content`, `embeds`, `components` and `attachments`, as they go over the wire. */
  payload: Fields;
  /** Below it: reactions, threads. */
  after?: Child[];
}

export function drawMessage(message: DrawnMessage, look: Look): Child {
  return frameMessage("dc", message, [...drawPayload(message.payload, look), ...(message.after ?? [])]);
}

/** Text, then embeds, then components; files that no component shows come last. */
export function drawPayload(payload: Fields, look: Look): Child[] {
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
export function drawModal(modal: Fields, look: Look, buttons: Pick<WindowFrame, "close" | "submit">): Child {
  const words = { title: textOf(modal.title), leave: "Cancel", send: "Submit" };
  return frameWindow("dc", { ...words, ...buttons }, drawComponents(modal.components, look));
}
