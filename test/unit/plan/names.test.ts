import { beforeAll, describe, expect, it } from "vitest";

import type { KnownName } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";

import { catalogueOf, demoTools, named, pastTurn, peopleAndStates, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();
let tools: Tool[];

beforeAll(async () => {
  tools = await demoTools();
});

const plain: readonly KnownName[] = [
  ...peopleAndStates,
  ...["DEMO", "MOB", "OPS"].map((id) => named("project", id, `Project ${id}`)),
];
/** Signs that stand for something in a pattern. */
const ODD = ["Zed (he/him)", "[Ops] Zed", "*Zed*", "Zed\\", "Zed?", "+Zed|Yor", "Zed]", "Zed {x", "^Zed$"];
const KINDS = ["person", "status", "project", "space", "epic", "issue", "page"];

function oddNames(): KnownName[] {
  return KINDS.flatMap((kind) =>
    ODD.map((name, at) => ({
      kind,
      id: ["issue", "epic"].includes(kind) ? `ZED-${at + 1}` : name,
      name,
      server: ["page", "space"].includes(kind) ? "confluence" : "jira",
    })),
  );
}

const list = pastTurn("open bugs in MOB", {
  calls: [
    {
      tool: "jira.search_issues",
      args: { project: "MOB", type: "Bug", status_category: "open" },
      derived: false,
    },
  ],
});

function calls(message: string, known: readonly KnownName[], isFollowUp = false): unknown[] {
  const history = isFollowUp ? [list] : [];
  const { text, further = [] } = planner.plan(planInput(message, tools, { known, history }));
  return [text, ...further].flatMap((each): unknown[] => {
    const parsed = parsePlan(each, catalogueOf(tools));
    return parsed.ok ? [...parsed.commands] : [parsed.fault.message];
  });
}

describe("what people and servers call things", () => {
  it.each([
    "show me DEMO-1",
    "Emi's bugs",
    "tickets of Emi or Ben",
    "anyone besides Emi working on bugs?",
    "everything that is not in review",
    "what is in progress or in review?",
    "bugs that are not high",
    "open bugs outside of MOB",
    "assign DEMO-4 to ben",
    "Farid knows more about it, give DEMO-4 to him",
    "move DEMO-4 to in review and give it to Emi",
    "the vpn drops every hour on the dot",
    "create a bug in DEMO for ben: login is slow",
    "DEMO-4: priority high, label flaky, for emi",
    "open the page about deploying",
  ])("[mcp.patterns] changes nothing for others: %s", (message) => {
    expect(calls(message, [...plain, ...oddNames()])).toEqual(calls(message, plain));
  });

  it.each(["and the ones of Emi?", "only Emi's", "not Ben, Emi", "just those in review", "without MOB"])(
    "[mcp.patterns] changes nothing for others behind a list: %s",
    (message) => {
      expect(calls(message, [...plain, ...oddNames()], true)).toEqual(calls(message, plain, true));
    },
  );

  const team: KnownName[] = [
    ...plain,
    named("person", "zoe", "Zoe Xu (she/her)"),
    named("person", "712020:7f3a-11", "Yun Park"),
    named("status", "Waiting (legal)", "Waiting (legal)"),
    named("project", "WEB", "Web store (EU)"),
  ];

  it.each([
    ["Zoe's bugs", { assignee: "Zoe", type: "Bug" }],
    ["tickets of Zoe or Ben", { jql: "assignee in (zoe, ben)" }],
    ["tickets of Yun or Ben", { jql: 'assignee in ("712020:7f3a-11", ben)' }],
    ["anyone besides Yun working on bugs?", { jql: expect.stringContaining('assignee != "712020:7f3a-11"') }],
    ["what is in Waiting (legal)?", { status: "Waiting (legal)" }],
    ["move DEMO-4 to waiting legal", { status: "Waiting (legal)" }],
    ["open bugs in the web store", { project: "WEB", type: "Bug", status_category: "open" }],
  ])("[plan.anchors] and are understood: %s", (message, args) => {
    expect(calls(message, team)).toMatchObject([{ args }]);
  });
});
