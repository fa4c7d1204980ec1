import type { KnownName } from "#contract/plan.ts";

import { COLON, createSheet, QUOTED } from "./sheet.ts";
import type { Verbs } from "./verbs.ts";
import { readWish } from "./wish.ts";

const KEY = "(?<![\\p{L}\\p{N}_-])[A-Za-z][A-Za-z0-9_]{0,15}-\\d{1,9}(?![\\p{L}\\p{N}_-])";
const PLACE = `(?:in\\s+)?(?:there|on it|(?:in|on) (?:the|this) (?:ticket|issue|comments?)|in a comment|(?:in|on) ${KEY})`;
/** "… and say it shipped" */
const ADDED = new RegExp(
  `^(?<order>.+?)[,;.]?\\s+(?:and|then)\\s+(?:(?:please|pls|also|then)\\s+)*(?:say|mention|note|write|comment(?=\\s+that\\b)|tell\\s+(?:them|everyone|everybody|people|the team)|let\\s+(?:them|everyone|everybody|people|the team)\\s+know)\\s+(?:${PLACE}\\s+)?(?:that\\s+)?(?!what\\b|why\\b|how\\b|who\\b|if\\b|whether\\b|me\\b|us\\b|an?\\b)(?<text>\\S+\\s.+)$`,
  "isu",
);
const TOLD = new RegExp(
  `^\\W*(?:(?:and|please|pls|then|also)\\s+)*(?:tell|let|inform|notify|remind)\\s+(?<whom>him|her|them|\\p{Lu}[\\p{L}'’-]+(?:\\s\\p{Lu}[\\p{L}'’-]+)?)\\s+(?:(?<place>${PLACE})\\s+)?(?<know>know\\s+)?(?<that>that\\s+)?(?:to\\s+)?(?!about\\b)(?<text>.{5,})$`,
  "su",
);

/** "Put this on DEMO-26 as a comment", "OPS-4 comment", "log on OPS-2": what stands behind the colon is one. */
const NOTED = new RegExp(
  `^(?!\\W*(?:find|search|show|read|which|what|who|where|is|are|was|does|do|how|delete|remove|edit|change|update)\\b)(?:(?=.*\\b(?:comment|note|remark|reply)\\b)|(?=\\W*(?:(?:please|pls|can you|could you)\\s+)*(?:log|note|write|post|put|say|add)(?:\\s+(?:this|that|the following))?\\s+(?:on|under|to|in|at)\\s+${KEY}\\W*$))`,
  "isu",
);
const OTHER_CHANGE =
  /\b(?:close|reopen|resolve|move|assign|create|open an?|new|set|link|rename|label|bump|raise|lower|give|page|doc)\b/i;

/** A comment whose text stands behind the colon, however the order for it is worded; undefined where it is none. */
export function noted(message: string, isOnScreen: boolean): string | undefined {
  const { masked } = createSheet(message);
  const colon = COLON.exec(masked);
  const head = message
    .slice(0, colon?.index ?? 0)
    .replaceAll(/\b(?:not|don['’]?t|never)\s+\p{L}+|\p{L}+\s+(?:it\s+)?not\b/giu, " ");
  const sentence = head.split(/[.!?]\s+/).at(-1) ?? "";
  const keys = [...new Set(keysIn(head))];
  if (colon === null || !NOTED.test(sentence) || OTHER_CHANGE.test(sentence) || keys.length > 1)
    return undefined;
  if (keys.length === 0 && !(isOnScreen && /\b(?:there|here|it|this|that)\b/i.test(sentence)))
    return undefined;
  return `comment on ${keys[0] ?? "it"}: ${message.slice(colon.index + colon[0].length)}`;
}

/**
 * What is told or said about a record is a comment on it: "tell Emi that we've begun", of the record on the screen, and
 * "close DEMO-3 and say it shipped".
 */
export function withComment(
  message: string,
  known: readonly KnownName[],
  isOnScreen: boolean,
  verbs: Verbs,
): string {
  const { masked } = createSheet(message);
  if (COLON.test(masked)) return noted(message, isOnScreen) ?? message;
  if (masked.includes(QUOTED) || /\?\s*$/.test(message)) return message;
  const told = TOLD.exec(message)?.groups;
  const whom = told?.["whom"] ?? "";
  // Who works on it reads it, whichever of them is meant.
  const isAnyone = /^(?:him|her|them)$/.test(whom);
  const isPerson =
    isAnyone ||
    known.some(({ kind, name }) => kind === "person" && (name === whom || name.startsWith(`${whom} `)));
  if (told && (told["place"] !== undefined || (isOnScreen && isPerson)))
    return `add a comment to ${keysIn(told["place"] ?? "").at(0) ?? "it"}: ${isAnyone ? "" : `${whom}, `}${told["text"] ?? ""}`;
  const { order = "", text = "" } = ADDED.exec(message)?.groups ?? {};
  const wish = readWish(order, verbs);
  if (text === "" || !wish.changing || wish.intents.has("create") || wish.intents.has("comment"))
    return message;
  const keys = keysIn(order);
  return `${order}; add a comment to ${keys.length === 0 ? "it" : keys.join(" and ")}: ${text}`;
}

function keysIn(text: string): string[] {
  return text.match(new RegExp(KEY, "gu")) ?? [];
}
