import type { AdfDoc, AdfNode } from "#servers/kit/adf-document.ts";

/**
 * A checker of its own, from the published schema: which children each node may have, and what
 * else makes Atlassian refuse a document. Lists every fault.
 */
const INLINE = ["text", "hardBreak", "mention", "emoji", "inlineCard", "status", "date"];
const CHILDREN: Record<string, string[]> = {
  doc: "paragraph heading bulletList orderedList taskList codeBlock blockquote panel expand table rule".split(
    " ",
  ),
  expand: "paragraph heading bulletList orderedList taskList codeBlock blockquote panel table rule".split(
    " ",
  ),
  panel: "paragraph heading bulletList orderedList taskList codeBlock rule".split(" "),
  blockquote: "paragraph bulletList orderedList codeBlock".split(" "),
  bulletList: ["listItem"],
  orderedList: ["listItem"],
  listItem: "paragraph bulletList orderedList codeBlock".split(" "),
  taskList: ["taskItem", "taskList"],
  taskItem: INLINE,
  paragraph: INLINE,
  heading: INLINE,
  codeBlock: ["text"],
  table: ["tableRow"],
  tableRow: ["tableHeader", "tableCell"],
  tableCell: ["paragraph"],
  tableHeader: ["paragraph"],
};
const NEVER_EMPTY = new Set(
  "expand panel blockquote bulletList orderedList listItem taskList table tableRow tableCell tableHeader".split(
    " ",
  ),
);
const MARKS = new Set(["strong", "em", "strike", "code", "link"]);

export function faultsOf(doc: AdfDoc): string[] {
  const faults: string[] = [];
  const ids = new Set<unknown>();
  if (doc.type !== "doc" || doc.version !== 1) faults.push("not a version 1 document");

  const visit = (node: AdfNode | AdfDoc, path: string): void => {
    const children = node.content ?? [];
    const allowed = CHILDREN[node.type] ?? [];
    if (NEVER_EMPTY.has(node.type) && children.length === 0) faults.push(`${path}: empty`);
    if (node.type === "taskList" && children[0]?.type !== "taskItem") faults.push(`${path}: lead`);
    if (node.type === "listItem" && !["paragraph", "codeBlock"].includes(children[0]?.type ?? "")) {
      faults.push(`${path}: a list item must begin with a paragraph or code`);
    }
    if (node.type === "text") textFaults(node, path, faults);
    if (node.type === "taskList" || node.type === "taskItem") {
      const id = node.attrs?.["localId"];
      if (typeof id !== "string" || ids.has(id)) faults.push(`${path}: localId`);
      ids.add(id);
    }
    for (const [index, child] of children.entries()) {
      const inner = `${path}/${child.type}[${index}]`;
      if (!allowed.includes(child.type)) faults.push(`${inner}: not allowed here`);
      if (node.type === "codeBlock" && child.marks !== undefined) faults.push(`${inner}: marks`);
      visit(child, inner);
    }
  };
  visit(doc, "doc");
  return faults;
}

function textFaults(node: AdfNode, path: string, faults: string[]): void {
  if (typeof node.text !== "string" || node.text === "") faults.push(`${path}: empty text`);
  const marks = (node.marks ?? []).map(({ type }) => type);
  if (new Set(marks).size !== marks.length) faults.push(`${path}: a mark twice`);
  for (const mark of marks) if (!MARKS.has(mark)) faults.push(`${path}: mark ${mark}`);
  if (marks.includes("code") && marks.some((mark) => mark !== "code" && mark !== "link")) {
    faults.push(`${path}: code beside another mark`);
  }
  for (const mark of node.marks ?? []) {
    const href = mark.attrs?.["href"];
    if (mark.type === "link" && (typeof href !== "string" || /^\s*javascript:/iu.test(href))) {
      faults.push(`${path}: link target`);
    }
  }
}
