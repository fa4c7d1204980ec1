import { describe, expect, it } from "vitest";

import type { PastTurn } from "#contract/plan.ts";
import { permitIf, taint } from "#src/base/tainted.ts";
import { correctionOf } from "#src/plan/builtin/correction.ts";
import { createDateReader } from "#src/plan/builtin/dates.ts";
import { itemsOf } from "#src/plan/builtin/lines.ts";
import { toOrders } from "#src/plan/builtin/orders.ts";
import { meant } from "#src/plan/builtin/rephrase.ts";
import { foreground } from "#src/plan/builtin/sentences.ts";
import { withApostrophes, withSpacedKeys } from "#src/plan/builtin/spelling.ts";
import { noted } from "#src/plan/builtin/told.ts";
import { createVerbs } from "#src/plan/builtin/verbs.ts";

const verbs = createVerbs();
const known = [
  { kind: "person", id: "ben", name: "Ben Okafor", server: "jira" },
  { kind: "person", id: "emi", name: "Emi Tanaka", server: "jira" },
  { kind: "project", id: "MOB", name: "Mobile App", server: "jira" },
];
// A Monday.
const context = { now: new Date(2026, 10, 23, 12), dates: createDateReader(), known, canSearch: false };

describe("[llm.builtin] a message of several lines", () => {
  it.each([
    [
      "1. move MOB-6 to In Review\n2. comment there: seen again",
      ["move MOB-6 to In Review", "comment there: seen again"],
    ],
    ["1) close DEMO-3 2) assign DEMO-4 to me", ["close DEMO-3", "assign DEMO-4 to me"]],
    [
      "please add as comments:\n- MOB-16: failed\n- MOB-9: passed",
      ["comment on MOB-16: failed", "comment on MOB-9: passed"],
    ],
    ["Please close these:\n- DEMO-3\n- DEMO-4 the old one", ["Please close DEMO-3 and DEMO-4"]],
    [
      "From triage:\n- MOB-17: assign to Ben\n- MOB-15: won't do",
      ["MOB-17: assign to Ben", "MOB-15: won't do"],
    ],
    ["scope:\n- project DEMO\n- in review", ["list issues project DEMO, in review"]],
    [
      "Create a bug in MOB\nTitle: Badge shows 0\nPriority: High\nLabels: offline, cart\nDescription:\n1. put a mug in\n2. restart",
      [
        "Create a bug in MOB, titled “Badge shows 0”, priority High, labels offline and cart, with the description: 1. put a mug in\n2. restart",
      ],
    ],
    [
      "Don't do this:\n- close DEMO-14\n- close DEMO-15",
      ["Don't do this:\n- close DEMO-14\n- close DEMO-15"],
    ],
    ["Ideas:\n- DEMO-14 to Emi\n- DEMO-15 to Ben", ["Ideas:\n- DEMO-14 to Emi\n- DEMO-15 to Ben"]],
    ["Dear all,\nplease look at DEMO-3\nthanks", ["Dear all,\nplease look at DEMO-3\nthanks"]],
  ])("%j", (message, items) => {
    expect(itemsOf(message, verbs)).toEqual(items);
  });
});

describe("[llm.builtin] what is only told beside a wish", () => {
  const front = (message: string): string => foreground(message, verbs, () => false).text;
  it.each([
    ["first week here! is there a checklist for new starters?", "is there a checklist for new starters?"],
    ["Retest list please: everything in review", "everything in review"],
    [
      "Two things about DEMO-15: please raise the priority to High",
      "DEMO-15: please raise the priority to High",
    ],
    ["DEMO-14 failed the retest. Send it back to In Progress", "DEMO-14: Send it back to In Progress"],
    ["The low ones can wait, so please show me only the medium ones", "please show me only the medium ones"],
    ["learning budget - how much is it per year?", "how much is the learning budget per year?"],
  ])("%s", (message, wish) => {
    expect(front(message)).toBe(wish);
  });

  it.each([
    // What is removed there is not the record.
    "OPS-13 has a due date in the past. Remove it",
    "OPS-13 is old. Delete it please",
    "The stories that nobody has - give them to emi",
    "If DEMO-3 is done. Close it",
    "Close DEMO-3. But not before Friday",
    'Ben wrote "close DEMO-1". Show it to me',
    "comment on DEMO-3: please close it",
    "OPS-9: won't do, please close it that way",
  ])("%s is left as it is", (message) => {
    expect(front(message)).toBe(message);
  });
});

