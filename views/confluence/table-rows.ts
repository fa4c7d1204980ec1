import type { StatementChange } from "#contract/statement.ts";
import { plainTitle } from "#src/base/statement.ts";
import { cellsIn } from "#src/base/text.ts";

const RULE = /^\|(?:\s*:?-+:?\s*\|)+$/;

/**
 * What a row of a table says that a page gets, cell by cell under the heads of its columns, or what of it is another
 * than it was. `body` is the page with the row in it, as Markdown. Undefined where that has no such row under a
 * head, or more than one.
 */
export function rowChanges(body: unknown, row: string, was?: string): StatementChange[] | undefined {
  const lines = typeof body === "string" ? body.split("\n").map((line) => line.trim()) : [];
  const cells = cellsOf(row);
  const [at = -1, ...others] = lines.flatMap((line, place) => (isSame(cellsOf(line), cells) ? [place] : []));
  // Which table it is in is not known of a row that stands there twice.
  if (others.length > 0) return undefined;
  const start = lines.findLastIndex((line, place) => place < at && !line.startsWith("|")) + 1;
  const head = cellsOf(lines[start] ?? "").map((cell) => plainTitle(cell));
  const isTable = cells.length > 0 && at > start + 1 && RULE.test(lines[start + 1] ?? "");
  if (!isTable || head.length !== cells.length || head.includes("")) return undefined;
  if (was === undefined)
    return head.flatMap((label, column) => {
      const after = cells[column] ?? "";
      return after === "" ? [] : [{ label, after }];
    });
  const before = cellsOf(was);
  const [name = ""] = cells;
  // Which row it is stands in its first cell.
  if (before.length !== cells.length || before[0] !== name || name === "" || isSame(before, cells))
    return undefined;
  return head.flatMap((label, column) =>
    before[column] === cells[column]
      ? []
      : [
          {
            label: `${label} (${plainTitle(name)})`,
            before: before[column] ?? "",
            after: cells[column] ?? "",
          },
        ],
  );
}

function cellsOf(line: string): string[] {
  return /^\s*\|.*\|\s*$/.test(line) ? cellsIn(line) : [];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((cell, at) => cell === other[at]);
}
