import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import { answer, createServer } from "../kit/tool.ts";
import type { EventPublisher } from "./events.ts";
import type { Found, Knowledge, Related } from "./knowledge.ts";
import { entityTypes, hit, type QueryPath, relationKinds, searchMode, searchRoutes } from "./wire.ts";

const PREVIEWED = 5;
const PREVIEW_CHARS = 200;

const question = z.string().trim().min(1).max(2000);
const organisation = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe("The organisation that asks; configuration sets it");
const topK = z.coerce.number().int().min(1).max(50).default(10).describe("How many at most");
const taskId = z.string().max(200).default("").describe("The task that asks; configuration sets it");
const channel = z.string().max(300).default("").describe("Where it is asked; configuration sets it");
const any = (what: string): z.ZodDefault<z.ZodString> =>
  z.string().trim().max(300).default("*").describe(what);

const foundShape = z.object({
  query: z.string(),
  results: z.array(hit),
  total_results: z.number(),
  search: searchMode.nullable().describe("lexical: by words alone; null: not known"),
  indexing: z.number().nullable().describe("Percent of what is being indexed now"),
  empty: z.boolean().describe("Nothing is indexed that whoever asks may find"),
  cached: z.boolean(),
  query_time_ms: z.number(),
});

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Tells the product that other servers have this as well, and are asked first. */
function searches(what: "everything" | "code" | "other"): Record<string, string> {
  return { "countersign/searches": what };
}

interface Asked {
  query: string;
  org_id: string;
  top_k: number;
  task_id?: string;
  channel: string;
  source_types?: string;
  filters?: Record<string, string>;
}

