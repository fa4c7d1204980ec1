import { ToolFailure } from "#servers/kit/tool.ts";

import type { IssueFields, LinkType, NewIssue } from "../backend.ts";
import { findProject } from "./evaluate.ts";
import type { DemoIssue, DemoState } from "./state.ts";

/** Who changes something, and when (ISO 8601). */
export interface Author {
  me: string;
  at: string;
}

/** The issue of a key. Throws `unknown_issue`. */
export function findIssue(key: string, state: DemoState): DemoIssue {
  const found = state.issues.find((issue) => issue.key === key);
  if (found !== undefined) return found;
  const project = state.projects.find((candidate) => key.startsWith(`${candidate.key}-`));
  const known = state.projects.map((candidate) => candidate.key).join(", ");
  throw new ToolFailure(
    "unknown_issue",
    project === undefined
      ? `there is no issue ${key}. Projects: ${known}`
      : `there is no issue ${key}. ${project.name} has keys from ${project.key}-1 to ${project.key}-${project.nextNumber - 1}`,
  );
}

export function addIssue(state: DemoState, issue: NewIssue, { me, at }: Author): string {
  const project = findProject(issue.project, state);
  const key = `${project.key}-${project.nextNumber}`;
  project.nextNumber += 1;
  state.issues.push({
    key,
    project: project.key,
    type: issue.type,
    summary: issue.summary,
    status: "To Do",
    priority: issue.priority ?? "Medium",
    assignee: issue.assignee?.id ?? null,
    reporter: me,
    labels: issue.labels ?? [],
    epic: issue.epic_key ?? null,
    created: at,
    updated: at,
    due: issue.due_date ?? null,
    description: issue.description ?? "",
    comments: [],
    history: [],
  });
  return key;
}

/** Records each field that changes; a field that is undefined stays as it is. */
export function changeIssue(state: DemoState, key: string, fields: IssueFields, author: Author): void {
  const issue = findIssue(key, state);
  const { summary, type, description, priority, assignee, labels, epic_key: epic, due_date: due } = fields;
  const id = assignee === null ? null : assignee?.id;
  const wanted = { summary, type, description, priority, assignee: id, labels, epic, due };
  for (const [name, value] of Object.entries(wanted) as [keyof typeof wanted, string | string[] | null][]) {
    if (value === undefined) continue;
    const [from, to] = [issue[name], value].map((side) => {
      if (Array.isArray(side)) return side.join(" ");
      return name === "assignee" && side !== null ? (state.people[side] ?? side) : side;
    });
    if (from === undefined || to === undefined || from === to) continue;
    record(issue, author, name === "due" ? "due date" : name, from, to);
    Object.assign(issue, { [name]: value });
  }
}

export function moveIssue(state: DemoState, key: string, status: string, author: Author): void {
  const issue = findIssue(key, state);
  if (issue.status === status) return;
  record(issue, author, "status", issue.status, status);
  issue.status = status;
}

export function addComment(
  state: DemoState,
  key: string,
  body: string,
  { me, at }: Author,
): DemoIssue["comments"][number] {
  const issue = findIssue(key, state);
  const comment = { id: String(state.nextCommentId), author: me, created: at, body };
  state.nextCommentId += 1;
  issue.comments.push(comment);
  issue.updated = at;
  return comment;
}

export function addLink(state: DemoState, type: LinkType, from: string, to: string, author: Author): void {
  const [source, target] = [findIssue(from, state), findIssue(to, state)];
  const symmetric = type.outward === type.inward;
  const exists = state.links.some(
    (link) =>
      link.type === type.name &&
      ((link.from === from && link.to === to) || (symmetric && link.from === to && link.to === from)),
  );
  if (exists) return;
  state.links.push({ type: type.name, from, to });
  record(source, author, "link", null, `${type.outward} ${to}`);
  record(target, author, "link", null, `${type.inward} ${from}`);
}

export function removeIssue(state: DemoState, key: string, author: Author): void {
  findIssue(key, state);
  state.issues = state.issues.filter((issue) => issue.key !== key);
  state.links = state.links.filter((link) => link.from !== key && link.to !== key);
  for (const child of state.issues.filter((issue) => issue.epic === key)) {
    record(child, author, "epic", key, null);
    child.epic = null;
  }
}

function record(
  issue: DemoIssue,
  { me, at }: Author,
  field: string,
  from: string | null,
  to: string | null,
): void {
  issue.history.push({ at, author: me, field, from, to });
  issue.updated = at;
}
