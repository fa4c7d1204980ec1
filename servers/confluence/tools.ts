import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { ToolFailure, toolResult } from "../kit/tool.ts";
import {
  changeText,
  commentText,
  effectOfUpdate,
  pageText,
  searchText,
  spacesText,
  summaryOf,
} from "./text.ts";
import type { Wiki } from "./wiki.ts";

// The shapes of structured content, which the views read. Times are ISO 8601, bodies markdown.

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

const commentSchema = z.object({
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

const pageSchema = pageSummary.extend({
  version: z.number(),
  created: z.string().describe("ISO 8601"),
  created_by: person,
  parent: z.object({ id: z.string(), title: z.string() }).nullable(),
  children: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })),
  labels: z.array(z.string()),
  body: z.string().describe("Markdown"),
  comments: z.array(commentSchema),
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

const commentAnswer = z.object({ page_id: z.string(), comment: commentSchema, url: z.string() });

// Arguments. Confluence refuses titles over 255 characters; bodies are bounded to keep one call small.

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

export function registerReadTools(server: McpServer, wiki: Wiki): void {
  const annotations = { ...ADDS, readOnlyHint: true, idempotentHint: true };

  server.registerTool(
    "search_confluence",
    {
      title: "Search the wiki",
      description:
        "Search the Confluence wiki: find pages, articles, docs, documentation, runbooks, guides, " +
        "how-tos and policies by words, best match first, each with id, title, space, last change " +
        'and an excerpt. Use it for "what does the wiki say about X", "find the docs on X" and ' +
        '"how do we X". The whole text of one page: get_page.',
      inputSchema: z.strictObject({
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
      outputSchema: searchAnswer,
      annotations,
    },
    (args, context) =>
      answer(async () => {
        const found = await wiki.search(args, context.mcpReq.signal);
        return { text: searchText(args.query, found), data: found };
      }),
  );

  server.registerTool(
    "get_page",
    {
      title: "Read a wiki page",
      description:
        "Read, open or show one Confluence wiki page (article, document, runbook) by its id: the " +
        "whole text in markdown, version, author, labels, parent, child pages and comments. " +
        "Without an id, find the page with search_confluence first.",
      inputSchema: z.strictObject({ page_id: pageId }),
      outputSchema: pageSchema,
      annotations,
    },
    (args, context) =>
      answer(async () => {
        const page = await wiki.page(args.page_id, context.mcpReq.signal);
        return { text: pageText(page), data: page };
      }),
  );

  server.registerTool(
    "list_spaces",
    {
      title: "List the wiki's spaces",
      description:
        "List all spaces (sections, areas) of the Confluence wiki with key, name, description and " +
        'number of pages. Use it for "which spaces does the wiki have".',
      inputSchema: z.strictObject({}),
      outputSchema: spaceList,
      annotations,
    },
    (_args, context) =>
      answer(async () => {
        const spaces = await wiki.spaces(context.mcpReq.signal);
        return { text: spacesText(spaces), data: { spaces } };
      }),
  );
}

/** Adds without touching what is there. The wiki is one closed system, not the open web. */
const ADDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

export function registerWriteTools(server: McpServer, wiki: Wiki): void {
  server.registerTool(
    "create_page",
    {
      title: "Create a wiki page",
      description:
        "Create, write or add a new Confluence wiki page (article, document, note) with a title and " +
        "a markdown body in a space, optionally under a parent page. Titles are unique in a space.",
      inputSchema: z.strictObject({
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
      outputSchema: changeAnswer,
      annotations: ADDS,
    },
    ({ dry_run, ...draft }, context) =>
      answer(async () => {
        const { signal } = context.mcpReq;
        const prepared = await wiki.prepare(draft, signal);
        const { parent, ...fields } = prepared;
        const effect = { before: null, after: parent === null ? fields : prepared };
        const page = dry_run ? null : await wiki.create(prepared, signal);
        const text = changeText("create", dry_run, page, effect);
        return { text, data: { dry_run, ...effect, page } };
      }),
  );

  server.registerTool(
    "update_page",
    {
      title: "Change a wiki page",
      description:
        "Update, edit, rename or rewrite an existing Confluence wiki page: a new title, a new " +
        "markdown body, or both. Needs the current version from get_page, so that nobody's change " +
        "is overwritten. To say something about a page, use add_page_comment.",
      inputSchema: z.strictObject({
        page_id: pageId,
        title: title.optional().describe("New title; leave out to keep the title"),
        body: markdown
          .optional()
          .describe("The whole new text in markdown, replacing the old; leave out to keep the text"),
        version: z
          .int()
          .min(1)
          .describe("The version the change is made from, as get_page shows it, such as 3"),
        dry_run: dryRun,
      }),
      outputSchema: changeAnswer,
      // The same version can be used once only, so a repeat is refused; the old text stays in history.
      annotations: { ...ADDS, destructiveHint: true },
    },
    ({ page_id, dry_run, ...change }, context) =>
      answer(async () => {
        const { signal } = context.mcpReq;
        if (change.title === undefined && change.body === undefined) {
          throw new ToolFailure("nothing_to_change", "expected a title, a body, or both, got neither");
        }
        const page = await wiki.page(page_id, signal);
        const effect = effectOfUpdate(page, change);
        const updated = dry_run ? summaryOf(page) : await wiki.update(page_id, change, signal);
        const text = changeText("update", dry_run, updated, effect);
        return { text, data: { dry_run, ...effect, page: updated } };
      }),
  );

  server.registerTool(
    "add_page_comment",
    {
      title: "Comment on a wiki page",
      description:
        "Add a comment, remark, note or reply below a Confluence wiki page, in markdown. The text " +
        "of the page itself stays as it is.",
      inputSchema: z.strictObject({
        page_id: pageId,
        body: markdown.trim().min(1).describe('Text of the comment in markdown, such as "Done, thanks"'),
      }),
      outputSchema: commentAnswer,
      annotations: ADDS,
    },
    ({ page_id, body }, context) =>
      answer(async () => {
        const { comment, url } = await wiki.comment(page_id, body, context.mcpReq.signal);
        const text = `commented on page ${page_id}\n\n${commentText(comment)}\n\n${url}`;
        return { text, data: { page_id, comment, url } };
      }),
  );

  server.registerTool(
    "delete_page",
    {
      title: "Delete a wiki page",
      description:
        "Delete or remove a Confluence wiki page: it goes to the trash of its space; pages below " +
        "it stay and move up.",
      inputSchema: z.strictObject({ page_id: pageId, dry_run: dryRun }),
      outputSchema: changeAnswer,
      annotations: { ...ADDS, destructiveHint: true },
    },
    ({ page_id, dry_run }, context) =>
      answer(async () => {
        const { signal } = context.mcpReq;
        const page = await wiki.page(page_id, signal);
        const effect = { before: { ...summaryOf(page) }, after: null };
        if (!dry_run) await wiki.remove(page_id, signal);
        const summary = summaryOf(page);
        const text = changeText("delete", dry_run, summary, effect);
        return { text, data: { dry_run, ...effect, page: dry_run ? summary : null } };
      }),
  );
}

/** Runs a tool. What it cannot do becomes a result with `isError`, which the model and people read. */
async function answer(work: () => Promise<{ text: string; data: object }>): Promise<CallToolResult> {
  try {
    const { text, data } = await work();
    return toolResult(data, text);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const text = `${error.code}: ${error.message}`;
    return { content: [{ type: "text", text }], isError: true };
  }
}