/** A fresh MCP server over a knowledge service; many may share one. */
export function createKnowledgeServer(knowledge: Knowledge, events: EventPublisher): McpServer {
  const server = createServer(
    "knowledge",
    "Company knowledge",
    "One search over code, tickets and pages. Prefer the tools of Jira and Confluence for a record that is named.",
  );

  async function ask(
    tool: string,
    path: QueryPath,
    toText: (found: Found) => string,
    asked: Asked,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const { query, org_id, top_k, task_id: task = "", channel: place, filters = {} } = asked;
    const types = asked.source_types
      ?.split(",")
      .map((type) => type.trim())
      .filter((type) => type !== "");
    events.publish("knowledge:query", task, {
      tool_name: tool,
      query,
      org_id,
      source_types: types ?? searchRoutes[path].types ?? [],
    });
    let notes = "";
    const result = await answer(async () => {
      const found = await knowledge.query(
        path,
        {
          query,
          org_id,
          top_k,
          ...(types === undefined ? {} : { source_types: types }),
          ...(place === "" ? {} : { channel: place }),
          filters: Object.fromEntries(
            Object.entries(filters).filter(([, value]) => value !== "" && value !== "*"),
          ),
        },
        signal,
      );
      events.publish("knowledge:result", task, {
        tool_name: tool,
        query,
        results_count: found.results.length,
        results_preview: found.results.slice(0, PREVIEWED).map((one) => ({
          source_type: one.source_type,
          source_id: one.source_id,
          relevance_score: one.relevance_score,
          content: one.content.slice(0, PREVIEW_CHARS),
        })),
        query_time_ms: found.query_time_ms,
        cached: found.cached,
      });
      const { results, search = null, indexing = null, empty, cached, query_time_ms } = found;
      const total_results = results.length;
      const data = { query, results, total_results, search, indexing, empty, cached, query_time_ms };
      notes = notesOf(found);
      return { text: toText(found), data };
    });
    return notes === "" ? result : { ...result, content: [...result.content, { type: "text", text: notes }] };
  }

  server.registerTool(
    "knowledge_query",
    {
      title: "Search the company's knowledge",
      description:
        "Search all of the company's knowledge at once: source code, Jira tickets and Confluence pages, best match " +
        'first with its source. Use it for questions about how or why something works, such as "how does the retry ' +
        'of payments work" or "have we seen this error before".',
      _meta: searches("everything"),
      inputSchema: z.strictObject({
        query: question.describe('What to look for, in words, such as "how do we roll back a deploy"'),
        org_id: organisation,
        source_types: z
          .string()
          .max(200)
          .default("code,jira,confluence")
          .describe("Which sources, with commas: code, jira, confluence (with other written pages), docs"),
        top_k: topK,
        task_id: taskId,
        channel,
      }),
      outputSchema: foundShape,
      annotations,
    },
    (args, context) => ask("knowledge_query", "/query", queryText, args, context.mcpReq.signal),
  );

  server.registerTool(
    "code_search",
    {
      title: "Search the code",
      description:
        "Search the company's source code: functions, classes and files by what they do or are called, with path, lines and the code itself.",
      _meta: searches("code"),
      inputSchema: z.strictObject({
        query: question.describe('What the code does or is called, such as "retry of the payment client"'),
        org_id: organisation,
        repo_filter: any('Repositories as a glob, such as "shop-*"'),
        language: any('A language, such as "typescript"'),
        top_k: topK,
        task_id: taskId,
        channel,
      }),
      outputSchema: foundShape,
      annotations,
    },
    ({ repo_filter, language, ...args }, context) =>
      ask(
        "code_search",
        "/query/code",
        codeText,
        { ...args, filters: { repo_filter, language } },
        context.mcpReq.signal,
      ),
  );

  server.registerTool(
    "find_related_code",
    {
      title: "Find related code",
      description:
        "Find code that has to do with a function, class, module or file: what it calls and extends, who calls it, imports of it and by it.",
      _meta: searches("other"),
      inputSchema: z.strictObject({
        entity: question.describe('Name of a function or class, or path of a file, such as "openStore"'),
        entity_type: z.enum(entityTypes).describe("What the entity is"),
        org_id: organisation,
        relationship: z
          .enum(["all", ...relationKinds])
          .default("all")
          .describe("Which relation"),
        channel,
      }),
      outputSchema: z.object({
        entity: z.string(),
        entity_type: z.string(),
        results: z.array(
          z.object({
            relationship: z.string(),
            name: z.string(),
            file: z.string(),
            line: z.number(),
            repo: z.string(),
          }),
        ),
        total_results: z.number(),
      }),
      annotations,
    },
    ({ channel: place, ...args }, context) =>
      answer(async () => {
        const body = { ...args, ...(place === "" ? {} : { channel: place }) };
        const results = await knowledge.related(body, context.mcpReq.signal);
        const { entity, entity_type } = args;
        return {
          text: relatedText(entity, results),
          data: { entity, entity_type, results, total_results: results.length },
        };
      }),
  );

  server.registerTool(
    "search_jira_tickets",
    {
      title: "Search tickets by meaning",
      description:
        "Search the index of Jira tickets by what they are about, with status, priority, labels and description. For a known key, people, dates or counts use Jira itself.",
      _meta: searches("other"),
      inputSchema: z.strictObject({
        query: question.describe('What the tickets are about, such as "payments fail after midnight"'),
        org_id: organisation,
        project: any('Project key, such as "DEMO"'),
        status: any('Status, such as "In Progress"'),
        top_k: topK,
        channel,
      }),
      outputSchema: foundShape,
      annotations,
    },
    ({ project, status, ...args }, context) =>
      ask(
        "search_jira_tickets",
        "/query/tickets",
        ticketsText,
        { ...args, filters: { project, status } },
        context.mcpReq.signal,
      ),
  );

  server.registerTool(
    "search_confluence",
    {
      title: "Search pages by meaning",
      description:
        "Search the index of Confluence pages and written documents by what they are about, with the text that fits.",
      _meta: searches("other"),
      inputSchema: z.strictObject({
        query: question.describe('What the pages are about, such as "on-call handover"'),
        org_id: organisation,
        space: any('Space key, such as "ENG"'),
        top_k: topK,
        channel,
      }),
      outputSchema: foundShape,
      annotations,
    },
    ({ space, ...args }, context) =>
      ask(
        "search_confluence",
        "/query/docs",
        pagesText,
        { ...args, filters: { space } },
        context.mcpReq.signal,
      ),
  );
  return server;
}

// Answers as Markdown for whoever reads them, models first. What was found is data: it stands in blocks of code or
// quotes, so that nothing in it becomes a part of the answer around it.

