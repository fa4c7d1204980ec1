import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { likelyValues } from "#src/turn/likely.ts";

describe("values that a server would take", () => {
  const told = (args: JsonObject, message: string): [string, JsonObject][] =>
    likelyValues("jira.change", args, message).map(({ kind, title, args: given }) => {
      expect(kind).toBe("value");
      return [title, given];
    });

  it("[approve.card] are offered in place of the one that it refused, the nearest first", () => {
    const args = { issue_key: "DEMO-4", status: "In Progres" };
    const message =
      'DEMO-4 is To Do and cannot become "In Progres". Possible: Done, In Progress, In Review, To Do, Blocked';
    const offered = told(args, message);
    expect(offered.map(([title]) => title)).toEqual(["In Progress", "Done", "In Review", "To Do", "Blocked"]);
    const long = `${message}, Waiting, Testing, Released`;
    expect(told(args, long)).toHaveLength(4);
    expect(offered[0]).toEqual(["In Progress", { issue_key: "DEMO-4", status: "In Progress" }]);
  });

  it("are people by name, sent by their ids, and fields within a record", () => {
    const people = 'unknown user "Bne". People: Ana Lindqvist (ana), Ben Okafor (ben), …';
    expect(told({ issue_key: "DEMO-4", fields: { assignee: "Bne" } }, people)).toContainEqual([
      "Ben Okafor",
      { issue_key: "DEMO-4", fields: { assignee: "ben" } },
    ]);
    const several =
      '"Ana" fits several people: Ana Lindqvist (ana), Ana Costa (acosta). Name one of them, or give the id';
    expect(told({ assignee: "Ana" }, several).map(([title]) => title)).toEqual([
      "Ana Lindqvist",
      "Ana Costa",
    ]);
  });

  it.each([
    ["quotes no value of the call", { status: "Foo" }, "Cannot. Possible: Done"],
    ["lists nothing", { status: "Foo" }, 'cannot become "Foo". Possible: nothing, for this account'],
    ["says nothing of values", { status: "Foo" }, 'the status "Foo" is not there'],
    ["quotes two of them", { from: "A", to: "B" }, '"A" and "B" differ. Possible: C'],
  ])("are none where the message %s", (_, args, message) => {
    expect(told(args, message)).toEqual([]);
  });
});
