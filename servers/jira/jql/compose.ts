import type { SearchRequest } from "../backend.ts";
import { orderStart } from "./parse.ts";

/** A JQL string literal. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replace(/\s+/g, " ")}"`;
}

export interface ComposeOptions {
  /** The JQL condition for an assignee as the caller named it. */
  assignee?: string | undefined;
  /** Used where nothing is asked: some sites refuse a query without any restriction. */
  everything?: string;
}

/** One JQL query for all conditions of a request. An ORDER BY of the caller's own query is kept. */
export function composeJql(request: SearchRequest, options: ComposeOptions = {}): string {
  const own = request.jql?.trim() ?? "";
  const cut = orderStart(own);
  const where = own.slice(0, cut).trim();
  const order = own.slice(cut).trim();
  const others: string[] = [];
  if (request.query?.trim()) others.push(queryCondition(request.query.trim()));
  if (request.project !== undefined) others.push(`project = ${quote(request.project)}`);
  if (request.status !== undefined) others.push(statusCondition(request.status));
  if (options.assignee !== undefined) others.push(options.assignee);
  const parts = where === "" ? others : [others.length > 0 ? `(${where})` : where, ...others];
  const restriction = parts.join(" AND ") || (options.everything ?? "");
  return [restriction, order || "ORDER BY updated DESC"].filter((part) => part !== "").join(" ");
}

function statusCondition(status: string): string {
  const folded = status.trim().toLowerCase();
  if (["open", "unresolved", "not done"].includes(folded)) return "statusCategory != Done";
  if (["closed", "resolved"].includes(folded)) return "statusCategory = Done";
  return `status = ${quote(status.trim())}`;
}

function queryCondition(query: string): string {
  return /^[a-z][a-z0-9_]+-\d+$/i.test(query)
    ? `key = ${quote(query.toUpperCase())}`
    : `text ~ ${quote(query)}`;
}
