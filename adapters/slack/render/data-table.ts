import type { DataTableBlock, RawNumberElement } from "@slack/types";

import type { Cell, TableElement } from "#contract/card.ts";
import { cutText, oneLine } from "#src/base/text.ts";

import { cleanText } from "../../chat/text.ts";
import { LIMITS } from "./limits.ts";
import { charsOf, type DrawnTable } from "./table.ts";
import { weigh } from "./text.ts";

/** Rows of one page; Slack turns the pages, sorts and filters by itself. */
const PAGE_SIZE = 5;

/**
 * The whole table as one that pages by itself; undefined where it does not fit Slack's limits, or `weight`
 * as `weigh` counts. `title` is its caption where it has none.
 */
export function dataTable(
  table: DrawnTable,
  element: TableElement,
  title: string,
  weight: number,
): DataTableBlock | undefined {
  const { header, rows } = table;
  const { table: limits, dataTableRows } = LIMITS;
  if (rows.length === 0 || rows.length > dataTableRows || header.length > limits.columns) return undefined;
  const chars = [header, ...rows].reduce((sum, row) => sum + charsOf(row), 0);
  if (chars > limits.chars) return undefined;
  const caption = oneLine(cleanText(element.caption ?? "")) || oneLine(cleanText(title));
  const block: DataTableBlock = {
    type: "data_table",
    caption: cutText(caption, LIMITS.caption),
    rows: [
      header,
      ...rows.map((row, index) =>
        row.map((cell, column) => numberCell(table.source.rows[index]?.[column] ?? null) ?? cell),
      ),
    ],
    page_size: PAGE_SIZE,
  };
  return weigh(block) <= weight ? block : undefined;
}

/** Numbers are sorted as numbers. */
function numberCell(value: Cell): RawNumberElement | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return { type: "raw_number", value, text: String(value) };
}
