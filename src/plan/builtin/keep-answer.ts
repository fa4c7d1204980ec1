import type { ArgSource, PastTurn } from "#contract/plan.ts";

import { KEY } from "./words.ts";

/** A comment with what was answered last. */
export interface KeptAnswer {
  /** The order for it. */
  text: string;
  body: string;
  source: ArgSource;
}

/** "Put that on OPS-7 as a comment", "could you add the link to it to the disk ticket, for whoever is next?" */
const KEEPS =
  /^\W*(?:(?:ok(?:ay)?|so|and|great|good|perfect|thanks|thx|please|pls|can you|could you)\b[\s,!.]*)*(?:put|add|leave|write|post|drop|paste|copy|keep|save|note)\s+(?:that|this|it|(?:the|that|this)\s+(?<link>link|url|address|page|answer)(?:\s+(?:to|of|from)\s+(?:it|that|this)(?:\s+page)?)?)(?:\s+as\s+an?\s+(?:comment|note))?\s+(?:on|to|in|under|into)\s+(?<where>[A-Z]\w*-\d+|(?:the\s+)?[^,.;:?]{2,50}?\s(?:ticket|issue|bug|task|story|epic|one))(?:\s+as\s+an?\s+(?:comment|note))?(?:\s+(?:too|please|pls))*(?:\s*,?\s+(?:so|for|because|then|as)\b.{0,120})?[\s.!?]*$/isu;
/** What was answered, and the page it stands on. */
const ANSWER = /^(?:\*\*(?<said>.+?)\*\* · )?\[(?<title>[^\]]+)\]\((?<url>https?:[^\s)]+)\)$/u;

/**
 * What was answered last, as a comment on the record that is named: its words and the link to where they stand. Undefined
 * where nothing was, or more than one place; what a private turn may not see is not there.
 */
export function asAnswerNote(message: string, history: readonly PastTurn[]): KeptAnswer | undefined {
  const { where, link } = KEEPS.exec(message)?.groups ?? {};
  const { calls = [], permit, reply } = history.at(-1) ?? {};
  if (where === undefined || permit === undefined || calls.some(({ waits }) => waits === true))
    return undefined;
  const [first = "", ...more] = (reply?.reveal(permit) ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const { said, title = "", url } = ANSWER.exec(first.trim())?.groups ?? {};
  if (url === undefined || more.some((line) => line.includes("]("))) return undefined;
  // "Add it to DEMO-10": an issue may go under another one.
  if (new RegExp(`^${KEY}`, "u").test(title) && !/\b(?:comments?|notes?|link|url)\b/i.test(message))
    return undefined;
  const isLink = said === undefined || /^(?:link|url|address|page)$/i.test(link ?? "");
  // Of several places that may answer the first one fits best.
  const [best = ""] = said?.split("** · **") ?? [];
  const words = isLink ? "" : `${best.replace(/^“(.*)”$/u, "$1")} – `;
  const body = `${words}${title}: ${url}`
    // As it stands there, and not as it is written to be shown.
    .replaceAll(/\\([\\`*_[\]()#+.!<>|~-])/g, "$1")
    .replaceAll(/[“”]/g, '"');
  const ref = calls.at(-1)?.tool;
  const source: ArgSource = { from: "result", ...(ref === undefined ? {} : { ref }) };
  return { text: `comment on ${where}: “${body}”`, body, source };
}

/** The same where it is not known what was answered: a comment that still needs its words, and no other. */
export function withoutAnswer(message: string): string | undefined {
  const { where } = KEEPS.exec(message)?.groups ?? {};
  return where !== undefined && /\bas\s+an?\s+(?:comment|note)\b/i.test(message)
    ? `comment on ${where}`
    : undefined;
}
