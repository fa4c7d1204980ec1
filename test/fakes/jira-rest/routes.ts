import { z } from "zod";

import { search } from "./jql.ts";
import type { Present } from "./present.ts";
import { noIssue, refuse } from "./refusal.ts";
import { priorities, transitions } from "./world.ts";
import type { Issue, User, World } from "./world.ts";

export interface Asked {
  query: URLSearchParams;
  body: unknown;
  /** What stands in the path for `{…}`. */
  part: string;
}

export interface Site {
  world: World;
  present: Present;
  /** ISO time of Jira's form, `2026-11-22T05:00:00.000+0000`. */
  now: () => string;
}

type Route = (site: Site, asked: Asked) => { status: number; body?: unknown };

const Named = z.looseObject({ name: z.string().optional(), id: z.string().optional() });
const Fields = z.looseObject({
  project: z.looseObject({ key: z.string() }).optional(),
  issuetype: Named.optional(),
  summary: z.string().optional(),
  description: z.unknown().optional(),
  priority: Named.optional(),
  labels: z.array(z.string()).optional(),
  assignee: z.looseObject({ id: z.string().nullish(), accountId: z.string().nullish() }).nullish(),
});
const Change = z.looseObject({ fields: Fields });
const Page = z.looseObject({
  jql: z.string(),
  maxResults: z.number().optional(),
  fields: z.array(z.string()).optional(),
  nextPageToken: z.string().optional(),
});

/** Method and path under `/rest/api/3` to what answers it. `{…}` stands for one segment. */
export const routes: Record<string, Route> = {
  "GET /myself": ({ world, present }) => ok(world.users.slice(0, 1).map(present.user)[0]),
  "GET /field": () =>
    ok(
      [...Object.keys(Fields.shape), "status", "created", "updated"]
        .map((id) => ({ id, key: id, name: id, custom: false }))
        .concat([{ id: "customfield_10016", key: "customfield_10016", name: "Story points", custom: true }]),
    ),
  "GET /project": ({ world, present }) => ok(world.projects.map(present.project)),
  "GET /project/search": ({ world, present }) =>
    ok({ values: world.projects.map(present.project), isLast: true, total: world.projects.length }),
  "GET /user/search": ({ world, present }, { query }) => {
    const text = (query.get("query") ?? "").toLowerCase();
    const hit = (user: User): boolean =>
      [user.displayName, user.emailAddress].some((value) => value.toLowerCase().includes(text));
    return ok(world.users.filter(hit).map(present.user));
  },
  "POST /search/jql": ({ world, present }, { body }) => {
    const { jql, maxResults = 50, fields = ["id"], nextPageToken = "0" } = read(Page, body);
    const found = search(jql, world);
    const [from, to] = [Number(nextPageToken), Number(nextPageToken) + maxResults];
    const isLast = to >= found.length;
    const issues = found.slice(from, to).map((issue) => present.issue(issue, fields));
    return ok({ issues, isLast, ...(isLast ? {} : { nextPageToken: String(to) }) });
  },
  "GET /issue/createmeta": ({ world }, { query }) => {
    const wanted = (query.get("projectKeys") ?? "").split(",");
    const projects = world.projects.filter(({ key }) => wanted.includes(key));
    const fields = {
      summary: { required: true, name: "Summary", key: "summary", schema: { type: "string" } },
      priority: {
        required: false,
        name: "Priority",
        key: "priority",
        schema: { type: "priority" },
        allowedValues: priorities.map((name) => ({ name })),
      },
    };
    return ok({
      expand: "projects",
      projects: projects.map(({ id, key, name, issueTypes }) => ({
        id,
        key,
        name,
        issuetypes: issueTypes.map((type) => ({ name: type, subtask: false, fields })),
      })),
    });
  },
  "GET /issue/{…}": ({ world, present }, { part, query }) =>
    ok(present.issue(find(world, part), query.get("fields")?.split(","))),
  "POST /issue": (site, { body }) => {
    const issue = create(site, read(Change, body).fields);
    const self = (site.present.issue(issue) as { self: string }).self;
    return { status: 201, body: { id: issue.id, key: issue.key, self } };
  },
  "PUT /issue/{…}": (site, { part, body }) => {
    const issue = find(site.world, part);
    const { summary, description, priority, labels, assignee } = read(Change, body).fields;
    if (summary !== undefined) issue.summary = toSummary(summary);
    if (description !== undefined) issue.description = description;
    if (priority !== undefined) issue.priority = toPriority(priority.name);
    if (labels !== undefined) issue.labels = labels;
    if (assignee !== undefined) issue.assigneeId = toPerson(site.world, assignee?.accountId ?? assignee?.id);
    issue.updated = site.now();
    return { status: 204 };
  },
  "PUT /issue/{…}/assignee": ({ world, now }, { part, body }) => {
    const issue = find(world, part);
    issue.assigneeId = toPerson(world, read(z.object({ accountId: z.string().nullable() }), body).accountId);
    issue.updated = now();
    return { status: 204 };
  },
  "GET /issue/{…}/comment": ({ world, present }, { part }) => {
    const issue = find(world, part);
    const comments = issue.comments.map((comment) => present.comment(issue, comment));
    return ok({ startAt: 0, maxResults: 5000, total: comments.length, comments });
  },
  "POST /issue/{…}/comment": ({ world, present, now }, { part, body }) => {
    const issue = find(world, part);
    const text = read(z.looseObject({ body: z.unknown() }), body).body;
    if (!isDocument(text)) throw refuse(400, [], { comment: "Comment body is not valid!" });
    world.nextId += 1;
    const authorId = world.users[0]?.accountId ?? "";
    const comment = { id: String(world.nextId), authorId, body: text, created: now() };
    issue.comments.push(comment);
    return { status: 201, body: present.comment(issue, comment) };
  },
  "GET /issue/{…}/transitions": ({ world }, { part }) => {
    find(world, part);
    return ok({
      expand: "transitions",
      transitions: transitions.map(({ id, name, to }) => ({ id, name, to: { name: to }, isAvailable: true })),
    });
  },
  "POST /issue/{…}/transitions": ({ world, now }, { part, body }) => {
    const issue = find(world, part);
    const { id } = read(z.looseObject({ transition: z.object({ id: z.string() }) }), body).transition;
    const step = transitions.find((one) => one.id === id);
    if (step === undefined) {
      throw refuse(400, [
        `It seems that you have tried to perform an illegal workflow operation. Transition id '${id}' is not valid for this issue.`,
      ]);
    }
    issue.status = step.to;
    issue.updated = now();
    return { status: 204 };
  },
};

