import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { IssueFilter } from "#servers/jira/arguments.ts";
import { composeJql, jqlText, quote, type SiteNames } from "#servers/jira/jql/compose.ts";
import { parseJql, tokenize } from "#servers/jira/jql/parse.ts";
import { ToolFailure } from "#servers/kit/tool.ts";
import { anyCharacter } from "#test/any-character.ts";

import { demo, keysOf } from "./support.ts";

describe("JQL on the demo store", () => {
  const jira = demo();

  it.each([
    ["key = DEMO-1", ["DEMO-1"]],
    ["key in (demo-3, OPS-9) ORDER BY key DESC", ["OPS-9", "DEMO-3"]],
    ["project = MOB AND type = Epic ORDER BY key", ["MOB-1", "MOB-10"]],
    ['project = "demo shop" and priority = highest order by key', ["DEMO-1", "DEMO-14"]],
    ['status = "won\'t do" ORDER BY key ASC', ["DEMO-24", "OPS-18"]],
    ["epic = DEMO-10 AND statusCategory = Done ORDER BY key", ["DEMO-13", "DEMO-16", "DEMO-17"]],
    ["parent = OPS-10 AND assignee = farid ORDER BY key", ["OPS-11", "OPS-12"]],
    ["assignee = currentUser() AND type != Epic", ["OPS-18"]],
    ["assignee = me AND NOT type = Epic", ["OPS-18"]],
    [
      "assignee is EMPTY AND project = OPS AND priority in (Low, Lowest) ORDER BY key",
      ["OPS-6", "OPS-9", "OPS-20"],
    ],
    ["labels in (privacy) AND status not in (Done, Backlog)", ["DEMO-4"]],
    ["labels is empty", []],
    ['issueLinkType = "is blocked by" AND project = DEMO ORDER BY key', ["DEMO-1", "DEMO-15"]],
    ["issueLinkType = blocks AND project = OPS ORDER BY key", ["OPS-4", "OPS-8"]],
    ["summary ~ teapots", ["DEMO-19"]],
    ['text ~ "sticky note"', ["OPS-16"]],
    ['text ~ "parcelf*" ORDER BY key', ["MOB-5", "OPS-2"]],
    ["comment ~ grapheme", ["DEMO-1"]],
    ["project = DEMO AND text !~ the AND type = Epic ORDER BY key", ["DEMO-2", "DEMO-20"]],
    ["due >= 0d AND due <= 2d ORDER BY due", ["OPS-4", "DEMO-1"]],
    ["created >= -7d ORDER BY created DESC", ["OPS-20", "MOB-17", "MOB-20", "OPS-4", "DEMO-26"]],
    ["created = 2026-11-16", ["OPS-4"]],
    ["updated >= startOfDay(-1d) AND project = OPS ORDER BY updated", ["OPS-8", "OPS-4", "OPS-20"]],
    [
      "priority >= High AND status = 'In Review' ORDER BY key",
      ["DEMO-3", "DEMO-14", "MOB-9", "OPS-8", "OPS-17"],
    ],
    ["(key = DEMO-1 OR key = DEMO-2) AND (type = Bug && !(status = Done))", ["DEMO-1"]],
    ["key = DEMO-1 OR key = DEMO-2 AND type = Bug", ["DEMO-1"]],
    ["status = 'Won\\'t Do' AND reporter = Ben", ["DEMO-24"]],
  ])("answers %s", async (jql, expected) => {
    expect(await keysOf(jira, jql)).toEqual(expected);
  });

  it("sorts by several fields, empty values last", async () => {
    const keys = await keysOf(jira, "labels = checkout ORDER BY assignee ASC, key DESC");
    expect(keys).toEqual([
      "DEMO-10",
      "DEMO-14",
      "DEMO-12",
      "DEMO-13",
      "MOB-11",
      "DEMO-17",
      "DEMO-16",
      "DEMO-11",
      "DEMO-18",
      "DEMO-15",
    ]);
  });

  it.each([
    ["foo = 1", 1, 'expected a field, got "foo"'],
    ["status = In Progress", 13, 'got "Progress" (quote a value'],
    ["status = Finished", 10, 'unknown status "Finished". Possible: Backlog, To Do,'],
    ["project = DEMOO", 11, "Projects: DEMO (Demo Shop), OPS (Operations)"],
    ["assignee = zoe", 12, "Ana Lindqvist (ana)"],
    ["summary = login", 9, "summary cannot be used with = (only with ~"],
    ["status ~ done", 8, "status cannot be used with ~"],
    ["created > yesterday", 11, '"yesterday" is not a date'],
    ["created > 2026-02-30", 11, "not a date of the calendar"],
    ["status in Done", 11, "expected a list in parentheses"],
    ["key = DEMO-1 AND", 17, "expected a field, got the end"],
    ["(key = DEMO-1", 14, 'expected ")", got the end'],
    ['text ~ "login', 8, "never closed"],
    ["assignee was ana", 10, 'expected an operator, got "was"'],
    ["ORDER BY text", 10, "expected a field to order by"],
    ["sprint in openSprints()", 1, 'expected a field, got "sprint"'],
    ["reporter = membersOf(x)", 12, "membersOf() cannot be used here"],
  ])("says where and why %s cannot be run", async (jql, place, problem) => {
    const failure = await keysOf(jira, jql).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ToolFailure);
    const { code, message } = failure as ToolFailure;
    expect(code).toBe("bad_jql");
    expect(message).toContain(`JQL, character ${place}: `);
    expect(message).toContain(problem);
    expect(message).toContain("Supported: the fields project, key");
  });
});

