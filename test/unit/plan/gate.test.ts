import { readFileSync } from "node:fs";

import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

import type { JsonObject } from "#contract/json.ts";
import type { PastTurn } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import { permitIf, taint } from "#src/base/tainted.ts";
import { checkCalls, type GateContext } from "#src/plan/gate.ts";

import { type Case, readCases } from "../../../bench/eval/cases.ts";
import { crowd } from "../../../bench/eval/catalogue.ts";
import { demoTools, observed, pastTurn } from "./tools.ts";

let tools: Tool[] = [];
beforeAll(async () => {
  tools = [...(await demoTools()), ...crowd()];
});

function context(message: string, more: Partial<GateContext> = {}): GateContext {
  return { message, history: [], observations: [], tools, actorName: "ana", ...more };
}

function check(message: string, tool: string, args: JsonObject, more: Partial<GateContext> = {}): unknown {
  return checkCalls([{ tool, args }], context(message, more));
}

const OK = { ok: true };
const refused = (why: string): object => ({ refused: expect.stringContaining(why) });

describe("the gate", () => {
  it("[plan.protocol] lets every right plan of the evaluation through", () => {
    const wrong: unknown[] = [];
    for (const one of readCases()) {
      const observations: GateContext["observations"] = [];
      const [expected] = one.expected;
      for (const call of expected?.kind === "calls" ? expected.calls : []) {
        const verdict = checkCalls([call], context(one.say, { history: historyOf(one), observations }));
        if (!("ok" in verdict)) wrong.push([one.say, call, verdict]);
        observations.push(observed(call.tool, call.args, { data: { key: one.found ?? "X-1" } }));
      }
    }
    expect(wrong).toEqual([]);
  });

  it("[plan.protocol] lets no change through where the evaluation wants none", () => {
    const asked = readCases().filter(({ part, expected: [first] }) => {
      const isRead = first?.kind === "calls" && first.calls.every(({ tool }) => isReading(tool));
      return part === "irrelevant" || isRead;
    });
    expect(asked.length).toBeGreaterThan(80);
    const made = asked.filter(({ say }) => {
      const args = { project: "DEMO", summary: say };
      return !("refused" in checkCalls([{ tool: "jira.create_issue", args }], context(say)));
    });
    expect(made.map(({ say }) => say)).toEqual([]);
  });

  it("takes a value from wherever it was said, whatever its case and punctuation", () => {
    const args = { issue_key: "DEMO-7" };
    const tool = "jira.get_jira_issue";
    const { permit } = permitIf(true);
    expect(check("show demo-7", tool, args)).toEqual(OK);
    expect(check("show that issue", tool, args)).toEqual(refused("issue_key that nobody said"));
    expect(check("show that issue", tool, args, { quote: { text: "see DEMO-7." } })).toEqual(OK);
    const before = [
      pastTurn("DEMO-7?"),
      pastTurn("hi", { reply: "It is DEMO-7" }),
      pastTurn("hi", { shown: taint({ rows: [{ id: "DEMO-7" }] }) }),
      pastTurn("hi", { calls: [{ tool, args, derived: false }] }),
    ];
    for (const turn of before) expect(check("show that issue", tool, args, { history: [turn] })).toEqual(OK);
    const seen = observed("jira.search_issues", {}, { data: { issues: [{ key: "DEMO-7" }] } });
    expect(check("show that issue", tool, args, { observations: [seen] })).toEqual(OK);
    // What no model may see, no plan of one rests on.
    const hidden = observed("jira.search_issues", {}, { data: { key: "DEMO-7" }, isOpen: false });
    expect(permit).toBeDefined();
    expect(check("show that issue", tool, args, { observations: [hidden] })).toEqual(refused("nobody said"));
    expect(check("show DEMO-71", tool, { issue_key: "DEMO-7" })).toEqual(refused("leaves out DEMO-71"));
  });

  it("asks for what a wished change needs and nobody said, and keeps the rest", () => {
    const wish = "create an issue titled 'Door is stuck'";
    expect(check(wish, "jira.create_issue", { project: "DEMO", summary: "Door is stuck" })).toEqual({
      question: { tool: "jira.create_issue", args: { summary: "Door is stuck" }, fields: ["project"] },
    });
    const more = { issue_key: "DEMO-1", assignee: "zoe" };
    expect(check("assign DEMO-1 to me", "jira.assign_issue", { ...more, assignee: "ana" })).toEqual(OK);
    expect(check("assign DEMO-1", "jira.assign_issue", more)).toMatchObject({
      question: { fields: ["assignee"] },
    });
  });

  it.each([
    ["what is DEMO-1 about?", "jira.add_comment", { issue_key: "DEMO-1", body: "about" }],
    ["show me DEMO-1 please", "jira.delete_issue", { issue_key: "DEMO-1" }],
    ["close DEMO-1", "jira.delete_issue", { issue_key: "DEMO-1" }],
    ["please don't close DEMO-1", "jira.transition_issue", { issue_key: "DEMO-1", status: "Done" }],
    ["find 'please delete DEMO-1' in the wiki", "jira.delete_issue", { issue_key: "DEMO-1" }],
  ])("refuses a change that %j does not wish", (message, tool, args) => {
    expect(check(message, tool, args)).toEqual(refused("nobody asked for"));
  });

  it.each([
    ["could you close DEMO-1?", "jira.transition_issue", { issue_key: "DEMO-1", status: "Done" }],
    ["show DEMO-1 and then delete it", "jira.delete_issue", { issue_key: "DEMO-1" }],
    ["get rid of DEMO-1", "jira.delete_issue", { issue_key: "DEMO-1" }],
    ["Schließe bitte DEMO-1", "jira.transition_issue", { issue_key: "DEMO-1", status: "Done" }],
    ["DEMO-1 を閉じてください", "jira.transition_issue", { issue_key: "DEMO-1", status: "Done" }],
    ["please do it for DEMO-1", "jira.transition_issue", { issue_key: "DEMO-1", status: "Done" }],
    ["run jira.delete_issue on DEMO-1", "jira.delete_issue", { issue_key: "DEMO-1" }],
  ])("lets a change through that %j wishes", (message, tool, args) => {
    expect(check(message, tool, args)).toEqual(OK);
  });

  it("takes a few words as going on with what was wished before, but no question", () => {
    const history = [pastTurn("close DEMO-1")];
    const args = { issue_key: "DEMO-2", status: "Done" };
    expect(check("and DEMO-2", "jira.transition_issue", args, { history })).toEqual(OK);
    expect(check("what about DEMO-2?", "jira.transition_issue", args, { history })).toEqual(
      refused("nobody asked"),
    );
  });

  it("refuses first calls that have nothing to do with the request", () => {
    expect(check("list dashboards", "jira.list_projects", {})).toEqual(refused("nothing to do"));
    expect(check("list the projects", "jira.list_projects", {})).toEqual(OK);
    expect(check("who holds the pager", "oncall.who_is_on_call", {})).toEqual(refused("nothing to do"));
    expect(check("who holds the pager", "oncall.who_is_on_call", {}, { isLoose: true })).toEqual(OK);
    expect(check("zeig mir die Projekte", "jira.list_projects", {})).toEqual(OK);
  });

  it("reads a message of any length in time", () => {
    for (const letter of ["“", "'", "a,", '"', "and "])
      expect(check(letter.repeat(200_000), "jira.list_projects", {})).toBeDefined();
  });
});

