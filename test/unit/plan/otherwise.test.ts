import { describe, expect, it } from "vitest";

import { plainlyOtherwise } from "#src/plan/builtin/otherwise.ts";

describe("[plan.followups] one value that is wished otherwise", () => {
  it.each([
    ["not emi, ben", "no, ben"],
    ["to ben, not emi", "no, ben"],
    ["Ben and not Emi please", "no, Ben"],
    ["december 14 I mean", "no, december 14"],
    ["no wait, it should go to review", "no, review"],
    ["should be ben", "no, ben"],
    ["let's say december 14", "no, december 14"],
    ["hm medium should do", "no, medium"],
    ["no, give it to ben", "no, ben"],
    ["or better give it to ben", "no, ben"],
    ["hm, review first", "no, review"],
    ["wait, emi is on holiday, ben then", "no, ben"],
    ["a bug, not a task", "no, a bug"],
    ["sorry, DEMO-5 not DEMO-4", "DEMO-5 I mean"],
    ["wrong ticket, I meant DEMO-5", "DEMO-5 I mean"],
    ["make that DEMO-5", "DEMO-5 I mean"],
  ])("%s", (message, plain) => {
    expect(plainlyOtherwise(message)).toBe(plain);
  });

  it.each([
    "show DEMO-5",
    "not now",
    "not sure, maybe later",
    "who should do it",
    "I should do it tomorrow and not today because of the release, sorry",
    "no, show me the other one first",
    "let's say thanks to everybody who helped",
    "the first one, then the second",
    "comment: not emi, ben",
    '"not emi, ben"',
  ])("is none: %s", (message) => {
    expect(plainlyOtherwise(message)).toBe(message);
  });
});
