import type { Issue, IssueLink, IssueSummary, Person } from "../model.ts";
import type { DemoIssue, DemoState } from "./state.ts";

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

export function presentSummary(issue: DemoIssue, state: DemoState): IssueSummary {
  return {
    key: issue.key,
    summary: issue.summary,
    type: issue.type,
    status: issue.status,
    status_category: state.statuses.find(({ name }) => name === issue.status)?.category ?? "todo",
    priority: issue.priority,
    assignee: toPerson(issue.assignee, state),
    updated: issue.updated,
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
    created: issue.created,
    due_date: issue.due,
    description: issue.description,
    links: linksOf(issue.key, state),
    comments: issue.comments.map(({ author, ...comment }) => ({
      ...comment,
      author: toPerson(author, state),
    })),
    history: issue.history.map(({ author, ...entry }) => ({ ...entry, author: toPerson(author, state) })),
  };
}

function linksOf(key: string, state: DemoState): IssueLink[] {
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
