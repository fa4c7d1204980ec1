import { basename, resolve } from "node:path";

import { z } from "zod";

const list = z.array(z.string().min(1).max(300)).max(200).default([]);

/** What can be indexed, as the configuration (`knowledge.sources`), the job API and the command line name it. */
const definition = z.strictObject({
  type: z.enum(["git", "folder", "files", "jira", "confluence"]),
  path: z.string().min(1).max(4000).optional(),
  name: z.string().min(1).max(100).optional(),
  include: list,
  exclude: list,
  jql: z.string().max(2000).optional(),
  spaces: list,
  channels: list,
});

export const sourceDefinition: z.ZodType<SourceDefinition> = definition.superRefine((source, context) => {
  const isPlace = source.type !== "jira" && source.type !== "confluence";
  if (isPlace && source.path === undefined)
    context.addIssue({
      code: "custom",
      path: ["path"],
      message: `a source of the type ${source.type} needs a path`,
    });
});

export type SourceDefinition = z.infer<typeof definition>;

/**
 * What a source is known by in the index: its kind, its place and its name. Two of one place, of which each reads other
 * files or serves other channels, are told apart by their names.
 */
export function sourceKey({ type, path, jql, spaces, name }: SourceDefinition): string {
  const place = (): string => {
    if (type === "jira") return jql === undefined ? "jira" : `jira:${jql}`;
    if (type === "confluence")
      return spaces.length === 0 ? "confluence" : `confluence:${spaces.toSorted().join(",")}`;
    return `${type === "files" ? "files" : "git"}:${resolve(path ?? ".")}`;
  };
  return name === undefined ? place() : `${place()} as ${name}`;
}

/** What people know it by; of a repository its name. */
export function sourceName(source: SourceDefinition): string {
  if (source.name !== undefined) return source.name;
  return source.path === undefined ? source.type : basename(resolve(source.path));
}

/** A source as the command line names it: `jira`, `jira:JQL`, `confluence:ENG,OPS`, `files:DOCS`, or a folder. */
export function parseSource(text: string): SourceDefinition {
  const [, type = "", rest = ""] = /^(jira|confluence|files|git)(?::(.*))?$/s.exec(text) ?? [];
  const base = { include: [], exclude: [], spaces: [], channels: [] };
  if (type === "jira") return { ...base, type, ...(rest === "" ? {} : { jql: rest }) };
  if (type === "confluence")
    return { ...base, type, spaces: rest.split(",").filter((space) => space !== "") };
  if (type === "files" || type === "git") return { ...base, type, path: rest || "." };
  return { ...base, type: "git", path: text };
}
