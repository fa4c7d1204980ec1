import type { AdfNode } from "./adf-document.ts";
import {
  attribute,
  childrenOf,
  isInline,
  marksOf,
  MAX_DEPTH,
  mediaLabel,
  nodesOf,
  plainText,
} from "./adf-document.ts";
import { inlineMarkdown } from "./adf-to-inline.ts";
import { tableMarkdown } from "./adf-to-table.ts";

const ALERTS: Readonly<Record<string, string>> = {
  info: "NOTE",
  success: "TIP",
  note: "IMPORTANT",
  warning: "WARNING",
  error: "CAUTION",
};

export function adfToMarkdown(doc: unknown): string {
  if (typeof doc === "string") return doc;
  return blocks(nodesOf([doc]), 0).trim();
}

/** Blocks parted by an empty line. Inline nodes that stand among blocks form a paragraph. */
function blocks(nodes: readonly AdfNode[], depth: number, tight = false): string {
  if (depth > MAX_DEPTH) return nodes.map((node) => plainText(node)).join(" ");
  const parts: { text: string; type: string }[] = [];
  let loose: AdfNode[] = [];
  const flush = (): void => {
    const text = inlineMarkdown(loose, "block");
    if (text !== "") parts.push({ text, type: "paragraph" });
    loose = [];
  };
  let alternate = false;
  for (const node of nodes) {
    if (isInline(node)) {
      loose.push(node);
      continue;
    }
    flush();
    // Two neighbouring lists would read as one: the second gets the other marker.
    const before = parts.at(-1)?.type;
    const joins = isBullets(node.type) ? isBullets(before) : before === node.type;
    alternate = joins && !alternate;
    const text = block(node, depth, alternate);
    if (text.trim() !== "") parts.push({ text, type: node.type });
  }
  flush();
  return parts
    .map(({ text, type }, index) => {
      if (index === 0) return text;
      const isNested = tight && type.endsWith("List") && parts[index - 1]?.type === "paragraph";
      return `${isNested ? "\n" : "\n\n"}${text}`;
    })
    .join("");
}

function isBullets(type: string | undefined): boolean {
  return type === "bulletList" || type === "taskList" || type === "decisionList";
}

function block(node: AdfNode, depth: number, alternate: boolean): string {
  const content = childrenOf(node);
  switch (node.type) {
    case "paragraph":
    case "caption":
      return inlineMarkdown(content, "block");
    case "heading": {
      const level = Math.min(6, Math.max(1, Math.trunc(Number(attribute(node, "level"))) || 1));
      const title = inlineMarkdown(content, "line").replace(/(\s|^)(#+)$/u, "$1\\$2");
      return title === "" ? "" : `${"#".repeat(level)} ${title}`;
    }
    case "bulletList":
    case "decisionList":
      return items(content, depth, () => (alternate ? "* " : "- "));
    case "taskList":
      return tasks(content, depth, alternate ? "*" : "-");
    case "orderedList": {
      const start = Math.max(0, Math.trunc(Number(attribute(node, "order") || "1")) || 0);
      return items(content, depth, (index) => `${start + index}${alternate ? ")" : "."} `);
    }
    case "codeBlock":
      return codeBlock(node);
    case "blockquote":
      return prefixed(blocks(content, depth + 1), "> ");
    case "panel": {
      const alert = ALERTS[attribute(node, "panelType")] ?? "NOTE";
      return `> [!${alert}]\n${prefixed(blocks(content, depth + 1), "> ")}`;
    }
    case "rule":
      return "---";
    case "expand":
    case "nestedExpand": {
      const title = escapeHtml(attribute(node, "title") || "Details");
      const body = blocks(content, depth + 1);
      return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
    }
    case "table":
      return tableMarkdown(content);
    case "media":
      return media(node);
    case "blockCard":
    case "embedCard": {
      const url = attribute(node, "url");
      return url === "" ? "" : inlineMarkdown([{ type: "inlineCard", attrs: { url } }], "block");
    }
    case "extension":
    case "bodiedExtension": {
      if (content.length > 0) return blocks(content, depth + 1);
      const name = attribute(node, "text") || attribute(node, "extensionKey");
      return name === "" ? "" : inlineMarkdown([{ type: "text", text: `(macro: ${name})` }], "block");
    }
    default: {
      if (content.length > 0) return blocks(content, depth + 1);
      const text = typeof node.text === "string" ? node.text : attribute(node, "text");
      return text === "" ? "" : inlineMarkdown([{ type: "text", text }], "block");
    }
  }
}

function items(list: readonly AdfNode[], depth: number, marker: (index: number) => string): string {
  return list
    .map((item, index) => {
      const mark = marker(index);
      const body = blocks(isInline(item) ? [item] : childrenOf(item), depth + 1, true);
      return `${mark}${indented(body, mark.length)}`.trimEnd();
    })
    .join("\n");
}

function tasks(list: readonly AdfNode[], depth: number, bullet: string): string {
  return list
    .map((item) => {
      if (item.type === "taskList") {
        if (depth > MAX_DEPTH) return `${bullet} ${plainText(item)}`;
        return `  ${indented(tasks(childrenOf(item), depth + 1, bullet), 2)}`;
      }
      const box = attribute(item, "state") === "DONE" ? "[x]" : "[ ]";
      // A box without words after it is not read as a task.
      const body = blocks(childrenOf(item), depth + 1, true) || "<br>";
      return `${bullet} ${box} ${indented(body, 2)}`;
    })
    .join("\n");
}

function codeBlock(node: AdfNode): string {
  const code = childrenOf(node)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("");
  const longest = Math.max(2, ...[...code.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const language = attribute(node, "language").replace(/[\s`]/gu, "");
  return `${fence}${language}\n${code}\n${fence}`;
}

function media(node: AdfNode): string {
  const url = attribute(node, "url");
  const label = attribute(node, "alt") || mediaLabel(node);
  const link = marksOf(node).find(({ type }) => type === "link");
  const href = url || (link === undefined ? "" : attribute(link, "href"));
  const marks = href === "" ? [{ type: "em" }] : [{ type: "link", attrs: { href } }];
  const text = href === "" ? mediaLabel(node) : label;
  return inlineMarkdown([{ type: "text", text, marks }], "block");
}

function prefixed(text: string, prefix: string): string {
  return text
    .split("\n")
    .map((line) => `${prefix}${line}`.trimEnd())
    .join("\n");
}

/** All lines but the first moved right; empty lines stay empty. */
function indented(text: string, width: number): string {
  const pad = " ".repeat(width);
  return text
    .split("\n")
    .map((line, index) => (index === 0 || line === "" ? line : `${pad}${line}`))
    .join("\n");
}

function escapeHtml(text: string): string {
  return text.replace(/\s+/gu, " ").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
