import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";
import { z } from "zod";

/**
 * The demo's Jira and Confluence, read from their seed files without any code of the servers: what a search should
 * find is computed here a second time, so that an error of the servers shows as one.
 */
export interface DemoData {
  issues: DemoIssue[];
  pages: DemoPage[];
  /** Full names by id. */
  people: Map<string, string>;
  /** Names by key. */
  projects: Map<string, string>;
  /** Highest first. */
  priorities: string[];
  statuses: Map<string, Category>;
  now: Date;
}

export type Category = "todo" | "in_progress" | "done";

/** Times are ISO 8601, `due` is a date. People are ids. */
export interface DemoIssue {
  key: string;
  project: string;
  type: string;
  summary: string;
  status: string;
  category: Category;
  priority: string;
  assignee: string | null;
  reporter: string;
  labels: string[];
  epic: string | null;
  created: string;
  updated: string;
  due: string | null;
  /** Everything there is to read in it. */
  text: string;
}

export interface DemoPage {
  id: string;
  title: string;
  space: string;
  author: string;
  created: string;
  updated: string;
  version: number;
  /** Markdown. */
  body: string;
}

const servers = fileURLToPath(new URL("../../servers/", import.meta.url));

const category = z.enum(["todo", "in_progress", "done"]);

const siteSchema = z.object({
  people: z.record(z.string(), z.string()),
  projects: z.array(z.object({ key: z.string(), name: z.string() })),
  priorities: z.array(z.string()),
  statuses: z.record(z.string(), category),
});

const seedSchema = z.object({
  key: z.string(),
  type: z.string(),
  summary: z.string(),
  status: z.string(),
  priority: z.string(),
  assignee: z.string().nullable(),
  reporter: z.string(),
  labels: z.array(z.string()).default([]),
  epic: z.string().nullable().default(null),
  created: z.string(),
  updated: z.string().optional(),
  due: z.string().optional(),
  description: z.string(),
  comments: z.array(z.tuple([z.string(), z.string(), z.string()])).default([]),
  history: z.array(z.array(z.string().nullable())).default([]),
});

const pageSchema = z.object({
  id: z.coerce.string(),
  title: z.string(),
  created: z.string(),
  created_by: z.string(),
  updated: z.string(),
  version: z.int(),
});

export function readDemo(now: Date): DemoData {
  const jira = join(servers, "jira/demo");
  const site = siteSchema.parse(readYaml(join(jira, "site.yaml")));
  const statuses = new Map(Object.entries(site.statuses));
  const issues = site.projects.flatMap(({ key }) =>
    z
      .array(seedSchema)
      .parse(readYaml(join(jira, `${key}.yaml`)))
      .map((seed) => toIssue(seed, statuses, now)),
  );
  return {
    issues,
    pages: readPages(join(servers, "confluence/demo")),
    people: new Map(Object.entries(site.people)),
    projects: new Map(site.projects.map(({ key, name }) => [key, name])),
    priorities: site.priorities,
    statuses,
    now,
  };
}

function toIssue(seed: z.infer<typeof seedSchema>, statuses: Map<string, Category>, now: Date): DemoIssue {
  const { comments, history, description, due, ...rest } = seed;
  const created = momentOf(seed.created, now);
  const times = [
    seed.updated ?? seed.created,
    ...comments.map(([at]) => at),
    ...history.map(([at]) => at ?? ""),
  ];
  return {
    ...rest,
    project: seed.key.split("-")[0] ?? "",
    category: statuses.get(seed.status) ?? "todo",
    created,
    updated: [created, ...times.map((at) => momentOf(at, now))].toSorted().at(-1) ?? created,
    due: due === undefined ? null : dueOf(due, now),
    text: [seed.key, seed.summary, description, ...comments.map(([, , body]) => body), ...seed.labels].join(
      "\n",
    ),
  };
}

/** "12d 09:14" is twelve days ago at that time of day in UTC. */
function momentOf(text: string, now: Date): string {
  const [, days, hours, minutes] = /^(\d+)d (\d\d):(\d\d)$/.exec(text) ?? [];
  if (days === undefined) throw new Error(`demo seed: expected a time such as "12d 09:14", got "${text}"`);
  const at = Date.parse(`${dayOf(now, -Number(days))}T${hours}:${minutes}:00Z`);
  return new Date(Math.min(at, now.getTime())).toISOString();
}

/** "in 9d" and "9d ago". */
function dueOf(text: string, now: Date): string {
  const [, ahead, ago] = /^(?:in (\d+)d|(\d+)d ago)$/.exec(text) ?? [];
  if (ahead === undefined && ago === undefined)
    throw new Error(`demo seed: expected "in 9d" or "9d ago" for due, got "${text}"`);
  return dayOf(now, Number(ahead ?? `-${ago}`));
}

/** The date so many days from today, in UTC. */
export function dayOf(now: Date, days: number): string {
  const at = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days);
  return new Date(at).toISOString().slice(0, 10);
}

function readPages(folder: string): DemoPage[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  return files.toSorted().map((name) => {
    const [, front = "", ...body] = readFileSync(join(folder, name), "utf8").split(/^---$/m);
    const { created_by: author, ...page } = pageSchema.parse(parse(front));
    return { ...page, author, space: basename(join(folder, name, "..")), body: body.join("---").trim() };
  });
}

function readYaml(file: string): unknown {
  return parse(readFileSync(file, "utf8"));
}
