import { z } from "zod";

// What the tools give back as structured content, and the types of it. Times are ISO 8601; null where
// unknown.

export const statusCategories = ["todo", "in_progress", "done"] as const;

const personSchema = z.object({ id: z.string(), name: z.string() });

export const foundPersonSchema = personSchema.extend({
  email: z.string().nullable().describe("null where Jira does not show it"),
});

export const summarySchema = z.object({
  key: z.string(),
  summary: z.string(),
  type: z.string(),
  status: z.string(),
  status_category: z.enum(statusCategories),
  priority: z.string().nullable(),
  assignee: personSchema.nullable(),
  created: z.string().describe("ISO 8601"),
  updated: z.string().describe("ISO 8601"),
  due_date: z.string().nullable().describe("A date, 2026-11-30"),
  url: z.string(),
});

export const commentSchema = z.object({
  id: z.string(),
  author: personSchema.nullable(),
  created: z.string(),
  body: z.string().describe("Markdown"),
});

const linkSchema = z.object({
  type: z.string().describe('Seen from this issue: "blocks", "is blocked by"'),
  key: z.string(),
  summary: z.string(),
  status: z.string().nullable(),
  url: z.string(),
});

const historySchema = z.object({
  at: z.string(),
  author: personSchema.nullable(),
  field: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
});

export const issueSchema = summarySchema.extend({
  project: z.object({ key: z.string(), name: z.string() }),
  reporter: personSchema.nullable(),
  labels: z.array(z.string()),
  epic: z.object({ key: z.string(), summary: z.string() }).nullable(),
  description: z.string().describe("Markdown"),
  links: z.array(linkSchema),
  comments: z.array(commentSchema),
  history: z.array(historySchema).describe("Oldest first"),
});

export const searchSchema = z.object({
  issues: z.array(summarySchema),
  total: z.number().nullable(),
  next_cursor: z.string().nullable(),
  jql: z.string().nullable(),
});

export const countSchema = z.object({
  total: z.number().describe("How many issues there are"),
  groups: z
    .array(z.object({ value: z.string(), count: z.number() }))
    .describe("Largest first; an issue with several labels counts in each. Empty without group_by"),
  complete: z.boolean().describe("false: there were too many issues, the groups count only some of them"),
  jql: z.string().describe("The query that finds them; empty for all issues"),
});

export const projectSchema = z.object({
  key: z.string(),
  name: z.string(),
  lead: personSchema.nullable(),
  issues: z.number().nullable(),
  url: z.string(),
});

const fieldsSchema = z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()]));

/** After a change, what reading it back told. */
const checkedShape = {
  checked: z.boolean().optional().describe("true: the change was read back afterwards"),
  not_applied: z.array(z.string()).optional().describe("Fields that have another value than they were given"),
};

export const changeSchema = z.object({
  dry_run: z.boolean(),
  before: z
    .union([summarySchema, fieldsSchema])
    .nullable()
    .describe("The fields the change touches, as they were"),
  after: fieldsSchema.nullable().describe("The same fields, as they are after the change"),
  issue: summarySchema.nullable(),
  ...checkedShape,
});

/** What a link is between, or would be. */
export const linkChangeSchema = z.object({
  dry_run: z.boolean(),
  from_key: z.string(),
  to_key: z.string(),
  type: z.string(),
  before: fieldsSchema,
  after: fieldsSchema,
  from: summarySchema,
  to: summarySchema,
});

export type FoundPerson = z.infer<typeof foundPersonSchema>;
export type StatusCategory = (typeof statusCategories)[number];
export type IssueSummary = z.infer<typeof summarySchema>;
export type Issue = z.infer<typeof issueSchema>;
export type IssueLink = z.infer<typeof linkSchema>;
export type Comment = z.infer<typeof commentSchema>;
export type HistoryEntry = z.infer<typeof historySchema>;
export type Project = z.infer<typeof projectSchema>;
export type SearchResult = z.infer<typeof searchSchema>;
export type CountResult = z.infer<typeof countSchema>;
/** What a change touches, by the names of the tools' arguments. */
export type Fields = z.infer<typeof fieldsSchema>;
export type LinkChange = z.infer<typeof linkChangeSchema>;
export type Change = z.infer<typeof changeSchema>;

export function toSummary(issue: Issue): IssueSummary {
  const { key, summary, type, status, status_category, priority, assignee, created, updated, due_date, url } =
    issue;
  return { key, summary, type, status, status_category, priority, assignee, created, updated, due_date, url };
}