function ok(body: unknown): { status: number; body: unknown } {
  return { status: 200, body };
}

function read<Shape>(schema: z.ZodType<Shape>, body: unknown): Shape {
  const { success, data } = schema.safeParse(body);
  if (!success)
    throw refuse(400, ["Invalid request payload. Refer to the REST API documentation and try again."]);
  return data;
}

function find(world: World, keyOrId: string): Issue {
  const wanted = keyOrId.toUpperCase();
  const issue = world.issues.find(({ key, id }) => key === wanted || id === wanted);
  if (issue === undefined) throw noIssue();
  return issue;
}

/** Refuses all fields that do not fit at once, as Jira does. */
function create({ world, now }: Site, fields: z.infer<typeof Fields>): Issue {
  const errors: Record<string, string> = {};
  const project = world.projects.find(({ key }) => key === fields.project?.key);
  if (project === undefined) errors.project = "valid project is required";
  const issueType = project?.issueTypes.find((name) => name === fields.issuetype?.name);
  if (issueType === undefined) errors.issuetype = "Specify a valid issue type";
  const priority = fields.priority?.name ?? "Medium";
  if (!priorities.includes(priority)) errors.priority = "Specify a valid value for priority";
  const summary = fields.summary?.trim() ?? "";
  if (summary === "") errors.summary = "You must specify a summary of the issue.";
  if (summary.length > 255) errors.summary = "Summary must be less than 255 characters.";
  if (fields.description != null && !isDocument(fields.description)) {
    errors.description = "Operation value must be an Atlassian Document (see the Atlassian Document Format)";
  }
  if (project === undefined || issueType === undefined || Object.keys(errors).length > 0) {
    throw refuse(400, [], errors);
  }
  const number = 1 + world.issues.filter(({ projectKey }) => projectKey === project.key).length;
  world.nextId += 1;
  const issue: Issue = {
    id: String(world.nextId),
    key: `${project.key}-${number}`,
    projectKey: project.key,
    issueType,
    summary,
    description: fields.description ?? null,
    status: "To Do",
    priority,
    assigneeId: toPerson(world, fields.assignee?.accountId ?? fields.assignee?.id),
    reporterId: world.users[0]?.accountId ?? "",
    labels: fields.labels ?? [],
    created: now(),
    updated: now(),
    comments: [],
  };
  world.issues.push(issue);
  return issue;
}

function toSummary(text: string): string {
  if (text.trim() === "") throw refuse(400, [], { summary: "You must specify a summary of the issue." });
  return text;
}

function toPriority(name: string | undefined): string {
  const known = priorities.find((one) => one === name);
  if (known === undefined) throw refuse(400, [], { priority: "Specify a valid value for priority" });
  return known;
}

function toPerson(world: World, id: string | null | undefined): string | null {
  if (id == null) return null;
  if (!world.users.some(({ accountId }) => accountId === id)) {
    throw refuse(400, [], { assignee: "Account ID is not valid." });
  }
  return id;
}

function isDocument(value: unknown): boolean {
  return z.looseObject({ type: z.literal("doc"), version: z.literal(1) }).safeParse(value).success;
}
