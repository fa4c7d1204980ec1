import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";
import { z } from "zod";

import type { DemoIssue, DemoLink, DemoState } from "./state.ts";

const category = z.enum(["todo", "in_progress", "done"]);

const siteSchema = z.strictObject({
  people: z.record(z.string(), z.string()),
  projects: z.array(z.strictObject({ key: z.string(), name: z.string(), lead: z.string() })),
  types: z.array(z.string()),
  priorities: z.array(z.string()),
  statuses: z.record(z.string(), category),
  linkTypes: z.array(z.strictObject({ name: z.string(), outward: z.string(), inward: z.string() })),
});

/** "12d 09:14": days before the seed's day, and a time in UTC. */
const moment = z.string().regex(/^\d+d \d\d:\d\d$/);

const issueSchema = z.strictObject({
  key: z.string(),
  type: z.string(),
  summary: z.string(),
  status: z.string(),
  priority: z.string(),
  assignee: z.string().nullable(),
  reporter: z.string(),
  labels: z.array(z.string()).default([]),
  epic: z.string().nullable().default(null),
  created: moment,
  updated: moment.optional(),
  /** "in 9d", "9d ago", or "in 0d" for the day itself. */
  due: z
    .string()
    .regex(/^(?:in \d+d|\d+d ago)$/)
    .optional(),
  description: z.string(),
  comments: z.array(z.tuple([moment, z.string(), z.string()])).default([]),
  history: z.array(z.tuple([moment, z.string(), z.string(), z.string().nullable(), z.string()])).default([]),
  links: z.array(z.tuple([z.string(), z.string()])).default([]),
});

type SeedIssue = z.infer<typeof issueSchema>;

/** The demo site as its YAML files describe it, seen from `now`. */
export function seedState(now: Date, folder: string = import.meta.dirname): DemoState {
  const site = siteSchema.parse(readYaml(folder, "site"));
  const seeds = site.projects.flatMap(({ key }) => z.array(issueSchema).parse(readYaml(folder, key)));
  const time = (text: string): string => momentBefore(now, text);
  let commentId = 1000;
  const issues = seeds.map((seed) => toIssue(seed, now, time, () => String((commentId += 1))));
  const links: DemoLink[] = seeds.flatMap((seed) =>
    seed.links.map(([type, to]) => ({ type, from: seed.key, to })),
  );
  return {
    version: 1,
    people: site.people,
    projects: site.projects.map((project) => ({ ...project, nextNumber: nextNumber(issues, project.key) })),
    types: site.types,
    priorities: site.priorities,
    statuses: Object.entries(site.statuses).map(([name, value]) => ({ name, category: value })),
    linkTypes: site.linkTypes,
    issues,
    links,
    nextCommentId: commentId + 1,
  };
}

function toIssue(
  { links: _links, ...seed }: SeedIssue,
  now: Date,
  time: (text: string) => string,
  newId: () => string,
): DemoIssue {
  const { key, status, assignee, reporter } = seed;
  const comments = seed.comments.map(([at, author, body]) => ({
    id: newId(),
    author,
    created: time(at),
    body,
  }));
  const history = seed.history.map(([at, author, field, from, to]) => ({
    at: time(at),
    author,
    field,
    from,
    to,
  }));
  const created = time(seed.created);
  const stated = seed.updated === undefined ? created : time(seed.updated);
  const times = [created, stated, ...comments.map((c) => c.created), ...history.map((h) => h.at)];
  const updated = times.toSorted().at(-1) ?? created;
  if (status !== "To Do" && !history.some((entry) => entry.field === "status")) {
    // The seed names moves only where they matter; an issue that moved still shows that it did.
    history.push({ at: updated, author: assignee ?? reporter, field: "status", from: "To Do", to: status });
  }
  return {
    ...seed,
    project: key.split("-")[0] ?? key,
    created,
    updated,
    due: seed.due === undefined ? null : dueDate(now, seed.due),
    description: seed.description.trim(),
    comments,
    history: history.toSorted((a, b) => a.at.localeCompare(b.at)),
  };
}

function momentBefore(now: Date, text: string): string {
  const [days = "0", clock = "00:00"] = text.split("d ");
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - Number(days)];
  const at = Date.UTC(year, month, day, hours, minutes);
  return new Date(Math.min(at, now.getTime())).toISOString();
}

function dueDate(now: Date, text: string): string {
  const days = Number.parseInt(text.replace("in ", ""), 10) * (text.endsWith("ago") ? -1 : 1);
  const at = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days);
  return new Date(at).toISOString().slice(0, 10);
}

function nextNumber(issues: DemoIssue[], project: string): number {
  const numbers = issues
    .filter((issue) => issue.project === project)
    .map((issue) => Number(issue.key.split("-")[1]));
  return Math.max(0, ...numbers) + 1;
}

function readYaml(folder: string, name: string): unknown {
  return parse(readFileSync(join(folder, `${name}.yaml`), "utf8"));
}
