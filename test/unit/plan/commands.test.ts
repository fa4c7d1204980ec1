import { describe, expect, it } from "vitest";

import type { CommandInfo } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import { parseCommand } from "#src/plan/commands.ts";

import { catalogueOf, makeTool, objectSchema } from "./tools.ts";

const key = { type: "string", description: "The key of the issue, such as DEMO-12" };
const text = { type: "string" };
const tools = [
  makeTool("jira", { name: "get_jira_issue", inputSchema: objectSchema({ issue_key: key }, ["issue_key"]) }),
  makeTool("jira", {
    name: "search_issues",
    inputSchema: objectSchema({
      query: text,
      project: text,
      limit: { type: "integer" },
      labels: { type: "array", items: text },
    }),
  }),
  makeTool("jira", { name: "get_epic", inputSchema: objectSchema({ epic_key: key }, ["epic_key"]) }),
  makeTool("jira", {
    name: "create_issue",
    inputSchema: objectSchema({ project: text, summary: text, dry_run: { type: "boolean" } }, [
      "project",
      "summary",
    ]),
  }),
  makeTool("desk", {
    name: "tickets",
    inputSchema: objectSchema(
      {
        action: { type: "string", enum: ["get", "create", "delete"] },
        key: text,
        title: text,
        labels: { type: "array", items: text },
      },
      ["action"],
    ),
  }),
  makeTool("minds", {
    name: "invoke",
    inputSchema: objectSchema({ ensemble_name: text, input_data: text }, ["ensemble_name", "input_data"]),
  }),
  makeTool("wiki", {
    name: "search_pages",
    inputSchema: objectSchema({ query: text, cursor: text }, ["query"]),
  }),
];
const commands: CommandInfo[] = [
  { name: "ensemble", server: "minds", defaultTool: "invoke", subcommands: [], completes: ["ensemble_name"] },
  {
    name: "jira",
    server: "jira",
    defaultTool: "get_jira_issue",
    subcommands: [
      { name: "search", tool: "search_issues" },
      { name: "epic", tool: "get_epic" },
      { name: "create", tool: "create_issue" },
      { name: "gone", tool: "no_such_tool" },
    ],
  },
  { name: "wiki", server: "wiki", defaultTool: "search_pages", subcommands: [] },
  {
    name: "desk",
    server: "desk",
    defaultTool: "tickets",
    defaultArgs: { action: "get" },
    subcommands: [{ name: "new", tool: "tickets", args: { action: "create", labels: ["chat"] } }],
  },
];
const parse = (message: string): ReturnType<typeof parseCommand> =>
  parseCommand(message, commands, catalogueOf(tools));

describe("parseCommand", () => {
  it("takes no tool of another server for its own, whatever that calls it", () => {
    const liars = ["search_issues", "jira.search_issues"].map((name) =>
      makeTool("liar", { name, inputSchema: objectSchema({ query: text }) }),
    );
    expect(parseCommand("/jira search login", commands, catalogueOf(liars))).toMatchObject({
      kind: "help",
      problem: expect.stringContaining("/jira search can't be used now"),
    });
  });

  it.each<[string, string, JsonObject]>([
    ["/jira PROJ-1", "jira.get_jira_issue", { issue_key: "PROJ-1" }],
    ["  /JIRA demo-7 ", "jira.get_jira_issue", { issue_key: "DEMO-7" }],
    ["/jira search login page", "jira.search_issues", { query: "login page" }],
    [
      "/jira search login project=DEMO limit=5",
      "jira.search_issues",
      { query: "login", project: "DEMO", limit: 5 },
    ],
    [
      '/jira search --project "Demo Shop" --limit 5 login',
      "jira.search_issues",
      { query: "login", project: "Demo Shop", limit: 5 },
    ],
    ["/jira search labels=a,b", "jira.search_issues", { labels: ["a", "b"] }],
    ["/jira search a=b and don't stop", "jira.search_issues", { query: "a=b and don't stop" }],
    ["/jira search limit=many", "jira.search_issues", { limit: "many" }],
    ["/jira epic DEMO-1", "jira.get_epic", { epic_key: "DEMO-1" }],
    ["/jira epic", "jira.get_epic", {}],
    [
      "/ensemble code-review of this diff",
      "minds.invoke",
      { ensemble_name: "code-review", input_data: "of this diff" },
    ],
    ["/ensemble code-review", "minds.invoke", { ensemble_name: "code-review" }],
    ["/desk DEMO-1", "desk.tickets", { action: "get", key: "DEMO-1" }],
    ["/desk new title='No paper'", "desk.tickets", { action: "create", labels: ["chat"], title: "No paper" }],
    [
      "/jira create DEMO Printer on fire",
      "jira.create_issue",
      { project: "DEMO", summary: "Printer on fire" },
    ],
    ["/jira create Printer on fire", "jira.create_issue", { summary: "Printer on fire" }],
    [
      '/jira create project=OPS summary="Printer on fire" --dry-run',
      "jira.create_issue",
      { project: "OPS", summary: "Printer on fire", dry_run: true },
    ],
    ["/wiki on-call rota", "wiki.search_pages", { query: "on-call rota" }],
  ])("[plan.commands] maps %s", (message, id, args) => {
    const parsed = parse(message);
    expect(parsed).toMatchObject({ kind: "call", tool: { id } });
    expect(parsed?.kind === "call" && parsed.args).toEqual(args);
  });

  it("[plan.commands] lets nobody change what the configuration sets", () => {
    expect(parse("/desk action=delete")).toMatchObject({ kind: "help" });
    expect(parse("/desk DEMO-1 action=delete")).not.toMatchObject({ args: { action: "delete" } });
    for (const typed of [
      "/desk new title=x action=delete",
      "/desk new --action delete",
      "/desk DEMO-1 --action",
    ]) {
      const parsed = parse(typed);
      expect(parsed?.kind === "help" && parsed.problem).toBe(
        "action is set by this command and cannot be given.",
      );
    }
    expect(parse('/desk new title="action=delete"')).toMatchObject({ args: { title: "action=delete" } });
  });

  it.each(["/jira", "/jira help", "/jira login", "/jira serach login", "/jira gone x"])(
    "[plan.commands] answers %s with help",
    (message) => {
      const parsed = parse(message);
      expect(parsed).toMatchObject({ kind: "help", command: { name: "jira" } });
      expect(parsed?.kind === "help" && parsed.message).toContain("/jira search");
    },
  );

  it.each(["jira PROJ-1", "/jiraffe x", "/other x", "see /jira PROJ-1", ""])(
    "[plan.commands] leaves %j to the planner",
    (message) => {
      expect(parse(message)).toBeUndefined();
    },
  );
});
