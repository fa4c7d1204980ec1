import { readFileSync } from "node:fs";

import { beforeAll, describe, expect, it } from "vitest";

import type { KnownName } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import { doubtOf } from "#src/plan/builtin/doubt.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";

import { amount } from "../../amount.ts";
import { catalogueOf, demoTools, observed, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();
const known: KnownName[] = [
  ...["Ben Okafor", "Emi Tanaka", "Chloé Martin", "Farid Haddad", "Ana Lindqvist"].map((name) => ({
    kind: "person",
    id: (name.split(" ")[0] ?? "").normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase(),
    name,
    server: "jira",
  })),
  ...["To Do", "In Progress", "In Review", "Done", "Won't Do", "Backlog"].map((name) => ({
    kind: "status",
    id: name,
    name,
    server: "jira",
  })),
];
known.push(
  ...["DEMO", "MOB", "OPS"].map((id) => ({ kind: "project", id, name: `Project ${id}`, server: "jira" })),
);
let tools: Tool[];

beforeAll(async () => {
  tools = await demoTools();
});

/** The changes that a message leads to, as `tool key value`. */
function changes(message: string): string[] {
  const plan = planner.plan({ ...planInput(message, tools), known });
  return [plan.text, ...(plan.further ?? [])].flatMap((text) => {
    const parsed = parsePlan(text, catalogueOf(tools));
    return parsed.ok
      ? parsed.commands.flatMap((one) =>
          one.command === "TASK" ? [[one.tool, ...Object.values(one.args).map(String)].join(" ")] : [],
        )
      : [];
  });
}

it("[plan.anchors] remarks about records change nothing", () => {
  const remarks = readFileSync(new URL("../../fixtures/remarks.txt", import.meta.url), "utf8");
  const all = remarks.split("\n").filter((remark) => remark !== "");
  const some = amount(
    all,
    all.filter((_, at) => at % 4 === 0),
  );
  const wrong = some.flatMap((remark) => {
    const proposed = changes(remark);
    return proposed.length === 0 ? [] : [{ remark, proposed }];
  });
  expect(wrong).toEqual([]);
});

it("[plan.anchors] what was doubted is not asked for once it is shown", () => {
  const message = "DEMO-12 looks done to me";
  expect(changes(message)).toEqual([]);
  const seen = observed("jira.get_jira_issue", { issue_key: "DEMO-12" }, { data: { key: "DEMO-12" } });
  const { text } = planner.plan({ ...planInput(message, tools), known, observations: [seen] });
  expect(text).toContain("final_answer");
});

describe("[plan.anchors] what makes an order doubtful is no order", () => {
  it.each([
    // A record that is only named beside the one that is meant
    "close DEMO-12 as it is covered by DEMO-15",
    "when v2.0 is out, close DEMO-12",
    "close DEMO-12 since DEMO-15 is done",
    "close DEMO-12 (see DEMO-15)",
    "set DEMO-12 to highest as DEMO-15 waits for it",
    "RE: DEMO-12 done -- assign DEMO-15 to emi",
    "as DEMO-3 is done, you can start MOB-4",
    // … or has a clause of its own
    "DEMO-12 stays with ben, DEMO-15 goes to emi",
    "DEMO-12 and DEMO-15 are fine, DEMO-18 to in progress",
    "DEMO-11 waits, DEMO-12 to done",
    "DEMO-11 is blocked, DEMO-12 is done",
    "DEMO-11 next, DEMO-12 to emi",
    // Second thoughts
    "assign DEMO-4 to ben... actually no, to chloe",
    "close DEMO-12 - oops, wrong one, DEMO-11",
    "close DEMO-12 *DEMO-11",
    "set DEMO-19 to high, on second thought leave it",
    "set DEMO-19 to high. Forget it.",
    // One of several, and not which
    "close one of DEMO-12 and DEMO-15",
    // Advice against it
    "hold off on closing DEMO-12, DEMO-11 can be closed",
    "close DEMO-12, but not before friday",
    "DEMO-12 must be finished before DEMO-15",
    "connect me with DEMO-12's owner",
    "nobody should close DEMO-12",
    "it's too early to close DEMO-14",
    "would you close DEMO-12 or keep it?",
    "demo-19 to high? to low? idk",
    // To tell somebody is to give them nothing
    "update emi on DEMO-12",
    "flag DEMO-12 for emi",
    "give emi a hand with DEMO-12",
    "put emi in the loop on DEMO-12",
    "raise DEMO-12 with ana",
    // Somebody else is to do it
    "let ben close DEMO-12",
    "get ben to close DEMO-12",
    "create a task for ben to close DEMO-12",
    // Quotes, reports and examples
    "> assign DEMO-4 to ben",
    "e.g. close DEMO-12",
    "[JIRA] Ben Okafor changed status of DEMO-12 to Done",
    // A condition, or another time
    "whenever DEMO-14 is done, start DEMO-15",
    "after the release on friday, close DEMO-12",
    "at 5pm close DEMO-12",
    // Facts that are no values
    "close DEMO-12 due to low demand",
    "set DEMO-12 to highest, due to the launch on 5 december",
    "put DEMO-12 in the low priority section of the wiki",
    "mark DEMO-12 done in the spreadsheet",
    "demo-19 is set too high",
    // Words that mean less than they might
    "drop DEMO-12",
    "revert back on DEMO-14",
    "close the window DEMO-12",
  ])("%s", (message) => {
    expect(changes(message)).toEqual([]);
  });

  it.each<[string, string[]]>([
    ["close DEMO-12, nobody needs it", ["jira.transition_issue DEMO-12 Done"]],
    [
      "close DEMO-12 and DEMO-15",
      ["jira.transition_issue DEMO-12 Done", "jira.transition_issue DEMO-15 Done"],
    ],
    [
      "assign DEMO-4 to ben and DEMO-12 to emi",
      ["jira.assign_issue DEMO-4 ben", "jira.assign_issue DEMO-12 emi"],
    ],
    [
      "move DEMO-12 and also DEMO-15 to in progress please",
      ["jira.transition_issue DEMO-12 In Progress", "jira.transition_issue DEMO-15 In Progress"],
    ],
    ["assign MOB-8 to emi because ben is away", ["jira.assign_issue MOB-8 emi"]],
    ["before you close DEMO-14, please assign DEMO-15 to emi", ["jira.assign_issue DEMO-15 emi"]],
    ["hey, please assign DEMO-4 to ben", ["jira.assign_issue DEMO-4 ben"]],
    ["delete DEMO-24", ["jira.delete_issue DEMO-24"]],
    ["please assign DEMO-4 to ben as soon as possible", ["jira.assign_issue DEMO-4 ben"]],
    ["hi, please put ben on DEMO-4", ["jira.assign_issue DEMO-4 ben"]],
    ["DEMO-4 is one of the oldest, close it", ["jira.transition_issue DEMO-4 Done"]],
    ["update the assignee of DEMO-4 to ben", ["jira.assign_issue DEMO-4 ben"]],
  ])("%s: is one", (message, expected) => {
    expect(changes(message)).toEqual(expected);
  });

  it("a line replaces no whole page, and a part of any message is told in plain signs", () => {
    const page = tools.find(({ name }) => name === "update_page");
    const issue = tools.find(({ name }) => name === "transition_issue");
    if (page === undefined || issue === undefined) throw new Error("expected both tools of the demo");
    const edit = { tool: page, args: { page_id: "2003", body: "friday is ben" } };
    expect(doubtOf("update the on-call guide: friday is ben", [edit], known)).toBe("page");
    expect(doubtOf("replace the text of the on-call guide: friday is ben", [edit], known)).toBeUndefined();
    const move = (key: string) => ({ tool: issue, args: { issue_key: key, status: "Done" } });
    const said = `close DEMO-12 ("${"so long ".repeat(20_000)}") DEMO-15`;
    expect(doubtOf(said, [move("DEMO-12"), move("DEMO-15")], known)).toEqual({ part: "DEMO-12 (…)" });
  });

  it("says what made it doubtful, and shows the record", () => {
    const plan = planner.plan({ ...planInput("let ben close DEMO-12", tools), known });
    expect(plan.text).toContain("get_jira_issue");
    expect(plan.notice).toMatch(/^“let ben close” makes me doubt/);
  });
});
