import { z } from "zod";

import type { CardElement, Cell, FieldsElement, HeaderElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { labelText } from "#src/base/statement.ts";
import { humanise } from "#src/base/tool-words.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { omittedBeyond } from "../generic/table.ts";
import {
  commentSections,
  foldedFields,
  knownFields,
  markdown,
  priorityBadge,
  resultView,
  searchView,
  sourceLink,
  statusBadge,
  type ViewResult,
  withoutKeys,
} from "../parts.ts";
import { commentSchema, documentText, personSchema, textSchema, toRecord } from "../shapes.ts";
import { hrefOf, humanDate, humanDay, toTitle, unpackJson } from "../text.ts";

const summaryShape = {
  key: z.string().min(1),
  summary: z.string(),
  type: textSchema,
  status: textSchema,
  /** `todo`, `in_progress` or `done`. */
  status_category: textSchema,
  priority: textSchema,
  assignee: personSchema,
  updated: textSchema,
  url: textSchema,
};

const linkSchema = z.object({
  type: textSchema,
  key: z.string().min(1),
  summary: textSchema,
  status: textSchema,
  url: textSchema,
});

const historySchema = z.object({
  at: textSchema,
  author: personSchema,
  field: z.string(),
  from: textSchema,
  to: textSchema,
});

const issueShape = {
  ...summaryShape,
  project: z.object({ key: z.string(), name: z.string() }).nullable().default(null),
  reporter: personSchema,
  labels: z
    .array(z.string())
    .nullish()
    .transform((value) => value ?? []),
  epic: z
    .object({ key: z.string().min(1), summary: textSchema })
    .nullable()
    .default(null),
  created: textSchema,
  due_date: textSchema,
  description: textSchema,
  links: z.array(linkSchema).default([]),
  comments: z.array(commentSchema).default([]),
  history: z.array(historySchema).default([]),
};

/** Raw REST issues (`{key, fields}`) are brought to the common form first. */
const issueSchema = z.preprocess(fromRest, z.object(issueShape));
const issueSummarySchema = z.preprocess(fromRest, z.object(summaryShape));

type Issue = z.infer<typeof issueSchema>;
type IssueSummary = z.infer<typeof issueSummarySchema>;

/** A page of issues; a bare array counts as one. */
const issueListSchema = z.preprocess(
  fromRestList,
  z.object({
    issues: z.array(issueSummarySchema),
    total: z.number().nullable().default(null),
    next_cursor: textSchema,
  }),
);

const countSchema = z.object({
  total: z.number().nonnegative(),
  groups: z.array(z.object({ value: z.string(), count: z.number() })).default([]),
  complete: z.boolean().default(true),
});

const amountSchema = z.number().nonnegative();

const epicSchema = z.object({
  epic: issueSchema,
  children: z.array(issueSummarySchema),
  progress: z
    .object({ todo: amountSchema, in_progress: amountSchema, done: amountSchema, total: amountSchema })
    .nullable()
    .default(null),
});

/** Links, and changes of the history. */
const MAX_ITEMS = 100;

/** JiraIssueView: one issue with its metadata, description, links, latest comments and history. */
export function jiraIssueView(input: ViewInput): ViewResult {
  const say = wordsOf(input.language);
  const data = unpackJson(input.data);
  const issue = issueSchema.parse(data);
  const isRaw = isObject(data) && isObject(data["fields"]);
  // What came beside the fields this view knows.
  const extras = isRaw ? (restExtras(data) as JsonObject) : withoutKeys(data, Object.keys(issueShape));
  const status = issue.status === null ? "" : ` (${issue.status})`;
  return resultView(`${issue.key}: ${issue.summary}${status}`, [
    issueHeader(issue),
    issueFields(issue, say),
    ...markdown(issue.description),
    ...linkedIssues(issue, say),
    ...commentSections(issue.comments, say),
    ...history(issue, say),
    ...foldedFields(say.views.otherFields, extras, say),
    ...sourceLink(say.views.open(issue.key), issue.url),
  ]);
}

function issueHeader(issue: Issue): HeaderElement {
  const badges = [
    ...(issue.status === null ? [] : [statusBadge(issue.status, issue.status_category)]),
    ...(issue.type === null ? [] : [{ text: issue.type, tone: "neutral" as const }]),
    ...(issue.priority === null ? [] : [priorityBadge(issue.priority)]),
  ];
  const text = issue.summary || issue.key;
  return { type: "header", text, eyebrow: issue.key, ...hrefOf(issue.url), badges };
}

function issueFields({ project, epic, labels, ...issue }: Issue, say: Words): FieldsElement {
  return knownFields(
    {
      Project: project && `${project.name} (${project.key})`,
      Assignee: issue.assignee?.name ?? say.views.unassigned,
      Reporter: issue.reporter?.name,
      Epic: epic && [epic.key, epic.summary].filter((part) => part !== null).join(" "),
      Labels: labels.length === 0 ? null : labels.join(", "),
      Due: issue.due_date === null ? null : humanDate(issue.due_date, say),
      Created: issue.created === null ? null : humanDate(issue.created, say),
      Updated: issue.updated === null ? null : humanDate(issue.updated, say),
    },
    say,
  );
}

function linkedIssues({ links }: Issue, say: Words): CardElement[] {
  if (links.length === 0) return [];
  const items = links.slice(0, MAX_ITEMS).map((link) => ({
    text: [link.key, link.summary].filter((part) => part !== null).join(" "),
    ...hrefOf(link.url),
    ...(link.type === null ? {} : { detail: link.type }),
    ...(link.status === null ? {} : { badges: [statusBadge(link.status, null)] }),
  }));
  const elements: CardElement[] = [
    { type: "list", items },
    ...omittedBeyond(links.length, MAX_ITEMS, { of: "link", say }),
  ];
  return [{ type: "section", title: say.views.linked(links.length), elements }];
}

function history(issue: Issue, say: Words): CardElement[] {
  if (issue.history.length === 0) return [];
  const newest = issue.history.toSorted((a, b) => (b.at ?? "").localeCompare(a.at ?? ""));
  const columns = ["When", "Who", "Field", "From", "To"].map((label) => ({ label: labelText(label, say) }));
  const rows = newest
    .slice(0, MAX_ITEMS)
    .map(({ at, author, field, from, to }) => [
      at === null ? null : humanDate(at, say),
      author?.name ?? null,
      field,
      from,
      to,
    ]);
  return [
    {
      type: "section",
      title: say.views.history(newest.length),
      folded: true,
      elements: [
        { type: "table", columns, rows },
        ...omittedBeyond(newest.length, MAX_ITEMS, { of: "change", say }),
      ],
    },
  ];
}

/** Work in hand first, then what waits, then what is done. */
const ORDER = ["in_progress", "todo", null, "done"];

const MAX_CHILDREN = 200;

/** JiraEpicView: how far an epic is, and its children by status. */
export function jiraEpicView(input: ViewInput): ViewResult {
  const say = wordsOf(input.language);
  const { epic, children, ...data } = epicSchema.parse(unpackJson(input.data));
  const amount = (category: string): number =>
    children.filter((child) => child.status_category === category).length;
  const { todo, in_progress, done, total } = data.progress ?? {
    todo: amount("todo"),
    in_progress: amount("in_progress"),
    done: amount("done"),
    total: children.length,
  };
  const elements: CardElement[] = [
    issueHeader(epic),
    { type: "progress", label: labelText("Done", say), value: done, total },
    knownFields({ "To do": todo, "In progress": in_progress, Done: done }, say),
    issueFields(epic, say),
    ...markdown(epic.description),
    ...byStatus(children, say),
    ...sourceLink(say.views.open(epic.key), epic.url),
  ];
  return resultView(
    say.views.epicTitle(`${epic.key}: ${epic.summary}`, done, total),
    elements,
    children.length,
  );
}

function byStatus(children: readonly IssueSummary[], say: Words): CardElement[] {
  if (children.length === 0) return [{ type: "text", text: say.views.emptyEpic }];
  const shown = children.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_CHILDREN);
  const groups = Map.groupBy(shown, (child) => child.status ?? say.views.noStatus);
  const sections: CardElement[] = [...groups].map(([status, issues]) => ({
    type: "section",
    title: toTitle(`${status} (${say.amounts.issue(issues.length)})`),
    elements: issueTable(issues, say),
  }));
  return [...sections, ...omittedBeyond(children.length, MAX_CHILDREN, { of: "issue", say })];
}

