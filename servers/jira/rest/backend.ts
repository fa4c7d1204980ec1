import { z } from "zod";

import { createRest, type Rest, type RestAuth } from "#servers/kit/rest.ts";
import { ToolFailure } from "#servers/kit/tool.ts";

import {
  type CallContext,
  fromCursor,
  type Issue,
  type IssueFields,
  type IssueSummary,
  type JiraBackend,
  type Position,
  type Project,
  toCursor,
  type Transition,
} from "../backend.ts";
import { composeJql, quote } from "../jql/compose.ts";
import { createCloudDialect, createDataCenterDialect, type Dialect } from "./dialects.ts";
import { createPeople, createProjects } from "./lookup.ts";
import {
  commentSchema,
  issueFieldNames,
  type IssueFormat,
  issueSchema,
  parseAnswer,
  type RawComment,
  type RawIssue,
  summaryFieldNames,
  toCategory,
  toComment,
  toIssue,
  toSummary,
} from "./read.ts";

/** Jira at a URL: an email with an API token means Cloud, a personal access token Data Center. */
export function createRemoteBackend(baseUrl: string, auth: RestAuth): JiraBackend {
  const rest = createRest({ service: "Jira", baseUrl, auth });
  const dialect = auth.kind === "basic" ? createCloudDialect(rest) : createDataCenterDialect(rest);
  return createRestBackend(rest, dialect);
}

/** Jira's largest page. */
const pageSize = 100;

const commentPageSchema = z.object({ comments: z.array(commentSchema), total: z.number() });

const transitionsSchema = z.object({
  transitions: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      to: z.object({ name: z.string(), statusCategory: z.object({ key: z.string() }).nullish() }),
    }),
  ),
});

const linkTypesSchema = z.object({
  issueLinkTypes: z.array(z.object({ name: z.string(), inward: z.string(), outward: z.string() })),
});

