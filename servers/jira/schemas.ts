import { z } from "zod";

import type { Change, Comment, Issue, IssueSummary, Person, Project, SearchResult } from "./backend.ts";

// Arguments that several tools share. Descriptions and examples are read by models and by a planner.

const issueKey: z.ZodType<string, string> = z
  .string()
  .trim()
  .regex(/^[A-Za-z][A-Za-z0-9_]*-[0-9]+$/, { error: "expected an issue key such as DEMO-12" })
  .toUpperCase();

/** An issue key with what it is for. */
export function keyArgument(description: string, example: string): z.ZodType<string, string> {
  return issueKey.meta({
    description: `${description}, such as ${example}. Upper or lower case.`,
    examples: [example],
  });
}

export const projectArgument: z.ZodType<string, string> = z
  .string()
  .trim()
  .meta({ description: "The project: its key such as DEMO, or its name", examples: ["DEMO", "OPS", "MOB"] });

export const summaryArgument: z.ZodType<string, string> = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^[^\r\n]*$/, { error: "expected one line" })
  .meta({ description: "The title, one line of up to 255 characters", examples: ["Printer on fire"] });

export const bodyArgument: z.ZodType<string, string> = z
  .string()
  .refine((text) => text.trim() !== "", { error: "expected some text" })
  .meta({ description: "The text of the comment, in Markdown", examples: ["Fixed in release 4.13."] });

export const assigneeArgument: z.ZodType<string, string> = z
  .string()
  .trim()
  .meta({
    description: 'Who works on it: a name, a part of a name, an id, "me", or "unassigned" for nobody',
    examples: ["me", "Ana Lindqvist", "ben", "unassigned"],
  });

export const labelsArgument: z.ZodType<string[], string[]> = z
  .array(z.string().trim().regex(/^\S+$/, { error: "a label has no spaces" }))
  .meta({ description: "Labels, without spaces", examples: [["login", "customer"]] });

export const dueDateArgument: z.ZodType<string, string> = z.iso
  .date()
  .meta({ description: "When it is due, as YYYY-MM-DD", examples: ["2026-12-24"] });

export const dryRunArgument: z.ZodType<boolean | undefined, boolean | undefined> = z
  .boolean()
  .optional()
  .describe("true: change nothing, only say what would change (before and after)");

/** Small models fill optional arguments with empty strings; those mean nothing. */
export function nonEmptyText(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}

// The output schemas, one for each shape of model.ts.

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