function rank(issue: IssueSummary): number {
  const place = ORDER.indexOf(issue.status_category);
  return place === -1 ? ORDER.indexOf(null) : place;
}

const MAX_ROWS = 200;

/** JiraSearchView: issues as a table, with what was searched and how to get more. */
export function jiraSearchView(input: ViewInput): ViewResult {
  const { issues, total } = issueListSchema.parse(unpackJson(input.data));
  const say = wordsOf(input.language);
  const table = issueTable(issues, say, (input.from ?? 0) === 0 ? (total ?? undefined) : undefined);
  return searchView(input, "issue", { total, found: issues.length }, table);
}

/** JiraCountView: how many issues there are, and how many of each where they are counted by something. */
export function jiraCountView(input: ViewInput): ViewResult {
  const { total, groups, complete } = countSchema.parse(unpackJson(input.data));
  const say = wordsOf(input.language);
  const by = isObject(input.args) && typeof input.args["group_by"] === "string" ? input.args["group_by"] : "";
  const shown = groups.slice(0, MAX_ROWS).map(({ value, count }): Cell[] => [value, count]);
  const columns = [
    { label: labelText(humanise(by), say) },
    { label: labelText("Issues", say), align: "right" as const },
  ];
  const elements: CardElement[] = [
    ...(groups.length === 0 ? [] : [{ type: "table" as const, columns, rows: shown }]),
    ...omittedBeyond(groups.length, MAX_ROWS, { of: "group", say }),
    ...(complete ? [] : [{ type: "text" as const, text: say.views.countedSome }]),
  ];
  return searchView(input, "issue", { total, found: total }, elements);
}

