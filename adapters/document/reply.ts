import type { ToolCallResult } from "#contract/turn.ts";

/** Replies end with this note for those who see nothing else. */
const BUILTIN_NOTE = /\n_?Planned by the built-in planner[^_\n]*_?$/;

interface Answered {
  reply?: string | undefined;
  planner?: string | undefined;
}

/** What a reply says where the cards of its results, and who planned it, are shown beside it. */
export function ownReply(
  { reply = "", planner }: Answered,
  results: readonly Pick<ToolCallResult, "ok" | "card">[],
): string {
  const said = planner === "builtin" ? reply.trimEnd().replace(BUILTIN_NOTE, "") : reply;
  return withoutHeading(said.trim(), results).trim();
}

/**
 * A reply without what the one card below it says in its own heading: the answer stands once. What a model wrote
 * stays as it is.
 */
function withoutHeading(reply: string, results: readonly Pick<ToolCallResult, "ok" | "card">[]): string {
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
