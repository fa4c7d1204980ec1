import type { AdfDoc } from "./adf-document.ts";
import { markdownToAdf } from "./adf-from-markdown.ts";
import { adfToMarkdown } from "./adf-to-markdown.ts";

/**
 * Markdown (GitHub's dialect, with its alerts as panels and `<details>` as expands) to an Atlassian
 * document that Jira and Confluence accept. Never throws for any text, and keeps all of it: what
 * the format has no node for is kept as plain text.
 */
export function toAdf(markdown: string): AdfDoc {
  return markdownToAdf(markdown);
}

/**
 * An Atlassian document, or any part or wreck of one, to markdown. Never throws: unknown nodes are
 * read as their text or their children, and `null` or anything that is no document as "".
 */
export function fromAdf(doc: unknown): string {
  return adfToMarkdown(doc);
}
