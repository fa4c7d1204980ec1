import { describe, expect, it } from "vitest";

import { swappedArgs } from "#src/plan/builtin/amend.ts";
import { amendedBy } from "#src/plan/builtin/new-issue.ts";
import { toSlots } from "#src/plan/slot.ts";

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
    ["ben should do it, he did it last year", "create an issue titled “x”, assigned to ben"],
    [
      "due 10 december, not 15. and ben should do it, he has the login",
      "create an issue titled “x”, due 10 december, assigned to ben",
    ],
    [
      "MOB, it's a bug, ben can do it by friday",
      "create a bug titled “x”, assigned to ben, due friday, in MOB",
    ],
    ["actually ben knows it, give it to him", "create an issue titled “x”, assigned to ben"],
    ["and the labels mail and money", 'create an issue titled “x”, labels "mail" and "money"'],
    ['high please, and the title should be "It burns"', "create an issue titled “It burns”, priority high"],
    ['call it "It still burns"', "create an issue titled “It still burns”"],
    ["title: It burns, again", "create an issue titled “It burns, again”"],
    ["oh and label it mail, three people wrote in about it", "create an issue titled “x”, label mail"],
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

describe("[approve.edit] words of a text that waits, said otherwise", () => {
  const slots = toSlots({
    type: "object",
    properties: { title: { type: "string" }, body: { type: "string" } },
    required: ["title", "body"],
  });
  const args = { title: "Party", body: "Friday at 17:00, 3 to 5 guests, back on Thursdays" };

  it.each([
    ["18:00, not 17:00", "Friday at 18:00, 3 to 5 guests, back on Thursdays"],
    ["5 to 7 guests, not 3 to 5", "Friday at 17:00, 5 to 7 guests, back on Thursdays"],
    ["they are back on Wednesdays, not Thursdays", "Friday at 17:00, 3 to 5 guests, back on Wednesdays"],
  ])("%s", (message, body) => {
    expect(swappedArgs(message, args, slots)).toEqual({ ...args, body });
  });

  it.each(["18:00, not 19:00", "not me", `${" ".repeat(4000)} not `])("and not: %s", (message) => {
    expect(swappedArgs(message, args, slots)).toBeUndefined();
  });
});
