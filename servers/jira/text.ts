import { paragraphs } from "#servers/kit/tool.ts";

import type { Epic } from "./operations.ts";
import type {
  Change,
  Comment,
  CountResult,
  Fields,
  FoundPerson,
  Issue,
  IssueSummary,
  Project,
  SearchResult,
} from "./schemas.ts";

// The readable text beside the structured content: for clients that show only text.

export function summaryLine(issue: IssueSummary): string {
  const due = issue.due_date === null ? null : `due ${issue.due_date}`;
  const parts = [issue.type, issue.status, issue.priority, issue.assignee?.name ?? "unassigned", due];
  return `${issue.key} ${issue.summary} (${parts.filter((part) => part !== null).join(", ")})`;
}

export function issueText(issue: Issue): string {
  const facts = [
    `Project: ${issue.project.name}`,
    `Reporter: ${issue.reporter?.name ?? "unknown"}`,
    issue.epic === null ? "" : `Epic: ${issue.epic.key} ${issue.epic.summary}`,
    issue.labels.length === 0 ? "" : `Labels: ${issue.labels.join(", ")}`,
    `Created: ${issue.created}, updated: ${issue.updated}`,
    ...issue.links.map((link) => `Link: ${link.type} ${link.key} ${link.summary}`),
  ];
  const comments = issue.comments.map(commentText);
  return paragraphs(
    summaryLine(issue),
    issue.url,
    facts.filter((fact) => fact !== "").join("\n"),
    issue.description,
    comments.length === 0 ? "" : `Comments:\n${comments.join("\n")}`,
  );
}

export function searchText(result: SearchResult): string {
  if (result.issues.length === 0) return "No issues found.";
  const total = result.total ?? result.issues.length;
  const more = result.next_cursor === null ? "" : "\nMore with the cursor.";
  const count =
    result.total === null ? `${result.issues.length} issues` : `${result.issues.length} of ${total} issues`;
  return `${count}:\n${result.issues.map(summaryLine).join("\n")}${more}`;
}

export function countText({ total, groups, complete }: CountResult): string {
  const lines = groups.map(({ value, count }) => `${value}: ${count}`);
  const note = complete ? "" : "\nThe groups count only some of them: ask for fewer issues.";
  return [`${total} ${total === 1 ? "issue" : "issues"}`, ...lines].join("\n") + note;
}

export function epicText({ epic, children, progress }: Epic): string {
  const counts = `${progress.done} of ${progress.total} done, ${progress.in_progress} in progress, ${progress.todo} to do`;
  return paragraphs(`${summaryLine(epic)}\n${epic.url}`, counts, children.map(summaryLine).join("\n"));
}

export function projectsText(projects: Project[]): string {
  const line = ({ key, name, lead, issues }: Project): string =>
    `${key} ${name}${lead === null ? "" : `, led by ${lead.name}`}${issues === null ? "" : `, ${issues} issues`}`;
  return projects.length === 0 ? "No projects." : projects.map(line).join("\n");
}

export function peopleText(people: FoundPerson[]): string {
  const line = ({ id, name, email }: FoundPerson): string =>
    `${name} (${id})${email === null ? "" : ` ${email}`}`;
  return people.length === 0 ? "Nobody fits." : people.map(line).join("\n");
}

/** `did` and `would` complete "Created …" and "Would create …". */
export function changeText(change: Change, did: string, would: string): string {
  const head = change.dry_run ? `${would} (dry run, nothing changed)` : did;
  const after = change.after ?? {};
  const before = (change.before ?? {}) as Fields;
  const lines = Object.entries(after).map(([field, value]) =>
    field in before ? `${field}: ${show(before[field])} → ${show(value)}` : `${field}: ${show(value)}`,
  );
  const tail = change.issue === null ? [] : [change.issue.url];
  return [head, ...lines, ...tail].join("\n");
}

export function commentText(comment: Comment): string {
  return `${comment.author?.name ?? "unknown"}, ${comment.created}:\n${comment.body}`;
}

function show(value: Fields[string] | undefined): string {
  if (value === null || value === undefined || value.length === 0) return "nothing";
  return Array.isArray(value) ? value.join(", ") : value;
}
