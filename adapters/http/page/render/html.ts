import { type Child, jsx as el } from "hono/jsx";

import type { Card, Cell } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { chartLines } from "../../../document/chart-lines.ts";
import { SIZE as CHART_SIZE } from "../../../document/chart-option.ts";
import { drawElement, type ElementDrawers } from "../../../document/tree.ts";
import { drawGraph } from "./graph.ts";
import { badges, cell, data, json, link, scrolling, toHtml, withMoments } from "./element.ts";
import { drawMarkdown, markdownWords } from "./markdown.ts";

/**
 * A card as HTML. Every string of the card is escaped; links are http or https only; the markup needs
 * no script, no inline style and no outside resource, so it fits the strictest content security policy. `chart` is
 * where the picture of its chart is; without it a chart is drawn in characters.
 */
export function renderCardHtml({ kind, title, elements }: Card, chart?: string): string {
  const about = { class: `cs-card cs-card--${kind}`, "data-kind": kind, "aria-label": title };
  return toHtml([
    el("article", about, ...elements.map((element) => drawElement(element, ELEMENTS, { depth: 0, chart }))),
  ]);
}

interface Place {
  /** How deep it stands in sections. */
  depth: number;
  chart: string | undefined;
}

const ELEMENTS: ElementDrawers<Child, Place> = {
  header({ text, href, eyebrow, badges: items }) {
    return el(
      "header",
      { class: "cs-header" },
      eyebrow === undefined ? undefined : el("p", { class: "cs-eyebrow" }, eyebrow),
      el("h3", { class: "cs-title" }, link(href, data(text))),
      badges(items),
    );
  },

  fields({ items }) {
    const drawn = items.map(({ label, value }) =>
      el(
        "div",
        { class: "cs-field" },
        el("dt", { class: "cs-label" }, data(label)),
        el("dd", { class: "cs-value" }, cell(value)),
      ),
    );
    return el("dl", { class: "cs-fields" }, ...drawn);
  },

  text({ text: said, format, folded, graph }) {
    const drawn = graph === undefined ? undefined : drawGraph(graph, said);
    if (drawn !== undefined) return scrolling(undefined, drawn);
    const isMarkdown = format === "markdown";
    const content = isMarkdown
      ? el("div", { class: "cs-text cs-markdown" }, ...drawMarkdown(said))
      : el("div", { class: "cs-text cs-text--plain" }, ...withMoments(said));
    if (folded !== true || isShort(said)) return content;
    return fold(isMarkdown ? markdownWords(startOf(said)) : said, content);
  },

  code({ text: said, language, folded }) {
    const about = { class: "cs-code", tabindex: 0, "data-language": language };
    const content = el("pre", about, el("code", {}, said));
    return folded === true && !isShort(said) ? fold(said, content) : content;
  },

  /** A table with the count below it when rows were left out. */
  table({ caption, columns, rows, total = 0 }) {
    const side = (index: number): string | undefined =>
      columns[index]?.align === "right" ? "cs-right" : undefined;
    const head = columns.map(({ label }, index) =>
      el("th", { scope: "col", class: side(index) }, data(label)),
    );
    const body = rows.map((row) =>
      el(
        "tr",
        {},
        ...row.map((value, index) => el("td", { class: side(index) ?? shortness(value) }, cell(value))),
      ),
    );
    return [
      scrolling(
        caption ?? "Table",
        el(
          "table",
          { class: "cs-table" },
          caption === undefined ? undefined : el("caption", { class: "cs-caption" }, caption),
          el("thead", {}, el("tr", {}, ...head)),
          el("tbody", {}, ...body),
        ),
      ),
      total > rows.length ? el("p", { class: "cs-total" }, `${rows.length} of ${total}`) : undefined,
    ];
  },

  /** The numbers stand in the table beside it. */
  chart(element, { chart: src }) {
    const { alt, note } = element;
    const drawn =
      src === undefined
        ? el(
            "pre",
            { class: "cs-code", role: "img", "aria-label": alt },
            chartLines(element, 60, (text) => text).join("\n"),
          )
        : el("img", { class: "cs-chart-picture", src, alt, loading: "lazy", ...CHART_SIZE });
    return el(
      "figure",
      { class: "cs-chart" },
      drawn,
      note === undefined ? undefined : el("figcaption", { class: "cs-total" }, note),
    );
  },

  list({ ordered, items }) {
    const drawn = items.map(({ text: said, href, badges: marks, detail = "" }) =>
      el(
        "li",
        { class: "cs-list-item" },
        el("span", { class: "cs-list-text" }, link(href, data(said))),
        badges(marks),
        ...detail
          .split(/\r\n?|\n/)
          .filter((line) => line !== "")
          .map((line) => el("div", { class: "cs-list-detail" }, ...withMoments(line))),
      ),
    );
    return el(ordered === true ? "ol" : "ul", { class: "cs-list" }, ...drawn);
  },

  links({ items }) {
    const drawn = items.map(({ label, href }) => el("li", {}, link(href, data(label))));
    return el("ul", { class: "cs-links" }, ...drawn);
  },

  /** A bar where both numbers can be drawn, else the count alone. */
  progress({ label, value, total }) {
    const isDrawable = total !== undefined && Number.isFinite(total) && total > 0 && Number.isFinite(value);
    const share = isDrawable ? { max: total, value: Math.min(Math.max(value, 0), total) } : undefined;
    return el(
      "div",
      { class: "cs-progress" },
      el("span", { class: "cs-progress-label" }, label),
      share === undefined ? undefined : el("progress", { class: "cs-bar", ...share, "aria-label": label }),
      el("span", { class: "cs-progress-count" }, total === undefined ? `${value}` : `${value} of ${total}`),
    );
  },

  changes({ items }) {
    const isOneSided = items.every(({ before, after }) => before === undefined || after === undefined);
    const names = isOneSided ? ["Field", "Value"] : ["Field", "Before", "After"];
    const columns = names.map((name) => el("th", { scope: "col" }, name));
    const rows = items.map(({ label, before, after }) =>
      el("tr", {}, el("th", { scope: "row" }, data(label)), ...sides(before, after, isOneSided ? 1 : 2)),
    );
    return scrolling(
      "Changes",
      el(
        "table",
        { class: "cs-changes" },
        el("thead", {}, el("tr", {}, ...columns)),
        el("tbody", {}, ...rows),
      ),
    );
  },

  /** A group with its heading one level below what encloses it. */
  section({ title, folded, elements }, { depth, chart }) {
    const content = elements.map((element) => drawElement(element, ELEMENTS, { depth: depth + 1, chart }));
    const about = { class: "cs-section-title" };
    return folded === true
      ? el(
          "details",
          { class: "cs-section cs-section--folded" },
          el("summary", about, data(title)),
          el("div", { class: "cs-section-body" }, ...content),
        )
      : el(
          "section",
          { class: "cs-section" },
          el(`h${Math.min(depth + 4, 6)}`, about, data(title)),
          ...content,
        );
  },

  /** Buttons that say what they do in `data-action` and with what in `data-value`; the page's script listens. */
  actions({ items }) {
    const drawn = items.map(({ id, label, style, value }) =>
      el(
        "button",
        {
          type: "button",
          class: style === undefined ? "cs-button" : `cs-button cs-button--${style}`,
          "data-action": id,
          "data-value": value,
        },
        label,
      ),
    );
    return el("div", { class: "cs-actions", role: "group", "aria-label": "Actions" }, ...drawn);
  },

  error({ message, detail }) {
    return el(
      "div",
      { class: "cs-error", role: "note", "aria-label": "Error" },
      el("p", { class: "cs-error-message" }, message),
      detail === undefined ? undefined : el("pre", { class: "cs-error-detail" }, detail),
    );
  },

  footer: ({ text }) => el("footer", { class: "cs-footer" }, text),
};

