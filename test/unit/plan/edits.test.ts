import { beforeAll, describe, expect, it } from "vitest";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { KnownName, Observation, PastTurn } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import { createDateReader, toDay } from "#src/plan/builtin/dates.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";

import { taint } from "#src/base/tainted.ts";

import { catalogueOf, demoTools, observed, pastTurn, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();
const names = { ben: "Ben Okafor", emi: "Emi Tanaka", chloe: "Chloé Martin", ana: "Ana Lindqvist" };
const known: KnownName[] = [
  ...Object.entries(names).map(([id, name]) => ({ kind: "person", id, name, server: "jira" })),
  ...["DEMO", "MOB", "OPS"].map((id) => ({ kind: "project", id, name: `Project ${id}`, server: "jira" })),
  ...["To Do", "In Progress", "Done"].map((id) => ({ kind: "status", id, name: id, server: "jira" })),
  { kind: "epic", id: "OPS-10", name: "Leave the old data centre", server: "jira" },
];
/** A Wednesday. */
const now = new Date(2026, 10, 25, 12);
let tools: Tool[];
beforeAll(async () => {
  tools = await demoTools();
});

/** What reads of records bring. */
const records: Record<string, JsonValue> = {
  "DEMO-12": { key: "DEMO-12", priority: "High", due_date: null, description: "Guests buy.", labels: [] },
  "DEMO-15": { key: "DEMO-15", priority: "Lowest", due_date: "2026-12-01", description: "", labels: [] },
  "OPS-4": { key: "OPS-4", priority: "Highest", due_date: "2026-11-26", description: "Full.", labels: [] },
};

/** The calls that a message comes to, after the reads that it needs first were made. */
function calls(message: string, history: PastTurn[] = []): [string, JsonObject][] {
  const observations: Observation[] = [];
  for (let step = 0; step < 4; step += 1) {
    const plan = planner.plan({ ...planInput(message, tools), known, now, observations, history });
    const made = [plan.text, ...(plan.further ?? [])].flatMap((text) => {
      const parsed = parsePlan(text, catalogueOf(tools));
      return parsed.ok ? parsed.commands.filter((one) => one.command !== "ERROR") : [];
    });
    const reads = made.filter(({ command, tool }) => command === "QUERY" && !tool.endsWith("final_answer"));
    const isDone =
      reads.length < made.length || observations.length > 0 || recordOf(reads[0]?.args) === undefined;
    if (isDone) return made.map(({ tool, args }) => [tool, args]);
    for (const { tool, args } of reads)
      observations.push(observed(tool, args, { data: recordOf(args) ?? {} }));
  }
  return [];
}

function recordOf(args: JsonObject = {}): JsonValue | undefined {
  const { issue_key: key } = args;
  return typeof key === "string" ? records[key] : undefined;
}

const update = (issue_key: string, fields: JsonObject): [string, JsonObject] => [
  "jira.update_issue",
  { issue_key, fields },
];

describe("[plan.anchors] changes as people say them", () => {
  it.each<[string, [string, JsonObject][]]>([
    ["add OPS-4 to the epic OPS-10", [update("OPS-4", { epic_key: "OPS-10" })]],
    ["can you link OPS-4 to the data centre epic", [update("OPS-4", { epic_key: "OPS-10" })]],
    ["make OPS-10 the parent of OPS-4", [update("OPS-4", { epic_key: "OPS-10" })]],
    ["take OPS-4 out of its epic", [update("OPS-4", { epic_key: null })]],
    ["delete the epic OPS-10", [["jira.delete_issue", { issue_key: "OPS-10" }]]],
    ["remove ben from DEMO-12", [["jira.assign_issue", { issue_key: "DEMO-12", assignee: "unassigned" }]]],
    [
      "reword DEMO-12, nobody understands it. 'Buy as a guest'",
      [update("DEMO-12", { summary: "Buy as a guest" })],
    ],
    ["put DEMO-12 on emi", [["jira.assign_issue", { issue_key: "DEMO-12", assignee: "emi" }]]],
    ["DEMO-12 until friday the 11th", [update("DEMO-12", { due_date: "2026-12-11" })]],
    ["give DEMO-12 a due date, end of january", [update("DEMO-12", { due_date: "2027-01-31" })]],
    [
      'put a comment on DEMO-12: "It works." and give it to emi',
      [
        ["jira.assign_issue", { issue_key: "DEMO-12", assignee: "emi" }],
        ["jira.add_comment", { issue_key: "DEMO-12", body: "It works." }],
      ],
    ],
    // What is called off is not done.
    [
      "delete DEMO-12.. no, don't, sorry. just make it due tomorrow",
      [update("DEMO-12", { due_date: "2026-11-26" })],
    ],
    ["DEMO-12 to friday", [update("DEMO-12", { due_date: "2026-11-27" })]],
    [
      "DEMO-12 → friday, OPS-4 → 10 december",
      [update("DEMO-12", { due_date: "2026-11-27" }), update("OPS-4", { due_date: "2026-12-10" })],
    ],
    ['rename DEMO-12 "Guest checkout"', [update("DEMO-12", { summary: "Guest checkout" })]],
    [
      "block DEMO-12 by OPS-4",
      [["jira.link_issues", { from_key: "DEMO-12", to_key: "OPS-4", type: "is blocked by" }]],
    ],
    ["push OPS-4 to next monday", [update("OPS-4", { due_date: "2026-11-30" })]],
    ["postpone OPS-4 to the end of the week", [update("OPS-4", { due_date: "2026-11-27" })]],
    [
      "create a task for emi in OPS: rotate the keys",
      [["jira.create_issue", { project: "OPS", summary: "rotate the keys", type: "Task", assignee: "emi" }]],
    ],
    [
      "create a task in OPS: renew the certificate, due friday",
      [
        [
          "jira.create_issue",
          { project: "OPS", summary: "renew the certificate", type: "Task", due_date: "2026-11-27" },
        ],
      ],
    ],
    [
      "close DEMO-12 with a comment: shipped in 2.4",
      [
        ["jira.transition_issue", { issue_key: "DEMO-12", status: "Done" }],
        ["jira.add_comment", { issue_key: "DEMO-12", body: "shipped in 2.4" }],
      ],
    ],
    [
      "close DEMO-12 and tell ana why: nobody wants it",
      [
        ["jira.transition_issue", { issue_key: "DEMO-12", status: "Done" }],
        ["jira.add_comment", { issue_key: "DEMO-12", body: "ana, nobody wants it" }],
      ],
    ],
    [
      "can ben be the assignee of DEMO-12?",
      [["jira.assign_issue", { issue_key: "DEMO-12", assignee: "ben" }]],
    ],
    [
      "change the priority of DEMO-12 to Medium as the agency is waiting for it",
      [update("DEMO-12", { priority: "Medium" })],
    ],
    [
      "replace the description of DEMO-12 with: keep it short, max 12 MB. And more",
      [update("DEMO-12", { description: "keep it short, max 12 MB. And more" })],
    ],
    [
      "tell emi on DEMO-12 that I can reproduce it, on a phone",
      [["jira.add_comment", { issue_key: "DEMO-12", body: "emi, I can reproduce it, on a phone" }]],
    ],
    [
      "new task in OPS for emi: order yellow toner, low prio, by friday",
      [
        [
          "jira.create_issue",
          {
            project: "OPS",
            summary: "order yellow toner",
            type: "Task",
            priority: "Low",
            assignee: "emi",
            due_date: "2026-11-27",
          },
        ],
      ],
    ],
    ["extend the due date of OPS-4 to ten days from today", [update("OPS-4", { due_date: "2026-12-05" })]],
    [
      "OPS-4 must be finished before DEMO-12, please make the block link",
      [["jira.link_issues", { from_key: "OPS-4", to_key: "DEMO-12", type: "blocks" }]],
    ],
    // Comments, labels, links and titles, with why behind them.
    [
      "add to OPS-4 that it is at 95 %",
      [["jira.add_comment", { issue_key: "OPS-4", body: "it is at 95 %" }]],
    ],
    [
      "could you add to OPS-4 that it is full again? thanks",
      [["jira.add_comment", { issue_key: "OPS-4", body: "it is full again" }]],
    ],
    [
      "ask Ben on DEMO-12 when he will be done",
      [["jira.add_comment", { issue_key: "DEMO-12", body: "Ben, when will you be done?" }]],
    ],
    ["move OPS-4 back by a week", [update("OPS-4", { due_date: "2026-12-03" })]],
    [
      "Ask Emi, on OPS-4, whether the disk is ordered.",
      [["jira.add_comment", { issue_key: "OPS-4", body: "Emi, is the disk ordered?" }]],
    ],
    [
      "can you post a question for Ben in OPS-4? Is the disk tested?",
      [["jira.add_comment", { issue_key: "OPS-4", body: "Ben, Is the disk tested?" }]],
    ],
    [
      "under DEMO-12, write: the terms are agreed",
      [["jira.add_comment", { issue_key: "DEMO-12", body: "the terms are agreed" }]],
    ],
    ["tag DEMO-12 as a regression, it worked before", [update("DEMO-12", { labels: ["regression"] })]],
    [
      "could DEMO-12 and OPS-4 be connected somehow?",
      [["jira.link_issues", { from_key: "DEMO-12", to_key: "OPS-4", type: "relates to" }]],
    ],
    [
      "OPS-4 is a duplicate of DEMO-12, please link it so",
      [["jira.link_issues", { from_key: "OPS-4", to_key: "DEMO-12", type: "duplicates" }]],
    ],
    [`I'd rather DEMO-12 was called "Buy as a guest"`, [update("DEMO-12", { summary: "Buy as a guest" })]],
    ["new due date for OPS-4: 5 December. Marketing wants it", [update("OPS-4", { due_date: "2026-12-05" })]],
    ["new assignee for OPS-4: ben", [["jira.assign_issue", { issue_key: "OPS-4", assignee: "ben" }]]],
    ["OPS-4 has a due date in the past. Remove it", [update("OPS-4", { due_date: null })]],
    ["is it ok if we lower OPS-4 to low?", [update("OPS-4", { priority: "Low" })]],
    ["can I take OPS-4?", [["jira.assign_issue", { issue_key: "OPS-4", assignee: "me" }]]],
    [
      "put something on the OPS board so that we remember: order a disk. I'll do it",
      [["jira.create_issue", { project: "OPS", type: "Task", summary: "order a disk", assignee: "me" }]],
    ],
    [
      "I found a bug in MOB: the map is empty",
      [["jira.create_issue", { project: "MOB", type: "Bug", summary: "the map is empty" }]],
    ],
    [
      "how do the open Highest ones spread over the projects?",
      [["jira.count_issues", { priority: "Highest", status_category: "open", group_by: "project" }]],
    ],
  ])("%s", (message, expected) => {
    expect(calls(message)).toEqual(expected);
  });

  it.each<[string, [string, JsonObject][]]>([
    ["raise the priority of DEMO-12", [update("DEMO-12", { priority: "Highest" })]],
    ["lower DEMO-12 by one", [update("DEMO-12", { priority: "Medium" })]],
    ["bump OPS-4 up a notch", [update("OPS-4", { priority: "Highest" })]],
    [
      "raise the priority of DEMO-12 and DEMO-15",
      [update("DEMO-12", { priority: "Highest" }), update("DEMO-15", { priority: "Low" })],
    ],
    ["extend the deadline of OPS-4 by a week", [update("OPS-4", { due_date: "2026-12-03" })]],
    [
      "extend OPS-4 and DEMO-15 by two days",
      [update("OPS-4", { due_date: "2026-11-28" }), update("DEMO-15", { due_date: "2026-12-03" })],
    ],
    ["bring DEMO-15 forward by two days", [update("DEMO-15", { due_date: "2026-11-29" })]],
    [
      "add to the description of DEMO-12: also on phones",
      [update("DEMO-12", { description: "Guests buy.\n\nalso on phones" })],
    ],
    ['append "see figma" to the description of DEMO-15', [update("DEMO-15", { description: "see figma" })]],
  ])("%s: counted from what the record has", (message, expected) => {
    expect(calls(message)).toEqual(expected);
  });

  it("writes over no description that may not be seen", () => {
    const message = "add to the description of DEMO-12: also on phones";
    const args = { issue_key: "DEMO-12" };
    const { permit: _, ...sealed } = observed("jira.get_jira_issue", args, {
      data: records["DEMO-12"] ?? {},
    });
    for (const observation of [sealed, observed("jira.get_jira_issue", args, { error: "down" })]) {
      const plan = planner.plan({ ...planInput(message, tools), known, now, observations: [observation] });
      expect(plan.text).not.toContain("update_issue");
    }
  });

  it("proposes no title made of an aside, and asks for one", () => {
    for (const message of [
      "create a task in DEMO for emi, ben already has too many",
      "create a bug in DEMO, it's urgent",
    ]) {
      const { text } = planner.plan({ ...planInput(message, tools), known, now });
      expect(text).toContain("jira.create_issue");
      expect(text).not.toContain("summary");
    }
  });

  it.each([
    "clone DEMO-12",
    "move DEMO-12 to project MOB",
    "split DEMO-12 into two",
    "watch DEMO-12",
    "log 2h on DEMO-12",
    "delete my comment on OPS-4",
    "attach the log to OPS-4",
  ])("%s: is said to be what no tool does", (message) => {
    expect(calls(message).map(([tool]) => tool)).not.toContain("jira.update_issue");
    const { notice } = planner.plan({ ...planInput(message, tools), known, now });
    expect(notice).toBe(`No tool here does what “${message}” asks for, so I did nothing.`);
  });
});

it("[plan.nothing-dropped] what is told of records and what is asked behind it are two wishes", () => {
  expect(calls("DEMO-12 and OPS-4 are done, when is DEMO-15 due?")).toEqual([
    ["jira.transition_issue", { issue_key: "DEMO-12", status: "Done" }],
    ["jira.transition_issue", { issue_key: "OPS-4", status: "Done" }],
  ]);
});

describe("[plan.anchors] lists as people ask for them", () => {
  const search = (args: JsonObject): [string, JsonObject][] => [["jira.search_issues", args]];

  it.each<[string, [string, JsonObject][]]>([
    ["issues without an epic", search({ jql: "parent is EMPTY AND issuetype != Epic" })],
    [
      "open bugs of ben or emi",
      search({ jql: "issuetype = Bug AND statusCategory != Done AND assignee in (ben, emi)" }),
    ],
    [
      "what's blocked right now",
      search({ jql: 'issueLinkType = "is blocked by" AND statusCategory != Done' }),
    ],
    ["which tickets block others", search({ jql: 'issueLinkType = "blocks" AND statusCategory != Done' })],
    ["top 5 by priority in DEMO", search({ project: "DEMO", order_by: "priority", order: "desc", limit: 5 })],
    [
      "issues created between 1 november and 15 november",
      search({ created_after: "2026-11-01", created_before: "2026-11-15" }),
    ],
    [
      "who works on MOB",
      [["jira.count_issues", { project: "MOB", status_category: "open", group_by: "assignee" }]],
    ],
  ])("%s", (message, expected) => {
    expect(calls(message)).toEqual(expected);
  });
});

describe("[plan.followups] what a list or a record on the screen is followed by", () => {
  const asked = { project: "MOB", type: "Bug", status_category: "open" };
  const list = [
    pastTurn("open bugs in MOB", {
      calls: [{ tool: "jira.search_issues", args: asked, derived: true }],
      shown: taint({ rows: ["MOB-17", "MOB-9", "MOB-3"].map((id) => ({ id, title: `Title of ${id}` })) }),
    }),
  ];
  const due = { status_category: "open", due_after: "2026-11-23", due_before: "2026-11-29" };
  const week = [
    pastTurn("what is due this week", {
      calls: [{ tool: "jira.search_issues", args: due, derived: true }],
      shown: taint({ rows: ["OPS-4", "DEMO-1"].map((id) => ({ id, title: `Title of ${id}` })) }),
    }),
  ];
  const record = [
    pastTurn("show DEMO-12", {
      calls: [{ tool: "jira.get_jira_issue", args: { issue_key: "DEMO-12" }, derived: true }],
      shown: taint({ record: { id: "DEMO-12", title: "Guest checkout", parent: "DEMO-10" }, rows: [] }),
    }),
  ];

  const onScreen = (key: string): PastTurn[] => [
    pastTurn(`show ${key}`, {
      calls: [{ tool: "jira.get_jira_issue", args: { issue_key: key }, derived: true }],
      shown: taint({ record: { id: key, title: "A title" }, rows: [] }),
    }),
  ];

  const changed = (message: string, args: JsonObject): PastTurn =>
    pastTurn(message, { calls: [{ tool: "jira.update_issue", args, derived: false }] });

  it.each<[string, PastTurn[], [string, JsonObject][]]>([
    [
      "second one and the last one can be closed, I tried both",
      list,
      ["MOB-9", "MOB-3"].map((key) => ["jira.transition_issue", { issue_key: key, status: "Done" }]),
    ],
    [
      "second one → thursday, the last one tomorrow",
      list,
      [update("MOB-9", { due_date: "2026-11-26" }), update("MOB-3", { due_date: "2026-11-26" })],
    ],
    ["add a week to the due date", onScreen("OPS-4"), [update("OPS-4", { due_date: "2026-12-03" })]],
    ["make it two days later", onScreen("OPS-4"), [update("OPS-4", { due_date: "2026-11-28" })]],
    ["sorry, 16", record, [["jira.get_jira_issue", { issue_key: "DEMO-16" }]]],
    ["group them by assignee", list, [["jira.count_issues", { ...asked, group_by: "assignee" }]]],
    ["show only 3", list, [["jira.search_issues", { ...asked, limit: 3 }]]],
    ["the oldest", list, [["jira.search_issues", { ...asked, order_by: "created", order: "asc", limit: 1 }]]],
    [
      "move the top two to in progress",
      list,
      ["MOB-17", "MOB-9"].map((issue_key) => ["jira.transition_issue", { issue_key, status: "In Progress" }]),
    ],
    [
      "and next week?",
      week,
      [["jira.search_issues", { ...due, due_after: "2026-11-30", due_before: "2026-12-06" }]],
    ],
    [
      "only those with a due date",
      list,
      [
        [
          "jira.search_issues",
          { jql: "project = MOB AND issuetype = Bug AND statusCategory != Done AND due is not EMPTY" },
        ],
      ],
    ],
    ["the second one: close it", list, [["jira.transition_issue", { issue_key: "MOB-9", status: "Done" }]]],
    [
      "the high ones first",
      list,
      [["jira.search_issues", { ...asked, order_by: "priority", order: "desc" }]],
    ],
    ["the oldest one first", list, [["jira.search_issues", { ...asked, order_by: "created", order: "asc" }]]],
    ["who has the most of them?", list, [["jira.count_issues", { ...asked, group_by: "assignee" }]]],
    [
      "without the bugs",
      week,
      [
        [
          "jira.search_issues",
          {
            jql: "statusCategory != Done AND due >= 2026-11-23 AND due <= 2026-11-29 AND issuetype != Bug",
          },
        ],
      ],
    ],
    // The list stays while something is done with its rows.
    [
      "and the second to monday",
      [
        ...week,
        changed("push the first one to friday", { issue_key: "OPS-4", fields: { due_date: "2026-11-27" } }),
      ],
      [update("DEMO-1", { due_date: "2026-11-30" })],
    ],
    [
      "assign the first to ben",
      [
        ...list,
        pastTurn("create a bug in MOB: the map is white", {
          calls: [
            {
              tool: "jira.create_issue",
              args: { project: "MOB", summary: "the map is white" },
              derived: false,
            },
          ],
        }),
      ],
      [["jira.assign_issue", { issue_key: "MOB-17", assignee: "ben" }]],
    ],
    // What was added is taken away, and not what has it.
    [
      "remove it again",
      [changed("add label crash", { issue_key: "DEMO-12", fields: { labels: ["crash"] } })],
      [update("DEMO-12", { labels: [] })],
    ],
    [
      "no, remove it",
      [changed("set it due friday", { issue_key: "DEMO-12", fields: { due_date: "2026-11-27" } })],
      [update("DEMO-12", { due_date: null })],
    ],
    ["raise it", record, [update("DEMO-12", { priority: "Highest" })]],
    [
      "answer: it is on its way",
      record,
      [["jira.add_comment", { issue_key: "DEMO-12", body: "it is on its way" }]],
    ],
    [
      "and comment that it works on the old phone",
      record,
      [["jira.add_comment", { issue_key: "DEMO-12", body: "it works on the old phone" }]],
    ],
    ["what's its epic?", record, [["jira.get_epic", { epic_key: "DEMO-10" }]]],
    ["show the epic", record, [["jira.get_epic", { epic_key: "DEMO-10" }]]],
    ["what else is in that epic", record, [["jira.get_epic", { epic_key: "DEMO-10" }]]],
    ["add OPS-4 to that epic", record, [update("OPS-4", { epic_key: "DEMO-10" })]],
    ["assign me", record, [["jira.assign_issue", { issue_key: "DEMO-12", assignee: "me" }]]],
    ["set it to friday", record, [update("DEMO-12", { due_date: "2026-11-27" })]],
    [
      "it is blocked by OPS-4",
      record,
      [["jira.link_issues", { from_key: "DEMO-12", to_key: "OPS-4", type: "is blocked by" }]],
    ],
  ])("%s", (message, history, expected) => {
    expect(calls(message, history)).toEqual(expected);
  });
});

describe("[plan.ladder] questions that say of no place where the answer stands", () => {
  it.each([
    [
      "my change touches permissions, what do I have to tick off before it goes in?",
      "change touches permissions tick before goes",
    ],
    [
      "after october we promised ourselves to do three things better, which were they?",
      "after october promised ourselves three better",
    ],
    ["nobody can check out, the whole shop is dead. what do i do", "nobody check shop dead"],
  ])("are looked for in the wiki and among the issues, without conditions: %s", (message, query) => {
    expect(calls(message).toSorted(([one], [other]) => (one < other ? -1 : 1))).toEqual([
      ["confluence.search_confluence", { query }],
      ["jira.search_issues", { query }],
    ]);
  });

  it("find what was looked for before, where only it is said", () => {
    const before = pastTurn("find tickets about the printer", {
      calls: [{ tool: "jira.search_issues", args: { query: "printer" }, derived: true }],
      shown: taint({ rows: ["OPS-6", "OPS-9"].map((id) => ({ id, title: `Title of ${id}` })) }),
    });
    expect(calls("is there a wiki page on it too?", [before])).toEqual([
      ["confluence.search_confluence", { query: "printer" }],
    ]);
  });

  it("are no list of everything", () => {
    expect(calls("what do i do")).toEqual([]);
    expect(calls("list all pages")).toEqual([["confluence.search_confluence", {}]]);
  });
});

describe("[plan.followups] what is said behind a request", () => {
  const waits = (message: string, tool: string, args: JsonObject): PastTurn =>
    pastTurn(message, { calls: [{ tool, args, derived: false, waits: true }] });
  const shown = pastTurn("show DEMO-12", {
    calls: [{ tool: "jira.get_jira_issue", args: { issue_key: "DEMO-12" }, derived: true }],
    shown: taint({ record: { id: "DEMO-12", title: "Guests cannot buy" }, rows: [] }),
  });
  const assigned = waits("assign DEMO-12 to Ben", "jira.assign_issue", {
    issue_key: "DEMO-12",
    assignee: "ben",
  });
  const low = waits("set DEMO-12 to low", "jira.update_issue", {
    issue_key: "DEMO-12",
    fields: { priority: "Low" },
  });
  const due = waits("make DEMO-12 due on friday", "jira.update_issue", {
    issue_key: "DEMO-12",
    fields: { due_date: "2026-11-27" },
  });
  const moved = waits("move DEMO-12 to Done", "jira.transition_issue", {
    issue_key: "DEMO-12",
    status: "Done",
  });
  const made = waits("create a bug in OPS for Ben: It burns", "jira.create_issue", {
    project: "OPS",
    summary: "It burns",
    type: "Bug",
    assignee: "ben",
  });
  const renamed = waits('rename DEMO-12 to "One"', "jira.update_issue", {
    issue_key: "DEMO-12",
    fields: { summary: "One" },
  });

  it.each<[string, PastTurn, [string, JsonObject][]]>([
    ["highest, due tomorrow", shown, [update("DEMO-12", { priority: "Highest", due_date: "2026-11-26" })]],
    ["now the same with OPS-4", assigned, [["jira.assign_issue", { issue_key: "OPS-4", assignee: "Ben" }]]],
    ["DEMO-15 too", assigned, [["jira.assign_issue", { issue_key: "DEMO-15", assignee: "Ben" }]]],
    ["OPS-4 I mean", assigned, [["jira.assign_issue", { issue_key: "OPS-4", assignee: "Ben" }]]],
    ["or rather Emi", assigned, [["jira.assign_issue", { issue_key: "DEMO-12", assignee: "emi" }]]],
    ["chloe", assigned, [["jira.assign_issue", { issue_key: "DEMO-12", assignee: "chloe" }]]],
    ["hm, medium is enough", low, [update("DEMO-12", { priority: "Medium" })]],
    ["no, in two weeks", due, [update("DEMO-12", { due_date: "2026-12-09" })]],
    [
      "actually in progress",
      moved,
      [["jira.transition_issue", { issue_key: "DEMO-12", status: "In Progress" }]],
    ],
    ['sorry, "Two"', renamed, [update("DEMO-12", { summary: "Two" })]],
    [
      "Emi instead, and high",
      made,
      [
        [
          "jira.create_issue",
          { project: "OPS", summary: "It burns", type: "Bug", assignee: "Emi", priority: "High" },
        ],
      ],
    ],
    ["comment on it: since noon", made, []],
  ])("%s", (message, before, expected) => {
    expect(calls(message, [before])).toEqual(expected);
  });

  it("is no part of what waits where it says more", () => {
    expect(calls("emi's tickets", [assigned])[0]?.[0]).toBe("jira.search_issues");
    expect(calls("if she is away, Emi instead", [assigned])[0]?.[0]).not.toBe("jira.assign_issue");
    expect(calls("done", [moved]).filter(([tool]) => tool === "jira.transition_issue")).toEqual([]);
  });
});

describe("[plan.anchors] a new record of several sentences", () => {
  it("has the first as its title, and the rest as its description", () => {
    expect(calls("create a bug in OPS: The lift is stuck. It beeps on floor two. High is fine")).toEqual([
      [
        "jira.create_issue",
        {
          project: "OPS",
          type: "Bug",
          summary: "The lift is stuck",
          description: "It beeps on floor two",
          priority: "High",
        },
      ],
    ]);
  });
});

describe("days", () => {
  const reader = createDateReader();

  it.each([
    ["friday the 11th", "2026-12-11"],
    ["tuesday, the 8th", "2026-12-08"],
    ["the end of the week", "2026-11-27"],
    ["eow", "2026-11-27"],
    ["end of next week", "2026-12-04"],
    ["end of the month", "2026-11-30"],
    ["end of the quarter", "2026-12-31"],
    ["end of next year", "2027-12-31"],
  ])("%s ends when a team means", (text, day) => {
    const found = reader.find(text, now);
    expect(found && toDay(found.value)).toBe(day);
  });

  it("are at the weekend's end where the week's is over", () => {
    const found = reader.find("by the end of the week", new Date(2026, 10, 28, 12));
    expect(found && toDay(found.value)).toBe("2026-11-29");
  });
});
