import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";

import { renderCardTerminal } from "#adapters/console/render/terminal.ts";
import { chartLines } from "#adapters/document/chart-lines.ts";
import { chartPng, chartSvg } from "#adapters/document/chart.ts";
import { renderCardHtml } from "#adapters/http/page/render/html.ts";
import { dataVisualization } from "#adapters/slack/render/card.ts";
import type { ChartElement, ChartKind } from "#contract/card.ts";
import { amount } from "#test/amount.ts";

function chart(
  kind: ChartKind,
  values: Record<string, number | null>,
  more: Partial<ChartElement> = {},
): ChartElement {
  const categories = Object.keys(values);
  const series = [{ name: "Revenue", values: Object.values(values) }];
  return { type: "chart", kind, title: "Revenue by region", categories, series, alt: "North 120", ...more };
}

const regions = { North: 120, South: 60, East: -30 };

describe("a chart as a picture", () => {
  it.each<ChartKind>(["bar", "line", "pie"])(
    "[view.charts] %s: SVG with its texts, and a small PNG",
    async (kind) => {
      const shown = chart(kind, { North: 120, South: 60, East: 30 });
      const svg = await chartSvg(shown);
      expect(svg).toMatch(/^<svg .*<style>@media \(prefers-color-scheme:dark\)/s);
      for (const text of ["Revenue by region", "North", "South"]) expect(svg).toContain(text);
      const png = await chartPng(shown);
      expect(Buffer.from(png.subarray(1, 4)).toString()).toBe("PNG");
      expect(png.length).toBeLessThan(200_000);
    },
  );

  it("[view.charts] whatever a server says stays text, and reads nothing from elsewhere", async () => {
    const texts = [
      "</text><script>alert(1)</script>",
      '"><image href="https://evil.example/x.png"/>',
      "{b|styled} {a} {c}",
      "url(https://evil.example)",
      "&#x3c;script&#x3e;",
      "]]><!--",
      "\u202Eright to left\u0000\uD800\uFFFF\u001B[2J",
    ];
    for (const kind of ["bar", "line", "pie"] as const) {
      const shown = chart(kind, Object.fromEntries(texts.map((text, at) => [text, at + 1])), {
        title: texts[0] ?? "",
        series: [{ name: texts[1] ?? "", values: texts.map((_, at) => at + 1) }],
      });
      const svg = await chartSvg(shown);
      const markup = svg.replaceAll(/>[^<]*</g, "><");
      expect(markup).not.toMatch(/<script|<image|<!--|<foreignObject|\son\w+=|href=/i);
      expect(svg).toContain("&lt;script&gt;");
      expect(svg).not.toMatch(/[\u202E\uFFFF]/u);
      expect((await chartPng(shown)).length).toBeGreaterThan(1000);
    }
  });

  it("[view.charts] many at once are drawn one after the other, and of a crowd the last are refused", async () => {
    const all = await Promise.allSettled(Array.from({ length: 250 }, () => chartSvg(chart("bar", regions))));
    const refused = all.filter((one) => one.status === "rejected");
    expect(refused.length).toBeGreaterThan(40);
    expect(all.length - refused.length).toBeGreaterThan(190);
    expect(String(refused[0]?.reason)).toContain("too many are drawn now");
  });

  it("[view.charts] the largest that there is takes no more than others", async () => {
    const most = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`a long label of ${at}`, at * 1e12]),
    );
    const series = ["a", "b", "c"].map((name) => ({ name, values: Object.values(most) }));
    expect((await chartPng(chart("line", most, { series }))).length).toBeLessThan(200_000);
  });
});

describe("a chart in characters", () => {
  it("[view.charts] in the terminal each value has its bar", () => {
    const card = {
      kind: "result" as const,
      title: "x",
      elements: [chart("bar", regions, { note: "Of 3 rows." })],
    };
    expect(renderCardTerminal(card, { width: 40, color: false }).split("\n")).toEqual([
      "Revenue by region",
      "North █████████████████████████████ 120",
      "South ██████████████▌ 60",
      "East  -███████▎ -30",
      "Of 3 rows.",
    ]);
  });

  it("[view.charts] shares of a pie, gaps and long lines are said", () => {
    const clean = (text: string): string => text;
    expect(chartLines(chart("pie", { A: 3, B: 1 }), 30, clean)).toEqual([
      "A ██████████████████ 3 (75 %)",
      "B ██████ 1 (25 %)",
    ]);
    expect(chartLines(chart("bar", { A: null, B: 0 }), 30, clean)).toEqual(["A –", "B 0"]);
    const days = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`d${at}`, at]));
    expect(chartLines(chart("line", days), 30, clean)).toEqual([
      "Revenue: 0 – 15",
      "▁▁▂▂▃▃▄▄▅▅▆▆▇▇██",
      "d0 – d15",
    ]);
  });

  it("[view.charts] no line is wider than the terminal", () => {
    const values = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(
        fc.constantFrom<ChartKind>("bar", "line", "pie"),
        fc.array(fc.tuple(fc.string({ unit: "grapheme" }), values), { minLength: 2, maxLength: 40 }),
        fc.integer({ min: 20, max: 120 }),
        (kind, points, width) => {
          const shown = chart(
            kind,
            {},
            {
              categories: points.map(([text]) => text),
              series: [{ name: "n", values: points.map(([, value]) => value) }],
            },
          );
          for (const line of chartLines(shown, width, (text) => text))
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: amount(200, 67) },
    );
  });
});

describe("a chart on the page", () => {
  it("[view.charts] is a picture with its words, or characters with the same", () => {
    const card = {
      kind: "result" as const,
      title: "x",
      elements: [chart("bar", regions, { alt: '"North" <120>' })],
    };
    const html = renderCardHtml(card, "/agent/turns/t/results/0/chart.svg");
    expect(html).toContain('alt="&quot;North&quot; &lt;120&gt;"');
    expect(html).toContain('src="/agent/turns/t/results/0/chart.svg"');
    expect(renderCardHtml(card)).toMatch(/<pre[^>]* role="img" aria-label="&quot;North/);
  });
});

describe("a chart that Slack draws", () => {
  it("[view.charts] has a value for each category, and short labels", () => {
    expect(dataVisualization(chart("bar", { North: 1.5, "A very long name of a region": -2 }))).toEqual({
      type: "data_visualization",
      title: "Revenue by region",
      chart: {
        type: "bar",
        series: [
          {
            name: "Revenue",
            data: [
              { label: "North", value: 1.5 },
              { label: "A very long name of…", value: -2 },
            ],
          },
        ],
        axis_config: { categories: ["North", "A very long name of…"] },
      },
    });
  });

  it.each([
    ["gaps", chart("bar", { A: 1, B: null })],
    ["labels that are alike when they are cut", chart("bar", { ["x".repeat(30)]: 1, ["x".repeat(31)]: 2 })],
    ["21 points", chart("line", Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`d${at}`, at])))],
    [
      "seven slices",
      chart("pie", Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`d${at}`, at + 1]))),
    ],
    ["a slice of nothing", chart("pie", { A: 1, B: 0 })],
  ])("[view.charts] %s are beyond it: it is a picture", (_, shown) => {
    expect(dataVisualization(shown)).toBeUndefined();
  });
});
