import { type Child, jsx as el } from "hono/jsx";

import { frameMessage, frameWindow, type MessageFrame, type WindowFrame } from "../../chat/draw/frame.ts";
import { type Fields, fieldsIn, wordsOf } from "../../chat/draw/wire.ts";
import { drawBlocks } from "./blocks.ts";
import type { Look } from "./look.ts";

/** A message with the one who wrote it. */
export interface DrawnMessage extends MessageFrame {
  blocks: readonly Fields[];
  /** Below the blocks: files, reactions. */
  after?: Child[];
}

export function drawMessage(message: DrawnMessage, look: Look): Child {
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
export function drawModal(view: Fields, look: Look, buttons: Pick<WindowFrame, "close" | "submit">): Child {
  const words = {
    title: wordsOf(view.title),
    leave: wordsOf(view.close) || "Cancel",
    send: wordsOf(view.submit),
  };
  return frameWindow("sl", { ...words, ...buttons }, drawBlocks(fieldsIn(view.blocks), look));
}
