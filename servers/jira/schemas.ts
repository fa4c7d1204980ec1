import { z } from "zod";

import type { Change, Comment, Issue, IssueSummary, Person, Project, SearchResult } from "./backend.ts";

// The output schemas, one for each shape of backend.ts.

const personSchema: z.ZodType<Person> = z.object({ id: z.string(), name: z.string() });

const summaryShape = {
  key: z.string(),
  summary: z.string(),
  type: z.string(),
  status: z.string(),
  status_category: z.enum(["todo", "in_progress", "done"]),
  priority: z.string().nullable(),
  assignee: personSchema.nullable(),
  updated: z.string().describe("ISO 8601"),
  url: z.string(),
};

const commentShape = {
  id: z.string(),
  author: personSchema.nullable(),
  created: z.string(),
  body: z.string().describe("Markdown"),
};

export const summarySchema: z.ZodType<IssueSummary> = z.object(summaryShape);

export const commentSchema: z.ZodType<Comment> = z.object(commentShape);

export const issueSchema: z.ZodType<Issue> = z.object({
  ...summaryShape,
  project: z.object({ key: z.string(), name: z.string() }),
  reporter: personSchema.nullable(),
  labels: z.array(z.string()),
  epic: z.object({ key: z.string(), summary: z.string() }).nullable(),
  created: z.string(),
  due_date: z.string().nullable(),
  description: z.string().describe("Markdown"),
  links: z.array(
    z.object({
      type: z.string().describe('Seen from this issue: "blocks", "is blocked by"'),
      key: z.string(),
      summary: z.string(),
      status: z.string().nullable(),
      url: z.string(),
    }),
  ),
  comments: z.array(commentSchema),
  history: z.array(
    z.object({
      at: z.string(),
      author: personSchema.nullable(),
      field: z.string(),
      from: z.string().nullable(),
      to: z.string().nullable(),
    }),
  ),
});

export const searchSchema: z.ZodType<SearchResult> = z.object({
  issues: z.array(summarySchema),
  total: z.number().nullable(),
  next_cursor: z.string().nullable(),
  jql: z.string().nullable(),
});

export const projectSchema: z.ZodType<Project> = z.object({
  key: z.string(),
  name: z.string(),
  lead: personSchema.nullable(),
  issues: z.number().nullable(),
  url: z.string(),
});

const fieldsSchema = z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()]));

export const changeSchema: z.ZodType<Change> = z.object({
  dry_run: z.boolean(),
  before: z
    .union([summarySchema, fieldsSchema])
    .nullable()
    .describe("The fields the change touches, as they were"),
  after: fieldsSchema.nullable().describe("The same fields, as they are after the change"),
  issue: summarySchema.nullable(),
});
