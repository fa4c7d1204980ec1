import { isCDATA, isTag, isText, type ChildNode, type Element } from "domhandler";
import { decodeHTML } from "entities";

/** All text of a node, entities decoded outside of CDATA. Iterative: any depth is safe. */
export function textOf(root: ChildNode): string {
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

export function child(node: Element, name: string): Element | undefined {
  return node.children.find(
    (candidate): candidate is Element => isTag(candidate) && candidate.name.toLowerCase() === name,
  );
}

/** The value of a macro's `<ac:parameter ac:name="…">`, or "". */
export function parameter(macro: Element, name: string): string {
  const found = macro.children.find(
    (candidate) =>
      isTag(candidate) && candidate.name === "ac:parameter" && candidate.attribs["ac:name"] === name,
  );
  return found === undefined ? "" : textOf(found).trim();
}
