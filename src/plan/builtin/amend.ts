import type { KnownName, PastTurn } from "#contract/plan.ts";

import { detailsIn } from "./details.ts";
import { createSheet } from "./sheet.ts";

/** What a message says of the new record that was asked for before and waits for its approval. */
export interface Amendment {
  /** The call that waits. */
  call: PastTurn["calls"][number];
  /** An order for such a record with nothing but what is new, such as "create a bug, priority low". */
  order: string;
  hasTitle: boolean;
}

const LEADS =
  /^\W*(?:(?:and|also|but|please|pls|ah|oh|ok(?:ay)?|no|nope|wait|sorry|oops|ups|hm+|actually|rather|better|plus|with|then)\b[\s,.!:–-]*)*(?:(?:please\s+)?(?:make|set|mark|change)\s+(?:it|that|this)\s+(?:an?\s+|to\s+|as\s+)?|(?:make|set|change)\s+(?=the\s+|its\s+)|i meant?\s+|put\s+(?:it|that|this)\s+(?=in\b|under\b))?/iu;
const TRAILS =
  /(?:,?\s+(?:please|pls|too|as well|instead|then|thanks|thx)|\s+(?:is|would be|will be)\s+(?:enough|fine|ok(?:ay)?|better|sufficient|plenty))+[\s.!]*$/iu;
const TITLE =
  /^\W*(?:(?:no|and|please|pls|actually|sorry|wait)\b[\s,]*)*(?:(?:the\s+)?(?:title|summary)(?:\s*[:=]\s*|\s+(?:should|shall)\s+be\s+|\s+is\s+)|(?:re)?(?:name|title|call)\s+(?:it|that|this)(?:\s+to)?\s*:?\s+|change\s+the\s+(?:title|summary)\s+to\s*:?\s+)(\S.*)$/isu;
const TEXT = /^\W*(?:(?:and|please|pls)\b[\s,]*)*(?:the\s+)?(?:description|desc|body)\s*[:=]\s*(\S.*)$/isu;
const KEY = /[A-Z]\w*-\d/;

/**
 * "Make it a bug", "priority low, due friday", "call it …", behind an order for a new record that still waits: there is
 * nothing yet that could be changed, so that is a part of the order.
 */
export function amendmentOf(
  message: string,
  history: readonly PastTurn[],
  known: readonly KnownName[],
): Amendment | undefined {
  const [call, ...others] = history.at(-1)?.calls ?? [];
  if (call?.waits !== true || others.length > 0) return undefined;
  const title = TITLE.exec(message)?.[1];
  if (title !== undefined)
    return { call, order: `create an issue titled ${inQuotes(title)}`, hasTitle: true };
  const text = TEXT.exec(message)?.[1];
  if (text !== undefined)
    return { call, order: `create an issue titled "x", description ${inQuotes(text)}`, hasTitle: false };
  if (KEY.test(message.replaceAll(/\bepic\s+[A-Z]\w*-\d+/giu, "")) || createSheet(message).quotes.length > 0)
    return undefined;
  const details = detailsIn(message.replace(LEADS, "").replace(TRAILS, ""), known);
  if (details === undefined) return undefined;
  const type = details.map((detail) => detail.type).find(Boolean) ?? "issue";
  const said = details.flatMap((detail) => detail.text || []);
  return { call, order: [`create a ${type} titled "x"`, ...said].join(", "), hasTitle: false };
}

function inQuotes(text: string): string {
  const bare = text.trim().replace(/^["“](.*)["”]$/su, "$1");
  return `"${bare.replaceAll('"', "”")}"`;
}
