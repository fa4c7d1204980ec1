import { type ChildNode, type Element, isCDATA, isTag, isText } from "domhandler";
import { decodeHTML, encodeXML } from "entities";
import { parseDocument } from "htmlparser2";

import {
  type AdfDoc,
  type AdfMark,
  type AdfNode,
  attribute,
  childrenOf,
  inlineLabel,
  isInline,
  marksOf,
  MAX_DEPTH,
  paragraph,
  textNode,
} from "../kit/adf-document.ts";
import { toAdf } from "../kit/adf-from-markdown.ts";
import { fromAdf } from "../kit/adf-to-markdown.ts";

/** Markdown to Confluence's storage format, always well-formed XML. Never throws. */
export function toStorage(markdown: string): string {
  return adfToStorage(toAdf(markdown));
}

/** Confluence's storage format, or a wreck of it, to markdown. Never throws. */
export function fromStorage(storage: string): string {
  return fromAdf(storageToAdf(storage));
}

/** Confluence's panel macros, and the panels of the document format that look like them. */
const PANEL_MACROS: Readonly<Record<string, string>> = {
  info: "info",
  success: "tip",
  warning: "note",
  error: "warning",
  note: "panel",
};

/**
 * A document as `toAdf` makes it to Confluence's storage format (XHTML with macros).
 * https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html
 */
function adfToStorage(doc: AdfDoc): string {
  return doc.content.map(blockToStorage).join("");
}

/** Blocks that are one element each way. */
const ELEMENTS: Readonly<Record<string, string>> = {
  bulletList: "ul",
  listItem: "li",
  blockquote: "blockquote",
  tableRow: "tr",
  tableHeader: "th",
  tableCell: "td",
};

function blockToStorage(node: AdfNode): string {
  const children = childrenOf(node);
  const inner = (): string => children.map(blockToStorage).join("");
  const tag = ELEMENTS[node.type];
  if (tag !== undefined) return `<${tag}>${inner()}</${tag}>`;
  switch (node.type) {
    case "paragraph":
      return `<p>${inlineToStorage(children)}</p>`;
    case "heading": {
      const level = attribute(node, "level");
      return `<h${level}>${inlineToStorage(children)}</h${level}>`;
    }
    case "orderedList": {
      const start = attribute(node, "order");
      return `<ol${start === "1" ? "" : ` start="${start}"`}>${inner()}</ol>`;
    }
    case "taskList":
      return `<ac:task-list>${tasks(children)}</ac:task-list>`;
    case "codeBlock": {
      const code = children.map(({ text }) => text ?? "").join("");
      const body = `<ac:plain-text-body>${cdata(code)}</ac:plain-text-body>`;
      return macroToStorage("code", { language: attribute(node, "language") }, body);
    }
    case "panel":
      return richMacro(PANEL_MACROS[attribute(node, "panelType")] ?? "info", {}, inner());
    case "expand":
      return richMacro("expand", { title: attribute(node, "title") }, inner());
    case "rule":
      return "<hr />";
    case "table":
      return `<table><tbody>${inner()}</tbody></table>`;
    default:
      return `<p>${inlineToStorage([node])}</p>`;
  }
}

/** Tasks below a task belong inside its body. */
function tasks(nodes: readonly AdfNode[]): string {
  let out = "";
  for (const [index, node] of nodes.entries()) {
    if (node.type !== "taskItem") continue;
    const nested: AdfNode[] = [];
    for (const next of nodes.slice(index + 1)) {
      if (next.type !== "taskList") break;
      nested.push(next);
    }
    const status = attribute(node, "state") === "DONE" ? "complete" : "incomplete";
    out +=
      `<ac:task><ac:task-status>${status}</ac:task-status>` +
      `<ac:task-body>${inlineToStorage(childrenOf(node))}${nested.map(blockToStorage).join("")}</ac:task-body></ac:task>`;
  }
  return out;
}

function richMacro(name: string, values: Record<string, string>, body: string): string {
  return macroToStorage(name, values, `<ac:rich-text-body>${body}</ac:rich-text-body>`);
}

function macroToStorage(name: string, values: Record<string, string>, body: string): string {
  const parameters = Object.entries(values)
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `<ac:parameter ac:name="${key}">${encodeXML(value)}</ac:parameter>`)
    .join("");
  return `<ac:structured-macro ac:name="${name}">${parameters}${body}</ac:structured-macro>`;
}

