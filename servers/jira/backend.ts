import type { Comment, Issue, IssueSummary, Person, Project, SearchResult, StatusCategory } from "./model.ts";

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
