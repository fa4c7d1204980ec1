import { beforeAll, expect, it } from "vitest";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Observation, PastTurn } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import { isObject } from "#src/base/json.ts";
import { taint } from "#src/base/tainted.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";

import { amount } from "../../amount.ts";
import { catalogueOf, demoTools, observed, pastTurn, peopleAndStates, planInput } from "./tools.ts";

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
/** The same in few words, as people type them on a phone. */
const SHORT_ORDERS: readonly (readonly [order: string, changes: JsonObject])[] = [
  ["I'll take KEY", { assignee: "me" }],
  ["assign me KEY", { assignee: "me" }],
  ["KEY to ben", { assignee: "ben" }],
  ["KEY goes to ben", { assignee: "ben" }],
  ["KEY due dec 10", { due_date: "2026-12-10" }],
  ["push KEY to dec 10", { due_date: "2026-12-10" }],
  ["KEY high prio", { priority: "High" }],
  ["KEY should be high", { priority: "High" }],
  ["KEY needs the label flaky", { labels: ["old", "flaky"] }],
];
const JOINTS = [" and ", ", ", ". Also ", ", then "];

/** An issue that is on the screen. */
const SHOWN = pastTurn("show me DEMO-4", {
  calls: [{ tool: "jira.get_jira_issue", args: { issue_key: "DEMO-4" }, derived: false }],
  shown: taint({ record: { id: "DEMO-4", title: "Some title" }, rows: [] }),
});

/** All that a message changes, by record, where each read finds an issue with the label "old". */
function changed(message: string, history: readonly PastTurn[] = []): Record<string, JsonObject> {
  const now = new Date("2026-11-28T09:00:00Z");
  const observations: Observation[] = [];
  const all: Record<string, JsonObject> = {};
  for (let round = 0; round < 5; round++) {
    const plan = planner.plan(
      planInput(message, tools, { observations, known: peopleAndStates, now, history: [...history] }),
    );
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

type Order = (typeof ORDERS)[number];
/** Of so many orders behind one, one is tried. */
const EACH = amount(1, 4);

function wrongOf(message: string, wanted: Record<string, JsonObject>, history: PastTurn[] = []): object[] {
  const got = changed(message, history);
  return JSON.stringify(sorted(got)) === JSON.stringify(sorted(wanted)) ? [] : [{ message, got }];
}

/** One record has one state, person and priority. */
function isOfOther([, one]: Order, [, other]: Order): boolean {
  return Object.keys(one)[0] !== Object.keys(other)[0];
}

const pairs = ORDERS.flatMap((first, at) =>
  ORDERS.flatMap((second, place) =>
    JOINTS.map((joint, turn) => ({ first, second, joint, place: at * 7 + place * 3 + turn })),
  ),
).filter(
  // A comment goes on to its end.
  ({ first, second }) => !Object.hasOwn(first[1], "body") && isOfOther(first, second),
);

it("[plan.nothing-dropped] two orders are both asked for, of one record and of two", () => {
  const some = amount(
    pairs,
    pairs.filter(({ place }) => place % 23 === 0),
  );
  const wrong = some.flatMap(({ first: [one, does], second: [other, doesToo], joint }) => {
    const mine = one.replace("KEY", "DEMO-4");
    return [
      ...wrongOf(`${mine}${joint}${other.replace("KEY", "it")}`, { "DEMO-4": { ...does, ...doesToo } }),
      ...wrongOf(`${mine}${joint}${other.replace("KEY", "MOB-7")}`, { "DEMO-4": does, "MOB-7": doesToo }),
    ];
  });
  expect(wrong).toEqual([]);
});

it("[plan.nothing-dropped] what is said first in few words is asked for with the order behind it", () => {
  const wrong = SHORT_ORDERS.flatMap((first) =>
    ORDERS.filter((second) => isOfOther(first, second)).flatMap(([other, doesToo], at) => {
      const [one, does] = first;
      if (at % EACH !== one.length % EACH) return [];
      const message = `${one}${JOINTS[at % JOINTS.length] ?? ""}${other}`.replace("KEY", "DEMO-4");
      return wrongOf(message.replace("KEY", "it"), { "DEMO-4": { ...does, ...doesToo } });
    }),
  );
  expect(wrong).toEqual([]);
});

it("[plan.nothing-dropped] two orders for the record on the screen are both asked for", () => {
  const wrong = ORDERS.flatMap((first, place) =>
    ORDERS.filter((second) => !Object.hasOwn(first[1], "body") && isOfOther(first, second)).flatMap(
      ([other, doesToo], at) => {
        const [one, does] = first;
        const joint = JOINTS[(place + at) % JOINTS.length] ?? "";
        const message = `${one}${joint}${other}`.replaceAll("KEY", "it");
        return at % EACH !== place % EACH
          ? []
          : wrongOf(message, { "DEMO-4": { ...does, ...doesToo } }, [SHOWN]);
      },
    ),
  );
  expect(wrong).toEqual([]);
});

function sorted(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const names = Object.keys(value).toSorted((one, other) => one.localeCompare(other));
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] ?? null)]));
}
