import { isTag, type ChildNode, type Element } from "domhandler";
import { decodeHTML } from "entities";
import type { AdfMark, AdfNode } from "../kit/adf-document.ts";
import { isInline, textNode } from "../kit/adf-document.ts";
import { PANEL_MACROS } from "./adf-to-storage.ts";
import { child, parameter, textOf } from "./storage-dom.ts";

const PANEL_TYPES = new Map(Object.entries(PANEL_MACROS).map(([type, macro]) => [macro, type]));

/** Where an element stands, and how what is inside it is converted. */
export interface Inside {
  marks: readonly AdfMark[];
  depth: number;
  convert(nodes: readonly ChildNode[], inside: Inside): AdfNode[];
}

/** Between blocks, spaces are only the layout of the source. */
export function tidy(nodes: AdfNode[]): AdfNode[] {
  if (nodes.every(isInline)) return nodes;
  return nodes.filter((node) => node.type !== "text" || (node.text ?? "").trim() !== "");
}

/** Confluence's own elements (`ac:`); undefined for one that is not known. */
export function macroNodes(node: Element, inside: Inside): AdfNode[] | undefined {
  switch (node.name.toLowerCase()) {
    case "ac:structured-macro":
    case "ac:macro":
      return macro(node, inside);
    case "ac:link":
      return link(node, inside);
    case "ac:image":
      return [image(node)];
    case "ac:emoticon":
      return [
        textNode(
          node.attribs["ac:emoji-fallback"] ?? `:${node.attribs["ac:name"] ?? "emoji"}:`,
          inside.marks,
        ),
      ];
    case "ac:parameter":
    case "ac:placeholder":
    case "ac:task-id":
    case "colgroup":
      return [];
    default:
      return undefined;
  }
}

function macro(node: Element, inside: Inside): AdfNode[] {
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
  const body = rich === undefined ? [] : tidy(inside.convert(rich.children, inside));
  const panelType = PANEL_TYPES.get(name);
  if (panelType !== undefined) {
    const heading: AdfNode = {
      type: "paragraph",
      content: title === "" ? [] : [textNode(title, [{ type: "strong" }])],
    };
    return [{ type: "panel", attrs: { panelType }, content: [heading, ...body] }];
  }
  if (name === "expand") return [{ type: "expand", attrs: { title }, content: body }];
  if (rich !== undefined) return body;
  // A macro that makes its content itself, such as a table of contents: say that it is there.
  return [{ type: "extension", attrs: { extensionKey: name } }];
}

/** A link to a person, a page, an attachment or an anchor. */
function link(node: Element, inside: Inside): AdfNode[] {
  const user = child(node, "ri:user");
  if (user !== undefined) {
    const { attribs } = user;
    const id = attribs["ri:account-id"] ?? attribs["ri:userkey"] ?? attribs["ri:username"] ?? "";
    return [{ type: "mention", attrs: { id, text: `@${attribs["ri:username"] ?? id}` } }];
  }
  const rich = child(node, "ac:link-body");
  if (rich !== undefined) return inside.convert(rich.children, inside);
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
