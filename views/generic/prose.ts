import type { CardElement } from "#contract/card.ts";

import { count } from "../text.ts";
import type { Budget } from "./budget.ts";
import { leftOut } from "./table.ts";

/** Longer text is left to the JSON. */
const MAX_CHARS = 30_000;
/** What is shown of a text when the card is full already. */
const MIN_CHARS = 200;

const MARKDOWN =
  /^#{1,6} \S|^\s{0,3}[-*+] \S|^\s{0,3}\d+[.)] \S|^```|^> \S|\*\*[^*\n]+\*\*|\[[^[\]\n]{1,200}\]\(https?:|^\|.+\|[ \t]{0,20}$/m;
const CODE_START = /^\s*(?:<\?xml|<!doctype|<[a-z][\w:-]*[\s>/]|diff --git|@@ -\d|#!\/)/i;
const CODE_LINE = /[{};]\s*$|^\s*(?:import|export|const|let|var|def|class|function|return|public|private)\b/;

/** Text as markdown, code or plain text, by what it looks like; long text is folded. */
export function prose(source: string, budget: Budget): CardElement[] {
  const text = source.slice(0, Math.max(MIN_CHARS, Math.min(MAX_CHARS, budget.chars))).toWellFormed();
  budget.chars -= text.length;
  const elements: CardElement[] = [looksLikeCode(text) ? code(text) : written(text)];
  if (source.length > text.length) {
    elements.push(leftOut(count(source.length - text.length, "more character")));
  }
  return elements;
}

function code(text: string): CardElement {
  return { type: "code", text, folded: true };
}

function written(text: string): CardElement {
  return MARKDOWN.test(text)
    ? { type: "text", text, format: "markdown", folded: true }
    : { type: "text", text, folded: true };
}

function looksLikeCode(text: string): boolean {
  if (CODE_START.test(text)) return true;
  if (/^```/m.test(text)) return false;
  const lines = text
    .split("\n")
    .slice(0, 200)
    .filter((line) => line.trim() !== "");
  return lines.length >= 3 && lines.filter((line) => CODE_LINE.test(line)).length >= lines.length * 0.4;
}
