/**
 * The Atlassian Document Format, version 1: a tree of typed nodes.
 * https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
 */
export interface AdfDoc {
  type: "doc";
  version: 1;
  content: AdfNode[];
}

export interface AdfNode {
  type: string;
  text?: string;
  attrs?: Record<string, unknown>;
  marks?: AdfMark[];
  content?: AdfNode[];
}

export interface AdfMark {
  type: string;
  attrs?: Record<string, unknown>;
}

/** A text node; `text` must not be empty, as the format forbids empty text. */
export function textNode(text: string, marks: readonly AdfMark[] = []): AdfNode {
  return marks.length === 0 ? { type: "text", text } : { type: "text", text, marks: [...marks] };
}

export function paragraph(content: AdfNode[]): AdfNode {
  return { type: "paragraph", content };
}

/** The deepest nesting that is followed; below it only the text is kept. */
export const MAX_DEPTH = 60;

const INLINE: ReadonlySet<string> = new Set([
  "text",
  "hardBreak",
  "mention",
  "emoji",
  "inlineCard",
  "status",
  "date",
  "placeholder",
  "mediaInline",
  "inlineExtension",
]);

export function isInline(node: AdfNode): boolean {
  return INLINE.has(node.type);
}

/** Reads any value as a list of nodes; what is not a node is left out. */
export function nodesOf(value: unknown): AdfNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The children of a node that may come from outside and have any shape. */
export function childrenOf(node: AdfNode): AdfNode[] {
  return nodesOf(node.content);
}

/** A text attribute of a node or mark, or "" where it is missing or no text. */
export function attribute(holder: AdfNode | AdfMark, name: string): string {
  const attrs: unknown = holder.attrs;
  if (typeof attrs !== "object" || attrs === null) return "";
  const value: unknown = (attrs as Record<string, unknown>)[name];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

export function marksOf(node: AdfNode): AdfMark[] {
  const marks: unknown = node.marks;
  return Array.isArray(marks) ? marks.filter(isNode) : [];
}

function isNode(value: unknown): value is AdfNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** All text below a node in order, blocks parted by a space. Iterative: any depth is safe. */
export function plainText(root: unknown): string {
  const parts: string[] = [];
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const node = stack.pop();
    if (typeof node !== "object" || node === null) continue;
    const { text, content } = node as { text?: unknown; content?: unknown };
    if (typeof text === "string") parts.push(text);
    else if (!isNode(node) || !isInline(node)) parts.push(" ");
    else parts.push(inlineLabel(node));
    if (Array.isArray(content)) {
      for (let index = content.length - 1; index >= 0; index--) stack.push(content[index]);
    }
  }
  return parts.join("").replace(/\s+/gu, " ").trim();
}

/** What an inline node without text of its own reads as. */
export function inlineLabel(node: AdfNode): string {
  switch (node.type) {
    case "mention":
      return attribute(node, "text") || `@${attribute(node, "id")}`;
    case "emoji":
      return attribute(node, "text") || attribute(node, "shortName");
    case "inlineCard":
      return attribute(node, "url");
    case "date":
      return dateLabel(attribute(node, "timestamp"));
    case "mediaInline":
      return mediaLabel(node);
    case "hardBreak":
      return " ";
    default:
      return attribute(node, "text");
  }
}

/** Attached files have no place in markdown; a note says that there is one. */
export function mediaLabel(node: AdfNode): string {
  const name = attribute(node, "alt") || attribute(node, "__fileName");
  return name === "" ? "(attached file)" : `(attached file: ${name})`;
}

/** Milliseconds since 1970 as text, to a calendar day. */
function dateLabel(timestamp: string): string {
  const date = new Date(Number(timestamp));
  return timestamp === "" || Number.isNaN(date.getTime()) ? timestamp : date.toISOString().slice(0, 10);
}
