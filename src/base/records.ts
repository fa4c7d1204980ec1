import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { RowFacts, Shown, ShownRecord } from "#contract/plan.ts";

import { isObject } from "./json.ts";

const MOST_ROWS = 50;
const MOST_LINKS = 20;
/** What records are known by, the most telling first: the number of an issue before its row in a database. */
const KEYS = ["key", "issue_key", "page_id", "number", "id", "iid", "uuid", "path", "name"];
const TITLES = ["summary", "title", "name", "subject", "label", "displayName"];
const ROLES = ["assignee", "owner", "reporter", "author", "creator", "user"];
const NAMES = ["name", "displayName", "display_name", "login"];
const CURSORS = ["next_cursor", "nextCursor", "next_page_token", "nextPageToken"];

/**
 * What a result puts on the screen: one record, by its own key, or the rows of a list. What a record holds
 * (links, comments, children) are no rows, except where the record and a list stand side by side.
 */
export function shownIn(data: JsonValue, most = MOST_ROWS): Shown {
  if (Array.isArray(data)) return { rows: recordsOf(data, most) };
  if (!isObject(data)) return { rows: [] };
  const own = recordOf(
    data,
    KEYS.filter((name) => name !== "name" && name !== "path"),
  );
  if (own !== undefined)
    return { record: withLinks(withParent(withPeople(own, data), data), data), rows: [] };
  const lists = Object.values(data).map((value) => (Array.isArray(value) ? recordsOf(value, most) : []));
  const [rows = []] = lists.toSorted((one, other) => other.length - one.length);
  const [held, ...others] = Object.entries(data).flatMap(([name, value]) =>
    name !== "before" && name !== "after" && isObject(value) ? (recordOf(value) ?? []) : [],
  );
  const cursor = CURSORS.map((name) => (Object.hasOwn(data, name) ? data[name] : undefined)).find(Boolean);
  return {
    ...(held !== undefined && others.length === 0 ? { record: held } : {}),
    rows,
    ...(typeof cursor === "string" ? { next: cursor } : {}),
  };
}

function withPeople(record: ShownRecord, data: JsonObject): ShownRecord {
  const people = ROLES.flatMap((role) => {
    const person = Object.hasOwn(data, role) ? data[role] : undefined;
    const name = isObject(person) ? nameIn(person) : undefined;
    return typeof name === "string" && name.length <= 200 ? [{ role, name }] : [];
  });
  return people.length === 0 ? record : { ...record, people };
}

function withParent(record: ShownRecord, data: JsonObject): ShownRecord {
  const [parent] = ["epic", "parent"].flatMap((name) => {
    const whole = Object.hasOwn(data, name) ? data[name] : undefined;
    return isObject(whole) ? (recordOf(whole) ?? []) : [];
  });
  return parent === undefined ? record : { ...record, parent: parent.id };
}

function withLinks(record: ShownRecord, data: JsonObject): ShownRecord {
  const { links: all } = data;
  const links = (Array.isArray(all) ? all : []).slice(0, MOST_LINKS).flatMap((link) => {
    const other = isObject(link) ? recordOf(link) : undefined;
    const how = isObject(link) ? link["type"] : undefined;
    return other !== undefined && typeof how === "string" && how.length <= 40 ? [{ how, ...other }] : [];
  });
  return links.length === 0 ? record : { ...record, links };
}

/** What the rows of a result's lists say of their kind, such as "Bug", by their keys. */
export function typesIn(data: JsonValue): ReadonlyMap<string, string> {
  const lists = isObject(data) ? Object.values(data) : [data];
  return new Map(
    lists
      .flatMap((list) => (Array.isArray(list) ? list : []))
      .flatMap((row) => {
        const { key, type } = isObject(row) ? row : {};
        return typeof key === "string" && typeof type === "string" ? [[key, type] as const] : [];
      }),
  );
}

/** Of several results of one turn: several records are rows, the first that was shown first. */
export function shownTogether(all: readonly JsonValue[]): Shown {
  const each = all.map((one) => shownIn(one));
  const records = each.flatMap(({ record }) => record ?? []);
  const isRepeated = new Set(records.map(({ id }) => id)).size === 1;
  if (records.length > 1 && !isRepeated && each.every(({ rows }) => rows.length === 0))
    return { rows: records };
  return each.findLast(({ record, rows }) => record !== undefined || rows.length > 0) ?? { rows: [] };
}

function recordsOf(list: JsonValue[], most: number): ShownRecord[] {
  return list
    .flatMap((item) => {
      const record = isObject(item) ? recordOf(item) : undefined;
      return record === undefined || !isObject(item) ? [] : [withFacts(record, item)];
    })
    .slice(0, most);
}

/** What a row says of itself besides its name: "the one in review", "the unassigned one". */
function withFacts(record: ShownRecord, row: JsonObject): ShownRecord {
  const facts: RowFacts = {
    ...textFact("status", row["status"]),
    ...textFact("type", row["type"]),
    ...textFact("priority", row["priority"]),
    ...textFact("assignee", nameIn(row["assignee"])),
    ...textFact("due", row["due_date"]),
    ...textFact("created", row["created"]),
  };
  return Object.keys(facts).length === 0 ? record : { ...record, facts };
}

function nameIn(person: JsonValue | undefined): JsonValue | undefined {
  return isObject(person) ? NAMES.map((each) => person[each]).find(Boolean) : person;
}

function textFact(name: keyof RowFacts, value: JsonValue | undefined): RowFacts {
  if (value === null) return { [name]: "" };
  return typeof value === "string" && value.length <= 100 ? { [name]: value } : {};
}

function recordOf(item: JsonObject, keys: readonly string[] = KEYS): ShownRecord | undefined {
  const text = (name: string): string | undefined => {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    if (typeof value === "number") return String(value);
    return typeof value === "string" && value !== "" && value.length <= 200 ? value : undefined;
  };
  const id = keys.map(text).find((value) => value !== undefined);
  const title = TITLES.map(text).find((value) => value !== undefined);
  return id === undefined ? undefined : { id, ...(title === undefined ? {} : { title }) };
}