describe("[llm.builtin] an order with other words around it", () => {
  const loosely = (message: string): { orders: string[] | undefined; aside: string[] } => {
    const aside: string[] = [];
    return { orders: toOrders(message, { ...context, aside }), aside };
  };

  it.each([
    ["OPS-4 really needs to go to ben while I travel", ["assign OPS-4 to ben"], ["really", "while I travel"]],
    ["hand DEMO-7 over to Ben, he knows the mailer", ["assign DEMO-7 to Ben"], ["he knows the mailer"]],
    ["we agreed that DEMO-11 moves back to To Do", ["move DEMO-11 to To Do"], ["agreed"]],
    ["let's get DEMO-6 off the ground, in progress please", ["move DEMO-6 to in progress"], ["ground"]],
  ])("%s", (message, orders, aside) => {
    expect(loosely(message)).toEqual({ orders, aside });
  });

  it.each([
    "Can you post a question for Ben in MOB-4",
    "Ben thinks DEMO-3 is high priority stuff",
    "ask Ben whether DEMO-3 should move to done",
    "why does DEMO-3 really go to review",
    "show me DEMO-3 please, highest kettle",
    "please don't ever move DEMO-3 to done",
    "maybe DEMO-3 could one day move to done",
    "delete the old notes of DEMO-3 and move on to review",
    "DEMO-3 or the other one should move to done",
    "should ship DEMO-3 unless Ben wants it in review",
    "DEMO-1 should be low really, thinks Emi",
    "In the retro somebody said: close DEMO-14 at last",
    "Assume DEMO-14 goes to Done, what would the board look like",
    "Close the DEMO-14 thing in three days",
    "I'm hesitant to move DEMO-15 to Done",
    "Please make sure nobody moves DEMO-14 to Done",
    "Please explain why DEMO-15 is high",
    "What a mess, Ben moved DEMO-1 to Done",
    "Assigning DEMO-14 to Emi was a bad idea",
    "The disk ticket DEMO-3 should have been done",
    "DEMO-14 needs a review by Emi",
    "Close the one that DEMO-1 waits for",
    "Can Ben quickly move DEMO-14 to Done",
    "close the issue that blocks DEMO-12",
    "move the parent of DEMO-12 to done please",
    "the ticket behind DEMO-3 should go to ben soon",
  ])("%s orders nothing", (message) => {
    expect(loosely(message).orders).toBeUndefined();
  });
});

