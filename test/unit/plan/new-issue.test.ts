import { describe, expect, it } from "vitest";

import { asNewIssue } from "#src/plan/builtin/new-issue.ts";
import { asNewPage } from "#src/plan/builtin/new-page.ts";
import { asSeveralNew } from "#src/plan/builtin/several-new.ts";
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
    // Lines: a title, what describes it, and values.
    [
      "bug for DEMO please\nMails show the wrong day\nThree customers wrote.\n\nAlways one too early.\nprio high, labels mail and shop",
      'create a bug in DEMO titled “Mails show the wrong day”, priority high, labels "mail" and "shop", description “Three customers wrote.\nAlways one too early.”',
    ],
    [
      "a bug in MOB: the map is empty\nonly without a net",
      "create a bug in MOB titled “the map is empty”, description “only without a net”",
    ],
    [
      "task in MOB: clean the maps, no hurry so low prio",
      "create a task in MOB titled “clean the maps”, priority low",
    ],
    ["task: the map is empty (in MOB)", "create a task in MOB titled “the map is empty”"],
    ["bug mob: the map is empty", "create a bug in MOB titled “the map is empty”"],
    [
      "new bug for the app: the map is empty, due 20.12., labels maps and tiles, ben",
      'create a bug in MOB titled “the map is empty”, due 20 december, assigned to ben, labels "maps" and "tiles"',
    ],
    [
      "story in DEMO: save a basket. checkout redesign epic, low prio, nobody yet",
      "create a story in DEMO titled “save a basket”, under checkout redesign epic, priority low",
    ],
    [
      "need ticket, customers get no mail at all. bug, shop, not urgent, ben",
      "create a bug in DEMO titled “customers get no mail at all”, priority low, assigned to ben",
    ],
    // Of several values one is not known: it is said.
    [
      "task in MOB: proofread the texts. due 10 december, for ben, same epic as the screenshots",
      "create a task in MOB titled “proofread the texts”, due 10 december, assigned to ben. same epic as the screenshots",
    ],
    ["in MOB: new task: the map is empty", "create a task in MOB titled “the map is empty”"],
    [
      "in MOB: new task 'the map is empty', for ben",
      "create a task in MOB titled “the map is empty”, assigned to ben",
    ],
    ['create a bug in DEMO: "the map is empty"', "create a bug in DEMO titled “the map is empty”"],
    [
      "create a bug in DEMO: it is slow. Assign it to Ben and comment on DEMO-4: hi",
      "create a bug in DEMO titled “it is slow”. Assign it to Ben and comment on DEMO-4: hi",
    ],
    // It is asked what it is about.
    ["create a bug in DEMO", "create a bug in DEMO"],
    ["make a story in DEMO saying the map is empty", "create a story in DEMO titled “the map is empty”"],
    [
      "I'd like to file a bug: the map is empty. It's for the mobile app, medium would do. Thanks a lot!",
      "create a bug in MOB titled “the map is empty”, priority medium",
    ],
    [
      "new bug in DEMO: the map is empty. Saw it twice today, low is fine",
      "create a bug in DEMO titled “the map is empty”, priority low, description “Saw it twice today”",
    ],
    [
      "create a task in DEMO for me: water the plants",
      "create a task in DEMO titled “water the plants”, assigned to me",
    ],
    ["can you create a task in DEMO for me: water it", "create a task in DEMO titled “water it”"],
    [
      "bug shop: the cart is empty, twice today. highest. labels cart money. me",
      'create a bug in DEMO titled “the cart is empty, twice today”, priority highest, assigned to me, labels "cart" and "money"',
    ],
    [
      "A customer paid twice. can you make a bug for that in DEMO, high prio pls",
      "create a bug in DEMO titled “A customer paid twice”, priority high",
    ],
    [
      "The alert fires all night. Bug, MOB, ben, medium.",
      "create a bug in MOB titled “The alert fires all night”, assigned to ben, priority medium",
    ],
    [
      "could you log that nobody can pay any more? Since noon. It's a bug, in DEMO I'd say. High because we lose money",
      "create a bug in DEMO titled “nobody can pay any more”, priority high, description “Since noon. Because we lose money.”",
    ],
    [
      "a task for me in MOB, buy two phones, by wednesday please!",
      "create a task in MOB titled “buy two phones”, assigned to me, due wednesday",
    ],
    [
      "please create a bug: the badge shows 0. Project MOB, and it belongs to the checkout epic",
      "create a bug in MOB titled “the badge shows 0”, under the checkout epic",
    ],
    [
      "story / MOB / share a list / ben / lowest",
      "create a story in MOB titled “share a list”, assigned to ben, priority lowest",
    ],
    [
      "task for ben in MOB: call the printer, and link it to MOB-4 pls",
      "create a task in MOB titled “call the printer”, assigned to ben. link it to MOB-4",
    ],
    [
      'create an epic in DEMO, "Spring cleaning", due at the end of march, and under it a task for ben: empty the cellar',
      "create an epic in DEMO titled “Spring cleaning”, due end of march. create a task in DEMO titled “empty the cellar”, assigned to ben",
    ],
    // All of it is the title.
    [
      "create a task in DEMO: small, medium and high",
      "create a task in DEMO titled “small, medium and high”",
    ],
  ])("%s", (message, order) => {
    const { order: own, further } = asNewIssue(message, known, () => ({})) ?? { order: "", further: [] };
    expect([own, ...further].join(". ")).toBe(order);
  });

  it("knows a project that two servers have", () => {
    const twice = [...known, { ...named("project", "DEMO", "Demo Shop"), server: "second" }];
    expect(asNewIssue("bug in DEMO: it is slow", twice, () => ({}))?.order).toBe(
      "create a bug in DEMO titled “it is slow”",
    );
  });

  it("takes what was told before it as its title", () => {
    expect(
      asNewIssue("the map is empty - please create a bug in DEMO for that", known, () => ({}))?.order,
    ).toBe("create a bug in DEMO titled “the map is empty”");
  });

  it.each([
    "bugs in DEMO: which are open?",
    "bug in DEMO: who has it?",
    "who created a bug?",
    "how do I open a bug?",
    "I made a ticket for that yesterday",
    "make it a task for Ben, he knows it",
    "comment on DEMO-1: create a bug",
  ])("stays: %s", (message) => {
    expect(asNewIssue(message, known, () => ({}))).toBeUndefined();
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
      expect(asNewIssue(message, known, () => ({}))?.order.length ?? 1).toBeGreaterThan(0);
      expect(asNewPage(message, known)?.order.length ?? 1).toBeGreaterThan(0);
    }
  },
);

