import type { ToolCallResult } from "#contract/turn.ts";
import { inEveryLanguage } from "#src/base/words/words.ts";

interface Answered {
  reply?: string | undefined;
  planner?: string | undefined;
}

/** What a reply says where the cards of its results, and who planned it, are shown beside it. */
export function ownReply(
  { reply = "", planner }: Answered,
  results: readonly Pick<ToolCallResult, "ok" | "card">[],
): string {
  const said = planner === "builtin" ? withoutNote(reply.trimEnd()) : reply;
  return withoutHeading(said.trim(), results).trim();
}

/** Replies end with this note, in italics, for those who see nothing else. */
function withoutNote(reply: string): string {
  const at = reply.lastIndexOf("\n");
  const last = reply.slice(at + 1).replace(/^_/, "");
  const notes = inEveryLanguage(({ reply: say }) => say.builtin.replace(/\.$/, ""));
  return at !== -1 && notes.some((note) => last.startsWith(note)) ? reply.slice(0, at) : reply;
}

/**
 * A reply without what the one card below it says in its own heading: the answer stands once. What a model wrote
 * stays as it is.
 */
function withoutHeading(reply: string, results: readonly Pick<ToolCallResult, "ok" | "card">[]): string {
  const [only, ...others] = results;
  if (only?.ok !== true || others.length > 0 || only.card.elements[0]?.type !== "header") return reply;
  const [first = "", ...rest] = reply.split("\n\n");
  return plainOf(first) === plainOf(only.card.title) ? rest.join("\n\n") : reply;
}

/** Of Markdown and of a title alike: no links, no escapes, no spaces. */
function plainOf(text: string): string {
  return text
    .replaceAll(/\[((?:[^\]\\]|\\.)*)\]\([^()\s]*\)/g, "$1")
    .replaceAll("\\", "")
    .replaceAll(/\s+/g, "");
}
