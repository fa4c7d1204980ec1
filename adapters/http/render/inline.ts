import canonicalize from "canonicalize";

import type { Cell, Inline } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { el, join } from "./element.ts";
import type { Html } from "./element.ts";

/** The address when it may be linked (http or https, well formed), else undefined. */
function safeHref(href: string | undefined): string | undefined {
  if (href === undefined || !/^https?:\/\//i.test(href)) return undefined;
  return URL.canParse(href) ? href : undefined;
}

/** A link that opens apart from the page, or its bare content when the address may not be linked. */
export function link(href: string | undefined, content: Html | string): Html {
  const safe = safeHref(href);
  if (safe === undefined) return join([content]);
  return el("a", { class: "cs-link", href: safe, target: "_blank", rel: "noopener noreferrer" }, content);
}

/** A piece of text, linked and coloured as it asks. `bdi` keeps its writing direction to itself. */
export function inline(item: Inline): Html {
  const content = link(item.href, el("bdi", {}, item.text));
  return item.tone === undefined ? content : el("span", { class: `cs-badge cs-tone-${item.tone}` }, content);
}

export function badges(items: readonly Inline[] | undefined): Html | undefined {
  if (items === undefined || items.length === 0) return undefined;
  return el(
    "span",
    { class: "cs-badges" },
    ...items.map((item) => inline({ ...item, tone: item.tone ?? "neutral" })),
  );
}

export function none(): Html {
  return el("span", { class: "cs-none" }, "none");
}

export function cell(value: Cell): Html {
  if (value === null || value === "") return none();
  if (typeof value === "object") return inline(value);
  if (typeof value === "boolean") return el("span", { class: "cs-boolean" }, value ? "yes" : "no");
  if (typeof value === "number") return el("span", { class: "cs-number" }, String(value));
  return el("bdi", {}, value);
}

/** A JSON value on either side of a change: strings as they are, the rest as canonical JSON. */
export function json(value: JsonValue): Html {
  if (value === null || value === "") return none();
  if (typeof value === "string") return el("bdi", {}, value);
  return el("code", { class: "cs-json" }, jsonText(value));
}

/** Canonical JSON; plain JSON where the canonical form does not exist (lone surrogates). */
function jsonText(value: JsonValue): string {
  try {
    return canonicalize(value) ?? "";
  } catch {
    return JSON.stringify(value);
  }
}
