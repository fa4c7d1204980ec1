import { describe, expect, it } from "vitest";

import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { operationsOf } from "#src/plan/builtin/operations.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";

import { catalogueOf, makeTool, observed, pastTurn, planInput } from "./tools.ts";

const text = (description = ""): JsonObject => ({ type: "string", description });
const select = (values: string[], description = ""): JsonObject => ({
  type: "string",
  enum: values,
  description,
});
const loose = (properties: JsonObject, required: string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
});

/** Few tools for many things, as several public servers have them. */
const desk = [
  makeTool("desk", {
    name: "tickets",
    description: "Manage tickets. Look before you leap.",
    inputSchema: loose(
      {
        action: select(
          ["get", "create", "update", "close"],
          "get: fetch a ticket; create: new ticket; update: edit fields; close: end it",
        ),
        ticketKey: text("Key, such as DESK-1. Required for: get, update, close"),
        projectKey: text("Project key, such as DESK. Required for: create"),
        summary: text("Title. Required for: create. Optional for: update"),
        kind: text("e.g. Bug, Wish. Required for: create"),
      },
      ["action"],
    ),
  }),
  makeTool("desk", {
    name: "desk_search",
    description: "Search and discover things.",
    inputSchema: loose(
      {
        operation: select(
          ["tickets", "queues", "create_form"],
          "tickets: by words; queues: list all; create_form: what a new one needs",
        ),
        query: text("Words. Required for: tickets"),
        projectKey: text("Project key. Required for: create_form"),
      },
      ["operation"],
    ),
  }),
  makeTool("desk", {
    name: "notes",
    description: "Get or add notes of a ticket.",
    inputSchema: loose({ action: select(["get", "add"]), ticketKey: text("Such as DESK-1"), note: text() }, [
      "action",
      "ticketKey",
    ]),
  }),
];
const planner = createBuiltinPlanner();

function planned(message: string, tools: Tool[] = desk, more = {}): unknown {
  const plan = parsePlan(planner.plan(planInput(message, tools, more)).text, catalogueOf(tools));
  if (!plan.ok) return plan.fault;
  const [only] = plan.commands;
  return only === undefined || only.command === "ERROR" ? "refused" : [only.command, only.tool, only.args];
}

describe("a tool that does several things", () => {
  it.each<[string, unknown]>([
    ["show me DESK-4", ["QUERY", "desk.tickets", { action: "get", ticketKey: "DESK-4" }]],
    ["show the notes of DESK-4", ["QUERY", "desk.notes", { action: "get", ticketKey: "DESK-4" }]],
    ["list the queues", ["QUERY", "desk.desk_search", { operation: "queues" }]],
    [
      "create a bug in DESK: the lamp is broken",
      [
        "TASK",
        "desk.tickets",
        { action: "create", projectKey: "DESK", summary: "the lamp is broken", kind: "Bug" },
      ],
    ],
    ["close DESK-4", ["TASK", "desk.tickets", { action: "close", ticketKey: "DESK-4" }]],
    [
      'add a note to DESK-4: "on its way"',
      ["TASK", "desk.notes", { action: "add", ticketKey: "DESK-4", note: "on its way" }],
    ],
    // An update of nothing is none, and what is like it would not be what was asked for.
    ["update DESK-4", "refused"],
  ])("[llm.builtin] is planned for by what each of its values does: %s", (message, plan) => {
    expect(planned(message)).toEqual(plan);
  });

  it("[llm.builtin] is searched for what it did not find under its key", () => {
    const missing = observed("desk.tickets", { action: "get", ticketKey: "DESK-9" }, { error: "not found" });
    expect(planned("show me DESK-9", desk, { observations: [missing] })).toEqual([
      "QUERY",
      "desk.desk_search",
      { operation: "tickets", query: "DESK-9" },
    ]);
  });

  it("[llm.builtin] takes of its arguments those that a value is for", () => {
    const [tickets] = desk;
    if (tickets === undefined) throw new Error("no tool");
    const [get, create] = operationsOf(tickets);
    expect(get).toMatchObject({
      set: { action: "get" },
      tool: { name: "get_tickets", description: "fetch a ticket. Manage tickets." },
    });
    expect(get?.tool.inputSchema).toMatchObject({ required: ["ticketKey"] });
    expect(Object.keys(get?.tool.inputSchema["properties"] as JsonObject)).toEqual(["ticketKey"]);
    expect(create?.tool.inputSchema["required"]).toEqual(["projectKey", "summary", "kind"]);
  });

  it.each<[string, JsonSchema]>([
    ["has no such argument", loose({ mode: select(["a", "b"]) }, ["mode"])],
    ["need not be told", loose({ action: select(["a", "b"]) }, [])],
    ["has one value only", loose({ action: select(["a"]) }, ["action"])],
    ["takes any value", loose({ action: text() }, ["action"])],
    ["is described by nonsense", { type: "object", properties: "none", required: 7 }],
  ])("[llm.builtin] stays one where it %s", (_, inputSchema) => {
    const tool = makeTool("x", { name: "thing", inputSchema });
    expect(operationsOf(tool)).toEqual([{ tool, set: {} }]);
  });
});

