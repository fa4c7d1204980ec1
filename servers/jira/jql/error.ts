import { ToolFailure } from "#servers/kit/failure.ts";

/** What the demo store understands, for every message about JQL that it does not. */
export const supported: string =
  "Supported: the fields project, key, type, status, statusCategory, priority, assignee, reporter, labels, epic " +
  "(or parent), summary, description, comment, text, created, updated, due; the operators =, !=, ~, !~, >, >=, <, <=, " +
  "in (…), not in (…), is empty, is not empty; AND, OR, NOT and parentheses; currentUser(), now(), startOfDay(), " +
  "startOfWeek(), startOfMonth(), startOfYear() and their endOf…(); dates such as 2026-11-30 or -7d; " +
  "ORDER BY field ASC|DESC.";

/** A query that cannot be run: code `bad_jql`, with the place counted in characters from 1. */
export function jqlError(at: number, problem: string): ToolFailure {
  return new ToolFailure("bad_jql", `JQL, character ${at + 1}: ${problem}. ${supported}`);
}
