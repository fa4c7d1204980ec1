import { z } from "zod";
import type { Comment, Page, PageSummary, SearchAnswer, Space } from "./wiki.ts";

/** The shapes of structured content, which the views read. Times are ISO 8601, bodies markdown. */

const person = z.object({ id: z.string(), name: z.string() }).nullable().describe("null where unknown");

const space = z.object({ key: z.string(), name: z.string() });

const pageSummary = z.object({
  id: z.string(),
  title: z.string(),
  space,
  updated: z.string().describe("ISO 8601"),
  updated_by: person,
  url: z.string(),
  excerpt: z.string().describe("Plain text"),
});

const comment = z.object({
  id: z.string(),
  author: person,
  created: z.string().describe("ISO 8601"),
  body: z.string().describe("Markdown"),
});

const searchAnswer = z.object({
  results: z.array(pageSummary),
  total: z.number().nullable(),
  next_cursor: z.string().nullable().describe("Pass as cursor for more; null at the end"),
});

const page = pageSummary.extend({
  version: z.number(),
  created: z.string().describe("ISO 8601"),
  created_by: person,
  parent: z.object({ id: z.string(), title: z.string() }).nullable(),
  children: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })),
  labels: z.array(z.string()),
  body: z.string().describe("Markdown"),
  comments: z.array(comment),
});

const spaceList = z.object({
  spaces: z.array(
    space.extend({
      description: z.string(),
      pages: z.number().nullable().describe("Number of pages; null where unknown"),
      url: z.string(),
    }),
  ),
});

const fields = z.record(z.string(), z.unknown()).nullable();

const changeAnswer = z.object({
  dry_run: z.boolean().describe("true: nothing was changed"),
  before: fields.describe("The touched fields as they were; null for a new page"),
  after: fields.describe("The touched fields as they are now; null for a deleted page"),
  page: pageSummary.nullable().describe("The page; null where there is none (yet, or any more)"),
});

const commentAnswer = z.object({ page_id: z.string(), comment, url: z.string() });

type Fields = Record<string, unknown> | null;

export const outputs: {
  search: z.ZodType<SearchAnswer>;
  page: z.ZodType<Page>;
  spaces: z.ZodType<{ spaces: Space[] }>;
  change: z.ZodType<{ dry_run: boolean; before: Fields; after: Fields; page: PageSummary | null }>;
  comment: z.ZodType<{ page_id: string; comment: Comment; url: string }>;
} = {
  search: searchAnswer,
  page,
  spaces: spaceList,
  change: changeAnswer,
  comment: commentAnswer,
};

const pageId = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .transform(idOf)
  .describe('Id of the page, such as "1001"; search_confluence gives it');

/** People paste addresses: `/spaces/ENG/pages/1001/Title` and `?pageId=1001` hold the id. */
function idOf(text: string): string {
  return /(?:\/pages\/|[?&]pageId=)(\d+)/u.exec(text)?.[1] ?? text;
}

const title = z.string().trim().min(1).max(255);

const markdown = z.string().max(500_000);

const dryRun = z
  .boolean()
  .default(false)
  .describe("true: only show the effect as before and after, change nothing");

type Optional<T> = T | undefined;

/** Confluence refuses titles over 255 characters; bodies are bounded to keep one call small. */
export const inputs: {
  search: z.ZodType<{
    query: string;
    space?: Optional<string>;
    limit: number;
    cursor?: Optional<string>;
  }>;
  page: z.ZodType<{ page_id: string }>;
  spaces: z.ZodType<Record<string, never>>;
  create: z.ZodType<{
    space: string;
    title: string;
    body: string;
    parent_id?: Optional<string>;
    dry_run: boolean;
  }>;
  update: z.ZodType<{
    page_id: string;
    title?: Optional<string>;
    body?: Optional<string>;
    version: number;
    dry_run: boolean;
  }>;
  comment: z.ZodType<{ page_id: string; body: string }>;
  remove: z.ZodType<{ page_id: string; dry_run: boolean }>;
} = {
  search: z.strictObject({
    query: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .describe('Words to look for in title, labels and text, such as "deploy rollback"'),
    space: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .optional()
      .describe('Only in this space: its key or name, such as "ENG" or "Engineering Handbook"'),
    limit: z.int().min(1).max(50).default(10).describe("How many results at most, 1 to 50"),
    cursor: z
      .string()
      .max(4000)
      .optional()
      .describe("next_cursor of the last answer, for the results after it"),
  }),
  page: z.strictObject({ page_id: pageId }),
  spaces: z.strictObject({}),
  create: z.strictObject({
    space: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .describe('Key or name of the space, such as "ENG" or "Engineering Handbook"'),
    title: title.describe('Title of the new page, such as "Release checklist"'),
    body: markdown.describe('Text of the page in markdown, such as "# Steps\\n\\n1. Announce it"'),
    parent_id: pageId.optional().describe('Id of the page to put it under, such as "1001"'),
    dry_run: dryRun,
  }),
  update: z.strictObject({
    page_id: pageId,
    title: title.optional().describe("New title; leave out to keep the title"),
    body: markdown
      .optional()
      .describe("The whole new text in markdown, replacing the old; leave out to keep the text"),
    version: z.int().min(1).describe("The version the change is made from, as get_page shows it, such as 3"),
    dry_run: dryRun,
  }),
  comment: z.strictObject({
    page_id: pageId,
    body: markdown.trim().min(1).describe('Text of the comment in markdown, such as "Done, thanks"'),
  }),
  remove: z.strictObject({ page_id: pageId, dry_run: dryRun }),
};
