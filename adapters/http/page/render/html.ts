import type {
  ActionsElement,
  Card,
  CardElement,
  ChangesElement,
  CodeElement,
  ErrorElement,
  FieldsElement,
  HeaderElement,
  LinksElement,
  ListElement,
  ProgressElement,
  SectionElement,
  TableElement,
  TextElement,
} from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { badges, cell, el, type Html, join, json, link, type TagName } from "./element.ts";
import { markdownWords, renderMarkdown } from "./markdown.ts";

/*
 * Every class the stylesheet can draw on.
 *
 * Card       article.cs-card  also cs-card--result | --answer | --question | --approval | --status | --error;
 *            carries data-kind and an aria-label (the card's title)
 * Header     header.cs-header > p.cs-eyebrow (key or space, above), h3.cs-title, span.cs-badges
 * Badge      span.cs-badge    also cs-tone-neutral | -info | -good | -warn | -bad; groups: span.cs-badges
 * Link       a.cs-link        every link, opens a new tab
 * Fields     dl.cs-fields > div.cs-field > dt.cs-label, dd.cs-value
 * Values     span.cs-none (the word "none"), span.cs-boolean (yes, no), span.cs-number, code.cs-json
 * Text       div.cs-text      also cs-text--plain (needs white-space: pre-wrap) | cs-markdown
 *            inside markdown: p, ul, ol, li, blockquote, hr, strong, em, del, code, a.cs-link, pre.cs-code,
 *            h4 to h6.cs-md-heading, div.cs-table-scroll > table.cs-table
 * Fold       details.cs-fold > summary.cs-fold-summary > span.cs-fold-preview (first lines; hide when open),
 *            span.cs-fold-more (hide when open), span.cs-fold-less (hide when closed); then the whole content
 * Table      div.cs-table-scroll (scrolls sideways, takes focus) > table.cs-table > caption.cs-caption, thead, tbody;
 *            th and td.cs-right for right-aligned columns; after it p.cs-total ("10 of 60")
 * List       ul.cs-list or ol.cs-list > li.cs-list-item > span.cs-list-text, span.cs-badges, div.cs-list-detail
 *            (one for each line)
 * Code       pre.cs-code (takes focus) > code, data-language on the pre where known
 * Links      ul.cs-links > li > a.cs-link
 * Progress   div.cs-progress > span.cs-progress-label, progress.cs-bar, span.cs-progress-count ("3 of 8" or "3")
 * Changes    div.cs-table-scroll > table.cs-changes (Field, Before, After) > th scope=row,
 *            td > del.cs-before (needs white-space: pre-wrap), td > ins.cs-after (the same); long values in a fold
 * Section    section.cs-section > h4 to h6.cs-section-title, content;
 *            folded: details.cs-section.cs-section--folded > summary.cs-section-title, div.cs-section-body
 * Actions    div.cs-actions (role group) > button.cs-button  also cs-button--primary | cs-button--danger;
 *            data-action: approve | deny | stop | settle_happened | settle_did_not | prompt; data-value: see CardAction
 * Footer     footer.cs-footer
 * Error      div.cs-error (role note) > p.cs-error-message, pre.cs-error-detail
 */

/**
 * A card as HTML. Every string of the card is escaped; links are http or https only; the markup needs
 * no script, no inline style and no outside resource, so it fits the strictest content security policy.
 */
export function renderCardHtml(card: Card): string {
  return el(
    "article",
    {
      class: `cs-card cs-card--${card.kind}`,
      "data-kind": card.kind,
      "aria-label": card.title,
    },
    ...card.elements.map((element) => render(element, 0)),
  ).html;
}

function render(element: CardElement, depth: number): Html {
  switch (element.type) {
    case "header":
      return header(element);
    case "fields":
      return fields(element);
    case "text":
      return text(element);
    case "table":
      return table(element);
    case "list":
      return list(element);
    case "code":
      return code(element);
    case "links":
      return links(element);
    case "progress":
      return progress(element);
    case "changes":
      return changes(element);
    case "section":
      return section(element, depth);
    case "actions":
      return actions(element);
    case "footer":
      return el("footer", { class: "cs-footer" }, element.text);
    default:
      return error(element);
  }
}

