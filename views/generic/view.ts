import type { CardElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { isHttpUrl } from "#src/base/http.ts";
import { isObject } from "#src/base/json.ts";
import { doneText } from "#src/base/statement.ts";
import { oneLine } from "#src/base/text.ts";
import { toolTitle } from "#src/base/tool-words.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { changeView } from "../change.ts";
import { isChange } from "../change-data.ts";
import { resultView, type ViewResult } from "../parts.ts";
import { documentText } from "../shapes.ts";
import { hrefOf, toTitle, unpackJson } from "../text.ts";
import { toElements } from "./elements.ts";
import { CELL_CHARS, createBudget, omittedNote } from "./table.ts";

/** Shows any result of any tool: tables, fields, nested sections, text. Fits everything. */
export function genericView(input: ViewInput): ViewResult {
  const say = wordsOf(input.language);
  const source = unpackJson(sourceOf(input));
  if (isChange(source)) return changeView({ ...input, data: source });
  const { value: data, left } = withoutTechnicalFields(source, say);
  const record = recordName(data);
  const rows = record === undefined ? rowsOf(data) : undefined;
  const body: CardElement[] =
    data === null || data === "" || (Array.isArray(data) && data.length === 0)
      ? [{ type: "text", text: Array.isArray(data) ? say.views.emptyList : say.views.returnedNothing }]
      : toElements(data, createBudget(say));
  const name = oneLine(toolTitle(input), 100);
  const what = record ?? (rows === undefined ? undefined : say.amounts.row(rows));
  const { statement } = input;
  const done = statement && toTitle(doneText(statement));
  const title = done ?? (what === undefined ? name : `${name}: ${what}`);
  const elements: CardElement[] = [
    { type: "header", text: done ?? name, ...hrefOf(statement?.object?.href) },
    ...body,
    ...(left.length === 0 ? [] : [omittedNote(left.join(", "), say)]),
  ];
  return resultView(title, elements, rows);
}

/** Some servers give structured content that is empty and say everything in the text. */
function sourceOf(input: ViewInput): JsonValue {
  const empty = input.data === null || (isObject(input.data) && Object.keys(input.data).length === 0);
  return empty && input.text !== undefined && input.text !== "" ? input.text : input.data;
}

/** "SHOP-1 Printer on fire": a result that is one thing with a key or an id, and a summary or a title. */
function recordName(data: JsonValue): string | undefined {
  if (!isObject(data)) return undefined;
  const [name] = [data["summary"], data["title"]].filter((each) => typeof each === "string" && each !== "");
  const [mark] = [data["key"], data["id"]].filter(
    (each) => typeof each === "string" || typeof each === "number",
  );
  return typeof name !== "string" || mark === undefined ? undefined : `${mark} ${name}`;
}

/** The length of the result's main list: the result itself, or its longest list of objects. */
function rowsOf(data: JsonValue): number | undefined {
  if (Array.isArray(data)) return data.length;
  if (!isObject(data)) return undefined;
  const lists = Object.values(data)
    .map(unpackJson)
    .filter((value) => Array.isArray(value))
    .filter((value) => value.every((item) => isObject(item)));
  return lists.length === 0 ? undefined : Math.max(...lists.map((list) => list.length));
}

/** Deeper values stay as they came, and those behind so many: nobody reads a table to there. */
const MAX_DEPTH = 12;
const MAX_VALUES = 20_000;
const MAX_MEMBERS = 1_000;
/** Fewer empty members than this are shown as such. */
const MANY_EMPTY = 6;

/** Where REST answers keep what a record holds, beside its id or key. */
const ENVELOPES = ["fields", "attributes"];
/** What names a record, the name that people know first. */
const NAMES = ["displayName", "display_name", "name", "title", "summary", "login", "username"];
/** What a page of a list says of itself, and which of that nothing but a page has. */
const PAGING = /^(?:self|start_?at|start|offset|limit|max_?results|total|size|count|is_?last|page)$/i;
const PAGE = /^(?:start_?at|offset|max_?results|total|is_?last)$/i;

interface OmittedCounts {
  details: number;
  documents: number;
  technical: number;
  empty: string[];
  /** Members of records behind the first thousand. */
  members: number;
  /** How many values were looked at. */
  seen: number;
}

/**
 * A result as people read it, without what a REST API says to programs: records without their envelope
 * (`{id, fields: {…}}`), things they refer to by name, documents as text, and no addresses of the API.
 * What is not of that kind stays as it is. `left` says in words what is left to the JSON.
 */
function withoutTechnicalFields(
  value: JsonValue,
  { views: say, amounts }: Words,
): { value: JsonValue; left: string[] } {
  const left: OmittedCounts = { details: 0, documents: 0, technical: 0, empty: [], members: 0, seen: 0 };
  const tidied = walk(value, left, 0);
  const names = [...new Set(left.empty)];
  return {
    value: tidied,
    left: [
      ...(left.details > 0 ? [say.byName(left.details)] : []),
      ...(left.documents > 0 ? [say.formatting(left.documents)] : []),
      ...(left.technical > 0 ? [amounts.technicalField(left.technical)] : []),
      ...(left.members > 0 ? [amounts.moreField(left.members)] : []),
      ...(names.length > 0 ? [`${amounts.emptyField(names.length)} (${toTitle(names.join(", "))})`] : []),
    ],
  };
}

function walk(value: JsonValue, left: OmittedCounts, depth: number): JsonValue {
  left.seen += 1;
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH || left.seen > MAX_VALUES)
    return value;
  if (Array.isArray(value)) return value.map((item) => walk(item, left, depth + 1));
  const text = Array.isArray(value["content"]) ? documentText(value) : null;
  if (text !== null) {
    left.documents += 1;
    return text;
  }
  const record = opened(value);
  const all = Object.entries(record);
  left.members += Math.max(0, all.length - MAX_MEMBERS);
  const entries = all.slice(0, MAX_MEMBERS).filter(([, item]) => item !== undefined);
  const many = entries.filter(([, item]) => isEmpty(item)).length >= MANY_EMPTY;
  const kept: [string, JsonValue][] = [];
  for (const [name, item] of entries) {
    if (isTechnical(name, item, record) && entries.length > 1) left.technical += 1;
    else if (many && isEmpty(item)) left.empty.push(name);
    else kept.push([name, member(item, left, depth + 1)]);
  }
  return Object.fromEntries(kept);
}

