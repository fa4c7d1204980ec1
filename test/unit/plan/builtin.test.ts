import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { PastTurn, PlanInput } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import { createArgumentChecker } from "#src/plan/arguments.ts";
import { taint } from "#src/base/tainted.ts";
import { builtinTools } from "#src/mcp/catalogue/builtins.ts";
import { toEntry } from "#src/plan/builtin/tool-index.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { createSynonyms } from "#src/plan/builtin/words.ts";
import { parsePlan } from "#src/plan/protocol.ts";
import { anyCharacter } from "#test/any-character.ts";

import { catalogueOf, demoTools, makeTool, objectSchema, observed, pastTurn, planInput } from "./tools.ts";

interface Expected {
  calls?: { tool: string; args: JsonObject }[];
  tool?: string;
  ask?: string[];
  refuse?: true;
}

interface Phrase extends Expected {
  say: string;
  or?: Expected[];
  heldout?: true;
}

const fixture = new URL("../../fixtures/phrases.yaml", import.meta.url);
const phrases = parse(readFileSync(fixture, "utf8")) as Phrase[];
const checker = createArgumentChecker();
const planner = createBuiltinPlanner();
let tools: Tool[] = [];

beforeAll(async () => {
  tools = await demoTools();
});

/** What a message leads to, in the form of the fixture. */
function outcomeOf(
  message: string,
  more: Partial<PlanInput> = {},
): Expected & { message?: string; commands?: string[] } {
  const { text } = planner.plan(planInput(message, tools, more));
  const plan = parsePlan(text, catalogueOf(tools), checker);
  if (!plan.ok) {
    const { question } = plan.fault;
    if (!question) throw new Error(`${plan.fault.message} in ${text}`);
    return { tool: bare(question.tool), ask: question.fields };
  }
  const calls = plan.commands.flatMap((each) =>
    each.command === "ERROR" ? [] : [{ tool: bare(each.tool), args: each.args }],
  );
  const [first] = plan.commands;
  if (first?.command === "ERROR") return { refuse: true, message: first.message };
  return { calls, commands: plan.commands.map(({ command }) => command) };
}

function bare(id: string): string {
  return id.replace(/^\w+\./, "");
}

function accepted({ say, or = [], calls, tool, ask, refuse }: Phrase): boolean {
  const got = outcomeOf(say);
  return [{ calls, tool, ask, refuse }, ...or].some((wanted) => {
    if (wanted.refuse) return got.refuse === true;
    if (wanted.ask) return got.tool === wanted.tool && equal(got.ask, wanted.ask);
    return equal(got.calls, wanted.calls);
  });
}

function equal(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}

