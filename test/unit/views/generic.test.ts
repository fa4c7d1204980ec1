import { describe, expect, it } from "vitest";

import type { JsonValue } from "#contract/json.ts";

import { all, fieldsOf, show, textsOf } from "./help.ts";

const generic = (data: JsonValue, text?: string): ReturnType<typeof show> =>
  show("GenericView", data, text === undefined ? {} : { text });

describe("GenericView", () => {
  it("[view.fallback] shows scalars as fields with readable labels", () => {
    const card = generic({
      issue_key: "DEMO-1",
      createdAt: "2026-11-21T10:00:00Z",
      url: "https://a.example/x",
      archived: false,
      votes: 3,
      owner: null,
      nick: "",
      lead: { id: "ana", name: "Ana Lindqvist" },
      tags: ["a", "b"],
      none_yet: [],
    });
    expect(fieldsOf(card)).toEqual({
      "Issue key": "DEMO-1",
      "Created at": "21 Nov 2026, 10:00 UTC",
      URL: { text: "https://a.example/x", href: "https://a.example/x" },
      Archived: false,
      Votes: 3,
      Owner: null,
      Nick: "",
      Lead: "Ana Lindqvist (ana)",
      Tags: "a, b",
      "None yet": null,
    });
  });

  it("[view.fallback] shows arrays of objects as tables, the fullest columns first, names linked", () => {
    const card = generic({
      projects: [
        { note: null, key: "A", name: "Alpha", issues: 3, url: "https://a.example/A" },
        { note: "x", key: "B", name: "Beta", issues: 12, url: "https://a.example/B" },
      ],
    });
    expect(all(card, "section")[0]?.title).toBe("Projects (2)");
    expect(all(card, "table")[0]).toEqual({
      type: "table",
      columns: [{ label: "Key" }, { label: "Name" }, { label: "Issues", align: "right" }, { label: "Note" }],
      rows: [
        [{ text: "A", href: "https://a.example/A" }, "Alpha", 3, null],
        [{ text: "B", href: "https://a.example/B" }, "Beta", 12, "x"],
      ],
    });
  });

  it("[view.fallback] begins a table with what people read, and ends it with ids for machines", () => {
    const users = ["Ana", "Ben"].map((name, at) => ({ id: `${at}`.repeat(24), name, short: `${at}a` }));
    expect(all(generic({ users }), "table")[0]).toMatchObject({
      columns: [{ label: "Name" }, { label: "Short" }, { label: "ID" }],
    });
  });

  it("[view.fallback] keeps an address column whose names are addresses themselves", () => {
    const card = generic([
      { id: "https://a.example/1", url: "https://b.example/1" },
      { id: "two", url: "https://b.example/2" },
    ]);
    expect(all(card, "table")[0]?.columns.map((column) => column.label)).toEqual(["ID", "URL"]);
  });

  it("[view.fallback] folds the columns that do not fit", () => {
    const row = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`c${index}`, index]));
    const card = generic([row, row]);
    expect(all(card, "table").map((table) => table.columns.length)).toEqual([12, 12]);
    expect(all(card, "section")[0]).toMatchObject({ title: "11 more columns", folded: true });
    expect(textsOf(card)).toContainEqual(expect.stringContaining("Left out here: 17 columns (c23, c24"));
  });

  it("[view.limits] bounds ten thousand rows and says what is left out", () => {
    const card = generic(Array.from({ length: 10_000 }, (_, index) => ({ id: index, name: `n${index}` })));
    const [table] = all(card, "table");
    expect(table?.rows).toHaveLength(200);
    expect(table?.total).toBe(10_000);
    expect(textsOf(card)).toContain("Left out here: 9,800 rows; see JSON.");
  });

  it("[view.limits] bounds wide objects, long lists and long texts and says what is left out", () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index]));
    expect(textsOf(generic(wide))).toContainEqual(expect.stringContaining("Left out here: 440 fields (k60"));
    const list = Array.from({ length: 5000 }, (_, index) => index);
    expect(textsOf(generic(list))).toContain("Left out here: 4,900 items; see JSON.");
    expect(textsOf(generic("x".repeat(50_000)))).toContain(
      "Left out here: 20,000 more characters; see JSON.",
    );
    const groups = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`g${index}`, { a: [[1], [2]] }]),
    );
    const card = generic(groups);
    expect(textsOf(card)).toContainEqual(expect.stringMatching(/^Left out here: \d+ groups \(g/));
    expect(JSON.stringify(card).length).toBeLessThan(50_000);
  });

  it("[view.limits] bounds the whole card when many tables and texts come together", () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({ id: index, text: "word ".repeat(30) }));
    const data = Object.fromEntries(
      Array.from({ length: 35 }, (_, index) => [`t${index}`, index % 2 === 0 ? rows : "x".repeat(20_000)]),
    );
    const card = generic(data);
    expect(JSON.stringify(card).length).toBeLessThan(700_000);
    expect(textsOf(card)).toContain("Left out here: 500 rows; see JSON.");
    expect(textsOf(card)).toContain("Left out here: 19,800 more characters; see JSON.");
  });

  it("[view.limits] shows what is nested too deeply as JSON, however deep it is", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(6)}[1,2]${"}".repeat(6)}`) as JsonValue;
    expect(all(generic(deep), "code")[0]?.text).toBe('{"a":{"a":[1,2]}}');
    const abyss = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as JsonValue;
    expect(all(generic(abyss), "code")[0]?.text).toContain("(cut here; see JSON)");
  });

  it("[view.fallback] nests objects as sections and reads JSON inside strings", () => {
    const card = generic({
      config: { theme: { mode: "dark", size: 2 } },
      payload: '{"inner":{"x":1,"y":true}}',
    });
    expect(all(card, "section").map((section) => section.title)).toEqual([
      "Config",
      "Theme",
      "Payload",
      "Inner",
    ]);
    expect(fieldsOf(card)).toEqual({ Mode: "dark", Size: 2, X: 1, Y: true });
  });

  it("[view.fallback] shows text results as text, markdown or code, folded", () => {
    const elementOf = (text: string): unknown => generic(text).elements[1];
    expect(elementOf("Just words.")).toEqual({ type: "text", text: "Just words.", folded: true });
    expect(elementOf("# Title\n\nwords")).toMatchObject({ type: "text", format: "markdown" });
    expect(elementOf("const a = 1;\nlet b = 2;\nreturn a;")).toMatchObject({ type: "code", folded: true });
    expect(elementOf("<html><body></body></html>")).toMatchObject({ type: "code" });
    expect(elementOf("")).toEqual({ type: "text", text: "The tool returned nothing." });
    expect(generic({}, "Only the text speaks.").elements[1]).toMatchObject({ text: "Only the text speaks." });
  });

  it("[view.fallback] shows dry runs as changes with the thing they touch", () => {
    const card = generic({
      dry_run: true,
      before: { status: "To Do", labels: [], assignee: null },
      after: { status: "Done", labels: ["a", "b"], assignee: { id: "ana", name: "Ana Lindqvist" } },
      issue: {
        key: "DEMO-1",
        summary: "Login",
        status: "To Do",
        status_category: "todo",
        url: "https://jira.example.com/browse/DEMO-1",
      },
    });
    expect(card.title).toBe("Would change: DEMO-1 Login");
    expect(all(card, "changes")[0]?.items).toEqual([
      { label: "Status", before: "To Do", after: "Done" },
      { label: "Labels", before: null, after: "a, b" },
      { label: "Assignee", before: null, after: "Ana Lindqvist (ana)" },
    ]);
    expect(all(card, "list")[0]?.items).toEqual([
      {
        text: "DEMO-1 Login",
        href: "https://jira.example.com/browse/DEMO-1",
        badges: [{ text: "To Do", tone: "neutral" }],
      },
    ]);
    expect(generic({ dry_run: false, before: null, after: { title: "T" }, page: null }).title).toMatch(
      /^Created: T$/,
    );
    expect(generic({ dry_run: false, before: { title: "T" }, after: null }).title).toBe("Deleted: T");
  });
});