const CONTENT_CHARS = 2000;
const DESCRIPTION_CHARS = 500;
const PAGE_CHARS = 1000;

type Hit = Found["results"][number];

function queryText({ results }: Found): string {
  if (results.length === 0) return "No relevant results found.";
  const parts = results.map(
    ({ source_type: type, relevance_score: score, source_id: id, content }, at) =>
      `### ${at + 1}. ${type} (relevance ${score.toFixed(3)})\n\n**Source:** ${oneLine(id)}\n\n${quote(cut(content, CONTENT_CHARS))}`,
  );
  return parts.join("\n\n");
}

function codeText({ results }: Found): string {
  if (results.length === 0) return "No code matches found.";
  return results
    .map(
      (hit) => `### ${placeOf(hit)}\n\n${fenced(cut(hit.content, CONTENT_CHARS), textOf(hit, "language"))}`,
    )
    .join("\n\n");
}

function ticketsText({ results }: Found): string {
  if (results.length === 0) return "No relevant tickets found.";
  return results
    .map((hit) => {
      const labels = hit.metadata["labels"];
      return [
        `### ${textOf(hit, "key") || oneLine(hit.source_id)}: ${textOf(hit, "summary")}`,
        [
          `**Status:** ${textOf(hit, "status") || "unknown"}`,
          `**Priority:** ${textOf(hit, "priority") || "none"}`,
          `**Labels:** ${Array.isArray(labels) && labels.length > 0 ? oneLine(labels.join(", ")) : "none"}`,
        ].join(" | "),
        quote(cut(hit.content, DESCRIPTION_CHARS)),
      ].join("\n\n");
    })
    .join("\n\n");
}

function pagesText({ results }: Found): string {
  if (results.length === 0) return "No relevant pages found.";
  return results
    .map((hit) =>
      [
        `### ${textOf(hit, "page_title") || oneLine(hit.source_id)} (${textOf(hit, "space") || "no space"})`,
        `**Last modified:** ${textOf(hit, "last_modified") || "unknown"}`,
        quote(cut(hit.content, PAGE_CHARS)),
      ].join("\n\n"),
    )
    .join("\n\n");
}

function relatedText(entity: string, rows: readonly Related[]): string {
  if (rows.length === 0) return `No related code found for ${oneLine(entity)}.`;
  const groups = Map.groupBy(rows, ({ relationship }) => relationship);
  return [...groups]
    .map(([relationship, group]) => {
      const lines = group.map(({ name, file, line }) => `- ${code(name)}: ${code(`${file}:${line}`)}`);
      return `### ${relationTitle(relationship)}\n\n${lines.join("\n")}`;
    })
    .join("\n\n");
}

/** How it was searched, where that matters to whoever reads the answer. */
function notesOf({ search, indexing, empty }: Found): string {
  return [
    empty ? "Nothing is indexed here yet: `countersign knowledge ingest SOURCE` indexes something." : "",
    search === "lexical" && !empty
      ? "Searched by words alone: no model for embeddings answered, or nothing has vectors yet."
      : "",
    indexing === undefined
      ? ""
      : `The index is being built: ${indexing} % is done, so there may be more later.`,
  ]
    .filter((note) => note !== "")
    .join(" ");
}

function relationTitle(relationship: string): string {
  const words = relationship.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `repo/path:12-40`. */
function placeOf({ source_id: id, metadata }: Hit): string {
  const { repo, file_path: path, line_start: start, line_end: end } = metadata;
  if (typeof path !== "string") return oneLine(id);
  const lines = typeof start === "number" ? `:${start}${typeof end === "number" ? `-${end}` : ""}` : "";
  return oneLine(`${typeof repo === "string" && repo !== "" ? `${repo}/` : ""}${path}${lines}`);
}

function textOf({ metadata }: Hit, name: string): string {
  const value = metadata[name];
  return typeof value === "string" || typeof value === "number" ? oneLine(String(value)) : "";
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 300);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function quote(text: string): string {
  return text.replaceAll(/^/gm, "> ");
}

function code(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``;
}

/** A block of code whose fence is longer than any in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language.replaceAll(/[^\w+#-]/g, "")}\n${text}\n${fence}`;
}
