import { foldName, isNobody, pickName } from "#servers/kit/names.ts";
import { isFailure, ToolFailure } from "#servers/kit/tool.ts";

import type { CallContext, IssueFields, JiraBackend, LinkType, ProjectChoices } from "./backend.ts";
import {
  type Change,
  type Fields,
  type Issue,
  type IssueSummary,
  type LinkChange,
  type StatusCategory,
  toSummary,
} from "./schemas.ts";

type Optional<T> = { [Name in keyof T]?: T[Name] | undefined };

/** Fields as a person names them. */
export type UpdateInput = Optional<Omit<IssueFields, "assignee"> & { assignee: string | null }>;

export type CreateInput = UpdateInput & { project: string; summary: string };

export interface Epic {
  epic: Issue;
  children: IssueSummary[];
  progress: Record<StatusCategory, number> & { total: number };
}

export async function readEpic(jira: JiraBackend, key: string, call: CallContext): Promise<Epic> {
  const epic = await jira.issue(key, call);
  const children = await jira.children(epic.key, call);
  // A site may call its epics something else; an issue that has children is one.
  if (children.length === 0) requireEpic(epic);
  const progress = { todo: 0, in_progress: 0, done: 0, total: children.length };
  for (const child of children) progress[child.status_category] += 1;
  return { epic, children, progress };
}

export async function createIssue(
  jira: JiraBackend,
  input: CreateInput,
  dryRun: boolean | undefined,
  call: CallContext,
): Promise<Change & { key: string | null }> {
  const choices = await jira.choices(input.project, call);
  const project = choices.key;
  const type = pickName("type", input.type ?? defaultType(choices.types), choices.types);
  const fields = await resolveFields(jira, choices, { ...input, type }, call);
  const after: Fields = { project, ...shown(fields) };
  if (dryRun) return { key: null, dry_run: true, before: null, after, issue: null };
  const key = await jira.create({ ...fields, project, type, summary: input.summary }, call);
  return { key, dry_run: false, before: null, after, ...(await readBack(jira, key, after, null, call)) };
}

export async function updateIssue(
  jira: JiraBackend,
  key: string,
  input: UpdateInput,
  dryRun: boolean | undefined,
  call: CallContext,
): Promise<Change & { before: Fields; after: Fields; issue: IssueSummary }> {
  const issue = await jira.issue(key, call);
  if (input.epic_key === issue.key) throw new ToolFailure("bad_epic", `${issue.key} cannot be its own epic`);
  const named = input.type !== undefined || input.priority !== undefined;
  const choices = named
    ? await jira.choices(issue.project.key, call)
    : { ...issue.project, types: [], priorities: [] };
  const fields = await resolveFields(jira, choices, input, call);
  const after = shown(fields);
  if (Object.keys(after).length === 0) {
    throw new ToolFailure(
      "no_fields",
      "nothing to change: give at least one of summary, type, description, priority, assignee, labels, epic and due date",
    );
  }
  const current = fieldsOf(issue);
  const before = Object.fromEntries(Object.keys(after).map((name) => [name, current[name] ?? null]));
  if (dryRun) return { dry_run: true, before, after, issue: toSummary(issue) };
  await jira.update(issue.key, fields, call);
  const { summary, type, priority, assignee, due_date } = { ...issue, ...fields };
  const expected = { ...toSummary(issue), summary, type, priority, assignee, due_date };
  return { dry_run: false, before, after, ...(await readBack(jira, issue.key, after, expected, call)) };
}

export async function transitionIssue(
  jira: JiraBackend,
  key: string,
  status: string,
  dryRun: boolean | undefined,
  call: CallContext,
): Promise<Change> {
  const issue = await jira.issue(key, call);
  const before: Fields = { status: issue.status };
  if (foldName(issue.status) === foldName(status)) {
    return { dry_run: dryRun === true, before, after: { status: issue.status }, issue: toSummary(issue) };
  }
  const transitions = await jira.transitions(issue.key, call);
  const transition =
    transitions.find((candidate) => foldName(candidate.status) === foldName(status)) ??
    transitions.find((candidate) => foldName(candidate.name) === foldName(status));
  if (transition === undefined) {
    const possible = [...new Set(transitions.map((candidate) => candidate.status))].filter(
      (name) => name !== issue.status,
    );
    throw new ToolFailure(
      "unknown_status",
      `${issue.key} is ${issue.status} and cannot become "${status}". Possible: ${possible.join(", ") || "nothing, for this account"}`,
    );
  }
  const after: Fields = { status: transition.status };
  if (dryRun) return { dry_run: true, before, after, issue: toSummary(issue) };
  await jira.transition(issue.key, transition, call);
  const { status: moved, category: status_category } = transition;
  const expected = { ...toSummary(issue), status: moved, status_category };
  return { dry_run: false, before, after, ...(await readBack(jira, issue.key, after, expected, call)) };
}

export async function deleteIssue(
  jira: JiraBackend,
  key: string,
  dryRun: boolean | undefined,
  call: CallContext,
): Promise<Change> {
  const issue = toSummary(await jira.issue(key, call));
  if (dryRun) return { dry_run: true, before: issue, after: null, issue };
  await jira.remove(issue.key, call);
  const isThere = await jira.issue(issue.key, call).then(
    () => true,
    (error: unknown) => (isFailure(error, "unknown_issue") ? false : undefined),
  );
  const told = isThere === undefined ? {} : { checked: true, not_applied: isThere ? ["deletion"] : [] };
  return { dry_run: false, before: issue, after: null, issue: null, ...told };
}