/** A tool that does several things and says of none what it changes. */
function loosely(
  id: string,
  selector: string,
  values: string[],
  more: JsonObject = {},
  required: string[] = [],
): Tool {
  const [server = "", name = ""] = id.split(".");
  const inputSchema = loose({ [selector]: select(values), ...more }, [selector, ...required]);
  return makeTool(server, { name, description: "Several things.", inputSchema });
}
const table = loosely(
  "db.query_table",
  "operation",
  ["select", "insert", "delete", "drop"],
  { table: text() },
  ["table"],
);
const view = loosely("docs.document_view", "action", ["get", "list", "delete"], { id: text() });
const notifications = loosely("x.notifications", "action", ["list", "mark_read", "dismiss"]);
const jobs = loosely("x.manage_jobs", "action", ["start", "stop", "list"], { job: text() });

describe("what an operation changes", () => {
  it.each<[string, Tool, unknown]>([
    ["show table orders", table, ["QUERY", "db.query_table", { operation: "select", table: "orders" }]],
    ["drop table orders", table, ["TASK", "db.query_table", { operation: "drop", table: "orders" }]],
    ["list documents", view, ["QUERY", "docs.document_view", { action: "list" }]],
    ["read notifications", notifications, ["QUERY", "x.notifications", { action: "list" }]],
    ["dismiss notifications", notifications, ["TASK", "x.notifications", { action: "dismiss" }]],
    ["mark notifications as read", notifications, ["TASK", "x.notifications", { action: "mark_read" }]],
  ])("[llm.builtin] is said by the verb of its value, not by that of its tool: %s", (message, tool, plan) => {
    expect(planned(message, [tool])).toEqual(plan);
  });

  it.each([
    ["show table orders", loosely("db.query_table", "operation", ["vacuum", "truncate"], { table: text() })],
    ["show the document view 12", loosely("docs.document_view", "action", ["obliterate", "delete"])],
    ["read notifications", loosely("x.notifications", "action", ["mark_read", "dismiss"])],
  ])("[llm.builtin] is never looked at: %s", (message, tool) => {
    expect(planned(message, [tool])).toBe("refused");
    for (const operation of operationsOf(tool))
      expect(operation.tool.annotations).toEqual({ readOnlyHint: false });
  });

  it("[llm.builtin] is a read where a thing is looked at, and what the server says of the tool goes first", () => {
    const hints = (tool: Tool): unknown[] =>
      operationsOf(tool).map((each) => each.tool.annotations.readOnlyHint);
    expect(
      hints(
        loosely("x.jira_search", "operation", [
          "issues",
          "get_form",
          "create_form",
          "blorb",
          "fetch_and_run",
        ]),
      ),
    ).toEqual([true, true, false, false, false]);
    expect(hints({ ...jobs, annotations: { readOnlyHint: true } })).toEqual([true, true, true]);
    expect(hints({ ...jobs, annotations: { readOnlyHint: false } })).toEqual([false, false, false]);
  });

  it("[llm.builtin] is of the thing that its tool is named after, be that a verb as well", () => {
    const comment = loosely("x.issue_comment", "action", ["get", "add", "dismiss"]);
    expect(operationsOf(comment).map(({ tool }) => tool.name)).toEqual([
      "get_issue_comments",
      "add_issue_comments",
      "dismiss_issue_comments",
    ]);
    const page = loosely("x.create_or_update_page", "action", ["create", "update"]);
    expect(operationsOf(page).map(({ tool }) => tool.name)).toEqual(["create_or_page", "update_or_page"]);
  });

  it("[llm.builtin] is left open where two fit alike, so that a person is asked which", () => {
    expect(planned("show the document view 12", [view])).toMatchObject({
      question: { tool: "docs.document_view", fields: ["action"] },
    });
    for (const values of [
      ["remove", "destroy"],
      ["destroy", "remove"],
    ]) {
      const tool = loosely("x.jobs", "action", values, { job: text() });
      expect(planned("delete jobs", [tool])).toMatchObject({
        question: { tool: "x.jobs", args: {}, fields: ["action"] },
      });
      expect(planned("destroy jobs", [tool])).toEqual(["TASK", "x.jobs", { action: "destroy" }]);
    }
  });
});

describe("an answer to which of a tool's operations is meant", () => {
  const question = { tool: "x.manage_jobs", args: { job: "nightly" }, fields: ["action"] };
  const history = [pastTurn("nightly", { question })];

  it.each([
    ["start", "TASK", "start"],
    ["Start!", "TASK", "start"],
    ["start it", "TASK", "start"],
    ["list", "QUERY", "list"],
    ["stop it", "TASK", "stop"],
    ["stop the job please", "TASK", "stop"],
  ])("[plan.missing-args] keeps what was known: %s", (message, command, action) => {
    expect(planned(message, [jobs], { history })).toEqual([
      command,
      "x.manage_jobs",
      { job: "nightly", action },
    ]);
  });

  it("[plan.missing-args] is none where another tool is asked for something", () => {
    expect(planned("show me DESK-4", [jobs, ...desk], { history })).toEqual([
      "QUERY",
      "desk.tickets",
      { action: "get", ticketKey: "DESK-4" },
    ]);
  });
});
