import { z } from "zod";

import { foldName, isMe, listSome, type Person, pickPerson } from "#servers/kit/names.ts";
import { createRest, type Rest, type RestAuth } from "#servers/kit/rest.ts";
import { isFailure, ToolFailure } from "#servers/kit/tool.ts";

import {
  type CallContext,
  fromCursor,
  type IssueFields,
  type JiraBackend,
  type Position,
  toCursor,
} from "../backend.ts";
import { countBy } from "../count.ts";
import { composeJql, type Jql, jqlText, quote, type SiteNames } from "../jql/compose.ts";
import type { Issue, IssueSummary, Project } from "../schemas.ts";
import { createCloudDialect, createDataCenterDialect, type Dialect } from "./dialects.ts";
import {
  browseUrl,
  issueFieldNames,
  type IssueFormat,
  parseAnswer,
  parseComment,
  parseComments,
  parseFoundPeople,
  parseIssue,
  parsePeople,
  parsePerson,
  parseSummary,
  summaryFieldNames,
  toCategory,
} from "./read.ts";

/** Whoever looks for one person reads no longer list. */
const MOST_PEOPLE = 20;

/** Jira's largest page. */
const pageSize = 100;

/** Most issues that are read to count them by group, which takes a request for each page. */
const mostGrouped = 1000;

/** What they are grouped by; an epic may be in further fields. */
const groupFieldNames = [...summaryFieldNames, "project", "reporter", "labels", "parent"];

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

  interface Found<T> {
    issues: T[];
    next: Position | undefined;
    total: number | undefined;
  }

  /** Pages from `start` until `limit` issues are there; services may give less than they are asked for. */
  async function collect<T extends { key: string }>(
    jql: Jql,
    page: { start?: Position | undefined; limit: number; fields: readonly string[] },
    read: (answer: unknown) => T | Promise<T>,
    call: CallContext,
  ): Promise<Found<T>> {
    const { start, limit, fields } = page;
    const issues: T[] = [];
    let at = start;
    let total: number | undefined;
    do {
      const most = Math.min(pageSize, limit - issues.length);
      const found = await dialect.page(jqlText(jql), at, most, fields, call);
      // A search does without its total.
      total ??=
        found.total ??
        (at === start ? await dialect.count(jql.where, call).catch(() => undefined) : undefined);
      const goal = total === undefined ? undefined : Math.min(total, limit);
      for (const raw of found.issues) {
        const issue = await read(raw);
        issues.push(issue);
        await call.progress(issues.length, goal, `read ${issue.key}`);
      }
      at = found.next;
      if (found.issues.length === 0) break;
    } while (at !== undefined && issues.length < limit);
    return { issues, next: at, total };
  }

  function summaries(
    jql: Jql,
    page: { start?: Position | undefined; limit: number },
    call: CallContext,
  ): Promise<Found<IssueSummary>> {
    const asked = { ...page, fields: summaryFieldNames };
    return collect(jql, asked, (raw) => parseSummary(raw, format), call);
  }

  async function readEpic(raw: Record<string, unknown>, call: CallContext): Promise<Issue["epic"]> {
    const epic = await dialect.epicOf(raw, call);
    if (epic === null) return null;
    if (epic.summary !== null) return { ...epic, summary: epic.summary };
    const query = { fields: "summary" };
    const answer = await rest
      .get(pathOf(epic.key), { query, signal: call.signal })
      .catch((error: unknown) => {
        // An epic the account may not see is still this issue's epic.
        if (isFailure(error, "not_found")) return {};
        throw error;
      });
    const read = z.object({ fields: z.object({ summary: z.string() }) }).safeParse(answer);
    return { key: epic.key, summary: read.data?.fields.summary ?? "" };
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
        readEpic(raw, call),
      ]);
      return { ...issue, epic, comments: [...issue.comments, ...comments] };
    },
    async children(epicKey, call) {
      const silent = { ...call, progress: async () => {} };
      const jql = { where: `${dialect.epicField} = ${epicKey}`, order: "ORDER BY created ASC" };
      return (await summaries(jql, { limit: Number.POSITIVE_INFINITY }, silent)).issues;
    },
    async search(asked, call) {
      const { filter, at } = fromCursor(asked);
      const composed = await composeJql(filter, siteNames(site, call));
      const { issues, next, total } = await summaries(composed, { start: at, limit: asked.limit }, call);
      const jql = jqlText(composed);
      // The query says it all: names need not be looked up again.
      const next_cursor = next === undefined ? null : toCursor({ jql }, next);
      return { issues, total: total ?? null, next_cursor, jql };
    },
    async count(filter, by, call) {
      const { where } = await composeJql(filter, siteNames(site, call));
      const whole = { groups: [], complete: true, jql: where };
      if (by === undefined) return { ...whole, total: await dialect.count(where, call) };
      const fields = [...groupFieldNames, ...((await dialect.extraFields?.(call)) ?? [])];
      const { issues, next, total } = await collect(
        { where, order: "ORDER BY key ASC" },
        { limit: mostGrouped, fields },
        async (raw) => {
          const read = parseIssue(raw, format, "an issue");
          const epic = await dialect.epicOf(read.fields, call);
          return { ...read.issue, epic: epic && { ...epic, summary: epic.summary ?? "" } };
        },
        call,
      );
      const complete = next === undefined;
      return {
        total: complete ? issues.length : (total ?? (await dialect.count(where, call))),
        groups: countBy(issues, by),
        complete,
        jql: where,
      };
    },
    async exportIssues(projectKey, call) {
      const { key } = await findProject(site, projectKey, call);
      const jql = { where: `project = ${quote(key)}`, order: "ORDER BY key ASC" };
      return {
        project: key,
        issues: (await summaries(jql, { limit: Number.POSITIVE_INFINITY }, call)).issues,
      };
    },
    projects: (call) => listProjects(site, call),
    async choices(projectKey, call) {
      const project = await findProject(site, projectKey, call);
      return { ...project, priorities: await listPriorities(site, call) };
    },
    findPerson: (text, projectKey, call) => findPerson(site, text, projectKey, call),
    async people(text, call) {
      return parseFoundPeople(await dialect.users(text, undefined, call)).slice(0, MOST_PEOPLE);
    },
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

