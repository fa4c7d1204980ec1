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
