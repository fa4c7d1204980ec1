import { posix } from "node:path";

import { z } from "zod";

import { duration } from "./values.ts";

const texts = z.array(z.string().min(1).max(300)).max(200).default([]);

const source = z
  .strictObject({
    type: z
      .enum(["git", "folder", "files", "jira", "confluence"])
      .describe("git and folder: code and pages; files: Markdown, HTML and PDF alone."),
    path: z.string().min(1).exactOptional().describe("The folder; relative to the product's own."),
    url: z
      .string()
      .regex(/^(?:https?:\/\/[\w[]|ssh:\/\/(?:[\w.]+@)?[\w[]|file:\/\/\/)[^\s@?#]*$/, {
        error: "https://HOST/PATH or ssh://USER@HOST/PATH, without a password or token in it",
      })
      .exactOptional()
      .describe("A repository, in place of a path: its latest commit is fetched each time."),
    ref: z
      .string()
      .regex(/^\w[\w./-]{0,199}$/)
      .exactOptional()
      .describe("The branch or tag of a repository that is named by its URL; without: its own branch."),
    name: z
      .string()
      .min(1)
      .max(100)
      .exactOptional()
      .describe("What people know it by; else the folder's name."),
    include: texts.describe("Globs of the files that are read; none: all."),
    exclude: texts.describe("Globs of files and folders that are left out, beside what .gitignore says."),
    jql: z.string().min(1).max(2_000).exactOptional().describe("Which tickets of Jira; without: all."),
    spaces: texts.describe("Keys of Confluence's spaces; none: all."),
    organisations: z
      .array(z.string().min(1).max(200))
      .min(1)
      .default(["default"])
      .describe("Those that find it, by the org_id of the server's fixed_arguments."),
    channels: texts.describe("Channels that alone find it, such as slack:T1:C1; none: all."),
  })
  .superRefine(({ type, path, url }, context) => {
    const isPlace = type !== "jira" && type !== "confluence";
    if (isPlace && path === undefined && (url === undefined || type !== "git"))
      context.addIssue({
        code: "custom",
        path: ["path"],
        message: `a folder${type === "git" ? ", or url" : ""}, for a source of the type ${type}`,
      });
    else if (url !== undefined && (type !== "git" || path !== undefined))
      context.addIssue({ code: "custom", path: ["url"], message: "no url beside a path, and for git alone" });
  });

/** What a source is told apart by, within an organisation. */
function placeOf({ type, path = "", url, ref, jql, spaces, name }: z.infer<typeof source>): string {
  const kind = type === "folder" ? "git" : type;
  return JSON.stringify([kind, posix.resolve("/", path), url, ref, jql, spaces.toSorted(), name]);
}

/** What the knowledge server finds: docs/knowledge.md. */
export const knowledgeSchema = z.strictObject({
  sources: z
    .array(source)
    .max(200)
    .superRefine((sources, context) => {
      const known = new Map<string, number>();
      for (const [at, one] of sources.entries())
        for (const organisation of one.organisations) {
          const id = `${organisation}\n${placeOf(one)}`;
          const before = known.get(id);
          if (before === undefined) known.set(id, at);
          else
            context.addIssue({
              code: "custom",
              path: [at, "name"],
              message: `a name of its own: source ${before + 1} of the list has the same place for "${organisation}"`,
            });
        }
    })
    .default([])
    .describe("What is indexed in the background after the start."),
  after: duration.prefault("5s").describe("How long after the start the first time is."),
  every: duration.prefault("24h").describe("How often what changed is indexed again."),
  store_url: z
    .string()
    .regex(/^($|postgres(ql)?:\/\/)/, {
      error: "a postgres:// URL, or nothing for a file in the data folder",
    })
    .default("")
    .describe("A Postgres for the index, which replicas share; it may be that of store.url."),
  git_protocols: z
    .array(z.enum(["https", "ssh", "http", "file"]))
    .default(["https", "ssh"])
    .describe("What the URLs of repositories may begin with."),
  git_tokens: z
    .record(z.string().regex(/^[\w.-]+(?::\d+)?$/), z.string().min(1))
    .default({})
    .describe('What a host of repositories is shown over HTTPS: a token, or "user:token".'),
  llamaindex_url: z
    .string()
    .regex(/^($|https?:\/\/)/, { error: "an http:// or https:// URL, or nothing for the bundled service" })
    .default("")
    .describe("An existing LlamaIndex service, instead of the bundled one."),
});
