import type { Button, KnownBlock } from "@slack/types";

import { cleanText, cutText, oneLine } from "../../chat/text.ts";
import { contextBlocks } from "./buttons.ts";
import { LIMITS } from "./limits.ts";
import { plain } from "./rich.ts";

/** Slack takes no longer address in a button. */
const LONGEST_URL = 3_000;
const LONGEST_WORDS = 1_000;

export interface LinkParts {
  words: string;
  url: string;
  domain: string;
  /** Names what it is about; the browser follows the address by itself. */
  value: string;
  /** Beside the one that opens the page. */
  buttons?: readonly Button[];
}

/** A page that one person is to open, with its domain before they do. */
export function linkBlocks({ words, url, domain, value, buttons = [] }: LinkParts): KnownBlock[] {
  const fits = url.length <= LONGEST_URL;
  const note = fits
    ? `It opens a page at ${domain}. Go there only if you trust it. Only you see this.`
    : `Its address at ${domain} is longer than Slack can open.`;
  const open: Button = {
    type: "button",
    action_id: "csq:open",
    text: plain(`Open ${oneLine(domain)}`, LIMITS.button.text),
    value,
    url,
  };
  const elements = [...(fits ? [open] : []), ...buttons];
  return [
    { type: "section", text: plain(cutText(cleanText(words), LONGEST_WORDS)) },
    ...contextBlocks([note]),
    ...(elements.length === 0 ? [] : [{ type: "actions" as const, elements }]),
  ];
}
