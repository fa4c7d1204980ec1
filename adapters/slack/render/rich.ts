import type {
  PlainTextElement,
  RichTextBlock,
  RichTextElement,
  RichTextList,
  RichTextPreformatted,
  RichTextQuote,
  RichTextSection,
} from "@slack/types";

import type { Cell, Inline } from "#contract/card.ts";

import { cellText, signOf } from "../../chat/card-text.ts";
import { cleanText, cutText } from "../../chat/text.ts";
import { LIMITS, PIECE } from "./limits.ts";
import { costOf, splitText, weigh } from "./text.ts";

/*
 * Every text of a message is drawn with the objects below. Neither `plain_text` (with `emoji: false`)
 * nor the text of `rich_text` knows any markup: a mention, a link, an emoji or bold print exists there
 * only as an element or a style of its own, which data cannot make. Hence `mrkdwn` objects and
 * `markdown` blocks appear nowhere: the first has no escape for `*`, `_`, `~`, backticks and `:emoji:`,
 * and what the second makes of its text is decided at Slack.
 */

export type Style = NonNullable<RichTextElement["style"]>;

/** Elements that stand on one line, or on several when their text has line breaks. */
export type Line = RichTextElement[];

/** What flows down the message: lines of text, and the structures between them. */
export type Flow = Line | RichTextList | RichTextQuote | RichTextPreformatted;

/** Text that formats nothing, cut to `max` (the caller shows the rest elsewhere); a blank one reads "–". */
export function plain(text: string, max: number = LIMITS.plainText): PlainTextElement {
  const clean = cleanText(text);
  return { type: "plain_text", text: clean.trim() === "" ? "–" : cutText(clean, max), emoji: false };
}

/** Text of a line; an empty one is no element at all, as Slack refuses those. */
export function words(text: string, style?: Style): Line {
  const clean = cleanText(text);
  if (clean === "") return [];
  return [{ type: "text", text: clean, ...(style === undefined ? {} : { style }) }];
}

export function bold(text: string): Line {
  return words(text, { bold: true });
}

export function italic(text: string): Line {
  return words(text, { italic: true });
}

/** A text that opens an address; the bare text where the address may not be linked. */
export function linked(text: string, href: string | undefined, style?: Style): Line {
  if (href === undefined) return words(text, style);
  const url = safeUrl(href);
  const label = text.trim() === "" ? href : text;
  if (url !== undefined) {
    return [{ type: "link", url, text: cleanText(label), ...(style === undefined ? {} : { style }) }];
  }
  return isHttp(href) ? words(label === href ? label : `${label} (${href})`, style) : words(label, style);
}

/** The address if Slack may link it: http or https, well formed and not too long. */
export function safeUrl(href: string): string | undefined {
  const fits = costOf(href) <= PIECE / 2 && href === cleanText(href);
  return fits && /^https?:\/\/[^\s<>"]+$/i.test(href) && URL.canParse(href) ? href : undefined;
}

function isHttp(href: string): boolean {
  return /^https?:\/\//i.test(href);
}

/** Text in a fixed width, in as many boxes as it needs. */
export function preformatted(text: string): RichTextPreformatted[] {
  return splitText(cleanText(text), PIECE).map((part) => ({
    type: "rich_text_preformatted",
    // Slack draws a last line break as an empty line.
    elements: [{ type: "text", text: part.replace(/\n$/, "") || " " }],
  }));
}

/** Lines and structures as rich text blocks, each of which weighs little more than `PIECE`. */
export function pack(flow: readonly Flow[]): RichTextBlock[] {
  const blocks: RichTextBlock[] = [];
  let elements: RichTextBlock["elements"] = [];
  let section: RichTextSection | undefined;
  let used = 0;
  const close = (): void => {
    if (elements.length > 0) blocks.push({ type: "rich_text", elements });
    elements = [];
    section = undefined;
    used = 0;
  };
  for (const item of flow) {
    if (!Array.isArray(item)) {
      const weight = weigh(item);
      if (used + weight > PIECE) close();
      const last = elements.at(-1);
      if (item.type === "rich_text_list" && isSameList(last, item)) {
        elements[elements.length - 1] = { ...item, elements: [...last.elements, ...item.elements] };
      } else {
        elements.push(item);
      }
      section = undefined;
      used += weight;
      continue;
    }
    for (const [index, line] of splitLine(item).entries()) {
      const weight = weigh(line);
      if (used + weight > PIECE) close();
      if (section === undefined) {
        if (line.length === 0) continue;
        section = { type: "rich_text_section", elements: [] };
        elements.push(section);
      } else if (index === 0) {
        newLine(section.elements);
      }
      section.elements.push(...line);
      used += weight + 30;
    }
  }
  close();
  for (const block of blocks) trimEnds(block);
  return blocks.filter((block) => block.elements.length > 0);
}

function isSameList(
  last: RichTextBlock["elements"][number] | undefined,
  item: RichTextList,
): last is RichTextList {
  return last?.type === "rich_text_list" && last.style === item.style && last.indent === item.indent;
}

function newLine(elements: RichTextElement[]): void {
  const last = elements.at(-1);
  if (last?.type === "text" && last.style === undefined) {
    elements[elements.length - 1] = { ...last, text: `${last.text}\n` };
  } else {
    elements.push({ type: "text", text: "\n" });
  }
}

/** Line breaks before the end of a section only make a gap. */
function trimEnds(block: RichTextBlock): void {
  for (const element of block.elements) {
    if (element.type !== "rich_text_section") continue;
    for (let last = element.elements.at(-1); last?.type === "text"; last = element.elements.at(-1)) {
      const text = last.text.replace(/(?<!\n)\n+$/, "");
      if (text === last.text) break;
      element.elements.pop();
      if (text !== "") element.elements.push({ ...last, text });
    }
  }
  block.elements = block.elements.filter(
    (element) => element.type !== "rich_text_section" || element.elements.length > 0,
  );
}

/** A line that is too heavy for one block, in parts that are not. */
function splitLine(line: Line): Line[] {
  if (weigh(line) <= PIECE) return [line];
  const lines: Line[] = [];
  let current: Line = [];
  let used = 0;
  for (const element of line.flatMap(splitElement)) {
    const weight = weigh(element);
    if (used + weight > PIECE && current.length > 0) {
      lines.push(current);
      current = [];
      used = 0;
    }
    current.push(element);
    used += weight;
  }
  if (current.length > 0) lines.push(current);
  return lines;
}

function splitElement(element: RichTextElement): RichTextElement[] {
  if (element.type === "text") {
    return splitText(element.text, PIECE - 200).map((text) => ({ ...element, text }));
  }
  if (element.type === "link" && element.text !== undefined) {
    return splitText(element.text, PIECE / 3).map((text) => ({ ...element, text }));
  }
  return [element];
}

function badgeLine(item: Inline): Line {
  return [...words(signOf(item.tone)), ...linked(item.text, item.href)];
}

/** Pieces of text side by side. */
export function badgeLines(items: readonly Inline[] | undefined): Line {
  return (items ?? []).flatMap((item) => [...words("  "), ...badgeLine(item)]);
}

/** A value as people read it; an absent one is "none". */
export function cellLine(value: Cell): Line {
  if (value === null || value === "") return italic("none");
  return typeof value === "object" ? badgeLine(value) : words(cellText(value));
}
