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