/** What a closed fold shows. */
const PREVIEW_LINES = 3;
const PREVIEW_CHARS = 280;

/** Content behind a summary that shows how it begins. */
function fold(said: string, content: Child): Child {
  const lines = startOf(said).split("\n").slice(0, PREVIEW_LINES).join("\n");
  return el(
    "details",
    { class: "cs-fold" },
    el(
      "summary",
      { class: "cs-fold-summary" },
      el("span", { class: "cs-fold-preview" }, `${lines.slice(0, PREVIEW_CHARS).trimEnd()} …`),
      el("span", { class: "cs-fold-more" }, "Show all"),
      el("span", { class: "cs-fold-less" }, "Show less"),
    ),
    content,
  );
}

/** Folding what nearly fits the preview would hide it for nothing. */
function isShort(said: string): boolean {
  return said.length <= PREVIEW_CHARS && said.split("\n").length <= PREVIEW_LINES;
}

/** Enough of a long text to find its first words in; previews must not cost its whole length. */
function startOf(said: string): string {
  return said.slice(0, PREVIEW_CHARS * 4);
}

/** Characters; a whole page's text would bury the other fields, so it is folded. */
const LONG_VALUE = 600;

/** The cells of a change; a value that nothing stands against has them to itself. */
function sides(before: JsonValue | undefined, after: JsonValue | undefined, columns: 1 | 2): Child[] {
  if (before !== undefined && after !== undefined)
    return [el("td", {}, side("del", before)), el("td", {}, side("ins", after))];
  return [el("td", { colspan: columns }, side("span", before ?? after ?? null))];
}

function side(tag: "del" | "ins" | "span", value: JsonValue): Child {
  const style = { del: "cs-before", ins: "cs-after", span: "cs-value" }[tag];
  const content = el(tag, { class: style }, json(value));
  return typeof value === "string" && value.length > LONG_VALUE ? fold(value, content) : content;
}

/** A day such as "17 Nov 2026" stays in one line. */
function shortness(value: Cell): string | undefined {
  return typeof value === "string" && /\d/.test(value) && value.length <= 12 ? "cs-short" : undefined;
}
