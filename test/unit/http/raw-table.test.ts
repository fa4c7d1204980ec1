import { expect, it } from "vitest";

import { tableOf } from "#adapters/http/page/results.ts";

it("[http.playground] the table tab shows a result's list, one column per field that any row has", () => {
  expect(
    tableOf({
      issues: [
        { key: "A-1", n: 1 },
        { key: "A-2", n: 2, assignee: { id: "ana", name: "Ana" } },
      ],
      total: 2,
    }),
  ).toEqual({
    type: "table",
    caption: "issues",
    columns: [{ label: "key" }, { label: "n", align: "right" }, { label: "assignee" }],
    rows: [
      ["A-1", 1, null],
      ["A-2", 2, "Ana"],
    ],
    total: 2,
  });
});

it("[http.playground] the table tab shows a record field by field, whatever lists it holds", () => {
  const table = tableOf({
    key: "A-1",
    summary: "s",
    type: "Bug",
    status: "Open",
    comments: [{ id: 1 }, { id: 2 }],
    url: "https://jira.example.com/A-1",
  });
  expect(table.columns.map(({ label }) => label)).toEqual(["field", "value"]);
  expect(table.rows).toContainEqual(["comments", '[{"id":1},{"id":2}]']);
  expect(table.rows).toContainEqual([
    "url",
    { text: "https://jira.example.com/A-1", href: "https://jira.example.com/A-1" },
  ]);
});

it("[http.playground] the table tab takes any JSON and says how much it leaves out", () => {
  expect(tableOf("text").rows).toEqual([["value", "text"]]);
  expect(tableOf(null).rows).toEqual([["value", null]]);
  expect(tableOf([]).rows).toEqual([["value", ""]]);
  const long = tableOf(Array.from({ length: 500 }, (_, n) => ({ n })));
  expect([long.rows.length, long.total]).toEqual([200, 500]);
});
