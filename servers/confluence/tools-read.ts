import type { McpServer } from "@modelcontextprotocol/server";
import { answer } from "./answer.ts";
import { inputs, outputs } from "./schemas.ts";
import { pageText, searchText, spacesText } from "./text.ts";
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
