import type { JsonValue } from "#contract/json.ts";
import { isObject } from "#src/base/json.ts";
import { labelText } from "#src/base/statement.ts";
import { oneLine } from "#src/base/text.ts";
import { humanise } from "#src/base/tool-words.ts";
import type { Words } from "#src/base/words/en.ts";

import { scalarText } from "./generic/table.ts";
import { humanDate } from "./text.ts";

/** ", by due date": what a list is in the order of. */
export function orderOf(args: JsonValue, say: Words): string {
  const by = isObject(args) ? args["order_by"] : undefined;
  return typeof by === "string" && by !== ""
    ? say.search.orderedBy(oneLine(labelText(humanise(by), say).toLowerCase(), 40))
    : "";
}

/** Arguments that say how many and where, not what. */
const PAGING = ["limit", "cursor", "max_results", "page", "page_token", "offset", "start_at", "group_by"];

/** What was searched, in words: `“login”, project DEMO, status Open`. Empty when nothing was named. */
export function searchedFor(args: JsonValue, say: Words): string {
  if (!isObject(args)) return "";
  const parts = Object.entries(args)
    .filter(([name, value]) => !PAGING.includes(name) && value !== null && value !== "")
    // Which way they stand, people see; by what is said behind all that was searched.
    .filter(([name]) => name !== "order" && name !== "order_by")
    .flatMap(([name, value]) => {
      const text = oneLine(
        Array.isArray(value) ? value.map((each) => scalarText(each)).join(", ") : scalarText(value),
        100,
      );
      const days = /^(.+)_(after|before)$/.exec(name);
      if (days) return daysOf(days[1] ?? "", days[2] === "before");
      if (name === "query" || name === "text") return say.quote(text);
      if (name === "status_category") return text === "open" ? say.search.open : text.replaceAll("_", " ");
      if (name === "assignee" && text === "none") return say.views.unassigned;
      if (name === "jql") return jqlWords(oneLine(scalarText(value), 600), say);
      const isOne = name === "labels" && Array.isArray(value) && value.length === 1;
      return `${nameOf(isOne ? "label" : name, say)} ${text}`;
    });
  return oneLine(parts.join(", "), 300);

  /** Both days of a range at once, in the place of the first of them. */
  function daysOf(field: string, isLast: boolean): string[] {
    const [from, to] = [`${field}_after`, `${field}_before`].map((name) => {
      const day = isObject(args) ? args[name] : undefined;
      return day === undefined || day === null || day === "" ? undefined : oneLine(scalarText(day), 100);
    });
    return isLast && from !== undefined ? [] : [say.search.days(nameOf(field, say), from, to)];
  }
}

function nameOf(name: string, say: Words): string {
  const own = humanise(name);
  const label = labelText(own, say);
  return label === own ? own.toLowerCase() : label;
}

/** What fields are called in JQL, and by people. */
const JQL_NAMES: Readonly<Record<string, string>> = {
  issuetype: "type",
  parent: "epic",
  labels: "label",
  duedate: "due",
};

