import { z } from "zod";

import { commentSchema, personSchema, textSchema } from "../shapes.ts";
import type { Comment, Person } from "../shapes.ts";

export interface PageSummary {
  id: string;
  title: string;
  space: { key: string; name: string } | null;
  updated: string | null;
  updated_by: Person | null;
  url: string | null;
  excerpt: string | null;
}

export interface Page extends PageSummary {
  version: number | null;
  created: string | null;
  created_by: Person | null;
  parent: { id: string; title: string } | null;
  children: { id: string; title: string; url: string | null }[];
  labels: string[];
  body: string;
  comments: Comment[];
}

/** Some servers count ids, others write them. */
const id = z.union([z.string(), z.number().transform(String)]);

/** A space as `{key, name}`, or by its key alone. */
const space = z.preprocess(
  (value) => (typeof value === "string" && value !== "" ? { key: value, name: value } : value),
  z.object({ key: z.string(), name: z.string() }).nullable().default(null),
);

const summaryShape = {
  id,
  title: z.string().min(1),
  space,
  updated: textSchema,
  updated_by: personSchema,
  url: textSchema,
  excerpt: textSchema,
};

const pageShape = {
  ...summaryShape,
  version: z.number().nullable().default(null),
  created: textSchema,
  created_by: personSchema,
  parent: z.object({ id, title: z.string() }).nullable().default(null),
  children: z.array(z.object({ id, title: z.string().min(1), url: textSchema })).default([]),
  labels: z.array(z.string()).default([]),
  body: z.string(),
  comments: z.array(commentSchema).default([]),
};

/** The keys that the page view shows by name; whatever else came is shown apart. */
export const PAGE_KEYS: readonly string[] = Object.keys(pageShape);

export const pageSchema: z.ZodType<Page> = z.object(pageShape);

export interface PageList {
  results: PageSummary[];
  total: number | null;
  next_cursor: string | null;
}

/** A page of search results; a bare array counts as one. */
export const pageListSchema: z.ZodType<PageList> = z.preprocess(
  (value) => (Array.isArray(value) ? { results: value as unknown[] } : value),
  z.object({
    results: z.array(z.object(summaryShape)),
    total: z.number().nullable().default(null),
    next_cursor: z.string().nullable().default(null),
  }),
);
