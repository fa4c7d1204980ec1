import { decodeHTMLStrict } from "entities";
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";

import {
  type AdfDoc,
  type AdfMark,
  type AdfNode,
  container,
  MAX_DEPTH,
  paragraph,
  textNode,
  toAllowedContent,
} from "./adf-document.ts";

/** GitHub's alert words, and the panels that look like them. */
export const PANELS: Readonly<Record<string, string>> = {
  NOTE: "info",
  TIP: "success",
  IMPORTANT: "note",
  WARNING: "warning",
  CAUTION: "error",
};

/** Links to people are written `[@Name](accountid:ID)`, so that an edited page still mentions them. */
export const MENTION = "accountid:";

/** Gives task lists and items ids that are unique in the document. */
type NextId = () => string;

/**
 * Markdown (GitHub's dialect, with its alerts as panels and `<details>` as expands) to an Atlassian
 * document that Jira and Confluence accept. Never throws for any text, and keeps all of it: what
 * the format has no node for is kept as plain text.
 */
export function toAdf(markdown: string): AdfDoc {
  // XML 1.0 and Atlassian's editors refuse most control characters.
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  const clean = markdown.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/gu, "");
  try {
    let ids = 0;
    return document(blocks(lexer(clean), () => `task-${++ids}`, 0));
  } catch (error) {
    // The lexer recurses: thousands of nested quotes exhaust its stack. The text is kept as it is.
    if (!(error instanceof RangeError)) throw error;
    return document(clean.split(/\n{2,}/u).flatMap(literal));
  }
}

function document(content: AdfNode[]): AdfDoc {
  return { type: "doc", version: 1, content: toAllowedContent("doc", content) };
}

function blocks(tokens: readonly Token[], nextId: NextId, depth: number): AdfNode[] {
  if (depth > MAX_DEPTH) return tokens.flatMap((token) => literal(token.raw));
  const nodes: AdfNode[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) continue;
    const end = detailsEnd(tokens, index);
    if (end === undefined) {
      nodes.push(...block(token, nextId, depth));
      continue;
    }
    const title = summaryOf(token.raw);
    const inner = blocks(tokens.slice(index + 1, end), nextId, depth + 1);
    nodes.push(container("expand", inner, { title }));
    index = end;
  }
  return nodes;
}

/** marked also knows tokens of extensions; none is installed, and what is unknown is taken as text. */
function block(token: Token, nextId: NextId, depth: number): AdfNode[] {
  const known = token as MarkedToken;
  switch (known.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "heading":
      return [{ type: "heading", attrs: { level: known.depth }, content: inlineNodes(known.tokens) }];
    case "paragraph":
    case "text":
      return [paragraph(known.tokens === undefined ? literalLine(known.text) : inlineNodes(known.tokens))];
    case "code": {
      const language = known.lang?.trim().split(/\s/u)[0] ?? "";
      const attrs = language === "" ? {} : { language };
      return [{ type: "codeBlock", attrs, content: known.text === "" ? [] : [textNode(known.text)] }];
    }
    case "hr":
      return [{ type: "rule" }];
    case "blockquote":
      return [quote(known, nextId, depth)];
    case "list":
      return [list(known, nextId, depth)];
    case "table":
      return [table(known)];
    default:
      return literal(known.raw);
  }
}

function quote(token: Tokens.Blockquote, nextId: NextId, depth: number): AdfNode {
  const alert = /^\s*\[!([A-Za-z]+)\][ \t]*(?:\n|$)/u.exec(token.text);
  const panelType = PANELS[alert?.[1]?.toUpperCase() ?? ""];
  if (alert === null || panelType === undefined) {
    return container("blockquote", blocks(token.tokens, nextId, depth + 1));
  }
  const inner = blocks(lexer(token.text.slice(alert[0].length)), nextId, depth + 1);
  return container("panel", inner, { panelType });
}

