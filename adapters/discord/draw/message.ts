import { type Child, jsx as el } from "hono/jsx";

import { drawAvatar } from "../../chat/draw/avatar.ts";
import type { Attributes } from "../../chat/draw/look.ts";
import { type Fields, fieldsIn, textOf } from "../../chat/draw/wire.ts";
import { drawComponents } from "./components.ts";
import { drawEmbed } from "./embed.ts";
import type { Look } from "./look.ts";
import { drawMarkdown } from "./markdown.ts";
import { drawFile } from "./media.ts";

/** A message with the one who wrote it. */
export interface DrawnMessage {
  author: string;
  isApp: boolean;
  /** Beside the name: the time, and what else there is to say of the message. */
  note: string;
  /** `content`, `embeds`, `components` and `attachments`, as they go over the wire. */
  payload: Fields;
  /** Above the message: what it answers. */
  before?: Child;
  /** Below it: reactions, threads. */
  after?: Child[];
}

export function drawMessage(message: DrawnMessage, look: Look): Child {
  const { author, isApp, note, before = null, after = [] } = message;
  return el(
    "div",
    { class: "dc-message" },
    before,
    drawAvatar("dc-avatar", author, isApp),
    el(
      "div",
      { class: "dc-content" },
      el(
        "div",
        { class: "dc-author" },
        el("strong", null, author),
        isApp ? el("span", { class: "dc-badge" }, "APP") : null,
        el("span", { class: "dc-subtext" }, note),
      ),
      ...drawPayload(message.payload, look),
      ...after,
    ),
  );
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

/** A window over the page, from its payload; `close` and `submit` make its buttons work. */
export function drawModal(
  modal: Fields,
  look: Look,
  { close, submit }: { close: Attributes; submit?: Attributes },
): Child {
  return el(
    "div",
    { class: "dc-window" },
    el(
      "div",
      { class: "dc-window-head" },
      drawAvatar("dc-avatar", "", true),
      el("strong", null, textOf(modal.title)),
      el("button", { ...close, type: "button", class: "dc-window-close", "aria-label": "Close" }, "×"),
    ),
    el("div", { class: "dc-window-body" }, ...drawComponents(modal.components, look)),
    el(
      "div",
      { class: "dc-window-foot" },
      el("button", { ...close, type: "button", class: "dc-button dc-secondary" }, "Cancel"),
      el(
        "button",
        { ...submit, type: "button", class: "dc-button dc-primary", disabled: submit === undefined },
        "Submit",
      ),
    ),
  );
}
