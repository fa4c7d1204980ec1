/** The cells of a row of a Markdown table, such as `| 3 July | Farid |`, without the spaces around them. */
export function cellsIn(row: string): string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
