import { z } from "zod";

import { foldName, isMe, listSome, type Person, pickPerson } from "#servers/kit/names.ts";
import type { Rest } from "#servers/kit/rest.ts";
import { isFailure, ToolFailure } from "#servers/kit/tool.ts";

import type { CallContext } from "../backend.ts";
import type { SiteNames } from "../jql/compose.ts";
import type { Project } from "../schemas.ts";
import type { Dialect } from "./dialects.ts";
import { browseUrl, parseAnswer, parsePeople, parsePerson } from "./read.ts";

/** A Jira that can be asked. */
export interface Site {
  rest: Rest;
  dialect: Dialect;
}

/** Someone who can be assigned in a project. */
export async function findPerson(
  site: Site,
  text: string,
  project: string,
  call: CallContext,
): Promise<Person> {
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
export function siteNames(site: Site, call: CallContext): SiteNames {
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

export async function listPriorities({ dialect }: Site, call: CallContext): Promise<string[]> {
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

export async function listProjects({ rest, dialect }: Site, call: CallContext): Promise<Project[]> {
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
export async function findProject(
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
