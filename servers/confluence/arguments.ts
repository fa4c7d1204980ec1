import { z } from "zod";

import { dateText, lenientArguments } from "#servers/kit/arguments.ts";

// Arguments. Confluence refuses titles over 255 characters; bodies are bounded to keep one call small.

export const pageId = z
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

export const shortText: z.ZodString = z.string().trim().min(1).max(255);

export const markdown: z.ZodString = z.string().max(500_000);

export const dryRun: z.ZodDefault<z.ZodBoolean> = z
  .boolean()
  .default(false)
  .describe("true: only show the effect as before and after, change nothing");

const onlySpace = shortText
  .optional()
  .describe('Only in this space: its key or name, such as "ENG" or "Engineering Handbook"');

const filterShape = {
  query: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .optional()
    .describe('Words to look for in title, labels and text, such as "deploy rollback"'),
  space: onlySpace,
  title: shortText.optional().describe('Words of the title alone, such as "release checklist"'),
  labels: z
    .array(
      z
        .string()
        .trim()
        .regex(/^\S{1,255}$/, { error: "a label has no spaces" }),
    )
    .max(10)
    .optional()
    .describe('Labels (tags) it has, all of them, such as ["runbook"]'),
  author: shortText.optional().describe('Who wrote (created) it: a name, a part of a name, an id, or "me"'),
  created_after: dateText.optional().describe("Created on or after this date: new pages"),
  updated_after: dateText.optional().describe("Last changed on or after this date: recently updated pages"),
  order_by: z
    .enum(["updated", "created", "title"])
    .optional()
    .describe(
      "What to sort by: updated (last changed first), created (newest first) or title; else best match first",
    ),
  order: z.enum(["asc", "desc"]).optional().describe("The direction: asc (oldest, A first) or desc"),
};

export const searchArguments = lenientArguments({
  ...filterShape,
  limit: z.int().min(1).max(50).default(10).describe("How many results at most, 1 to 50"),
  cursor: z
    .string()
    .max(4000)
    .optional()
    .describe("next_cursor of the last answer, for the results after it; the rest as before"),
});

export const pageArguments = lenientArguments({
  page_id: pageId.optional(),
  title: shortText
    .optional()
    .describe('Title of the page, such as "On-call guide", where its id is not known'),
  space: onlySpace,
});

const filterSchema = z.object(filterShape);

/** Which pages: all conditions must hold; without any all pages. */
export type PageFilter = z.infer<typeof filterSchema>;
