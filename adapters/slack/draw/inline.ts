import { type Child, jsx as el } from "hono/jsx";

import type { Look } from "./look.ts";
import { addressOf, textOf } from "../../chat/draw/wire.ts";

export function link(url: unknown, label: string): Child {
  const href = addressOf(url);
  if (href === undefined) return label;
  return el("a", { class: "sl-link", href, target: "_blank", rel: "noreferrer noopener" }, label);
}

/** A person, channel, group or everybody. */
export function mention(sign: "@" | "#", id: unknown, look: Look): Child {
  const known = textOf(id);
  return el("span", { class: "sl-mention" }, `${sign}${look.name(known) ?? known}`);
}

export function code(text: string): Child {
  return el("code", { class: "sl-code" }, text);
}

export function pre(...content: Child[]): Child {
  return el("pre", { class: "sl-pre" }, ...content);
}

export function quote(...content: Child[]): Child {
  return el("blockquote", { class: "sl-quote" }, ...content);
}

/** Characters from their code points, as Slack sends an emoji: `1f44d-1f3fd`. */
export function emoji(name: unknown, unicode: unknown): Child {
  const points = textOf(unicode).split("-");
  const isKnown = points.every(
    (point) => /^[0-9a-f]{1,6}$/i.test(point) && parseInt(point, 16) <= 0x10_ff_ff,
  );
  return isKnown ? String.fromCodePoint(...points.map((point) => parseInt(point, 16))) : `:${textOf(name)}:`;
}
