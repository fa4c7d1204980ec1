import { type Child, jsx as el } from "hono/jsx";

import { drawAvatar } from "../../chat/draw/avatar.ts";
import type { Attributes } from "../../chat/draw/look.ts";
import { type Fields, fieldsIn, wordsOf } from "../../chat/draw/wire.ts";
import { drawBlocks } from "./blocks.ts";
import type { Look } from "./look.ts";

/** A message with the one who wrote it. */
export interface DrawnMessage {
  author: string;
  isApp: boolean;
  /** Beside the name: the time, and what else there is to say of the message. */
  note: string;
  blocks: readonly Fields[];
  /** Below the blocks: files, reactions. */
  after?: Child[];
}

export function drawMessage({ author, isApp, note, blocks, after = [] }: DrawnMessage, look: Look): Child {
  return el(
    "div",
    { class: "sl-message" },
    drawAvatar("sl-avatar", author, isApp),
    el(
      "div",
      { class: "sl-content" },
      el(
        "div",
        { class: "sl-author" },
        el("strong", null, author),
        isApp ? el("span", { class: "sl-badge" }, "APP") : null,
        el("span", { class: "sl-muted sl-time" }, note),
      ),
      ...drawBlocks(blocks, look),
      ...after,
    ),
  );
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

/** A window over the page, from its `view`; `close` and `submit` make its buttons work. */
export function drawModal(
  view: Fields,
  look: Look,
  { close, submit }: { close: Attributes; submit?: Attributes },
): Child {
  const send = wordsOf(view.submit);
  return el(
    "div",
    { class: "sl-window" },
    el(
      "div",
      { class: "sl-window-head" },
      drawAvatar("sl-avatar", "", true),
      el("strong", null, wordsOf(view.title)),
      el("button", { ...close, type: "button", class: "sl-window-close", "aria-label": "Close" }, "×"),
    ),
    el("div", { class: "sl-window-body" }, ...drawBlocks(fieldsIn(view.blocks), look)),
    el(
      "div",
      { class: "sl-window-foot" },
      el("button", { ...close, type: "button", class: "sl-button" }, wordsOf(view.close) || "Cancel"),
      send === ""
        ? null
        : el(
            "button",
            { ...submit, type: "button", class: "sl-button sl-primary", disabled: submit === undefined },
            send,
          ),
    ),
  );
}
