import { readFileSync } from "node:fs";

import { beforeAll, describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { PastTurn } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";
import { taint } from "#src/base/tainted.ts";

import { amount } from "../../amount.ts";
import { catalogueOf, demoTools, observed, pastTurn, peopleAndStates, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();
const known = [
  ...peopleAndStates,
  ...["DEMO", "MOB", "OPS"].map((id) => ({ kind: "project", id, name: `Project ${id}`, server: "jira" })),
];
let tools: Tool[];

beforeAll(async () => {
  tools = await demoTools();
});

interface Change {
  tool: string;
  args: JsonObject;
}

/** The changes that a message leads to. */
function changes(message: string, more: Parameters<typeof planInput>[2] = {}): Change[] {
  const plan = planner.plan({ ...planInput(message, tools, more), known });
  return [plan.text, ...(plan.further ?? [])].flatMap((text) => {
    const parsed = parsePlan(text, catalogueOf(tools));
    const commands = parsed.ok ? parsed.commands : [];
    return commands.flatMap((one) =>
      one.command === "TASK" ? [{ tool: one.tool.replace(/^.*\./, ""), args: one.args }] : [],
    );
  });
}

/** What a text is dictated with, and where it stands in the change; with quotes, of texts that have none. */
const DICTATED: readonly [order: string, path: string][] = [
  ["comment on DEMO-4: T", "body"],
  ["add a comment to MOB-7: T", "body"],
  ["add a comment to DEMO-4 saying T", "body"],
  ["leave a note on OPS-6: T", "body"],
  ['comment "T" on DEMO-4', "body"],
  ['add "T" as a comment to OPS-6', "body"],
  ["DEMO-4: add a comment: T", "body"],
  ['comment on DEMO-4 with "T"', "body"],
  ["rename DEMO-4 to T", "fields.summary"],
  ['rename DEMO-4 to "T"', "fields.summary"],
  ["change the title of DEMO-4 to T", "fields.summary"],
  ["set the summary of MOB-7 to: T", "fields.summary"],
  ["create a bug in DEMO: T", "summary"],
  ['create a task in OPS called "T"', "summary"],
  ["new story in MOB: T", "summary"],
  ['file a bug in DEMO titled "T"', "summary"],
  ["open a task in OPS: T", "summary"],
  ['please create a story "T" in MOB', "summary"],
  ['add a bug "T" to DEMO, high priority', "summary"],
  ['create a bug in DEMO: "T", for ben, due friday', "summary"],
  ['set the description of DEMO-4 to "T"', "fields.description"],
  ["change the description of DEMO-4 to: T", "fields.description"],
];
const TEXTS = readFileSync(new URL("../../fixtures/dictated.txt", import.meta.url), "utf8")
  .split("\n")
  .filter(Boolean);

describe("[plan.anchors] a dictated text is kept to the letter, whatever it says", () => {
  // The long form plans each text with each order.
  it.each(DICTATED.map((each, at) => [...each, at] as const))("%s", (order, path, at) => {
    const bare = (text: string): string => text.toLowerCase().replace(/[\s.!?]+$/, "");
    const some = amount(
      TEXTS,
      TEXTS.filter((_text, place) => (place + at) % 6 === 0),
    );
    const wrong = some
      .filter((text) => !(order.includes('"') && text.includes('"')))
      .flatMap((text) => {
        const proposed = changes(order.replace(/\bT\b/, () => text));
        const [only, ...others] = proposed;
        const value = path
          .split(".")
          .reduce<unknown>((at, name) => (at as JsonObject | undefined)?.[name], only?.args);
        const isKept = others.length === 0 && typeof value === "string" && bare(value) === bare(text);
        return isKept ? [] : [{ text, proposed }];
      });
    expect(wrong).toEqual([]);
  });
});

describe("[plan.anchors] what is told is the title of what is filed", () => {
  it.each<[string, JsonObject]>([
    [
      "The invoice PDF shows the wrong VAT. Could you file that as a bug in DEMO?",
      { project: "DEMO", type: "Bug", summary: "The invoice PDF shows the wrong VAT" },
    ],
    [
      "invoice pdf has wrong vat. make that a high bug in DEMO please",
      { project: "DEMO", type: "Bug", summary: "invoice pdf has wrong vat", priority: "High" },
    ],
    [
      "hi, the export hangs. It never ends. please log this as a bug in OPS, assign to farid",
      {
        project: "OPS",
        type: "Bug",
        summary: "the export hangs",
        description: "It never ends.",
        assignee: "farid",
      },
    ],
    [
      "we should measure the checkout, can someone open a task for that in DEMO?",
      { project: "DEMO", type: "Task", summary: "we should measure the checkout" },
    ],
    [
      "The PDF is empty. File that as a bug in DEMO. It's urgent for her, so high please.",
      {
        project: "DEMO",
        type: "Bug",
        summary: "The PDF is empty",
        priority: "High",
        description: "It's urgent for her",
      },
    ],
  ])("%s", (message, args) => {
    expect(changes(message)).toEqual([{ tool: "create_issue", args }]);
  });

  it("and is no title where it is only how urgent it is", () => {
    const { text } = planner.plan(
      planInput("Please file a bug in DEMO. It's urgent, so high please.", tools, { known }),
    );
    expect(text).toContain('"args":{"project":"DEMO","type":"Bug","priority":"High"}');
  });
});

it.each(["DEMO-4, I'm at 260 now, please leave a comment saying so", "comment on DEMO-4: I'm at 260 now"])(
  "[plan.anchors] a comment says what was told, and not that it was: %s",
  (message) => {
    expect(changes(message)).toEqual([
      { tool: "add_comment", args: { issue_key: "DEMO-4", body: "I'm at 260 now" } },
    ]);
  },
);

it.each<[string, JsonObject]>([
  ["and another one: crash on exit", { project: "MOB", type: "Bug", summary: "crash on exit" }],
  ['one more called "Crash, again"', { project: "MOB", type: "Bug", summary: "Crash, again" }],
  [
    "and a task: write it down, low",
    { project: "MOB", type: "Task", summary: "write it down", priority: "Low" },
  ],
])("[plan.followups] behind an order for a new record: %s", (message, args) => {
  const call = {
    tool: "jira.create_issue",
    args: { project: "MOB", type: "Bug", summary: "crash on start" },
  };
  const history = [
    pastTurn("create a bug in MOB: crash on start", { calls: [{ ...call, derived: false, waits: true }] }),
  ];
  expect(changes(message, { history })).toEqual([{ tool: "create_issue", args }]);
});

describe("[plan.anchors] what was asked of a record's links", () => {
  const shown: PastTurn["shown"] = taint({
    record: {
      id: "OPS-4",
      title: "Database disk",
      links: [
        { how: "blocks", id: "DEMO-1", title: "Login" },
        { how: "is caused by", id: "OPS-9" },
      ],
    },
    rows: [],
  });
  const call = { tool: "jira.get_jira_issue", args: { issue_key: "OPS-4" } };
  const behind = (message: string): PastTurn[] => [
    pastTurn(message, { calls: [{ ...call, derived: false }], shown }),
  ];

  it("“that” is what answered it", () => {
    const history = behind("what does OPS-4 block?");
    expect(changes("assign that to ben", { history })[0]?.args["issue_key"]).toBe("DEMO-1");
    expect(changes("assign it to ben", { history })[0]?.args["issue_key"]).toBe("OPS-4");
  });

  it("and the record itself where several did", () => {
    const history = behind("what is OPS-4 linked to?");
    expect(changes("assign that to ben", { history })[0]?.args["issue_key"]).toBe("OPS-4");
  });
});

it("[plan.referents] what a search found is changed, and not what was read for another wish since", () => {
  const observations = [
    observed(
      "jira.search_issues",
      { query: "guest checkout" },
      { data: { issues: [{ key: "DEMO-12", summary: "Guest checkout without an account" }], total: 1 } },
    ),
    observed(
      "jira.get_jira_issue",
      { issue_key: "DEMO-13" },
      { data: { key: "DEMO-13", summary: "Validate addresses", labels: ["checkout"] } },
    ),
  ];
  const message = "guest checkout goes to farid and DEMO-13 needs the label done-right";
  const changed = Object.fromEntries(
    changes(message, { observations }).map(({ args: { issue_key: key, ...rest } }) => [key, rest]),
  );
  expect(changed).toEqual({
    "DEMO-12": { assignee: "farid" },
    "DEMO-13": { fields: { labels: ["checkout", "done-right"] } },
  });
});

describe("[plan.anchors] what is said first is taken back", () => {
  it.each([
    "close OPS-18... actually it's closed. close OPS-20 then",
    "close OPS-6, no wait it's still printing. close OPS-20",
  ])("%s", (message) => {
    expect(changes(message)).toEqual([
      { tool: "transition_issue", args: { issue_key: "OPS-20", status: "Done" } },
    ]);
  });
});

it.each<[string, JsonObject]>([
  ["MOB-7 has to be finished by dec 20", { due_date: "2026-12-20" }],
  ["MOB-7 should be closed by the end of the month", { due_date: "2026-11-30" }],
  ["MOB-7 has no due date. 20 December at the latest, please", { due_date: "2026-12-20" }],
])("[plan.anchors] a day by which it has to be done is its due date: %s", (message, fields) => {
  expect(changes(message, { now: new Date("2026-11-28T09:00:00Z") })).toEqual([
    { tool: "update_issue", args: { issue_key: "MOB-7", fields } },
  ]);
});

it.each<[string, string]>([
  [
    "create a bug in DEMO titled 'Y', labels cart and ui, description: foo bar, priority high",
    '"labels":["cart","ui"]',
  ],
  [
    "create a bug in DEMO titled 'Y', labels cart and ui, description: foo bar, priority high",
    '"priority":"High"',
  ],
  [
    "create a task in OPS: renew certificate, due 4 December, assign to ben, labels tls and ops",
    '"summary":"renew certificate","type":"Task","assignee":"ben","labels":["tls","ops"]',
  ],
  ["create a page titled Lunch with the text We eat at noon", '"args":{"title":"Lunch"'],
  ["count open issues by status as a chart", '"args":{"status_category":"open","group_by":"status"}'],
  ["count issues in DEMO by assignee as a pie chart", '"args":{"project":"DEMO","group_by":"assignee"}'],
  ["make a bar chart of issues by status", '"args":{"group_by":"status"}'],
])("[plan.missing-args] nothing that was said is lost or put elsewhere: %s", (message, args) => {
  expect(planner.plan(planInput(message, tools, { known })).text).toContain(args);
});

const OPS_2 = { key: "OPS-2", summary: "Alert", labels: ["login", "alerts"] };

it.each<[string, JsonObject[]]>([
  ["add the labels flaky and search-ux to OPS-2", [{ labels: ["login", "alerts", "flaky", "search-ux"] }]],
  ["add flaky and foo as labels to OPS-2", [{ labels: ["login", "alerts", "flaky", "foo"] }]],
  ["remove the labels login and alerts from OPS-2", [{ labels: [] }]],
])("[plan.nothing-dropped] labels are added to those that are there: %s", (message, fields) => {
  const observations = [observed("jira.get_jira_issue", { issue_key: "OPS-2" }, { data: OPS_2 })];
  expect(changes(message)).toEqual([]);
  expect(changes(message, { observations }).map(({ args }) => args["fields"])).toEqual(fields);
});

it.each<[string, string[]]>([
  ["create two tasks in MOB: screenshots and release notes", ["screenshots", "release notes"]],
  ["create a bug in DEMO: it is slow. Also create a task in OPS: look at it", ["it is slow", "look at it"]],
  ["can we get a task for OPS to renew the certificate", ["renew the certificate"]],
  [
    "can we get a ticket in DEMO for the footer still saying 2024? low prio",
    ["the footer still saying 2024"],
  ],
])("[plan.nothing-dropped] each new record is one order: %s", (message, titles) => {
  expect(changes(message).map(({ args }) => args["summary"])).toEqual(titles);
});

it.each<[string, JsonObject]>([
  ["open a ticket for the slow cart, project ops", { project: "OPS", summary: "the slow cart" }],
  [
    "create a task to water the plants in project OPS",
    { project: "OPS", type: "Task", summary: "water the plants" },
  ],
  [
    "create a task in OPS to write the project plan",
    { project: "OPS", type: "Task", summary: "write the project plan" },
  ],
  [
    "create a task in OPS to upgrade Postgres in AWS",
    { project: "OPS", type: "Task", summary: "upgrade Postgres in AWS" },
  ],
])("[plan.nothing-dropped] a project that is known is no part of a title: %s", (message, args) => {
  expect(changes(message)).toEqual([{ tool: "create_issue", args }]);
});

it("[plan.nothing-dropped] an epic that is left takes no other order along", () => {
  const orders = changes("take MOB-16 out of its epic and assign it to ben");
  expect(orders.map(({ tool }) => tool).toSorted()).toEqual(["assign_issue", "update_issue"]);
});

it.each<[string, string, JsonObject, string, JsonObject]>([
  [
    "rename DEMO-18 to total price first",
    "update_issue",
    { issue_key: "DEMO-18", fields: { summary: "total price first" } },
    "sorry, I meant Show the full price",
    { issue_key: "DEMO-18", fields: { summary: "Show the full price" } },
  ],
  [
    "comment on MOB-8: 40 signed up",
    "add_comment",
    { issue_key: "MOB-8", body: "40 signed up" },
    "make that 41",
    { issue_key: "MOB-8", body: "41 signed up" },
  ],
  [
    "assign MOB-17 to emi",
    "assign_issue",
    { issue_key: "MOB-17", assignee: "emi" },
    "assign MOB-12 too",
    { issue_key: "MOB-12", assignee: "emi" },
  ],
  [
    "assign MOB-17 to emi",
    "assign_issue",
    { issue_key: "MOB-17", assignee: "emi" },
    "not emi, ben",
    { issue_key: "MOB-17", assignee: "ben" },
  ],
])("[plan.followups] behind %s", (before, tool, args, message, wanted) => {
  const history = [
    pastTurn(before, { calls: [{ tool: `jira.${tool}`, args, derived: false, waits: true }] }),
  ];
  expect(changes(message, { history })).toEqual([{ tool, args: wanted }]);
});

it("[plan.followups] what corrects nothing of what waits is read as it was said", () => {
  const args = { issue_key: "MOB-3", status: "Done" };
  const history = [
    pastTurn("move MOB-3 to done", {
      calls: [{ tool: "jira.transition_issue", args, derived: false, waits: true }],
    }),
  ];
  expect(changes("ben should do it", { history })).toEqual([
    { tool: "assign_issue", args: { issue_key: "MOB-3", assignee: "ben" } },
  ]);
});

it("[plan.followups] a label beside one that waits takes both along", () => {
  const args = { issue_key: "OPS-2", fields: { labels: ["login", "alerts", "flaky"] } };
  const history = [
    pastTurn("label OPS-2 with flaky", {
      calls: [{ tool: "jira.update_issue", args, derived: false, waits: true }],
    }),
  ];
  const observations = [observed("jira.get_jira_issue", { issue_key: "OPS-2" }, { data: OPS_2 })];
  const [change] = changes("oh and add search-ux too", { history, observations });
  expect(change?.args["fields"]).toEqual({ labels: ["login", "alerts", "flaky", "search-ux"] });
});

it("[plan.followups] a count that says of what and where begins anew", () => {
  const args = { project: "MOB", type: "Bug", status_category: "open" };
  const history = [
    pastTurn("open bugs in MOB", { calls: [{ tool: "jira.search_issues", args, derived: false }] }),
  ];
  const { text } = planner.plan(planInput("count issues in DEMO by assignee", tools, { known, history }));
  expect(text).toContain('"args":{"project":"DEMO","group_by":"assignee"}');
});

it.each<[string, JsonObject]>([
  ["can you show me the bugs that nobody has", { type: "Bug", assignee: "none" }],
  ["show closed bugs that nobody has", { type: "Bug", status_category: "done", assignee: "none" }],
  ["tickets under DEMO-10", { epic: "DEMO-10" }],
])("[plan.nothing-dropped] a list has every condition that was said: %s", (message, args) => {
  const { text } = planner.plan(planInput(message, tools, { known }));
  expect(text).toContain(`"tool":"jira.search_issues","args":${JSON.stringify(args)}`);
});
