import { describe, expect, it } from "vitest";

import { withEpicKeys } from "#src/plan/builtin/containers.ts";
import { createDateReader } from "#src/plan/builtin/dates.ts";
import { toOrders } from "#src/plan/builtin/orders.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";

import { makeTool, objectSchema } from "./tools.ts";

const known = [
  { kind: "person", id: "ben", name: "Ben Okafor", server: "jira" },
  { kind: "person", id: "emi", name: "Emi Tanaka", server: "jira" },
  { kind: "epic", id: "MOB-1", name: "App version 2.0", server: "jira" },
  { kind: "epic", id: "DEMO-2", name: "Accounts and login", server: "jira" },
];
// A Monday.
const context = { now: new Date(2026, 10, 23, 12), dates: createDateReader(), known, canSearch: true };

describe("[llm.builtin] orders in any order of words", () => {
  it.each([
    ["Ben takes DEMO-4 and it goes to In Progress", ["assign DEMO-4 to Ben", "move DEMO-4 to In Progress"]],
    ["OPS-8 is Done. OPS-9 can go to To Do.", ["move OPS-8 to Done", "move OPS-9 to To Do"]],
    ["Can you the priority from OPS-20 please on medium set?", ["set the priority of OPS-20 to medium"]],
    ["Take OPS-13 off Emi's plate: give it to Ben", ["assign OPS-13 to Ben"]],
    ["DEMO-1, DEMO-2 and DEMO-3 to emi", ["assign DEMO-1 and DEMO-2 and DEMO-3 to emi"]],
    ["please set the deadline from DEMO-27 on in ten days", ["set the due date of DEMO-27 to 2026-12-03"]],
    ["push its due date by a week", ["set the due date of it to 2026-11-23 shifted by 7 days"]],
    [
      "move the deadline of OPS-5 two days earlier",
      ["set the due date of OPS-5 to 2026-11-23 shifted by -2 days"],
    ],
    ["nobody should be on OPS-13 anymore", ["unassign OPS-13"]],
    ["CRM-9 belongs under the epic CRM-2", ["move CRM-9 to epic CRM-2"]],
    ["take the second one, assign it to Ben", ["assign the second one to Ben"]],
    ["make the bug with the wrong phone high", ["set the priority of the wrong phone issue to high"]],
  ])("%s", (message, orders) => {
    expect(toOrders(message, context)).toEqual(orders);
  });

  it.each([
    "is DEMO-4 done?",
    "has DEMO-2 been moved to done",
    "who has DEMO-4",
    "DEMO-7 not done",
    "give me DEMO-21",
    "progress on DEMO-4 please",
    "DEMO-4 still in review",
    "can DEMO-4 be done by Friday?",
    "Ben finished DEMO-4",
    "take me off DEMO-14",
    "Can I close DEMO-3?",
    "don't assign DEMO-4 to ben",
    "if DEMO-4 is done, assign it to ben",
    "assign DEMO-4 to Ben or Emi",
    "DEMO-3 is Ben's",
    "high priority bugs for emi",
    "comment on DEMO-1: set it to done",
    "ben said DEMO-4 is done",
    "close all login bugs",
    'set the title of DEMO-4 to "done"',
  ])("nothing is ordered by: %s", (message) => {
    expect(toOrders(message, context)).toBeUndefined();
  });
});

describe("[plan.sources] a number in a name", () => {
  it.each([
    ["create a sprint called Sprint 9", undefined],
    ["create a sprint called Sprint 9 on board 4", 4],
  ])("is no id of something else: %s", (message, board) => {
    const sprint = makeTool("jira", {
      name: "create_sprint",
      description: "Create a sprint on a board.",
      inputSchema: objectSchema({ boardId: { type: "integer" }, name: { type: "string" } }, [
        "boardId",
        "name",
      ]),
    });
    const input = { message, actorName: "ana", tools: [sprint], examples: [], observations: [], history: [] };
    const { text } = createBuiltinPlanner().plan({ ...input, now: context.now });
    expect(/"boardId":(\d+)/.exec(text)?.[1]).toBe(board === undefined ? undefined : String(board));
  });
});

describe("[llm.builtin] epics by their names", () => {
  it.each([
    ["what is open in the epic App version 2.0?", "what is open in epic MOB-1?"],
    ["move DEMO-18 under the accounts epic", "move DEMO-18 under epic DEMO-2"],
    ["put MOB-3 under the epic about the app", "put MOB-3 under epic MOB-1"],
    ["create an epic for the winter sale", "create an epic for the winter sale"],
    ["show me all epics", "show me all epics"],
  ])("%s", (message, expected) => {
    expect(withEpicKeys(message, known).text.replace("the epic", "epic")).toBe(expected);
  });
});