function list(token: Tokens.List, nextId: NextId, depth: number): AdfNode {
  if (isTaskList(token)) return taskList(token, nextId);
  const content = token.items.map((item): AdfNode => {
    const body = blocks(item.tokens, nextId, depth + 1);
    if (item.task) {
      const box = textNode(item.checked === true ? "[x] " : "[ ] ");
      const first = body[0];
      if (first?.type === "paragraph") first.content = [box, ...(first.content ?? [])];
      else body.unshift(paragraph([box]));
    }
    return container("listItem", body);
  });
  if (!token.ordered) return { type: "bulletList", content };
  const order = typeof token.start === "number" ? token.start : 1;
  return { type: "orderedList", attrs: { order }, content };
}

/** A task holds a line of text and nested tasks only; anything richer stays a bullet list. */
function isTaskList(token: Tokens.List): boolean {
  return (
    token.items.length > 0 &&
    !token.ordered &&
    token.items.every((item) => {
      if (!item.task) return false;
      const rest = item.tokens.filter(({ type }) => type !== "checkbox" && type !== "space");
      const lines = rest.filter(({ type }) => type === "text" || type === "paragraph");
      return (
        lines.length === 1 &&
        rest[0] === lines[0] &&
        rest.slice(1).every((child) => child.type === "list" && isTaskList(child as Tokens.List))
      );
    })
  );
}

function taskList(token: Tokens.List, nextId: NextId): AdfNode {
  const content: AdfNode[] = [];
  const localId = nextId();
  for (const item of token.items) {
    const line = item.tokens.find(({ type }) => type === "text" || type === "paragraph");
    content.push({
      type: "taskItem",
      attrs: { localId: nextId(), state: item.checked === true ? "DONE" : "TODO" },
      content: inlineNodes(line !== undefined && "tokens" in line ? (line.tokens ?? []) : []),
    });
    for (const child of item.tokens) {
      if (child.type === "list") content.push(taskList(child as Tokens.List, nextId));
    }
  }
  return { type: "taskList", attrs: { localId }, content };
}

function table(token: Tokens.Table): AdfNode {
  const row = (type: string, cells: readonly Tokens.TableCell[]): AdfNode => ({
    type: "tableRow",
    content: cells.map(({ tokens }) => ({ type, attrs: {}, content: [paragraph(inlineNodes(tokens))] })),
  });
  return {
    type: "table",
    attrs: { isNumberColumnEnabled: false, layout: "default" },
    content: [row("tableHeader", token.header), ...token.rows.map((cells) => row("tableCell", cells))],
  };
}

/** The index of the `</details>` that closes a `<details>` opened at `start`, if there is one. */
function detailsEnd(tokens: readonly Token[], start: number): number | undefined {
  const token = tokens[start];
  if (token?.type !== "html" || !/^<details>\s*<summary>[^<]*<\/summary>\s*$/iu.test(token.raw)) {
    return undefined;
  }
  for (let index = start + 1, open = 1; index < tokens.length; index++) {
    const next = tokens[index];
    if (next?.type !== "html") continue;
    if (/^<details>/iu.test(next.raw)) open++;
    if (/^<\/details>\s*$/iu.test(next.raw) && --open === 0) return index;
  }
  return undefined;
}

function summaryOf(raw: string): string {
  const html = raw.slice(raw.toLowerCase().indexOf("<summary>") + "<summary>".length);
  return decodeHTMLStrict(html.slice(0, html.indexOf("<"))).trim();
}

/** Text that is not understood, such as raw HTML, is shown as it was written. */
function literal(raw: string): AdfNode[] {
  const content = literalLine(raw.trim());
  return content.length === 0 ? [] : [paragraph(content)];
}

function literalLine(raw: string): AdfNode[] {
  return raw.split("\n").flatMap((line, index) => {
    const nodes: AdfNode[] = line === "" || isHtmlBreak(line) ? [] : [textNode(line)];
    return index === 0 ? nodes : [{ type: "hardBreak" }, ...nodes];
  });
}

