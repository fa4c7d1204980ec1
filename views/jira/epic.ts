import type { CardElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";

import { leftOut } from "../generic/table.ts";
import { unpack } from "../json.ts";
import { count, oneLine } from "../text.ts";
import type { ViewResult } from "../view.ts";
import { description, issueFields, issueHeader, sourceLink } from "./issue.ts";
import { issueTable } from "./search.ts";
import { epicSchema } from "./shapes.ts";
import type { Epic, IssueSummary } from "./shapes.ts";

/** Work in hand first, then what waits, then what is done. */
const ORDER = ["in_progress", "todo", null, "done"];

const MAX_CHILDREN = 200;

/** JiraEpicView: how far an epic is, and its children by status. */
export function jiraEpicView(input: ViewInput): ViewResult {
  const data = epicSchema.parse(unpack(input.data));
  const { epic, children } = data;
  const progress = data.progress ?? countChildren(children);
  return {
    card: {
      kind: "result",
      title: oneLine(`${epic.key}: ${epic.summary}, ${progress.done} of ${progress.total} done`),
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
    title: oneLine(`${status} (${count(issues.length, "issue")})`),
    elements: issueTable(issues),
  }));
  if (shown.length < children.length) elements.push(leftOut(count(children.length - shown.length, "issue")));
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
