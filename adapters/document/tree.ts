import type { BlockContent, DefinitionContent, ListItem, Node, Parent, PhrasingContent, Table } from "mdast";

import type { CardElement } from "#contract/card.ts";

/*
 * The document that every surface serialises: the nodes of mdast, and those besides that chats need. A text
 * of a node is data as it is; whatever a platform reads in it is for its serialiser to escape.
 */

/** Small grey text. */
export interface Small extends Parent {
  type: "small";
  children: PhrasingContent[];
}

/** Whom or what the platform names by an id that is its own. Only the code makes one, never data. */
export interface Mention extends Node {
  type: "mention";
  of: "user" | "channel" | "usergroup" | "role";
  id: string;
}

/** A moment, in milliseconds since the epoch, which each reader sees in their own local time. */
export interface Moment extends Node {
  type: "moment";
  at: number;
  /** What stands where readers' own time cannot be shown; `utcText` where nothing is said. */
  text?: string;
}

declare module "mdast" {
  interface BlockContentMap {
    small: Small;
  }
  interface PhrasingContentMap {
    mention: Mention;
    moment: Moment;
  }
  interface RootContentMap {
    small: Small;
    mention: Mention;
    moment: Moment;
  }
}

/** Nodes side by side; on several lines where they hold line breaks. */
export type Line = PhrasingContent[];

export type Block = BlockContent | DefinitionContent;

/** What flows down a message: blocks, and lines close to each other. */
export type Flow = Line | Block;

/** The words of a line. */
export function textOf(line: readonly PhrasingContent[]): string {
  return line
    .map((node) => {
      if ("children" in node) return textOf(node.children);
      if (node.type === "image") return linkLabel(node.alt ?? "", node.url);
      if (node.type === "moment") return node.text ?? utcText(node.at);
      return node.type === "break" ? "\n" : "value" in node ? node.value : "";
    })
    .join("");
}

/** "21 Nov at 14:05 UTC", where readers' own time cannot be shown. */
export function utcText(at: number): string {
  const day = new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  return `${day} at ${new Date(at).toISOString().slice(11, 16)} UTC`;
}

/** A link without words shows its address. */
export function linkLabel(text: string, url: string): string {
  return text.trim() === "" ? url : text;
}

/** What stands for a link that the platform may not make: its words, and its address where it is one. */
export function unlinked(label: string, url: string): string {
  return /^https?:\/\//i.test(url) && label !== url ? `${label} (${url})` : label;
}

/** A point of a list with its tick in front. */
export function itemBlocks({ checked, children }: ListItem): Block[] {
  if (typeof checked !== "boolean") return children;
  const tick: PhrasingContent = { type: "text", value: checked ? "☑ " : "☐ " };
  const [first, ...rest] = children;
  return first?.type === "paragraph"
    ? [{ ...first, children: [tick, ...first.children] }, ...rest]
    : [{ type: "paragraph", children: [tick] }, ...children];
}

/** A point of a list as chats show it: its first paragraphs as one line, and what stands below them. */
export function itemParts(item: ListItem): { lead: Line; below: Block[] } {
  const blocks = itemBlocks(item);
  const end = blocks.findIndex(({ type }) => type !== "paragraph");
  const paragraphs = end === -1 ? blocks : blocks.slice(0, end);
  const lead = paragraphs.flatMap((block, index): Line => [
    ...(index === 0 ? [] : [{ type: "break" as const }]),
    ...(block.type === "paragraph" ? block.children : []),
  ]);
  return { lead, below: blocks.slice(paragraphs.length) };
}

/** The head of a table and the rows below it. */
export function partsOf({ children: [head, ...rows] }: Table): { head: Line[]; rows: Line[][] } {
  const lines = (row: Table["children"][number] | undefined): Line[] =>
    (row?.children ?? []).map((cell) => cell.children);
  return { head: lines(head), rows: rows.map(lines) };
}

/** How a surface draws each kind of element of a card. */
export type ElementDrawers<Drawn, Context> = {
  [Element in CardElement as Element["type"]]: (element: Element, context: Context) => Drawn;
};

export function drawElement<Drawn, Context>(
  element: CardElement,
  drawers: ElementDrawers<Drawn, Context>,
  context: Context,
): Drawn {
  // Each drawer takes the elements of its own kind.
  const draw = drawers[element.type] as (element: CardElement, context: Context) => Drawn;
  return draw(element, context);
}
