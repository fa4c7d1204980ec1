import { z } from "zod";

import type { Person } from "#servers/kit/names.ts";
import { isoTime, ToolFailure } from "#servers/kit/tool.ts";

import type {
  Comment,
  FoundPerson,
  HistoryEntry,
  Issue,
  IssueLink,
  IssueSummary,
  StatusCategory,
} from "../schemas.ts";

// The parts of Jira's REST answers that are used, the same for Cloud v3 and Data Center v2 except
// where noted. Anything else in them is ignored.

const text = z.string().nullish();
const named = z.object({ name: z.string() }).nullish();

/** Cloud names people by `accountId`, Data Center by `name`. */
const userSchema = z.object({
  accountId: text,
  name: text,
  key: text,
  displayName: text,
  emailAddress: text,
  active: z.boolean().nullish(),
  accountType: text,
});
const user = userSchema.nullish();

const status = z.object({ name: z.string(), statusCategory: z.object({ key: z.string() }).nullish() });

const commentSchema = z.object({
  id: z.string(),
  author: user,
  created: z.string(),
  /** A document on Cloud, wiki markup on Data Center. */
  body: z.unknown().optional(),
});

const linkedIssue = z
  .object({ key: z.string(), fields: z.object({ summary: text, status: status.nullish() }).nullish() })
  .nullish();

const summaryFields = {
  summary: text,
  issuetype: named,
  status,
  priority: named,
  assignee: user,
  created: text,
  updated: z.string(),
  duedate: text,
};

const issueFields = {
  ...summaryFields,
  project: z.object({ key: z.string(), name: z.string() }).nullish(),
  reporter: user,
  labels: z.array(z.string()).nullish(),
  parent: z.unknown().optional(),
  description: z.unknown().optional(),
  issuelinks: z
    .array(
      z.object({
        type: z.object({ inward: z.string(), outward: z.string() }),
        inwardIssue: linkedIssue,
        outwardIssue: linkedIssue,
      }),
    )
    .nullish(),
  comment: z.object({ comments: z.array(commentSchema), total: z.number().nullish() }).nullish(),
};

const issueSchema = z.object({
  key: z.string(),
  /** Also custom fields, such as Data Center's epic link, by their ids. */
  fields: z.looseObject(issueFields),
  changelog: z
    .object({
      histories: z.array(
        z.object({
          created: z.string(),
          author: user,
          // `field`, `fromString` and `toString` are used; the last is a trap as a property, hence records.
          items: z.array(z.record(z.string(), z.unknown())),
        }),
      ),
    })
    .nullish(),
});

type RawIssue = z.infer<typeof issueSchema>;

export const summaryFieldNames: readonly string[] = Object.keys(summaryFields);
export const issueFieldNames: readonly string[] = Object.keys(issueFields);

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

export function parsePerson(answer: unknown, what: string): Person | null {
  return toPerson(parseAnswer(userSchema, answer, what));
}

export function parsePeople(answer: unknown, what: string): Person[] {
  return parseAnswer(z.array(userSchema), answer, what)
    .map(toPerson)
    .filter((person) => person !== null);
}

/** People who can be given work, with their addresses where they show them. */
export function parseFoundPeople(answer: unknown): FoundPerson[] {
  return parseAnswer(z.array(userSchema), answer, "a search for people").flatMap((found) => {
    const person = toPerson(found);
    const isPerson = found.active !== false && (found.accountType ?? "atlassian") === "atlassian";
    return person === null || !isPerson ? [] : [{ ...person, email: found.emailAddress || null }];
  });
}

/** What differs in how an issue is read. */
export interface IssueFormat {
  baseUrl: string;
  /** Rich text to Markdown: a document on Cloud, wiki markup on Data Center. */
  toMarkdown(body: unknown): string;
}

export function parseSummary(answer: unknown, { baseUrl }: IssueFormat): IssueSummary {
  return toSummary(parseAnswer(issueSchema, answer, "an issue"), baseUrl);
}

export function parseComment(answer: unknown, format: IssueFormat): Comment {
  return toComment(parseAnswer(commentSchema, answer, "a comment"), format);
}

/** One page of comments. */
export function parseComments(answer: unknown, format: IssueFormat): Comment[] {
  const schema = z.object({ comments: z.array(commentSchema), total: z.number() });
  return parseAnswer(schema, answer, "comments").comments.map((comment) => toComment(comment, format));
}

/** An issue with its first comments and without its epic; `fields` as they came, for what differs between kinds of Jira. */
export function parseIssue(
  answer: unknown,
  format: IssueFormat,
  what: string,
): { issue: Issue; fields: Record<string, unknown>; commentTotal: number } {
  const raw = parseAnswer(issueSchema, answer, what);
  const { fields } = raw;
  const prefix = raw.key.replace(/-\d+$/, "");
  const comments = fields.comment?.comments ?? [];
  const issue: Issue = {
    ...toSummary(raw, format.baseUrl),
    project: fields.project ?? { key: prefix, name: prefix },
    reporter: toPerson(fields.reporter),
    labels: fields.labels ?? [],
    epic: null,
    description: format.toMarkdown(fields.description),
    links: toLinks(raw, format.baseUrl),
    comments: comments.map((comment) => toComment(comment, format)),
    history: toHistory(raw),
  };
  return { issue, fields, commentTotal: fields.comment?.total ?? comments.length };
}

/** Jira's three categories are "new", "indeterminate" and "done". */
export function toCategory(status: { statusCategory?: { key: string } | null | undefined }): StatusCategory {
  const key = status.statusCategory?.key;
  return key === "indeterminate" ? "in_progress" : key === "done" ? "done" : "todo";
}

export function browseUrl(baseUrl: string, key: string): string {
  return `${baseUrl}/browse/${key}`;
}

function toPerson(person: z.infer<typeof user>): Person | null {
  const id = person?.accountId ?? person?.name ?? person?.key;
  return id === null || id === undefined ? null : { id, name: person?.displayName ?? id };
}

function toSummary({ key, fields }: RawIssue, baseUrl: string): IssueSummary {
  return {
    key,
    summary: fields.summary ?? "",
    type: fields.issuetype?.name ?? "Issue",
    status: fields.status.name,
    status_category: toCategory(fields.status),
    priority: fields.priority?.name ?? null,
    assignee: toPerson(fields.assignee),
    created: isoTime(fields.created ?? fields.updated),
    updated: isoTime(fields.updated),
    due_date: fields.duedate ?? null,
    url: browseUrl(baseUrl, key),
  };
}

function toComment(comment: z.infer<typeof commentSchema>, format: IssueFormat): Comment {
  const { id, author, created, body } = comment;
  return { id, author: toPerson(author), created: isoTime(created), body: format.toMarkdown(body) };
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
      at: isoTime(created),
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
