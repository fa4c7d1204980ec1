import { expect, it } from "vitest";

import { toCsv } from "#adapters/http/api/csv.ts";
import { tableOf } from "#adapters/http/page/results.ts";

it("[http.playground] a table is a file that no spreadsheet takes for formulas", () => {
  const table = tableOf(
    [
      { key: "=1+1", title: 'Say "hi", twice', estimate: -5, done: true },
      { key: "  @SUM(A1)", title: "two\nlines", estimate: null, done: false },
      { key: "-cmd", title: "\tx", estimate: 2.5, done: false, link: "https://example.com/x" },
      { key: "\uFF1Dwide", title: "plain - text", "=head": 1 },
    ],
    Infinity,
  );
  expect(toCsv(table)).toBe(
    [
      "\uFEFFkey,title,estimate,done,link,'=head",
      `'=1+1,"Say ""hi"", twice",-5,true,,`,
      `'  @SUM(A1),"two\nlines",,false,,`,
      `'-cmd,'\tx,2.5,false,https://example.com/x,`,
      `'\uFF1Dwide,plain - text,,,,1`,
      "",
    ].join("\r\n"),
  );
});

it("[http.playground] a file has every row and whole cells, also those that the page leaves out", () => {
  const rows = Array.from({ length: 500 }, (_, at) => ({ at, text: "x".repeat(1_000) }));
  expect(toCsv(tableOf({ rows }, Infinity)).split("\r\n")).toHaveLength(502);
  expect(toCsv(tableOf({ rows }, Infinity))).toContain("x".repeat(1_000));
  expect(tableOf({ rows }).rows.length).toBeLessThan(500);
});
