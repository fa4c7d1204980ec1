import { describe, expect, it } from "vitest";

import { didYouMean, nearest } from "#src/base/suggest.ts";

const TOOLS = ["jira.get_jira_issue", "jira.search_issues", "jira.count_issues", "confluence.get_page"];

describe("the name that was meant", () => {
  it.each([
    ["hlep", ["help", "tools"], "help"],
    ["TOLS", ["help", "tools"], "tools"],
    ["serch", ["search", "create"], "search"],
    ["jira.get_issue", TOOLS, "jira.get_jira_issue"],
    ["get_issue", TOOLS, "jira.get_jira_issue"],
    ["get_pgae", TOOLS, "confluence.get_page"],
    ["serch_issues", TOOLS, "jira.search_issues"],
    ["tol", ["tool", "toll"], "tool"],
  ])("%s of %j is %s", (said, names, meant) => {
    expect(nearest(said, names)).toBe(meant);
  });

  it.each([
    ["dance", TOOLS],
    ["ab", ["cd"]],
    ["", ["a"]],
    ["x".repeat(10_000), ["x".repeat(9_999)]],
    ["..", TOOLS],
  ])("%s is none of them", (said, names) => {
    expect(nearest(said, names)).toBeUndefined();
    expect(didYouMean(said, names)).toBe("");
  });

  it("is asked for as it would be typed", () => {
    expect(didYouMean("hlep", ["help"], (name) => `/${name}`)).toBe(" Did you mean /help?");
  });
});
