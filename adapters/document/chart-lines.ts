import type { ChartElement } from "#contract/card.ts";
import { chartNumber } from "#src/base/charts.ts";
import { Ruler } from "#src/base/text-width.ts";
import { cutText, oneLine } from "#src/base/text.ts";

/** Eighths of a character. */
const PARTS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const STEPS = "▁▂▃▄▅▆▇█";
const MOST_LABEL = 24;
const LEAST_BAR = 6;
const MOST_BAR = 40;
/** Longer lines are drawn as one row of steps. */
const MOST_ROWS = 15;

/**
 * A chart in characters, no line wider than `width` (at least 20): a bar for each value; of a long line its steps in
 * one row. `clean` makes a label safe where it is shown.
 */
export function chartLines(element: ChartElement, width: number, clean: (text: string) => string): string[] {
  const { kind, categories, series } = element;
  const ruler = new Ruler();
  if (kind === "line" && categories.length > MOST_ROWS) return stepLines(element, width, clean, ruler);
  const sum = series[0]?.values.reduce<number>((all, value) => all + (value ?? 0), 0) ?? 0;
  const rows = categories.flatMap((category, at) =>
    series.map(({ name, values }, index) => ({
      label: index === 0 ? category : "",
      name: series.length > 1 ? name : "",
      value: values[at] ?? null,
    })),
  );
  const labelOf = ({ label, name }: { label: string; name: string }): string =>
    [label, name]
      .map((text) => cutText(oneLine(clean(text)), MOST_LABEL))
      .filter((text) => text !== "")
      .join("  ");
  const saidOf = (value: number | null): string => {
    const share =
      kind === "pie" && sum > 0 && value !== null ? ` (${Math.round((value / sum) * 100)} %)` : "";
    return `${chartNumber(value)}${share}`;
  };
  const labels = rows.map(labelOf);
  const said = rows.map(({ value }) => saidOf(value));
  const saidMost = Math.max(...said.map((text) => text.length));
  const widest = Math.max(...labels.map((text) => ruler.columns(text)));
  const wide = Math.min(widest, Math.max(4, width - saidMost - LEAST_BAR - 3));
  // With a sign before it, and two spaces.
  const room = Math.min(MOST_BAR, width - wide - saidMost - 3);
  const most = Math.max(...rows.map(({ value }) => Math.abs(value ?? 0)));
  return rows.map(({ value }, at) => {
    const label = fit(labels[at] ?? "", wide, ruler);
    const bar = room < 1 ? "" : barOf(Math.abs(value ?? 0), most, room);
    const sign = bar !== "" && (value ?? 0) < 0 ? "-" : "";
    return cutTo(`${label} ${sign}${bar}${bar === "" ? "" : " "}${said[at]}`, width, ruler);
  });
}

function barOf(value: number, most: number, room: number): string {
  if (most === 0 || value === 0) return "";
  const eighths = Math.max(1, Math.round((value / most) * room * 8));
  return "█".repeat(Math.floor(eighths / 8)) + (PARTS[eighths % 8] ?? "");
}

function stepLines(
  { categories, series }: ChartElement,
  width: number,
  clean: (text: string) => string,
  ruler: Ruler,
): string[] {
  const first = oneLine(clean(categories[0] ?? ""));
  const last = oneLine(clean(categories.at(-1) ?? ""));
  return series.flatMap(({ name, values }) => {
    const shown = values.slice(-width);
    const known = shown.filter((value) => value !== null);
    const [least, most] = [Math.min(...known), Math.max(...known)];
    const step = (value: number | null): string => {
      if (value === null) return " ";
      const share = most === least ? 0.5 : (value - least) / (most - least);
      return STEPS[Math.min(7, Math.floor(share * 8))] ?? "";
    };
    return [
      cutTo(
        `${oneLine(clean(name), MOST_LABEL)}: ${chartNumber(least)} – ${chartNumber(most)}`,
        width,
        ruler,
      ),
      shown.map(step).join(""),
      cutTo(`${first} – ${last}`, width, ruler),
    ];
  });
}

function fit(text: string, width: number, ruler: Ruler): string {
  const cut = cutTo(text, width, ruler);
  return cut + " ".repeat(Math.max(0, width - ruler.columns(cut)));
}

function cutTo(text: string, width: number, ruler: Ruler): string {
  if (ruler.columns(text) <= width) return text;
  let cut = Array.from(text);
  while (cut.length > 0 && ruler.columns(cut.join("")) > width - 1) cut = cut.slice(0, -1);
  return `${cut.join("")}…`;
}
