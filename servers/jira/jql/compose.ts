import { findName, isMe, isNobody, pickName } from "#servers/kit/names.ts";
import { ToolFailure } from "#servers/kit/tool.ts";

import type { IssueFilter } from "../arguments.ts";
import { orderStart } from "./parse.ts";

/** A query in its two halves; either may be empty. */
export interface Jql {
  where: string;
  /** With its "ORDER BY". */
  order: string;
}

/** What a site calls things. Names are refused with a ToolFailure that lists what there is. */
export interface SiteNames {
  /** The key of a project given by key or name. */
  project(text: string): Promise<string>;
  /** All there are. */
  list(what: "type" | "status" | "priority"): Promise<readonly string[]>;
  /** The id of a person given by id, name or part of a name. */
  person(text: string): Promise<string>;
  /** The field that holds an issue's epic. */
  epicField: string;
  /** Used where nothing is asked: some sites refuse a query without any restriction. */
  everything: string;
}

/** A JQL string literal. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replace(/\s+/g, " ")}"`;
}

export function jqlText({ where, order }: Jql): string {
  return [where, order].filter((part) => part !== "").join(" ");
}

/**
 * The query for all conditions of a filter, in its order, else last changed first. Throws
 * `jql_not_alone`, `bad_range`, and what `names` throws.
 */
export async function composeJql(filter: IssueFilter, names: SiteNames): Promise<Jql> {
  if (filter.jql !== undefined) return ownJql(filter.jql, filter);
  for (const field of ["created", "updated", "due"] as const) checkRange(filter, field);
  const parts = Object.entries(conditions).flatMap(([name, write]) => {
    const value = filter[name as keyof typeof conditions] ?? [];
    return [value].flat().map((text) => write(text, names));
  });
  const where = (await Promise.all(parts)).join(" AND ");
  return { where: where || names.everything, order: orderOf(filter) };
}

const notDone = "statusCategory != Done";
const done = "statusCategory = Done";

const categories: Readonly<Record<string, string>> = {
  open: notDone,
  todo: 'statusCategory = "To Do"',
  in_progress: 'statusCategory = "In Progress"',
  done,
} satisfies Record<NonNullable<IssueFilter["status_category"]>, string>;

/** How the value of each argument is written, or each of its values; all of them must hold. */
const conditions = {
  query: async (text) =>
    /^[a-z][a-z0-9_]+-\d+$/i.test(text) ? `key = ${quote(text.toUpperCase())}` : `text ~ ${quote(text)}`,
  project: async (text, names) => `project = ${quote(await names.project(text))}`,
  type: (text, names) => oneOf("type", text, names),
  status: statusCondition,
  status_category: async (category) => categories[category] ?? "",
  priority: (text, names) => oneOf("priority", text, names),
  labels: async (label) => `labels = ${quote(label)}`,
  assignee: (text, names) => personCondition("assignee", text, names),
  reporter: (text, names) => personCondition("reporter", text, names),
  epic: async (key, { epicField }) => `${epicField} = ${quote(key)}`,
  created_after: async (date) => `created >= ${quote(date)}`,
  created_before: async (date) => `created < ${quote(dayAfter(date))}`,
  updated_after: async (date) => `updated >= ${quote(date)}`,
  updated_before: async (date) => `updated < ${quote(dayAfter(date))}`,
  due_after: async (date) => `due >= ${quote(date)}`,
  due_before: async (date) => `due <= ${quote(date)}`,
} satisfies Record<
  Exclude<keyof IssueFilter, "jql" | "order_by" | "order">,
  (text: string, names: SiteNames) => Promise<string>
>;

/** A query of the caller's own; its ORDER BY is kept. */
function ownJql(jql: string, filter: IssueFilter): Jql {
  const others = Object.entries(filter).filter(([name, value]) => name !== "jql" && value !== undefined);
  if (others.length > 0) {
    const named = others.map(([name]) => name).join(", ");
    throw new ToolFailure(
      "jql_not_alone",
      `jql: expected it alone, got it beside ${named}. Write ${named} into the query too, or leave jql out`,
    );
  }
  const own = jql.trim();
  const cut = orderStart(own);
  return { where: own.slice(0, cut).trim(), order: own.slice(cut) || orderOf({}) };
}

function orderOf({ order_by = "updated", order }: IssueFilter): string {
  const direction = order ?? (["created", "updated", "priority"].includes(order_by) ? "desc" : "asc");
  return `ORDER BY ${order_by} ${direction.toUpperCase()}`;
}

async function statusCondition(status: string, names: SiteNames): Promise<string> {
  const folded = status.trim().toLowerCase();
  if (["open", "unresolved", "not done"].includes(folded)) return notDone;
  if (["closed", "resolved"].includes(folded)) return done;
  return oneOf("status", status, names);
}

/** One name, or several with commas. */
async function oneOf(field: "type" | "status" | "priority", text: string, site: SiteNames): Promise<string> {
  const names = await site.list(field);
  const parts = text.split(",").filter((part) => part.trim() !== "");
  // A name may have a comma itself.
  const wanted = findName(text, names) ?? parts.map((part) => pickName(field, part.trim(), names));
  const literals = [...new Set([wanted].flat())].map(quote);
  return literals.length === 1 ? `${field} = ${literals[0]}` : `${field} in (${literals.join(", ")})`;
}

async function personCondition(
  field: "assignee" | "reporter",
  text: string,
  names: SiteNames,
): Promise<string> {
  if (isMe(text)) return `${field} = currentUser()`;
  if (isNobody(text)) return `${field} is EMPTY`;
  return `${field} = ${quote(await names.person(text))}`;
}

function checkRange(filter: IssueFilter, field: "created" | "updated" | "due"): void {
  const [after, before] = [filter[`${field}_after`], filter[`${field}_before`]];
  if (after === undefined || before === undefined || after <= before) return;
  throw new ToolFailure(
    "bad_range",
    `${field}_after ${after} is later than ${field}_before ${before}: no day is in between; exchange them`,
  );
}

/** To JQL a date is its first moment: of a time, `<=` would leave out the day itself. */
function dayAfter(date: string): string {
  return new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
}
