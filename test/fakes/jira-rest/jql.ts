import { refuse } from "./refusal.ts";
import type { Issue, World } from "./world.ts";

type Test = (issue: Issue) => boolean;

/** In quotes it is a word like any. */
const AND = /\band\b(?=(?:[^"']|"[^"]*"|'[^']*')*$)/i;

const CLAUSE =
  /^\s*(?<field>"[^"]+"|[\w.]+)\s*(?:(?<op>!=|!~|=|~)\s*(?<value>"[^"]*"|'[^']*'|[\w@.:-]+(?:\(\))?)|(?<not>not\s+)?in\s*\((?<list>[^)]*)\)|is\s+(?<filled>not\s+)?empty)\s*$/i;

/**
 * The issues that a query names, in its order. The part of JQL that people and models write most:
 * `=`, `!=`, `~`, `in`, `is empty`, joined by AND, and ORDER BY key, created or updated. Throws what Jira
 * answers with 400.
 */
export function search(jql: string, world: World): Issue[] {
  const [where = "", order] = jql.split(/\border\s+by\b/i);
  if (where.trim() === "") {
    throw refuse(400, ["Unbounded JQL queries are not allowed here. Please add a search restriction."]);
  }
  const tests = where.split(AND).map((clause) => toTest(clause, world));
  const found = world.issues.filter((issue) => tests.every((test) => test(issue)));
  return order === undefined ? found : sorted(found, order);
}

function toTest(clause: string, world: World): Test {
  const parts = CLAUSE.exec(clause)?.groups;
  if (parts === undefined) {
    throw refuse(400, [
      `Error in the JQL Query: Expecting operator but got '${clause.trim().slice(0, 40)}'.`,
    ]);
  }
  const field = unquote(parts.field ?? "").toLowerCase();
  const read = reader(field, world);
  if (parts.value !== undefined) {
    const wanted = meant(unquote(parts.value), field, world);
    const holds: Test = parts.op?.endsWith("~")
      ? (issue) => read(issue).some((value) => value.toLowerCase().includes(wanted.toLowerCase()))
      : (issue) => read(issue).some((value) => same(value, wanted));
    return parts.op?.startsWith("!") ? (issue) => !holds(issue) : holds;
  }
  if (parts.list !== undefined) {
    const wanted = parts.list.split(",").map((item) => meant(unquote(item.trim()), field, world));
    const holds: Test = (issue) => read(issue).some((value) => wanted.some((one) => same(value, one)));
    return parts.not === undefined ? holds : (issue) => !holds(issue);
  }
  return (issue) => (read(issue).length === 0) === (parts.filled === undefined);
}

function reader(field: string, world: World): (issue: Issue) => string[] {
  const person = (id: string | null): string[] => {
    const user = world.users.find(({ accountId }) => accountId === id);
    return user === undefined ? [] : [user.accountId, user.displayName, user.emailAddress];
  };
  const readers: Record<string, (issue: Issue) => string[]> = {
    project: (issue) => [issue.projectKey],
    key: (issue) => [issue.key],
    issuekey: (issue) => [issue.key],
    status: (issue) => [issue.status],
    priority: (issue) => [issue.priority],
    issuetype: (issue) => [issue.issueType],
    type: (issue) => [issue.issueType],
    summary: (issue) => [issue.summary],
    text: (issue) => [issue.summary, JSON.stringify(issue.description)],
    labels: (issue) => issue.labels,
    assignee: (issue) => person(issue.assigneeId),
    reporter: (issue) => person(issue.reporterId),
  };
  const read = readers[field];
  if (read === undefined) {
    throw refuse(400, [`Field '${field}' does not exist or you do not have permission to view it.`]);
  }
  return read;
}

/** `currentUser()` by its id; a project that is not there is an error, as in Jira. */
function meant(value: string, field: string, world: World): string {
  if (value.toLowerCase() === "currentuser()") return world.users[0]?.accountId ?? "";
  if (field === "project" && !world.projects.some(({ key, name }) => same(key, value) || same(name, value))) {
    throw refuse(400, [`The value '${value}' does not exist for the field 'project'.`]);
  }
  return value;
}

function sorted(issues: Issue[], order: string): Issue[] {
  const [name = "", direction = "asc"] = order.trim().split(/\s+/);
  const keys: Record<string, (issue: Issue) => string> = {
    key: (issue) => issue.id,
    created: (issue) => issue.created,
    updated: (issue) => issue.updated,
  };
  const key = keys[name.toLowerCase()];
  if (key === undefined) throw refuse(400, [`Not able to sort using field '${name}'.`]);
  const up = issues.toSorted((a, b) => key(a).localeCompare(key(b)));
  return direction.toLowerCase() === "desc" ? up.toReversed() : up;
}

function unquote(text: string): string {
  return text.replace(/^(["'])([\s\S]*)\1$/, "$2");
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
