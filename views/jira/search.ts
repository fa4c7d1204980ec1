import type { CardElement, Cell } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import { count, grouped, oneLine } from "#src/base/text.ts";

import { omittedNote } from "../generic/table.ts";
import { priorityBadge, searchedFor, statusBadge, type ViewResult } from "../parts.ts";
import { issueListSchema, type IssueSummary } from "./shapes.ts";
import { hrefOf, humanDay, toTitle, unpackJson } from "../text.ts";

const MAX_ROWS = 200;

/** JiraSearchView: issues as a table, with what was searched and how to get more. */
export function jiraSearchView(input: ViewInput): ViewResult {
  const { issues, total, next_cursor: cursor, jql } = issueListSchema.parse(unpackJson(input.data));
  const searched = searchedFor(input.args);
  const known = total ?? (cursor === null ? issues.length : null);
  const found =
    known !== null && known > issues.length
      ? `${grouped(issues.length)} of ${count(known, "issue")}`
      : count(issues.length, "issue");
  const heading = issues.length === 0 ? "No issues found" : found;

  const elements: CardElement[] = [
    { type: "header", text: heading, ...(searched === "" ? {} : { eyebrow: searched }) },
  ];
  if (issues.length === 0) {
    elements.push({
      type: "text",
      text: searched === "" ? "No issue matches." : `No issue matches ${searched}.`,
    });
  } else {
    elements.push(...issueTable(issues, known ?? undefined));
  }
  if (cursor !== null) {
    elements.push({
      type: "footer",
      text: `There are more; the next page has the cursor ${oneLine(cursor, 200)}`,
    });
  }
  if (jql !== null && jql !== "") elements.push({ type: "footer", text: `JQL: ${jql}` });
  return {
    card: {
      kind: "result",
      title: toTitle(searched === "" ? heading : `${heading} for ${searched}`),
      elements,
    },
    rows: issues.length,
  };
}

/** Issues as a table, the keys linked; `total` counts those that exist at the source. */
export function issueTable(issues: readonly IssueSummary[], total: number = issues.length): CardElement[] {
  const shown = issues.slice(0, MAX_ROWS);
  const elements: CardElement[] = [
    {
      type: "table",
      columns: ["Key", "Summary", "Status", "Priority", "Assignee", "Updated"].map((label) => ({ label })),
      rows: shown.map(toRow),
      ...(total > shown.length ? { total } : {}),
    },
  ];
  if (shown.length < issues.length) elements.push(omittedNote(count(issues.length - shown.length, "issue")));
  return elements;
}

function toRow(issue: IssueSummary): Cell[] {
  return [
    { text: issue.key, ...hrefOf(issue.url) },
    issue.summary,
    issue.status === null ? null : statusBadge(issue.status, issue.status_category),
    issue.priority === null ? null : priorityBadge(issue.priority),
    issue.assignee?.name ?? "unassigned",
    issue.updated === null ? null : humanDay(issue.updated),
  ];
}
