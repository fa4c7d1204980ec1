import { assert, property, array, constantFrom, double, oneof, record, string, tuple } from "fast-check";
import { describe, expect, it } from "vitest";

import type { CardElement, Cell, ChartElement, TableElement } from "#contract/card.ts";
import { readChartWish } from "#src/base/charts.ts";
import { en } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";
import { chartOf, withChart } from "#views/chart.ts";
import { createViews } from "#views/manager.ts";

function table(labels: string[], rows: Cell[][], total?: number): TableElement {
  return {
    type: "table",
    columns: labels.map((label) => ({ label })),
    rows,
    ...(total === undefined ? {} : { total }),
  };
}

const regions = table(
  ["Region", "Revenue"],
  [
    ["North", 120],
    ["South", 80],
    ["East", 40],
  ],
);
const issues = table(
  ["Key", "Summary", "Status", "Comments"],
  [
    ["A-1", "One", { text: "Done", tone: "good" }, 3],
    ["A-2", "Two", { text: "To Do" }, 0],
    ["A-3", "Three", { text: "Done", tone: "good" }, 5],
    ["A-4", "Four", { text: "Done", tone: "good" }, 1],
  ],
);
const rowsOf = (amount: number, value: (at: number) => Cell): Cell[][] =>
  Array.from({ length: amount }, (_, at) => [`c${at}`, value(at)]);

describe("which chart fits", () => {
  it("[view.charts] a number by a category is bars, with its numbers in words", () => {
    expect(chartOf(regions, undefined, en)).toEqual({
      chart: {
        type: "chart",
        kind: "bar",
        title: "Revenue by region",
        categories: ["North", "South", "East"],
        series: [{ name: "Revenue", values: [120, 80, 40] }],
        alt: "Bar chart, Revenue by region: North 120, South 80, East 40",
      },
    });
  });

  it.each<[string, Cell[]]>([
    ["Month", ["2026-03", "2026-01", "2026-02"]],
    ["Date", ["3 Jan 2026", "1 Feb 2026", "2 Mar 2026"]],
    ["Year", [2024, 2025, 2026]],
  ])("[view.charts] numbers by %s are a line, in the order of time", (label, times) => {
    const shown = chartOf(
      table(
        [label, "Sales"],
        times.map((time, at) => [time, at]),
      ),
      undefined,
      en,
    )?.chart;
    expect(shown?.kind).toBe("line");
    if (label === "Month") expect(shown?.categories).toEqual(["2026-01", "2026-02", "2026-03"]);
  });

  it("[view.charts] shares of a whole are a pie", () => {
    const shares = table(
      ["Browser", "Share %"],
      [
        ["A", 60],
        ["B", 30],
        ["C", 10],
      ],
    );
    expect(chartOf(shares, undefined, en)?.chart.kind).toBe("pie");
  });

  it.each<[string, TableElement]>([
    ["one row", table(["Region", "Revenue"], [["North", 1]])],
    ["no rows", table(["Region", "Revenue"], [])],
    [
      "names alone",
      table(
        ["Region", "Owner"],
        [
          ["North", "Ana"],
          ["South", "Ben"],
        ],
      ),
    ],
    [
      "numbers that are ids",
      table(
        ["Name", "User ID"],
        [
          ["Ana", 1],
          ["Ben", 2],
        ],
      ),
    ],
    ["records", issues],
    [
      "a category that comes twice",
      table(
        ["Region", "Revenue"],
        [
          ["North", 1],
          ["North", 2],
        ],
      ),
    ],
    [
      "all the same",
      table(
        ["Region", "Revenue"],
        [
          ["North", 2],
          ["South", 2],
        ],
      ),
    ],
    [
      "no number at all",
      table(
        ["Region", "Revenue"],
        [
          ["North", null],
          ["South", null],
        ],
      ),
    ],
    [
      "no finite number",
      table(
        ["Region", "Revenue"],
        [
          ["North", Number.NaN],
          ["South", Infinity],
        ],
      ),
    ],
  ])("[view.charts] %s draw nothing by themselves", (_, shown) => {
    expect(chartOf(shown, undefined, en)).toBeUndefined();
  });

  it("[view.charts] what cannot be drawn of it is a gap", () => {
    const holes = table(
      ["Region", "Revenue"],
      [
        ["North", Number.NaN],
        ["South", 2],
        ["East", null],
        ["West", -3],
      ],
    );
    expect(chartOf(holes, undefined, en)?.chart).toMatchObject({
      categories: ["South", "West"],
      series: [{ values: [2, -3] }],
    });
  });

  it("[view.charts] of 1,000 categories the largest are drawn, and it says so", () => {
    const { chart } =
      chartOf(
        table(
          ["Name", "Size"],
          rowsOf(1000, (at) => at),
        ),
        undefined,
        en,
      ) ?? {};
    expect(chart?.categories).toHaveLength(20);
    expect(chart?.categories[0]).toBe("c999");
    expect(chart?.note).toBe("The 20 largest of 1,000.");
    expect(chart?.alt).toContain("and 12 more");
  });

  it("[view.charts] of a long series the end is drawn", () => {
    const days = Array.from({ length: 300 }, (_, at) => [
      new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10),
      at,
    ]);
    const { chart } = chartOf(table(["Day", "Visits"], days), undefined, en) ?? {};
    expect([chart?.categories.length, chart?.series[0]?.values.at(-1)]).toEqual([100, 299]);
    expect(chart?.note).toBe("The last 100 of 300.");
  });

  it("[view.charts] series that share no axis are not drawn together", () => {
    const mixed = table(
      ["Team", "Orders", "Revenue", "Returns"],
      [
        ["A", 4, 90_000, 1],
        ["B", 5, 70_000, 2],
      ],
    );
    expect(chartOf(mixed, undefined, en)?.chart.series.map(({ name }) => name)).toEqual([
      "Orders",
      "Returns",
    ]);
  });

  it("[view.charts] says of which rows, where not all were read", () => {
    expect(chartOf({ ...regions, total: 40 }, undefined, en)?.chart.note).toBe(
      "Shows only the first 3 of 40 rows.",
    );
  });
});

