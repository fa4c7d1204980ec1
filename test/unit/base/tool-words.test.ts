import { expect, it } from "vitest";

import { argumentLabel, argumentSchema, titledChoices, toolTitle } from "#src/base/tool-words.ts";
import { buildTool } from "#test/builders.ts";

it("names tools by their titles, else by their names as words", () => {
  expect(toolTitle({ name: "get_issue", title: "Get a Jira\n issue" })).toBe("Get a Jira issue");
  expect(toolTitle({ name: "getIssue" })).toBe("Get issue");
  expect(toolTitle({ name: "search-jql", title: " " })).toBe("Search JQL");
  expect(toolTitle({ name: "access.get_user" })).toBe("Get user");
});

it("names arguments by their titles, unless these are made of the names", () => {
  expect(argumentLabel("summary", { title: "Title" })).toBe("Title");
  for (const title of ["Issue Key", "IssueKey", "issue_key", ""])
    expect(argumentLabel("issue_key", { title })).toBe("Issue key");
  expect(argumentLabel("__proto__", argumentSchema({ type: "object", properties: {} }, "__proto__"))).toBe(
    "Proto",
  );
});

it("tells choices apart that read alike, by their arguments or their servers", () => {
  const tools = {
    find: (id: string) =>
      buildTool(id, {
        title: id.includes("page") ? "Manage pages" : "Double",
        ...(id === "bar.double" && { serverTitle: "The bar" }),
      }),
  };
  const choice = (tool: string, args = {}) => ({ tool, args, fields: [] });
  const titles = (...choices: ReturnType<typeof choice>[]): string[] =>
    titledChoices(tools, choices).map(({ title }) => title);
  expect(titles(choice("wiki.pages", { action: "move" }), choice("wiki.pages", { action: "copy" }))).toEqual([
    "Manage pages (move)",
    "Manage pages (copy)",
  ]);
  expect(
    titles(choice("shop.double"), choice("bar.double"), choice("wiki.pages", { action: "move" })),
  ).toEqual(["Double (shop)", "Double (The bar)", "Manage pages"]);
});