export async function linkIssues(
  jira: JiraBackend,
  from: string,
  to: string,
  type: string,
  call: CallContext,
  dryRun = false,
): Promise<LinkChange> {
  if (from === to) throw new ToolFailure("bad_link", `${from} cannot be linked to itself`);
  const { linkType, inward } = pickLinkType(type, await jira.linkTypes(call));
  const [source, target] = await Promise.all([jira.issue(from, call), jira.issue(to, call)]);
  const phrase = inward ? linkType.inward : linkType.outward;
  const isLinked = source.links.some((link) => link.key === target.key && link.type === phrase);
  if (!isLinked && !dryRun) {
    await (inward
      ? jira.link(linkType, target.key, source.key, call)
      : jira.link(linkType, source.key, target.key, call));
  }
  const after: Fields = { link: `${phrase} ${target.key}` };
  const about = { from_key: source.key, to_key: target.key, type: phrase };
  const ends = { from: toSummary(source), to: toSummary(target) };
  return { dry_run: dryRun, ...about, before: isLinked ? after : { link: null }, after, ...ends };
}

/**
 * The issue after a change, and whether it has what it was given. The change has been made by then, so a failure to
 * read must not look like a failure to change: what is known stands in, unchecked.
 */
async function readBack<T extends IssueSummary | null>(
  jira: JiraBackend,
  key: string,
  given: Fields,
  known: T,
  call: CallContext,
): Promise<{ issue: IssueSummary | T; checked: boolean; not_applied?: string[] }> {
  let issue: Issue;
  try {
    issue = await jira.issue(key, call);
  } catch {
    return { issue: known, checked: false };
  }
  const current: Fields = { ...fieldsOf(issue), status: issue.status, project: issue.project.key };
  const differs = (name: string): boolean => !isSame(name, given[name] ?? null, current[name] ?? null);
  return { issue: toSummary(issue), checked: true, not_applied: Object.keys(given).filter(differs) };
}

/** Markdown goes through the site's own format, which may space it in another way. */
function isSame(name: string, given: Fields[string], current: Fields[string]): boolean {
  const plain = (value: Fields[string]): string => {
    if (Array.isArray(value)) return JSON.stringify(value.toSorted());
    const text = value ?? "";
    return name === "description" ? text.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim() : foldName(text);
  };
  return plain(given) === plain(current);
}

async function resolveFields(
  jira: JiraBackend,
  { key: project, types, priorities }: ProjectChoices,
  input: UpdateInput,
  call: CallContext,
): Promise<IssueFields> {
  const fields: IssueFields = {};
  if (input.type !== undefined) fields.type = pickName("type", input.type, types);
  if (input.priority !== undefined) fields.priority = pickName("priority", input.priority, priorities);
  if (input.summary !== undefined) fields.summary = input.summary;
  if (input.description !== undefined) fields.description = input.description;
  if (input.assignee === null) fields.assignee = null;
  else if (input.assignee !== undefined) {
    fields.assignee = isNobody(input.assignee) ? null : await jira.findPerson(input.assignee, project, call);
  }
  if (input.labels !== undefined) fields.labels = [...new Set(input.labels)];
  if (input.epic_key === null) fields.epic_key = null;
  else if (input.epic_key !== undefined) {
    const epic = await jira.issue(input.epic_key, call);
    // Jira knows which of a site's own types may hold others; the demo site has only epics.
    if (jira.kind === "demo") requireEpic(epic);
    fields.epic_key = epic.key;
  }
  if (input.due_date !== undefined) fields.due_date = input.due_date;
  return fields;
}

function requireEpic(issue: Issue): void {
  if (foldName(issue.type) === "epic") return;
  const own =
    issue.epic === null ? "it belongs to no epic" : `its epic is ${issue.epic.key} (${issue.epic.summary})`;
  throw new ToolFailure("not_an_epic", `${issue.key} is a ${issue.type}, not an epic; ${own}`);
}

function defaultType(types: string[]): string {
  return (
    types.find((type) => foldName(type) === "task") ??
    types.find((type) => foldName(type) !== "epic") ??
    "Task"
  );
}

/** Fields as people read them, under the names of the arguments. */
function shown(fields: IssueFields): Fields {
  const { assignee, ...rest } = fields;
  return assignee === undefined ? rest : { ...rest, assignee: assignee?.name ?? null };
}

function fieldsOf(issue: Issue): Fields {
  return {
    summary: issue.summary,
    type: issue.type,
    description: issue.description,
    priority: issue.priority,
    assignee: issue.assignee?.name ?? null,
    labels: issue.labels,
    epic_key: issue.epic?.key ?? null,
    due_date: issue.due_date,
  };
}

/** By either phrase ("blocks", "is blocked by", "blocked by") or the type's name. */
function pickLinkType(text: string, types: LinkType[]): { linkType: LinkType; inward: boolean } {
  const wanted = foldName(text).replace(/^is/, "");
  const same = (phrase: string): boolean => foldName(phrase).replace(/^is/, "") === wanted;
  const outward = types.find((type) => same(type.outward)) ?? types.find((type) => same(type.name));
  if (outward !== undefined) return { linkType: outward, inward: false };
  const inward = types.find((type) => same(type.inward));
  if (inward !== undefined) return { linkType: inward, inward: true };
  const phrases = [...new Set(types.flatMap((type) => [type.outward, type.inward]))];
  throw new ToolFailure("unknown_link_type", `unknown link type "${text}". Possible: ${phrases.join(", ")}`);
}
