import type { Referents } from "./refer.ts";

const POLITE = "(?:(?:please|pls|can you|could you|and|also|now|ok)[\\s,]+)*";
const ADD = "(?:add|append|put|write)";
const LINE =
  "(?:an?|one|another)\\s+(?:more\\s+|new\\s+)?(?:line|paragraph|sentence|bullet(?:\\s+point)?|point|section|row|item|entry)";
const END = "(?:\\s+(?:at|to)\\s+the\\s+(?:end|bottom))?";
const PAGE = "(?:the\\s+)?page\\s+(?<id>\\d+)(?:\\s+page)?";

/** "Add a line to page 2007: …", "add “…” to the end of page 2007" */
const TO_PAGE = [
  `${ADD}\\s+(?:${LINE}${END}\\s+)?(?:to|on|in|of)\\s+(?:the\\s+(?:end|bottom)\\s+of\\s+)?${PAGE}${END}\\s*:\\s+(?<text>\\S.*)`,
  `${ADD}\\s+["“](?<text>[^"”]+)["”]\\s+(?:(?:at|to)\\s+the\\s+(?:end|bottom)\\s+of|to|on|in)\\s+${PAGE}\\W*`,
  // "The on-call guide: add that …", "the release calendar: …, please write that onto the page"
  `(?:on\\s+)?${PAGE}\\s*:\\s*${POLITE}${ADD}\\s+(?:that\\s+)?(?!(?:an?|the|one)\\s+(?:comment|label)\\b)(?<text>\\S.*)`,
  `(?:on\\s+)?${PAGE}\\s*:\\s*(?<text>\\S.*?)\\s*[,.;]\\s+${POLITE}(?:write|put|add|note)\\s+(?:that|this|it)\\s+(?:on|onto|to|in|into)\\s+(?:the|that)\\s+page\\W*`,
  `(?:on|in|to)\\s+${PAGE}\\s*,?\\s*${POLITE}${ADD}(?:\\s+${LINE})?${END}\\s*:\\s+(?<text>\\S.*)`,
  `on\\s+${PAGE}\\s+there\\s+should\\s+be\\s+["“](?<text>[^"”]+)["”](?:\\s+in\\s+the\\s+[^,.;]{3,30})?(?:\\s*,\\s*(?:can|could)\\s+you\\s+add(?:\\s+(?:it|that))?)?\\W*`,
].map((pattern) => new RegExp(`^\\W*${POLITE}${pattern}$`, "isu"));
/** "Add a line at the end: …", of the page on the screen. */
const TO_SHOWN = new RegExp(
  `^\\W*${POLITE}${ADD}\\s+(?:${LINE}${END}(?:\\s+(?:to|in|on)\\s+(?:it|that|this|the)(?:\\s+page)?)?|(?:to|at)\\s+the\\s+(?:end|bottom))\\s*:\\s+(?<text>\\S.*)$`,
  "isu",
);

/**
 * What shall stand below the text of a page, as the order for a tool that can add to one: nothing that is there is
 * written over. Undefined where it is no such order.
 */
export function asAppended(message: string, { thing }: Referents): string | undefined {
  const found = TO_PAGE.map((pattern) => pattern.exec(message)?.groups).find(Boolean);
  const shown = thing !== undefined && /^\d+$/.test(thing.id) ? TO_SHOWN.exec(message)?.groups : undefined;
  const id = found?.["id"] ?? (shown === undefined ? undefined : thing?.id);
  const text = (found ?? shown)?.["text"]?.trim();
  // In quotes of a kind of their own, so that all of it is text, with the quotes that are in it.
  return id === undefined || text === undefined || /[«»]/.test(text)
    ? undefined
    : `update page ${id}, append «${text}»`;
}