/** The conditions of plain JQL in words; what is more than that stands as it is. */
function jqlWords(jql: string, say: Words): string[] {
  const [, whole = "", order = ""] = /^(.*?)(?:\s*\bORDER BY\s+(.*))?$/is.exec(jql) ?? [];
  // Who else has it, or nobody.
  const where = whole
    .replaceAll(/\((\w+) (!=|not in) ([\w.-]+|\([^()]*\)) OR \1 is EMPTY\)/gi, "$1 $2 $3")
    .replaceAll(/\((\w+) = ([\w.-]+) OR (\w+) = \2\)/gi, "$1 either $3 $2")
    .replaceAll(OUTSIDE, "$1 outside $2 $3")
    .replaceAll(/\((due) >= (\d{4}-\d{2}-\d{2}) OR \1 is EMPTY\)/gi, "$1 notby $2")
    .replaceAll(/\bNOT (issueLinkType) =/gi, "$1 !=");
  if (/\bOR\b|\bNOT\s*\(/i.test(where)) return [oneLine(jql, 100)];
  const clauses = where
    .split(/\s+AND\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/i)
    .filter((clause) => clause.trim() !== "");
  const sorted =
    order === ""
      ? []
      : [say.search.orderedBy(nameOf(order.split(/[\s,]/, 1)[0] ?? "", say)).replace(/^,\s*/, "")];
  const days = new Map<string, { from?: string; to?: string }>();
  const words = clauses.flatMap((clause) => {
    const [, whose = "", first = "", last = ""] = /^(\w+) outside (\S+) (\S+)$/.exec(clause.trim()) ?? [];
    const dated = nameOf(JQL_NAMES[whose] ?? whose, say);
    const either = /^(\w+) either (\w+) (\S+)$/.exec(clause.trim());
    if (either !== null) {
      const [, one = "", other = "", value = ""] = either;
      return [`${[one, other].map((name) => nameOf(name, say)).join(say.search.or)} ${value}`];
    }
    const [, late = "", from = ""] = /^(\w+) notby (\S+)$/.exec(clause.trim()) ?? [];
    if (late !== "")
      return [say.search.not(say.search.days(nameOf(late, say), undefined, humanDate(dayBefore(from), say)))];
    if (whose !== "")
      return [say.search.not(say.search.days(dated, humanDate(first, say), humanDate(last, say)))];
    const [, field = "", side = "", day = ""] = DAY_CLAUSE.exec(clause.trim()) ?? [];
    if (field === "") return [jqlClauseWords(clause.trim(), say)];
    if (side === "<")
      return [
        say.search.days(nameOf(JQL_NAMES[field] ?? field, say), undefined, humanDate(dayBefore(day), say)),
      ];
    const isNew = !days.has(field);
    days.set(field, { ...days.get(field), [side === ">=" ? "from" : "to"]: humanDate(day, say) });
    return isNew ? [field] : [];
  });
  const told = words.map((word) => {
    const span = days.get(word);
    return span === undefined
      ? word
      : say.search.days(nameOf(JQL_NAMES[word] ?? word, say), span.from, span.to);
  });
  return [...told, ...sorted];
}

/** "Not due this month": before it, behind it, or never. */
const OUTSIDE =
  /\((due|created|updated) < (\d{4}-\d{2}-\d{2}) OR \1 > "?(\d{4}-\d{2}-\d{2})(?: 23:59)?"?(?: OR \1 is EMPTY)?\)/gi;
function dayBefore(day: string): string {
  const at = Date.parse(day);
  // What somebody wrote as a day may be none.
  return Number.isNaN(at) ? day : new Date(at - 86_400_000).toISOString().slice(0, 10);
}

const DAY_CLAUSE = /^(due|duedate|created|updated)\s*(>=|<=|<)\s*"?(\d{4}-\d{2}-\d{2})"?$/i;

function jqlClauseWords(clause: string, say: Words): string {
  const [, field = "", operator = "", rest = ""] =
    /^("[^"]+"|[\w.]+)\s*(is not empty|is empty|not in|in|!=|!~|>=|<=|=|>|<|~)\s*(.*)$/i.exec(clause) ?? [];
  const plain = field.replaceAll('"', "").toLowerCase();
  const name = nameOf(JQL_NAMES[plain] ?? plain, say);
  const values = rest
    .replaceAll(/^\(|\)$/g, "")
    .split(",")
    .map((value) => value.trim().replaceAll(/^"|"$/g, ""));
  const value = values.join(say.search.or);
  const isCategory = plain === "statuscategory" && /^done$/i.test(value);
  const held = plain.startsWith("due") ? nameOf("due_date", say) : name;
  switch (operator.toLowerCase()) {
    case "is empty":
      return plain === "assignee" ? say.views.unassigned : say.search.without(held);
    case "is not empty":
      return say.search.with(held);
    case "!~":
      return say.search.without(say.quote(value));
    case "!=":
    case "not in":
      if (plain === "issuelinktype") return say.search.notLinkedAs(value);
      if (plain === "reporter") return `${name} ${say.search.not(value)}`;
      return isCategory ? say.search.open : say.search.not(value);
    case "=":
    case "in":
      if (plain === "issuelinktype") return say.search.linkedAs(value);
      return isCategory ? value.toLowerCase() : `${name} ${value}`;
    case "~":
      return say.quote(value);
    default:
      return clause;
  }
}
