import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import asked from "#src/plan/builtin/asked.json" with { type: "json" };
import { bySense } from "#src/plan/builtin/by-sense.ts";
import { createDateReader } from "#src/plan/builtin/dates.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import learnt from "#src/plan/builtin/sense.json" with { type: "json" };
import { senseOf } from "#src/plan/builtin/sense.ts";
import { likeliestIssue } from "#src/plan/builtin/titles.ts";

import { demoTools, observed, peopleAndStates, planInput } from "./tools.ts";

const server = "jira";
const known = [
  ...peopleAndStates,
  { kind: "issue", id: "MOB-9", name: "Push notification arrives hours too late", server },
  { kind: "issue", id: "MOB-14", name: "Scan a barcode and compare the price", server },
  { kind: "issue", id: "OPS-18", name: "Coffee machine on the second floor", server },
];
// A Monday.
const context = { now: new Date(2026, 10, 23, 12), dates: createDateReader(), known };
const ordersIn = (message: string, about?: string): string[] | undefined =>
  bySense(message, about === undefined ? context : { ...context, about });

describe("[llm.builtin] what a sentence wants", () => {
  it("was learnt from the examples as they are: `npm run sense` learns it again", async () => {
    const [said = "", listed = "", remarks = ""] = await Promise.all(
      ["examples", "lists", "remarks"].map((name) => readFile(`scripts/sense/${name}.tsv`, "utf8")),
    );
    const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
    expect(digestOf(said + remarks)).toBe(learnt.digest);
    expect(digestOf(said + listed)).toBe(asked.digest);
    const labelsOf = (text: string): Set<string> =>
      new Set(
        text
          .trimEnd()
          .split("\n")
          .flatMap((line) => line.split("\t")[0]?.split(" ") ?? []),
      );
    expect(labelsOf(said)).toEqual(new Set(learnt.heads.sense));
    expect(labelsOf(listed)).toEqual(
      new Set(
        Object.values(asked.heads)
          .flat()
          .filter((value) => value !== ""),
      ),
    );
  });
  it.each([
    ["take me off KEY", "unassign"],
    ["we decided against KEY, nobody needs it", "wontdo"],
    ["KEY is merged and deployed, you can tick it off", "done"],
    ["KEY broke again on the weekend", "reopen"],
    ["let PERSON have KEY", "assign"],
    ["PERSON says KEY is done", "told"],
    ["how many bugs are open in mobile?", "find"],
    ["how do I get a parking spot?", "wiki"],
  ])("%s: %s", (sentence, sense) => {
    expect(senseOf(sentence)).toMatchObject({ sense });
  });
});

describe("[llm.builtin] a change in words that no rule knows", () => {
  it.each([
    ["OPS-4: vacuum ran on Sunday, disk at 41 %. You can tick it off.", ["move OPS-4 to Done"]],
    ["That means MOB-15 is off the table, we won't be building it.", ["move MOB-15 to Won't Do"]],
    ["Ben is out until the 14th, so I'd like Farid to own OPS-16 from here on.", ["assign OPS-16 to Farid"]],
    ["take me off OPS-13, DNS and I are no longer on speaking terms", ["unassign OPS-13"]],
    [
      "Give DEMO-15 to Emi and make it high, the contract starts costing us money.",
      ["assign DEMO-15 to Emi", "set the priority of DEMO-15 to high"],
    ],
    ["could you shove OPS-9 out of the backlog into to do?", ["move OPS-9 to To Do"]],
  ])("%s", (message, orders) => {
    expect(ordersIn(message)).toEqual(orders);
  });
  it("is about what is on the screen where it says so", () => {
    expect(ordersIn("that one is wrapped up, please close it", "it")).toEqual(["move it to Done"]);
    expect(ordersIn("done!", "it")).toBeUndefined();
  });
});

describe("[llm.builtin] what is only said, doubted or forbidden is no change in any words", () => {
  it.each([
    "DEMO-14 is live, Ben claims",
    "DEMO-14 is live... I wish",
    "In the retro somebody said: close DEMO-14",
    "Refrain from closing DEMO-14",
    "DEMO-1 should be low. Don't change it yet",
    "Emi has moved DEMO-1 to In Review",
    "Hi Emi, can you take DEMO-15",
    "Close the issues in the epic DEMO-10",
    "Neither DEMO-14 nor DEMO-15 is done",
    "I'll do DEMO-12 after the holidays",
    "DEMO-14 is done but DEMO-15 is not",
    'the ticket says "close DEMO-14"',
    "who moved OPS-8 to review",
    "Set the blocker of DEMO-15 to highest",
    "assign OPS-6 to somebody",
    "I'm looking for DEMO-14, that bug with the discount code",
    "close everything in DEMO-10",
  ])("%s", (message) => {
    expect(ordersIn(message)).toBeUndefined();
  });
  it("links two records as the sentence says that names both", () => {
    expect(ordersIn("OPS-19 cannot start before OPS-4 is done. Link them so.")).toEqual([
      "link OPS-19 is blocked by OPS-4",
    ]);
  });

  it("leaves a state alone that the server does not have", () => {
    const none = known.filter(({ name }) => name !== "Won't Do");
    expect(
      bySense("MOB-15 won't be done, we decided against it", { ...context, known: none }),
    ).toBeUndefined();
  });
});

describe("[llm.builtin] the record of a message that is known to be about one", () => {
  it("is the one whose title has its words, where no other comes near", () => {
    const find = (message: string): string | undefined => likeliestIssue(message, known)?.id;
    expect(find("Tested the late push notification on three devices")).toBe("MOB-9");
    expect(find("Legal has killed the barcode price comparison")).toBe("MOB-14");
    expect(find("the coffee is cold")).toBeUndefined();
    expect(find("I am done")).toBeUndefined();
  });
});

describe("[llm.builtin] a change that was read in other words", () => {
  it("ends when all of it is done, without a word about what the rules did not understand", async () => {
    const planner = createBuiltinPlanner();
    const input = planInput(
      "Give DEMO-15 to Emi and make it high, the contract starts costing us money.",
      await demoTools(),
      { known },
    );
    const { text, further = [], notice } = planner.plan(input);
    expect([text, ...further].join("\n")).toMatch(/TASK[^]*assign_issue[^]*TASK[^]*update_issue/);
    expect(notice).toContain("as: Give DEMO-15 to Emi; set the priority of DEMO-15 to high");
    const observations = [
      observed("jira.assign_issue", { issue_key: "DEMO-15", assignee: "emi" }),
      observed("jira.update_issue", { issue_key: "DEMO-15", fields: { priority: "High" } }),
    ];
    const last = planner.plan({ ...input, observations });
    expect(last.text).toContain("final_answer");
    expect(last.notice).toBeUndefined();
  });
  it("[plan.nothing-dropped] of two wishes in a sentence of which the rules know one, both are asked for", async () => {
    const message = "OPS-6 and OPS-20 are mine now, both in progress as of this coffee";
    const {
      text,
      further = [],
      notice,
    } = createBuiltinPlanner().plan(planInput(message, await demoTools(), { known: peopleAndStates }));
    const asked = [text, ...further].join("\n");
    expect(asked.match(/(?:assign|transition)_issue","args":\{"issue_key":"OPS-(?:6|20)"/g)).toHaveLength(4);
    expect(notice).toContain("assign OPS-6 and OPS-20 to me; move OPS-6 and OPS-20 to In Progress");
  });
});
