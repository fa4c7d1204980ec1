import { toRecord } from "./shapes.ts";

const MAX_DEPTH = 40;
const BLOCKS = new Set([
  "paragraph",
  "heading",
  "codeBlock",
  "blockquote",
  "listItem",
  "tableRow",
  "rule",
  "panel",
]);

/** The words of a description: a string as it is, Atlassian's document format as plain paragraphs. */
export function documentText(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (toRecord(value)?.["type"] !== "doc") return null;
  return nodeText(value, 0)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function nodeText(value: unknown, depth: number): string {
  const node = toRecord(value);
  if (node === undefined || depth > MAX_DEPTH) return "";
  const { type, text, content, attrs } = node;
  if (type === "text") return typeof text === "string" ? text : "";
  if (type === "hardBreak") return "\n";
  if (type === "mention" || type === "emoji" || type === "status") {
    const label = toRecord(attrs)?.["text"];
    return typeof label === "string" ? label : "";
  }
  const inner = Array.isArray(content) ? content.map((item) => nodeText(item, depth + 1)).join("") : "";
  if (type === "listItem") return `- ${inner.trim()}\n`;
  return typeof type === "string" && BLOCKS.has(type) ? `${inner}\n\n` : inner;
}
