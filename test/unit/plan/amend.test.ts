import { describe, expect, it } from "vitest";

import { amendedBy } from "#src/plan/builtin/new-issue.ts";

const known = [
  { kind: "person", id: "ben", name: "Ben Okafor", server: "jira" },
  { kind: "project", id: "MOB", name: "Mobile App", server: "jira" },
];

describe("[approve.edit] what is said of a new record that waits", () => {
  it.each([
    ["make it a bug", "create a bug titled “x”"],
    ["no wait, in MOB", "create an issue titled “x”, in MOB"],
    ["priority low is enough, please", "create an issue titled “x”, priority low"],
    ["it's a task, high and due friday", "create a task titled “x”, priority high, due friday"],
    ["assign it to Ben", "create an issue titled “x”, assigned to Ben"],
    ["under epic MOB-3", "create an issue titled “x”, under epic MOB-3"],
    ['call it "It still burns"', "create an issue titled “It still burns”"],
    ["title: It burns, again", "create an issue titled “It burns, again”"],
    ["description: since noon", "create an issue titled “x”, description “since noon”"],
  ])("%s", (message, order) => {
    expect(amendedBy(message, known, {})?.order).toBe(order);
  });

  it.each([
    "open bugs",
    "assign MOB-4 to Ben",
    "close it",
    "who is on it?",
    "thanks",
    "show high priority issues",
  ])("and not: %s", (message) => {
    expect(amendedBy(message, known, {})).toBeUndefined();
  });
});
