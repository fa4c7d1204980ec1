import type { Referents } from "./refer.ts";

const POLITE = "(?:(?:please|pls|can you|could you|and|also|now|ok)[\\s,]+)*";
const ADD = "(?:add|append|put|write)(?:\\s+(?:this|the\\s+following))?";
const LINE =
  "(?:an?|one|another)\\s+(?:more\\s+|new\\s+)?(?:line|paragraph|sentence|bullet(?:\\s+point)?|point|section|row|item|entry)";
const END = "(?:\\s+(?:at|to)\\s+the\\s+(?:end|bottom))?";
const PAGE = "(?:the\\s+)?page\\s+(?<id>\\d+)(?:\\s+page)?";
/** What stands before the text: a colon, or "saying that". */
const SAYS =
  "(?:\\s*:\\s+|,?\\s+(?:saying|(?:that|which)\\s+says|reading|to\\s+say|with\\s+(?:the\\s+)?(?:text|words|content|following))(?:\\s*:)?(?:\\s+that)?\\s+|\\s*[.?!]\\s+(?:the\\s+)?(?:text|content)\\s+(?:is|should\\s+be|would\\s+be)\\s*:?\\s+)";
/** "A section “Open questions”", "a heading called Next steps" */
const SECTION =
  '(?:an?|another)\\s+(?:new\\s+)?(?:section|heading|chapter)\\s+(?:(?:called|named|titled|about)\\s+)?(?:[“"](?<quoted>[^“”"]{2,80})[”"]|(?<heading>[^“”":;,.]{2,60}?))';

/** "Add a line to page 2007: …", "add “…” to the end of page 2007" */
const TO_PAGE = [
  `${ADD}\\s+(?:${LINE}${END}\\s+)?(?:to|on|in|of)\\s+(?:the\\s+(?:end|bottom)\\s+of\\s+)?${PAGE}${END}\\s*:\\s+(?<text>\\S.*)`,
  `${ADD}\\s+${LINE}${END}\\s+(?:to|on|in|of)\\s+(?:the\\s+(?:end|bottom)\\s+of\\s+)?${PAGE}${END}${SAYS}(?<text>\\S.*)`,
  `${ADD}\\s+${SECTION}${END}\\s+(?:to|on|in|of)\\s+(?:the\\s+(?:end|bottom)\\s+of\\s+)?${PAGE}${END}(?:${SAYS}|\\s+with\\s+|\\s*\\n\\s*)(?<text>\\S.*)`,
  `${ADD}\\s+["“](?<text>[^"”]+)["”]\\s+(?:(?:at|to)\\s+the\\s+(?:end|bottom)\\s+of|to|on|in)\\s+${PAGE}\\W*`,
  // "The on-call guide: add that …", "the release calendar: …, please write that onto the page"
  `(?:on\\s+)?${PAGE}\\s*:\\s*${POLITE}${ADD}\\s+(?:that\\s+)?(?!(?:an?|the|one)\\s+(?:comment|label)\\b)(?<text>\\S.*)`,
  `(?:on\\s+)?${PAGE}\\s*:\\s*(?<text>\\S.*?)\\s*[,.;]\\s+${POLITE}(?:write|put|add|note)\\s+(?:that|this|it)\\s+(?:on|onto|to|in|into)\\s+(?:the|that)\\s+page\\W*`,
  `(?:on|in|to)\\s+${PAGE}\\s*,?\\s*${POLITE}${ADD}(?:\\s+${LINE})?${END}\\s*:\\s+(?<text>\\S.*)`,
  `on\\s+${PAGE}\\s+there\\s+should\\s+be\\s+["“](?<text>[^"”]+)["”](?:\\s+in\\s+the\\s+[^,.;]{3,30})?(?:\\s*,\\s*(?:can|could)\\s+you\\s+add(?:\\s+(?:it|that))?)?\\W*`,
].map((pattern) => new RegExp(`^\\W*${POLITE}${pattern}$`, "isu"));
const IT = "(?:\\s+(?:to|in|on|of)\\s+(?:it|that|this|the)(?:\\s+page)?)?";
/** "Add a line at the end: …", of the page on the screen. */
const TO_SHOWN = [
  `${ADD}\\s+(?:to|on|in)\\s+(?:that|this|the)\\s+page${END}\\s*:\\s+(?<text>\\S.*)`,
  `${ADD}\\s+(?:${LINE}${END}${IT}|(?:to|at)\\s+the\\s+(?:end|bottom)(?:\\s+of\\s+(?:it|that|this|the)(?:\\s+page)?)?)${SAYS}(?<text>\\S.*)`,
  `${ADD}\\s+${SECTION}${END}${IT}(?:${SAYS}|\\s+with\\s+|\\s*\\n\\s*)(?<text>\\S.*)`,
].map((pattern) => new RegExp(`^\\W*${POLITE}${pattern}$`, "isu"));

