import { describe, expect, it } from "vitest";

import type { KnownName, PlanInput } from "#src/contract/plan.ts";
import { editOf, isEdit } from "#src/plan/builtin/page-orders.ts";
import { pageOf } from "#src/plan/builtin/page-places.ts";

const BODY = `The **third floor** is ours. We moved in May, and stay until 31 March. Keys hang in the hall.

## Day one

- [ ] Get a badge
- [ ] Choose **your mug**

## Steps

1. Watch for ten minutes, not longer than 15.
2. Say so in \`#deploys\`.

## Rota

| Week       | Phone | Backup |
| ---------- | ----- | ------ |
| 4 November | Ben   | Emi    |
| 2 December | Ana   | Emi    |
| 9 December | Emi   | Ben    |

Hotels: up to 140 € a night, 180 € in capitals. Planning is at 10:00.`;

const known = ["Ana", "Ben", "Emi", "Farid"].map((name): KnownName => ({
  kind: "person",
  id: name.toLowerCase(),
  name,
  server: "wiki",
}));

function edit(said: string, body = BODY): unknown {
  const input = {
    message: said,
    known,
    actorName: "ben",
    history: [],
    now: new Date("2026-11-30"),
  } as unknown as PlanInput;
  return isEdit(said, said) ? editOf(said, { page: pageOf(body), title: "Office", body }, input) : "none";
}

const instead = (passage: string, replacement: string): object => ({ passage, replacement });
const row = (week: string, ...cells: string[]): string => `| ${[week, ...cells].join(" | ")} |`;

