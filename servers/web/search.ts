import { decodeHTML } from "entities";
import { z } from "zod";

import { createRest } from "../kit/rest.ts";
import { ToolFailure } from "../kit/tool.ts";

export interface Hit {
  title: string;
  url: string;
  excerpt: string;
  /** As the engine writes it, such as `2026-11-20` or "2 days ago". */
  published: string | null;
}

/** A search engine. Rejects with a ToolFailure, see `Rest`. */
export type Search = (query: string, limit: number, signal: AbortSignal) => Promise<Hit[]>;

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
export function openSearxng(baseUrl: string): Search {
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
export function openBrave(token: string, baseUrl: string): Search {
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
