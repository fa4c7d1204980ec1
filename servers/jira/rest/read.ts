import { z } from "zod";

import { ToolFailure } from "#servers/kit/tool.ts";

import type {
  Comment,
  HistoryEntry,
  Issue,
  IssueLink,
  IssueSummary,
  Person,
  StatusCategory,
} from "../backend.ts";

/** Checks an answer of Jira against the shape this server relies on. Throws `invalid_answer`. */
export function parseAnswer<T>(schema: z.ZodType<T>, answer: unknown, what: string): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? "" : `${issue.path.join(".") || "the whole answer"}: ${issue.message}`;
  throw new ToolFailure(
    "invalid_answer",
    `Jira's answer for ${what} is not what its API describes (${where}): check JIRA_URL and the version of Jira`,
  );
}

/** Jira writes offsets without a colon: "2026-11-21T10:00:00.000+0100". */
function toIso(text: string): string {
  const time = new Date(text.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

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

/** What differs in how an issue is read. */
export interface IssueFormat {
  baseUrl: string;
  /** Rich text to Markdown: a document on Cloud, wiki markup on Data Center. */
  toMarkdown(body: unknown): string;
}

export function toPerson(user: RawUser | null | undefined): Person | null {
  const id = user?.accountId ?? user?.name ?? user?.key;
  return id === null || id === undefined ? null : { id, name: user?.displayName ?? id };
}

export function toSummary({ key, fields }: RawIssue, { baseUrl }: IssueFormat): IssueSummary {
  return {
    key,
    summary: fields.summary ?? "",
    type: fields.issuetype?.name ?? "Issue",
    status: fields.status.name,
    status_category: toCategory(fields.status),
    priority: fields.priority?.name ?? null,
    assignee: toPerson(fields.assignee),
    updated: toIso(fields.updated),
    url: browseUrl(baseUrl, key),
  };
}

/** `comments` and `epic` are given because they can take further requests. */
export function toIssue(
  raw: RawIssue,
  comments: RawComment[],
  epic: Issue["epic"],
  reading: IssueFormat,
): Issue {
  const { fields } = raw;
  const prefix = raw.key.replace(/-\d+$/, "");
  return {
    ...toSummary(raw, reading),
    project: fields.project ?? { key: prefix, name: prefix },
    reporter: toPerson(fields.reporter),
    labels: fields.labels ?? [],
    epic,
    created: toIso(fields.created ?? fields.updated),
    due_date: fields.duedate ?? null,
    description: reading.toMarkdown(fields.description),
    links: toLinks(raw, reading.baseUrl),
    comments: comments.map((comment) => toComment(comment, reading)),
    history: toHistory(raw),
  };
}

export function toComment({ id, author, created, body }: RawComment, reading: IssueFormat): Comment {
  return { id, author: toPerson(author), created: toIso(created), body: reading.toMarkdown(body) };
}

export function browseUrl(baseUrl: string, key: string): string {
  return `${baseUrl}/browse/${key}`;
}

function toLinks({ fields }: RawIssue, baseUrl: string): IssueLink[] {
  return (fields.issuelinks ?? []).flatMap(({ type, inwardIssue, outwardIssue }) => {
    const other = outwardIssue ?? inwardIssue;
    if (other === null || other === undefined) return [];
    return [
      {
        type: outwardIssue ? type.outward : type.inward,
        key: other.key,
        summary: other.fields?.summary ?? "",
        status: other.fields?.status?.name ?? null,
        url: browseUrl(baseUrl, other.key),
      },
    ];
  });
}

function toHistory({ changelog }: RawIssue): HistoryEntry[] {
  const entries = (changelog?.histories ?? []).flatMap(({ created, author, items }) =>
    items.map((item) => ({
      at: toIso(created),
      author: toPerson(author),
      field: own(item, "field") ?? "",
      from: own(item, "fromString"),
      to: own(item, "toString"),
    })),
  );
  return entries.toSorted((a, b) => a.at.localeCompare(b.at));
}

function own(item: Record<string, unknown>, name: string): string | null {
  const value = Object.hasOwn(item, name) ? item[name] : null;
  return typeof value === "string" ? value : null;
}