/** Jira over its REST API, in the dialect of Cloud or Data Center. */
function createRestBackend(rest: Rest, dialect: Dialect): JiraBackend {
  const { api } = dialect;
  const reading: IssueFormat = { baseUrl: rest.baseUrl, toMarkdown: (body) => dialect.toMarkdown(body) };
  const people = createPeople(rest, dialect);
  const projects = createProjects(rest, dialect);
  const pathOf = (key: string): string => `${api}/issue/${encodeURIComponent(key)}`;

  async function commentsOf({ key, fields }: RawIssue, signal: AbortSignal): Promise<RawComment[]> {
    const comments = [...(fields.comment?.comments ?? [])];
    const total = fields.comment?.total ?? comments.length;
    while (comments.length < total) {
      const query = { startAt: comments.length, maxResults: pageSize };
      const page = parseAnswer(
        commentPageSchema,
        await rest.get(`${pathOf(key)}/comment`, { query, signal }),
        "comments",
      );
      if (page.comments.length === 0) break;
      comments.push(...page.comments);
    }
    return comments;
  }

  /** Pages from `at` until `limit` issues are there; services may give less than they are asked for. */
  async function collect(
    jql: string,
    start: Position | undefined,
    limit: number,
    call: CallContext,
  ): Promise<{ issues: IssueSummary[]; next: Position | undefined; total: number | undefined }> {
    const issues: IssueSummary[] = [];
    let at = start;
    let total: number | undefined;
    do {
      const page = await dialect.page(
        jql,
        at,
        Math.min(pageSize, limit - issues.length),
        summaryFieldNames,
        call,
      );
      total ??= page.total ?? (at === start ? await dialect.count(jql, call) : undefined);
      for (const raw of page.issues) {
        const issue = toSummary(parseAnswer(issueSchema, raw, "an issue"), reading);
        issues.push(issue);
        await call.progress(
          issues.length,
          total === undefined ? undefined : Math.min(total, limit),
          `read ${issue.key}`,
        );
      }
      at = page.next;
      if (page.issues.length === 0) break;
    } while (at !== undefined && issues.length < limit);
    return { issues, next: at, total };
  }

  async function bodyOf(
    fields: IssueFields,
    call: CallContext,
  ): Promise<{ fields: object; update?: object }> {
    const body: Record<string, unknown> = {};
    if (fields.summary !== undefined) body.summary = fields.summary;
    if (fields.type !== undefined) body.issuetype = { name: fields.type };
    if (fields.description !== undefined) body.description = dialect.fromMarkdown(fields.description);
    if (fields.priority !== undefined) body.priority = { name: fields.priority };
    if (fields.assignee !== undefined) {
      body.assignee = fields.assignee === null ? null : dialect.userRef(fields.assignee.id);
    }
    if (fields.labels !== undefined) body.labels = fields.labels;
    if (fields.due_date !== undefined) body.duedate = fields.due_date;
    if (fields.epic_key === undefined) return { fields: body };
    const epic = await dialect.epicBody(fields.epic_key, call);
    return { ...epic, fields: { ...body, ...epic.fields } };
  }

  return {
    kind: "rest",
    async issue(key, call): Promise<Issue> {
      const fields = [...issueFieldNames, ...(await dialect.extraFields(call))].join(",");
      const query = { fields, expand: "changelog" };
      const answer = await rest.get(pathOf(key), { query, signal: call.signal }).catch((error: unknown) => {
        if (!(error instanceof ToolFailure) || error.code !== "not_found") throw error;
        throw new ToolFailure(
          "unknown_issue",
          `there is no issue ${key} that this account can see. ${error.message}`,
          { cause: error },
        );
      });
      const raw = parseAnswer(issueSchema, answer, `issue ${key}`);
      const [comments, epic] = await Promise.all([commentsOf(raw, call.signal), dialect.epicOf(raw, call)]);
      return toIssue(raw, comments, epic, reading);
    },
    async children(epicKey, call) {
      const silent = { ...call, progress: async () => {} };
      return (await collect(dialect.childrenJql(epicKey), undefined, Number.POSITIVE_INFINITY, silent))
        .issues;
    },
    async search(asked, call) {
      const { request, at } = fromCursor(asked);
      const assignee = await people.condition(request.assignee, call);
      const jql = composeJql(request, { assignee, everything: dialect.everything });
      const { issues, next, total } = await collect(jql, at, request.limit, call);
      return {
        issues,
        total: total ?? null,
        next_cursor: next === undefined ? null : toCursor(request, next),
        jql,
      };
    },
    async exportIssues(projectKey, call) {
      const { key } = await projects.one(projectKey, call);
      const jql = `project = ${quote(key)} ORDER BY key ASC`;
      return { project: key, issues: (await collect(jql, undefined, Number.POSITIVE_INFINITY, call)).issues };
    },
    projects: (call): Promise<Project[]> => projects.all(call),
    async choices(projectKey, call) {
      const project = await projects.one(projectKey, call);
      return { ...project, priorities: await projects.priorities(call) };
    },
    findPerson: (text, projectKey, call) => people.find(text, projectKey, call),
    async transitions(key, { signal }): Promise<Transition[]> {
      const answer = await rest.get(`${pathOf(key)}/transitions`, { signal });
      return parseAnswer(transitionsSchema, answer, "transitions").transitions.map(({ id, name, to }) => ({
        id,
        name,
        status: to.name,
        category: toCategory(to),
      }));
    },
    async linkTypes({ signal }) {
      return parseAnswer(linkTypesSchema, await rest.get(`${api}/issueLinkType`, { signal }), "link types")
        .issueLinkTypes;
    },
    async create({ project, ...issue }, call) {
      const body = await bodyOf(issue, call);
      const fields = {
        project: { key: project },
        ...body.fields,
        ...(await dialect.creationFields(issue, call)),
      };
      const answer = await rest.post(`${api}/issue`, { ...body, fields }, { signal: call.signal });
      return parseAnswer(z.object({ key: z.string() }), answer, "a new issue").key;
    },
    async update(key, fields, call) {
      const { assignee, ...others } = fields;
      if (assignee !== undefined && Object.keys(others).length === 0) {
        // Assigning has a permission of its own; editing the issue would ask for more.
        await rest.put(`${pathOf(key)}/assignee`, dialect.userRef(assignee?.id ?? null), {
          signal: call.signal,
        });
      } else {
        await rest.put(pathOf(key), await bodyOf(fields, call), { signal: call.signal });
      }
    },
    async transition(key, { id }, { signal }) {
      await rest.post(`${pathOf(key)}/transitions`, { transition: { id } }, { signal });
    },
    async comment(key, body, { signal }) {
      const answer = await rest.post(
        `${pathOf(key)}/comment`,
        { body: dialect.fromMarkdown(body) },
        { signal },
      );
      return toComment(parseAnswer(commentSchema, answer, "a comment"), reading);
    },
    async link(type, from, to, { signal }) {
      // Jira calls the issue a link starts from its inward issue: from "blocks" to.
      const body = { type: { name: type.name }, inwardIssue: { key: from }, outwardIssue: { key: to } };
      await rest.post(`${api}/issueLink`, body, { signal });
    },
    async remove(key, { signal }) {
      await rest.delete(pathOf(key), { signal });
    },
  };
}
