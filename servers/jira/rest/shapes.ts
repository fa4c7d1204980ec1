import { z } from "zod";

import type { StatusCategory } from "../model.ts";

// The parts of Jira's REST answers that are used, the same for Cloud v3 and Data Center v2 except
// where noted. Anything else in them is ignored.

/** Cloud names people by `accountId`, Data Center by `name`. */
export interface RawUser {
  accountId?: string | null | undefined;
  name?: string | null | undefined;
  key?: string | null | undefined;
  displayName?: string | null | undefined;
}

export const userSchema: z.ZodType<RawUser> = z.object({
  accountId: z.string().nullish(),
  name: z.string().nullish(),
  key: z.string().nullish(),
  displayName: z.string().nullish(),
});

export interface RawStatus {
  name: string;
  statusCategory?: { key: string } | null | undefined;
}

const statusSchema: z.ZodType<RawStatus> = z.object({
  name: z.string(),
  statusCategory: z.object({ key: z.string() }).nullish(),
});

/** Jira's three categories are "new", "indeterminate" and "done". */
export function toCategory(status: RawStatus): StatusCategory {
  switch (status.statusCategory?.key) {
    case "indeterminate":
      return "in_progress";
    case "done":
      return "done";
    default:
      return "todo";
  }
}

export interface RawComment {
  id: string;
  author?: RawUser | null | undefined;
  created: string;
  /** A document on Cloud, wiki markup on Data Center. */
  body?: unknown;
}

export const commentSchema: z.ZodType<RawComment> = z.object({
  id: z.string(),
  author: userSchema.nullish(),
  created: z.string(),
  body: z.unknown().optional(),
});

interface RawLinked {
  key: string;
  fields?: { summary?: string | null | undefined; status?: RawStatus | null | undefined } | null | undefined;
}

const linkedSchema: z.ZodType<RawLinked> = z.object({
  key: z.string(),
  fields: z.object({ summary: z.string().nullish(), status: statusSchema.nullish() }).nullish(),
});

interface RawLink {
  type: { inward: string; outward: string };
  inwardIssue?: RawLinked | null | undefined;
  outwardIssue?: RawLinked | null | undefined;
}

const linkSchema: z.ZodType<RawLink> = z.object({
  type: z.object({ inward: z.string(), outward: z.string() }),
  inwardIssue: linkedSchema.nullish(),
  outwardIssue: linkedSchema.nullish(),
});

interface RawParent {
  key: string;
  fields?:
    | {
        summary?: string | null | undefined;
        issuetype?: { name: string; hierarchyLevel?: number | null | undefined } | null | undefined;
      }
    | null
    | undefined;
}

const parentSchema: z.ZodType<RawParent> = z.object({
  key: z.string(),
  fields: z
    .object({
      summary: z.string().nullish(),
      issuetype: z.object({ name: z.string(), hierarchyLevel: z.number().nullish() }).nullish(),
    })
    .nullish(),
});

interface RawHistory {
  created: string;
  author?: RawUser | null | undefined;
  /** `field`, `fromString` and `toString` are used; the last is a trap as a property, hence records. */
  items: Record<string, unknown>[];
}

const historySchema: z.ZodType<RawHistory> = z.object({
  created: z.string(),
  author: userSchema.nullish(),
  items: z.array(z.record(z.string(), z.unknown())),
});

interface RawFields {
  summary?: string | null | undefined;
  issuetype?: { name: string } | null | undefined;
  status: RawStatus;
  priority?: { name: string } | null | undefined;
  assignee?: RawUser | null | undefined;
  updated: string;
  project?: { key: string; name: string } | null | undefined;
  reporter?: RawUser | null | undefined;
  labels?: string[] | null | undefined;
  parent?: RawParent | null | undefined;
  created?: string | null | undefined;
  duedate?: string | null | undefined;
  description?: unknown;
  issuelinks?: RawLink[] | null | undefined;
  comment?: { comments: RawComment[]; total?: number | null | undefined } | null | undefined;
  /** Custom fields, such as Data Center's epic link, by their ids. */
  [custom: string]: unknown;
}

export interface RawIssue {
  key: string;
  fields: RawFields;
  changelog?: { histories: RawHistory[] } | null | undefined;
}

export const issueSchema: z.ZodType<RawIssue> = z.object({
  key: z.string(),
  fields: z.looseObject({
    summary: z.string().nullish(),
    issuetype: z.object({ name: z.string() }).nullish(),
    status: statusSchema,
    priority: z.object({ name: z.string() }).nullish(),
    assignee: userSchema.nullish(),
    updated: z.string(),
    project: z.object({ key: z.string(), name: z.string() }).nullish(),
    reporter: userSchema.nullish(),
    labels: z.array(z.string()).nullish(),
    parent: parentSchema.nullish(),
    created: z.string().nullish(),
    duedate: z.string().nullish(),
    description: z.unknown().optional(),
    issuelinks: z.array(linkSchema).nullish(),
    comment: z.object({ comments: z.array(commentSchema), total: z.number().nullish() }).nullish(),
  }),
  changelog: z.object({ histories: z.array(historySchema) }).nullish(),
});

export const summaryFieldNames: readonly string[] = [
  "summary",
  "issuetype",
  "status",
  "priority",
  "assignee",
  "updated",
];

export const issueFieldNames: readonly string[] = [
  ...summaryFieldNames,
  "project",
  "reporter",
  "labels",
  "parent",
  "created",
  "duedate",
  "description",
  "issuelinks",
  "comment",
];
