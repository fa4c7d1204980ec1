import { basename, resolve } from "node:path";

import { z } from "zod";

import { ToolFailure } from "../../kit/tool.ts";

const URL_EXPECTED =
  "expected the URL of a repository as https://HOST/PATH, ssh://USER@HOST/PATH, http:// or file://, without a password " +
  "or token in it";

const list = z.array(z.string().min(1).max(300)).max(200).default([]);

/** What can be indexed, as the configuration (`knowledge.sources`), the job API and the command line name it. */
const definition = z.strictObject({
  type: z.enum(["git", "folder", "files", "jira", "confluence"]),
  path: z.string().min(1).max(4000).optional(),
  url: z.string().min(1).max(2000).optional(),
  ref: z
    .string()
    .regex(/^[\w][\w./-]{0,199}$/)
    .optional(),
  name: z.string().min(1).max(100).optional(),
  include: list,
  exclude: list,
  jql: z.string().max(2000).optional(),
  spaces: list,
  channels: list,
});

export const sourceDefinition: z.ZodType<SourceDefinition> = definition.superRefine((source, context) => {
  const { type, path, url } = source;
  const isPlace = type !== "jira" && type !== "confluence";
  if (isPlace && path === undefined && (type !== "git" || url === undefined))
    context.addIssue({
      code: "custom",
      path: ["path"],
      message: `a source of the type ${type} needs a path${type === "git" ? " or a url" : ""}`,
    });
  if (url === undefined) return;
  if (type !== "git" || path !== undefined)
    context.addIssue({
      code: "custom",
      path: ["url"],
      message: "only a source of the type git without a path has a url",
    });
  if (!isRepositoryUrl(url))
    context.addIssue({
      code: "custom",
      path: ["url"],
      message: URL_EXPECTED,
    });
});

/** A URL that git can clone, and that says nothing secret. */
export function isRepositoryUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.password !== "" || url.search !== "" || url.hash !== "") return false;
  if (url.protocol === "file:") return url.host === "";
  return (
    /^[\w[]/.test(url.host) &&
    ((url.protocol === "ssh:" && /^[\w.]*$/.test(url.username)) ||
      (/^https?:$/.test(url.protocol) && url.username === ""))
  );
}

export type SourceDefinition = z.infer<typeof definition>;

/**
 * What a source is known by in the index: its kind, its place and its name. Two of one place, of which each reads other
 * files or serves other channels, are told apart by their names.
 */
export function sourceKey({ type, path, url, ref, jql, spaces, name }: SourceDefinition): string {
  const place = (): string => {
    if (type === "jira") return jql === undefined ? "jira" : `jira:${jql}`;
    if (type === "confluence")
      return spaces.length === 0 ? "confluence" : `confluence:${spaces.toSorted().join(",")}`;
    if (url !== undefined) return `git:${url}${ref === undefined ? "" : `#${ref}`}`;
    return `${type === "files" ? "files" : "git"}:${resolve(path ?? ".")}`;
  };
  return name === undefined ? place() : `${place()} as ${name}`;
}

/** What people know it by; of a repository its name. */
export function sourceName(source: SourceDefinition): string {
  if (source.name !== undefined) return source.name;
  if (source.url !== undefined) return basename(new URL(source.url).pathname, ".git");
  return source.path === undefined ? source.type : basename(resolve(source.path));
}

/**
 * A source as the command line names it: `jira`, `jira:JQL`, `confluence:ENG,OPS`, `files:DOCS`, a URL or a folder. Throws
 * `bad_sources`.
 */
export function parseSource(text: string): SourceDefinition {
  const [, type = "", rest = ""] = /^(jira|confluence|files|git)(?::(.*))?$/s.exec(text) ?? [];
  const base = { include: [], exclude: [], spaces: [], channels: [] };
  const [url] = /^[a-z]+:\/\/.+/s.exec(type === "git" ? rest : text) ?? [];
  if (url !== undefined) {
    // It is not told: a password may be in it.
    if (!isRepositoryUrl(url)) throw new ToolFailure("bad_sources", URL_EXPECTED);
    return { ...base, type: "git", url };
  }
  if (type === "jira") return { ...base, type, ...(rest === "" ? {} : { jql: rest }) };
  if (type === "confluence")
    return { ...base, type, spaces: rest.split(",").filter((space) => space !== "") };
  if (type === "files" || type === "git") return { ...base, type, path: rest || "." };
  return { ...base, type: "git", path: text };
}