describe("phrases over the bundled servers", () => {
  it("[llm.builtin] has phrases for every tool of the servers, and enough to refuse or ask about", () => {
    const all = phrases.flatMap((phrase) => [phrase, ...(phrase.or ?? [])]);
    const named = new Set(
      all.flatMap(({ calls, tool }) => [...(calls ?? []).map((call) => call.tool), ...(tool ? [tool] : [])]),
    );
    expect([...named].toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
    expect(phrases.filter(({ ask, refuse }) => ask || refuse).length).toBeGreaterThanOrEqual(20);
  });

  it.each(phrases.filter(({ heldout }) => !heldout))("[llm.builtin] plans: $say", (phrase) => {
    expect({ got: outcomeOf(phrase.say), accepted: accepted(phrase) }).toMatchObject({ accepted: true });
  });

  it("[llm.builtin] plans at least nine of ten phrases that it was never tuned on", () => {
    const heldout = phrases.filter((phrase) => phrase.heldout);
    const right = heldout.filter(accepted).length;
    expect(heldout.length).toBeGreaterThanOrEqual(phrases.length * 0.3);
    expect(right / heldout.length).toBeGreaterThanOrEqual(0.9);
  });
});

describe("steps of a turn", () => {
  const seen = (tool: string, args: JsonObject, error?: string): PlanInput["observations"][number] =>
    observed(tool, args, error === undefined ? {} : { error });

  it("[plan.parallel] puts reads side by side in one block, and a change alone after them", () => {
    const message = "show DEMO-1 and DEMO-2, then assign DEMO-1 to ben";
    const first = outcomeOf(message);
    expect(first.commands).toEqual(["QUERY", "QUERY"]);
    const reads = (first.calls ?? []).map(({ tool, args }) => seen(`jira.${tool}`, args));
    const second = outcomeOf(message, { observations: reads });
    expect(second).toMatchObject({
      commands: ["TASK"],
      calls: [{ tool: "assign_issue", args: { issue_key: "DEMO-1", assignee: "ben" } }],
    });
  });

  it("[plan.parallel] makes several changes one at a time", () => {
    const message = "delete DEMO-1 and DEMO-2";
    expect(outcomeOf(message)).toMatchObject({
      commands: ["TASK"],
      calls: [{ args: { issue_key: "DEMO-1" } }],
    });
    const observations = [seen("jira.delete_issue", { issue_key: "DEMO-1" })];
    expect(outcomeOf(message, { observations })).toMatchObject({
      commands: ["TASK"],
      calls: [{ args: { issue_key: "DEMO-2" } }],
    });
  });

  it("[plan.parallel] takes two changes of one thing one after the other", () => {
    const message = "move DEMO-3 to done and assign it to ben";
    const move = { issue_key: "DEMO-3", status: "Done" };
    expect(outcomeOf(message).calls).toEqual([{ tool: "transition_issue", args: move }]);
    const observations = [seen("jira.transition_issue", move)];
    const assign = { issue_key: "DEMO-3", assignee: "ben" };
    expect(outcomeOf(message, { observations }).calls).toEqual([{ tool: "assign_issue", args: assign }]);
    const denied = [seen("jira.transition_issue", move, "denied")];
    expect(outcomeOf(message, { observations: denied }).calls).toEqual([{ tool: "final_answer", args: {} }]);
  });

  it("[plan.iterate] ends with the final answer when everything was called", () => {
    const observations = [seen("jira.get_jira_issue", { issue_key: "DEMO-1" })];
    expect(outcomeOf("show me DEMO-1", { observations }).calls).toEqual([{ tool: "final_answer", args: {} }]);
  });

  it("[plan.iterate] searches once for what a read did not find", () => {
    const failed = seen("confluence.get_page", { page_id: "99999" }, "page 99999 not found");
    const next = outcomeOf("open page 99999", { observations: [failed] });
    expect(next.calls).toEqual([{ tool: "search_confluence", args: { query: "99999" } }]);
    const again = outcomeOf("open page 99999", {
      observations: [failed, seen("confluence.search_confluence", { query: "99999" })],
    });
    expect(again.calls).toEqual([{ tool: "final_answer", args: {} }]);
  });
});

describe("conversation", () => {
  const asked = (tool: string, args: JsonObject, fields: string[]): PastTurn =>
    pastTurn("…", { question: { tool, args, fields } });

  it.each<[string, PastTurn, Expected]>([
    [
      "Printer on fire",
      asked("jira.create_issue", { project: "DEMO" }, ["summary"]),
      { calls: [{ tool: "create_issue", args: { project: "DEMO", summary: "Printer on fire" } }] },
    ],
    [
      "'Show more results'",
      asked("jira.create_issue", { project: "DEMO" }, ["summary"]),
      { calls: [{ tool: "create_issue", args: { project: "DEMO", summary: "Show more results" } }] },
    ],
    [
      "DEMO, Printer on fire",
      asked("jira.create_issue", {}, ["project", "summary"]),
      { calls: [{ tool: "create_issue", args: { project: "DEMO", summary: "Printer on fire" } }] },
    ],
    [
      "project OPS titled 'VPN down'",
      asked("jira.create_issue", {}, ["project", "summary"]),
      { calls: [{ tool: "create_issue", args: { project: "OPS", summary: "VPN down" } }] },
    ],
    [
      "to me",
      asked("jira.assign_issue", { issue_key: "OPS-8" }, ["assignee"]),
      { calls: [{ tool: "assign_issue", args: { issue_key: "OPS-8", assignee: "me" } }] },
    ],
    [
      "demo-4",
      asked("jira.delete_issue", {}, ["issue_key"]),
      { calls: [{ tool: "delete_issue", args: { issue_key: "DEMO-4" } }] },
    ],
    [
      "show me DEMO-1",
      asked("jira.create_issue", { project: "DEMO" }, ["summary"]),
      { calls: [{ tool: "get_jira_issue", args: { issue_key: "DEMO-1" } }] },
    ],
    ["never mind", asked("jira.delete_issue", {}, ["issue_key"]), { refuse: true }],
  ])(
    "[plan.missing-args] takes %j as the answer to a question, or as a wish of its own",
    (message, turn, expected) => {
      expect(outcomeOf(message, { history: [turn] })).toMatchObject(expected);
    },
  );

  it('[llm.builtin] knows what "it" is from the last calls', () => {
    const turn = pastTurn("show DEMO-4", {
      calls: [{ tool: "jira.get_jira_issue", args: { issue_key: "DEMO-4" }, derived: false }],
    });
    expect(outcomeOf("assign it to ben", { history: [turn] }).calls).toEqual([
      { tool: "assign_issue", args: { issue_key: "DEMO-4", assignee: "ben" } },
    ]);
    expect(outcomeOf("assign it to ben")).toMatchObject({ tool: "assign_issue", ask: ["issue_key"] });
  });
});

describe("what a message refers to", () => {
  const found = (keys: string[]) => ({
    ...pastTurn("find issues about login", {
      calls: [{ tool: "jira.search_issues", args: { query: "login" }, derived: false }],
    }),
    shown: taint({ rows: keys.map((id) => ({ id })) }),
  });
  const shown = pastTurn("show OPS-9", {
    calls: [{ tool: "jira.get_jira_issue", args: { issue_key: "OPS-9" }, derived: false }],
  });

  it.each<[string, PastTurn, string, JsonObject]>([
    ["show the second one", found(["DEMO-1", "DEMO-8"]), "get_jira_issue", { issue_key: "DEMO-8" }],
    ["open the last one", found(["DEMO-1", "DEMO-8"]), "get_jira_issue", { issue_key: "DEMO-8" }],
    [
      "assign the 1st ticket to ben",
      found(["DEMO-1", "DEMO-8"]),
      "assign_issue",
      { issue_key: "DEMO-1", assignee: "ben" },
    ],
    ["close it", shown, "transition_issue", { issue_key: "OPS-9", status: "Done" }],
    ["close it", found(["DEMO-3"]), "transition_issue", { issue_key: "DEMO-3", status: "Done" }],
    ["set its priority to low", shown, "update_issue", { issue_key: "OPS-9", fields: { priority: "Low" } }],
    ["delete that ticket", shown, "delete_issue", { issue_key: "OPS-9" }],
    ["and MOB-3?", shown, "get_jira_issue", { issue_key: "MOB-3" }],
    ["and in the wiki?", found(["DEMO-1", "DEMO-8"]), "search_confluence", { query: "login" }],
    ["comment on it: shipped", shown, "add_comment", { issue_key: "OPS-9", body: "shipped" }],
    ["assign DEMO-2 to ben", shown, "assign_issue", { issue_key: "DEMO-2", assignee: "ben" }],
  ])("[llm.builtin] %j is read from what came before", (message, turn, tool, args) => {
    expect(outcomeOf(message, { history: [turn] }).calls).toEqual([{ tool, args }]);
  });

  it("[llm.builtin] [privacy.mode] what a private turn may not see is not referred to", () => {
    const { permit: _, ...hidden } = found(["DEMO-1", "DEMO-8"]);
    expect(outcomeOf("show the second one", { history: [hidden] }).calls).toBeUndefined();
  });

  it("[llm.builtin] [plan.iterate] a later wish is about the one thing that an earlier one found", () => {
    const message = "find the login bug and comment 'on it'";
    const search = { tool: "search_issues", args: { query: "login", type: "Bug" } };
    expect(outcomeOf(message).calls).toEqual([search]);
    const observed1 = (keys: string[], isOpen = true): PlanInput["observations"] => [
      observed("jira.search_issues", search.args, { data: { issues: keys.map((key) => ({ key })) }, isOpen }),
    ];
    expect(outcomeOf(message, { observations: observed1(["DEMO-8"]) })).toMatchObject({
      commands: ["TASK"],
      calls: [{ tool: "add_comment", args: { issue_key: "DEMO-8", body: "on it" } }],
    });
    // Of several it is asked which; where none was found, or may be seen, people see what came.
    expect(outcomeOf(message, { observations: observed1(["DEMO-8", "MOB-4"]) })).toEqual({
      tool: "add_comment",
      ask: ["issue_key"],
    });
    for (const observations of [observed1([]), observed1(["DEMO-8"], false)])
      expect(outcomeOf(message, { observations }).calls).toEqual([{ tool: "final_answer", args: {} }]);
  });

  it.each([
    "the doc is wrong, please update",
    "take the oldest tickets first",
    "find out which box is free and who has it",
    "DEMO-1's title should be shorter",
    "please give it to her after the release",
  ])("[llm.builtin] what is dictated is kept to the letter: %j", (body) => {
    const known = [{ kind: "person", id: "emi", name: "Emi Tanaka", server: "jira" }];
    const history = [pastTurn("what does Emi work on")];
    for (const message of [`comment on DEMO-5: ${body}`, `comment on DEMO-5 saying "${body}"`])
      expect(outcomeOf(message, { known, history }).calls).toEqual([
        { tool: "add_comment", args: { issue_key: "DEMO-5", body } },
      ]);
  });

  it.each([
    ["MOB-7 is finished", "transition_issue", { issue_key: "MOB-7", status: "Done" }],
    ["DEMO-3 is done, pls update", "transition_issue", { issue_key: "DEMO-3", status: "Done" }],
    ["we started on DEMO-12 today", "transition_issue", { issue_key: "DEMO-12", status: "In Progress" }],
    ["is MOB-7 finished?", "get_jira_issue", { issue_key: "MOB-7" }],
  ])("[llm.builtin] %j is what is to be, or asked", (message, tool, args) => {
    expect(outcomeOf(message).calls).toEqual([{ tool, args }]);
  });

  it.each([
    ["asign DEMO-3 to ben", "assign_issue"],
    ["shwo me DEMO-3", "get_jira_issue"],
    ["delte DEMO-3", "delete_issue"],
  ])("[llm.builtin] %j is read as it was meant", (message, tool) => {
    expect(outcomeOf(message).calls).toMatchObject([{ tool }]);
  });
});

describe("limits", () => {
  it("[llm.builtin] never turns a change of a part into a change of the whole", () => {
    for (const [message, issue_key] of [
      ["remove the comment on DEMO-1", "DEMO-1"],
      ["archive DEMO-3", "DEMO-3"],
    ] as const) {
      expect(outcomeOf(message).calls).toEqual([{ tool: "get_jira_issue", args: { issue_key } }]);
      const { notice } = planner.plan(planInput(message, tools));
      expect(notice).toBe(`No tool here does what “${message}” asks for, so I did nothing.`);
    }
  });

  it("[llm.builtin] refuses with two or three things that the tools can do", () => {
    const { message } = outcomeOf("tell me a joke");
    expect(message).toMatch(/I can, for example, .+(?:, .+)? or .+/);
    expect(message).not.toMatch(/_/);
  });

  it("[llm.builtin] answers a call for help with all that the tools can do, and leaves its own tools out", () => {
    const all = [...builtinTools(), ...tools];
    for (const message of [
      "help",
      "What can you do?",
      "so what can you do for me",
      "which tools do you have?",
    ]) {
      const answer = planner.plan(planInput(message, all)).text;
      expect(answer).toContain("In **jira** I can look up: get a Jira issue, search Jira issues,");
      expect(answer).toContain("In **confluence** I can change: create a wiki page, change a wiki page,");
      expect(answer).not.toMatch(/builtin|pong|alive/);
    }
    expect(planner.plan(planInput("help", builtinTools())).text).toContain("No tools are connected");
    expect(planner.plan(planInput("hello", all)).text).not.toMatch(/builtin|pong|alive/);
    expect(outcomeOf("help me find issues about login").calls).toEqual([
      { tool: "search_issues", args: { query: "login" } },
    ]);
  });

  it("[llm.builtin] says that nothing is connected when there are no tools", () => {
    expect(planner.plan(planInput("show me DEMO-1", [])).text).toContain("No tools are connected");
  });

  it("[llm.builtin] carries a body of 100 KB without loss and refuses an endless sentence", () => {
    const body = `first line\n\n${"a long  text, 'quoted' \"here\"\n".repeat(3500)}end`;
    expect(outcomeOf(`comment on DEMO-5: ${body}`).calls).toEqual([
      { tool: "add_comment", args: { issue_key: "DEMO-5", body } },
    ]);
    expect(outcomeOf("word ".repeat(20_000)).refuse).toBe(true);
    // Each of these took seconds, in which nobody else was answered.
    for (const part of ["the epic, ", ", under the ", "“q” and ", ". 1."])
      expect(outcomeOf(part.repeat(100_000 / part.length)).refuse).toBe(true);
    // These took minutes, and hours at ten times the length.
    for (const part of ["“q” ", "DEMO-1 ", "Please close DEMO-1. ", "the epic, ", "a, b; "]) {
      const text = part.repeat(1_000_000 / part.length).trim();
      expect(outcomeOf(`comment on DEMO-5: ${text}`).calls).toEqual([
        { tool: "add_comment", args: { issue_key: "DEMO-5", body: text } },
      ]);
    }
    // A gap of lines took seconds to look through.
    expect(outcomeOf(`show me${"\n".repeat(1400)}DEMO-5`)).toEqual(outcomeOf("show me\n\nDEMO-5"));
  });

  it("[llm.builtin] plans without the date parser until a date is asked for", () => {
    const loaded = (): boolean =>
      Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("chrono-node"));
    expect(loaded()).toBe(false);
    const { calls } = outcomeOf("set the due date of DEMO-3 to next friday");
    expect(calls).toEqual([
      { tool: "update_issue", args: { issue_key: "DEMO-3", fields: { due_date: "2026-11-27" } } },
    ]);
    expect(loaded()).toBe(true);
  });

  it("[llm.builtin] answers any message with a block of the protocol", () => {
    const word = fc.constantFrom(
      ..."show find create delete assign move to in DEMO DEMO-1 and then the wiki page 1001 issue 'x' \" : , titled priority high me it ben\uE000 \uE001".split(
        " ",
      ),
    );
    const message = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(word, { maxLength: 14 }).map((words) => words.join(" ")),
    );
    fc.assert(
      fc.property(message, (text) => {
        const plan = parsePlan(planner.plan(planInput(text, tools)).text, catalogueOf(tools), checker);
        if (!plan.ok) expect(plan.fault.code).toBe("bad_args");
      }),
      { numRuns: 150 },
    );
  });
});

