import { type Child, jsx as el } from "hono/jsx";

import type { GraphNode } from "#contract/card.ts";
import { Ruler } from "#src/base/text-width.ts";
import { oneLine } from "#src/base/text.ts";

import { type Place, placeGraph } from "../../../document/graph.ts";

/** In units of the drawing, which are pixels where it has room. */
const ROW = 44;
const BOX = 30;
const GAP = 44;
const LETTER = 7.4;
const PADDING = 24;
const EDGE = 4;
const MOST_LETTERS = 28;

/** A drawing of boxes and lines from left to right; undefined where there is too much for one. `label`: what it shows. */
export function drawGraph(nodes: readonly GraphNode[], label: string): Child {
  const placed = placeGraph(nodes);
  if (placed === undefined) return undefined;
  const texts = nodes.map(({ sign, text }) => oneLine(`${sign ?? ""} ${text}`.trim(), MOST_LETTERS));
  const ruler = new Ruler();
  // Each column is as wide as its longest name.
  const widths = Array.from({ length: placed.columns }, () => 0);
  for (const [index, { column }] of placed.places.entries()) {
    const letters = Math.max(4, ruler.columns(texts[index] ?? "", 2 * MOST_LETTERS));
    widths[column] = Math.max(widths[column] ?? 0, Math.ceil(letters * LETTER) + PADDING);
  }
  const widthOf = ({ column }: Place): number => widths[column] ?? 0;
  const left = ({ column }: Pick<Place, "column">): number =>
    widths.slice(0, column).reduce((sum, one) => sum + one + GAP, EDGE);
  const middle = ({ row }: Place): number => EDGE + (row + (placed.rows - 1) / 2) * ROW + BOX / 2;
  const width = left({ column: placed.columns }) - GAP + EDGE;
  const height = placed.rows * ROW - (ROW - BOX) + 2 * EDGE;

  const lines = placed.lines.map(([from, ...way]) => {
    if (from === undefined) return undefined;
    let path = `M${left(from) + widthOf(from)} ${middle(from)}`;
    let at = from;
    for (const place of way) {
      const bend = left(place) - GAP / 2;
      path += ` C${bend} ${middle(at)} ${bend} ${middle(place)} ${left(place)} ${middle(place)}`;
      // On its way it passes a column; at its end it has a point.
      path += place === way.at(-1) ? " m-6 -4l5 4l-5 4" : ` H${left(place) + widthOf(place)}`;
      at = place;
    }
    return el("path", { class: "cs-graph-line", d: path });
  });

  const boxes = nodes.map(({ text, tone }, index) => {
    const place = placed.places[index];
    if (place === undefined) return undefined;
    const [x, y] = [left(place), middle(place)];
    return el(
      "g",
      { class: `cs-graph-node cs-graph-${tone ?? "neutral"}` },
      texts[index]?.endsWith("…") === true ? el("title", {}, text) : undefined,
      el("rect", { x, y: y - BOX / 2, width: widthOf(place), height: BOX, rx: 7 }),
      el("text", { x: x + widthOf(place) / 2, y: y + 4.5, "text-anchor": "middle" }, texts[index]),
    );
  });

  const about = { class: "cs-graph", role: "img", "aria-label": label };
  return el("svg", { ...about, viewBox: `0 0 ${width} ${height}`, width, height }, ...lines, ...boxes);
}
