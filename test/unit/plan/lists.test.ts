import { describe, expect, it } from "vitest";

import { permitIf, taint } from "#src/base/tainted.ts";
import { byList } from "#src/plan/builtin/by-list.ts";
import { createDateReader } from "#src/plan/builtin/dates.ts";
import type { Shown } from "#contract/plan.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";

import { demoTools, observed, pastTurn, peopleAndStates, planInput } from "./tools.ts";

const server = "jira";
const known = [
  ...peopleAndStates,
  { kind: "project", id: "MOB", name: "Mobile App", server },
  { kind: "project", id: "DEMO", name: "Demo Shop", server },
  { kind: "epic", id: "DEMO-10", name: "Checkout redesign", server },
];
// A Monday.
const now = new Date(2026, 10, 23, 12);
const context = { now, dates: createDateReader(), known };
const open = { status_category: "open" };
const done = { status_category: "done" };

describe("[llm.builtin] a list in words that no rule knows", () => {
  it.each([
    ["list the issues I have started", "list", { status: "In Progress", assignee: "me" }],
    ["important but unassigned", "list", { ...open, priority: "High, Highest", assignee: "none" }],
    ["what has nobody claimed yet in the mobile app", "list", { ...open, project: "MOB", assignee: "none" }],
    ["what's on Ben's plate", "list", { ...open, assignee: "Ben" }],
    ["bugs that Emi reported", "list", { type: "Bug", reporter: "Emi" }],
    ["which of the bugs I reported are still unresolved", "list", { ...open, type: "Bug", reporter: "me" }],
    ["what should have been finished by now", "list", { ...open, due_before: "2026-11-22" }],
    ["what has to be out this week", "list", { ...open, due_after: "2026-11-23", due_before: "2026-11-29" }],
    [
      "what did Ben get done last week",
      "list",
      { ...done, assignee: "Ben", updated_after: "2026-11-16", updated_before: "2026-11-22" },
    ],
    ["open stories without a date", "list", { ...open, type: "Story", jql: "due is EMPTY" }],
    ["what's left in the checkout redesign", "list", { ...open, epic: "DEMO-10" }],
    [
      "what is the oldest bug in review",
      "list",
      { type: "Bug", status: "In Review", order_by: "created", order: "asc", limit: 1 },
    ],
    [
      "how many bugs got fixed this week",
      "count",
      { ...done, type: "Bug", updated_after: "2026-11-23", updated_before: "2026-11-29" },
    ],
    ["tasks in review: number", "count", { type: "Task", status: "In Review" }],
    ["who has how much to do", "count", { ...open, group_by: "assignee" }],
    ["how is the open work spread over the projects", "count", { ...open, group_by: "project" }],
  ])("%s", (message, form, args) => {
    expect(byList(message, context)).toMatchObject({ form, args });
    expect(Object.keys(byList(message, context)?.args ?? {}).toSorted()).toEqual(
      Object.keys(args).toSorted(),
    );
  });

  it.each([
    // About something.
    "open bugs about the login page",
    "anything on printers?",
    "all frontend stuff that is still open",
    // Something else.
    "how do I get a day off",
    "how many days off do I get in a year?",
    "is MOB-9 still with Ben?",
    "close everything that Ben finished",
    "Ben is working hard this week",
    "show me this issue",
    // More than a condition says.
    "bugs or tasks that nobody has",
    "what is everybody but Ben working on",
    "open bugs of Ben and Emi",
  ])("%s: no list", (message) => {
    expect(byList(message, context)).toBeUndefined();
  });

  it("is read where the rules understand less of it, and left to them where it has a topic", async () => {
    const [planner, tools] = [createBuiltinPlanner(), await demoTools()];
    const ask = (message: string): string => planner.plan(planInput(message, tools, { known, now })).text;
    expect(ask("important but unassigned")).toContain(
      '{"status_category":"open","priority":"High, Highest","assignee":"none"}',
    );
    expect(ask("how many tickets did we finish last week")).toContain("jira.count_issues");
    expect(ask("open bugs about the login page")).toContain('"query":"login page"');
  });

  it("is asked of each project that is named, and for as many as are enough", async () => {
    const [planner, tools] = [createBuiltinPlanner(), await demoTools()];
    const ask = (message: string): string => planner.plan(planInput(message, tools, { known, now })).text;
    const both = ask("what is overdue in DEMO and MOB");
    expect(both).toContain('"project":"DEMO"');
    expect(both).toContain('"project":"MOB"');
    expect(ask("show the oldest open bugs first, five are enough")).toContain('"limit":5');
  });

  it("is the list on the screen in another order, where only that is said", async () => {
    const [planner, tools] = [createBuiltinPlanner(), await demoTools()];
    const calls = [{ tool: "jira.search_issues", args: { assignee: "emi" }, derived: false }];
    const history = [{ message: "emi's tickets", reply: taint(""), ...permitIf(true), calls }];
    const ask = (message: string): string =>
      planner.plan(planInput(message, tools, { known, now, history })).text;
    expect(ask("open the first one")).not.toContain("order_by");
    expect(ask("can you put the newest on top")).toContain(
      '{"assignee":"emi","order_by":"created","order":"desc"}',
    );
    expect(ask("oldest first please, by creation")).toContain(
      '{"assignee":"emi","order_by":"created","order":"asc"}',
    );
  });

  it("[plan.followups] is that of one's own, behind somebody's; behind one issue it is taken", async () => {
    const [planner, tools] = [createBuiltinPlanner(), await demoTools()];
    const ask = (tool: string, args: object, shown: Shown): string => {
      const calls = [{ tool, args: { ...args }, derived: false }];
      const before = pastTurn("what of dmitri's is in review?", { calls, shown: taint(shown) });
      return planner.plan(planInput("and mine", tools, { known, now, history: [before] })).text;
    };
    const rows = [{ id: "OPS-8", title: "Deploy without the five minutes of downtime" }];
    const args = { status: "In Review", assignee: "dmitri" };
    expect(ask("jira.search_issues", args, { rows })).toContain('{"status":"In Review","assignee":"me"}');
    const record = { id: "OPS-8" };
    expect(ask("jira.get_jira_issue", { issue_key: "OPS-8" }, { record, rows: [] })).toContain(
      '{"issue_key":"OPS-8","assignee":"me"}',
    );
  });

  it("ends a turn once it is read", async () => {
    const [planner, tools] = [createBuiltinPlanner(), await demoTools()];
    const args = { status_category: "open", priority: "High, Highest", assignee: "none" };
    const observations = [observed("jira.search_issues", args, { data: { issues: [], total: 0 } })];
    const input = planInput("important but unassigned", tools, { known, now, observations });
    expect(planner.plan(input).text).toContain("final_answer");
  });
});