/** Issues as a table, the keys linked; `total` counts those that exist at the source. */
function issueTable(
  issues: readonly IssueSummary[],
  say: Words,
  total: number = issues.length,
): CardElement[] {
  const rows = issues.slice(0, MAX_ROWS).map((issue) => toRow(issue, say));
  return [
    {
      type: "table",
      columns: ["Key", "Summary", "Status", "Priority", "Assignee", "Updated"].map((label) => ({
        label: labelText(label, say),
      })),
      rows,
      ...(total > rows.length ? { total } : {}),
    },
    ...omittedBeyond(issues.length, MAX_ROWS, { of: "issue", say }),
  ];
}

function toRow(issue: IssueSummary, say: Words): Cell[] {
  return [
    { text: issue.key, ...hrefOf(issue.url) },
    issue.summary,
    issue.status === null ? null : statusBadge(issue.status, issue.status_category),
    issue.priority === null ? null : priorityBadge(issue.priority),
    issue.assignee?.name ?? say.views.unassigned,
    issue.updated === null ? null : humanDay(issue.updated, say),
  ];
}

type Json = Record<string, unknown>;

/** The names under which issue fields stand in Jira's REST answers, and in ours. */
const MAPPED =
  "summary status issuetype priority assignee reporter project labels created updated duedate description comment issuelinks".split(
    " ",
  );

/**
 * An issue as Jira's REST API gives it (`{key, fields: {…}}`), or in the flat forms that other
 * servers make of it, in the form of the bundled server. Anything else is handed on as it came.
 */
function fromRest(value: unknown): unknown {
  const issue = toRecord(value);
  if (issue === undefined) return value;
  const fields = toRecord(issue["fields"]);
  return fields === undefined ? flat(issue) : nested(issue, fields);
}

