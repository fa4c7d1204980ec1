import { describe, expect, it } from "vitest";

import type { PastTurn } from "#contract/plan.ts";
import { correctionOf } from "#src/plan/builtin/correction.ts";
import { asFragment, asNoteOf } from "#src/plan/builtin/fragment.ts";
import { amendedPage, asNewPage } from "#src/plan/builtin/new-page.ts";
import { asStatements } from "#src/plan/builtin/statements.ts";
import { withoutPart } from "#src/plan/builtin/withdraw.ts";

import { named, pastTurn } from "./tools.ts";

const known = [
  named("person", "ben", "Ben Okafor"),
  named("person", "chloe", "Chloé Martin"),
  named("space", "ENG", "Engineering Handbook"),
  named("space", "PEO", "People & Culture"),
  named("page", "2005", "Alerts and dashboards"),
  named("issue", "OPS-13", "Move the DNS server that everybody forgot"),
  named("issue", "DEMO-8", "Write alt texts for product pictures"),
];
const nothing = (): undefined => undefined;

describe("[plan.followups] a few values, of the record on the screen", () => {
  it.each([
    ["push to tue", "set the due date of MOB-9 to tue"],
    ["due next saturday then", "set the due date of MOB-9 to next saturday"],
    ["I'll take it, medium", "assign MOB-9 to me; set the priority of MOB-9 to medium"],
    ["ben says no. 22 december then", "set the due date of MOB-9 to 22 december"],
    [
      "ben then, and high. and write that it used up the ink",
      'assign MOB-9 to ben; set the priority of MOB-9 to high; comment on MOB-9: "it used up the ink"',
    ],
    ["ok, ben", "assign MOB-9 to ben"],
    ["ok its mine now and it goes back to in progress", "assign MOB-9 to me; move MOB-9 to in progress"],
    ["move to todo, I take it", "move MOB-9 to todo; assign MOB-9 to me"],
    [
      'Also add the label "crash", and the due date should be Monday, today won\'t work any more.',
      "add the label crash to MOB-9; set the due date of MOB-9 to Monday",
    ],
    [
      "to Chloé, due friday, label stores",
      "assign MOB-9 to Chloé; set the due date of MOB-9 to friday; add the label stores to MOB-9",
    ],
  ])("%s", (message, orders) => {
    expect(asFragment(message, "MOB-9", known)?.text).toBe(orders);
    expect(asFragment(message, undefined, known)).toBeUndefined();
    // A page has no such values.
    expect(asFragment(message, "2007", known)).toBeUndefined();
  });

  it.each([
    "ben",
    "high",
    "friday",
    "what about ben",
    "is it high?",
    "ben is ill",
    "not ben",
    "DEMO-1 to ben",
    "thanks ben",
    "sorry, ben",
    "ok thanks ben",
    "haha, ben",
    'say "friday"',
  ])("none: %s", (message) => {
    expect(asFragment(message, "MOB-9", known)).toBeUndefined();
  });

  it("and why is told beside them", () => {
    expect(asFragment("due friday, today won't work", "MOB-9", known)?.told).toEqual(["today won't work"]);
  });

  it("or of the one that is called first, or by its number", () => {
    const titled = [...known, named("issue", "OPS-19", "Upgrade Postgres from 16 to 18")];
    expect(asFragment("postgres upgrade. move to to do, I take it", "MOB-9", titled)?.text).toBe(
      "move OPS-19 to to do; assign OPS-19 to me",
    );
    expect(asFragment("16 started", undefined, known, "OPS")?.text).toBe("move OPS-16 to In Progress");
    expect(asFragment("16 customers started", undefined, known, "OPS")).toBeUndefined();
  });

  it("what was only told before is the comment that is put somewhere", () => {
    const told = [pastTurn("I am at 240 alt texts now, 60 to go")];
    const text = '"I am at 240 alt texts now, 60 to go"';
    expect(asNoteOf("put that on OPS-4 please", told, known)).toBe(`comment on OPS-4: ${text}`);
    expect(asNoteOf("put it as a comment pls so ben sees it", told, known)).toBe(
      `comment on DEMO-8: ${text}`,
    );
    const asked = [pastTurn("show my open bugs")];
    expect(asNoteOf("put that on OPS-4 please", asked, known)).toBeUndefined();
    const done = [
      pastTurn("I like it", { calls: [{ tool: "jira.assign_issue", args: {}, derived: false }] }),
    ];
    expect(asNoteOf("put that on OPS-4 please", done, known)).toBeUndefined();
  });
});

