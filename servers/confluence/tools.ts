import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { answer, signed, ToolFailure } from "../kit/tool.ts";
import { dryRun, markdown, pageArguments, pageId, searchArguments, shortText } from "./arguments.ts";
import { changeAnswer, commentAnswer, pageSchema, searchAnswer, spaceList } from "./schemas.ts";
import {
  changeText,
  commentText,
  effectOfUpdate,
  pageText,
  searchText,
  spacesText,
  summaryOf,
} from "./text.ts";
import { findByTitle, type Wiki } from "./wiki.ts";

export function registerReadTools(server: McpServer, wiki: Wiki): void {
  const annotations = { ...ADDS, readOnlyHint: true, idempotentHint: true };

  server.registerTool(
    "search_confluence",
    {
      title: "Search the wiki",
      description:
        "Search the Confluence wiki: find pages, articles, docs, documentation, runbooks, guides, " +
        "how-tos and policies by words, title, author, space or date, each with id, title, space, " +
        'last change and an excerpt. Use it for "what does the wiki say about X", "find the docs on ' +
        'X", "how do we X", "the newest pages" and "what did Ana write". The whole text of one ' +
        "page: get_page.",
      inputSchema: searchArguments,
      outputSchema: searchAnswer,
      annotations,
    },
    (args, context) =>
      answer(async () => {
        const found = await wiki.search(args, context.mcpReq.signal);
        return { text: searchText(args, found), data: found };
      }),
  );

  server.registerTool(
    "get_page",
    {
      title: "Read a wiki page",
      description:
        "Read, open or show one Confluence wiki page (article, document, runbook) by its id or its " +
        "title: the whole text in markdown, version, author, labels, parent, child pages and " +
        "comments. To find a page by other words use search_confluence.",
      inputSchema: pageArguments,
      outputSchema: pageSchema,
      annotations,
    },
    (args, context) =>
      answer(async () => {
        const { signal } = context.mcpReq;
        const id = await idOf(args, wiki, signal);
        const page = await wiki.page(id, signal);
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
        space: shortText.describe('Key or name of the space, such as "ENG" or "Engineering Handbook"'),
        title: shortText.describe('Title of the new page, such as "Release checklist"'),
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
        title: shortText.optional().describe("New title; leave out to keep the title"),
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
        const { comment, url } = await wiki.comment(
          page_id,
          signed(body, context, wiki.self),
          context.mcpReq.signal,
        );
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

async function idOf(
  { page_id, title, space }: z.infer<typeof pageArguments>,
  wiki: Wiki,
  signal: AbortSignal,
): Promise<string> {
  if (page_id !== undefined && title === undefined) return page_id;
  if (title !== undefined && page_id === undefined) return (await findByTitle(wiki, title, space, signal)).id;
  const got = title === undefined ? "neither" : "both";
  throw new ToolFailure("bad_page", `expected the page_id or the title of the page, got ${got}`);
}