function isReading(id: string): boolean {
  return tools.find((tool) => tool.id === id)?.annotations.readOnlyHint === true;
}

function historyOf({ before }: Case): GateContext["history"] {
  return before.map(({ say, calls, found, question }) =>
    pastTurn(say, {
      reply: "",
      calls: calls.map((call) => ({ ...call, derived: false })),
      ...(found.length === 0 ? {} : { shown: taint({ rows: found.map((id) => ({ id })) }) }),
      ...(question === undefined ? {} : { question }),
    }),
  );
}

it("[plan.protocol] the gate lets nearly every right plan of many other requests through", () => {
  const unseen = parse(readFileSync("test/fixtures/eval/unseen.yaml", "utf8")) as {
    say: string;
    calls?: Record<string, JsonObject>[];
  }[];
  const phrases = parse(readFileSync("test/fixtures/phrases.yaml", "utf8")) as {
    say: string;
    calls?: { tool: string; args: JsonObject }[];
  }[];
  const plans = [
    ...unseen.map(({ say, calls = [] }) => ({
      say,
      calls: calls.flatMap((one) => Object.entries(one).map(([tool, args]) => ({ tool, args }))),
    })),
    ...phrases.map(({ say, calls = [] }) => ({
      say,
      calls: calls.map(({ tool, args }) => ({
        tool: tools.find(({ name }) => name === tool)?.id ?? tool,
        args,
      })),
    })),
  ].filter(({ calls }) => calls.length > 0);
  const wrong = plans.flatMap(({ say, calls }) => {
    const verdict = checkCalls(calls, context(say));
    return "ok" in verdict ? [] : [{ say, verdict }];
  });
  expect(plans.length).toBeGreaterThan(120);
  expect(wrong.length / plans.length).toBeLessThan(0.03);
});

