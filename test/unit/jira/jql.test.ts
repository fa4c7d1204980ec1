import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { composeJql, quote } from "#servers/jira/jql/compose.ts";
import { parseJql, tokenize } from "#servers/jira/jql/parse.ts";
import { ToolFailure } from "#servers/kit/tool.ts";

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
    ["summary ~ teapots", ["DEMO-19"]],
    ['text ~ "sticky note"', ["OPS-16"]],
    ['text ~ "parcelf*" ORDER BY key', ["MOB-5", "OPS-2"]],
    ["comment ~ grapheme", ["DEMO-1"]],
    ["project = DEMO AND text !~ the AND type = Epic ORDER BY key", ["DEMO-2", "DEMO-20"]],
    ["due <= 2d AND due is not empty ORDER BY due", ["OPS-4", "DEMO-1"]],
    ["created >= -7d ORDER BY created DESC", ["MOB-20", "OPS-4", "DEMO-26"]],
    ["created = 2026-11-16", ["OPS-4"]],
    ["updated >= startOfDay(-1d) AND project = OPS ORDER BY updated", ["OPS-8", "OPS-4"]],
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
      fc.asyncProperty(fc.oneof(jqlish, fc.string({ unit: "binary", maxLength: 60 })), async (jql) => {
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

  it("adds conditions to a caller's query without changing what it means", () => {
    const request = {
      jql: 'a = 1 OR b = "order by" ORDER BY key',
      project: "DEMO",
      status: "open",
      limit: 1,
    };
    expect(composeJql(request)).toBe(
      '(a = 1 OR b = "order by") AND project = "DEMO" AND statusCategory != Done ORDER BY key',
    );
    expect(composeJql({ query: 'say "hi"', limit: 1 })).toBe('text ~ "say \\"hi\\"" ORDER BY updated DESC');
    expect(composeJql({ query: "demo-7", limit: 1 })).toBe('key = "DEMO-7" ORDER BY updated DESC');
    expect(composeJql({ limit: 1 })).toBe("ORDER BY updated DESC");
  });
});
