import type { Cell, TableElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";

import type { Shape } from "./table.ts";

/** Lists lie no deeper than this in what tools give. */
const MAX_DEPTH = 4;

/**
 * All rows of a table of which a card shows only the first, from the data the card was made of: with the
 * data's own names, nested values as JSON. Undefined where the table is whole or the data has no such list.
 */
export function wholeTable({ rows, total }: TableElement, data: JsonValue): Shape | undefined {
  if (total === undefined || total <= rows.length) return undefined;
  const lists = listsOf(data, 0).filter((list) => list.length > rows.length && list.length <= total);
  const [list] = lists.toSorted((a, b) => b.length - a.length);
  if (list === undefined) return undefined;
  const columns = [...new Set(list.flatMap((row) => Object.keys(row)))];
  return { columns, rows: list.map((row) => columns.map((name) => cellOf(row, name))) };
}

function listsOf(value: JsonValue, depth: number): JsonObject[][] {
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return [];
  if (!Array.isArray(value)) return Object.values(value).flatMap((item) => listsOf(item, depth + 1));
  const isList = value.length > 0 && value.every(isObject);
  return isList ? [value] : value.flatMap((item) => listsOf(item, depth + 1));
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function cellOf(row: JsonObject, name: string): Cell {
  const value = Object.hasOwn(row, name) ? (row[name] ?? null) : null;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
