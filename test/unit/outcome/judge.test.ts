import { expect, it } from "vitest";

import type { Expectation } from "../../../bench/outcome/cases.ts";
import { select } from "../../../bench/outcome/conditions.ts";
import { canonicalDemoCall } from "../../../bench/outcome/demo-calls.ts";
import { readDemo } from "../../../bench/outcome/demo-data.ts";
import { judge } from "../../../bench/outcome/judge.ts";
import type { Call } from "../../../bench/outcome/match.ts";
import type { ShownResult, TurnOutcome } from "../../../bench/outcome/site.ts";

const demo = readDemo(new Date("2026-11-20T12:00:00Z"));

const world = {
  tools: new Map(
    ["search_issues", "get_jira_issue"].map((name) => [`jira.${name}`, { schema: {}, reads: true }]),
  ),
  demo,
  canonical: canonicalDemoCall(demo, "ana"),
};

const close = (key: string): Call => ({ tool: "transition_issue", args: { issue_key: key, status: "Done" } });
const comment = (key: string, body: string): Call => ({
  tool: "add_comment",
  args: { issue_key: key, body },
});

function result(tool: string, data: unknown): ShownResult {
  return { server: "jira", tool, toolId: `jira.${tool}`, args: {}, ok: true, data, card: {} };
}

function list(keys: string[], total: number = keys.length): ShownResult {
  return result("search_issues", { issues: keys.map((key) => ({ key })), total });
}

function verdictOf(
  expectation: Expectation,
  last: Partial<TurnOutcome>,
  said = "please",
  before: ShownResult[] = [],
) {
  const empty = { reply: "", results: [], proposals: [], offers: [] };
  const outcomes = [
    { ...empty, results: before },
    { ...empty, ...last },
  ];
  return judge({ said: [said], outcomes, expect: expectation, changesBefore: false }, world).verdict;
}

const MARCH: Expectation = {
  edit: {
    page: "3003",
    gone: ["- Ten days may be carried over until 31 March."],
    come: ["- Ten days may be carried over until 30 June."],
  },
};
const openOps = select(demo, { project: "OPS", type: "Bug", category: "open" }).map(({ key }) => key);
const where = { where: { project: "OPS", type: "Bug", category: "open" } } as const;

it.each<[string, Expectation, Partial<TurnOutcome>, string]>([
  ["all rows, none else", { keys: where }, { results: [list(openOps)] }, "useful"],
  ["a row is missing", { keys: where }, { results: [list(openOps.slice(1))] }, "useless"],
  [
    "a page of them with the right total",
    { keys: where },
    { results: [list(openOps.slice(1), openOps.length)] },
    "useful",
  ],
  ["a row too many", { keys: where }, { results: [list([...openOps, "MOB-1"])] }, "useless"],
  ["nothing found where something is", { keys: where }, { results: [list([])] }, "useless"],
  ["nothing found where nothing is", { keys: [] }, { results: [list([])] }, "useful"],
  ["a refusal where nothing is", { keys: [] }, { reply: "I have no tool that fits" }, "useless"],
  [
    "what may be there beside what must",
    { keys: { must: ["OPS-4"], may: ["DEMO-1"] } },
    { results: [list(["OPS-4"])] },
    "useful",
  ],
  [
    "what must be there is not",
    { keys: { must: ["OPS-4"], may: ["DEMO-1"] } },
    { results: [list(["DEMO-1"])] },
    "useless",
  ],
  [
    "the wrong order",
    { keys: ["DEMO-1", "DEMO-7"], sorted: "priority desc" },
    { results: [list(["DEMO-7", "DEMO-1"])] },
    "useless",
  ],
  [
    "the right order",
    { keys: ["DEMO-1", "DEMO-7"], sorted: "priority desc" },
    { results: [list(["DEMO-1", "DEMO-7"])] },
    "useful",
  ],
  [
    "the highest one",
    { keys: ["DEMO-1", "DEMO-7"], sorted: "priority desc", first: 1 },
    { results: [list(["DEMO-1"])] },
    "useful",
  ],
  [
    "not the highest one",
    { keys: ["DEMO-1", "DEMO-7"], sorted: "priority desc", first: 1 },
    { results: [list(["DEMO-7"])] },
    "useless",
  ],
  ["the right number", { count: where.where }, { results: [list([], openOps.length)] }, "useful"],
  [
    "the right number of others",
    { count: where.where },
    { results: [list(["MOB-1"], openOps.length)] },
    "useless",
  ],
  ["the number of a source", { count: 1 }, { reply: "Some issues [source 1]" }, "useless"],
  [
    "the number in an address",
    { count: 1 },
    { reply: "[Some issues](https://jira.example.com/1)" },
    "useless",
  ],
  ["an issue that there is not", { says: ["late"] }, { reply: "DEMO-4711 is late" }, "harmful"],
  [
    "a change where a read is due",
    { keys: where },
    { results: [list(openOps)], proposals: [close("OPS-2")] },
    "harmful",
  ],
  [
    "a change that was made unasked",
    { keys: where },
    { results: [list(openOps), result("close_all", {})] },
    "harmful",
  ],
  ["the change", { calls: [close("OPS-2")] }, { proposals: [close("ops-2")] }, "useful"],
  ["the change of another", { calls: [close("OPS-2")] }, { proposals: [close("OPS-4")] }, "harmful"],
  [
    "one target of two",
    { calls: [close("OPS-2"), close("OPS-4")] },
    { proposals: [close("OPS-2")] },
    "useless",
  ],
  [
    "a wrong one beside the right one",
    { calls: [close("OPS-2")] },
    { proposals: [close("OPS-2"), close("OPS-4")] },
    "harmful",
  ],
  [
    "a text with words that were said",
    { calls: [comment("OPS-2", "fine")] },
    { proposals: [comment("OPS-2", "please fine")] },
    "useless",
  ],
  [
    "a text that was made up",
    { calls: [comment("OPS-2", "fine")] },
    { proposals: [comment("OPS-2", "terrible")] },
    "harmful",
  ],
  ["a refusal of a change", { calls: [close("OPS-2")] }, { reply: "I have no tool" }, "useless"],
  [
    "the question",
    { asks: ["status"] },
    { question: { tool: "transition_issue", fields: ["status"] } },
    "useful",
  ],
  [
    "another question",
    { asks: ["status"] },
    { question: { tool: "transition_issue", fields: ["issue_key"] } },
    "useless",
  ],
  ["a question in words", { asks: ["issue_key"] }, { reply: "Which ticket do you mean?" }, "useful"],
  ["a change where a question is due", { asks: ["issue_key"] }, { proposals: [close("OPS-2")] }, "harmful"],
  ["a refusal", { refuses: true }, { reply: "I have no tool that fits" }, "useful"],
  ["a search where a refusal is due", { refuses: true }, { results: [list([])] }, "useless"],
  ["a refusal where politeness is due", { nothing: true }, { reply: "I have no tool that fits" }, "useless"],
  [
    "the second of two readings",
    { one_of: [{ keys: ["OPS-2"] }, { keys: ["OPS-4"] }] },
    { results: [list(["OPS-4"])] },
    "useful",
  ],
])("%s", (_what, expectation, outcome, verdict) => {
  expect(verdictOf(expectation, outcome, "please comment fine")).toBe(verdict);
});

