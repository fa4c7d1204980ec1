import { chartPng, chartSvg } from "#adapters/document/chart.ts";
import type { ChartElement } from "#contract/card.ts";

import { percentile, round, type Row } from "./table.ts";

const ROUNDS = 12;

function chartOf(kind: ChartElement["kind"], categories: number, series: number): ChartElement {
  const names = Array.from({ length: categories }, (_, at) => `Category number ${at + 1}`);
  return {
    type: "chart",
    kind,
    title: "Issues by category and month",
    categories: names,
    series: Array.from({ length: series }, (_, one) => ({
      name: `Series ${one + 1}`,
      values: names.map(
        (_name, at) => ((at * 37 + one * 53) % 100) - (kind === "pie" ? 0 : 20) + (kind === "pie" ? 1 : 0),
      ),
    })),
    alt: "Numbers that are drawn to measure how long that takes.",
  };
}

/** What a chart takes as a picture, after the thread that draws has started. */
export async function benchCharts(): Promise<Row[]> {
  const charts: [string, ChartElement][] = [
    ["bars, 6 categories", chartOf("bar", 6, 1)],
    ["bars, 20 categories, 3 series", chartOf("bar", 20, 3)],
    ["lines, 40 points, 5 series", chartOf("line", 40, 5)],
    ["a pie of 8", chartOf("pie", 8, 1)],
  ];
  const rows: Row[] = [];
  for (const [what, chart] of charts) {
    const [png, svg]: [number[], number[]] = [[], []];
    let kb = 0;
    for (let at = 0; at < ROUNDS; at += 1) {
      const begun = performance.now();
      kb = (await chartPng(chart)).length / 1_000;
      png.push(performance.now() - begun);
      const next = performance.now();
      await chartSvg(chart);
      svg.push(performance.now() - next);
    }
    const p50 = (ms: number[]): number => round(percentile(ms.slice(2), 0.5));
    rows.push({
      what,
      figures: {
        "PNG p50 ms": p50(png),
        "worst ms": round(Math.max(...png.slice(2))),
        "PNG kB": round(kb),
        "SVG p50 ms": p50(svg),
      },
    });
  }
  return rows;
}