/** Text that comes near the grammar more often than random letters do. */
const jqlish = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."( ) , = != ~ !~ > >= < <= && || ! and or not in is empty null order by asc desc".split(" "),
      ),
      fc.constantFrom(
        "status",
        "key",
        "created",
        "labels",
        "currentUser()",
        "startOfDay(-1d)",
        "-7d",
        "DEMO-1",
        '"',
        "'",
        "\\",
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(" "));

describe("JQL reading", () => {
  it("throws nothing but the clear error, whatever the text", async () => {
    const jira = demo();
    await fc.assert(
      fc.asyncProperty(fc.oneof(jqlish, fc.string({ unit: anyCharacter, maxLength: 60 })), async (jql) => {
        const failure = await keysOf(jira, jql).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (failure === undefined) return;
        expect(failure).toBeInstanceOf(ToolFailure);
        expect(failure).toHaveProperty("code", "bad_jql");
      }),
      { numRuns: 150 },
    );
  });

  it("refuses deep nesting and long queries instead of failing on them", () => {
    expect(() => parseJql("(".repeat(5000))).toThrow("nested deeper than 100 levels");
    expect(() => parseJql("not ".repeat(2000))).toThrow("nested deeper than 100 levels");
    expect(() => parseJql("x".repeat(10_001))).toThrow("the query is too long");
  });

  it("keeps any text whole in a quoted value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const tokens = tokenize(quote(text));
        expect(tokens.map(({ kind }) => kind)).toEqual(["string", "end"]);
        expect(tokens[0]?.text).toBe(text.replace(/\s+/g, " "));
      }),
    );
  });
});

const lists = {
  type: ["Bug", "Story", "Sub-task"],
  status: ["To Do", "In Progress", "Parked, for now"],
  priority: ["High", "Highest"],
};

const names: SiteNames = {
  project: async (text) => (text === "Mobile app" ? "MOB" : text),
  list: async (what) => lists[what],
  person: async (text) => `id of ${text}`,
  epicField: "parent",
  everything: "",
};

