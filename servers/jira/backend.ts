import { z } from "zod";

import type { Person } from "#servers/kit/names.ts";
import { decodeCursor, encodeCursor, ToolFailure } from "#servers/kit/tool.ts";

import { filterSchema, type Grouping, type IssueFilter } from "./arguments.ts";
import type {
  Comment,
  CountResult,
  FoundPerson,
  Issue,
  IssueSummary,
  Project,
  SearchResult,
  StatusCategory,
} from "./schemas.ts";

/** Of one tool call. */
export interface CallContext {
  signal: AbortSignal;
  /** Must not throw; does nothing when the client asked for no progress. */
  progress(done: number, total: number | undefined, message: string): Promise<void>;
}

/** With a cursor, which says what is searched, the conditions are not looked at. */
export interface SearchRequest extends IssueFilter {
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
  /** The id of the account that it works with, where that is known without asking. */
  readonly self?: string;
  readonly kind: "demo" | "rest";
  issue(key: string, call: CallContext): Promise<Issue>;
  /** The issues of an epic, oldest first. */
  children(epicKey: string, call: CallContext): Promise<IssueSummary[]>;
  search(request: SearchRequest, call: CallContext): Promise<SearchResult>;
  /** How many there are, in groups where a grouping is asked for. */
  count(filter: IssueFilter, by: Grouping | undefined, call: CallContext): Promise<CountResult>;
  /** Every issue of a project by key, with progress for each. */
  exportIssues(projectKey: string, call: CallContext): Promise<{ project: string; issues: IssueSummary[] }>;
  projects(call: CallContext): Promise<Project[]>;
  choices(projectKey: string, call: CallContext): Promise<ProjectChoices>;
  /** By id, name or part of a name, or "me", among those who can be assigned in the project. */
  findPerson(text: string, projectKey: string, call: CallContext): Promise<Person>;
  /** Whoever fits a name, a part of one, an id or an e-mail address, at most 20; an empty text fits all. */
  people(text: string, call: CallContext): Promise<FoundPerson[]>;
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

/** Where the next page starts: an offset, or the service's own token. */
export type Position = number | string;

const cursorSchema = filterSchema.extend({ at: z.union([z.int().min(0), z.string()]) });

/** A cursor carries its search, so that it is enough to go on with. */
export function toCursor(filter: IssueFilter, at: Position): string {
  return encodeCursor({ ...filter, at });
}

/** The search a request means and where to start. Throws `bad_cursor`. */
export function fromCursor(request: SearchRequest): { filter: IssueFilter; at: Position | undefined } {
  const { cursor, limit: _limit, ...filter } = request;
  if (cursor === undefined) return { filter, at: undefined };
  const parsed = cursorSchema.safeParse(decodeCursor(cursor));
  if (!parsed.success) {
    throw new ToolFailure(
      "bad_cursor",
      "cursor: expected next_cursor of an earlier search, unchanged; leave it out to start from the first page",
    );
  }
  const { at, ...search } = parsed.data;
  return { filter: search, at };
}