/** `]]>` would end the section: it is written as the end of one and the start of the next. */
function cdata(text: string): string {
  return `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

const TAGS: Readonly<Record<string, string>> = {
  strong: "strong",
  em: "em",
  strike: "del",
  code: "code",
};

function inlineToStorage(nodes: readonly AdfNode[]): string {
  return nodes
    .map((node) => {
      if (node.type === "hardBreak") return "<br />";
      if (node.type === "mention") {
        const key = encodeXML(attribute(node, "id"));
        return `<ac:link><ri:user ri:userkey="${key}" /></ac:link>`;
      }
      let out = encodeXML(node.text ?? inlineLabel(node));
      for (const mark of marksOf(node)) {
        const tag = TAGS[mark.type];
        if (tag !== undefined) out = `<${tag}>${out}</${tag}>`;
        if (mark.type === "link") out = `<a href="${encodeXML(attribute(mark, "href"))}">${out}</a>`;
      }
      return out;
    })
    .join("");
}

/**
 * Confluence's storage format (XHTML with macros) to a loose document: good enough for `fromAdf`,
 * not checked for what Atlassian accepts. Never throws; unknown elements are read as what is inside.
 */
export function storageToAdf(storage: string): AdfDoc {
  // Entities are HTML's (`&nbsp;`), which the XML mode does not know: they are decoded here.
  const { children } = parseDocument(storage, { xmlMode: true, decodeEntities: false });
  return { type: "doc", version: 1, content: convert(children, { marks: [], depth: 0 }) };
}

function convert(nodes: readonly ChildNode[], inside: StorageContext): AdfNode[] {
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
  ...Object.fromEntries(Object.entries(ELEMENTS).map(([type, tag]) => [tag, type])),
  ol: "orderedList",
  "ac:task-list": "taskList",
};

function element(node: Element, inside: StorageContext): AdfNode[] {
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
  if (/^h[1-6]$/u.test(name)) {
    const attrs = { level: Number(name.slice(1)) };
    return [{ type: "heading", attrs, content: convert(node.children, inside) }];
  }
  switch (name) {
    case "p":
    case "div": {
      // Blocks that stand inside, such as a macro in a `<p>`, stay blocks.
      const content = convert(node.children, inside);
      if (!content.every(isInline)) return tidy(content);
      return content.length === 0 ? [] : [paragraph(content)];
    }
    case "br":
      return [{ type: "hardBreak" }];
    case "hr":
      return [{ type: "rule" }];
    case "pre":
      return [{ type: "codeBlock", content: [textNode(node.children.map(textOf).join(""))] }];
    case "table": {
      // `<tbody>` and `<thead>` fall away.
      const content = convert(node.children, inside).filter(({ type }) => type === "tableRow");
      return [{ type: "table", content }];
    }
    case "a": {
      const href = decodeHTML(node.attribs["href"] ?? "");
      const link = href === "" ? [] : [{ type: "link", attrs: { href } }];
      return convert(node.children, { ...inside, marks: [...inside.marks, ...link] });
    }
    case "time":
      return [textNode(node.attribs["datetime"] ?? textOf(node), inside.marks)];
    case "ac:task":
      return [task(node, inside)];
    case "ac:structured-macro":
    case "ac:macro":
      return macroToAdf(node, inside);
    case "ac:link":
      return link(node, inside);
    case "ac:image":
      return [image(node)];
    case "ac:emoticon": {
      const { "ac:emoji-fallback": emoji, "ac:name": shortName = "emoji" } = node.attribs;
      return [textNode(emoji ?? `:${shortName}:`, inside.marks)];
    }
    case "ac:parameter":
    case "ac:placeholder":
    case "ac:task-id":
    case "colgroup":
      return [];
    default:
      return convert(node.children, inside);
  }
}

function task(node: Element, inside: StorageContext): AdfNode {
  const status = child(node, "ac:task-status");
  const body = child(node, "ac:task-body");
  const done = status !== undefined && textOf(status).trim() === "complete";
  return {
    type: "taskItem",
    attrs: { state: done ? "DONE" : "TODO" },
    content: body === undefined ? [] : tidy(convert(body.children, inside)),
  };
}

const PANEL_TYPES = new Map(Object.entries(PANEL_MACROS).map(([type, macro]) => [macro, type]));

/** Where an element stands. */
interface StorageContext {
  marks: readonly AdfMark[];
  depth: number;
}

/** Between blocks, spaces are only the layout of the source. */
function tidy(nodes: AdfNode[]): AdfNode[] {
  if (nodes.every(isInline)) return nodes;
  return nodes.filter((node) => node.type !== "text" || (node.text ?? "").trim() !== "");
}

function macroToAdf(node: Element, inside: StorageContext): AdfNode[] {
  const name = node.attribs["ac:name"] ?? "";
  const rich = child(node, "ac:rich-text-body");
  const plain = child(node, "ac:plain-text-body");
  const title = parameter(node, "title");
  if (plain !== undefined) {
    const code = textOf(plain);
    const attrs = { language: parameter(node, "language") };
    return [{ type: "codeBlock", attrs, content: code === "" ? [] : [textNode(code)] }];
  }
  if (name === "status") return [textNode(title, [...inside.marks, { type: "strong" }])];
  const body = rich === undefined ? [] : tidy(convert(rich.children, inside));
  const panelType = PANEL_TYPES.get(name);
  if (panelType !== undefined) {
    const heading = paragraph(title === "" ? [] : [textNode(title, [{ type: "strong" }])]);
    return [{ type: "panel", attrs: { panelType }, content: [heading, ...body] }];
  }
  if (name === "expand") return [{ type: "expand", attrs: { title }, content: body }];
  if (rich !== undefined) return body;
  // A macro that makes its content itself, such as a table of contents: say that it is there.
  return [{ type: "extension", attrs: { extensionKey: name } }];
}

/** A link to a person, a page, an attachment or an anchor. */
function link(node: Element, inside: StorageContext): AdfNode[] {
  const user = child(node, "ri:user");
  if (user !== undefined) {
    const { attribs } = user;
    const id = attribs["ri:account-id"] ?? attribs["ri:userkey"] ?? attribs["ri:username"] ?? "";
    return [{ type: "mention", attrs: { id, text: `@${attribs["ri:username"] ?? id}` } }];
  }
  const rich = child(node, "ac:link-body");
  if (rich !== undefined) return convert(rich.children, inside);
  const plain = child(node, "ac:plain-text-link-body");
  const target = node.children.find(isTag)?.attribs ?? {};
  const label =
    plain === undefined
      ? decodeHTML(target["ri:content-title"] ?? target["ri:filename"] ?? node.attribs["ac:anchor"] ?? "")
      : textOf(plain);
  return label === "" ? [] : [textNode(label, inside.marks)];
}

function image(node: Element): AdfNode {
  const url = child(node, "ri:url")?.attribs["ri:value"] ?? "";
  const file = child(node, "ri:attachment")?.attribs["ri:filename"] ?? "";
  const alt = decodeHTML(node.attribs["ac:alt"] ?? file);
  return { type: "media", attrs: { url: decodeHTML(url), alt } };
}

/** All text of a node, entities decoded outside of CDATA. Iterative: any depth is safe. */
function textOf(root: ChildNode): string {
  const parts: string[] = [];
  const stack: { node: ChildNode; raw: boolean }[] = [{ node: root, raw: false }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, raw } = next;
    if (isText(node)) parts.push(raw ? node.data : decodeHTML(node.data));
    if (!("children" in node)) continue;
    const inCdata = raw || isCDATA(node);
    for (const inner of node.children.toReversed()) stack.push({ node: inner, raw: inCdata });
  }
  return parts.join("");
}

function child(node: Element, name: string): Element | undefined {
  return node.children.find(
    (candidate): candidate is Element => isTag(candidate) && candidate.name.toLowerCase() === name,
  );
}

/** The value of a macro's `<ac:parameter ac:name="…">`, or "". */
function parameter(macro: Element, name: string): string {
  const found = macro.children.find(
    (candidate) =>
      isTag(candidate) && candidate.name === "ac:parameter" && candidate.attribs["ac:name"] === name,
  );
  return found === undefined ? "" : textOf(found).trim();
}
