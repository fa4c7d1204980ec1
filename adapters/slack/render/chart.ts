import type { KnownBlock } from "@slack/types";

import type { ChartElement } from "#contract/card.ts";
import { cutText, oneLine } from "#src/base/text.ts";

import { cleanText } from "../../chat/text.ts";
import { LIMITS } from "./limits.ts";

/** Not among the types of the package yet: https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block */
interface DataVisualization {
  type: "data_visualization";
  title: string;
  chart:
    | { type: "pie"; segments: Point[] }
    | {
        type: "bar" | "line";
        series: { name: string; data: Point[] }[];
        axis_config: { categories: string[] };
      };
}

interface Point {
  label: string;
  value: number;
}

/** A chart that Slack draws by itself; undefined where it is beyond what Slack takes. */
export function dataVisualization({ kind, title, categories, series }: ChartElement): KnownBlock | undefined {
  const { points, series: mostSeries, segments, label, title: mostTitle } = LIMITS.chart;
  const labels = categories.map((one) => short(one, label));
  const names = series.map(({ name }) => short(name, label));
  const isAlike = new Set(labels).size < labels.length || new Set(names).size < names.length;
  const isHoled = series.some(({ values }) => values.some((value) => value === null));
  const isMuch = labels.length > (kind === "pie" ? segments : points) || series.length > mostSeries;
  if (isAlike || isHoled || isMuch || [...labels, ...names].includes("")) return undefined;
  const data = (values: readonly (number | null)[]): Point[] =>
    labels.map((one, at) => ({ label: one, value: values[at] ?? 0 }));
  const [first = []] = series.map(({ values }) => data(values));
  if (kind === "pie" && first.some(({ value }) => value <= 0)) return undefined;
  const block: DataVisualization = {
    type: "data_visualization",
    title: short(title, mostTitle) || labels.join(", ").slice(0, mostTitle),
    chart:
      kind === "pie"
        ? { type: "pie", segments: first }
        : {
            type: kind,
            series: series.map(({ values }, at) => ({ name: names[at] ?? "", data: data(values) })),
            axis_config: { categories: labels },
          },
  };
  return block as unknown as KnownBlock;
}

function short(text: string, most: number): string {
  return cutText(oneLine(cleanText(text)), most);
}
