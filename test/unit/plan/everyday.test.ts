import { beforeAll, expect, it } from "vitest";

import type { JsonValue } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { createDateReader } from "#src/plan/builtin/dates.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";

import { demoTools, named, observed, pastTurn, peopleAndStates, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();
const known = [
  ...peopleAndStates,
  named("project", "DEMO", "Demo Shop"),
  named("project", "OPS", "Operations"),
  named("issue", "DEMO-23", "Gift wrapping with a note"),
  named("issue", "OPS-4", "Database disk is 94 % full"),
  named("issue", "OPS-6", "Office printer prints one page of every build log"),
];
let tools: Tool[];

beforeAll(async () => {
  tools = await demoTools();
});

/** All that a message leads to, as text. */
function planned(message: string, more: Parameters<typeof planInput>[2] = {}): string {
  const plan = planner.plan({ ...planInput(message, tools, more), known });
  return [plan.text, ...(plan.further ?? [])].join("\n");
}

it.each([
  // Comments, however they are asked for
  [
    "the disk is at 61 % now, put that on the disk ticket",
    '"issue_key":"OPS-4","body":"the disk is at 61 % now"',
  ],
  ["the vacuum ran last night. close OPS-4 and comment that", '"body":"the vacuum ran last night"'],
  [
    "i am away until january, move OPS-4 to 15 january and tell ben in a comment",
    '"body":"ben, i am away until january"',
  ],
  ["ask ben on the disk ticket how many are left", '"issue_key":"OPS-4","body":"ben, how many are left"'],
  ["tell ben on OPS-4 that it runs again", '"issue_key":"OPS-4","body":"ben, it runs again"'],
  // Orders without a verb
  ["gift wrapping -> won't do", '"issue_key":"DEMO-23","status":"Won\'t Do"'],
  ["office printer ticket to ben, he knows it", '"issue_key":"OPS-6","assignee":"ben"'],
  ["ops-4 due 20.12. instead", '"issue_key":"OPS-4","fields":{"due_date":'],
  ["DEMO-23 should be high, it matters now", '"issue_key":"DEMO-23","fields":{"priority":"High"}'],
  // What is said of a new issue
  ["create a bug in OPS 'The copy failed', high, me, link it to OPS-4", '"priority":"High","assignee":"me"'],
  ["new epic in DEMO: Mail that arrives, lead ben, high", '"type":"Epic","priority":"High","assignee":"ben"'],
  // Lists
  ["tickets in OPS w/o epic", "parent is EMPTY"],
  ["count issues per epic", '"group_by":"epic"'],
  ["which labels do we use most?", '"group_by":"label"'],
  [
    "compare the number of open issues across the three projects",
    '"status_category":"open","group_by":"project"',
  ],
  ["my boss wants to know how many tasks are in OPS", '"project":"OPS","type":"Task"'],
  ["what should i work on today", '"status_category":"open","assignee":"me"'],
])("[plan.ladder] %s", (message, part) => {
  expect(planned(message)).toContain(part);
});

it("[plan.ladder] what belongs to one person is looked for as theirs", () => {
  const first = planned("close all my tickets that are in review");
  expect(first).toContain('"status":"In Review","assignee":"me"');
});

it.each([
  ["assign OPS-4 to ben... actually never mind", "nothing was changed"],
  ["sorry wrong chat", "All right."],
  ["thx, you're the best", "You are welcome."],
  ["why do you always ask for approval?", "nothing happens until a person approves"],
  ["how many issues does she have open", "whom you mean by “she”"],
])("[plan.ladder] asks for nothing: %s", (message, reply) => {
  const plan = planned(message);
  expect(plan).toContain(reply);
  expect(plan).not.toMatch(/QUERY|TASK/);
});

it("[plan.anchors] what is taken away again is not the record", () => {
  const calls = [{ tool: "jira.get_jira_issue", args: { issue_key: "OPS-4" }, derived: false }];
  const history = [pastTurn("show OPS-4", { calls })];
  expect(planned("they don't block each other any more, remove that", { history })).not.toContain(
    "delete_issue",
  );
  expect(planned("and 6", { history })).toContain('"issue_key":"OPS-6"');
});

it.each([
  [
    "add a line to page 2007: the one on floor 2 only takes recycled paper",
    "the one on floor 2 only takes recycled paper",
  ],
  ['add to page 2007: he said "no" and left', 'he said "no" and left'],
  ['add "Bring cake" to the end of page 2007', "Bring cake"],
])("[plan.nothing-dropped] comes below the text of a page, all of it: %s", (message, append) => {
  const read = observed(
    "confluence.get_page",
    { page_id: "2007" },
    { data: { id: "2007", title: "Printers", version: 27 } },
  );
  expect(planned(message)).toContain('"confluence.get_page","args":{"page_id":"2007"}');
  expect(planned(message, { observations: [read] })).toContain(
    JSON.stringify({ page_id: "2007", append, version: 27 }),
  );
});

it("[plan.anchors] a page takes a line only where a tool can add one", () => {
  const read = observed("confluence.get_page", { page_id: "2007" }, { data: { id: "2007", version: 27 } });
  const others = tools.map((tool) => {
    const { append: _, ...properties } = (tool.inputSchema["properties"] ?? {}) as Record<string, JsonValue>;
    return tool.name === "update_page" ? { ...tool, inputSchema: { ...tool.inputSchema, properties } } : tool;
  });
  const message = "append to page 2007: Bring cake";
  const observations = [read];
  const withoutIt = createBuiltinPlanner().plan({ ...planInput(message, others, { observations }), known });
  expect(withoutIt.text).not.toContain("TASK");
  expect(planned(message, { observations })).toContain('TASK({"tool":"confluence.update_page"');
  expect(planned("add a comment to page 2007: Bring cake")).toContain('"page_id":"2007","body":"Bring cake"');
});

it("[plan.anchors] days are read as they are written here", () => {
  const dates = createDateReader();
  const now = new Date(2026, 10, 28, 12);
  const dayOf = (text: string): string | undefined => dates.find(text, now)?.value.toDateString();
  expect(dayOf("due 20.12.")).toBe("Sun Dec 20 2026");
  expect(dayOf("due 20.12")).toBe("Sun Dec 20 2026");
  expect(dayOf("due 31.1.")).toBe("Sun Jan 31 2027");
  expect(dayOf("on 3.4.2027")).toBe("Sat Apr 03 2027");
  expect(dayOf("app 2.0")).toBeUndefined();
  const span = dates.span("due this weekend", now);
  expect([span?.from?.toDateString(), span?.to?.toDateString()]).toEqual([
    "Sat Nov 28 2026",
    "Sun Nov 29 2026",
  ]);
});
