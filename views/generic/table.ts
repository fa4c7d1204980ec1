import type { CardElement, Cell, TableElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { isHttpUrl } from "#src/base/http.ts";
import { isObject } from "#src/base/json.ts";
import { labelText } from "#src/base/statement.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import { humanise } from "#src/base/tool-words.ts";
import type { Words } from "#src/base/words/en.ts";

import { compactJson, memberOf, nameOf, parseDate, toTitle } from "../text.ts";

/** What one table shows at most. */
const MAX_ROWS = 200;
const MAX_COLUMNS = 12;
/** Cells of one table; wide tables show fewer rows. */
const MAX_CELLS = 1600;

/**
 * Objects as a table: columns are the union of the keys, the fullest first and ids for machines last, or those given; an address column that
 * belongs to a name becomes that name's link. What does not fit is folded or said to be left out.
 */
export function toTable(
  source: JsonObject[],
  budget: Budget,
  columns: readonly string[] = columnsOf(source),
): CardElement[] {
  const linked = linkColumn(source, columns);
  const names = columns.filter((name) => name !== linked?.url);
  const main = names.slice(0, MAX_COLUMNS);
  const more = names.slice(MAX_COLUMNS, MAX_COLUMNS * 2 - 1);
  const width = Math.max(1, main.length + more.length);
  const cells = Math.min(MAX_CELLS, budget.cells);
  const rows = source.slice(0, Math.min(MAX_ROWS, Math.floor(cells / width)));
  const { say } = budget;
  if (rows.length === 0) return [omittedNote(say.amounts.row(source.length), say)];
  budget.cells -= rows.length * width;

  const elements: CardElement[] = [table(rows, main, linked, { total: source.length, say })];
  const [first] = main;
  if (more.length > 0 && first !== undefined) {
    elements.push({
      type: "section",
      title: say.amounts.moreColumn(more.length),
      folded: true,
      elements: [table(rows, [first, ...more], linked, { total: source.length, say })],
    });
  }
  const notes = [
    rows.length < source.length ? say.amounts.row(source.length - rows.length) : undefined,
    names.length > main.length + more.length
      ? `${say.amounts.column(names.length - main.length - more.length)} (${toTitle(names.slice(main.length + more.length, 40).join(", "))})`
      : undefined,
  ].filter((note) => note !== undefined);
  if (notes.length > 0) elements.push(omittedNote(say.and(notes), say));
  const shown = [...main, ...more];
  if (rows.some((row) => shown.some((name) => cellIsCut(row[name] ?? null)))) {
    elements.push({ type: "text", text: say.views.cutValues });
  }
  return elements;
}

/** The line that says what a card does not show. */
export function omittedNote(what: string, { views: say }: Words): CardElement {
  return { type: "text", text: say.leftOut(what) };
}

/** The same for a list of things that shows `shown` at most; nothing where that is all. */
export function omittedBeyond(
  total: number,
  shown: number,
  { of, say }: { of: keyof Words["amounts"]; say: Words },
): CardElement[] {
  return total > shown ? [omittedNote(say.amounts[of](total - shown), say)] : [];
}

interface Linked {
  url: string;
  label: string;
}

function table(
  rows: JsonObject[],
  names: string[],
  linked: Linked | undefined,
  { total, say }: { total: number; say: Words },
): TableElement {
  return {
    type: "table",
    columns: names.map((name) => ({
      label: labelText(humanise(oneLine(name, 60)), say),
      ...(isNumeric(rows, name) ? { align: "right" as const } : {}),
    })),
    rows: rows.map((row) => names.map((name) => cellOf(row, name, linked))),
    ...(total > rows.length ? { total } : {}),
  };
}

function cellOf(row: JsonObject, name: string, linked: Linked | undefined): Cell {
  const value = toCell(memberOf(row, name) ?? null);
  if (linked?.label !== name || typeof value !== "string") return value;
  const url = memberOf(row, linked.url);
  return typeof url === "string" ? { text: value, href: url } : value;
}

function columnsOf(rows: JsonObject[]): string[] {
  const filled = new Map<string, number>();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      filled.set(name, (filled.get(name) ?? 0) + (value === null || value === "" ? 0 : 1));
    }
  }
  const names = [...filled].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  const ids = new Set(names.filter((name) => isForMachines(rows, name)));
  return [...names.filter((name) => !ids.has(name)), ...ids];
}

/** Numbers of 24 signs and the like, of which people read nothing. */
const MACHINE_ID = /^(?:[0-9a-f]{20,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

function isForMachines(rows: JsonObject[], name: string): boolean {
  const values = rows.map((row) => memberOf(row, name) ?? null).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === "string" && MACHINE_ID.test(value));
}

/** The address column and the name it links, when every row that has an address has a name as well. */
function linkColumn(rows: JsonObject[], columns: readonly string[]): Linked | undefined {
  const url = ["url", "href", "html_url", "link", "web_url"].find((name) => columns.includes(name));
  const label = ["key", "title", "name", "id"].find((name) => columns.includes(name));
  if (url === undefined || label === undefined) return undefined;
  const fits = rows.every((row) => {
    const address = memberOf(row, url) ?? null;
    const text = memberOf(row, label);
    return address === null || (typeof address === "string" && isHttpUrl(address) && isLabel(text));
  });
  return fits ? { url, label } : undefined;
}

function isLabel(value: JsonValue | undefined): boolean {
  return typeof value === "string" && value !== "" && !isHttpUrl(value);
}

function isNumeric(rows: JsonObject[], name: string): boolean {
  const values = rows.map((row) => memberOf(row, name) ?? null).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === "number");
}

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
    if (isHttpUrl(value)) return { text: cutText(value, CELL_CHARS), href: value };
    return parseDate(value) ?? cutText(value, CELL_CHARS);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return null;
    if (isShortList(value)) return value.map((item) => scalarText(item)).join(", ");
  } else if (isObject(value)) {
    if (Object.keys(value).length === 0) return null;
    const name = nameOf(value);
    if (name !== undefined) return cutText(name, CELL_CHARS);
  }
  return compactJson(value, CELL_CHARS).text;
}

/** Whether `toCell` had to leave something out. */
function cellIsCut(value: JsonValue): boolean {
  if (typeof value === "string") return value.length > CELL_CHARS;
  if (typeof value !== "object" || value === null || fitsCell(value)) return false;
  return compactJson(value, CELL_CHARS).cut;
}

/** A scalar as text, for lists: null says so, and a list of names reads as one. */
export function scalarText(value: JsonValue): string {
  if (typeof value === "string") return parseDate(value) ?? value;
  if (isObject(value)) return nameOf(value) ?? compactJson(value, CELL_CHARS).text;
  return typeof value === "object" && value !== null ? compactJson(value, CELL_CHARS).text : String(value);
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

/** What a card may still hold; shared by all that is drawn of one result, and counted down. */
export interface Budget {
  /** Nested values (sections, tables, long texts). */
  groups: number;
  /** Cells of all tables. */
  cells: number;
  /** Characters of all long texts. */
  chars: number;
  say: Words;
}

export function createBudget(say: Words): Budget {
  return { groups: 40, cells: 4000, chars: 60_000, say };
}
