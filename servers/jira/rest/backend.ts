import { z } from "zod";

import { createRest, type RestAuth } from "#servers/kit/rest.ts";
import { isFailure, ToolFailure } from "#servers/kit/tool.ts";

import {
  type CallContext,
  fromCursor,
  type Issue,
  type IssueFields,
  type IssueSummary,
  type JiraBackend,
  type Position,
  toCursor,
} from "../backend.ts";
import { composeJql, quote } from "../jql/compose.ts";
import { createCloudDialect, createDataCenterDialect } from "./dialects.ts";
import { assigneeCondition, findPerson, findProject, listProjects } from "./lookup.ts";
import {
  type IssueFormat,
  issueFieldNames,
  parseAnswer,
  parseComment,
  parseComments,
  parseIssue,
  parseSummary,
  toCategory,
} from "./read.ts";

/** Jira's largest page. */
const pageSize = 100;

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

/** Jira at a URL: an email with an API token means Cloud, a personal access token Data Center. */
export function createRemoteBackend(baseUrl: string, auth: RestAuth): JiraBackend {
  const rest = createRest({ service: "Jira", baseUrl, auth });
  const dialect = auth.kind === "basic" ? createCloudDialect(rest) : createDataCenterDialect(rest);
  const { api } = dialect;
  const site = { rest, dialect };
  const format: IssueFormat = { baseUrl: rest.baseUrl, toMarkdown: (body) => dialect.toMarkdown(body) };
  const pathOf = (key: string): string => `${api}/issue/${encodeURIComponent(key)}`;

  async function furtherComments(
    { key, comments: { length } }: Issue,
    total: number,
    signal: AbortSignal,
  ): Promise<Issue["comments"]> {
    const further: Issue["comments"] = [];
    while (length + further.length < total) {
      const query = { startAt: length + further.length, maxResults: pageSize };
      const page = parseComments(await rest.get(`${pathOf(key)}/comment`, { query, signal }), format);
      if (page.length === 0) break;
      further.push(...page);
    }
    return further;
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
      const most = Math.min(pageSize, limit - issues.length);
      const page = await dialect.page(jql, at, most, call);
      total ??= page.total ?? (at === start ? await dialect.count?.(jql, call) : undefined);
      const goal = total === undefined ? undefined : Math.min(total, limit);
      for (const raw of page.issues) {
        const issue = parseSummary(raw, format);
        issues.push(issue);
        await call.progress(issues.length, goal, `read ${issue.key}`);
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
    const { summary, type, description, priority, assignee, labels, due_date, epic_key } = fields;
    // What is undefined is not sent.
    const body = {
      summary,
      issuetype: type === undefined ? undefined : { name: type },
      description: description === undefined ? undefined : dialect.fromMarkdown(description),
      priority: priority === undefined ? undefined : { name: priority },
      assignee: assignee ? dialect.userRef(assignee.id) : assignee,
      labels,
      duedate: due_date,
    };
    if (epic_key === undefined) return { fields: body };
    const epic = await dialect.epicBody(epic_key, call);
    return { ...epic, fields: { ...body, ...epic.fields } };
  }

  return {
    kind: "rest",
    async issue(key, call) {
      const fields = [...issueFieldNames, ...((await dialect.extraFields?.(call)) ?? [])].join(",");
      const query = { fields, expand: "changelog" };
      const answer = await rest.get(pathOf(key), { query, signal: call.signal }).catch((error: unknown) => {
        if (!(error instanceof ToolFailure && isFailure(error, "not_found"))) throw error;
        throw new ToolFailure(
          "unknown_issue",
          `there is no issue ${key} that this account can see. ${error.message}`,
          { cause: error },
        );
      });
      const { issue, commentTotal, fields: raw } = parseIssue(answer, format, `issue ${key}`);
      const [comments, epic] = await Promise.all([
        furtherComments(issue, commentTotal, call.signal),
        dialect.epicOf(raw, call),
      ]);
      return { ...issue, epic, comments: [...issue.comments, ...comments] };
    },
    async children(epicKey, call) {
      const silent = { ...call, progress: async () => {} };
      return (await collect(dialect.childrenJql(epicKey), undefined, Number.POSITIVE_INFINITY, silent))
        .issues;
    },
    async search(asked, call) {
      const { request, at } = fromCursor(asked);
      const assignee = await assigneeCondition(site, request.assignee, call);
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
      const { key } = await findProject(site, projectKey, call);
      const jql = `project = ${quote(key)} ORDER BY key ASC`;
      return { project: key, issues: (await collect(jql, undefined, Number.POSITIVE_INFINITY, call)).issues };
    },
    projects: (call) => listProjects(site, call),
    async choices(projectKey, call) {
      const project = await findProject(site, projectKey, call);
      const schema = z.array(z.object({ name: z.string() }));
      const listed = parseAnswer(schema, await dialect.priorities(call), "the priorities");
      return { ...project, priorities: listed.map(({ name }) => name) };
    },
    findPerson: (text, projectKey, call) => findPerson(site, text, projectKey, call),
    async transitions(key, { signal }) {
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
        ...(await dialect.creationFields?.(issue, call)),
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
      const sent = { body: dialect.fromMarkdown(body) };
      return parseComment(await rest.post(`${pathOf(key)}/comment`, sent, { signal }), format);
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
