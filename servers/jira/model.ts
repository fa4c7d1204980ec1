/** What the tools give back, as structured content. Times are ISO 8601; null where unknown. */

export interface Person {
  id: string;
  name: string;
}

export type StatusCategory = "todo" | "in_progress" | "done";

export interface IssueSummary {
  key: string;
  summary: string;
  type: string;
  status: string;
  status_category: StatusCategory;
  priority: string | null;
  assignee: Person | null;
  updated: string;
  url: string;
}

export interface IssueLink {
  /** As seen from the issue that has it: "blocks", "is blocked by". */
  type: string;
  key: string;
  summary: string;
  status: string | null;
  url: string;
}

export interface Comment {
  id: string;
  author: Person | null;
  created: string;
  /** Markdown. */
  body: string;
}

export interface HistoryEntry {
  at: string;
  author: Person | null;
  field: string;
  from: string | null;
  to: string | null;
}

export interface Issue extends IssueSummary {
  project: { key: string; name: string };
  reporter: Person | null;
  labels: string[];
  epic: { key: string; summary: string } | null;
  created: string;
  /** A date, `2026-11-30`. */
  due_date: string | null;
  /** Markdown. */
  description: string;
  links: IssueLink[];
  comments: Comment[];
  /** Oldest first. */
  history: HistoryEntry[];
}

export interface Project {
  key: string;
  name: string;
  lead: Person | null;
  issues: number | null;
  url: string;
}

export interface SearchResult {
  issues: IssueSummary[];
  total: number | null;
  next_cursor: string | null;
  jql: string | null;
}

/** What a change touches, by the names of the tools' arguments. */
export type Fields = Record<string, string | string[] | null>;

export interface Change {
  dry_run: boolean;
  before: Fields | IssueSummary | null;
  after: Fields | null;
  issue: IssueSummary | null;
}

export function toSummary(issue: Issue): IssueSummary {
  const { key, summary, type, status, status_category, priority, assignee, updated, url } = issue;
  return { key, summary, type, status, status_category, priority, assignee, updated, url };
}
