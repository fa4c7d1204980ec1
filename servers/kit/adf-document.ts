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

const INLINE: ReadonlySet<string> = new Set(
  "text hardBreak mention emoji inlineCard status date placeholder mediaInline inlineExtension".split(" "),
);

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
  const value: unknown = (holder.attrs as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

export function marksOf(node: AdfNode): AdfMark[] {
  return nodesOf(node.marks);
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
      for (const child of content.toReversed()) stack.push(child);
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

/**
 * Which blocks a block may hold, from the published JSON schema of the format. Atlassian refuses a
 * whole document for one misplaced node, so what does not fit is degraded to something that does.
 */
const ALLOWED: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    doc: "paragraph heading bulletList orderedList taskList codeBlock blockquote panel expand table rule",
    expand: "paragraph heading bulletList orderedList taskList codeBlock blockquote panel table rule",
    panel: "paragraph heading bulletList orderedList taskList codeBlock rule",
    blockquote: "paragraph bulletList orderedList codeBlock",
    listItem: "paragraph bulletList orderedList codeBlock",
  }).map(([parent, children]) => [parent, new Set(children.split(" "))]),
);

/** A block of the type with these children, as far as they are legal there. */
export function container(type: string, children: AdfNode[], attrs?: AdfNode["attrs"]): AdfNode {
  return { type, ...(attrs === undefined ? {} : { attrs }), content: toAllowedContent(type, children) };
}

/** Makes the children of a block legal there; never loses text. */
export function toAllowedContent(parent: string, children: AdfNode[]): AdfNode[] {
  const allowed = ALLOWED[parent];
  if (allowed === undefined) return children;
  const fitted = children.flatMap((child) => (allowed.has(child.type) ? [child] : degrade(parent, child)));
  if (parent === "doc") return fitted;
  const first = fitted[0];
  const needsLead =
    first === undefined ||
    (parent === "listItem" && first.type !== "paragraph" && first.type !== "codeBlock");
  return needsLead ? [paragraph([]), ...fitted] : fitted;
}

function degrade(parent: string, node: AdfNode): AdfNode[] {
  const content = node.content ?? [];
  switch (node.type) {
    case "heading":
      return [paragraph(content.map(embolden))];
    case "blockquote":
    case "panel":
      return toAllowedContent(parent, content);
    case "expand": {
      const title = attribute(node, "title");
      const lead = title === "" ? [] : [paragraph([embolden(textNode(title))])];
      return [...lead, ...toAllowedContent(parent, content)];
    }
    case "table":
      return content.map((row) => paragraph(joinCells(row)));
    case "taskList":
      return [taskListAsBullets(node)];
    case "rule":
      return [];
    default: {
      const text = plainText(node);
      return text === "" ? [] : [paragraph([textNode(text)])];
    }
  }
}

function embolden(node: AdfNode): AdfNode {
  if (node.type !== "text") return node;
  const marks = node.marks ?? [];
  // `code` stands alone or beside a link only.
  if (marks.some((mark) => mark.type === "code" || mark.type === "strong")) return node;
  return { ...node, marks: [...marks, { type: "strong" }] };
}

function joinCells(row: AdfNode): AdfNode[] {
  return (row.content ?? []).flatMap((cell, index) => {
    const inline = (cell.content ?? []).flatMap((block) => (block.content ?? []).filter(isInline));
    return index === 0 ? inline : [textNode(" | "), ...inline];
  });
}

function taskListAsBullets(list: AdfNode): AdfNode {
  const items: AdfNode[] = [];
  for (const child of list.content ?? []) {
    if (child.type === "taskItem") {
      const box = attribute(child, "state") === "DONE" ? "[x] " : "[ ] ";
      const line = paragraph([textNode(box), ...(child.content ?? [])]);
      items.push({ type: "listItem", content: [line] });
      continue;
    }
    const nested = taskListAsBullets(child);
    const last = items.at(-1);
    if (last === undefined) items.push(...(nested.content ?? []));
    else last.content = [...(last.content ?? []), nested];
  }
  return { type: "bulletList", content: items };
}
