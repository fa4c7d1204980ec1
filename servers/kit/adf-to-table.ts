import type { AdfNode } from "./adf-document.ts";
import { attribute, childrenOf, isInline, plainText } from "./adf-document.ts";
import { inlineMarkdown } from "./adf-to-inline.ts";

/** A table in GitHub's markdown: the first row is its head; blocks in a cell become lines. */
export function tableMarkdown(rows: readonly AdfNode[]): string {
  const cells = rows.map((row) => childrenOf(row).flatMap(cellTexts));
  const width = Math.max(0, ...cells.map((row) => row.length));
  if (width === 0) return "";
  const lines = cells.map((row) => {
    const padded = [...row, ...Array.from({ length: width - row.length }, () => "")];
    return `| ${padded.join(" | ")} |`;
  });
  const [head = "", ...body] = lines;
  return [head, `|${" --- |".repeat(width)}`, ...body].join("\n");
}

/** The text of a cell, followed by empty cells where it spans columns. */
function cellTexts(cell: AdfNode): string[] {
  const span = Math.min(50, Math.max(1, Math.trunc(Number(attribute(cell, "colspan"))) || 1));
  const lines = cellLines(childrenOf(cell));
  return [lines.join("<br>"), ...Array.from({ length: span - 1 }, () => "")];
}

function cellLines(nodes: readonly AdfNode[]): string[] {
  if (nodes.some(isInline)) return [inlineMarkdown(nodes, "cell")].filter((line) => line !== "");
  return nodes.flatMap((node) => {
    const content = childrenOf(node);
    switch (node.type) {
      case "paragraph":
      case "heading":
        return cellLines(content);
      case "bulletList":
      case "orderedList":
      case "taskList":
      case "decisionList":
        return content.map((item) => `• ${escapePlain(plainText(item))}`);
      case "codeBlock":
        return content.flatMap(({ text }) =>
          (text ?? "").split("\n").flatMap((line) => {
            const code = { type: "text", text: line, marks: [{ type: "code" }] };
            return line.trim() === "" ? [] : [inlineMarkdown([code], "cell")];
          }),
        );
      default: {
        const text = plainText(node);
        return text === "" ? [] : [escapePlain(text)];
      }
    }
  });
}

function escapePlain(text: string): string {
  return inlineMarkdown([{ type: "text", text }], "cell");
}
