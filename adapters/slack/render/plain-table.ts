import { fixedWidth } from "../../chat/fixed-width.ts";
import { bold, preformatted, words } from "./rich.ts";
import type { Flow, Line } from "./rich.ts";

/** Wider than this, a fixed-width table breaks its lines on most screens. */
const MAX_WIDTH = 92;

/**
 * A table where Slack allows no table block (in views, and after the first one of a message): in a
 * fixed width where it is narrow and holds no links, else a few lines for each row.
 */
export function drawPlainTable(columns: readonly string[], rows: readonly (readonly Line[])[]): Flow[] {
  const cells = rows.map((row) => columns.map((_, index) => row[index] ?? []));
  const hasLinks = cells.some((row) => row.some((line) => line.some((item) => item.type === "link")));
  const texts = cells.map((row) => row.map(flat));
  const text = hasLinks ? undefined : fixedWidth(columns, texts, MAX_WIDTH);
  if (text !== undefined) return preformatted(text);
  return cells.flatMap((row) => record(columns, row));
}

function flat(line: Line): string {
  return line.map((element) => ("text" in element ? (element.text ?? "") : "")).join("");
}

/** The first cell leads; the others follow with their labels. */
function record(columns: readonly string[], [first, ...rest]: readonly Line[]): Flow[] {
  const others = rest.flatMap((line, index) => [
    ...words(index === 0 ? "    " : "  ·  "),
    ...words(`${columns[index + 1] ?? ""}: `, { italic: true }),
    ...(line.length === 0 ? words("–") : line),
  ]);
  const lead = first === undefined || first.length === 0 ? words("–") : first;
  const label = bold(`${columns[0] ?? ""} `);
  return others.length === 0 ? [[...label, ...lead]] : [[...label, ...lead], others];
}
