import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";
import { createArgumentChecker } from "#src/plan/arguments.ts";

import { readCatalogue } from "../../../bench/outcome/cases.ts";
import { catalogueOf, type Listed, makeTool, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();

/** The calls that are planned over the recorded tools of a server; what is asked for; "refused". */
function planned(server: string, message: string): unknown {
  const file = fileURLToPath(new URL(`../../fixtures/outcome/catalogues/${server}.json`, import.meta.url));
  const tools = readCatalogue(file).tools.map((tool) => makeTool(server, tool as unknown as Listed));
  const plan = planner.plan(planInput(message, tools));
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
])("[llm.builtin] [plan.anchors] over the tools of %s plans: %s", (server, message, expected) => {
  expect(planned(server, message)).toEqual(expected);
});