describe("[plan.nothing-dropped] what several statements say of their records", () => {
  it.each([
    [
      "DEMO-2 moves to 18 dec, and DEMO-14 needs to be done by wednesday - ben knows",
      ["set the due date of DEMO-2 to 18 dec", "set the due date of DEMO-14 to wednesday"],
    ],
    ["OPS-19 is mine now. blocked by OPS-4", ["assign OPS-19 to me", "link OPS-19 is blocked by OPS-4"]],
    ["OPS-8 is ready for review, assign it to ben", ["move OPS-8 to In Review", "assign OPS-8 to ben"]],
    ["OPS-8 and DEMO-26 get dec 10", ["set the due date of OPS-8 and DEMO-26 to dec 10"]],
    ["about OPS-5: the provider is ready. back to in progress", ["move OPS-5 to in progress"]],
    [
      "the disk is at 81 % after the vacuum. note that on OPS-4 and move to review",
      ['comment on OPS-4: "the disk is at 81 % after the vacuum"', "move OPS-4 to in review"],
    ],
    [
      "DEMO-19 I can not do this month. please remove me and date 11 january",
      ["unassign DEMO-19", "set the due date of DEMO-19 to 11 january"],
    ],
  ])("%s", (message, orders) => {
    expect(asStatements(message, known, nothing)).toEqual(orders);
  });

  it("finds the record that a clause calls by its words", () => {
    const titleOf = (said: string): string | undefined => (/dns/i.test(said) ? "OPS-13" : undefined);
    expect(asStatements("dns server is 6 days late, my fault. friday", known, titleOf)).toEqual([
      "set the due date of OPS-13 to friday",
    ]);
  });

  it.each([
    // Who is only spoken to is given nothing
    "the wish list won't be built, sorry Chloé. MOB-19 can get the status we have",
    // Of two values one is not understood
    "OPS-6 is mine now, in progress as of this coffee",
    "DEMO-2 moves to 18 dec unless ben objects",
    "if DEMO-2 is late, OPS-4 is mine",
    "DEMO-11 is done, DEMO-12 is next",
    "create a bug: DEMO-2 moves to 18 dec, friday",
    "DEMO-2 moves to 18 dec, delete DEMO-3",
    "I was on DEMO-3 all day, friday",
    "ben is ill. friday",
  ])("says nothing for sure: %s", (message) => {
    expect(asStatements(message, known, nothing, "MOB-9")).toBeUndefined();
  });
});

describe("[plan.followups] a question of something else, behind what was looked up in pages", () => {
  const looked = (message: string): PastTurn =>
    pastTurn(message, { calls: [{ tool: "wiki.get_page", args: { id: "1" }, derived: true }] });

  it.each([
    [["who is on call this week"], "and next?", "who is on call next week?"],
    [["who is on call this week", "and next?"], "and the week after?", "who is on call in two weeks?"],
    [["who is on call this week", "and next?"], "and tomorrow?", "who is on call tomorrow?"],
    [["who has the phone"], "and on friday?", "who has the phone on friday?"],
    [["how much may I spend on a hotel in Berlin?"], "and on meals?", "how much may I spend on meals?"],
    [["how much may I spend on a hotel"], "and for a taxi?", "how much may I spend for a taxi?"],
  ])("%s, %s", (before, message, question) => {
    expect(correctionOf(message, before.map(looked), known)).toEqual({ text: question, asks: true });
  });

  it("is narrowed otherwise, where it was a list", () => {
    const listed = pastTurn("open bugs in MOB", {
      calls: [{ tool: "jira.search_issues", args: {}, derived: true }],
    });
    expect(correctionOf("and on friday?", [listed], known)).toBeUndefined();
  });
});

describe("[plan.followups] a part of what waits is taken back", () => {
  const call = (tool: string, args: Record<string, unknown>) =>
    ({ tool: `jira.${tool}`, args, derived: false, waits: true }) as Parameters<
      typeof withoutPart
    >[1][number];
  const both = [
    call("transition_issue", { issue_key: "DEMO-27", status: "In Review" }),
    call("transition_issue", { issue_key: "MOB-5", status: "In Review" }),
  ];
  const several = [
    call("assign_issue", { issue_key: "DEMO-18", assignee: "ben" }),
    call("update_issue", { issue_key: "DEMO-18", fields: { priority: "Medium", due_date: "2026-12-18" } }),
  ];
  const created = [
    call("create_issue", { project: "OPS", summary: "Fire", priority: "High", due_date: "2026-12-04" }),
  ];

  it.each([
    ["not MOB-5, that was wrong", both, [both[0]]],
    ["only MOB-5", both, [both[1]]],
    ["not the last one", both, [both[0]]],
    [
      "without the due date",
      several,
      [several[0], { ...several[1], args: { issue_key: "DEMO-18", fields: { priority: "Medium" } } }],
    ],
    ["wait, chloé stays on it", several, [several[1]]],
    [
      "no due date please",
      created,
      [{ ...created[0], args: { project: "OPS", summary: "Fire", priority: "High" } }],
    ],
  ])("%s", (message, waiting, left) => {
    expect(withoutPart(message, waiting, known)).toEqual(left);
  });

  it.each([
    "not now",
    "without the label",
    "only the open ones",
    "not OPS-99",
    "leave it",
    "no",
    "just friday",
    'not "MOB-5"',
  ])("takes back nothing that is there: %s", (message) => {
    expect(withoutPart(message, both, known)).toBeUndefined();
  });
});

