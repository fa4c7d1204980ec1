import { beforeAll, expect, it } from "vitest";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Observation } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import { isObject } from "#src/base/json.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";

import { amount } from "../../amount.ts";
import { catalogueOf, demoTools, observed, peopleAndStates, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();
let tools: Tool[];

beforeAll(async () => {
  tools = await demoTools();
});

/** Orders for one record, and what each changes of it; of labels there was one. */
const ORDERS: readonly (readonly [order: string, changes: JsonObject])[] = [
  ["close KEY", { status: "Done" }],
  ["move KEY to in review", { status: "In Review" }],
  ["start KEY", { status: "In Progress" }],
  ["assign KEY to ben", { assignee: "ben" }],
  ["give KEY to emi", { assignee: "emi" }],
  ["unassign KEY", { assignee: "unassigned" }],
  ["put me on KEY", { assignee: "me" }],
  ["set the priority of KEY to high", { priority: "High" }],
  ["make KEY low", { priority: "Low" }],
  ["raise KEY to highest", { priority: "Highest" }],
  ["set the due date of KEY to dec 10", { due_date: "2026-12-10" }],
  ["add the label flaky to KEY", { labels: ["old", "flaky"] }],
  ["remove the label old from KEY", { labels: [] }],
  ["rename KEY to “New name”", { summary: "New name" }],
  ["comment on KEY: works now", { body: "works now" }],
];
const JOINTS = [" and ", ", ", ". Also ", ", then "];

/** All that a message changes, by record, where each read finds an issue with the label "old". */
function changed(message: string): Record<string, JsonObject> {
  const now = new Date("2026-11-28T09:00:00Z");
  const observations: Observation[] = [];
  const all: Record<string, JsonObject> = {};
  for (let round = 0; round < 5; round++) {
    const plan = planner.plan(planInput(message, tools, { observations, known: peopleAndStates, now }));
    const commands = [plan.text, ...(plan.further ?? [])].flatMap((text) => {
      const parsed = parsePlan(text, catalogueOf(tools));
      return parsed.ok ? parsed.commands : [];
    });
    const calls = commands.flatMap((one) =>
      one.command === "ERROR" || one.tool === "final_answer" ? [] : [one],
    );
    if (calls.length === 0) break;
    for (const { command, tool, args } of calls) {
      const { issue_key: named, fields, ...rest } = args;
      const key = typeof named === "string" ? named : "";
      const data: JsonValue = { key, summary: "Some title", labels: ["old"] };
      if (command === "TASK") all[key] = { ...all[key], ...rest, ...(isObject(fields) ? fields : {}) };
      observations.push(observed(tool, args, { data }));
    }
  }
  return all;
}

const pairs = ORDERS.flatMap((first, at) =>
  ORDERS.flatMap((second, place) =>
    JOINTS.map((joint, turn) => ({ first, second, joint, place: at * 7 + place * 3 + turn })),
  ),
).filter(
  // A comment goes on to its end, and one record has one state, person and priority.
  ({ first, second }) =>
    !Object.hasOwn(first[1], "body") && Object.keys(first[1])[0] !== Object.keys(second[1])[0],
);

it("[plan.nothing-dropped] two orders are both asked for, of one record and of two", () => {
  const some = amount(
    pairs,
    pairs.filter(({ place }) => place % 9 === 0),
  );
  const wrong = some.flatMap(({ first: [one, does], second: [other, doesToo], joint }) => {
    const mine = one.replace("KEY", "DEMO-4");
    return [
      {
        message: `${mine}${joint}${other.replace("KEY", "it")}`,
        wanted: { "DEMO-4": { ...does, ...doesToo } },
      },
      {
        message: `${mine}${joint}${other.replace("KEY", "MOB-7")}`,
        wanted: { "DEMO-4": does, "MOB-7": doesToo },
      },
    ].flatMap(({ message, wanted }) => {
      const got = changed(message);
      const isSame = JSON.stringify(sorted(got)) === JSON.stringify(sorted(wanted));
      return isSame ? [] : [{ message, got }];
    });
  });
  expect(wrong).toEqual([]);
});

function sorted(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const names = Object.keys(value).toSorted((one, other) => one.localeCompare(other));
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] ?? null)]));
}
