import { describe, expect, it } from "vitest";

import type { JsonValue } from "#contract/json.ts";

import { all, fieldsOf, flatten, show, textsOf } from "./help.ts";
import { issue, summary } from "./samples.ts";

describe("JiraIssueView", () => {
  it("[view.jira] shows header, metadata, description, links, comments, history and the source", () => {
    const card = show("JiraIssueView", issue);
    expect(card.title).toBe("DEMO-1: Login fails after password reset (In Progress)");
    expect(card.elements[0]).toEqual({
      type: "header",
      eyebrow: "DEMO-1",
      text: "Login fails after password reset",
      href: "https://jira.example.com/browse/DEMO-1",
      badges: [
        { text: "In Progress", tone: "info" },
        { text: "Bug", tone: "neutral" },
        { text: "High", tone: "warn" },
      ],
    });
    expect(fieldsOf(card)).toEqual({
      Project: "Demo Shop (DEMO)",
      Assignee: "Ana Lindqvist",
      Reporter: "Ben Okafor",
      Epic: "DEMO-10 Checkout redesign",
      Labels: "auth, customer",
      Due: "30 Nov 2026",
      Created: "1 Nov 2026, 07:00 UTC",
      Updated: "20 Nov 2026, 09:30 UTC",
    });
    expect(card.elements).toContainEqual({
      type: "text",
      text: "## Steps\n\n1. Reset\n2. Log in",
      format: "markdown",
      folded: true,
    });
    expect(all(card, "list")[0]?.items).toEqual([
      {
        text: "OPS-4 Release 2.3",
        href: "https://jira.example.com/browse/OPS-4",
        detail: "blocks",
        badges: [{ text: "To Do", tone: "neutral" }],
      },
    ]);
    expect(all(card, "section").map((section) => [section.title, section.folded ?? false])).toEqual([
      ["Linked issues (1)", false],
      ["Comments (4)", false],
      ["Emi Tanaka, 4 Nov 2026, 10:00 UTC", false],
      ["Emi Tanaka, 3 Nov 2026, 10:00 UTC", false],
      ["Emi Tanaka, 2 Nov 2026, 10:00 UTC", false],
      ["1 older comment", true],
      ["Emi Tanaka, 1 Nov 2026, 10:00 UTC", false],
      ["History (1)", true],
    ]);
    expect(all(card, "table")[0]?.rows).toEqual([
      ["2 Nov 2026, 10:00 UTC", "Ben Okafor", "status", "To Do", "In Progress"],
    ]);
    expect(card.elements.at(-1)).toEqual({
      type: "links",
      items: [{ label: "Open DEMO-1", href: "https://jira.example.com/browse/DEMO-1" }],
    });
  });

  it("[view.jira] makes do with a key and a summary, and never links what is not http", () => {
    const card = show("JiraIssueView", { key: "X-1", summary: "Bare", url: "javascript:alert(1)" });
    expect(fieldsOf(card)).toEqual({ Assignee: "unassigned" });
    expect(show("JiraIssueView", { key: "X-1", summary: "" }).elements[0]).toMatchObject({ text: "X-1" });
    expect(JSON.stringify(card)).not.toContain("javascript");
  });

  it("[view.limits] bounds links, comments and history and says what is left out", () => {
    const many = (item: unknown): JsonValue[] => Array.from({ length: 1000 }, () => item as JsonValue);
    const card = show("JiraIssueView", {
      ...issue,
      links: many((issue["links"] as JsonValue[])[0]),
      comments: many((issue["comments"] as JsonValue[])[0]),
      history: many((issue["history"] as JsonValue[])[0]),
    });
    expect(textsOf(card).filter((text) => text.startsWith("Left out"))).toEqual([
      "Left out here: 900 links; see JSON.",
      "Left out here: 947 older comments; see JSON.",
      "Left out here: 900 older changes; see JSON.",
    ]);
    expect(JSON.stringify(card).length).toBeLessThan(60_000);
  });

  it("[view.jira] keeps fields it does not know in a folded section", () => {
    const card = show("JiraIssueView", { ...summary, story_points: 5, sprint: { id: 7, name: "Sprint 7" } });
    const other = all(card, "section").find((section) => section.title === "Other fields");
    expect(other?.folded).toBe(true);
    expect(other?.elements).toEqual([
      {
        type: "fields",
        items: [
          { label: "Story points", value: 5 },
          { label: "Sprint", value: "Sprint 7 (7)" },
        ],
      },
    ]);
  });

  it("[view.jira] reads an issue as Jira's own REST API gives it", () => {
    const card = show("JiraIssueView", {
      id: "10002",
      key: "ED-1",
      self: "https://acme.example.net/rest/api/3/issue/10002",
      fields: {
        summary: "Main order flow broken",
        issuetype: { name: "Bug" },
        status: { name: "Selected", statusCategory: { key: "indeterminate" } },
        priority: { name: "Highest" },
        assignee: { accountId: "5b10a2", displayName: "Mia Krystof" },
        reporter: null,
        project: { key: "ED", name: "Example" },
        labels: ["red"],
        created: "2026-02-01T10:00:00.000+0000",
        description: {
          type: "doc",
          version: 1,
          content: [
            {
              type: "paragraph",
              content: [
                { type: "text", text: "Order " },
                { type: "text", text: "fails." },
              ],
            },
            { type: "paragraph", content: [{ type: "text", text: "Again." }] },
          ],
        },
        comment: {
          comments: [{ id: "1", author: { displayName: "Mia Krystof" }, created: null, body: "Seen." }],
        },
        issuelinks: [
          {
            type: { name: "Blocks", inward: "is blocked by", outward: "blocks" },
            inwardIssue: { key: "ED-2", fields: { summary: "Base", status: { name: "Done" } } },
          },
        ],
        customfield_10010: "Team Red",
        customfield_10011: null,
      },
    });
    expect(card.elements[0]).toMatchObject({
      eyebrow: "ED-1",
      href: "https://acme.example.net/browse/ED-1",
      badges: [
        { text: "Selected", tone: "info" },
        { text: "Bug", tone: "neutral" },
        { text: "Highest", tone: "bad" },
      ],
    });
    expect(fieldsOf(card)).toMatchObject({
      Assignee: "Mia Krystof",
      Created: "1 Feb 2026, 10:00 UTC",
      "Customfield 10010": "Team Red",
    });
    expect(fieldsOf(card)).not.toHaveProperty("Customfield 10011");
    expect(all(card, "text")[0]?.text).toBe("Order fails.\n\nAgain.");
    expect(all(card, "list")[0]?.items[0]).toMatchObject({
      text: "ED-2 Base",
      detail: "is blocked by",
      badges: [{ text: "Done", tone: "good" }],
    });
  });
});

