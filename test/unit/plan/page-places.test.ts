import { describe, expect, it } from "vitest";

import { headingMeant, passageMeant } from "#src/plan/builtin/page-places.ts";

const PAGE = `The **third floor** is ours. We moved in May. Keys hang in the hall.

## Day one

- [ ] Get a badge
- [ ] Choose **your mug**

## Day two, late

| Week       | Phone | Backup |
| ---------- | ----- | ------ |
| 4 November | Ben   | Emi    |
| 2 December | Ana   | Emi    |
| 9 December | Emi   | Ben    |`;

describe("what of a page's text is meant", () => {
  it.each([
    ["We moved in may", "we moved in June", { passage: "We moved in May", replacement: "we moved in June" }],
    ["the hall", undefined, { passage: "the hall" }],
    ["line about the badge", undefined, { passage: "Get a badge" }],
    ["bullet about mugs", "Bring a mug", { passage: "Choose **your mug**", replacement: "Bring a mug" }],
    ["line about the keys", undefined, { passage: "Keys hang in the hall." }],
    // Partly bold, so all of its line.
    [
      "sentence about the third floor",
      undefined,
      { passage: "The **third floor** is ours. We moved in May. Keys hang in the hall." },
    ],
    ["row about 4 November", undefined, { passage: "| 4 November | Ben | Emi |" }],
    [
      "the backup for 2 December",
      "Farid",
      { passage: "| 2 December | Ana | Emi |", replacement: "| 2 December | Ana | Farid |" },
    ],
    [
      "Emi on 9 December",
      "Ana",
      { passage: "| 9 December | Emi | Ben |", replacement: "| 9 December | Ana | Ben |" },
    ],
    [
      "Ben as backup",
      "Ana",
      { passage: "| 9 December | Emi | Ben |", replacement: "| 9 December | Emi | Ana |" },
    ],
    ["| 4 November|Ben |Emi|", undefined, { passage: "| 4 November|Ben |Emi|" }],
  ])("%s", (said, now, meant) => {
    expect(passageMeant(said, now, PAGE)).toEqual(meant);
  });

  it.each([
    "Emi",
    "day",
    "Emi as backup",
    "the phone for December",
    "line about the moon",
    "| 1 | 2 | 3 |",
    "",
  ])("is nothing that stands there once: %s", (said) => {
    expect(passageMeant(said, "Farid", PAGE)).toBeUndefined();
  });

  it.each([
    ["day one", "Day one"],
    ["the day two", "Day two, late"],
    ["day", "day"],
    ["parking", "parking"],
  ])("finds the heading of %s", (said, heading) => {
    expect(headingMeant(said, PAGE)).toBe(heading);
  });
});
