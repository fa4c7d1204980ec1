import { describe, expect, it } from "vitest";

import { filed } from "#src/plan/builtin/filed.ts";
import { ordersBehind, withQuotedIssue } from "#src/plan/builtin/new-issue.ts";
import { withDetails } from "#src/plan/builtin/several.ts";

import { named } from "./tools.ts";

const known = [
  named("person", "ben", "Ben Okafor"),
  named("person", "emi", "Emi Tanaka"),
  named("project", "DEMO", "Demo Shop"),
  named("project", "MOB", "Mobile App"),
  named("epic", "DEMO-10", "Checkout redesign"),
];

describe("[plan.nothing-dropped] a new issue with what is said of it", () => {
  it.each([
    ["create a bug in DEMO: the map is empty", "create a bug in DEMO titled “the map is empty”"],
    [
      "create a bug in DEMO: the map is empty, high prio and assign it to ben",
      "create a bug in DEMO titled “the map is empty”, priority high, assigned to ben",
    ],
    ["task: the map is empty (in MOB)", "create a task titled “the map is empty”, in MOB"],
    ["bug mob: the map is empty", "create a bug in MOB titled “the map is empty”"],
    [
      "new bug for the app: the map is empty, due 20.12., labels maps and tiles, ben",
      'create a bug in MOB titled “the map is empty”, due 20 december, labels "maps" and "tiles", assigned to ben',
    ],
    [
      "story in DEMO: save a basket. checkout redesign epic, low prio, nobody yet",
      "create a story in DEMO titled “save a basket”, under checkout redesign epic, priority low",
    ],
    [
      "need ticket, customers get no mail at all. bug, shop, not urgent, ben",
      "create a bug titled “customers get no mail at all”, in DEMO, priority low, assigned to ben",
    ],
    // Of several values one is not known: it is said.
    [
      "task in MOB: proofread the texts. due 10 december, for ben, same epic as the screenshots",
      "create a task in MOB titled “proofread the texts”, due 10 december, assigned to ben. same epic as the screenshots",
    ],
    ["in MOB: new task: the map is empty", "create a task in MOB titled “the map is empty”"],
    ["in MOB: new task 'the map is empty', for ben", "new task in MOB titled 'the map is empty', for ben"],
    ["make a story in DEMO saying the map is empty", "create a story in DEMO titled “the map is empty”"],
    [
      "I'd like to file a bug: the map is empty. It's for the mobile app, medium would do. Thanks a lot!",
      "create a bug titled “the map is empty”, in MOB, priority medium",
    ],
    [
      "new bug in DEMO: the map is empty. Saw it twice today, low is fine",
      "create a bug in DEMO titled “the map is empty”, priority low, description “Saw it twice today, low is fine”",
    ],
    [
      "create a task in DEMO for me: water the plants",
      "create a task in DEMO titled “water the plants”, assigned to me",
    ],
    ["can you create a task in DEMO for me: water it", "create a task in DEMO titled “water it”"],
    // All of it is the title.
    [
      "create a task in DEMO: small, medium and high",
      "create a task in DEMO titled “small, medium and high”",
    ],
  ])("%s", (message, order) => {
    expect(withQuotedIssue(message, known)).toBe(order);
  });

  it("takes what was told before it as its title", () => {
    expect(filed("the map is empty - please create a bug in DEMO for that", known)).toBe(
      "create a bug in DEMO titled “the map is empty”",
    );
  });

  it.each([
    "bugs in DEMO: which are open?",
    "bug in DEMO: who has it?",
    "create a bug in DEMO: it is slow. Assign it to Ben and comment on DEMO-4: hi",
    'create a bug in DEMO: "the map is empty"',
    "comment on DEMO-1: create a bug",
  ])("stays: %s", (message) => {
    expect(withQuotedIssue(message, known)).toBe(message);
  });
});

describe("[plan.nothing-dropped] what a record shall have, in one sentence", () => {
  it.each([
    [
      "assign DEMO-4 to ben, prio high, due 15 december and label it seo",
      "assign DEMO-4 to ben; set the priority of DEMO-4 to high; set the due date of DEMO-4 to 15 december; add the label seo to DEMO-4",
    ],
    [
      "DEMO-4: high, due monday, mine",
      "set the priority of DEMO-4 to high; set the due date of DEMO-4 to monday; assign DEMO-4 to me",
    ],
    ["DEMO-4 -> emi, in review", "assign DEMO-4 to emi; move DEMO-4 to in review"],
  ])("%s", (message, orders) => {
    expect(withDetails(message, known)).toBe(orders);
  });

  it.each([
    "assign DEMO-4 to ben. no wait, to emi",
    "close DEMO-4, DEMO-5 and DEMO-6",
    "assign DEMO-4 to ben, he knows it",
    "DEMO-4: ben",
    'rename DEMO-4 to "x", high',
  ])("stays: %s", (message) => {
    expect(withDetails(message, known)).toBe(message);
  });
});

it.each(["and  ", "please , ", "' link it ", "new page in eng ", "need ticket, a. ", "under the x epic, "])(
  "[plan.nothing-dropped] ends soon, whatever is repeated: %s",
  (part) => {
    // What is looked for in more ways than one would take years here.
    const hostile = part.repeat(120);
    for (const message of [hostile, `create an issue 'x' ${hostile}"`, `bug in DEMO: ${hostile}?`]) {
      expect(withQuotedIssue(message, known).length).toBeGreaterThan(0);
      expect(ordersBehind(message)?.length ?? 2).toBe(2);
    }
  },
);
