import type { CardElement, Cell, TableElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";

import { count, humanise, isHttpUrl, oneLine } from "../text.ts";
import type { Budget } from "./budget.ts";
import { cellIsCut, toCell } from "./cells.ts";

/** What one table shows at most. */
const MAX_ROWS = 200;
const MAX_COLUMNS = 12;
/** Cells of one table; wide tables show fewer rows. */
const MAX_CELLS = 1600;

/**
 * Objects as a table: columns are the union of the keys, the fullest first; an address column that
 * belongs to a name becomes that name's link. What does not fit is folded or said to be left out.
 */
export function toTable(source: JsonObject[], budget: Budget): CardElement[] {
  const columns = columnsOf(source);
  const linked = linkColumn(source, columns);
  const names = columns.filter((name) => name !== linked?.url);
  const main = names.slice(0, MAX_COLUMNS);
  const more = names.slice(MAX_COLUMNS, MAX_COLUMNS * 2 - 1);
  const width = Math.max(1, main.length + more.length);
  const cells = Math.min(MAX_CELLS, budget.cells);
  const rows = source.slice(0, Math.min(MAX_ROWS, Math.floor(cells / width)));
  if (rows.length === 0) return [leftOut(count(source.length, "row"))];
  budget.cells -= rows.length * width;

  const elements: CardElement[] = [table(rows, main, linked, source.length)];
  const [first] = main;
  if (more.length > 0 && first !== undefined) {
    elements.push({
      type: "section",
      title: count(more.length, "more column"),
      folded: true,
      elements: [table(rows, [first, ...more], linked, source.length)],
    });
  }
  const notes = [
    rows.length < source.length ? count(source.length - rows.length, "row") : undefined,
    names.length > main.length + more.length
      ? `${count(names.length - main.length - more.length, "column")} (${oneLine(names.slice(main.length + more.length, 40).join(", "))})`
      : undefined,
  ].filter((note) => note !== undefined);
  if (notes.length > 0) elements.push(leftOut(notes.join(" and ")));
  const shown = [...main, ...more];
  if (rows.some((row) => shown.some((name) => cellIsCut(row[name] ?? null)))) {
    elements.push({ type: "text", text: "Long values are cut (…); see JSON for all of them." });
  }
  return elements;
}

/** The line that says what a card does not show. */
export function leftOut(what: string): CardElement {
  return { type: "text", text: `Left out here: ${what}; see JSON.` };
}

interface Linked {
  url: string;
  label: string;
}

function table(rows: JsonObject[], names: string[], linked: Linked | undefined, total: number): TableElement {
  return {
    type: "table",
    columns: names.map((name) => ({
      label: humanise(oneLine(name, 60)),
      ...(isNumeric(rows, name) ? { align: "right" as const } : {}),
    })),
    rows: rows.map((row) => names.map((name) => cellOf(row, name, linked))),
    ...(total > rows.length ? { total } : {}),
  };
}

function cellOf(row: JsonObject, name: string, linked: Linked | undefined): Cell {
  const value = toCell(own(row, name));
  if (linked?.label !== name || typeof value !== "string") return value;
  const url = own(row, linked.url);
  return typeof url === "string" ? { text: value, href: url } : value;
}

function own(row: JsonObject, name: string): JsonValue {
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null;
}

function columnsOf(rows: JsonObject[]): string[] {
  const filled = new Map<string, number>();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      filled.set(name, (filled.get(name) ?? 0) + (value === null || value === "" ? 0 : 1));
    }
  }
  return [...filled].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
}

/** The address column and the name it links, when every row that has an address has a name as well. */
function linkColumn(rows: JsonObject[], columns: string[]): Linked | undefined {
  const url = ["url", "href", "html_url", "link", "web_url"].find((name) => columns.includes(name));
  const label = ["key", "title", "name", "id"].find((name) => columns.includes(name));
  if (url === undefined || label === undefined) return undefined;
  const fits = rows.every((row) => {
    const address = own(row, url);
    const text = own(row, label);
    return address === null || (typeof address === "string" && isHttpUrl(address) && isLabel(text));
  });
  return fits ? { url, label } : undefined;
}

function isLabel(value: JsonValue): boolean {
  return typeof value === "string" && value !== "" && !isHttpUrl(value);
}

function isNumeric(rows: JsonObject[], name: string): boolean {
  const values = rows.map((row) => own(row, name)).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === "number");
}
