import canonicalize from "canonicalize";

import type { Cell, Inline } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

/** Markup that was built by `el` or `join` and needs no more escaping. */
export interface Html {
  readonly html: string;
}

/** Everything that may stand in a card. There is no way to write another element. */
export type TagName =
  | "a"
  | "article"
  | "bdi"
  | "blockquote"
  | "br"
  | "button"
  | "caption"
  | "code"
  | "dd"
  | "del"
  | "details"
  | "div"
  | "dl"
  | "dt"
  | "em"
  | "footer"
  | "h3"
  | "h4"
  | "h5"
  | "h6"
  | "header"
  | "hr"
  | "ins"
  | "li"
  | "ol"
  | "p"
  | "pre"
  | "progress"
  | "section"
  | "span"
  | "strong"
  | "summary"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "tr"
  | "ul";

const VOID_TAGS = new Set<TagName>(["br", "hr"]);

/** Characters that HTML forbids or that a parser would change behind our back. */
// oxlint-disable-next-line no-control-regex -- naming control characters is the point
const FORBIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFE\uFFFF]/gu;

/** Text as inert HTML, for element content and quoted attributes alike. */
export function escapeHtml(text: string): string {
  return cleanText(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** Line ends as `\n`, lone surrogates and forbidden characters as U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, "\n").replaceAll(FORBIDDEN, "\uFFFD");
}

/** An element. Strings among the children are data and get escaped; attributes that are undefined are left out. */
export function el(
  tag: TagName,
  attributes: Record<string, string | number | undefined>,
  ...children: (Html | string | undefined)[]
): Html {
  let open = `<${tag}`;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) open += ` ${name}="${escapeHtml(String(value))}"`;
  }
  if (VOID_TAGS.has(tag)) return { html: `${open}>` };
  return { html: `${open}>${join(children).html}</${tag}>` };
}

/** Several pieces as one. */
export function join(children: readonly (Html | string | undefined)[]): Html {
  let html = "";
  for (const child of children) {
    if (child !== undefined) html += typeof child === "string" ? escapeHtml(child) : child.html;
  }
  return { html };
}

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
function inline(item: Inline): Html {
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

function none(): Html {
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
