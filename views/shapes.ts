import { z } from "zod";

import { isObject } from "#src/base/json.ts";

export interface Person {
  id: string | null;
  name: string;
}

export interface Comment {
  id: string | null;
  author: Person | null;
  created: string | null;
  body: string;
}

/** A text that may be missing. */
export const textSchema: z.ZodType<string | null> = z.string().nullable().default(null);

/** Some servers count ids, others write them. */
const idSchema = z
  .union([z.string(), z.number().transform(String)])
  .nullable()
  .default(null);

/** A person as `{id, name}`, as REST servers name them, or as a bare name. */
export const personSchema: z.ZodType<Person | null> = z.preprocess(
  toPerson,
  z
    .object({ id: idSchema, name: z.string().min(1) })
    .nullable()
    .default(null),
);

export const commentSchema: z.ZodType<Comment> = z.object({
  id: idSchema,
  author: personSchema,
  created: textSchema,
  body: z.string(),
});

/** A plain object as a record, anything else as undefined. */
export function toRecord(value: unknown): Record<string, unknown> | undefined {
  return isObject(value) ? value : undefined;
}

function toPerson(value: unknown): unknown {
  if (typeof value === "string") return value === "" ? null : { id: null, name: value };
  const record = toRecord(value);
  if (record === undefined) return value;
  // Data Center's `name` is the login; people know each other by the display name.
  const { displayName, display_name, name, id, accountId, account_id, key } = record;
  return { id: id ?? accountId ?? account_id ?? key, name: displayName ?? display_name ?? name };
}

const MAX_DEPTH = 40;
const BLOCKS = new Set("paragraph heading codeBlock blockquote listItem tableRow rule panel".split(" "));

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
