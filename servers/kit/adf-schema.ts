import type { AdfMark, AdfNode } from "./adf-document.ts";
import { attribute, isInline, paragraph, plainText, textNode } from "./adf-document.ts";

/**
 * Which blocks a block may hold, from the published JSON schema of the format. Atlassian refuses a
 * whole document for one misplaced node, so what does not fit is degraded to something that does.
 */
const ALLOWED: Readonly<Record<string, ReadonlySet<string>>> = {
  doc: new Set([
    "paragraph",
    "heading",
    "bulletList",
    "orderedList",
    "taskList",
    "codeBlock",
    "blockquote",
    "panel",
    "expand",
    "table",
    "rule",
  ]),
  expand: new Set([
    "paragraph",
    "heading",
    "bulletList",
    "orderedList",
    "taskList",
    "codeBlock",
    "blockquote",
    "panel",
    "table",
    "rule",
  ]),
  panel: new Set(["paragraph", "heading", "bulletList", "orderedList", "taskList", "codeBlock", "rule"]),
  blockquote: new Set(["paragraph", "bulletList", "orderedList", "codeBlock"]),
  listItem: new Set(["paragraph", "bulletList", "orderedList", "codeBlock"]),
};

/** Makes the children of a block legal there; never loses text. */
export function fit(parent: string, children: AdfNode[]): AdfNode[] {
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
      return fit(parent, content);
    case "expand": {
      const title = attribute(node, "title");
      const lead = title === "" ? [] : [paragraph([embolden(textNode(title))])];
      return [...lead, ...fit(parent, content)];
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

const STRONG: AdfMark = { type: "strong" };

function embolden(node: AdfNode): AdfNode {
  if (node.type !== "text") return node;
  const marks = node.marks ?? [];
  // `code` stands alone or beside a link only.
  if (marks.some((mark) => mark.type === "code" || mark.type === "strong")) return node;
  return { ...node, marks: [...marks, STRONG] };
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
