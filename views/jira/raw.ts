import { documentText, toRecord } from "../shapes.ts";

type Json = Record<string, unknown>;

/** The names under which issue fields stand in Jira's REST answers, and in ours. */
const MAPPED =
  "summary status issuetype priority assignee reporter project labels created updated duedate description comment issuelinks".split(
    " ",
  );

/**
 * An issue as Jira's REST API gives it (`{key, fields: {…}}`), or in the flat forms that other
 * servers make of it, in the form of the bundled server. Anything else is handed on as it came.
 */
export function fromRest(value: unknown): unknown {
  const issue = toRecord(value);
  if (issue === undefined) return value;
  const fields = toRecord(issue["fields"]);
  return fields === undefined ? flat(issue) : nested(issue, fields);
}

/** The same for a page of issues. */
export function fromRestList(value: unknown): unknown {
  if (Array.isArray(value)) return { issues: value as unknown[] };
  const page = toRecord(value);
  if (page === undefined || !("nextPageToken" in page)) return value;
  return { next_cursor: page["nextPageToken"], ...page };
}

/** What of a raw issue has no place in the common form: custom fields and the like, without empty ones. */
export function restExtras(value: unknown): Json {
  const issue = toRecord(value) ?? {};
  const fields = toRecord(issue["fields"]);
  if (fields === undefined) return {};
  return Object.fromEntries(
    Object.entries(fields).filter(([name, item]) => !MAPPED.includes(name) && !isEmpty(item)),
  );
}

function flat(issue: Json): Json {
  const category = toRecord(issue["status"])?.["category"];
  return {
    ...issue,
    type: nameIn(issue["type"] ?? issue["issue_type"] ?? issue["issuetype"]),
    status: nameIn(issue["status"]),
    status_category: issue["status_category"] ?? categoryOf(category),
    priority: nameIn(issue["priority"]),
    ...("description" in issue ? { description: documentText(issue["description"]) } : {}),
  };
}

function nested(issue: Json, fields: Json): Json {
  const status = toRecord(fields["status"]);
  return {
    key: issue["key"],
    summary: fields["summary"],
    type: nameIn(fields["issuetype"]),
    status: nameIn(status),
    status_category: categoryOf(toRecord(status?.["statusCategory"])?.["key"]),
    priority: nameIn(fields["priority"]),
    assignee: fields["assignee"],
    reporter: fields["reporter"],
    project: projectOf(fields["project"]),
    labels: fields["labels"],
    created: fields["created"],
    updated: fields["updated"],
    due_date: fields["duedate"],
    description: documentText(fields["description"]),
    url: browseUrl(issue["self"], issue["key"]),
    links: list(fields["issuelinks"]).map((link) => linkOf(link, issue["self"])),
    comments: list(toRecord(fields["comment"])?.["comments"]).map((comment) => ({
      ...comment,
      body: documentText(comment["body"]) ?? "",
    })),
  };
}

function linkOf(link: Json, self: unknown): Json {
  const type = toRecord(link["type"]);
  const [other, words] =
    link["outwardIssue"] === undefined
      ? [toRecord(link["inwardIssue"]), type?.["inward"]]
      : [toRecord(link["outwardIssue"]), type?.["outward"]];
  const fields = toRecord(other?.["fields"]);
  return {
    type: words ?? type?.["name"],
    key: other?.["key"],
    summary: fields?.["summary"],
    status: nameIn(fields?.["status"]),
    url: browseUrl(self, other?.["key"]),
  };
}

/** `https://site/rest/api/3/issue/1` and a key as `https://site/browse/KEY`. */
function browseUrl(self: unknown, key: unknown): string | null {
  if (typeof self !== "string" || typeof key !== "string") return null;
  const [base] = self.split("/rest/api/");
  return base === self || base === undefined ? null : `${base}/browse/${encodeURIComponent(key)}`;
}

function projectOf(value: unknown): unknown {
  const project = toRecord(value);
  return project === undefined ? null : { key: project["key"], name: project["name"] ?? project["key"] };
}

/** Jira's own names of the status categories; `indeterminate` is its word for work in progress. */
const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ["new", "todo"],
  ["to do", "todo"],
  ["indeterminate", "in_progress"],
  ["in progress", "in_progress"],
  ["done", "done"],
]);

function categoryOf(value: unknown): string | null {
  return typeof value === "string" ? (CATEGORIES.get(value.toLowerCase()) ?? null) : null;
}

function nameIn(value: unknown): unknown {
  return toRecord(value)?.["name"] ?? (toRecord(value) === undefined ? value : null);
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(toRecord).filter((item) => item !== undefined) : [];
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
