import type {
  KnownBlock,
  PlainTextElement,
  RichTextBlock,
  RichTextElement,
  RichTextList,
  RichTextPreformatted,
  RichTextQuote,
  RichTextSection,
} from "@slack/types";
import type { Blockquote, List } from "mdast";

import { cutText } from "#src/base/text.ts";

import { fixedWidth } from "../../chat/table.ts";
import { cleanText } from "../../chat/text.ts";
import { bold, code, italic, webAddress, words } from "../../chat/line.ts";
import {
  type Block,
  type Flow,
  itemParts,
  type Line,
  linkLabel,
  type Mention,
  type Moment,
  partsOf,
  unlinked,
  utcText,
} from "../../document/tree.ts";
import { LIMITS, PIECE } from "./limits.ts";
import { costOf, splitText, weigh } from "./text.ts";

/*
 * Every text of a message is drawn with the objects below. Neither `plain_text` (with `emoji: false`)
 * nor the text of `rich_text` knows any markup: a mention, a link, an emoji or bold print exists there
 * only as an element or a style of its own, which data cannot make. Hence `mrkdwn` objects and
 * `markdown` blocks appear nowhere: the first has no escape for `*`, `_`, `~`, backticks and `:emoji:`,
 * and what the second makes of its text is decided at Slack.
 */

type Style = NonNullable<RichTextElement["style"]>;

/** Elements that stand on one line, or on several when their text has line breaks. */
type Elements = RichTextElement[];

type Structure = Elements | RichTextList | RichTextQuote | RichTextPreformatted;

/** Slack indents lists by at most this. */
const MAX_INDENT = 8;
/** Wider than this, a fixed-width table breaks its lines on most screens. */
const MAX_WIDTH = 92;

/** Text that formats nothing, cut to `max` (the caller shows the rest elsewhere); a blank one reads "–". */
export function plain(text: string, max: number = LIMITS.plainText): PlainTextElement {
  const clean = cleanText(text);
  return { type: "plain_text", text: clean.trim() === "" ? "–" : cutText(clean, max), emoji: false };
}

/** The address if Slack may link it: safe and not too long. */
export function safeUrl(href: string): string | undefined {
  return costOf(href) <= PIECE / 2 ? webAddress(href) : undefined;
}

/** A flow as blocks, each of which weighs little more than `PIECE`. */
export function pack(flow: readonly Flow[]): KnownBlock[] {
  const blocks: KnownBlock[] = [];
  for (let from = 0, end = 0; from < flow.length; from = end) {
    const isSmall = smallText(flow[from]) !== undefined;
    while (end < flow.length && (smallText(flow[end]) !== undefined) === isSmall) end += 1;
    const run = flow.slice(from, end);
    blocks.push(...(isSmall ? contextBlocks(run.map((item) => smallText(item) ?? "")) : richText(run)));
  }
  return blocks;
}

function smallText(item: Flow | undefined): string | undefined {
  return item === undefined || Array.isArray(item) || item.type !== "small"
    ? undefined
    : textOf(elementsOf(item.children));
}

/** Small grey text; long text in several elements and blocks. */
export function contextBlocks(texts: readonly string[]): KnownBlock[] {
  const parts = texts
    .filter((text) => text.trim() !== "")
    .flatMap((text) => splitText(cleanText(text), PIECE - 300));
  const blocks: KnownBlock[] = [];
  let elements: ReturnType<typeof plain>[] = [];
  const close = (): void => {
    if (elements.length > 0) blocks.push({ type: "context", elements });
    elements = [];
  };
  for (const part of parts) {
    const element = plain(part, LIMITS.contextText);
    if (elements.length === LIMITS.contextElements || weigh([...elements, element]) > PIECE) close();
    elements.push(element);
  }
  close();
  return blocks;
}

