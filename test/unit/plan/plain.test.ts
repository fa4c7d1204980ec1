import { describe, expect, it } from "vitest";

import { inPlainWords } from "#src/plan/builtin/plain.ts";
import { paired } from "#src/plan/builtin/rephrase.ts";
import { spelledRight } from "#src/plan/builtin/spelling.ts";

describe("a long polite sentence", () => {
  it.each([
    ["I would be very glad if you could show me DEMO-1", "show me DEMO-1"],
    ["When you find the time, close DEMO-2", "close DEMO-2"],
    ["I should love to see the open bugs, as my manager asks for them", "see the open bugs"],
    ["make sure that DEMO-1 is assigned to ben", "DEMO-1 should be assigned to ben"],
    ["For the planning: open bugs in MOB", "open bugs in MOB"],
    ["delete DEMO-3, if you don't mind", "delete DEMO-3"],
    ["close DEMO-1 if nobody objects.", "close DEMO-1"],
    ["close DEMO-1 when you have time", "close DEMO-1"],
    ["close DEMO-1, if that is not too much trouble", "close DEMO-1"],
    ["close DEMO-1 if possible", "close DEMO-1"],
    ["close DEMO-1 if you can", "close DEMO-1"],
    ["sorry to bother you, but delete MOB-7", "delete MOB-7"],
    ["it's time to delete MOB-7", "delete MOB-7"],
    ["we talked about it and decided to give OPS-9 to chloe", "give OPS-9 to chloe"],
    ["my manager wants us to close DEMO-1", "close DEMO-1"],
    ["assign DEMO-4 to ben as farid suggested", "assign DEMO-4 to ben"],
    ["assign DEMO-4 to ben since we ship tomorrow", "assign DEMO-4 to ben"],
    ["assign DEMO-4 to ben (see the thread)", "assign DEMO-4 to ben"],
    ["assign DEMO-4 to ben before the release", "assign DEMO-4 to ben"],
    ["close DEMO-1, otherwise we miss the deadline", "close DEMO-1"],
    ["delete MOB-7, ok?", "delete MOB-7"],
    ["MOB asked me: how many tasks are open?", "how many tasks are open?"],
    ["my boss wants to know who has DEMO-4", "who has DEMO-4"],
  ])("[llm.builtin] %j is the wish alone", (said, wish) => {
    expect(inPlainWords(said, ["MOB"])).toBe(wish);
  });

  it.each([
    "comment on DEMO-1: I would be glad if you could look at it, as I am away",
    'create a bug "App crashes if you could see it"',
    "close DEMO-1 if DEMO-2 is done",
    "delete DEMO-3 if nobody has touched it for some time",
    "close DEMO-1 if it is the second one",
    "delete DEMO-3 if everyone agrees",
    "For the mobile app I need the open bugs",
    "is it known that nobody could log in?",
    // What limits the order, and what may be its value, belongs to it.
    "leave DEMO-1 as it is",
    "mark DEMO-1 as the main blocker",
    // Somebody's text goes on.
    "create a task in OPS to check the backups before the release",
    "comment on DEMO-1 saying it stays as we agreed",
    "rename DEMO-1 to Test before the release",
    "mark DEMO-1 as planned",
    "close DEMO-1 if it is open, otherwise we wait",
    "set the due date of DEMO-1 to the day before the release",
    "issues that changed since we shipped",
    "we agreed not to delete MOB-7",
    "a candidate asks how many rounds there are",
  ])("[llm.builtin] %j is left as it is", (said) => {
    expect(inPlainWords(said, ["MOB", "Mobile App"])).toBe(said);
  });
});

it.each([
  ["reveiw", "review"],
  ["frist", "first"],
  ["prioirty", "priority"],
  ["shp", "shop"],
  ["courier", "courier"],
  ["flight", "flight"],
])("[llm.builtin] %j is read as %j", (word, meant) => {
  expect(spelledRight(word, ["shop"])).toBe(meant);
});

it("[llm.builtin] what shall be of several records is an order for each", () => {
  expect(paired("demo-14 done, MOB-9 to ben and due on friday")).toBe(
    "move demo-14 to done; assign MOB-9 to ben; set the due date of MOB-9 to friday",
  );
  expect(paired("demo-14 is done, so what")).toBe("demo-14 is done, so what");
});