/** A member of a record: a reference to something else by its name, a page of a list as the list. */
function member(value: JsonValue, left: OmittedCounts, depth: number): JsonValue {
  if (!isObject(value)) return walk(value, left, depth);
  const name = referenceName(value, depth);
  if (name !== undefined) {
    left.details += 1;
    return name;
  }
  const list = listOfPage(value);
  if (list !== undefined) left.technical += Object.keys(value).length - 1;
  return walk(list ?? value, left, depth);
}

function opened(record: JsonObject): JsonObject {
  const envelope = ENVELOPES.find((name) => isObject(record[name]));
  if (envelope === undefined || !("id" in record || "key" in record)) return record;
  const { [envelope]: inner, ...outer } = record;
  if (!isObject(inner) || Object.keys(inner).some((name) => Object.hasOwn(outer, name))) return record;
  return { ...outer, ...inner };
}

/**
 * The name of a record that stands elsewhere: it has a name and an address of the API, and nothing in it
 * but plain values, addresses and more references.
 */
function referenceName(value: JsonObject, depth: number): string | undefined {
  if (depth > MAX_DEPTH || !isResource(value)) return undefined;
  const name = NAMES.map((each) => value[each]).find((each) => typeof each === "string" && each !== "");
  if (typeof name !== "string" || name.length > CELL_CHARS) return undefined;
  const plain = Object.entries(value).every(
    ([key, item]) =>
      typeof item !== "object" ||
      item === null ||
      isTechnical(key, item, value) ||
      (isObject(item) && referenceName(item, depth + 1) !== undefined),
  );
  return plain ? name : undefined;
}

/** One address may be for people; many, or one under these names, are for programs. */
function isResource(value: JsonObject): boolean {
  if (isAddress(value["self"]) || isObject(value["_links"])) return true;
  return Object.entries(value).filter(([key, item]) => key.endsWith("_url") && isAddress(item)).length >= 3;
}

/** The list of `{comments: […], total: 3, startAt: 0}`, where it is all of it. */
function listOfPage(value: JsonObject): JsonValue[] | undefined {
  const entries = Object.entries(value);
  const lists = entries.filter(([, item]) => Array.isArray(item));
  const [[, list] = []] = lists;
  if (lists.length !== 1 || !Array.isArray(list)) return undefined;
  const rest = entries.filter(([, item]) => item !== list);
  const isPage = rest.some(([name]) => PAGE.test(name)) && rest.every(([name]) => PAGING.test(name));
  return isPage && isWhole(rest, list.length) ? list : undefined;
}

/** Whether what stands beside a list says that nothing is before or behind it. */
function isWhole(rest: [string, JsonValue][], length: number): boolean {
  const of = (pattern: RegExp): JsonValue[] =>
    rest.flatMap(([name, item]) => (pattern.test(name) ? [item] : []));
  const counts = of(/^(?:total|count|size)$/i);
  const isLast = of(/^is_?last$/i);
  if (counts.some((count) => count !== length) || isLast.includes(false)) return false;
  if (of(/^(?:start_?at|start|offset)$/i).some((start) => start !== 0)) return false;
  const isSaid = of(/^total$/i).length > 0 || isLast.includes(true);
  return isSaid || of(/^(?:limit|max_?results)$/i).every((most) => typeof most === "number" && length < most);
}

function isTechnical(name: string, value: JsonValue, record: JsonObject): boolean {
  if (/^(?:_links|_expandable)$/.test(name)) return isObject(value);
  if (/^(?:node_id|etag)$/i.test(name)) return typeof value === "string";
  if (name === "expand") return typeof value === "string" && isAddress(record["self"]);
  return (name === "self" || /avatar|icon/i.test(name)) && isAddress(value);
}

/** An address, or several by name or size. */
function isAddress(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return isHttpUrl(value);
  if (!isObject(value)) return false;
  const items = Object.values(value);
  return items.length > 0 && items.every((item) => typeof item === "string" && isHttpUrl(item));
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