function richText(flow: readonly Flow[]): RichTextBlock[] {
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
  for (const item of structuresOf(flow)) {
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
function splitLine(line: Elements): Elements[] {
  if (weigh(line) <= PIECE) return [line];
  const lines: Elements[] = [];
  let current: Elements = [];
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

function structuresOf(flow: readonly Flow[]): Structure[] {
  const structures: Structure[] = [];
  let above: Flow = [];
  for (const item of flow) {
    const made = Array.isArray(item) ? [elementsOf(item)] : structuresOfBlock(item);
    const [first] = made;
    if (first === undefined) continue;
    // Slack sets lines close together; paragraphs need an empty one between them.
    const areBlocks = !Array.isArray(item) && !Array.isArray(above) && above.type !== "heading";
    if (areBlocks && Array.isArray(first) && Array.isArray(structures.at(-1))) structures.push([]);
    structures.push(...made);
    above = item;
  }
  return structures;
}

function structuresOfBlock(block: Block): Structure[] {
  switch (block.type) {
    case "paragraph":
    case "small":
      return [elementsOf(block.children)];
    case "heading":
      return [elementsOf(block.children, { bold: true })];
    case "code":
      return preformatted(block.value);
    case "blockquote":
      return quote(block);
    case "list":
      return list(block, 0);
    case "table": {
      const { head, rows } = partsOf(block);
      return structuresOf(
        plainTable(
          head.map((line) => textOf(elementsOf(line))),
          rows,
        ),
      );
    }
    case "thematicBreak":
      return [textElement("───")];
    case "html":
      return [textElement(block.value)];
    default:
      return [];
  }
}

/** Slack's quotes hold lines only: what else stands in a quote follows it. */
function quote({ children }: Blockquote): Structure[] {
  const structures: Structure[] = [];
  let lines: Elements[] = [];
  const close = (): void => {
    const elements = lines.flatMap((line, index) => (index === 0 ? line : [...textElement("\n"), ...line]));
    const made: RichTextQuote = { type: "rich_text_quote", elements };
    // One that is too long for a block goes on as plain lines.
    const isLong = JSON.stringify(made).length >= 1000;
    if (isLong) structures.push(textElement("❝"), elements, textElement("❞"));
    else if (elements.length > 0) structures.push(made);
    lines = [];
  };
  for (const item of structuresOf(children)) {
    if (!Array.isArray(item)) {
      close();
      structures.push(item);
    } else if (item.length > 0) {
      lines.push(item);
    }
  }
  close();
  return structures;
}

/**
 * Bullets are Slack's own. Numbers are written out: Slack would begin to count anew after each nested
 * list and at each page.
 */
function list({ ordered, start, children }: List, indent: number): Structure[] {
  return children.flatMap((item, index) => {
    const { lead, below } = itemParts(item);
    const number = ordered === true ? `${(start ?? 1) + index}.` : undefined;
    return [
      listItem(elementsOf(lead), number, indent),
      ...below.flatMap((block) =>
        block.type === "list" ? list(block, indent + 1) : structuresOfBlock(block),
      ),
    ];
  });
}

function listItem(line: Elements, number: string | undefined, indent: number): Structure {
  if (number !== undefined || line.length === 0 || JSON.stringify(line).length > 1000) {
    return [...textElement(`${"    ".repeat(indent)}${number ?? "•"} `), ...line];
  }
  return {
    type: "rich_text_list",
    style: "bullet",
    elements: [{ type: "rich_text_section", elements: line }],
    ...(indent === 0 ? {} : { indent: Math.min(indent, MAX_INDENT) }),
  };
}

/** Text in a fixed width, in as many boxes as it needs. */
function preformatted(text: string): RichTextPreformatted[] {
  return splitText(text, PIECE).map((part) => ({
    type: "rich_text_preformatted",
    // Slack draws a last line break as an empty line.
    elements: [{ type: "text", text: part.replace(/\n$/, "") || " " }],
  }));
}

/**
 * A table where Slack allows no table block (in views, in texts, and after the first one of a message): in
 * a fixed width where it is narrow and holds no links, else a few lines for each row.
 */
export function plainTable(columns: readonly string[], rows: readonly (readonly Line[])[]): Flow[] {
  const cells = rows.map((row) => columns.map((_, index) => row[index] ?? []));
  const drawn = cells.map((row) => row.map((line) => elementsOf(line)));
  const hasLinks = drawn.some((row) => row.some((line) => line.some(({ type }) => type === "link")));
  const text = hasLinks
    ? undefined
    : fixedWidth(
        columns,
        drawn.map((row) => row.map(textOf)),
        MAX_WIDTH,
      );
  return text === undefined ? cells.flatMap((row) => record(columns, row)) : [code(text)];
}

/** The first cell leads; the others follow with their labels. */
function record(columns: readonly string[], [first = [], ...rest]: readonly Line[]): Line[] {
  const others = rest.flatMap((line, index) => [
    ...words(index === 0 ? "    " : "  ·  "),
    ...italic(`${columns[index + 1] ?? ""}: `),
    ...(line.length === 0 ? words("–") : line),
  ]);
  const lead = [...bold(`${columns[0] ?? ""} `), ...(first.length === 0 ? words("–") : first)];
  return others.length === 0 ? [lead] : [lead, others];
}

function elementsOf(line: Line, style?: Style): Elements {
  return line.flatMap((node): Elements => {
    switch (node.type) {
      case "text":
      case "html":
        return textElement(node.value, style);
      case "strong":
        return elementsOf(node.children, { ...style, bold: true });
      case "emphasis":
        return elementsOf(node.children, { ...style, italic: true });
      case "delete":
        return elementsOf(node.children, { ...style, strike: true });
      case "inlineCode":
        return textElement(node.value, { ...style, code: true });
      case "break":
        return textElement("\n", style);
      case "link":
        return linkElement(textOf(elementsOf(node.children)), node.url, style);
      case "image":
        return linkElement(node.alt ?? "", node.url, style);
      case "mention":
        return [mention(node)];
      case "moment":
        return [momentElement(node)];
      default:
        return [];
    }
  });
}

/** An empty text is no element at all, as Slack refuses those. */
function textElement(text: string, style?: Style): Elements {
  return text === "" ? [] : [{ type: "text", text, ...(style === undefined ? {} : { style }) }];
}

function linkElement(text: string, href: string, style?: Style): Elements {
  const address = cleanText(href);
  const label = linkLabel(text, address);
  const url = safeUrl(href);
  if (url === undefined) return textElement(unlinked(label, address), style);
  return [{ type: "link", url, text: label, ...(style === undefined ? {} : { style }) }];
}

function mention({ of, id }: Mention): RichTextElement {
  if (of === "user") return { type: "user", user_id: id };
  if (of === "channel") return { type: "channel", channel_id: id };
  return { type: "usergroup", usergroup_id: id };
}

/** In the reader's own time; where Slack cannot show that, in UTC. */
function momentElement({ at, text }: Moment): RichTextElement {
  const timestamp = Math.floor(at / 1000);
  return { type: "date", timestamp, format: "{date_short_pretty} at {time}", fallback: text ?? utcText(at) };
}

/** The words of a line. */
function textOf(line: Elements): string {
  return line.map((element) => ("text" in element ? (element.text ?? "") : "")).join("");
}
