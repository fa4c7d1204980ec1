import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { PastTurn } from "#contract/plan.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";
import { createArgumentChecker } from "#src/plan/arguments.ts";

import { readCatalogue } from "../../../bench/outcome/cases.ts";
import { catalogueOf, type Listed, makeTool, pastTurn, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();

/** The calls that are planned over the recorded tools of a server; what is asked for; "refused". */
function planned(server: string, message: string, history: PastTurn[] = []): unknown {
  const file = fileURLToPath(new URL(`../../fixtures/outcome/catalogues/${server}.json`, import.meta.url));
  const tools = readCatalogue(file).tools.map((tool) => makeTool(server, tool as unknown as Listed));
  const plan = planner.plan(planInput(message, tools, { history }));
  const parsed = parsePlan(plan.text, catalogueOf(tools), createArgumentChecker());
  if (!parsed.ok) return { asks: parsed.fault.question?.fields, of: nameOf(parsed.fault.question?.tool) };
  const [first] = parsed.commands;
  return first === undefined || first.command === "ERROR" ? "refused" : { [nameOf(first.tool)]: first.args };
}

function nameOf(tool = ""): string {
  return tool.replace(/^[^.]*\./, "");
}

const asks = (of: string, ...fields: string[]): object => ({ asks: fields, of });
const sql = (tool: string, query: string): JsonObject => ({ [tool]: { query } });

it.each<[server: string, message: string, expected: unknown]>([
  // Several keys are a list, and the one that is labelled is another argument's.
  [
    "jira-cloud",
    "move OPS-4 and OPS-5 to sprint 41",
    { jira_move_issues_to_sprint: { sprintId: 41, issueKeys: ["OPS-4", "OPS-5"] } },
  ],
  [
    "jira-cloud",
    "move OPS-4 to the epic OPS-1",
    { jira_move_issues_to_epic: { epicIdOrKey: "OPS-1", issueKeys: ["OPS-4"] } },
  ],
  [
    "jira-cloud",
    "rank OPS-4 before OPS-5",
    { jira_rank_issues: { issueKeys: ["OPS-4"], rankBeforeIssue: "OPS-5" } },
  ],
  // A file without its folder is in none that is known.
  ["filesystem", "move notes.txt to /srv/archive", asks("move_file", "source")],
  ["filesystem", "find all csv files in /srv/in", { search_files: { path: "/srv/in", pattern: "**/*.csv" } }],
  // A verb may be one of an argument's values, and one of two.
  [
    "github",
    "squash and merge pull request 7 in acme/web",
    { merge_pull_request: { owner: "acme", repo: "web", pull_number: 7, merge_method: "squash" } },
  ],
  ["git", "merge topic into main in /srv/a", "refused"],
  // What is opened is no branch, and its words are no name.
  [
    "github",
    'open a PR in acme/web from topic-x to main titled "Add x"',
    { create_pull_request: { owner: "acme", repo: "web", title: "Add x", head: "topic-x", base: "main" } },
  ],
  ["github", 'open a PR in acme/web from topic-x titled "Add x"', asks("create_pull_request", "base")],
  [
    "github",
    "get src/index.ts from the develop branch of acme/web",
    { get_file_contents: { owner: "acme", repo: "web", path: "src/index.ts", branch: "develop" } },
  ],
  // A list that is written anew is read first, by whatever names its record.
  [
    "github",
    "remove the label bug from issue 12 in acme/web",
    { get_issue: { owner: "acme", repo: "web", issue_number: 12 } },
  ],
  [
    "github",
    "add label ui to issue 12 in acme/web",
    { get_issue: { owner: "acme", repo: "web", issue_number: 12 } },
  ],
  [
    "github",
    "update the branch of pull request 7 in acme/web",
    { update_pull_request_branch: { owner: "acme", repo: "web", pull_number: 7 } },
  ],
  [
    "github",
    "latest commits in acme/web, 5 are enough",
    { list_commits: { owner: "acme", repo: "web", perPage: 5 } },
  ],
  // What no tool lists is no list of something else, and who did it is not left out.
  ["github", "list the tags of acme/web", "refused"],
  ["github", "branches of acme/web", "refused"],
  ["github", "commits by octocat in acme/web", "refused"],
  [
    "filesystem",
    "are there any pdfs below /srv/in?",
    { search_files: { path: "/srv/in", pattern: "**/*.pdf" } },
  ],
  ["git", "what changed in /srv/a", { git_status: { repo_path: "/srv/a" } }],
  ["memory", "forget Acme Labs", { delete_entities: { entityNames: ["Acme Labs"] } }],
  ["memory", "forget it", "refused"],
  ["jira-cloud", "log 2 hours on OPS-4", { jira_add_worklog: { issueIdOrKey: "OPS-4", timeSpent: "2h" } }],
  [
    "jira-cloud",
    "tag OPS-4 with needs-tests",
    { jira_add_labels: { issueIdOrKey: "OPS-4", labels: ["needs-tests"] } },
  ],
  [
    "sqlite",
    "select id, name from users where age > 3",
    sql("read_query", "select id, name from users where age > 3"),
  ],
  ["jira-cloud", "rank OPS-4", { jira_get_issue: { issueIdOrKey: "OPS-4" } }],
  [
    "mcp-atlassian",
    "add ABC-1 and ABC-2 to sprint 12",
    { jira_add_issues_to_sprint: { sprint_id: "12", issue_keys: "ABC-1,ABC-2" } },
  ],
  // Fields of what is changed, and none that nobody said.
  [
    "jira-cloud",
    'rename sprint 41 to "Final sprint"',
    { jira_update_sprint: { sprintId: 41, name: "Final sprint" } },
  ],
  [
    "jira-cloud",
    'change the goal of sprint 41 to "ship it"',
    { jira_update_sprint: { sprintId: 41, goal: "ship it" } },
  ],
  [
    "jira-cloud",
    "set the priority of OPS-4 to high",
    { jira_update_issue: { issueIdOrKey: "OPS-4", priority: "High" } },
  ],
  ["jira-cloud", "change the priority of OPS-4", "refused"],
  ["jira-cloud", "update sprint 41", "refused"],
  ["jira-cloud", "add a gadget to dashboard 10100", "refused"],
  ["mcp-atlassian", "update page 123", asks("confluence_update_page", "title")],
  [
    "mcp-atlassian",
    'set the description of ABC-1 to "new text"',
    { jira_update_issue: { issue_key: "ABC-1", fields: '{"description":"new text"}' } },
  ],
  // A state is no code of a project, and one day is not both ends of a sprint.
  ["mcp-atlassian", "transition ABC-1 to Done", { jira_get_transitions: { issue_key: "ABC-1" } }],
  ["jira-cloud", "start sprint 42 tomorrow", asks("jira_start_sprint", "endDate")],
  [
    "jira-cloud",
    "start sprint 42, it ends 2026-12-04",
    { jira_start_sprint: { sprintId: 42, endDate: "2026-12-04" } },
  ],
  [
    "jira-cloud",
    "log 1h 30m on OPS-12",
    { jira_add_worklog: { issueIdOrKey: "OPS-12", timeSpent: "1h 30m" } },
  ],
  ["jira-cloud", "log work on OPS-12", asks("jira_add_worklog", "timeSpent")],
  // A list of things whose properties are named like arguments.
  [
    "memory",
    "create a relation from Ben to Acme of type works_at",
    { create_relations: { relations: [{ from: "Ben", to: "Acme", relationType: "works_at" }] } },
  ],
  ["memory", "create a relation between Ben and Acme", asks("create_relations", "relations")],
  [
    "memory",
    'add the observation "plays chess" to Ana',
    { add_observations: { observations: [{ entityName: "Ana", contents: ["plays chess"] }] } },
  ],
  ["memory", "add an observation to Ana", asks("add_observations", "observations")],
  [
    "memory",
    "create an entity Zoe of type person",
    { create_entities: { entities: [{ name: "Zoe", entityType: "person", observations: [] }] } },
  ],
  // SQL is said as it is, goes to the tool that takes it, and is read out of words for one table.
  ["sqlite", "run DELETE FROM orders WHERE id = 3", sql("write_query", "DELETE FROM orders WHERE id = 3")],
  [
    "sqlite",
    "execute: INSERT INTO customers (name) VALUES ('Ana')",
    sql("write_query", "INSERT INTO customers (name) VALUES ('Ana')"),
  ],
  ["sqlite", "SELECT name, city FROM customers", sql("read_query", "SELECT name, city FROM customers")],
  [
    "sqlite",
    "how many rows are in the customers table?",
    sql("read_query", "SELECT COUNT(*) FROM customers"),
  ],
  ["sqlite", "show me everything in products", sql("read_query", "SELECT * FROM products")],
  [
    "sqlite",
    "show the first 5 rows of products where name is O'Neil",
    sql("read_query", "SELECT * FROM products WHERE name = 'O''Neil' LIMIT 5"),
  ],
  ["sqlite", "delete from orders", "refused"],
  ["sqlite", "create a table called users", asks("create_table", "query")],
  ["sqlite", "add a business insight", asks("append_insight", "insight")],
  ["sqlite", "add an insight: sales are up in Bonn", { append_insight: { insight: "sales are up in Bonn" } }],
  [
    "sqlite",
    "please note as an insight: sales are up in Bonn",
    { append_insight: { insight: "sales are up in Bonn" } },
  ],
  ["sqlite", "which columns does orders have", { describe_table: { table_name: "orders" } }],
  // What is fronted, has to be done or stands in a list is the plain order that it is.
  [
    "filesystem",
    "in /srv/app.toml replace \"port = 80\" by 'port = 90'",
    {
      edit_file: { path: "/srv/app.toml", edits: [{ oldText: "port = 80", newText: "port = 90" }] },
    },
  ],
  ["filesystem", 'write "a" and "b" to /srv/x.txt', "refused"],
  ["filesystem", 'append "x" to /srv/x.txt', "refused"],
  ["filesystem", "mkdir /srv/exports/new", { create_directory: { path: "/srv/exports/new" } }],
  ["git", "/srv/app: changes not yet staged?", { git_diff_unstaged: { repo_path: "/srv/app" } }],
  [
    "git",
    "I need a branch called fix-a in /srv/app, starting from develop",
    { git_create_branch: { repo_path: "/srv/app", branch_name: "fix-a", base_branch: "develop" } },
  ],
  [
    "github",
    "issue 7 in acme/web can be closed",
    { update_issue: { owner: "acme", repo: "web", issue_number: 7, state: "closed" } },
  ],
  [
    "github",
    "issue 7 in acme/web is done, please close it",
    { update_issue: { owner: "acme", repo: "web", issue_number: 7, state: "closed" } },
  ],
  [
    "github",
    "can issue 7 in acme/web be closed?",
    { get_issue: { owner: "acme", repo: "web", issue_number: 7 } },
  ],
  [
    "jira-cloud",
    "OPS-4 and OPS-5 must go into sprint 41",
    { jira_move_issues_to_sprint: { sprintId: 41, issueKeys: ["OPS-4", "OPS-5"] } },
  ],
  [
    "mcp-atlassian",
    "put back into the backlog:\n- ABC-1\n- ABC-2",
    { jira_move_issues_to_backlog: { issue_keys: "ABC-1,ABC-2" } },
  ],
  // What people say in other words is found by what tools say of themselves.
  ["filesystem", "how big is /srv/a.log?", { get_file_info: { path: "/srv/a.log" } }],
  [
    "filesystem",
    "the largest files in /srv/data",
    { list_directory_with_sizes: { path: "/srv/data", sortBy: "size" } },
  ],
  [
    "filesystem",
    "is there a file called notes.md in /srv?",
    { search_files: { path: "/srv", pattern: "**/notes.md" } },
  ],
  ["filesystem", "all .log files below /var", { search_files: { path: "/var", pattern: "**/*.log" } }],
  ["git", "any uncommitted changes in /srv/app?", { git_status: { repo_path: "/srv/app" } }],
  [
    "git",
    "commits in /srv/app since 2026-11-01",
    { git_log: { repo_path: "/srv/app", start_timestamp: "2026-11-01" } },
  ],
  [
    "git",
    "which branches of /srv/app do not contain the commit 4f2a91c?",
    { git_branch: { repo_path: "/srv/app", branch_type: "all", not_contains: "4f2a91c" } },
  ],
  [
    "git",
    "how does /srv/app differ from release?",
    { git_diff: { repo_path: "/srv/app", target: "release" } },
  ],
  [
    "git",
    "commit what is staged in /srv/app with the message 'Fix it'",
    { git_commit: { repo_path: "/srv/app", message: "Fix it" } },
  ],
  ["git", "unstage everything in /srv/app", { git_reset: { repo_path: "/srv/app" } }],
  ["git", "revert 4f2a91c in /srv/app", "refused"],
  ["git", "add README.md to the index in /srv/app", "refused"],
  [
    "github",
    "is PR 5 in acme/web ready to merge?",
    { get_pull_request_status: { owner: "acme", repo: "web", pull_number: 5 } },
  ],
  [
    "github",
    "who approved PR 5 in acme/web?",
    { get_pull_request_reviews: { owner: "acme", repo: "web", pull_number: 5 } },
  ],
  ["jira-cloud", "who watches OPS-4?", { jira_get_watchers: { issueIdOrKey: "OPS-4" } }],
  ["mcp-atlassian", "pages below page 12", { confluence_get_page_children: { parent_id: "12" } }],
  // A search that takes its conditions in its own form, and a verb for one of the things that a tool does.
  ["github", "where in acme/web do we use parseCart?", { search_code: { q: "parseCart repo:acme/web" } }],
  [
    "github",
    "issues assigned to jonas in acme/web",
    { search_issues: { q: "repo:acme/web assignee:jonas is:issue" } },
  ],
  [
    "jira-cloud",
    "take the label urgent off OPS-4",
    { jira_add_labels: { issueIdOrKey: "OPS-4", labels: ["urgent"], operation: "remove" } },
  ],
  [
    "mcp-atlassian",
    "create version 3.2 in project ABC, release date 2026-12-15",
    { jira_create_version: { project_key: "ABC", name: "3.2", release_date: "2026-12-15" } },
  ],
  ["mcp-atlassian", "label page 12 as howto", { confluence_add_label: { page_id: "12", name: "howto" } }],
  // What a plain sentence tells is kept, related or forgotten, and what names nobody is not.
  [
    "memory",
    "remember that Hanna Berg prefers phone calls",
    { add_observations: { observations: [{ entityName: "Hanna Berg", contents: ["prefers phone calls"] }] } },
  ],
  [
    "memory",
    "Hanna reports to Ben, please note this relation",
    { create_relations: { relations: [{ from: "Hanna", to: "Ben", relationType: "reports_to" }] } },
  ],
  [
    "memory",
    "It is not true any more that Hanna has a cat, please delete this observation.",
    { delete_observations: { deletions: [{ entityName: "Hanna", observations: ["has a cat"] }] } },
  ],
  [
    "memory",
    "add a person called Hanna Berg who is a designer",
    {
      create_entities: {
        entities: [{ name: "Hanna Berg", entityType: "person", observations: ["is a designer"] }],
      },
    },
  ],
  ["memory", "remember that I like tea", "refused"],
  ["memory", "note that Friday is a holiday", "refused"],
])("[llm.builtin] [plan.anchors] over the tools of %s plans: %s", (server, message, expected) => {
  expect(planned(server, message)).toEqual(expected);
});

it.each<[server: string, last: [tool: string, args: JsonObject], message: string, expected: unknown]>([
  [
    "github",
    ["get_issue", { owner: "acme", repo: "api", issue_number: 44 }],
    "close it",
    { update_issue: { owner: "acme", repo: "api", issue_number: 44, state: "closed" } },
  ],
  [
    "mcp-atlassian",
    ["jira_get_issue", { issue_key: "WEB-240" }],
    "put it in the epic WEB-200",
    { jira_link_to_epic: { issue_key: "WEB-240", epic_key: "WEB-200" } },
  ],
  // What is read needs no word for the place where the last call was …
  [
    "git",
    ["git_log", { repo_path: "/work/shop" }],
    "show me a41f9c2",
    { git_show: { repo_path: "/work/shop", revision: "a41f9c2" } },
  ],
  [
    "filesystem",
    ["list_directory", { path: "/srv/app/docs" }],
    "read faq.md",
    { read_text_file: { path: "/srv/app/docs/faq.md" } },
  ],
  // … and what is changed in the repository, where all else is said; a folder of files has to be named.
  [
    "git",
    ["git_log", { repo_path: "/work/shop" }],
    "create the branch release-4",
    { git_create_branch: { repo_path: "/work/shop", branch_name: "release-4" } },
  ],
  [
    "git",
    ["git_log", { repo_path: "/work/shop" }],
    "add src/a.ts and src/b.ts",
    { git_add: { repo_path: "/work/shop", files: ["src/a.ts", "src/b.ts"] } },
  ],
  [
    "git",
    ["git_log", { repo_path: "/work/shop" }],
    "create a branch",
    asks("git_create_branch", "repo_path", "branch_name"),
  ],
  [
    "filesystem",
    ["list_directory", { path: "/srv/app/docs" }],
    "move faq.md to /srv/old",
    asks("move_file", "source"),
  ],
])(
  "[plan.referents] over the tools of %s, after %j, plans: %s",
  (server, [tool, args], message, expected) => {
    const calls = [{ tool: `${server}.${tool}`, args, derived: false }];
    expect(planned(server, message, [pastTurn("before", { calls })])).toEqual(expected);
  },
);

it("[plan.anchors] calls what a server advises instead of a tool, and swaps words that stand without quotes", () => {
  expect(planned("filesystem", "read /srv/a.txt")).toEqual({ read_text_file: { path: "/srv/a.txt" } });
  expect(planned("filesystem", "change 8080 to 9090 in /srv/app/server.ini")).toMatchObject({
    edit_file: { path: "/srv/app/server.ini", edits: [{ oldText: "8080", newText: "9090" }] },
  });
});

it("[plan.anchors] reads shares, millions and powers as numbers, and takes no word of a tool for a value", () => {
  const properties = {
    rate: { type: "number", description: "The yearly rate of interest" },
    amount: { type: "number", description: "What is lent" },
    companies: { type: "array", items: { type: "string" }, description: "Names of companies" },
  };
  const over = (required: string[], message: string): unknown => {
    const tool = makeTool("f", {
      name: "get_stock_prices",
      description: "Calculates with the amount and the rate of stock prices.",
      inputSchema: { type: "object", properties, required },
      annotations: { readOnlyHint: true },
    });
    const parsed = parsePlan(planner.plan(planInput(message, [tool])).text, catalogueOf([tool]));
    return parsed.ok ? parsed.commands : parsed.fault.question?.fields;
  };
  expect(
    over(["rate", "amount"], "get stock prices for an amount of 2.5 million with a rate of 5% per m^2"),
  ).toMatchObject([{ args: { rate: 0.05, amount: 2_500_000 } }]);
  expect(JSON.stringify(over(["companies"], "get the stock prices"))).not.toContain('"prices"');
});

it("[plan.anchors] makes nothing of what stands behind a name that was not read", () => {
  const said = "new entity: Orion, type telescope, 12 mirrors of beryllium";
  expect(JSON.stringify(planned("memory", said))).not.toContain("create_entities");
});
