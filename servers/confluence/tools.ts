import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";

import { ToolFailure } from "../kit/tool.ts";
import { inputs, outputs } from "./schemas.ts";
import {
  changeText,
  commentText,
  effectOfCreate,
  effectOfDelete,
  effectOfUpdate,
  pageText,
  searchText,
  spacesText,
  summaryOf,
} from "./text.ts";
import type { Wiki } from "./wiki.ts";

export function registerReadTools(server: McpServer, wiki: Wiki): void {
  // openWorldHint: the wiki is one closed system, not the open web.
  const annotations = {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };

  server.registerTool(
    "search_confluence",
    {
      title: "Search the wiki",
      description:
        "Search the Confluence wiki: find pages, articles, docs, documentation, runbooks, guides, " +
        "how-tos and policies by words, best match first, each with id, title, space, last change " +
        'and an excerpt. Use it for "what does the wiki say about X", "find the docs on X" and ' +
        '"how do we X". The whole text of one page: get_page.',
      inputSchema: inputs.search,
      outputSchema: outputs.search,
      annotations,
    },
    (args, context) =>
      answer(async () => {
        const found = await wiki.search(args, context.mcpReq.signal);
        return { text: searchText(args.query, found), data: { ...found } };
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
      inputSchema: inputs.page,
      outputSchema: outputs.page,
      annotations,
    },
    (args, context) =>
      answer(async () => {
        const page = await wiki.page(args.page_id, context.mcpReq.signal);
        return { text: pageText(page), data: { ...page } };
      }),
  );

  server.registerTool(
    "list_spaces",
    {
      title: "List the wiki's spaces",
      description:
        "List all spaces (sections, areas) of the Confluence wiki with key, name, description and " +
        'number of pages. Use it for "which spaces does the wiki have".',
      inputSchema: inputs.spaces,
      outputSchema: outputs.spaces,
      annotations,
    },
    (_args, context) =>
      answer(async () => {
        const spaces = await wiki.spaces(context.mcpReq.signal);
        return { text: spacesText(spaces), data: { spaces } };
      }),
  );
}

const ADDS = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

export function registerWriteTools(server: McpServer, wiki: Wiki): void {
  server.registerTool(
    "create_page",
    {
      title: "Create a wiki page",
      description:
        "Create, write or add a new Confluence wiki page (article, document, note) with a title and " +
        "a markdown body in a space, optionally under a parent page. Titles are unique in a space.",
      inputSchema: inputs.create,
      outputSchema: outputs.change,
      annotations: ADDS,
    },
    ({ dry_run, ...draft }, context) =>
      answer(async () => {
        const { signal } = context.mcpReq;
        const prepared = await wiki.prepare(draft, signal);
        const effect = effectOfCreate(prepared);
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
      inputSchema: inputs.update,
      outputSchema: outputs.change,
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
      inputSchema: inputs.comment,
      outputSchema: outputs.comment,
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
      inputSchema: inputs.remove,
      outputSchema: outputs.change,
      annotations: { ...ADDS, destructiveHint: true },
    },
    ({ page_id, dry_run }, context) =>
      answer(async () => {
        const { signal } = context.mcpReq;
        const page = await wiki.page(page_id, signal);
        const effect = effectOfDelete(page);
        if (!dry_run) await wiki.remove(page_id, signal);
        const summary = summaryOf(page);
        const text = changeText("delete", dry_run, summary, effect);
        return { text, data: { dry_run, ...effect, page: dry_run ? summary : null } };
      }),
  );
}

/** Runs a tool. What it cannot do becomes a result with `isError`, which the model and people read. */
async function answer(
  work: () => Promise<{ text: string; data: Record<string, unknown> }>,
): Promise<CallToolResult> {
  try {
    const { text, data } = await work();
    return { content: [{ type: "text", text }], structuredContent: data };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const text = `${error.code}: ${error.message}`;
    return { content: [{ type: "text", text }], isError: true };
  }
}