describe("[approve.edit] what is said of a new page that waits", () => {
  it.each([
    ["put it under alerts and dashboards", "create a wiki page titled “x”, parent id 2005, body “x”"],
    ["no, in PEO", "create a wiki page in PEO titled “x”, body “x”"],
    ["the title should be Rotating keys", "create a wiki page titled “Rotating keys”, body “x”"],
    // One line more, which takes the place of none.
    ["add a line that Ben is on call", "create a wiki page titled “x”, body “Ben is on call.”"],
    ["and one that Chloé decides", "create a wiki page titled “x”, body “Chloé decides.”"],
    ["make it engineering, that's where the last one is", "create a wiki page in ENG titled “x”, body “x”"],
    ["text: ask Ben first", "create a wiki page titled “x”, body “ask Ben first”"],
  ])("%s", (message, order) => {
    expect(amendedPage(message, known)?.order).toBe(order);
  });

  it.each([
    "under what nobody knows",
    "and label adr",
    "who wrote it?",
    "show the page about printers",
    "high",
  ])("none: %s", (message) => {
    expect(amendedPage(message, known)).toBeUndefined();
  });
});

describe("[plan.nothing-dropped] a new page, in plain words", () => {
  it.each([
    [
      "new wiki page in eng, Grapheme cheatsheet. text: never slice strings",
      "create a wiki page in ENG titled “Grapheme cheatsheet”, body “never slice strings”",
    ],
    [
      "new page in people: Christmas party. Date 11 December, place tbd",
      "create a wiki page in PEO titled “Christmas party”, body “Date 11 December, place tbd”",
    ],
    [
      "create page 'Clock drift' in engineering below alerts and dashboards: restart chrony",
      "create a wiki page in ENG titled “Clock drift”, parent id 2005, body “restart chrony”",
    ],
    [
      'new wiki page in eng called "Keys". just say that you ask Ben',
      "create a wiki page in ENG titled “Keys”, body “you ask Ben”",
    ],
    [
      "please add a page to people about the cellar. It should say that Ben has the key",
      "create a wiki page in PEO titled “cellar”, body “Ben has the key”",
    ],
    [
      "a page in ENG called Retro, with good / not so good as headings, empty is fine",
      "create a wiki page in ENG titled “Retro”, body “## Good\n\n## Not so good”",
    ],
    [
      "new page in ENG called Checklist, sections: before, during and after",
      "create a wiki page in ENG titled “Checklist”, body “## Before\n\n## During\n\n## After”",
    ],
    // What is missing is asked for.
    ["create a page in eng about the party", "create a wiki page in ENG titled “party”"],
    ["new page: Party", "create a wiki page titled “Party”"],
    ['create a page in ENG titled "A" with the text "B"', "create a wiki page in ENG titled “A”, body “B”"],
    [
      "wiki page for the beta test please, in engineering. title 'Beta test', inside: 50 customers",
      "create a wiki page in ENG titled “Beta test”, body “50 customers”",
    ],
    [
      "please create one in the engineering space, called Rotating keys, with two steps: request new keys, revoke the old ones",
      "create a wiki page in ENG titled “Rotating keys”, body “1. request new keys\n2. revoke the old ones”",
    ],
  ])("%s", (message, order) => {
    expect(asNewPage(message, known)?.order).toBe(order);
  });

  it("what no tool does with a page is told", () => {
    expect(asNewPage("new page in eng called Keys. Text: ask Ben. Label adr", known)?.told).toEqual([
      "label adr",
    ]);
  });

  it.each([
    "create page 'Clock drift' in engineering below what nobody knows: restart chrony",
    "show the page in eng about printers",
    "is there a page in eng?",
    "is there a page about the party?",
    "add the label printer to page 2007",
    "page 2007 in eng: hello",
  ])("none: %s", (message) => {
    expect(asNewPage(message, known)).toBeUndefined();
  });
});
