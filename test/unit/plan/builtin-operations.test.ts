import { describe, expect, it } from "vitest";

import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { operationsOf } from "#src/plan/builtin/operations.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";

import { catalogueOf, makeTool, observed, planInput } from "./tools.ts";

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
  const plan = parsePlan(planner.plan(planInput(message, tools, more)), catalogueOf(tools));
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
