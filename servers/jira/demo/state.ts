import type { Person } from "#servers/kit/names.ts";

import type { LinkType } from "../backend.ts";
import type { Issue, IssueLink, IssueSummary, StatusCategory } from "../schemas.ts";

/** What the demo store keeps on disk. People are ids; times are ISO 8601. */
export interface DemoState {
  version: 1;
  people: Record<string, string>;
  projects: { key: string; name: string; lead: string; nextNumber: number }[];
  types: string[];
  /** Highest first. */
  priorities: string[];
  statuses: { name: string; category: StatusCategory }[];
  linkTypes: LinkType[];
  issues: DemoIssue[];
  links: DemoLink[];
  nextCommentId: number;
}

export interface DemoIssue {
  key: string;
  project: string;
  type: string;
  summary: string;
  status: string;
  priority: string;
  assignee: string | null;
  reporter: string;
  labels: string[];
  epic: string | null;
  created: string;
  updated: string;
  due: string | null;
  description: string;
  comments: { id: string; author: string; created: string; body: string }[];
  history: { at: string; author: string; field: string; from: string | null; to: string | null }[];
}

/** `from` is the outward end: from blocks to. */
export interface DemoLink {
  type: string;
  from: string;
  to: string;
}

const site = "https://jira.example.com";

export function toPerson(id: string | null, state: DemoState): Person | null {
  return id === null ? null : { id, name: state.people[id] ?? id };
}

export function peopleOf(state: DemoState): Person[] {
  return Object.entries(state.people).map(([id, name]) => ({ id, name }));
}

export function browseUrl(key: string): string {
  return `${site}/browse/${key}`;
}

export function statusCategory(issue: DemoIssue, state: DemoState): StatusCategory {
  return state.statuses.find(({ name }) => name === issue.status)?.category ?? "todo";
}

export function presentSummary(issue: DemoIssue, state: DemoState): IssueSummary {
  return {
    key: issue.key,
    summary: issue.summary,
    type: issue.type,
    status: issue.status,
    status_category: statusCategory(issue, state),
    priority: issue.priority,
    assignee: toPerson(issue.assignee, state),
    created: issue.created,
    updated: issue.updated,
    due_date: issue.due,
    url: browseUrl(issue.key),
  };
}

export function presentIssue(issue: DemoIssue, state: DemoState): Issue {
  const project = state.projects.find(({ key }) => key === issue.project);
  const epic = state.issues.find(({ key }) => key === issue.epic);
  return {
    ...presentSummary(issue, state),
    project: { key: issue.project, name: project?.name ?? issue.project },
    reporter: toPerson(issue.reporter, state),
    labels: issue.labels,
    epic: epic === undefined ? null : { key: epic.key, summary: epic.summary },
    description: issue.description,
    links: linksOf(issue.key, state),
    comments: issue.comments.map(({ author, ...comment }) => ({
      ...comment,
      author: toPerson(author, state),
    })),
    history: issue.history.map(({ author, ...entry }) => ({ ...entry, author: toPerson(author, state) })),
  };
}

export function linksOf(key: string, state: DemoState): IssueLink[] {
  return state.links.flatMap((link) => {
    if (link.from !== key && link.to !== key) return [];
    const type = state.linkTypes.find(({ name }) => name === link.type);
    const outward = link.from === key;
    const other = state.issues.find((issue) => issue.key === (outward ? link.to : link.from));
    if (type === undefined || other === undefined) return [];
    return [
      {
        type: outward ? type.outward : type.inward,
        key: other.key,
        summary: other.summary,
        status: other.status,
        url: browseUrl(other.key),
      },
    ];
  });
}