describe("[llm.builtin] said as people say it", () => {
  it.each([
    ["I'm starting on MOB-20 now", "move MOB-20 to In Progress"],
    ["OPS-3 is mine", "assign OPS-3 to me"],
    ["I'll take DEMO-12, thanks", "assign DEMO-12 to me"],
    ["create a defect in MOB", "create a bug in MOB"],
    ["Can we close it?", "Can we close it?"],
    ['comment "OPS-3 is mine"', 'comment "OPS-3 is mine"'],
    ["DEMO-18 won't happen without Ben", "DEMO-18 won't happen without Ben"],
    ["DEMO-18 is code complete, says nobody", "DEMO-18 is code complete, says nobody"],
    ["DEMO-1 blocks DEMO-2, don't put it in", "DEMO-1 blocks DEMO-2, don't put it in"],
    ["The title of DEMO-15 should be shorter", "The title of DEMO-15 should be shorter"],
    ["DEMO-15 has no due date, Ben forgot", "DEMO-15 has no due date, Ben forgot"],
    ["Take me off DEMO-12, no keep me", "Take me off DEMO-12, no keep me"],
    ["I could take DEMO-12", "I could take DEMO-12"],
    ["Is it possible to move DEMO-15 to Done?", "Is it possible to move DEMO-15 to Done?"],
  ])("%s", (message, wish) => {
    expect(meant(message)).toBe(wish);
  });

  it.each([
    ["OPS-4 comment: vacuum done", "comment on OPS-4: vacuum done"],
    ["log on OPS-2: fired again", "comment on OPS-2: fired again"],
    ["Please DEMO-24 not delete, only a comment under it: can stay", "comment on DEMO-24: can stay"],
    [
      "I'd like to mention on OPS-17 that the replica is covered",
      "comment on OPS-17: the replica is covered",
    ],
    ["show the comments on DEMO-1: all", undefined],
    ["The note on DEMO-14 says: move to Done", undefined],
    ["add the label x to DEMO-1: y", undefined],
    ["new bug for DEMO-1: comment is lost", undefined],
    ["comment on DEMO-1 and DEMO-2: done", undefined],
  ])("%s is a comment", (message, comment) => {
    expect(noted(message, false)).toBe(comment);
  });

  it("knows keys with a blank and names without an apostrophe", () => {
    expect(withSpacedKeys("show me mob 16", known)).toBe("show me MOB-16");
    expect(withSpacedKeys("the last mob 5 tickets", [])).toBe("the last mob 5 tickets");
    expect(withSpacedKeys('say "mob 16"', known)).toBe('say "mob 16"');
    expect(withApostrophes("just bens", known)).toBe("just ben's");
  });

  it.each([
    ["close MOB-3 and 4", "close MOB-3 and MOB-4"],
    ["mob 3, 4 and 5 are done", "MOB-3, MOB-4 and MOB-5 are done"],
    ["the prio of mob-3 n mob 4 to medium", "the prio of mob-3 and MOB-4 to medium"],
    // What is not there, or counts something else, is no key.
    ["close MOB-3 and 99", "close MOB-3 and 99"],
    ["set the due date of MOB-3 and 5 december", "set the due date of MOB-3 and 5 december"],
    ["push MOB-3, 4 dec is better", "push MOB-3, 4 dec is better"],
    ["MOB-3 and 4 others", "MOB-3 and 4 others"],
    ['comment on MOB-3: "4, 5"', 'comment on MOB-3: "4, 5"'],
  ])("reads a number beside a key as one of the same project: %s", (message, keyed) => {
    const issues = ["MOB-3", "MOB-4", "MOB-5"].map((id) => ({
      kind: "issue",
      id,
      name: "A title",
      server: "jira",
    }));
    expect(withSpacedKeys(message, [...known, ...issues])).toBe(keyed);
  });
});

describe("[llm.builtin] a correction of what was said before", () => {
  const after = (last: string): PastTurn[] => [
    { message: last, reply: taint(""), ...permitIf(true), calls: [] },
  ];
  it.each([
    ["Ah no wait, I meant Emi.", "assign DEMO-1 to Ben please", "assign DEMO-1 to Emi please"],
    ["no, low", "set the priority of DEMO-1 to high", "set the priority of DEMO-1 to low"],
    ["sorry, to review", "move DEMO-1 to done", undefined],
    ["no, Emi", "assign DEMO-1 to Ben and DEMO-2 to Emi", undefined],
    ["no", "assign DEMO-1 to Ben", undefined],
    ["if she's busy, Emi instead", "assign DEMO-1 to Ben", undefined],
    ["Emi", "assign DEMO-1 to Ben", undefined],
  ])("%s, after %s", (message, last, meantThen) => {
    expect(correctionOf(message, after(last), known)?.text).toBe(meantThen);
  });
});