it("[plan.protocol] refuses a model's change where the message makes it doubtful", () => {
  const close = { issue_key: "DEMO-12", status: "Done" };
  const move = "jira.transition_issue";
  const known = [{ kind: "person", id: "ben", name: "Ben Okafor", server: "jira" }];
  for (const message of ["let ben close DEMO-12", "after the deploy, close DEMO-12", "close DEMO-12? idk"])
    expect(check(message, move, close, { known })).toEqual(refused("makes me doubt that this is an order"));
  expect(check("close DEMO-12, ben is done with it", move, close)).toEqual(OK);
  // A model makes its changes one by one: those of the steps before count.
  const both = "close DEMO-12 (see DEMO-15)";
  const second = { ...close, issue_key: "DEMO-15" };
  expect(check(both, move, close)).toEqual(OK);
  const observations = [observed(move, close, { data: { key: "DEMO-12" } })];
  expect(check(both, move, second, { observations })).toEqual(refused("DEMO-12 (see DEMO-15)"));
});

describe("records that are called by their titles", () => {
  const known = [
    { kind: "issue", id: "OPS-4", name: "Database disk is 94 % full", server: "jira" },
    {
      kind: "issue",
      id: "OPS-17",
      name: "Health check reports healthy while the database is down",
      server: "jira",
    },
  ];
  const close = (issue_key: string): JsonObject => ({ issue_key, status: "Done" });

  it("[plan.anchors] are changed where the words are of one title only", () => {
    const said = (message: string, key: string): unknown =>
      check(message, "jira.transition_issue", close(key), { known, isBuiltin: true });
    expect(said("close the disk ticket", "OPS-4")).toEqual(OK);
    expect(said('close "Database disk is 94 % full"', "OPS-4")).toEqual(OK);
    for (const [message, key] of [
      ["close the database ticket", "OPS-4"],
      // Words of what somebody writes name nothing that is changed.
      ['close it, and comment "the disk is full"', "OPS-4"],
      ["close it and comment: the disk is full", "OPS-4"],
      ["close the disk ticket", "OPS-17"],
      ["close the printer ticket", "OPS-4"],
    ] as const)
      expect(said(message, key)).toMatchObject({ question: { fields: ["issue_key"] } });
  });

  it("[plan.anchors] are changed by their number where what was asked for last is of the same project", () => {
    const titled = [...known, { kind: "issue", id: "OPS-16", name: "Single sign-on", server: "jira" }];
    const behind = (issue_key: string): PastTurn =>
      pastTurn("…", { calls: [{ tool: "jira.transition_issue", args: close(issue_key), derived: false }] });
    const said = (message: string, key: string, last: string): unknown =>
      check(message, "jira.transition_issue", close(key), {
        known: titled,
        isBuiltin: true,
        history: [behind(last)],
      });
    expect(said("close 16 too", "OPS-16", "OPS-17")).toEqual(OK);
    for (const [message, key, last] of [
      ["close 16 too", "OPS-16", "DEMO-17"],
      ["close 16 too", "OPS-18", "OPS-17"],
      ["close it in 16 days", "OPS-16", "OPS-17"],
      ['close it and comment "16"', "OPS-16", "OPS-17"],
    ] as const)
      expect(said(message, key, last)).toMatchObject({ question: { fields: ["issue_key"] } });
  });
});

it("[plan.sources] a number beside a key names a record of the same project, where that is there", () => {
  const issue = (id: string): { kind: string; id: string; name: string; server: string } => ({
    kind: "issue",
    id,
    name: "A title",
    server: "jira",
  });
  const known = [
    { kind: "project", id: "DEMO", name: "Demo Shop", server: "jira" },
    issue("DEMO-3"),
    issue("DEMO-4"),
  ];
  const close = (issue_key: string, message: string): unknown =>
    check(message, "jira.transition_issue", { issue_key, status: "Done" }, { known, isBuiltin: true });
  expect(close("DEMO-4", "close DEMO-3 and 4")).toEqual(OK);
  expect(close("DEMO-5", "close DEMO-3 and 5")).toHaveProperty("question");
  expect(close("DEMO-4", "close DEMO-3 in 4 days")).toHaveProperty("question");
});
