import { type Child, jsx as el, Fragment } from "hono/jsx";

import type { Attributes } from "./context.ts";

/** What begins the names of a platform's classes. */
export type Prefix = "sl" | "dc";

export interface MessageFrame {
  author: string;
  isApp: boolean;
  /** Beside the name: the time, and what else there is to say of the message. */
  note: string;
  /** Above the message: what it answers. */
  before?: Child;
}

/** A message with the one who wrote it. */
export function frameMessage(
  prefix: Prefix,
  { author, isApp, note, before = null }: MessageFrame,
  content: Child[],
): Child {
  const head = el(
    "div",
    { class: `${prefix}-author` },
    el("strong", null, author),
    isApp ? el("span", { class: `${prefix}-badge` }, "APP") : null,
    el("span", { class: `${prefix}-note` }, note),
  );
  return el(
    "div",
    { class: `${prefix}-message` },
    before,
    drawAvatar(`${prefix}-avatar`, author, isApp),
    el("div", { class: `${prefix}-content` }, head, ...content),
  );
}

export interface WindowFrame {
  title: string;
  /** What stands on the button that leaves it. */
  leave: string;
  /** What stands on the button that sends it; none without one. */
  send?: string;
  /** The attributes that make the buttons work; without those of `submit` it is drawn and does nothing. */
  close: Attributes;
  submit?: Attributes | undefined;
}

/** A window over the page. */
export function frameWindow(prefix: Prefix, frame: WindowFrame, body: Child[]): Child {
  const { title, leave, send = "", close, submit } = frame;
  const name = `${prefix}-button`;
  return el(
    "div",
    { class: `${prefix}-window` },
    el(
      "div",
      { class: `${prefix}-window-head` },
      drawAvatar(`${prefix}-avatar`, "", true),
      el("strong", null, title),
      el("button", { ...close, type: "button", class: `${prefix}-window-close`, "aria-label": "Close" }, "×"),
    ),
    el("div", { class: `${prefix}-window-body` }, ...body),
    el(
      "div",
      { class: `${prefix}-window-foot` },
      el("button", { ...close, type: "button", class: `${name} ${prefix}-secondary` }, leave),
      send === ""
        ? null
        : el(
            "button",
            { ...submit, type: "button", class: `${name} ${prefix}-primary`, disabled: submit === undefined },
            send,
          ),
    ),
  );
}

/** People by their first letter in one of five colours, the app by its seal; `name` is the class. */
function drawAvatar(name: string, author: string, isApp: boolean): Child {
  if (!isApp) {
    const letters = Array.from(author);
    const sum = letters.reduce((all, letter) => all + (letter.codePointAt(0) ?? 0), 0);
    const first = letters[0]?.toUpperCase() ?? "";
    return el("span", { class: `${name} ${name}-${sum % 5}`, "aria-hidden": "true" }, first);
  }
  const tick = el("path", {
    d: "M5 12.5l4.5 4.5L19 7.5",
    fill: "none",
    stroke: "currentColor",
    "stroke-width": "3",
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  });
  return el(
    "span",
    { class: `${name} ${name}-app`, "aria-hidden": "true" },
    el("svg", { viewBox: "0 0 24 24", width: "20", height: "20" }, tick),
  );
}

/** Drawn nodes as HTML, with every text escaped. */
export function toHtml(...drawn: Child[]): string {
  // Nothing here waits, so that a string comes back and no promise.
  return String(el(Fragment, null, ...drawn));
}
