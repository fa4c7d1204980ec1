import type { Cell } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

import { parseDate } from "../dates.ts";
import { compact, isObject, nameOf } from "../json.ts";
import { cut, isHttpUrl } from "../text.ts";

/** Longer values have no place in a cell. */
export const CELL_CHARS = 160;

/** Whether a value can be read in one cell without losing anything. */
export function fitsCell(value: JsonValue): boolean {
  if (typeof value === "string") return value.length <= CELL_CHARS && !/[\n\r]/.test(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return isShortList(value);
  const name = nameOf(value);
  return Object.keys(value).length === 0 || (name !== undefined && name.length <= CELL_CHARS);
}

/** A value as a cell: addresses as links, ISO times as dates, named things by name, the rest as JSON. */
export function toCell(value: JsonValue): Cell {
  if (typeof value === "string") {
    if (isHttpUrl(value)) return { text: cut(value, CELL_CHARS), href: value };
    return parseDate(value) ?? cut(value, CELL_CHARS);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return null;
    if (isShortList(value)) return value.map((item) => plain(item)).join(", ");
  } else if (isObject(value)) {
    if (Object.keys(value).length === 0) return null;
    const name = nameOf(value);
    if (name !== undefined) return cut(name, CELL_CHARS);
  }
  return compact(value, CELL_CHARS).text;
}

/** Whether `toCell` had to leave something out. */
export function cellIsCut(value: JsonValue): boolean {
  if (typeof value === "string") return value.length > CELL_CHARS;
  if (typeof value !== "object" || value === null || fitsCell(value)) return false;
  return compact(value, CELL_CHARS).cut;
}

/** A scalar as text, for lists: null says so, and a list of names reads as one. */
export function plain(value: JsonValue): string {
  if (typeof value === "string") return parseDate(value) ?? value;
  if (isObject(value)) return nameOf(value) ?? compact(value, CELL_CHARS).text;
  return typeof value === "object" && value !== null ? compact(value, CELL_CHARS).text : String(value);
}

function isShortList(values: JsonValue[]): boolean {
  if (values.length > 12) return false;
  let length = 0;
  for (const value of values) {
    const text = isObject(value) ? nameOf(value) : typeof value === "object" ? undefined : String(value);
    if (text === undefined || text === "" || /[\n\r,]/.test(text)) return false;
    length += text.length + 2;
  }
  return length <= CELL_CHARS;
}