/** Inline tokens of marked to inline nodes. */
function inlineNodes(tokens: readonly Token[], marks: readonly AdfMark[] = []): AdfNode[] {
  return merge(tokens.flatMap((token) => inline(token, marks)));
}

function isHtmlBreak(html: string): boolean {
  return /^\s*<br\s*\/?>\s*$/iu.test(html);
}

const MARKS = { strong: "strong", em: "em", del: "strike" } as const;

function inline(token: Token, marks: readonly AdfMark[]): AdfNode[] {
  const known = token as MarkedToken;
  switch (known.type) {
    case "strong":
    case "em":
    case "del":
      return inlineNodes(known.tokens, withMark(marks, { type: MARKS[known.type] }));
    case "codespan":
      return text(known.text, [{ type: "code" }, ...marks.filter(({ type }) => type === "link")]);
    case "br":
      return [{ type: "hardBreak" }];
    case "link":
      return link(known, marks);
    case "image": {
      const href = decodeHTMLStrict(known.href);
      return text(decodeHTMLStrict(known.text) || known.href, withLink(marks, href));
    }
    case "html":
      return isHtmlBreak(known.raw) ? [{ type: "hardBreak" }] : text(known.raw, marks);
    case "escape":
      return text(known.text, marks);
    case "checkbox":
      return [];
    default: {
      const nested = "tokens" in known ? known.tokens : undefined;
      if (nested !== undefined && nested.length > 0) return inlineNodes(nested, marks);
      const value = "text" in known ? known.text : known.raw;
      return text(decodeHTMLStrict(value).replace(/(?<!\s)\s*\n\s*/gu, " "), marks);
    }
  }
}

function link(token: Tokens.Link, marks: readonly AdfMark[]): AdfNode[] {
  if (token.autolink === true) return text(token.text, withLink(marks, token.href));
  const href = decodeHTMLStrict(token.href);
  const label = inlineNodes(token.tokens, withLink(marks, href));
  const id = href.startsWith(MENTION) ? decode(href.slice(MENTION.length)) : "";
  if (id !== "") {
    const name = label.map((node) => node.text ?? "").join("");
    return [{ type: "mention", attrs: { id, text: name === "" ? `@${id}` : name } }];
  }
  return label.length > 0 ? label : text(href, withLink(marks, href));
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function text(value: string, marks: readonly AdfMark[]): AdfNode[] {
  return value === "" ? [] : [textNode(value, marks)];
}

function withMark(marks: readonly AdfMark[], mark: AdfMark): readonly AdfMark[] {
  return marks.some(({ type }) => type === mark.type) ? marks : [...marks, mark];
}

/** A link that could run script is dropped and its label kept. */
function withLink(marks: readonly AdfMark[], href: string): readonly AdfMark[] {
  return isSafeLink(href) ? withMark(marks, { type: "link", attrs: { href } }) : marks;
}

export function isSafeLink(href: string): boolean {
  // Browsers skip spaces and control characters before they read the scheme.
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  const bare = href.replace(/[\u0000-\u0020\u007f]/gu, "");
  const scheme = /^([a-z][a-z0-9+.-]*):/iu.exec(bare)?.[1]?.toLowerCase();
  if (scheme === undefined) return bare !== "";
  return ["http", "https", "mailto", "tel", "ftp"].includes(scheme);
}

/** Neighbours with the same marks become one text node. */
function merge(nodes: readonly AdfNode[]): AdfNode[] {
  const merged: AdfNode[] = [];
  for (const node of nodes) {
    const last = merged.at(-1);
    const same =
      last?.type === "text" &&
      node.type === "text" &&
      JSON.stringify(last.marks) === JSON.stringify(node.marks);
    if (same) merged[merged.length - 1] = { ...last, text: `${last.text}${node.text}` };
    else merged.push(node);
  }
  return merged;
}
