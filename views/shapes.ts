import { z } from "zod";

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
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function toPerson(value: unknown): unknown {
  if (typeof value === "string") return value === "" ? null : { id: null, name: value };
  const record = toRecord(value);
  if (record === undefined) return value;
  // Data Center's `name` is the login; people know each other by the display name.
  const { displayName, display_name, name, id, accountId, account_id, key } = record;
  return { id: id ?? accountId ?? account_id ?? key, name: displayName ?? display_name ?? name };
}
