import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { answer, paragraphs, signed, ToolFailure } from "../kit/tool.ts";
import {
  dryRun,
  markdown,
  pageArguments,
  type PageFilter,
  pageId,
  searchArguments,
  shortText,
} from "./arguments.ts";
import {
  changeAnswer,
  type Comment,
  commentAnswer,
  type Page,
  pageSchema,
  type PageSummary,
  searchAnswer,
  type SearchAnswer,
  type Space,
  spaceList,
} from "./schemas.ts";
import { changedBody, findByTitle, type PageChange, versionConflict, type Wiki } from "./wiki.ts";

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
        "markdown body, text to append below what is there or under one of its headings, or another text in place of one " +
        "that is there (replace, correct, remove a line, change a row). Needs the current version from get_page, so that nobody's change " +
        "is overwritten. To say something about a page, use add_page_comment.",
      inputSchema: z.strictObject({
        page_id: pageId,
        title: shortText.optional().describe("New title; leave out to keep the title"),
        body: markdown
          .optional()
          .describe("The whole new text in markdown, replacing the old; leave out to keep the text"),
        append: markdown
          .optional()
          .describe(
            "Markdown to add at the end of the text, which stays as it is; rows of a table, such as | a | b |, go into the " +
              "page's last table of as many columns; not together with body",
          ),
        under: shortText
          .optional()
          .describe(
            'With append: the heading whose section it goes to the end of, such as "Day one", or the beginning of a line ' +
              "that it goes behind",
          ),
        passage: z
          .string()
          .trim()
          .min(1)
          .max(10_000)
          .optional()
          .describe(
            "Text that is on the page once, within one line, as it reads, such as third floor; or a whole row, such as " +
              "| a | b |; or an item with its box, such as [ ] Laptop, which becomes [x] Laptop; not together with body or append",
          ),
        replacement: z
          .string()
          .max(10_000)
          .optional()
          .describe(
            "With passage: what stands in its place; leave out to remove the text, or the whole line",
          ),
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
        checkChange(change);
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
  throw new ToolFailure("bad_page", `expected the title or the id of the page, got ${got}`);
}

/** The readable text beside structured content, in markdown. */

function searchText({ query }: PageFilter, { results, total, next_cursor }: SearchAnswer): string {
  if (results.length === 0) {
    const what = query === undefined ? "fits" : `has "${query}"`;
    return `No page of the wiki ${what}. Try fewer or other conditions, or list_spaces.`;
  }
  const count = total === null || total === results.length ? results.length : `${results.length} of ${total}`;
  const lines = results.map(
    (page, index) =>
      `${index + 1}. **${page.title}** (id ${page.id}, ${page.space.name}, updated ${day(page.updated)}${by(page.updated_by)})\n` +
      `   ${page.excerpt}\n   ${page.url}`,
  );
  const more = next_cursor === null ? "" : `\n\nMore: the same search with cursor "${next_cursor}".`;
  return `${count} pages${query === undefined ? "" : ` for "${query}"`}:\n\n${lines.join("\n")}${more}`;
}

function pageText(page: Page): string {
  const facts = [
    `Space: ${page.space.name} (${page.space.key})`,
    `Id: ${page.id}, version ${page.version}, updated ${day(page.updated)}${by(page.updated_by)}`,
    page.parent === null ? "" : `Under: ${page.parent.title} (id ${page.parent.id})`,
    page.labels.length === 0 ? "" : `Labels: ${page.labels.join(", ")}`,
    page.url,
  ].filter((fact) => fact !== "");
  const children = page.children.map(({ id, title }) => `- ${title} (id ${id})`);
  const comments = page.comments.map((comment) => commentText(comment));
  return paragraphs(
    `# ${page.title}`,
    facts.join("\n"),
    page.body,
    children.length === 0 ? "" : `## Pages below\n\n${children.join("\n")}`,
    comments.length === 0 ? "" : `## Comments\n\n${comments.join("\n\n")}`,
  );
}

function spacesText(spaces: readonly Space[]): string {
  if (spaces.length === 0) return "The wiki has no space that this account may see.";
  return spaces
    .map(({ key, name, description, pages }) => {
      const count = pages === null ? "" : ` (${pages} pages)`;
      return `- **${key}** ${name}${count}${description === "" ? "" : `: ${description}`}`;
    })
    .join("\n");
}

function changeText(
  what: "create" | "update" | "delete",
  dryRun: boolean,
  page: PageSummary | null,
  { before, after }: Effect,
): string {
  const name = page?.title ?? valueText((after ?? before)?.["title"]);
  const id = page === null ? "" : ` (id ${page.id})`;
  const verb = {
    create: ["would create", "created"],
    update: ["would update", "updated"],
    delete: ["would move to the trash", "moved to the trash"],
  }[what][dryRun ? 0 : 1];
  const lines = Object.keys(after ?? {}).flatMap((field) => {
    const [old, now] = [before?.[field], after?.[field]].map(valueText);
    return before === null ? [`- ${field}: ${now}`] : [`- ${field}: ${old} → ${now}`];
  });
  const link = page === null || what === "delete" ? "" : page.url;
  const note = dryRun ? "Dry run, nothing was changed: " : "";
  return paragraphs(`${note}${verb} the page "${name}"${id}`, lines.join("\n"), link);
}

function commentText(comment: Comment): string {
  return `${comment.author?.name ?? "Someone"}, ${day(comment.created)}:\n${comment.body}`;
}

function valueText(value: unknown): string {
  if (typeof value === "string") return value.length > 300 ? `${value.slice(0, 300)} …` : value;
  return JSON.stringify(value) ?? "";
}

function day(time: string): string {
  return time.slice(0, 10);
}

function by(person: Comment["author"]): string {
  return person === null ? "" : ` by ${person.name}`;
}

/** What a change does: the fields that it touches, as they are and as they will be. */
export interface Effect {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** Throws `nothing_to_change` or `bad_change` where arguments do not go together. */
function checkChange({ title, body, append, under, passage, replacement }: PageChange): void {
  const ways = [body, append, passage].filter((way) => way !== undefined);
  if (under !== undefined && append === undefined)
    throw new ToolFailure("bad_change", "under: expected append with it, the text that goes there, got none");
  if (replacement !== undefined && passage === undefined)
    throw new ToolFailure(
      "bad_change",
      "replacement: expected passage with it, the text it replaces, got none",
    );
  if (title === undefined && ways.length === 0)
    throw new ToolFailure(
      "nothing_to_change",
      "expected a title, a body, text to append or a text to replace, got none",
    );
  if (ways.length > 1)
    throw new ToolFailure(
      "bad_change",
      `expected one of a whole new body, text to append and a text to replace, got ${ways.length === 2 ? "both" : "all"}`,
    );
}

/** Rejects a change of an old version, and one that changes nothing. */
function effectOfUpdate(page: Page, change: PageChange): Effect {
  if (page.version !== change.version) throw versionConflict(page, change.version, page.version);
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  const { title } = change;
  const body = changedBody(page.body, change);
  for (const [field, value] of [
    ["title", title],
    ["body", body],
  ] as const) {
    if (value === undefined || value === page[field]) continue;
    before[field] = page[field];
    after[field] = value;
  }
  if (Object.keys(after).length === 0) {
    throw new ToolFailure(
      "nothing_to_change",
      `page ${page.id} "${page.title}": expected a title or a body that differs from what the page has, got neither`,
    );
  }
  return {
    before: { ...before, version: page.version },
    after: { ...after, version: page.version + 1 },
  };
}

function summaryOf(page: Page): PageSummary {
  const { id, title, space, updated, updated_by, url, excerpt } = page;
  return { id, title, space, updated, updated_by, url, excerpt };
}