describe("a chart that a person asked for", () => {
  it("[view.charts] rows are counted by the column that they name, with the numbers beside it", () => {
    const { chart, numbers } = chartOf(issues, { kind: "pie", by: "status" }, en) ?? {};
    expect(chart).toMatchObject({
      kind: "pie",
      title: "Count by status",
      categories: ["Done", "To Do"],
      series: [{ values: [3, 1] }],
    });
    expect(numbers).toMatchObject({
      folded: true,
      elements: [
        {
          type: "table",
          rows: [
            ["Done", 3],
            ["To Do", 1],
          ],
        },
      ],
    });
  });

  it("[view.charts] without a name by the column that groups them", () => {
    expect(chartOf(issues, {}, en)?.chart.title).toBe("Count by status");
  });

  it("[view.charts] numbers of named rows are drawn as they are", () => {
    const teams = table(
      ["Team", "Lead", "Points"],
      [
        ["A", "Ana", 3],
        ["B", "Ana", 5],
      ],
    );
    expect(chartOf(teams, undefined, en)).toBeUndefined();
    expect(chartOf(teams, {}, en)?.chart.title).toBe("Points by team");
    expect(chartOf(teams, { by: "lead", of: "points" }, en)).toBeUndefined();
  });

  it("[view.charts] a number that they name is summed up", () => {
    const wish = { by: "statuses", of: "comments of the issues" };
    expect(chartOf(issues, wish, en)?.chart).toMatchObject({
      title: "Comments by status",
      series: [{ values: [9, 0] }],
    });
  });

  it("[view.charts] small slices are put together", () => {
    const many = table(
      ["Key", "Owner"],
      Array.from({ length: 60 }, (_, at) => [`k${at}`, `o${at % 10}`]),
    );
    const { chart } = chartOf(many, { kind: "pie", by: "owner" }, en) ?? {};
    expect(chart?.categories).toHaveLength(6);
    expect([chart?.categories.at(-1), chart?.series[0]?.values.at(-1)]).toEqual(["Other (5)", 30]);
  });

  it("[view.charts] a pie of negative numbers, and a line of two points, are bars that say why", () => {
    const below = table(
      ["Region", "Change"],
      [
        ["North", -1],
        ["South", 2],
      ],
    );
    expect(chartOf(below, { kind: "pie" }, en)?.chart).toMatchObject({ kind: "bar", note: en.charts.noPie });
    expect(chartOf(below, { kind: "line" }, en)?.chart).toMatchObject({
      kind: "bar",
      note: en.charts.noLine,
    });
  });

  it("[view.charts] is told where there is nothing to draw, in any language", () => {
    const text: CardElement[] = [{ type: "text", text: "Hello" }];
    expect(withChart(text, { kind: "pie" }, en).at(-1)).toEqual({ type: "footer", text: en.charts.none });
    expect(withChart(text, undefined, en)).toEqual(text);
    expect(chartOf(issues, { by: "status" }, wordsOf("German"))?.chart.title).toBe("Anzahl nach Status");
  });

  it("[view.charts] stands before the table of any result", () => {
    const data = [
      { region: "North", revenue: 12 },
      { region: "South", revenue: 9 },
    ];
    const { card } = createViews({}, () => undefined).result({
      toolId: "bi.sales",
      server: "bi",
      name: "sales",
      args: {},
      ok: true,
      data,
    });
    expect(card.elements.map(({ type }) => type)).toEqual(["header", "chart", "table"]);
  });
});

