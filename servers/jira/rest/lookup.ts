import { z } from "zod";

import type { Rest } from "#servers/kit/rest.ts";
import { ToolFailure } from "#servers/kit/tool.ts";

import type { CallContext, Person, Project } from "../backend.ts";
import { quote } from "../jql/compose.ts";
import { foldName, isMe, isNobody, pickPerson } from "../names.ts";
import type { Dialect } from "./dialects.ts";
import { browseUrl, parseAnswer, toPerson, userSchema } from "./read.ts";

export interface People {
  /** Someone who can be assigned in a project. */
  find(text: string, project: string, call: CallContext): Promise<Person>;
  /** The JQL condition for an assignee as the caller named it. */
  condition(assignee: string | undefined, call: CallContext): Promise<string | undefined>;
}

export function createPeople(rest: Rest, dialect: Dialect): People {
  async function search(text: string, project: string | undefined, call: CallContext): Promise<Person[]> {
    const users = parseAnswer(
      z.array(userSchema),
      await dialect.users(text, project, call),
      "a search for people",
    );
    return users.map(toPerson).filter((person) => person !== null);
  }

  /** Jira also finds people by email address, which it does not show; then the only hit is meant. */
  function choose(text: string, people: Person[]): Person {
    const [only] = people;
    if (only !== undefined && people.length === 1) return only;
    return pickPerson(text, people);
  }

  return {
    async find(text, project, call) {
      if (isMe(text)) {
        const me = toPerson(
          parseAnswer(
            userSchema,
            await rest.get(`${dialect.api}/myself`, { signal: call.signal }),
            "the own account",
          ),
        );
        if (me !== null) return me;
      }
      const found = await search(text, project, call);
      // Without a hit the error names those who can be assigned.
      return found.length > 0 ? choose(text, found) : pickPerson(text, await search("", project, call));
    },
    async condition(assignee, call) {
      if (assignee === undefined) return undefined;
      if (isMe(assignee)) return "assignee = currentUser()";
      if (isNobody(assignee)) return "assignee is EMPTY";
      const found = await search(assignee, undefined, call);
      if (found.length === 0) throw new ToolFailure("unknown_user", `Jira finds no user for "${assignee}"`);
      return `assignee = ${quote(choose(assignee, found).id)}`;
    },
  };
}

const projectSchema = z.object({
  key: z.string(),
  name: z.string(),
  issueTypes: z.array(z.object({ name: z.string(), subtask: z.boolean().nullish() })).nullish(),
});

const listedSchema = z.object({
  key: z.string(),
  name: z.string(),
  lead: userSchema.nullish(),
  insight: z.object({ totalIssueCount: z.number().nullish() }).nullish(),
});

export interface Projects {
  all(call: CallContext): Promise<Project[]>;
  /** By key or name, with the types of issue one can create in it. Throws `unknown_project`. */
  one(text: string, call: CallContext): Promise<{ key: string; name: string; types: string[] }>;
  priorities(call: CallContext): Promise<string[]>;
}

export function createProjects(rest: Rest, dialect: Dialect): Projects {
  async function all(call: CallContext): Promise<Project[]> {
    const listed = parseAnswer(z.array(listedSchema), await dialect.projects(call), "the projects");
    return listed.map(({ key, name, lead, insight }) => ({
      key,
      name,
      lead: toPerson(lead),
      issues: insight?.totalIssueCount ?? null,
      url: browseUrl(rest.baseUrl, key),
    }));
  }

  async function byKey(key: string, { signal }: CallContext): Promise<unknown> {
    // A name is no key; asking for it would only bring a 404.
    if (!/^[A-Z][A-Z0-9_]*$/.test(key)) return undefined;
    return rest.get(`${dialect.api}/project/${key}`, { signal }).catch((error: unknown) => {
      if (error instanceof ToolFailure && error.code === "not_found") return undefined;
      throw error;
    });
  }

  return {
    all,
    async one(text, call) {
      let answer = await byKey(text.toUpperCase(), call);
      if (answer === undefined) {
        const projects = await all(call);
        const named = projects.find(({ name }) => foldName(name) === foldName(text));
        if (named === undefined) throw unknownProject(text, projects);
        answer = await byKey(named.key, call);
      }
      const { key, name, issueTypes } = parseAnswer(projectSchema, answer, `project ${text}`);
      const types = (issueTypes ?? []).filter(({ subtask }) => subtask !== true).map((type) => type.name);
      return { key, name, types };
    },
    async priorities(call) {
      const listed = parseAnswer(
        z.array(z.object({ name: z.string() })),
        await dialect.priorities(call),
        "the priorities",
      );
      return listed.map(({ name }) => name);
    },
  };
}

function unknownProject(text: string, projects: Project[]): ToolFailure {
  const listed = projects.slice(0, 20).map(({ key, name }) => `${key} (${name})`);
  const known = [...listed, ...(projects.length > 20 ? ["…"] : [])].join(", ");
  return new ToolFailure(
    "unknown_project",
    `unknown project "${text}". Projects: ${known || "none that this account can see"}`,
  );
}
