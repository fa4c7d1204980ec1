import { z } from "zod";

import { decodeCursor, encodeCursor, ToolFailure } from "#servers/kit/tool.ts";

/** Of one tool call. */
export interface CallContext {
  signal: AbortSignal;
  /** Must not throw; does nothing when the client asked for no progress. */
  progress(done: number, total: number | undefined, message: string): Promise<void>;
}

/** Either a cursor alone, or the conditions, all of which must hold. */
export interface SearchRequest {
  /** Plain words. */
  query?: string | undefined;
  jql?: string | undefined;
  project?: string | undefined;
  /** A status, or "open" or "closed". */
  status?: string | undefined;
  /** A person, "me", or "unassigned". */
  assignee?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

export interface ProjectChoices {
  key: string;
  name: string;
  types: string[];
  /** Empty where the site has none. */
  priorities: string[];
}

export interface Transition {
  id: string;
  name: string;
  status: string;
  category: StatusCategory;
}

export interface LinkType {
  name: string;
  outward: string;
  inward: string;
}

/** Values that were resolved before: people by id, names as the site spells them. */
export interface IssueFields {
  summary?: string;
  type?: string;
  description?: string;
  priority?: string;
  assignee?: Person | null;
  labels?: string[];
  epic_key?: string | null;
  due_date?: string | null;
}

export interface NewIssue extends IssueFields {
  project: string;
  type: string;
  summary: string;
}

/**
 * Where issues live. Keys are given as the site spells them. Methods reject with a ToolFailure that
 * says what exists; none changes anything unless its name says so.
 */
export interface JiraBackend {
  readonly kind: "demo" | "rest";
  issue(key: string, call: CallContext): Promise<Issue>;
  /** The issues of an epic, oldest first. */
  children(epicKey: string, call: CallContext): Promise<IssueSummary[]>;
  search(request: SearchRequest, call: CallContext): Promise<SearchResult>;
  /** Every issue of a project by key, with progress for each. */
  exportIssues(projectKey: string, call: CallContext): Promise<{ project: string; issues: IssueSummary[] }>;
  projects(call: CallContext): Promise<Project[]>;
  choices(projectKey: string, call: CallContext): Promise<ProjectChoices>;
  /** By id, name or part of a name, or "me", among those who can be assigned in the project. */
  findPerson(text: string, projectKey: string, call: CallContext): Promise<Person>;
  transitions(key: string, call: CallContext): Promise<Transition[]>;
  linkTypes(call: CallContext): Promise<LinkType[]>;
  create(issue: NewIssue, call: CallContext): Promise<string>;
  update(key: string, fields: IssueFields, call: CallContext): Promise<void>;
  transition(key: string, transition: Transition, call: CallContext): Promise<void>;
  comment(key: string, body: string, call: CallContext): Promise<Comment>;
  /** `from` "outward" `to`: from blocks to. */
  link(type: LinkType, from: string, to: string, call: CallContext): Promise<void>;
  remove(key: string, call: CallContext): Promise<void>;
}

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

/** Where the next page starts: an offset, or the service's own token. */
export type Position = number | string;

const text = z.string().optional();

const cursorSchema = z.strictObject({
  query: text,
  jql: text,
  project: text,
  status: text,
  assignee: text,
  at: z.union([z.int().min(0), z.string()]),
});

/** A cursor carries its search, so that it is enough to go on with. */
export function toCursor(request: SearchRequest, at: Position): string {
  const { query, jql, project, status, assignee } = request;
  return encodeCursor({ query, jql, project, status, assignee, at });
}

/** The search a request means and where to start. Throws `bad_cursor`. */
export function fromCursor(request: SearchRequest): { request: SearchRequest; at: Position | undefined } {
  if (request.cursor === undefined) return { request, at: undefined };
  const parsed = cursorSchema.safeParse(decodeCursor(request.cursor));
  if (!parsed.success) {
    throw new ToolFailure(
      "bad_cursor",
      "cursor: expected next_cursor of an earlier search, unchanged; leave it out to start from the first page",
    );
  }
  const { at, ...search } = parsed.data;
  return { request: { ...search, limit: request.limit }, at };
}
