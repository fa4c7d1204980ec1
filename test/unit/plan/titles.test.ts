import { describe, expect, it } from "vitest";

import { asNewIssue } from "#src/plan/builtin/new-issue.ts";
import { titleWeight, withTitledKeys } from "#src/plan/builtin/titles.ts";

const issue = (id: string, name: string) => ({ kind: "issue", id, name, server: "jira" });
const page = (id: string, name: string) => ({ kind: "page", id, name, server: "confluence" });
const known = [
  issue("OPS-4", "Database disk is 94 % full"),
  issue("OPS-6", "Office printer prints one page of every build log"),
  issue("OPS-9", "Deploy on Fridays again"),
  issue("DEMO-1", "Login shows a blank page when the password contains an emoji"),
  issue("DEMO-4", "Login page remembers the previous customer's email on shared computers"),
  issue("DEMO-8", "Write alt texts for the 300 most visited product pictures"),
  issue("DEMO-12", "Guest checkout without an account"),
  issue("DEMO-27", "Product page loads its pictures in under a second"),
  issue("MOB-15", "Drop support for Android 9"),
  issue("OPS-16", "Single sign-on for the admin tools"),
  issue("DEMO-19", 'Search finds nothing for "teapots" but everything for "teapot"'),
  issue("DEMO-20", "Search that finds things"),
  issue("MOB-17", "Dark mode switches to light mode at sunset"),
  page("2007", "Printers"),
  page("1005", "Feature flags"),
  page("2002", "Rolling back a deploy"),
  { kind: "person", id: "ben", name: "Ben Okafor", server: "jira" },
  { kind: "person", id: "emi", name: "Emi Tanaka", server: "jira" },
  { kind: "project", id: "OPS", name: "Operations", server: "jira" },
  { kind: "project", id: "MOB", name: "Mobile app", server: "jira" },
  { kind: "project", id: "DEMO", name: "Demo Shop", server: "jira" },
];

describe("[llm.builtin] records by words of their titles", () => {
  it.each([
    ["who has the disk ticket", "who has OPS-4"],
    ['disk ticket: comment "copied"', 'OPS-4: comment "copied"'],
    ["close the printer ticket in OPS", "close OPS-6"],
    [
      "give the disk issue to ben and drop Android 9 to backlog",
      "give OPS-4 to ben and drop MOB-15 to backlog",
    ],
    ["put me on the ticket for guest checkout", "put me on DEMO-12"],
    ["assign the sso ticket to ben", "assign OPS-16 to ben"],
    ["close the darkmode ticket", "close MOB-17"],
    ["android 9 can wait, drop it to low", "MOB-15 can wait, drop it to low"],
    ['assign "Guest checkout without an account" to ben', "assign DEMO-12 to ben"],
    ["delete the page Rolling back a deploy", "delete the page 2002"],
    ["the product page pictures one is slow", "DEMO-27 is slow"],
    ["leave a note on the Printers page", "leave a note on page 2007"],
    ["how do I roll back a deploy", "how do I page 2002"],
    ["asking about the blank page after login thing", "asking about DEMO-1"],
    ["add the label q1 to guest checkout", "add the label q1 to DEMO-12"],
    ["put label q1 on office printer", "put label q1 on OPS-6"],
    ["tag alt texts with q1", "tag DEMO-8 with q1"],
    ["leave a note on shared computers: not now", "leave a note on DEMO-4: not now"],
    ["set the due date of guest checkout to friday", "set the due date of DEMO-12 to friday"],
    ["I'll take guest checkout", "I'll take DEMO-12"],
    ["delete guest checkout", "delete DEMO-12"],
    ["close the blank page ticket", "close DEMO-1"],
    ["close the ticket about the product page pictures", "close DEMO-27"],
    ["make the single sign on ticket high", "make OPS-16 high"],
    ["and on the annoying sunset bug", "and on MOB-17"],
    ["add a line to the feature flags page: old ones go", "add a line to page 1005: old ones go"],
  ])("%s", (message, linked) => {
    expect(withTitledKeys(message, known, []).text).toBe(linked);
  });

  it.each([
    // Two titles have the word.
    "close the login ticket",
    // What follows is said of neither.
    "do we have a ticket for the search not finding plurals?",
    "show all login bugs",
    "checkout tickets nobody has picked up",
    "which issues are about the printer",
    "the first one",
    "the mobile app",
    // How things are done does not stand in what is to be done.
    "may we deploy on a friday",
    // What is destroyed is named by more than a word.
    "delete the printer ticket",
    // Two letters are first letters of anything.
    "close the ss ticket",
    // Another project than its own.
    "close the printer ticket in MOB",
    'comment "the disk ticket is next" on DEMO-1',
  ])("leaves alone: %s", (message) => {
    expect(withTitledKeys(message, known, [])).toEqual({ text: message, put: {} });
  });

  it("does not take another record than the one on the screen with these words", () => {
    const rows = [{ id: "DEMO-99", title: "Disk of the old laptop" }];
    expect(withTitledKeys("close the disk one", known, rows).text).toBe("close the disk one");
  });

  it("says where the key comes from", () => {
    expect(withTitledKeys("who has the disk ticket", known, []).put).toEqual({
      "OPS-4": { from: "result", ref: "Database disk is 94 % full" },
    });
  });

  it("weighs a word by the titles of one server", () => {
    expect(titleWeight("deploi", known, "jira")).toBeGreaterThan(0);
    expect(titleWeight("emoji", known, "confluence")).toBe(0);
    expect(titleWeight("emoji", known, "jira")).toBeGreaterThan(titleWeight("login", known, "jira"));
  });
});

describe("[llm.builtin] what is said of a new record behind its title", () => {
  it.each([
    [
      "new ticket pls: the wish list is empty. task, mobile, low, label design, assign to emi",
      "create a task in MOB titled “the wish list is empty”, priority low, assigned to emi, label design",
    ],
    [
      "make a ticket ops: renew office insurance, assign ben",
      "create a ticket in OPS titled “renew office insurance”, assigned to ben",
    ],
    [
      "create a task for ops to renew the certificate, high priority, and put Ben on it",
      "create a task in OPS titled “renew the certificate”, priority high, assigned to Ben",
    ],
    [
      "add a story to epic DEMO-20: search by colour",
      "create a story in DEMO titled “search by colour”, under epic DEMO-20",
    ],
    ['new bug in MOB: "crash, low, ben"', "create a bug in MOB titled “crash, low, ben”"],
    [
      "new bug in MOB: the map is wrong, and so is the list",
      "create a bug in MOB titled “the map is wrong, and so is the list”",
    ],
    ["create a bug in MOB about the map", "create a bug in MOB titled “the map”"],
    ["new bug in MOB: low", "create a bug in MOB titled “low”"],
  ])("%s", (message, order) => {
    expect(asNewIssue(message, known, () => ({}))?.order).toBe(order);
  });
});