describe("what a message changes of a page's text", () => {
  it.each([
    ["we moved in June, not in May", instead("May", "June")],
    ['replace "third floor" by "second floor"', instead("third floor", "second floor")],
    ["'third floor' should be 'second floor'", instead("third floor", "second floor")],
    ["“third floor” is old, let's say “second floor”", instead("third floor", "second floor")],
    ["until 30 June instead of 31 March", instead("31 March", "30 June")],
    ["hotels from 140 € to 150 € a night please", instead("140 €", "150 €")],
    ["hotels should say 150 € a night, not 140", instead("140", "150")],
    ["watch: fifteen minutes rather than ten", instead("ten", "fifteen")],
    ["capitals 180 -> 190 €", instead("180", "190")],
    ["planning is now at 10:30", instead("10:00", "10:30")],
    [
      "Ana is away, so I carry the phone from 2 December instead of her. Emi stays backup",
      instead(row("2 December", "Ana", "Emi"), row("2 December", "Ben", "Emi")),
    ],
    [
      "Emi can't from Wednesday on, so put me down as backup instead of her",
      instead(row("2 December", "Ana", "Emi"), row("2 December", "Ana", "Ben")),
    ],
    ["I have my badge, so tick that off", instead("[ ] Get a badge", "[x] Get a badge")],
    ["please check the mug box", instead("[ ] Choose your mug", "[x] Choose your mug")],
    ["the limit in capitals should be 200 €", instead("180", "200")],
    [
      "change the backup for 4 November to Farid",
      instead(row("4 November", "Ben", "Emi"), row("4 November", "Ben", "Farid")),
    ],
    [
      "2 december: Ben instead of Emi",
      instead(row("2 December", "Ana", "Emi"), row("2 December", "Ana", "Ben")),
    ],
    ["swap Ana for Farid", instead("Ana", "Farid")],
    ["the keys: kitchen instead of hall, thanks", instead("hall", "kitchen")],
    ["it says third floor and planning at 10:00, i'd make it 10:30", instead("10:00", "10:30")],
  ])("is other words: %s", (said, wanted) => {
    expect(edit(said)).toEqual(wanted);
  });

  it.each([
    ["remove the line about the badge", { passage: "Get a badge" }],
    ["drop the row of 4 November", { passage: row("4 November", "Ben", "Emi") }],
    ["take out “in the hall”, it's not true", { passage: "in the hall" }],
    ["the badge bullet has to go", { passage: "Get a badge" }],
    ["kill the last row", { passage: row("9 December", "Emi", "Ben") }],
    ["“Keys hang in the hall.” is wrong, please remove that sentence", { passage: "Keys hang in the hall." }],
  ])("is gone: %s", (said, wanted) => {
    expect(edit(said)).toMatchObject(wanted);
  });

  it.each([
    ["add a line to day one: get a chair", { append: "get a chair", under: "Day one" }],
    ['add "get a chair" to the checklist', { append: "get a chair", under: "Choose your mug" }],
    ["add a step after 1: wait", { append: "wait", under: "Watch for ten minutes, not longer than 15." }],
    [
      "insert a step between 1 and 2: “wait”",
      { append: "wait", under: "Watch for ten minutes, not longer than 15." },
    ],
    ["another step: wait", { append: "wait", under: "Steps" }],
    ["after “in the hall” add “of floor 2”", instead("in the hall", "in the hall of floor 2")],
    ["new row: 16 December, Farid, Ana", { append: row("16 December", "Farid", "Ana") }],
    [": 16 December, Farid, Ana", { append: row("16 December", "Farid", "Ana") }],
  ])("is more: %s", (said, wanted) => {
    expect(edit(said)).toEqual(wanted);
  });

  it.each([
    ["6 January", "6 January 2027"],
    ["6 December", "6 December 2026"],
    ["6 June", "6 June 2026"],
  ])("has the year of the other rows' days: %s", (said, wanted) => {
    const body = "| Day | Who |\n| --- | --- |\n| 4 November 2026 | Ben |";
    expect(edit(`new row: ${said}, Farid`, body)).toEqual({ append: row(wanted, "Farid") });
  });

  const CAKES = `Who brings cake.

| Date | Who | Cake | Because |
| --- | --- | --- | --- |
| 16 November 2026 | Ben | Lemon | Lost a bet |
| 3 August 2026 | Farid | Carrot | Birthday |`;

  it.each([
    [
      "add a line for me today: carrot, because i broke main",
      ["30 November 2026", "Ben", "Carrot", "Broke main"],
    ],
    ["add emi, carrot cake, 27 november, lost a bet", ["27 November 2026", "Emi", "Carrot", "Lost a bet"]],
    [
      "add lemon cake for farid, he broke main on friday",
      ["27 November 2026", "Farid", "Lemon", "Broke main"],
    ],
    [
      "add emi today, carrot, because she broke main on friday",
      ["30 November 2026", "Emi", "Carrot", "Broke main on friday"],
    ],
    [
      "new entry: 20 nov, ana, cheesecake, deployed late, on a whim",
      ["20 November 2026", "Ana", "Cheesecake", "Deployed late, on a whim"],
    ],
  ])("is a row in a sentence: %s", (said, cells) => {
    expect(edit(said, CAKES)).toEqual({ append: `| ${cells.join(" | ")} |` });
  });

  it.each([
    ["add a line, farid from 16 december with ana as backup", ["16 December", "Farid", "Ana"]],
    ["add a line for 16 december: backup ben, phone ana", ["16 December", "Ana", "Ben"]],
  ])("has each of two people in the column that is named: %s", (said, cells) => {
    const body = BODY.slice(BODY.indexOf("| Week"), BODY.indexOf("Hotels"));
    expect(edit(said, body)).toEqual({ append: `| ${cells.join(" | ")} |` });
  });

  it.each([
    // No day, no reason, or nobody whom anyone knows.
    "add emi, because she lost a bet",
    "add a line for 27 november: emi, carrot",
  ])("is no row where a cell is missing: %s", (said) => {
    expect(edit(said, CAKES)).not.toMatchObject({ append: expect.stringMatching(/^\|/) as string });
  });

  it("tells what else is asked for", () => {
    expect(edit('change May to June and add "we like it"')).toMatchObject({
      ...instead("May", "June"),
      told: [expect.stringContaining("we like it") as string],
    });
  });

  it.each([
    // Not just once, and nothing tells which.
    "Farid instead of Emi",
    "change the wifi password to tulip",
    "the fourth floor instead of the fifth",
    "remove the line about the moon",
    "insert a step before 1: wait",
  ])("is nothing where it is not clear: %s", (said) => {
    expect(edit(said)).toBeUndefined();
  });

  it.each([
    "why ten minutes and not fifteen?",
    "does it say Ben or Emi for 4 November, not Ana?",
    "create a page called Hall",
    "close DEMO-4, not DEMO-5",
    "leave a comment: May, not June",
    "assign the printer issue to Ben, not Emi",
    "rename it to Home",
    "delete the page",
  ])("is no change of what a page says: %s", (said) => {
    expect(edit(said)).toBe("none");
  });
});
