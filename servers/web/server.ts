import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { decodeHTML } from "entities";
import { z } from "zod";

import { createRest } from "../kit/rest.ts";
import { answer, createServer, paragraphs, ToolFailure } from "../kit/tool.ts";
import type { FetchOptions } from "./fetch-page.ts";
import { toMarkdown } from "./to-markdown.ts";

export interface Web {
  fetch: FetchOptions;
  /** Where a search engine is configured. */
  search?: Search;
}

/** Characters of a page in one answer. */
const PAGE_CHARS = 20_000;

const hit = z.object({
  title: z.string(),
  url: z.string(),
  excerpt: z.string(),
  published: z.string().nullable(),
});

/** A fresh MCP server for the web; web_search is there where a search engine is configured. */
export function createWebServer({ fetch: options, search }: Web): McpServer {
  const server = createServer(
    "web",
    "The web",
    "Pages of the public internet: fetch_url reads one by its address, web_search finds some by words.",
  );
  const annotations = {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  };

  server.registerTool(
    "fetch_url",
    {
      title: "Read a web page",
      description:
        "Read, open or fetch one web page by its address (URL): the text of the page as markdown, with its title. " +
        "Only pages of the public internet that everybody may see.",
      inputSchema: z.strictObject({
        url: z
          .string()
          .trim()
          .min(1)
          .max(4000)
          .transform((text) => (/^[\w.-]+\.[a-z]{2,}(?:[/?#]|$)/i.test(text) ? `https://${text}` : text))
          .describe('Address of the page, such as "https://example.com/news"'),
        start: z.int().min(0).default(0).describe("next_start of the last answer, for the text behind it"),
      }),
      outputSchema: z.object({
        url: z.string().describe("Where the page is, after redirects"),
        title: z.string(),
        text: z.string().describe("Markdown; what is no HTML as it is"),
        next_start: z.number().nullable().describe("Where the text goes on; null at its end"),
      }),
      annotations,
    },
    ({ url, start }, context): Promise<CallToolResult> =>
      answer(async () => {
        const { signal } = context.mcpReq;
        // With all of TLS, which a server at rest does without.
        const { fetchPage } = await import("./fetch-page.ts");
        const fetched = await fetchPage(url, signal, options);
        const isHtml =
          /html/.test(fetched.contentType) || /^\s*<(?:!doctype html|html)\b/i.test(fetched.text);
        const { title, markdown } = isHtml
          ? await toMarkdown({ html: fetched.text, url: fetched.url.href }, signal)
          : { title: "", markdown: fetched.text };
        const end = start + PAGE_CHARS;
        const next = end < markdown.length ? end : null;
        const text = markdown.slice(start, end);
        const data = { url: fetched.url.href, title: title || fetched.url.host, text, next_start: next };
        const more = next === null ? "" : `More: the same page with start ${next}.`;
        return { text: paragraphs(`# ${data.title}`, data.url, text, more), data };
      }),
  );

  if (search === undefined) return server;
  server.registerTool(
    "web_search",
    {
      title: "Search the web",
      description:
        "Search the web, the public internet, for news, facts and pages by words: title, address and excerpt of " +
        "each. The whole text of one page: fetch_url.",
      inputSchema: z.strictObject({
        query: z
          .string()
          .trim()
          .min(1)
          .max(400)
          .describe('What to look for, such as "prime minister of India"'),
        limit: z.int().min(1).max(20).default(10).describe("How many results at most, 1 to 20"),
      }),
      outputSchema: z.object({ results: z.array(hit) }),
      annotations,
    },
    ({ query, limit }, context): Promise<CallToolResult> =>
      answer(async () => {
        const results = await search(query, limit, context.mcpReq.signal);
        const lines = results.map(
          ({ title, url, excerpt }, index) => `${index + 1}. **${title}**\n   ${excerpt}\n   ${url}`,
        );
        return {
          text: lines.join("\n") || `The web search found nothing for "${query}".`,
          data: { results },
        };
      }),
  );
  return server;
}

/**
 * The web as the environment configures it: `SEARXNG_URL` is an instance of SearXNG, `BRAVE_API_KEY` an account of
 * Brave Search; without either there is no web_search. Throws a ToolFailure for an address that is none.
 */
export function openWeb(env: NodeJS.ProcessEnv): Web {
  const value = (name: string): string => env[name]?.trim() ?? "";
  const [searxng, brave] = [value("SEARXNG_URL"), value("BRAVE_API_KEY")];
  if (searxng !== "") return { fetch: {}, search: openSearxng(searxng) };
  if (brave === "") return { fetch: {} };
  return { fetch: {}, search: openBrave(brave, value("BRAVE_URL") || "https://api.search.brave.com") };
}

export interface Hit {
  title: string;
  url: string;
  excerpt: string;
  /** As the engine writes it, such as `2026-11-20` or "2 days ago". */
  published: string | null;
}

/** A search engine. Rejects with a ToolFailure, see `Rest`. */
type Search = (query: string, limit: number, signal: AbortSignal) => Promise<Hit[]>;

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");

const searxngAnswer = z.object({
  results: z.array(
    z.object({ title: text, url: z.string(), content: text, publishedDate: z.string().nullish() }),
  ),
});

const braveAnswer = z.object({
  web: z
    .object({
      results: z.array(
        z.object({ title: text, url: z.string(), description: text, age: z.string().nullish() }),
      ),
    })
    .optional(),
});

/** A SearXNG instance, whose `search.formats` has to have json. */
function openSearxng(baseUrl: string): Search {
  const rest = createRest({ service: "SearXNG", baseUrl, auth: { kind: "none" } });
  return async (q, limit, signal) => {
    const { results } = checked(
      searxngAnswer,
      await rest.get("/search", { query: { q, format: "json" }, signal }),
    );
    return results.slice(0, limit).map(({ title, url, content, publishedDate }) => ({
      title: plain(title) || url,
      url,
      excerpt: plain(content),
      published: publishedDate ?? null,
    }));
  };
}

/** Brave's search API: https://api-dashboard.search.brave.com/app/documentation/web-search */
function openBrave(token: string, baseUrl: string): Search {
  const auth = { kind: "header", name: "x-subscription-token", token } as const;
  const rest = createRest({ service: "Brave Search", baseUrl, auth });
  return async (q, limit, signal) => {
    const { web } = checked(
      braveAnswer,
      await rest.get("/res/v1/web/search", { query: { q, count: limit }, signal }),
    );
    return (web?.results ?? []).slice(0, limit).map(({ title, url, description, age }) => ({
      title: plain(title) || url,
      url,
      excerpt: plain(description),
      published: age ?? null,
    }));
  };
}

/** The words that were found are marked by tags, and what else is markup to HTML is written as its entities. */
function plain(html: string): string {
  const bare = html.replaceAll(/<\/?(?:strong|b|em|mark)>/g, "");
  return decodeHTML(bare).replaceAll(/\s+/g, " ").trim().slice(0, 500);
}

function checked<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new ToolFailure(
    "invalid_answer",
    `the search engine answered with something else than results: ${parsed.error.issues[0]?.message ?? ""}`,
    { cause: parsed.error },
  );
}
