import { z } from "zod";

import { ToolFailure } from "#servers/kit/failure.ts";
import type { Rest } from "#servers/kit/rest.ts";

import type { CallContext } from "../backend.ts";
import type { Project } from "../model.ts";
import { foldName } from "../names.ts";
import type { Dialect } from "./dialect.ts";
import { browseUrl, toPerson } from "./present.ts";
import { read } from "./read.ts";
import { userSchema } from "./shapes.ts";

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
    const listed = read(z.array(listedSchema), await dialect.projects(call), "the projects");
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
      const { key, name, issueTypes } = read(projectSchema, answer, `project ${text}`);
      const types = (issueTypes ?? []).filter(({ subtask }) => subtask !== true).map((type) => type.name);
      return { key, name, types };
    },
    async priorities(call) {
      const listed = read(
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
