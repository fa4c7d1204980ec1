import type { Cell, TableElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";

import type { Shape } from "./table.ts";

/** Lists lie no deeper than this in what tools give. */
const MAX_DEPTH = 4;

/** Cells of a table that has fewer values. */
const FEW_CELLS = 20_000;
/** Of a table's cells at least so much has a value. */
const FILLED = 1 / 4;

/**
 * All rows of a table of which a card shows only the first, from the data the card was made of: with the
 * data's own names, nested values as JSON. Of rows that have hardly a name in common the names that most have:
 * each row for itself could name thousands. Undefined where the table is whole or the data has no such list.
 */
export function wholeTable({ rows, total }: TableElement, data: JsonValue): Shape | undefined {
  if (total === undefined || total <= rows.length) return undefined;
  const lists = listsOf(data, 0).filter((list) => list.length > rows.length && list.length <= total);
  const [list] = lists.toSorted((a, b) => b.length - a.length);
  if (list === undefined) return undefined;
  const columns = columnsOf(list);
  return { columns, rows: list.map((row) => columns.map((name) => cellOf(row, name))) };
}

function columnsOf(list: readonly JsonObject[]): string[] {
  const filled = new Map<string, number>();
  for (const row of list) for (const name of Object.keys(row)) filled.set(name, (filled.get(name) ?? 0) + 1);
  const values = [...filled.values()].reduce((sum, one) => sum + one, 0);
  const room = Math.max(1, Math.floor(Math.max(FEW_CELLS, values / FILLED) / list.length));
  if (filled.size <= room) return [...filled.keys()];
  const fullest = [...filled].toSorted(([, a], [, b]) => b - a).slice(0, room);
  const kept = new Set(fullest.map(([name]) => name));
  return [...filled.keys()].filter((name) => kept.has(name));
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
