import type { JsonObject, JsonSchema, JsonValue } from "#contract/json.ts";

import { isObject } from "./json.ts";
import { shownIn } from "./records.ts";

/** A page of a list, and the arguments that bring the next one. */
export interface NextPage {
  args: JsonObject;
  /** Rows of this page. */
  rows: number;
  /** Rows of the whole list, where the result says it. */
  total?: number;
}

const CURSOR = /^(?:cursor|.*[_a-z]cursor|next_?token|page_?token|.*_page_token|starting_?after|after)$/i;
const PAGE = /^(?:page|page_?number|page_?index)$/i;
const OFFSET = /^(?:offset|start_?at|start|skip)$/i;
const TOTALS = ["total", "total_count", "totalCount", "total_results", "totalResults"];
const MORE = ["has_more", "hasMore", "has_next_page", "hasNextPage", "incomplete_results"];

/** The argument of a tool that says which page is wanted; undefined where it has none. */
function pagingArgument({
  properties,
}: JsonSchema): { name: string; by: "cursor" | "page" | "offset" } | undefined {
  const names = isObject(properties) ? Object.keys(properties) : [];
  for (const [by, pattern] of [
    ["cursor", CURSOR],
    ["page", PAGE],
    ["offset", OFFSET],
  ] as const) {
    const name = names.find((one) => pattern.test(one));
    if (name !== undefined) return { name, by };
  }
  return undefined;
}

/** The arguments without the one that says which page it is: equal ones are pages of one list. */
export function withoutPage(schema: JsonSchema, args: JsonObject): JsonObject {
  const paging = pagingArgument(schema);
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== paging?.name));
}

/** Whether a call asks for a later page, and with what: the cursor, the page's number or the rows before it. */
export function pageOf(
  schema: JsonSchema,
  args: JsonObject,
): { by: "cursor" | "page" | "offset"; value: string | number } | undefined {
  const paging = pagingArgument(schema);
  const value = paging && args[paging.name];
  if (paging === undefined || value === undefined || value === null || value === "") return undefined;
  return typeof value === "string" || typeof value === "number" ? { by: paging.by, value } : undefined;
}

/** How to read on after a page; undefined where that was all, as far as anybody can tell. */
export function nextPage(schema: JsonSchema, args: JsonObject, data: JsonValue): NextPage | undefined {
  const paging = pagingArgument(schema);
  const rows = rowsOf(data);
  if (paging === undefined || rows === 0) return undefined;
  const total = numberOf(data, TOTALS);
  const found = { rows, ...(total === undefined ? {} : { total }) };
  const { name, by } = paging;
  if (by === "cursor") {
    const { next } = shownIn(data);
    return next === undefined || next === args[name]
      ? undefined
      : { ...found, args: { ...args, [name]: next } };
  }
  const now = Number(args[name] ?? (by === "page" ? 1 : 0));
  const before = by === "page" ? (now - 1) * rows : now;
  const isMore = isObject(data) && MORE.some((one) => data[one] === true);
  if (!Number.isSafeInteger(now) || !(isMore || (total ?? 0) > before + rows)) return undefined;
  return { ...found, args: { ...args, [name]: by === "page" ? now + 1 : now + rows } };
}

/** The length of the longest list of records: `shownIn` keeps no more than people can point at. */
function rowsOf(data: JsonValue): number {
  if (Array.isArray(data)) return data.filter(isObject).length;
  if (!isObject(data)) return 0;
  return Math.max(
    0,
    ...Object.values(data).map((value) => (Array.isArray(value) ? value.filter(isObject).length : 0)),
  );
}

function numberOf(data: JsonValue, names: readonly string[]): number | undefined {
  if (!isObject(data)) return undefined;
  return names
    .map((name) => data[name])
    .find((value) => typeof value === "number" && Number.isSafeInteger(value)) as number | undefined;
}