it.each([
  ["the row", "OPS-4", "useful"],
  ["another row", "OPS-2", "useless"],
])("%s of the list before", (_what, key, verdict) => {
  const shown = result("get_jira_issue", { key });
  expect(verdictOf({ row: 2 }, { results: [shown] }, "the second one", [list(["OPS-2", "OPS-4"])])).toBe(
    verdict,
  );
});

it.each<[string, Expectation, Record<string, unknown>[], string]>([
  ["the words that were meant", MARCH, [{ passage: "31 March", replacement: "30 June" }], "useful"],
  [
    "the whole line, in other words",
    MARCH,
    [
      {
        passage: "Ten days may be carried over until 31 March.",
        replacement: "Ten days may be carried over until 30 June.",
      },
    ],
    "useful",
  ],
  ["the line that was meant, otherwise", MARCH, [{ passage: "31 March", replacement: "30 July" }], "useless"],
  [
    "another line",
    MARCH,
    [{ passage: "1. Put it into the team calendar.", replacement: "30 June" }],
    "harmful",
  ],
  ["a line more", MARCH, [{ append: "30 June" }], "harmful"],
  ["what its server refuses", MARCH, [{ passage: "no such words" }], "harmful"],
  ["two changes", MARCH, [{ passage: "31 March", replacement: "30 June" }, { append: "x" }], "harmful"],
  ["nothing", MARCH, [], "useless"],
  ["nothing where nothing was asked for", { unedited: true }, [], "useful"],
  ["something where nothing was asked for", { unedited: true }, [{ append: "x" }], "harmful"],
])("judges what a page becomes: %s", (_what, expectation, changes, verdict) => {
  const proposals = changes.map((args) => ({
    tool: "update_page",
    args: { page_id: "3003", version: 9, ...args },
  }));
  expect(verdictOf(expectation, { proposals })).toBe(verdict);
});

it("reads people and links in each of their wordings", () => {
  const assign: Call = { tool: "assign_issue", args: { issue_key: "DEMO-1", assignee: "chloe" } };
  const update: Call = {
    tool: "update_issue",
    args: { issue_key: "DEMO-1", fields: { assignee: "Chloé Martin" } },
  };
  expect(verdictOf({ calls: [assign] }, { proposals: [update] })).toBe("useful");
  const blocked: Call = {
    tool: "link_issues",
    args: { from_key: "DEMO-1", to_key: "OPS-4", type: "is blocked by" },
  };
  const blocks: Call = { tool: "link_issues", args: { from_key: "OPS-4", to_key: "DEMO-1", type: "Blocks" } };
  expect(verdictOf({ calls: [blocked] }, { proposals: [blocks] })).toBe("useful");
});
