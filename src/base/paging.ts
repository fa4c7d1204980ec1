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

/** Whether an argument takes what only a server can read. */
export function isCursor(name: string): boolean {
  return CURSOR.test(name);
}

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

/** How to ask for a page by its number, from 1; undefined beyond the end, and where only the page before names it. */
export function pageAt(
  schema: JsonSchema,
  { args, data }: { args: JsonObject; data: JsonValue },
  page: number,
  size: number,
): JsonObject | undefined {
  const paging = pagingArgument(schema);
  const before = (page - 1) * size;
  const total = numberOf(data, TOTALS);
  if (paging === undefined || paging.by === "cursor" || (total !== undefined && before >= total))
    return undefined;
  return { ...args, [paging.name]: paging.by === "page" ? page : before };
}

/** Whether a tool gives its lists page by page. */
export function hasPages(schema: JsonSchema): boolean {
  return pagingArgument(schema) !== undefined;
}

const NEXT =
  /^(?:(?:and|ok|please|show|load|give me|list|see|get|read)\s+)*(?:me\s+)?(?:the\s+)?(?:next(?: page| ones?| few| two| three| five| ten| twenty| \d+)?|(?:\d+\s+)?more(?: of (?:them|those))?|more results|the rest|continue|go on|read on|what(?:['’]s|\s+is|\s+comes)\s+(?:next|after\s+(?:them|these|those|that)))(?:\s+please)?\W*$/i;
const PREVIOUS =
  /^(?:(?:please|show|give me|go)\s+)*(?:me\s+)?(?:the\s+|a\s+)?(?:previous|last|page before|back)(?: page)?(?: back)?(?:\s+please)?\W*$/i;
const NUMBERED =
  /^(?:(?:and|please|show|give me|go to|open)\s+)*(?:me\s+)?(?:the\s+)?(?:page\s+(?:number\s+)?(?<number>\d{1,4})|(?<word>first|second|third|fourth|fifth)\s+page)(?:\s+please)?\W*$/i;
const ORDINALS = ["first", "second", "third", "fourth", "fifth"];

/** What a message that says nothing else asks to see of a list: a page by its number, or the one beside. */
export function pageWish(message: string): number | "next" | "previous" | undefined {
  const text = message.trim();
  if (NEXT.test(text)) return "next";
  const { number, word } = NUMBERED.exec(text)?.groups ?? {};
  if (word !== undefined) return ORDINALS.indexOf(word.toLowerCase()) + 1;
  if (number !== undefined) return Number(number) > 0 ? Number(number) : undefined;
  return PREVIOUS.test(text) && !/^\W*(?:the\s+)?(?:last|back)\W*$/i.test(text) ? "previous" : undefined;
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