/**
 * What shall stand below the text of a page, as the order for a tool that can add to one: nothing that is there is
 * written over. Undefined where it is no such order.
 */
export function asAppended(message: string, { thing }: Referents): string | undefined {
  const read = (patterns: readonly RegExp[]): Record<string, string | undefined> | undefined =>
    patterns.map((pattern) => pattern.exec(message)?.groups).find(Boolean);
  const found = read(TO_PAGE);
  const shown = thing !== undefined && /^\d+$/.test(thing.id) ? read(TO_SHOWN) : undefined;
  const { id = shown === undefined ? undefined : thing?.id, ...said } = found ?? shown ?? {};
  const heading = said["quoted"] ?? said["heading"];
  const own = said["text"]?.trim();
  const below = heading === undefined || own === undefined ? own : `## ${heading.trim()}\n\n${own}`;
  const text = below !== undefined && ROW.test(message) ? asRow(below) : below;
  // In quotes of a kind of their own, so that all of it is text, with the quotes that are in it.
  return id === undefined || text === undefined || /[«»]/.test(text)
    ? undefined
    : `update page ${id}, append «${text}»`;
}

const ROW = new RegExp(`^\\W*${POLITE}${ADD}\\s+(?:an?|one|another)\\s+(?:more\\s+|new\\s+)?row\\b`, "iu");

/** "27 November, Emi, matcha roll" as a row of a table, where it has several cells. */
function asRow(text: string): string {
  const own = text.replace(/^\|\s*|\s*\|$/g, "").replace(/[\s.]+$/, "");
  const cells = own.split(own.includes("|") ? /\s*\|\s*/ : /\s*[,;]\s+/);
  return cells.length < 2 || own.includes("\n") ? text : `| ${cells.join(" | ")} |`;
}

const TABLE = /^\|(?<head>.+)\|[ \t]*\n\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*\n\|(?<first>[^|\n]*)\|/gmu;
/** Fewer commas part a sentence as well. */
const LEAST_CELLS = 3;
const MOST_CELL_CHARS = 80;
const MOST_CHARS = 100_000;

/**
 * "27 November 2026, Emi, carrot cake, because she won" as a row of the one table of a page, where it has as many
 * columns and begins like its first row; undefined for any other text.
 */
export function rowOf(text: string, markdown: string): string | undefined {
  const [table, ...others] = markdown.slice(0, MOST_CHARS).matchAll(TABLE);
  const { head = "", first = "" } = table?.groups ?? {};
  const heads = head.split("|").map((name) => name.trim());
  const cells = text.replace(/[\s.]+$/, "").split(/\s*[,;]\s+/);
  const isSame =
    others.length === 0 && cells.length === heads.length && /\d/.test(cells[0] ?? "") === /\d/.test(first);
  if (!isSame || cells.length < LEAST_CELLS || /[\n|]/.test(text)) return undefined;
  if (cells.some((cell) => cell.length > MOST_CELL_CHARS)) return undefined;
  // "Because she won" below "Because" says it twice.
  const own = cells.map((cell, at) => {
    const name = heads[at] ?? "";
    const isNamed = name !== "" && cell.toLowerCase().startsWith(`${name.toLowerCase()} `);
    return isNamed ? cell.slice(name.length).trim() : cell;
  });
  return `| ${own.join(" | ")} |`;
}
