import { describe, expect, it } from "vitest";

import { createViews, UnknownViewError } from "#views/manager.ts";

import { input } from "./help.ts";
import { issue, summary } from "./samples.ts";

const ignore = (): void => {};

describe("createViews", () => {
  it("[view.registry] picks by tool id before name before glob, and the generic view otherwise", () => {
    const views = createViews(
      {
        "*": "GenericView",
        "search_*": "JiraSearchView",
        get_issue: "JiraIssueView",
        "old.get_issue": "GenericView",
        "jira.epic*": "JiraEpicView",
      },
      ignore,
    );
    const viewOf = (server: string, name: string, data: Parameters<typeof input>[1]): string =>
      views.result({ ...input(name, data), server, toolId: `${server}.${name}` }).view;
    expect(viewOf("jira", "get_issue", issue)).toBe("JiraIssueView");
    expect(viewOf("old", "get_issue", issue)).toBe("GenericView");
    expect(viewOf("jira", "search_issues", { issues: [] })).toBe("GenericView");
    const narrow = createViews({ "search_*": "JiraSearchView", "jira.epic*": "JiraEpicView" }, ignore);
    expect(narrow.result(input("search_issues", { issues: [] })).view).toBe("JiraSearchView");
    expect(narrow.result({ ...input("epic", { epic: issue, children: [] }), toolId: "jira.epic" }).view).toBe(
      "JiraEpicView",
    );
    expect(narrow.result(input("list_projects", { projects: [] })).view).toBe("GenericView");
  });

  it("[card.statement] shows what a failed call was sent under Details, without what the product fills in", () => {
    const fixed = [{ name: "channel", value: "${channel}" }];
    const views = createViews({}, ignore, undefined, () => ({ title: "Ask", fixed }));
    const args = { query: "login", channel: "slack:C1" };
    const error = { code: "tool_error", message: "the service cannot be reached" };
    const { card } = views.result({ ...input("ask", null), args, ok: false, error });
    expect(card.elements.at(-1)).toMatchObject({ type: "section", title: "Details", folded: true });
    expect(JSON.stringify(card)).toContain("login");
    expect(JSON.stringify(card)).not.toContain("slack:C1");
    // Other tools of the server are called by their titles.
    const search = createViews({}, ignore, undefined, (id) =>
      id === "jira.search_pages" ? { title: "Search the wiki" } : undefined,
    );
    const hint = { ...error, message: "no such page_id; find it with search_pages" };
    const failed = search.result({ ...input("ask", null), server: "jira", ok: false, error: hint });
    expect(failed.card.title).toContain("no such page_id; find it with “Search the wiki”");
  });

  it("[view.registry] counts the main list", () => {
    const views = createViews({ search_issues: "JiraSearchView", get_epic: "JiraEpicView" }, ignore);
    expect(views.result(input("search_issues", { issues: [summary, summary] })).rows).toBe(2);
    expect(views.result(input("get_epic", { epic: issue, children: [summary] })).rows).toBe(1);
    expect(
      views.result(input("list", { tags: ["a"], projects: [{ key: "A" }, { key: "B" }, { key: "C" }] })).rows,
    ).toBe(3);
    expect(views.result(input("get", { a: 1 }))).not.toHaveProperty("rows");
  });

  it("[view.registry] refuses a view name it does not know and names those it knows", () => {
    expect(() => createViews({ get_issue: "JiraIsueView" }, ignore)).toThrow(UnknownViewError);
    expect(() => createViews({ get_issue: "JiraIsueView" }, ignore)).toThrow(
      expect.objectContaining({
        code: "unknown_view",
        message: expect.stringMatching(
          /get_issue: expected one of JiraIssueView, .*GenericView; found "JiraIsueView"/,
        ),
      }),
    );
  });

  it("[view.fallback] shows malformed data in the generic view with the error at the bottom, and warns", () => {
    const warnings: string[] = [];
    const views = createViews({ get_issue: "JiraIssueView" }, (message) => warnings.push(message));
    const { view, card } = views.result(input("get_issue", { key: "DEMO-1", summary: 7, points: 3 }));
    expect(view).toBe("GenericView");
    expect(card.kind).toBe("result");
    expect(card.elements[1]).toEqual({
      type: "fields",
      items: [
        { label: "Key", value: "DEMO-1" },
        { label: "Summary", value: 7 },
        { label: "Points", value: 3 },
      ],
    });
    expect(card.elements.at(-1)).toMatchObject({
      type: "error",
      message: "JiraIssueView could not show this result.",
      detail: expect.stringContaining("summary"),
    });
    expect(warnings).toEqual([
      expect.stringContaining("JiraIssueView could not show a result of demo.get_issue: summary"),
    ]);
  });

  it("[view.fallback] shows a failed call in the server's words", () => {
    const views = createViews({ "*": "JiraIssueView" }, ignore);
    const { card } = views.result(
      input("get_issue", null, {
        ok: false,
        args: { issue_key: "NOPE-1" },
        error: { code: "tool_error", message: "Issue NOPE-1 does not exist" },
      }),
    );
    expect(card.kind).toBe("error");
    expect(card.title).toBe("Get issue NOPE-1 failed: Issue NOPE-1 does not exist");
    expect(card.elements[1]).toEqual({
      type: "error",
      message: "Issue NOPE-1 does not exist",
      detail: "The server ran it and reported an error.",
    });
  });
});
