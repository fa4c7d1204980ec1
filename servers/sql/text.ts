import type { Value } from "./rows.ts";

/** A table in Markdown; a line for each row. */
export function asMarkdown(columns: readonly string[], rows: readonly (readonly Value[])[]): string {
  if (rows.length === 0) return "No rows.";
  const line = (cells: readonly Value[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

function cell(value: Value): string {
  return String(value ?? "")
    .replaceAll(/[\\|]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, " ");
}
