import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { conditionIn } from "#src/plan/builtin/condition.ts";

const free = { status: "To Do", status_category: "todo", assignee: null };
const taken = { status: "In Review", status_category: "in_progress", assignee: { id: "ben", name: "Ben" } };
const done = { status: "Done", status_category: "done", assignee: null };

describe("[plan.ladder] an order that depends on how its record is", () => {
  it.each<[message: string, order: string, holds: JsonObject, not: JsonObject]>([
    ["if nobody has DEMO-6, give it to ben", "give DEMO-6 to ben", free, taken],
    ["assign DEMO-6 to ben if it's unassigned", "assign DEMO-6 to ben", free, taken],
    ["assign DEMO-6 to ben unless somebody has it", "assign DEMO-6 to ben", free, taken],
    ["unless someone's already on DEMO-6, i'd like to have it", "assign DEMO-6 to me", free, taken],
    ["if DEMO-6 is still open, make it high", "make DEMO-6 high", taken, done],
    ["add label q1 to DEMO-6 if it's not done yet", "add label q1 to DEMO-6", free, done],
    ["close DEMO-6 as long as it is in review", "close DEMO-6", taken, free],
    ["only if nobody has it yet, give DEMO-6 to ben", "give DEMO-6 to ben", free, taken],
    ["give DEMO-6 to ben, but only if nobody has it", "give DEMO-6 to ben", free, taken],
    ["if DEMO-6 is done, move DEMO-1 to in review", "move DEMO-1 to in review", done, taken],
  ])("%s", (message, order, holds, not) => {
    const condition = conditionIn(message);
    expect(condition).toMatchObject({ key: "DEMO-6", order });
    expect(condition?.holds(holds)).toBe(true);
    expect(condition?.holds(not)).toBe(false);
    expect(condition?.holds({ key: "DEMO-6" })).toBeUndefined();
    expect(condition?.holds("hidden")).toBeUndefined();
  });

  it.each([
    "close DEMO-6",
    "if it's ok with ben, close DEMO-6",
    "if DEMO-1 and DEMO-3 are done, close DEMO-2",
    "if DEMO-1 is done, close DEMO-2 and DEMO-3",
    "is DEMO-6 open?",
    "comment on DEMO-6: if nobody has it, give it to ben",
    "if nobody has it, give it to ben",
  ])("none that the record decides: %s", (message) => {
    expect(conditionIn(message)).toBeUndefined();
  });
});