describe("catalogues that servers make large or odd", () => {
  const widget = (name: string, inputSchema: JsonSchema): Tool =>
    makeTool("shop", { name, description: "Shows the widgets of a shop.", inputSchema });

  it.each([
    [
      "an operation is listed twice",
      [widget("widgets", objectSchema({ action: { enum: ["get", "get"] } }, ["action"]))],
    ],
    [
      "a tool has the name of another one's operation",
      [
        widget("widgets", objectSchema({ action: { enum: ["get", "list"] } }, ["action"])),
        widget("widgets#get", objectSchema({})),
      ],
    ],
  ])("[llm.builtin] plans where %s", (_, odd) => {
    const plan = createBuiltinPlanner().plan(planInput("show issue DEMO-1", [...tools, ...odd])).text;
    expect(plan).toContain("get_jira_issue");
  });

  it("[mcp.patterns] reads a large catalogue in pieces, once for all who ask meanwhile, and plans as ever", async () => {
    const many = Array.from({ length: 4_000 }, (_each, at) =>
      widget(`show_widget_${at}`, objectSchema({ name: { type: "string", description: `Widget ${at}` } })),
    );
    const input = planInput("show issue DEMO-1", [...tools, ...many]);
    const own = createBuiltinPlanner();
    let rounds = 0;
    const counting = setInterval(() => (rounds += 1), 0);
    await Promise.all([own.prepare(input), own.prepare(input)]);
    clearInterval(counting);
    expect(rounds).toBeGreaterThan(3);
    expect(own.plan(input)).toEqual(createBuiltinPlanner().plan(input));
    // Another catalogue in between, as of a channel with fewer tools.
    expect(own.plan(planInput("show issue DEMO-1", tools)).text).toContain("get_jira_issue");
    await own.prepare(input);
    expect(own.plan(input).text).toContain("get_jira_issue");
  });

  it("[mcp.patterns] looks for no more arguments in a sentence than it may hold, the required ones first", () => {
    const names = Array.from({ length: 900 }, (_each, at) => `note${at}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const crowded = widget(
      "create_widget",
      objectSchema({ ...properties, title: { type: "string" } }, ["title"]),
    );
    const planned = createBuiltinPlanner().plan(planInput('create a widget titled "Lamp"', [crowded])).text;
    expect(planned).toContain('"title":"Lamp"');
    const { slots } = toEntry(crowded, { tool: crowded.id, args: {} }, [], createSynonyms());
    expect(slots).toHaveLength(100);
  });
});

// Behind the limits, which see that dates are not read before one is asked for.
describe("dates", () => {
  it("[llm.builtin] reads dates as seen from today", () => {
    const due = (message: string): unknown => outcomeOf(message).calls?.[0]?.args;
    expect(due("set the due date of DEMO-4 to next friday")).toEqual({
      issue_key: "DEMO-4",
      fields: { due_date: "2026-11-27" },
    });
    expect(due("set the due date of DEMO-4 to tomorrow")).toEqual({
      issue_key: "DEMO-4",
      fields: { due_date: "2026-11-22" },
    });
  });
});

describe("verbs that mean the same", () => {
  const change = (id: string, description: string, argument: string): Tool => {
    const [server = "", name = ""] = id.split(".");
    const inputSchema = objectSchema({ [argument]: { type: "string" } }, [argument]);
    return makeTool(server, { name, description, inputSchema });
  };
  const changes = [
    change("ops.deploy_service", "Deploy a service.", "service"),
    change("ops.restart_service", "Restart a service.", "service"),
    change("hr.approve_request", "Approve a request.", "request_id"),
    change("pager.acknowledge_incident", "Acknowledge an incident.", "incident_id"),
    change("mail.send_email", "Send an email.", "to"),
  ];

  it.each([
    "release status of web-shop",
    "release date of web-shop?",
    "rollout status of web-shop",
    "release of web-shop",
    "releases of web-shop",
    "release notes for web-shop",
    "bounce rate of web-shop",
    "restart count of web-shop",
    "deploy status of web-shop",
    "acceptance of request 17",
    "approval of request 17",
    "can you confirm that incident 17 is closed?",
    "confirm incident 17 is closed",
    "release service web-shop?",
    "mail from ben",
  ])("[llm.builtin] are no orders as nouns or in questions: %s", (message) => {
    expect(planner.plan(planInput(message, changes)).text).toMatch(/^BEGIN\s+ERROR/);
  });

  it.each<[string, string, JsonObject]>([
    ["bounce service web-shop", "ops.restart_service", { service: "web-shop" }],
    ["can you reboot the service web-shop?", "ops.restart_service", { service: "web-shop" }],
    ["ship the service web-shop", "ops.deploy_service", { service: "web-shop" }],
    ["accept request 17", "hr.approve_request", { request_id: "17" }],
    ["please ack incident 17", "pager.acknowledge_incident", { incident_id: "17" }],
    ["deploy service web-shop", "ops.deploy_service", { service: "web-shop" }],
  ])("[llm.builtin] are orders before what is changed: %s", (message, tool, args) => {
    expect(
      parsePlan(planner.plan(planInput(message, changes)).text, catalogueOf(changes), checker),
    ).toMatchObject({
      commands: [{ command: "TASK", tool, args }],
    });
  });
});

describe("a wish for a chart", () => {
  it("[view.charts] is no part of what is looked for", () => {
    const plain = outcomeOf("open issues in DEMO");
    expect(plain.calls).toHaveLength(1);
    expect(outcomeOf("open issues in DEMO as a chart")).toEqual(plain);
  });

  it("[view.charts] of something by what a tool counts by is of all, and not of the rows of a page", () => {
    for (const said of [
      "pie chart of open issues in DEMO by status",
      "chart of the open issues in DEMO by status",
      "open issues in DEMO by status as a pie",
      "open issues in DEMO by status chart",
      "list open issues in DEMO as a bar chart by status, please",
    ])
      expect(outcomeOf(said).calls).toEqual([
        { tool: "count_issues", args: { project: "DEMO", status_category: "open", group_by: "status" } },
      ]);
  });

  it("[view.charts] alone reads once more what was read before", () => {
    const [call] = outcomeOf("open issues in DEMO").calls ?? [];
    const calls = [{ tool: `jira.${call?.tool}`, args: call?.args ?? {}, derived: false }];
    const history = [pastTurn("open issues in DEMO", { calls })];
    expect(outcomeOf("and as a pie", { history }).calls).toEqual([call]);
    expect(outcomeOf("as a chart")).toMatchObject({ refuse: true });
  });

  it("[view.charts] stays in what a change writes", () => {
    const { calls } = outcomeOf("create an issue in DEMO titled Show the totals as a chart");
    expect(JSON.stringify(calls)).toContain("Show the totals as a chart");
  });
});

describe("what nobody can do", () => {
  it.each([
    "remind me tomorrow about DEMO-3",
    "can you ping Ben on monday about DEMO-3?",
    "tell me when DEMO-3 is done",
  ])("[plan.nothing-dropped] %s: shows the record and says that nobody is told later", async (message) => {
    const plan = planner.plan(planInput(message, await demoTools()));
    expect(plan.text).toContain("DEMO-3");
    expect(plan.notice).toContain("can't tell anybody anything later");
  });

  it("[plan.ladder] thanks before a question are no answer to it", async () => {
    const { text } = planner.plan(planInput("thanks, what can you do?", await demoTools()));
    expect(text).toContain("This is what I can do here");
  });
});

describe("what a reason is no order for", () => {
  const changes = async (message: string): Promise<unknown[]> => {
    const tools = await demoTools();
    const people = [
      { kind: "person", id: "ben", name: "Ben Okafor", server: "jira" },
      { kind: "status", id: "Done", name: "Done", server: "jira" },
      { kind: "status", id: "Won't Do", name: "Won't Do", server: "jira" },
    ];
    const input = { ...planInput(message, tools), known: people };
    const parsed = parsePlan(planner.plan(input).text, catalogueOf(tools));
    return parsed.ok
      ? parsed.commands.map((each) => (each.command === "TASK" ? [each.tool, each.args] : []))
      : [];
  };

  it.each([
    "close DEMO-12, nobody needs it",
    "close DEMO-12. nobody uses it any more",
    "close DEMO-12 as nobody complained",
  ])("[plan.anchors] %s: takes it from nobody", async (message) => {
    const made = JSON.stringify(await changes(message));
    expect(made).not.toContain("assign_issue");
    expect(made).toContain("transition_issue");
  });

  it("[plan.anchors] what is to be deleted is deleted, whatever else is said of it", async () => {
    expect(await changes("delete OPS-18, nobody will ever buy that machine")).toEqual([
      ["jira.delete_issue", { issue_key: "OPS-18" }],
    ]);
    expect(await changes("assign DEMO-12 to nobody please")).toEqual([
      ["jira.assign_issue", { issue_key: "DEMO-12", assignee: "unassigned" }],
    ]);
  });
});

describe("messages to people", () => {
  it.each(["send ben a dm that the release is friday", "email ben about it", "can you message Ben"])(
    "[plan.nothing-dropped] %s: says that no tool sends any",
    async (message) => {
      const input = {
        ...planInput(message, await demoTools()),
        known: [{ kind: "person", id: "ben", name: "Ben Okafor", server: "jira" }],
      };
      expect(planner.plan(input).text).toContain("no tool here does");
    },
  );
});