/** A group with its heading one level below what encloses it. */
function section(element: SectionElement, depth: number): Html {
  const content = join(element.elements.map((item) => render(item, depth + 1)));
  const title = el("bdi", {}, element.title);
  if (element.folded === true) {
    return el(
      "details",
      { class: "cs-section cs-section--folded" },
      el("summary", { class: "cs-section-title" }, title),
      el("div", { class: "cs-section-body" }, content),
    );
  }
  const heading: TagName = depth === 0 ? "h4" : depth === 1 ? "h5" : "h6";
  return el("section", { class: "cs-section" }, el(heading, { class: "cs-section-title" }, title), content);
}

/** Characters. */
const LONG_VALUE = 600;

function header(element: HeaderElement): Html {
  return el(
    "header",
    { class: "cs-header" },
    element.eyebrow === undefined ? undefined : el("p", { class: "cs-eyebrow" }, element.eyebrow),
    el("h3", { class: "cs-title" }, link(element.href, el("bdi", {}, element.text))),
    badges(element.badges),
  );
}

function fields(element: FieldsElement): Html {
  return el(
    "dl",
    { class: "cs-fields" },
    ...element.items.map((item) =>
      el(
        "div",
        { class: "cs-field" },
        el("dt", { class: "cs-label" }, el("bdi", {}, item.label)),
        el("dd", { class: "cs-value" }, cell(item.value)),
      ),
    ),
  );
}

function list(element: ListElement): Html {
  return el(
    element.ordered === true ? "ol" : "ul",
    { class: "cs-list" },
    ...element.items.map((item) =>
      el(
        "li",
        { class: "cs-list-item" },
        el("span", { class: "cs-list-text" }, link(item.href, el("bdi", {}, item.text))),
        badges(item.badges),
        ...(item.detail ?? "")
          .split(/\r\n?|\n/)
          .filter((line) => line !== "")
          .map((line) => el("div", { class: "cs-list-detail" }, line)),
      ),
    ),
  );
}

function links(element: LinksElement): Html {
  return el(
    "ul",
    { class: "cs-links" },
    ...element.items.map((item) => el("li", {}, link(item.href, el("bdi", {}, item.label)))),
  );
}

/** A bar where both numbers can be drawn, else the count alone. */
function progress({ label, value, total }: ProgressElement): Html {
  const drawable = total !== undefined && Number.isFinite(total) && total > 0 && Number.isFinite(value);
  const bar = drawable
    ? el("progress", {
        class: "cs-bar",
        max: total,
        value: Math.min(Math.max(value, 0), total),
        "aria-label": label,
      })
    : undefined;
  return el(
    "div",
    { class: "cs-progress" },
    el("span", { class: "cs-progress-label" }, label),
    bar,
    el("span", { class: "cs-progress-count" }, total === undefined ? `${value}` : `${value} of ${total}`),
  );
}

function changes(element: ChangesElement): Html {
  const columns = ["Field", "Before", "After"].map((name) => el("th", { scope: "col" }, name));
  const rows = element.items.map((item) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("bdi", {}, item.label)),
      el("td", {}, side("del", item.before)),
      el("td", {}, side("ins", item.after)),
    ),
  );
  return el(
    "div",
    { class: "cs-table-scroll", role: "region", "aria-label": "Changes", tabindex: 0 },
    el("table", { class: "cs-changes" }, el("thead", {}, el("tr", {}, ...columns)), el("tbody", {}, ...rows)),
  );
}

/** One side of a change; a whole page's text would bury the other fields, so it is folded. */
function side(tag: "del" | "ins", value: JsonValue): Html {
  const content = el(tag, { class: tag === "del" ? "cs-before" : "cs-after" }, json(value));
  return typeof value === "string" && value.length > LONG_VALUE ? fold(value, content) : content;
}

