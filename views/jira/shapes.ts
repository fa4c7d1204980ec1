import { z } from "zod";

import { commentSchema, personSchema, textSchema } from "../shapes.ts";
import type { Comment, Person } from "../shapes.ts";
import { fromRest, fromRestList } from "./rest.ts";

export interface IssueSummary {
  key: string;
  summary: string;
  type: string | null;
  status: string | null;
  /** `todo`, `in_progress` or `done`. */
  status_category: string | null;
  priority: string | null;
  assignee: Person | null;
  updated: string | null;
  url: string | null;
}

export interface Issue extends IssueSummary {
  project: { key: string; name: string } | null;
  reporter: Person | null;
  labels: string[];
  epic: { key: string; summary: string | null } | null;
  created: string | null;
  due_date: string | null;
  description: string | null;
  links: {
    type: string | null;
    key: string;
    summary: string | null;
    status: string | null;
    url: string | null;
  }[];
  comments: Comment[];
  history: {
    at: string | null;
    author: Person | null;
    field: string;
    from: string | null;
    to: string | null;
  }[];
}

const summaryShape = {
  key: z.string().min(1),
  summary: z.string(),
  type: textSchema,
  status: textSchema,
  status_category: textSchema,
  priority: textSchema,
  assignee: personSchema,
  updated: textSchema,
  url: textSchema,
};

/** An issue of a list. Raw REST issues (`{key, fields}`) are brought to this form first. */
const issueSummarySchema: z.ZodType<IssueSummary> = z.preprocess(fromRest, z.object(summaryShape));

const issueShape = {
  ...summaryShape,
  project: z.object({ key: z.string(), name: z.string() }).nullable().default(null),
  reporter: personSchema,
  labels: z
    .array(z.string())
    .nullish()
    .transform((value) => value ?? []),
  epic: z
    .object({ key: z.string().min(1), summary: textSchema })
    .nullable()
    .default(null),
  created: textSchema,
  due_date: textSchema,
  description: textSchema,
  links: z
    .array(
      z.object({
        type: textSchema,
        key: z.string().min(1),
        summary: textSchema,
        status: textSchema,
        url: textSchema,
      }),
    )
    .default([]),
  comments: z.array(commentSchema).default([]),
  history: z
    .array(
      z.object({ at: textSchema, author: personSchema, field: z.string(), from: textSchema, to: textSchema }),
    )
    .default([]),
};

/** The keys that the issue view shows by name; whatever else came is shown apart. */
export const ISSUE_KEYS: readonly string[] = Object.keys(issueShape);

export const issueSchema: z.ZodType<Issue> = z.preprocess(fromRest, z.object(issueShape));

export interface IssueList {
  issues: IssueSummary[];
  total: number | null;
  next_cursor: string | null;
  jql: string | null;
}

const issueListShape = z.object({
  issues: z.array(issueSummarySchema),
  total: z.number().nullable().default(null),
  next_cursor: z.string().nullable().default(null),
  jql: z.string().nullable().default(null),
});

/** A page of issues; a bare array counts as one. */
export const issueListSchema: z.ZodType<IssueList> = z.preprocess(fromRestList, issueListShape);

export interface Epic {
  epic: Issue;
  children: IssueSummary[];
  progress: { todo: number; in_progress: number; done: number; total: number } | null;
}

const amount = z.number().nonnegative();

export const epicSchema: z.ZodType<Epic> = z.object({
  epic: issueSchema,
  children: z.array(issueSummarySchema),
  progress: z
    .object({ todo: amount, in_progress: amount, done: amount, total: amount })
    .nullable()
    .default(null),
});