describe("[plan.nothing-dropped] several new issues in one message", () => {
  const ordersIn = (message: string): string[] | undefined => {
    const made = asSeveralNew(message, known, () => ({}));
    return made && [made.order, ...made.further];
  };
  const [toner, paper] = [
    "create a task in MOB titled “buy toner”",
    "create a task in MOB titled “buy paper”",
  ];

  it.each<[string, string[]]>([
    ["two tasks in MOB: buy toner and buy paper", [toner, paper]],
    ["create two tasks in MOB, buy toner and buy paper", [toner, paper]],
    ["create these tasks in MOB:\n- buy toner\n- buy paper", [toner, paper]],
    ["new tasks in MOB: 1. buy toner 2. buy paper", [toner, paper]],
    ["please create 2 tasks in MOB. first: buy toner. second: buy paper", [toner, paper]],
    ["create a task in MOB to buy toner and another one to buy paper", [toner, paper]],
    [
      "two tasks in MOB: buy toner (ben) and buy paper, high",
      [`${toner}, assigned to ben`, `${paper}, priority high`],
    ],
    [
      "two tasks in MOB: buy toner and buy paper, both low",
      [`${toner}, priority low`, `${paper}, priority low`],
    ],
    // What is said last of one alone is said of both, where nothing is said of the other.
    [
      "two tasks in MOB: buy toner and buy paper, due friday",
      [`${toner}, due friday`, `${paper}, due friday`],
    ],
    [
      "two tasks in MOB, for emi: buy toner and buy paper",
      [`${toner}, assigned to emi`, `${paper}, assigned to emi`],
    ],
    [
      "two tasks in MOB: buy toner and buy paper. emi does both",
      [`${toner}, assigned to emi`, `${paper}, assigned to emi`],
    ],
    [
      "two tasks in MOB: buy toner for ben and buy paper for emi",
      [`${toner}, assigned to ben`, `${paper}, assigned to emi`],
    ],
    [
      "two tasks in MOB: buy toner; buy paper; link both to DEMO-3",
      [toner, "link it to DEMO-3", paper, "link it to DEMO-3"],
    ],
    [
      "2 tasks in MOB pls, both low: 1) buy toner 2) buy paper. the second is for ben; ",
      [`${toner}, priority low`, `${paper}, priority low, assigned to ben`],
    ],
    [
      "a task for ben in MOB: buy toner, and one for emi: buy paper",
      [`${toner}, assigned to ben`, `${paper}, assigned to emi`],
    ],
  ])("%s", (message, orders) => {
    expect(ordersIn(message)).toEqual(orders);
  });

  it.each([
    "two tasks in MOB are late",
    "show me two bugs in MOB: the newest",
    "bugs in MOB: who has them?",
    // Three are asked for, and two are told.
    "three bugs in MOB: the cart is slow and the menu flickers",
    "create a task in MOB: buy toner and paper",
  ])("none: %s", (message) => {
    expect(ordersIn(message)).toBeUndefined();
  });
});

describe("[plan.nothing-dropped] a record with its values and a note", () => {
  it.each([
    [
      "DEMO-3: Won't do, and write as a comment that the printer won",
      'move DEMO-3 to Won\'t do; comment on DEMO-3: "the printer won"',
    ],
    [
      'DEMO-3: title "Total, first", high, ben',
      'rename DEMO-3 to "Total, first"; set the priority of DEMO-3 to high; assign DEMO-3 to ben',
    ],
    ['DEMO-3: high, title: "Total"', 'set the priority of DEMO-3 to high; rename DEMO-3 to "Total"'],
    ['DEMO-3: "high, ben"', 'DEMO-3: "high, ben"'],
    [
      "DEMO-3: ben, high, and note that it is the third time, again",
      'assign DEMO-3 to ben; set the priority of DEMO-3 to high; comment on DEMO-3: "it is the third time, again"',
    ],
  ])("%s", (message, orders) => {
    expect(withDetails(message, known)).toBe(orders);
  });
});
