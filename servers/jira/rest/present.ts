import type { Comment, HistoryEntry, Issue, IssueLink, IssueSummary, Person } from "../model.ts";
import { toIso } from "./read.ts";
import { toCategory, type RawComment, type RawIssue, type RawUser } from "./shapes.ts";

/** What differs in how an issue is read. */
export interface Reading {
  baseUrl: string;
  /** Rich text to Markdown: a document on Cloud, wiki markup on Data Center. */
  toMarkdown(body: unknown): string;
}

export function toPerson(user: RawUser | null | undefined): Person | null {
  const id = user?.accountId ?? user?.name ?? user?.key;
  return id === null || id === undefined ? null : { id, name: user?.displayName ?? id };
}

export function toSummary({ key, fields }: RawIssue, { baseUrl }: Reading): IssueSummary {
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
export function toIssue(raw: RawIssue, comments: RawComment[], epic: Issue["epic"], reading: Reading): Issue {
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

export function toComment({ id, author, created, body }: RawComment, reading: Reading): Comment {
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