/** A Jira that can be asked. */
export interface Site {
  rest: Rest;
  dialect: Dialect;
}

/** Someone who can be assigned in a project. */
async function findPerson(site: Site, text: string, project: string, call: CallContext): Promise<Person> {
  if (isMe(text)) {
    const answer = await site.rest.get(`${site.dialect.api}/myself`, { signal: call.signal });
    const me = parsePerson(answer, "the own account");
    if (me !== null) return me;
  }
  const found = await searchPeople(site, text, project, call);
  // Without a hit the error names those who can be assigned.
  return found.length > 0
    ? choosePerson(text, found)
    : pickPerson(text, await searchPeople(site, "", project, call));
}

/** What conditions of a search are called here. */
function siteNames(site: Site, call: CallContext): SiteNames {
  const { rest, dialect } = site;
  const { signal } = call;
  return {
    project: async (text) => (await findProject(site, text, call)).key,
    async list(what) {
      if (what === "priority") return listPriorities(site, call);
      const path = what === "type" ? "issuetype" : "status";
      return namesIn(await rest.get(`${dialect.api}/${path}`, { signal }), `its list of ${path}`);
    },
    async person(text) {
      const found = await searchPeople(site, text, undefined, call);
      if (found.length === 0) throw new ToolFailure("unknown_user", `Jira finds no user for "${text}"`);
      return choosePerson(text, found).id;
    },
    epicField: dialect.epicField,
    everything: dialect.everything,
  };
}

async function listPriorities({ dialect }: Site, call: CallContext): Promise<string[]> {
  return namesIn(await dialect.priorities(call), "the priorities");
}

/** Each name once: projects may have types and statuses of their own by the same name. */
function namesIn(answer: unknown, what: string): string[] {
  const listed = parseAnswer(z.array(z.object({ name: z.string() })), answer, what);
  return [...new Set(listed.map(({ name }) => name))];
}

async function searchPeople(
  { dialect }: Site,
  text: string,
  project: string | undefined,
  call: CallContext,
): Promise<Person[]> {
  return parsePeople(await dialect.users(text, project, call), "a search for people");
}

/** Jira also finds people by email address, which it does not show; then the only hit is meant. */
function choosePerson(text: string, people: Person[]): Person {
  const [only] = people;
  return only !== undefined && people.length === 1 ? only : pickPerson(text, people);
}

const listedProjects = z.array(
  z.object({
    key: z.string(),
    name: z.string(),
    lead: z.unknown().optional(),
    insight: z.object({ totalIssueCount: z.number().nullish() }).nullish(),
  }),
);

async function listProjects({ rest, dialect }: Site, call: CallContext): Promise<Project[]> {
  const listed = parseAnswer(listedProjects, await dialect.projects(call), "the projects");
  return listed.map(({ key, name, lead, insight }) => ({
    key,
    name,
    lead: lead === undefined || lead === null ? null : parsePerson(lead, "the projects"),
    issues: insight?.totalIssueCount ?? null,
    url: browseUrl(rest.baseUrl, key),
  }));
}

const projectSchema = z.object({
  key: z.string(),
  name: z.string(),
  issueTypes: z.array(z.object({ name: z.string(), subtask: z.boolean().nullish() })).nullish(),
});

/** By key or name, with the types of issue one can create in it. Throws `unknown_project`. */
async function findProject(
  site: Site,
  text: string,
  call: CallContext,
): Promise<{ key: string; name: string; types: string[] }> {
  let answer = await projectByKey(site, text.toUpperCase(), call);
  if (answer === undefined) {
    const projects = await listProjects(site, call);
    const named = projects.find(({ name }) => foldName(name) === foldName(text));
    if (named === undefined) {
      const known = listSome(projects.map(({ key, name }) => `${key} (${name})`));
      throw new ToolFailure(
        "unknown_project",
        `unknown project "${text}". Projects: ${known || "none that this account can see"}`,
      );
    }
    answer = await projectByKey(site, named.key, call);
  }
  const { key, name, issueTypes } = parseAnswer(projectSchema, answer, `project ${text}`);
  const types = (issueTypes ?? []).filter(({ subtask }) => subtask !== true).map((type) => type.name);
  return { key, name, types };
}

async function projectByKey({ rest, dialect }: Site, key: string, { signal }: CallContext): Promise<unknown> {
  // A name is no key; asking for it would only bring a 404.
  if (!/^[A-Z][A-Z0-9_]*$/.test(key)) return undefined;
  return rest.get(`${dialect.api}/project/${key}`, { signal }).catch((error: unknown) => {
    if (isFailure(error, "not_found")) return undefined;
    throw error;
  });
}
