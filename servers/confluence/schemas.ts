import { z } from "zod";

// The shapes of structured content, which the views read, and the types of it. Times are ISO 8601, bodies
// markdown.

const person = z.object({ id: z.string(), name: z.string() });

const author = person.nullable().describe("null where unknown");

const spaceRef = z.object({ key: z.string(), name: z.string() });

const pageRef = z.object({ id: z.string(), title: z.string() });

const space = spaceRef.extend({
  description: z.string().describe("Plain text; empty where the space has none"),
  pages: z.number().nullable().describe("Number of pages; null where unknown"),
  url: z.string(),
});

export const pageSummary = pageRef.extend({
  space: spaceRef,
  updated: z.string().describe("ISO 8601"),
  updated_by: author,
  url: z.string(),
  excerpt: z.string().describe("Plain text, at most some 300 characters"),
});

export const commentSchema = z.object({
  id: z.string(),
  author,
  created: z.string().describe("ISO 8601"),
  body: z.string().describe("Markdown"),
});

export const searchAnswer = z.object({
  results: z.array(pageSummary),
  total: z.number().nullable(),
  next_cursor: z.string().nullable().describe("Pass as cursor for more; null at the end"),
});

export const pageSchema = pageSummary.extend({
  version: z.number(),
  created: z.string().describe("ISO 8601"),
  created_by: author,
  parent: pageRef.nullable(),
  children: z.array(pageRef.extend({ url: z.string() })),
  labels: z.array(z.string()),
  body: z.string().describe("Markdown"),
  comments: z.array(commentSchema),
});

export const spaceList = z.object({ spaces: z.array(space) });

const fields = z.record(z.string(), z.unknown()).nullable();

export const changeAnswer = z.object({
  dry_run: z.boolean().describe("true: nothing was changed"),
  before: fields.describe("The touched fields as they were; null for a new page"),
  after: fields.describe("The touched fields as they are now; null for a deleted page"),
  page: pageSummary.nullable().describe("The page; null where there is none (yet, or any more)"),
});

export const commentAnswer = z.object({ page_id: z.string(), comment: commentSchema, url: z.string() });

export type SpaceRef = z.infer<typeof spaceRef>;
export type Space = z.infer<typeof space>;
export type PageRef = z.infer<typeof pageRef>;
export type PageSummary = z.infer<typeof pageSummary>;
export type Comment = z.infer<typeof commentSchema>;
export type Page = z.infer<typeof pageSchema>;
export type SearchAnswer = z.infer<typeof searchAnswer>;