describe("conditions as JQL", () => {
  const compose = async (filter: IssueFilter): Promise<string> => jqlText(await composeJql(filter, names));

  it.each<[IssueFilter, string]>([
    [{}, ""],
    [{ query: 'say "hi"' }, 'text ~ "say \\"hi\\""'],
    [{ query: "demo-7" }, 'key = "DEMO-7"'],
    [{ query: "login", project: "Mobile app" }, 'text ~ "login" AND project = "MOB"'],
    [{ type: "bugs" }, 'type = "Bug"'],
    [{ type: "stories, BUG , subtasks" }, 'type in ("Story", "Bug", "Sub-task")'],
    [{ type: "bug, bugs," }, 'type = "Bug"'],
    [{ status: "in-progress" }, 'status = "In Progress"'],
    [{ status: "parked, for now" }, 'status = "Parked, for now"'],
    [{ status: "open" }, "statusCategory != Done"],
    [{ status: "closed" }, "statusCategory = Done"],
    [{ status_category: "open" }, "statusCategory != Done"],
    [{ status_category: "todo" }, 'statusCategory = "To Do"'],
    [{ status_category: "in_progress" }, 'statusCategory = "In Progress"'],
    [{ status_category: "done" }, "statusCategory = Done"],
    [{ priority: "high" }, 'priority = "High"'],
    [{ priority: "High, highest" }, 'priority in ("High", "Highest")'],
    [{ labels: ["a", "b"] }, 'labels = "a" AND labels = "b"'],
    [{ assignee: "me", reporter: "me" }, "assignee = currentUser() AND reporter = currentUser()"],
    [{ assignee: "none" }, "assignee is EMPTY"],
    [{ assignee: "ana", reporter: "Ben" }, 'assignee = "id of ana" AND reporter = "id of Ben"'],
    [{ epic: "DEMO-10" }, 'parent = "DEMO-10"'],
    [
      { created_after: "2026-11-01", created_before: "2026-11-30" },
      'created >= "2026-11-01" AND created < "2026-12-01"',
    ],
    [
      { updated_after: "2026-11-01", updated_before: "2026-11-01" },
      'updated >= "2026-11-01" AND updated < "2026-11-02"',
    ],
    [{ due_after: "2026-11-01", due_before: "2026-11-07" }, 'due >= "2026-11-01" AND due <= "2026-11-07"'],
  ])("writes %j", async (filter, where) => {
    expect(await composeJql(filter, names)).toEqual({ where, order: "ORDER BY updated DESC" });
  });

  it.each<[IssueFilter, string]>([
    [{ order_by: "created" }, "ORDER BY created DESC"],
    [{ order_by: "due" }, "ORDER BY due ASC"],
    [{ order_by: "priority" }, "ORDER BY priority DESC"],
    [{ order_by: "key" }, "ORDER BY key ASC"],
    [{ order_by: "status" }, "ORDER BY status ASC"],
    [{ order_by: "created", order: "asc" }, "ORDER BY created ASC"],
    [{ order: "asc" }, "ORDER BY updated ASC"],
  ])("sorts by %j", async (filter, order) => {
    expect(await compose(filter)).toBe(order);
  });

  it("takes a query of the caller's own as it is, and orders it where it does not", async () => {
    expect(await compose({ jql: ' a = "order by" ' })).toBe('a = "order by" ORDER BY updated DESC');
    expect(await composeJql({ jql: "a = 1 order by key" }, names)).toEqual({
      where: "a = 1",
      order: "order by key",
    });
  });

  it.each<[IssueFilter, string, string]>([
    [{ jql: "a = 1", project: "DEMO", order_by: "key" }, "jql_not_alone", "got it beside project, order_by"],
    [
      { due_after: "2026-11-02", due_before: "2026-11-01" },
      "bad_range",
      "due_after 2026-11-02 is later than",
    ],
    [{ type: "bugz" }, "unknown_type", "did you mean Bug?). Possible: Bug, Story, Sub-task"],
    [{ status: "Open, Done" }, "unknown_status", "Possible: To Do, In Progress, Parked, for now"],
    [{ priority: "High, urgent" }, "unknown_priority", 'unknown priority "urgent". Possible: High, Highest'],
  ])("refuses %j", async (filter, code, message) => {
    await expect(compose(filter)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });
});
