import { Ruler } from "#src/base/text-width.ts";

/**
 * Rows in a fixed width, with a ruled header; undefined where a cell has line breaks or the whole is wider
 * than `maxWidth` columns.
 */
export function fixedWidth(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
): string | undefined {
  const ruler = new Ruler();
  const widths = columns.map((label, index) =>
    Math.max(ruler.columns(label), ...rows.map((row) => ruler.columns(row[index] ?? "")), 1),
  );
  const width = widths.reduce((sum, each) => sum + each + 2, -2);
  if (width > maxWidth || rows.some((row) => row.some((text) => text.includes("\n")))) return undefined;
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => text + " ".repeat((widths[index] ?? 0) - ruler.columns(text)))
      .join("  ")
      .trimEnd();
  const rule = widths.map((each) => "─".repeat(each));
  return [columns, rule, ...rows].map(line).join("\n");
}