describe("JiraSearchView", () => {
  it("[view.jira] lists issues as a table with what was searched, the total and the next page", () => {
    const card = show(
      "JiraSearchView",
      {
        issues: [summary, { ...summary, key: "DEMO-2", assignee: null, priority: null }],
        total: 60,
        next_cursor: "p2",
        jql: "text ~ login",
      },
      { args: { query: "login", project: "DEMO", limit: 2 } },
    );
    expect(card.title).toBe("2 of 60 issues for “login”, project DEMO");
    const [table] = all(card, "table");
    expect(table?.columns.map((column) => column.label)).toEqual([
      "Key",
      "Summary",
      "Status",
      "Priority",
      "Assignee",
      "Updated",
    ]);
    expect(table?.total).toBe(60);
    expect(table?.rows).toEqual([
      [
        { text: "DEMO-1", href: "https://jira.example.com/browse/DEMO-1" },
        "Login fails after password reset",
        { text: "In Progress", tone: "info" },
        { text: "High", tone: "warn" },
        "Ana Lindqvist",
        "20 Nov 2026",
      ],
      [
        { text: "DEMO-2", href: "https://jira.example.com/browse/DEMO-1" },
        "Login fails after password reset",
        { text: "In Progress", tone: "info" },
        null,
        "unassigned",
        "20 Nov 2026",
      ],
    ]);
    const texts = textsOf(card);
    expect(JSON.stringify(card)).not.toContain("p2");
    // What programs ask with is for whoever opens the JSON.
    expect(texts.join()).not.toContain("text ~ login");
  });

  it("[view.jira] says how many there are, and of what", () => {
    const groups = [
      { value: "High", count: 9 },
      { value: "Low", count: 3 },
    ];
    const args = { type: "Bug", status_category: "open", group_by: "priority" };
    const card = show("JiraCountView", { total: 12, groups, complete: true, jql: "x" }, { args });
    expect(card.title).toBe("12 issues: type Bug, open");
    expect(all(card, "table")).toMatchObject([
      {
        columns: [{ label: "Priority" }, { label: "Issues" }],
        rows: [
          ["High", 9],
          ["Low", 3],
        ],
      },
    ]);
    const some = show("JiraCountView", { total: 2000, groups, complete: false, jql: "x" }, { args });
    expect(textsOf(some).join()).toContain("the numbers are of some of them");
    const none = show("JiraCountView", { total: 0, groups: [], complete: true, jql: "x" }, { args });
    expect(none.title).toBe("No issues found: type Bug, open");
  });

  it("[view.jira] says what was searched when nothing was found", () => {
    const card = show(
      "JiraSearchView",
      { issues: [], total: 0, next_cursor: null, jql: null },
      { args: { query: "unicorns", status: "Done" } },
    );
    expect(card.elements).toEqual([
      { type: "header", text: "No issues found", eyebrow: "“unicorns”, status Done" },
      { type: "text", text: "No issue matches “unicorns”, status Done." },
    ]);
  });

  it.each([
    ["parent is EMPTY AND issuetype != Epic", "no epic, not Epic"],
    [
      "project = OPS AND due >= 2026-11-23 AND due <= 2026-11-29",
      "project OPS, due 23 Nov 2026 to 29 Nov 2026",
    ],
    [
      "statusCategory != Done AND due is EMPTY ORDER BY priority DESC",
      "open, no due date, sorted by priority",
    ],
    ['assignee in (ben, emi) AND labels = "a AND b"', "assignee ben or emi, label a AND b"],
    ['issueLinkType = "is blocked by" AND assignee is EMPTY', "blocked by another issue, unassigned"],
    ['status not in ("In Review", Done) AND summary ~ "login"', "not In Review or Done, “login”"],
    [
      "(assignee not in (ben, emi) OR assignee is EMPTY) AND reporter != ana",
      "not ben or emi, reporter not ana",
    ],
    [
      "(due < 2026-11-01 OR due > 2026-11-30 OR due is EMPTY) AND priority = High",
      "not due 1 Nov 2026 to 30 Nov 2026, priority High",
    ],
    ['(updated < 2026-11-01 OR updated > "2026-11-05 23:59")', "not updated 1 Nov 2026 to 5 Nov 2026"],
    ["statusCategory != Done AND (due >= 2026-11-30 OR due is EMPTY)", "open, not due by 29 Nov 2026"],
    ["issuetype = Bug AND (assignee = emi OR reporter = emi)", "type Bug, assignee or reporter emi"],
    ['updated < "2026-99-99"', "updated until 2026-99-99"],
    ["project = MOB AND updated < 2026-11-30", "project MOB, updated until 29 Nov 2026"],
    ['NOT issueLinkType = "is blocked by" AND text !~ "checkout"', "no link “is blocked by”, no “checkout”"],
    // What is more than that stands as it is.
    ["project = OPS OR assignee = ben", "project = OPS OR assignee = ben"],
    ["votes > 4", "votes > 4"],
  ])("[view.jira] says %j in words", (jql, words) => {
    const { title } = show("JiraSearchView", { issues: [], total: 0 }, { args: { jql } });
    expect(title).toBe(`No issues found: ${words}`);
  });

  it("[view.limits] shows a bounded table and says how many issues are left out", () => {
    const issues = Array.from({ length: 10_000 }, (_, index) => ({ ...summary, key: `DEMO-${index}` }));
    const card = show("JiraSearchView", { issues });
    expect(all(card, "table")[0]).toMatchObject({ total: 10_000 });
    expect(all(card, "table")[0]?.rows).toHaveLength(200);
    expect(textsOf(card)).toContain("Left out here: 9,800 issues; see JSON.");
  });
});

