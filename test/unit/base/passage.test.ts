import { describe, expect, it } from "vitest";

import { mainClause, passagesFor, questionIn } from "#src/base/passage.ts";

const GUIDE = `One person carries the phone for a week. The one before is the backup.

## What it asks of you

- Answer within **15 minutes**, day and night.
- Make it better, not perfect.

## What you get

- 300 € a week, and time off for every night call.

## Rota

| Week from   | Phone | Backup |
| ----------- | ----- | ------ |
| 18 November | Ana   | Ben    |
| 25 November | Emi   | Ana    |
| 2 December  | Ben   | Emi    |

\`\`\`sh
phone forward --to emi
\`\`\`

Exceptions: ask [Ana](https://wiki.example.com/ana), or Ben when Ana is away.`;

const now = new Date(2026, 10, 28, 12);
const asked = (question: string, least?: number): string[] =>
  passagesFor(GUIDE, { title: "On-call guide", question, now, ...(least === undefined ? {} : { least }) })
    .passages;

describe("[plan.cite] the passage of a page that answers", () => {
  it.each([
    ["how fast do I have to answer?", "Answer within 15 minutes, day and night."],
    ["how much do we get paid for on-call", "300 € a week, and time off for every night call."],
    ["who is on call this week?", "25 November · Phone: Emi · Backup: Ana"],
    ["who is on call next week?", "2 December · Phone: Ben · Backup: Emi"],
    ["who is on call?", "25 November · Phone: Emi · Backup: Ana"],
    ["what is the command to forward the phone", "phone forward --to emi"],
    ["who can make exceptions?", "Exceptions: ask Ana, or Ben when Ana is away."],
  ])("%s", (question, passage) => {
    expect(asked(question)[0]).toBe(passage);
  });

  it.each([
    ["where are the ribbons, Marie prints blanks again", "where are the ribbons?"],
    ["who is on call this week - my phone is broken again", "who is on call this week?"],
    // What limits or asks belongs to it.
    ["which bugs are open here, sorted by priority please", undefined],
    ["what is on Ben's plate, leaving out what is done", undefined],
    ["landing at half past eleven, will the firm pay a taxi home?", undefined],
    ["which branches are in there, the remote ones too", undefined],
    ["what is the sum of 10, 20, 30 and 40", undefined],
  ])("a question ends where something is told: %s", (message, question = message) => {
    expect(mainClause(message).asked).toBe(question);
    expect(questionIn(message)).toBe(question);
  });

  it("reads no long message for a question with a reason behind it", () => {
    const long = `where is it now, ${"i am not sure, ".repeat(40)}`;
    expect(mainClause(long)).toEqual({ asked: long, told: "" });
  });

  it("takes a row of today for who somebody is only where nothing else is asked", () => {
    const calendar = "| Days | Rule |\n| --- | --- |\n| 20 to 30 November | Freeze, fixes only |";
    const { passages } = passagesFor(calendar, {
      title: "Release calendar",
      question: "who is the owner of the release calendar",
      now,
    });
    expect(passages).not.toContain("20 to 30 November: Freeze, fixes only");
  });

  it("takes a row that is not over for when the next one is", () => {
    const calendar = [
      "| Days | Rule | Why |",
      "| --- | --- | --- |",
      "| Second Tuesday each month | Maintenance | No deploy in those hours |",
      "| 1 to 3 November 2026 | Freeze | Move |",
      "| 15 December 2026 to 2 January 2027 | Freeze | Holidays |",
    ].join("\n");
    const { passages } = passagesFor(calendar, {
      title: "Release calendar",
      question: "when is the next deploy freeze?",
      now,
    });
    expect(passages[0]).toContain("15 December");
  });

  it("is none where the page has nothing of the question, or too little", () => {
    expect(asked("what does the canteen cost")).toEqual([]);
    expect(asked("which colour has the new office chair")).toEqual([]);
    expect(asked("is the backup of the orders table restored into staging every night", 0.5)).toEqual([]);
    expect(passagesFor("", { title: "Empty", question: "how long?", now }).passages).toEqual([]);
  });

  it("is never long, whatever stands in the page", () => {
    const rows = Array.from({ length: 4000 }, (_, at) => `| row ${at} | ${"x".repeat(40)} |`).join("\n");
    const hostile = [
      "| a | b |\n|---|---|",
      rows,
      "`".repeat(5000),
      "[".repeat(5000),
      "*".repeat(5000),
      "word ".repeat(9000),
    ];
    const { passages: found } = passagesFor(hostile.join("\n"), {
      title: "Row",
      question: "how many rows has row 7?",
      now,
    });
    expect(found.length).toBeGreaterThan(0);
    for (const passage of found) expect(passage.length).toBeLessThan(260);
  });
});
