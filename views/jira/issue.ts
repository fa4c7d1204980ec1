import type { CardElement, Cell, FieldsElement, HeaderElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { count, oneLine } from "#src/base/text.ts";

import { fromObject } from "../generic/elements.ts";
import { createBudget, omittedNote } from "../generic/table.ts";
import { commentSections, priorityBadge, statusBadge, type ViewResult } from "../parts.ts";
import { issueTable } from "./search.ts";
import {
  type Epic,
  epicSchema,
  type Issue,
  ISSUE_KEYS,
  issueSchema,
  type IssueSummary,
  restExtras,
} from "./shapes.ts";
import { hrefOf, humanDate, toTitle, unpackJson } from "../text.ts";

/** Links, and changes of the history. */
const MAX_ITEMS = 100;

/** JiraIssueView: one issue with its metadata, description, links, latest comments and history. */
export function jiraIssueView(input: ViewInput): ViewResult {
  const data = unpackJson(input.data);
  const issue = issueSchema.parse(data);
  const extras = extrasOf(data);
  return {
    card: {
      kind: "result",
      title: toTitle(`${issue.key}: ${issue.summary}${issue.status === null ? "" : ` (${issue.status})`}`),
      elements: [
        issueHeader(issue),
        issueFields(issue),
        ...description(issue),
        ...linkedIssues(issue),
        ...commentSections(issue.comments),
        ...history(issue),
        ...(Object.keys(extras).length === 0
          ? []
          : [
              {
                type: "section" as const,
                title: "Other fields",
                folded: true,
                elements: fromObject(extras, createBudget(), 1),
              },
            ]),
        ...sourceLink(issue),
      ],
    },
  };
}

function issueHeader(issue: Issue): HeaderElement {
  const badges = [
    ...(issue.status === null ? [] : [statusBadge(issue.status, issue.status_category)]),
    ...(issue.type === null ? [] : [{ text: issue.type, tone: "neutral" as const }]),
    ...(issue.priority === null ? [] : [priorityBadge(issue.priority)]),
  ];
  return {
    type: "header",
    text: issue.summary || issue.key,
    eyebrow: issue.key,
    ...hrefOf(issue.url),
    badges,
  };
}

function issueFields(issue: Issue): FieldsElement {
  const { project, epic } = issue;
  const fields: [label: string, value: Cell | undefined][] = [
    ["Project", project === null ? undefined : `${project.name} (${project.key})`],
    ["Assignee", issue.assignee?.name ?? "unassigned"],
    ["Reporter", issue.reporter?.name],
    ["Epic", epic === null ? undefined : [epic.key, epic.summary].filter((part) => part !== null).join(" ")],
    ["Labels", issue.labels.length === 0 ? undefined : issue.labels.join(", ")],
    ["Due", issue.due_date === null ? undefined : humanDate(issue.due_date)],
    ["Created", issue.created === null ? undefined : humanDate(issue.created)],
    ["Updated", issue.updated === null ? undefined : humanDate(issue.updated)],
  ];
  return {
    type: "fields",
    items: fields.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }])),
  };
}

function description(issue: Issue): CardElement[] {
  if (issue.description === null || issue.description.trim() === "") return [];
  return [{ type: "text", text: issue.description, format: "markdown", folded: true }];
}

function sourceLink(issue: { key: string; url: string | null }): CardElement[] {
  const { href } = hrefOf(issue.url);
  return href === undefined ? [] : [{ type: "links", items: [{ label: `Open ${issue.key}`, href }] }];
}

function linkedIssues(issue: Issue): CardElement[] {
  if (issue.links.length === 0) return [];
  const items = issue.links.slice(0, MAX_ITEMS).map((link) => ({
    text: [link.key, link.summary].filter((part) => part !== null).join(" "),
    ...hrefOf(link.url),
    ...(link.type === null ? {} : { detail: link.type }),
    ...(link.status === null ? {} : { badges: [statusBadge(link.status, null)] }),
  }));
  return [
    {
      type: "section",
      title: `Linked issues (${issue.links.length})`,
      elements: [{ type: "list", items }, ...rest(issue.links.length, "link")],
    },
  ];
}

function history(issue: Issue): CardElement[] {
  if (issue.history.length === 0) return [];
  const newest = issue.history.toSorted((a, b) => (b.at ?? "").localeCompare(a.at ?? ""));
  const columns = ["When", "Who", "Field", "From", "To"].map((label) => ({ label }));
  const rows = newest
    .slice(0, MAX_ITEMS)
    .map((change) => [
      change.at === null ? null : humanDate(change.at),
      change.author?.name ?? null,
      change.field,
      change.from,
      change.to,
    ]);
  return [
    {
      type: "section",
      title: `History (${newest.length})`,
      folded: true,
      elements: [{ type: "table", columns, rows }, ...rest(newest.length, "older change")],
    },
  ];
}

function rest(total: number, what: string): CardElement[] {
  return total > MAX_ITEMS ? [omittedNote(count(total - MAX_ITEMS, what))] : [];
}

/** What came beside the fields this view knows. */
function extrasOf(data: unknown): JsonObject {
  const value = data as JsonObject;
  if (isObject(value["fields"])) return restExtras(value) as JsonObject;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !ISSUE_KEYS.includes(key)));
}

/** Work in hand first, then what waits, then what is done. */
const ORDER = ["in_progress", "todo", null, "done"];

const MAX_CHILDREN = 200;

/** JiraEpicView: how far an epic is, and its children by status. */
export function jiraEpicView(input: ViewInput): ViewResult {
  const data = epicSchema.parse(unpackJson(input.data));
  const { epic, children } = data;
  const progress = data.progress ?? countChildren(children);
  return {
    card: {
      kind: "result",
      title: toTitle(`${epic.key}: ${epic.summary}, ${progress.done} of ${progress.total} done`),
      elements: [
        issueHeader(epic),
        { type: "progress", label: "Done", value: progress.done, total: progress.total },
        {
          type: "fields",
          items: [
            { label: "To do", value: progress.todo },
            { label: "In progress", value: progress.in_progress },
            { label: "Done", value: progress.done },
          ],
        },
        issueFields(epic),
        ...description(epic),
        ...(children.length === 0
          ? [{ type: "text" as const, text: "This epic has no issues yet." }]
          : byStatus(children)),
        ...sourceLink(epic),
      ],
    },
    rows: children.length,
  };
}

function byStatus(children: readonly IssueSummary[]): CardElement[] {
  const shown = children.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_CHILDREN);
  const groups = Map.groupBy(shown, (child) => child.status ?? "No status");
  const elements: CardElement[] = [...groups].map(([status, issues]) => ({
    type: "section",
    title: toTitle(`${status} (${count(issues.length, "issue")})`),
    elements: issueTable(issues),
  }));
  if (shown.length < children.length)
    elements.push(omittedNote(count(children.length - shown.length, "issue")));
  return elements;
}

function rank(issue: IssueSummary): number {
  const place = ORDER.indexOf(issue.status_category);
  return place === -1 ? ORDER.indexOf(null) : place;
}

function countChildren(children: readonly IssueSummary[]): NonNullable<Epic["progress"]> {
  const amount = (category: string): number =>
    children.filter((child) => child.status_category === category).length;
  return {
    todo: amount("todo"),
    in_progress: amount("in_progress"),
    done: amount("done"),
    total: children.length,
  };
}
