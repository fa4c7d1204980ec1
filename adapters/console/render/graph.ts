import type { GraphNode } from "#contract/card.ts";
import { plainLine } from "#src/base/text.ts";

import { before } from "../../document/graph.ts";
import type { TerminalContext } from "./ink.ts";
import { cut, wrap } from "./layout.ts";

/** Columns that a name has at least. */
const LEAST_NAME = 12;

/**
 * A node a line, with its sign on a rail of its own: from there lines go down to those after it, which they enter from
 * the side. A rail that a line only passes behind stays whole. The text instead where there is no room.
 *
 * ```
 * ✓        lines
 * ├─✓      security
 * ├─│─✗    tests
 * ╰─┴─┴─✓  summary
 * ```
 */
export function drawGraph(nodes: readonly GraphNode[], text: string, pen: TerminalContext): string[] {
  const { ink, width } = pen;
  const sources = nodes.map((node, index) => before(node, index));
  const last = new Map(sources.flatMap((from, index) => from.map((one) => [one, index])));
  // By rail, the node whose line is on it.
  const rails: (number | undefined)[] = [];
  const rows = sources.map((from, index) => {
    const entering = [...rails.keys()].filter((rail) => from.includes(rails[rail] ?? -1));
    const first = entering[0] ?? -1;
    let own = first + 1;
    while (rails[own] !== undefined) own += 1;
    const [begin, end] = [Math.min(first === -1 ? own : first, own), Math.max(own, entering.at(-1) ?? -1)];
    const signs = Array.from({ length: Math.max(rails.length, own + 1) }, (_, rail) => {
      const isPassed = rail > begin && rail < end;
      if (rail === own) return "●";
      if (rails[rail] === undefined) return isPassed ? "─" : " ";
      if (!entering.includes(rail)) return "│";
      const isLast = last.get(rails[rail]) === index;
      const sides = rail === begin ? "├╰" : rail === end ? "┤╯" : "┼┴";
      return sides.charAt(isLast ? 1 : 0);
    });
    for (const rail of entering) if (last.get(rails[rail] ?? -1) === index) rails[rail] = undefined;
    if (last.has(index)) rails[own] = index;
    return { signs, own, begin, end };
  });
  const columns = 2 * Math.max(0, ...rows.map(({ signs }) => signs.length)) - 1;
  if (columns + 2 + LEAST_NAME > width) return wrap(plainLine(text), width, pen.ruler);
  return rows.map(({ signs, own, begin, end }, index) => {
    const node = nodes[index];
    const drawn = signs.map((sign, rail) => {
      const mark =
        rail === own ? ink.tone(plainLine(node?.sign ?? "●"), node?.tone) : ink.paint("gray", sign);
      return mark + ink.paint("gray", rail >= begin && rail < end ? "─" : " ");
    });
    const rest = " ".repeat(columns + 1 - 2 * signs.length);
    return `${drawn.join("")}${rest} ${cut(plainLine(node?.text ?? ""), width - columns - 2)}`;
  });
}
