import type { Cell, TableElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { ToolCallResult } from "#contract/turn.ts";

import { renderCardHtml } from "../render/html.ts";
import { type Html, raw } from "./html.ts";

const MAX_ROWS = 200;
const MAX_COLUMNS = 16;
const MAX_CELL = 300;

/** The data as it came, as one table: its longest list of objects, else one row per field. */
export function rawTable(call: ToolCallResult): Html {
  const element = tableOf(call.data);
  return raw(renderCardHtml({ kind: "result", title: `${call.toolId} as a table`, elements: [element] }));
}

export function tableOf(data: JsonValue): TableElement {
  const list = longestList(data);
  if (list !== undefined) return listTable(list.name, list.items);
  const fields = isObject(data) ? Object.entries(data) : [["value", data] as const];
  return {
    type: "table",
    columns: [{ label: "field" }, { label: "value" }],
    rows: fields.slice(0, MAX_ROWS).map(([name, value]) => [name, toCell(value)]),
    total: fields.length,
  };
}

function listTable(name: string | undefined, items: JsonObject[]): TableElement {
  const names = [...new Set(items.slice(0, MAX_ROWS).flatMap((item) => Object.keys(item)))];
  const columns = names.slice(0, MAX_COLUMNS);
  return {
    type: "table",
    ...(name === undefined ? {} : { caption: name }),
    columns: columns.map((column) => ({
      label: column,
      ...(items.every((item) => typeof item[column] === "number") ? { align: "right" as const } : {}),
    })),
    rows: items.slice(0, MAX_ROWS).map((item) => columns.map((column) => toCell(item[column] ?? null))),
    total: items.length,
  };
}

/** A list of objects that is the data or a field of it. */
function longestList(data: JsonValue): { name: string | undefined; items: JsonObject[] } | undefined {
  if (isList(data)) return { name: undefined, items: data };
  if (!isObject(data)) return undefined;
  // A single record (an issue with its comments) reads better field by field than as its longest list.
  const entries = Object.entries(data);
  const scalars = entries.filter(([, value]) => typeof value !== "object" && value !== null);
  if (scalars.length > 3) return undefined;
  let longest: { name: string; items: JsonObject[] } | undefined;
  for (const [name, value] of entries) {
    if (isList(value) && value.length > (longest?.items.length ?? 0)) longest = { name, items: value };
  }
  return longest;
}

function toCell(value: JsonValue): Cell {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  const text = typeof value === "string" ? value : nameOf(value);
  if (/^https?:\/\/\S+$/.test(text)) return { text, href: text };
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)} …` : text;
}

/** People, projects and the like by their name; anything else as JSON. */
function nameOf(value: JsonObject | JsonValue[]): string {
  if (Array.isArray(value)) {
    return value.every((item) => typeof item !== "object") ? value.join(", ") : JSON.stringify(value);
  }
  return typeof value["name"] === "string" && Object.keys(value).length <= 3
    ? value["name"]
    : JSON.stringify(value);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: JsonValue): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item));
}
