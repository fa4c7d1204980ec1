import { type Child, Fragment, jsx as el } from "hono/jsx";

import type { Cell, Inline } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";
import { canonicalJson } from "#src/base/json.ts";
import { splitMoments } from "#src/base/moments.ts";

/** Characters that HTML forbids or that a parser would change behind our back. */
// oxlint-disable-next-line no-control-regex -- naming control characters is the point
const FORBIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFE\uFFFF]/gu;

/** Markup of what was drawn: line ends as `\n`, lone surrogates and forbidden characters as U+FFFD. */
export function toHtml(drawn: Child[]): string {
  const html = String(el(Fragment, {}, ...drawn));
  return html.toWellFormed().replaceAll(/\r\n?/g, "\n").replaceAll(FORBIDDEN, "\uFFFD");
}

/** A link that opens apart from the page; its bare content where the address is no well-formed http or https. */
export function link(href: string | undefined, content: Child): Child {
  if (href === undefined || !/^https?:\/\//i.test(href) || !URL.canParse(href)) return content;
  return el("a", { class: "cs-link", href, target: "_blank", rel: "noopener noreferrer" }, content);
}

/** `bdi` keeps the writing direction of data to itself. */
export function data(text: string): Child {
  return el("bdi", {}, ...withMoments(text));
}

/** A text whose moments the page's script shows in the reader's own time. */
export function withMoments(text: string): Child[] {
  return splitMoments(text).map((part) => {
    if (typeof part === "string") return part;
    return el("time", { datetime: new Date(part.at).toISOString(), "data-clock": true }, part.text);
  });
}

/** A piece of text, linked and coloured as it asks. */
function inline({ text, href, tone }: Inline): Child {
  const content = link(href, data(text));
  return tone === undefined ? content : el("span", { class: `cs-badge cs-tone-${tone}` }, content);
}

export function badges(items: readonly Inline[] = []): Child {
  const drawn = items.map((item) => inline({ ...item, tone: item.tone ?? "neutral" }));
  return drawn.length === 0 ? undefined : el("span", { class: "cs-badges" }, ...drawn);
}

function none(): Child {
  return el("span", { class: "cs-none" }, "none");
}

export function cell(value: Cell): Child {
  if (value === null || value === "") return none();
  if (typeof value === "object") return inline(value);
  if (typeof value === "boolean") return el("span", { class: "cs-boolean" }, value ? "yes" : "no");
  return typeof value === "number" ? el("span", { class: "cs-number" }, String(value)) : data(value);
}

/** A JSON value on either side of a change: strings as they are, the rest as canonical JSON. */
export function json(value: JsonValue): Child {
  if (value === null || value === "") return none();
  return typeof value === "string" ? data(value) : el("code", { class: "cs-json" }, canonicalJson(value));
}

/** A table that scrolls sideways on its own. */
export function scrolling(label: string | undefined, ...content: Child[]): Child {
  const region = label === undefined ? {} : { role: "region", "aria-label": label };
  return el("div", { class: "cs-table-scroll", ...region, tabindex: 0 }, ...content);
}
