import { encodeXML } from "entities";
import type { AdfDoc, AdfNode } from "../kit/adf-document.ts";
import { attribute, childrenOf, inlineLabel, marksOf } from "../kit/adf-document.ts";

/** Confluence's panel macros, and the panels of the document format that look like them. */
export const PANEL_MACROS: Readonly<Record<string, string>> = {
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
export function adfToStorage(doc: AdfDoc): string {
  return doc.content.map(block).join("");
}

function block(node: AdfNode): string {
  const children = childrenOf(node);
  const inner = (): string => children.map(block).join("");
  switch (node.type) {
    case "paragraph":
      return `<p>${inline(children)}</p>`;
    case "heading": {
      const level = attribute(node, "level");
      return `<h${level}>${inline(children)}</h${level}>`;
    }
    case "bulletList":
      return `<ul>${inner()}</ul>`;
    case "orderedList": {
      const start = attribute(node, "order");
      return `<ol${start === "1" ? "" : ` start="${start}"`}>${inner()}</ol>`;
    }
    case "listItem":
      return `<li>${inner()}</li>`;
    case "taskList":
      return `<ac:task-list>${tasks(children)}</ac:task-list>`;
    case "codeBlock":
      return codeMacro(node);
    case "blockquote":
      return `<blockquote>${inner()}</blockquote>`;
    case "panel":
      return macro(PANEL_MACROS[attribute(node, "panelType")] ?? "info", {}, inner());
    case "expand":
      return macro("expand", { title: attribute(node, "title") }, inner());
    case "rule":
      return "<hr />";
    case "table":
      return `<table><tbody>${inner()}</tbody></table>`;
    case "tableRow":
      return `<tr>${inner()}</tr>`;
    case "tableHeader":
      return `<th>${inner()}</th>`;
    case "tableCell":
      return `<td>${inner()}</td>`;
    default:
      return `<p>${inline([node])}</p>`;
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
      `<ac:task-body>${inline(childrenOf(node))}${nested.map(block).join("")}</ac:task-body></ac:task>`;
  }
  return out;
}

function codeMacro(node: AdfNode): string {
  const code = childrenOf(node)
    .map(({ text }) => text ?? "")
    .join("");
  const body = `<ac:plain-text-body>${cdata(code)}</ac:plain-text-body>`;
  return `<ac:structured-macro ac:name="code">${parameters({ language: attribute(node, "language") })}${body}</ac:structured-macro>`;
}

function macro(name: string, values: Record<string, string>, body: string): string {
  return `<ac:structured-macro ac:name="${name}">${parameters(values)}<ac:rich-text-body>${body}</ac:rich-text-body></ac:structured-macro>`;
}

function parameters(values: Record<string, string>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `<ac:parameter ac:name="${name}">${encodeXML(value)}</ac:parameter>`)
    .join("");
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

function inline(nodes: readonly AdfNode[]): string {
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