describe("how a chart is asked for", () => {
  it.each([
    ["open issues by status as a pie", { kind: "pie", by: "status" }, "open issues"],
    ["show revenue as a chart", {}, "show revenue"],
    ["as a bar chart, please", undefined, "as a bar chart, please"],
    ["and as a line", { kind: "line" }, ""],
    ["chart open issues in DEMO by status", { by: "status" }, "show open issues in DEMO"],
    ["draw a pie chart of issues by priority", { kind: "pie", by: "priority" }, "show issues"],
    ["list the issues as a bar chart by assignee please", { kind: "bar", by: "assignee" }, "list the issues"],
    ["offene Aufgaben als Kreisdiagramm", { kind: "pie" }, "offene Aufgaben"],
    ["make it a pie, please", { kind: "pie" }, ""],
    ["chart", {}, ""],
    ["bars by assignee please", { kind: "bar", by: "assignee" }, ""],
    ["as a chart per assignee", { by: "assignee" }, ""],
    ["a chart per priority", { by: "priority" }, ""],
    ["pie chart of open issues by status pls", { kind: "pie", by: "status" }, "show open issues"],
    ["bar chart: who has how many bugs", { kind: "bar" }, "who has how many bugs"],
    ["find issues about the pie chart", undefined, "find issues about the pie chart"],
    ["put them in a line", undefined, "put them in a line"],
    ["chart DEMO-1", undefined, "chart DEMO-1"],
    [
      "show issues by status as a pie and assign DEMO-4 to me",
      { kind: "pie", by: "status" },
      "show issues and assign DEMO-4 to me",
    ],
    ["create an issue: draw a pie chart of bugs, then eat it", undefined, undefined],
  ])("[view.charts] %s", (message, wish, rest = message) => {
    const read = readChartWish(message);
    if (message.startsWith("as a bar")) return expect(read.wish?.kind).toBe("bar");
    const { of: _, ...own } = read.wish ?? { of: "" };
    expect([read.wish === undefined ? undefined : own, read.rest]).toEqual([wish, rest]);
  });
});

it("[view.charts] [plan.nothing-dropped] words about charts in a change are its own", () => {
  const isRead = (text: string): boolean => text.startsWith("show");
  const message = "assign DEMO-4 to Ben and show issues by status as a pie";
  expect(readChartWish(message, isRead).rest).toBe("assign DEMO-4 to Ben and show issues");
  const quoted = 'rename DEMO-4 to "compare and show issues as a pie"';
  expect(readChartWish(quoted, isRead)).toEqual({ rest: quoted });
});

it("[view.charts] any table makes a chart of bounded size without empty axes, or none", () => {
  const cell = oneof(
    string({ maxLength: 200 }),
    double(),
    constantFrom<Cell>(null, true, { text: "x" }, Number.NaN, -1, 0, 1e300),
  );
  const tables = tuple(
    array(string(), { minLength: 1, maxLength: 6 }),
    array(array(cell, { minLength: 6, maxLength: 6 }), { maxLength: 60 }),
  );
  const wishes = oneof(
    constantFrom(undefined),
    record({ kind: constantFrom("pie", "bar", "line"), by: string() }, { requiredKeys: [] }),
  );
  assert(
    property(tables, wishes, ([labels, rows], wish) => {
      const made = chartOf(
        table(
          labels,
          rows.map((row) => row.slice(0, labels.length)),
        ),
        wish,
        en,
      );
      if (made !== undefined) expect(isSound(made.chart)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

function isSound({ kind, categories, series, title, alt }: ChartElement): boolean {
  const values = series.flatMap((one) => one.values);
  return (
    categories.length >= 2 &&
    categories.length <= 100 &&
    (kind !== "bar" || categories.length <= 30) &&
    series.every((one) => one.values.length === categories.length) &&
    values.every((value) => value === null || Number.isFinite(value)) &&
    (kind !== "pie" || values.every((value) => value !== null && value > 0)) &&
    categories.every((one) => one !== "" && one.length <= 60) &&
    title.length <= 150 &&
    alt.length <= 1000
  );
}