describe("JiraEpicView", () => {
  it("[view.jira] shows progress and the children by status, work in hand first", () => {
    const child = (key: string, status: string, category: string): typeof summary => ({
      ...summary,
      key,
      status,
      status_category: category,
    });
    const card = show("JiraEpicView", {
      epic: { ...issue, key: "DEMO-10", summary: "Checkout redesign" },
      children: [
        child("DEMO-11", "Done", "done"),
        child("DEMO-12", "To Do", "todo"),
        child("DEMO-13", "In Review", "in_progress"),
        child("DEMO-14", "Done", "done"),
      ],
      progress: { todo: 1, in_progress: 1, done: 2, total: 4 },
    });
    expect(card.title).toBe("DEMO-10: Checkout redesign, 2 of 4 done");
    expect(card.elements).toContainEqual({ type: "progress", label: "Done", value: 2, total: 4 });
    const groups = card.elements.filter((element) => element.type === "section");
    expect(groups.map((group) => group.title)).toEqual([
      "In Review (1 issue)",
      "To Do (1 issue)",
      "Done (2 issues)",
    ]);
    const keys = flatten(groups)
      .filter((element) => element.type === "table")
      .map((table) => table.rows.map((row) => (row[0] as { text: string }).text));
    expect(keys).toEqual([["DEMO-13"], ["DEMO-12"], ["DEMO-11", "DEMO-14"]]);
    expect(all(card, "links")[0]?.items[0]?.label).toBe("Open DEMO-10");
  });

  it("[view.jira] counts the children itself when the server did not", () => {
    const card = show("JiraEpicView", {
      epic: issue,
      children: [{ ...summary, status_category: "done" }, summary],
    });
    expect(all(card, "progress")[0]).toMatchObject({ value: 1, total: 2 });
  });
});
