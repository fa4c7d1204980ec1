import type { Card, CardElement, SectionElement } from "#contract/card.ts";

import { actions, changes, error, fields, header, links, list, progress } from "./blocks.ts";
import { el, join } from "./element.ts";
import type { Html, TagName } from "./element.ts";
import { table } from "./table.ts";
import { code, text } from "./text.ts";

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
