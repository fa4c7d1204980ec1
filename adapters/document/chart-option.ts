import type { EChartsCoreOption } from "echarts/core";

import type { ChartElement } from "#contract/card.ts";
import { chartNumber } from "#src/base/charts.ts";
import { oneLine, plainLine } from "#src/base/text.ts";

/** Of a chart, in pixels. */
export const SIZE = { width: 720, height: 380 };

/** By what each colour stands for: `chart.ts` changes them where it is dark. */
export const INK = { text: "#1f2328", quiet: "#59636e", rule: "#d1d9e0" };
/** Told apart also by those who see fewer colours (Okabe and Ito), darkened to be read on white. */
const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#b8568c", "#8a6d00", "#3d8fbf"];
const FONT = "DejaVu Sans, system-ui, sans-serif";
const MOST_LABEL = 18;
const MOST_NAME = 26;
/** Bars with more categories than this lie, so that their names can be read. */
const UPRIGHT = 8;

/** What ECharts is told of a chart. Every text is a text of its own: nothing in it is a template or markup. */
export function chartOption({ kind, title, categories, series }: ChartElement): EChartsCoreOption {
  const label = { color: INK.quiet, fontFamily: FONT, fontSize: 12 };
  const shared = {
    animation: false,
    color: PALETTE,
    textStyle: { fontFamily: FONT, color: INK.text },
    title: {
      text: shown(title, 80),
      left: 12,
      top: 10,
      textStyle: { color: INK.text, fontFamily: FONT, fontSize: 15, fontWeight: "normal" },
    },
  };
  const names = categories.map((one) => shown(one, MOST_NAME));
  if (kind === "pie") return { ...shared, series: [pieSeries(names, series, label)] };
  const isLying = kind === "bar" && (names.length > UPRIGHT || names.some((one) => one.length > MOST_LABEL));
  const category = {
    type: "category",
    data: names,
    inverse: isLying,
    axisLabel: {
      ...label,
      interval: kind === "line" ? Math.ceil(names.length / 12) - 1 : 0,
      rotate:
        kind === "bar" && !isLying && Math.max(...names.map((one) => one.length)) * names.length > 80
          ? 30
          : 0,
      width: isLying ? 190 : 110,
      overflow: "truncate",
    },
    axisLine: { lineStyle: { color: INK.rule } },
    axisTick: { show: false },
  };
  const value = {
    type: "value",
    axisLabel: { ...label, formatter: axisNumber },
    splitLine: { lineStyle: { color: INK.rule } },
  };
  const isSaid = series.length === 1 && names.length <= 20;
  return {
    ...shared,
    ...(series.length > 1 && { legend: { top: 38, left: 12, textStyle: label, icon: "roundRect" } }),
    grid: {
      left: 16,
      right: 36,
      top: series.length > 1 ? 72 : 48,
      bottom: 14,
      outerBoundsMode: "same",
      outerBoundsContain: "axisLabel",
    },
    [isLying ? "yAxis" : "xAxis"]: category,
    [isLying ? "xAxis" : "yAxis"]: value,
    series: series.map((one) => ({
      type: kind,
      name: shown(one.name, MOST_NAME),
      data: one.values,
      ...(kind === "line" && { showSymbol: names.length <= 30, symbolSize: 6, lineStyle: { width: 2.5 } }),
      ...(kind === "bar" && { barMaxWidth: 42 }),
      label: {
        show: isSaid && kind === "bar",
        position: isLying ? "right" : "top",
        formatter: ({ value: said }: { value: number | null }) => (said === null ? "" : chartNumber(said)),
        ...label,
      },
    })),
  };
}

function pieSeries(names: readonly string[], series: ChartElement["series"], label: object): object {
  const values = series[0]?.values ?? [];
  const sum = values.reduce<number>((all, value) => all + (value ?? 0), 0);
  return {
    type: "pie",
    radius: ["38%", "68%"],
    center: ["50%", "56%"],
    startAngle: 90,
    itemStyle: { borderColor: "#ffffff", borderWidth: 1 },
    label: {
      ...label,
      formatter: ({ name, value }: { name: string; value: number }) =>
        `${name}: ${chartNumber(value)} (${Math.round((value / sum) * 100)} %)`,
    },
    labelLine: { lineStyle: { color: INK.quiet } },
    data: names.map((name, at) => ({ name, value: values[at] ?? 0 })),
  };
}

/** 1,200,000 as "1.2M": an axis is read at a glance. */
function axisNumber(value: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 }).format(value);
}

function shown(text: string, most: number): string {
  return oneLine(plainLine(text).replaceAll(/[\uFFFE\uFFFF]/g, "\uFFFD"), most);
}
