import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const frontSchema = z.strictObject({
  id: z.coerce.string(),
  title: z.string(),
  parent: z.coerce.string().optional(),
  labels: z.array(z.string()).default([]),
  created: z.iso.datetime(),
  created_by: z.string(),
  updated: z.iso.datetime(),
  updated_by: z.string(),
  version: z.int().min(1),
  comments: z
    .array(z.strictObject({ author: z.string(), created: z.iso.datetime(), body: z.string() }))
    .default([]),
});

const spacesSchema = z.strictObject({
  people: z.record(z.string(), z.string()),
  spaces: z.array(z.strictObject({ key: z.string(), name: z.string(), description: z.string() })),
});

export interface DemoPage {
  id: string;
  space: string;
  title: string;
  parent: string | null;
  labels: string[];
  created: string;
  created_by: string;
  updated: string;
  updated_by: string;
  version: number;
  body: string;
  comments: { id: string; author: string; created: string; body: string }[];
  /** What the page was before each change, oldest first. */
  history: { version: number; at: string; by: string; title: string; body: string }[];
}

/** The whole demo wiki, as it is kept in one JSON file. People are ids; `people` has their names. */
export interface DemoState {
  people: Record<string, string>;
  spaces: { key: string; name: string; description: string }[];
  pages: DemoPage[];
  nextId: number;
}

/** Reads the demo wiki: `spaces.yaml`, and a folder per space with a markdown file per page. */
export function readSeed(folder: string): DemoState {
  const { people, spaces } = spacesSchema.parse(parse(readFileSync(join(folder, "spaces.yaml"), "utf8")));
  const pages = spaces.flatMap(({ key }) =>
    readdirSync(join(folder, key))
      .filter((name) => name.endsWith(".md"))
      .map((name) => readPage(join(folder, key, name), key)),
  );
  pages.sort((a, b) => Number(a.id) - Number(b.id));
  return { people, spaces, pages, nextId: 5000 };
}

function readPage(path: string, space: string): DemoPage {
  const text = readFileSync(path, "utf8");
  const [, front, body] = /^---\n(.*?)\n---\n(.*)$/su.exec(text) ?? [];
  if (front === undefined || body === undefined) {
    throw new Error(`${path}: expected YAML between two lines of "---", then the page in markdown`);
  }
  const parsed = frontSchema.safeParse(parse(front));
  if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
  const { comments, parent, ...rest } = parsed.data;
  return {
    ...rest,
    space,
    parent: parent ?? null,
    body: body.trim(),
    comments: comments.map((comment, index) => ({ id: `${rest.id}-${index + 1}`, ...comment })),
    history: [],
  };
}
