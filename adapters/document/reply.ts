import type { ToolCallResult } from "#contract/turn.ts";

/**
 * A reply without what the one card below it says in its own heading: the answer stands once. What a model wrote
 * stays as it is.
 */
export function withoutHeading(
  reply: string,
  results: readonly Pick<ToolCallResult, "ok" | "card">[],
): string {
  const [only, ...others] = results;
  if (only?.ok !== true || others.length > 0 || only.card.elements[0]?.type !== "header") return reply;
  const [first = "", ...rest] = reply.split("\n\n");
  return wordsOf(first) === wordsOf(only.card.title) ? rest.join("\n\n") : reply;
}

/** Of Markdown and of a title alike: no links, no escapes, no spaces. */
function wordsOf(text: string): string {
  return text
    .replaceAll(/\[((?:[^\]\\]|\\.)*)\]\([^()\s]*\)/g, "$1")
    .replaceAll("\\", "")
    .replaceAll(/\s+/g, "");
}