/** Buttons that say what they do in `data-action` and with what in `data-value`; the page's script listens. */
function actions(element: ActionsElement): Html {
  return el(
    "div",
    { class: "cs-actions", role: "group", "aria-label": "Actions" },
    ...element.items.map((item) =>
      el(
        "button",
        {
          type: "button",
          class: item.style === undefined ? "cs-button" : `cs-button cs-button--${item.style}`,
          "data-action": item.id,
          "data-value": item.value,
        },
        item.label,
      ),
    ),
  );
}

function error(element: ErrorElement): Html {
  return el(
    "div",
    { class: "cs-error", role: "note", "aria-label": "Error" },
    el("p", { class: "cs-error-message" }, element.message),
    element.detail === undefined ? undefined : el("pre", { class: "cs-error-detail" }, element.detail),
  );
}

/** A table that scrolls sideways on its own, with the count below it when rows were left out. */
function table(element: TableElement): Html {
  const side = (index: number): string | undefined =>
    element.columns[index]?.align === "right" ? "cs-right" : undefined;
  const head = element.columns.map((column, index) =>
    el("th", { scope: "col", class: side(index) }, el("bdi", {}, column.label)),
  );
  const rows = element.rows.map((row) =>
    el("tr", {}, ...row.map((value, index) => el("td", { class: side(index) }, cell(value)))),
  );
  const shown = element.rows.length;
  const total =
    element.total !== undefined && element.total > shown
      ? el("p", { class: "cs-total" }, `${shown} of ${element.total}`)
      : undefined;
  return join([
    el(
      "div",
      {
        class: "cs-table-scroll",
        role: "region",
        "aria-label": element.caption ?? "Table",
        tabindex: 0,
      },
      el(
        "table",
        { class: "cs-table" },
        element.caption === undefined ? undefined : el("caption", { class: "cs-caption" }, element.caption),
        el("thead", {}, el("tr", {}, ...head)),
        el("tbody", {}, ...rows),
      ),
    ),
    total,
  ]);
}

/** What a closed fold shows. */
const PREVIEW_LINES = 3;
const PREVIEW_CHARS = 280;

function text(element: TextElement): Html {
  const markdown = element.format === "markdown";
  const content = markdown
    ? el("div", { class: "cs-text cs-markdown" }, renderMarkdown(element.text))
    : el("div", { class: "cs-text cs-text--plain" }, element.text);
  if (element.folded !== true || isShort(element.text)) return content;
  return fold(markdown ? markdownWords(head(element.text)) : element.text, content);
}

function code(element: CodeElement): Html {
  const content = el(
    "pre",
    { class: "cs-code", tabindex: 0, "data-language": element.language },
    el("code", {}, element.text),
  );
  return element.folded === true && !isShort(element.text) ? fold(element.text, content) : content;
}

/** Content behind a summary that shows how it begins. */
function fold(previewOf: string, content: Html): Html {
  return el(
    "details",
    { class: "cs-fold" },
    el(
      "summary",
      { class: "cs-fold-summary" },
      el("span", { class: "cs-fold-preview" }, `${firstLines(previewOf)} …`),
      el("span", { class: "cs-fold-more" }, "Show all"),
      el("span", { class: "cs-fold-less" }, "Show less"),
    ),
    content,
  );
}

/** Folding what nearly fits the preview would hide it for nothing. */
function isShort(value: string): boolean {
  return value.length <= PREVIEW_CHARS && value.split("\n").length <= PREVIEW_LINES;
}

/** Enough of a long text to find its first words in; previews must not cost its whole length. */
function head(value: string): string {
  return value.slice(0, PREVIEW_CHARS * 4);
}

function firstLines(value: string): string {
  const lines = head(value).split("\n").slice(0, PREVIEW_LINES).join("\n");
  return lines.slice(0, PREVIEW_CHARS).trimEnd();
}