/** The same for a page of issues. */
function fromRestList(value: unknown): unknown {
  if (Array.isArray(value)) return { issues: value as unknown[] };
  const page = toRecord(value);
  if (page === undefined || !("nextPageToken" in page)) return value;
  return { next_cursor: page["nextPageToken"], ...page };
}

/** What of a raw issue has no place in the common form: custom fields and the like, without empty ones. */
function restExtras(value: unknown): Json {
  const issue = toRecord(value) ?? {};
  const fields = toRecord(issue["fields"]);
  if (fields === undefined) return {};
  return Object.fromEntries(
    Object.entries(fields).filter(([name, item]) => !MAPPED.includes(name) && !isEmpty(item)),
  );
}

function flat(issue: Json): Json {
  const category = toRecord(issue["status"])?.["category"];
  return {
    ...issue,
    type: nameIn(issue["type"] ?? issue["issue_type"] ?? issue["issuetype"]),
    status: nameIn(issue["status"]),
    status_category: issue["status_category"] ?? categoryOf(category),
    priority: nameIn(issue["priority"]),
    ...("description" in issue ? { description: documentText(issue["description"]) } : {}),
  };
}

function nested(issue: Json, fields: Json): Json {
  const status = toRecord(fields["status"]);
  return {
    key: issue["key"],
    summary: fields["summary"],
    type: nameIn(fields["issuetype"]),
    status: nameIn(status),
    status_category: categoryOf(toRecord(status?.["statusCategory"])?.["key"]),
    priority: nameIn(fields["priority"]),
    assignee: fields["assignee"],
    reporter: fields["reporter"],
    project: projectOf(fields["project"]),
    labels: fields["labels"],
    created: fields["created"],
    updated: fields["updated"],
    due_date: fields["duedate"],
    description: documentText(fields["description"]),
    url: browseUrl(issue["self"], issue["key"]),
    links: list(fields["issuelinks"]).map((link) => linkOf(link, issue["self"])),
    comments: list(toRecord(fields["comment"])?.["comments"]).map((comment) => ({
      ...comment,
      body: documentText(comment["body"]) ?? "",
    })),
  };
}

function linkOf(link: Json, self: unknown): Json {
  const type = toRecord(link["type"]);
  const [other, words] =
    link["outwardIssue"] === undefined
      ? [toRecord(link["inwardIssue"]), type?.["inward"]]
      : [toRecord(link["outwardIssue"]), type?.["outward"]];
  const fields = toRecord(other?.["fields"]);
  return {
    type: words ?? type?.["name"],
    key: other?.["key"],
    summary: fields?.["summary"],
    status: nameIn(fields?.["status"]),
    url: browseUrl(self, other?.["key"]),
  };
}

/** `https://site/rest/api/3/issue/1` and a key as `https://site/browse/KEY`. */
function browseUrl(self: unknown, key: unknown): string | null {
  if (typeof self !== "string" || typeof key !== "string") return null;
  const [base] = self.split("/rest/api/");
  return base === self || base === undefined ? null : `${base}/browse/${encodeURIComponent(key)}`;
}

function projectOf(value: unknown): unknown {
  const project = toRecord(value);
  return project === undefined ? null : { key: project["key"], name: project["name"] ?? project["key"] };
}

/** Jira's own names of the status categories; `indeterminate` is its word for work in progress. */
const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ["new", "todo"],
  ["to do", "todo"],
  ["indeterminate", "in_progress"],
  ["in progress", "in_progress"],
  ["done", "done"],
]);

function categoryOf(value: unknown): string | null {
  return typeof value === "string" ? (CATEGORIES.get(value.toLowerCase()) ?? null) : null;
}

function nameIn(value: unknown): unknown {
  return toRecord(value)?.["name"] ?? (toRecord(value) === undefined ? value : null);
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(toRecord).filter((item) => item !== undefined) : [];
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
