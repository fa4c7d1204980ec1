import { describe, expect, it } from "vitest";

import { asAnother } from "#src/plan/builtin/as-another.ts";

import { demoTools, peopleAndStates, planInput } from "./tools.ts";

const tools = await demoTools();
const record = {
  id: "MOB-8",
  parent: "MOB-1",
  people: [
    { role: "reporter", name: "Emi Tanaka" },
    { role: "assignee", name: "Farid Haddad" },
  ],
};
const data = {
  key: "MOB-8",
  status: "To Do",
  priority: "High",
  due_date: "2026-12-15",
  labels: ["release", "beta"],
};

function read(message: string): { reads: readonly string[]; text: string | undefined } | undefined {
  const found = asAnother(planInput(message, tools, { known: peopleAndStates }));
  return found && { reads: found.reads, text: found.resolve([{ record, data }])?.text };
}

describe("[llm.builtin] a value that another record has", () => {
  it.each([
    ["give DEMO-4 the same due date as MOB-8", "set the due date of DEMO-4 to 2026-12-15"],
    ["make DEMO-4 due a week after MOB-8", "set the due date of DEMO-4 to 2026-12-22"],
    ["DEMO-4 should be due two days before MOB-8 is due", "set the due date of DEMO-4 to 2026-12-13"],
    ["DEMO-4 must be due the day before MOB-8", "set the due date of DEMO-4 to 2026-12-14"],
    ["make DEMO-4 due on the same day as MOB-8", "set the due date of DEMO-4 to 2026-12-15"],
    ["move the due date of DEMO-4 to 3 days after MOB-8", "set the due date of DEMO-4 to 2026-12-18"],
    ["set the due date of DEMO-4 to that of MOB-8", "set the due date of DEMO-4 to 2026-12-15"],
    ["same prio for DEMO-4 as MOB-8 please", "set the priority of DEMO-4 to High please"],
    ["DEMO-4 should have the same priority as MOB-8", "set the priority of DEMO-4 to High"],
    ["put DEMO-4 and DEMO-5 in the same epic as MOB-8", "put DEMO-4 and DEMO-5 under epic MOB-1"],
    ["DEMO-4 belongs in the same epic as MOB-8", "put DEMO-4 under epic MOB-1"],
    ["give DEMO-4 to the same person as MOB-8", "assign DEMO-4 to Farid Haddad"],
    ["move DEMO-4 to the same status as MOB-8", "move DEMO-4 to To Do"],
    ["copy the labels from MOB-8 to DEMO-4", "add the labels release and beta to DEMO-4"],
    ["label DEMO-4 like MOB-8", "add the labels release and beta to DEMO-4"],
    [
      "give DEMO-4 the same priority as MOB-8, and close DEMO-5",
      "set the priority of DEMO-4 to High, and close DEMO-5",
    ],
    ["does DEMO-4 have the same priority as MOB-8", "does DEMO-4 have high priority"],
    ["which bugs have the same priority as MOB-8?", "which bugs have high priority?"],
  ])("%s", (message, text) => {
    expect(read(message)).toEqual({ reads: ["MOB-8"], text });
  });

  it("is read of what is called by its title", () => {
    expect(read("give DEMO-4 the same due date as the beta test")).toEqual({
      reads: ["the beta test"],
      text: "set the due date of DEMO-4 to 2026-12-15",
    });
  });

  it.each([
    "comment on DEMO-4 that it has the same priority as MOB-8",
    "create a bug: it has the same status as MOB-8",
    "is DEMO-4 due before MOB-8?",
    "is DEMO-4 due a week after MOB-8?",
    "DEMO-4 is due a week after MOB-8",
    "if DEMO-4 has the same owner as MOB-8, close it",
    "swap the labels of DEMO-4 and MOB-8",
    "give DEMO-4 and DEMO-5 the same owner",
    "set the due date of DEMO-4 to friday",
  ])("is none: %s", (message) => {
    expect(read(message)).toBeUndefined();
  });
});
