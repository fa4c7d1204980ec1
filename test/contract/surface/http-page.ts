import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";

import type { Read } from "./slack-text.ts";

type Node = DefaultTreeAdapterTypes.Node;

/** Elements that a page of results has no use for. */
const ACTING = new Set([
  "script",
  "iframe",
  "img",
  "object",
  "embed",
  "form",
  "style",
  "svg",
  "link",
  "meta",
]);
const LOOKS = new Set(["b", "strong", "em", "i", "del", "code"]);

/** Reads a piece of the page as a browser does; what its forms and pictures are for stands outside of `within`. */
export function readPage(html: string, within: (classes: string) => boolean): Read {
  const live: string[] = [];
  const lines: string[] = [];
  const textOf = (node: Node): string =>
    "value" in node ? node.value : "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
  const look = (node: Node): void => {
    if ("tagName" in node) {
      if (ACTING.has(node.tagName)) live.push(node.tagName);
      if (LOOKS.has(node.tagName)) live.push(`formats ${textOf(node)}`);
      for (const { name, value } of node.attrs) {
        if (name === "href" && !value.startsWith("#")) live.push(value);
        if (name.startsWith("on")) live.push(name);
      }
    }
    if ("childNodes" in node) node.childNodes.forEach(look);
  };
  const find = (node: Node): void => {
    const classes = "attrs" in node ? (node.attrs.find(({ name }) => name === "class")?.value ?? "") : "";
    if (within(classes)) {
      lines.push(textOf(node));
      look(node);
    } else if ("childNodes" in node) node.childNodes.forEach(find);
  };
  find(parseFragment(html));
  return { text: lines.join("\n"), live };
}
