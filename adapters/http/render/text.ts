import type { CodeElement, TextElement } from "#contract/card.ts";

import { el } from "./element.ts";
import type { Html } from "./element.ts";
import { markdownWords, renderMarkdown } from "./markdown.ts";

/** What a closed fold shows. */
const PREVIEW_LINES = 3;
const PREVIEW_CHARS = 280;

export function text(element: TextElement): Html {
  const markdown = element.format === "markdown";
  const content = markdown
    ? el("div", { class: "cs-text cs-markdown" }, renderMarkdown(element.text))
    : el("div", { class: "cs-text cs-text--plain" }, element.text);
  if (element.folded !== true || isShort(element.text)) return content;
  return fold(markdown ? markdownWords(head(element.text)) : element.text, content);
}

export function code(element: CodeElement): Html {
  const content = el(
    "pre",
    { class: "cs-code", tabindex: 0, "data-language": element.language },
    el("code", {}, element.text),
  );
  return element.folded === true && !isShort(element.text) ? fold(element.text, content) : content;
}

/** Content behind a summary that shows how it begins. */
export function fold(previewOf: string, content: Html): Html {
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
