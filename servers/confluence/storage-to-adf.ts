import { isCDATA, isTag, isText, type ChildNode, type Element } from "domhandler";
import { decodeHTML } from "entities";
import { parseDocument } from "htmlparser2";
import type { AdfDoc, AdfMark, AdfNode } from "../kit/adf-document.ts";
import { isInline, MAX_DEPTH, paragraph, textNode } from "../kit/adf-document.ts";
import { macroNodes, tidy, type Inside } from "./storage-macros.ts";
import { child, textOf } from "./storage-dom.ts";

/**
 * Confluence's storage format (XHTML with macros) to a loose document: good enough for `fromAdf`,
 * not checked for what Atlassian accepts. Never throws; unknown elements are read as what is inside.
 */
export function storageToAdf(storage: string): AdfDoc {
  // Entities are HTML's (`&nbsp;`), which the XML mode does not know: they are decoded here.
  const { children } = parseDocument(storage, { xmlMode: true, decodeEntities: false });
  return { type: "doc", version: 1, content: convert(children, { marks: [], depth: 0, convert }) };
}

function convert(nodes: readonly ChildNode[], inside: Inside): AdfNode[] {
  if (inside.depth > MAX_DEPTH) {
    const text = nodes.map(textOf).join("");
    return text.trim() === "" ? [] : [textNode(text, inside.marks)];
  }
  return nodes.flatMap((node): AdfNode[] => {
    if (isText(node)) return textNodes(decodeHTML(node.data), inside.marks);
    if (isCDATA(node)) return textNodes(textOf(node), inside.marks);
    return isTag(node) ? element(node, { ...inside, depth: inside.depth + 1 }) : [];
  });
}

function textNodes(text: string, marks: readonly AdfMark[]): AdfNode[] {
  const clean = text.replace(/\s+/gu, " ");
  return clean === "" ? [] : [textNode(clean, marks)];
}

const MARKS: Readonly<Record<string, string>> = {
  strong: "strong",
  b: "strong",
  em: "em",
  i: "em",
  cite: "em",
  del: "strike",
  s: "strike",
  strike: "strike",
  code: "code",
  kbd: "code",
  samp: "code",
};

const WRAPPERS: Readonly<Record<string, string>> = {
  ul: "bulletList",
  ol: "orderedList",
  li: "listItem",
  blockquote: "blockquote",
  tr: "tableRow",
  th: "tableHeader",
  td: "tableCell",
  "ac:task-list": "taskList",
};

function element(node: Element, inside: Inside): AdfNode[] {
  const name = node.name.toLowerCase();
  const mark = MARKS[name];
  if (mark !== undefined) {
    return convert(node.children, { ...inside, marks: [...inside.marks, { type: mark }] });
  }
  const wrapper = WRAPPERS[name];
  if (wrapper !== undefined) {
    const content = tidy(convert(node.children, inside));
    const order = name === "ol" ? Number(node.attribs["start"] ?? 1) || 1 : undefined;
    return [{ type: wrapper, ...(order === undefined ? {} : { attrs: { order } }), content }];
  }
  switch (name) {
    case "p":
    case "div":
      return block(convert(node.children, inside), paragraph);
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6": {
      const level = Number(name.slice(1));
      return [{ type: "heading", attrs: { level }, content: convert(node.children, inside) }];
    }
    case "br":
      return [{ type: "hardBreak" }];
    case "hr":
      return [{ type: "rule" }];
    case "pre":
      return [{ type: "codeBlock", content: [textNode(node.children.map(textOf).join(""))] }];
    case "table":
      return [{ type: "table", content: rowsOf(convert(node.children, inside)) }];
    case "a": {
      const href = decodeHTML(node.attribs["href"] ?? "");
      const link = href === "" ? [] : [{ type: "link", attrs: { href } }];
      return convert(node.children, { ...inside, marks: [...inside.marks, ...link] });
    }
    case "time":
      return [textNode(node.attribs["datetime"] ?? textOf(node), inside.marks)];
    case "ac:task":
      return [task(node, inside)];
    default:
      return macroNodes(node, inside) ?? convert(node.children, inside);
  }
}

/** Inline content in a block; blocks that stand inside it, such as a macro in a `<p>`, stay blocks. */
function block(nodes: AdfNode[], wrap: (content: AdfNode[]) => AdfNode): AdfNode[] {
  if (nodes.every(isInline)) return nodes.length === 0 ? [] : [wrap(nodes)];
  return tidy(nodes);
}

/** `<tbody>`, `<thead>` and `<colgroup>` fall away. */
function rowsOf(nodes: AdfNode[]): AdfNode[] {
  return nodes.filter(({ type }) => type === "tableRow");
}

function task(node: Element, inside: Inside): AdfNode {
  const status = child(node, "ac:task-status");
  const body = child(node, "ac:task-body");
  const done = status !== undefined && textOf(status).trim() === "complete";
  return {
    type: "taskItem",
    attrs: { state: done ? "DONE" : "TODO" },
    content: body === undefined ? [] : tidy(convert(body.children, inside)),
  };
}
