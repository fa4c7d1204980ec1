import { decodeHTML } from "entities";
import { z } from "zod";

import type { Rest } from "../kit/rest.ts";
import { ToolFailure } from "../kit/tool.ts";
import {
  decodeCursor,
  encodeCursor,
  type PageSummary,
  type Person,
  type SearchAnswer,
  type SearchRequest,
  type Space,
} from "./wiki.ts";

/** What the Cloud and Data Center backends have in common. */

/** Most entries read of a list (spaces, children, comments), so that a huge wiki ends somewhere. */
const MOST_ENTRIES = 2000;

/** Checks an answer of the service; a field that is missing is named. */
export function parseAnswer<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ToolFailure(
    "invalid_answer",
    `Confluence answered ${what} in a shape that is not known: ${z.prettifyError(parsed.error)}`,
  );
}

/**
 * Reads a list to its end. `_links.next` is a path with or without the context path (`/wiki`), so
 * only its query is used.
 */
export async function readAll<T>(
  rest: Rest,
  path: string,
  options: {
    item: z.ZodType<T>;
    query?: Record<string, string>;
    limit?: number;
    signal?: AbortSignal | undefined;
  },
): Promise<T[]> {
  const list = z.object({
    results: z.array(options.item),
    _links: z.object({ next: z.string().optional() }).optional(),
  });
  let query: Record<string, string> = { ...options.query, limit: String(options.limit ?? 100) };
  const items: T[] = [];
  for (;;) {
    const page = parseAnswer(list, await rest.get(path, { query, signal: options.signal }), path);
    items.push(...page.results);
    const next = page._links?.next;
    if (next === undefined || page.results.length === 0 || items.length >= MOST_ENTRIES) {
      return items;
    }
    query = { ...query, ...queryOf(next) };
  }
}

function queryOf(link: string): Record<string, string> {
  return Object.fromEntries(new URL(link, "http://localhost").searchParams);
}

/** Both kinds name people in this way in version 1 answers. */
export interface KnownUser {
  accountId?: string | undefined;
  userKey?: string | undefined;
  username?: string | undefined;
  displayName?: string | undefined;
  publicName?: string | undefined;
}

export const knownUser: z.ZodType<KnownUser> = z.object({
  accountId: z.string().optional(),
  userKey: z.string().optional(),
  username: z.string().optional(),
  displayName: z.string().optional(),
  publicName: z.string().optional(),
});

export function personOf(user: KnownUser | null | undefined): Person | null {
  const id = user?.accountId ?? user?.username ?? user?.userKey;
  if (id === undefined || id === "") return null;
  return { id, name: user?.displayName || user?.publicName || id };
}

const searchHits = z.object({
  results: z.array(
    z.object({
      content: z
        .object({
          id: z.coerce.string(),
          title: z.string(),
          space: z.object({ key: z.string(), name: z.string() }).optional(),
          version: z.object({ when: z.string().optional(), by: knownUser.nullish() }).optional(),
          _links: z.object({ webui: z.string().optional() }).optional(),
        })
        .optional(),
      excerpt: z.string().nullish(),
      url: z.string().optional(),
      resultGlobalContainer: z.object({ title: z.string(), displayUrl: z.string().optional() }).optional(),
      lastModified: z.string().optional(),
    }),
  ),
  start: z.number().optional(),
  totalSize: z.number().optional(),
  _links: z.object({ base: z.string().optional(), next: z.string().optional() }).optional(),
});

/**
 * `GET /rest/api/search`, the same on both kinds: Cloud continues with a cursor, Data Center with
 * `start`. https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-search/
 */
export async function searchByCql(
  rest: Rest,
  options: {
    path: string;
    request: SearchRequest;
    space: { key: string } | undefined;
    siteUrl: string;
    signal: AbortSignal | undefined;
  },
): Promise<SearchAnswer> {
  const { request, space, siteUrl } = options;
  const at = decodeCursor(request);
  const ask = (field: string): Promise<unknown> =>
    rest.get(options.path, {
      query: {
        cql: cqlOf(field, request.query, space?.key),
        limit: request.limit,
        excerpt: "highlight",
        expand: "content.space,content.version",
        ...(at === undefined ? {} : queryOf(`/?${at}`)),
      },
      signal: options.signal,
    });
  // `siteSearch` ranks as the search box does; a service that does not know it answers 400.
  const answer = await ask("siteSearch").catch(async (refused: unknown) => {
    if (!isFailure(refused, "bad_request")) throw refused;
    return ask("text").catch(() => {
      throw refused;
    });
  });
  const found = parseAnswer(searchHits, answer, "the search");
  const base = found._links?.base ?? siteUrl;
  const next = found._links?.next;
  const results = found.results.flatMap((hit): PageSummary[] => {
    if (hit.content === undefined) return [];
    const { id, title, version, _links } = hit.content;
    return [
      {
        id,
        title: plain(title),
        space: hit.content.space ?? {
          key: spaceKeyOf(hit.resultGlobalContainer?.displayUrl ?? hit.url ?? ""),
          name: plain(hit.resultGlobalContainer?.title ?? ""),
        },
        updated: isoTime(version?.when ?? hit.lastModified ?? ""),
        updated_by: personOf(version?.by),
        url: `${base}${_links?.webui ?? hit.url ?? ""}`,
        excerpt: plain(hit.excerpt ?? ""),
      },
    ];
  });
  return {
    results,
    total: found.totalSize ?? null,
    next_cursor: next === undefined ? null : encodeCursor(request, placeOf(next)),
  };
}

/** Of the link to the next results only where they begin; the rest is sent anew. */
function placeOf(link: string): string {
  const wanted = Object.entries(queryOf(link)).filter(([name]) => ["cursor", "start", "next"].includes(name));
  return new URLSearchParams(wanted).toString();
}

/** The words go into a quoted CQL string, where only `"` and `\` have a meaning. */
function cqlOf(field: string, query: string, space: string | undefined): string {
  const quote = (text: string): string => `"${text.replace(/[\\"]/gu, "\\$&")}"`;
  const inSpace = space === undefined ? "" : ` AND space = ${quote(space)}`;
  return `type = page AND ${field} ~ ${quote(query)}${inSpace}`;
}

/** The text of a page whose title alone changes; never "" in place of a text that did not come. */
export function storedText(body: { value: string } | undefined): string {
  if (body !== undefined) return body.value;
  throw new ToolFailure(
    "invalid_answer",
    "Confluence answered the page without its text, so that changing the title alone would empty it: send the body as well",
  );
}

export function isFailure(error: unknown, code: string): boolean {
  return error instanceof ToolFailure && error.code === code;
}

/** `/spaces/ENG/pages/1`, `/display/ENG/Title` */
function spaceKeyOf(url: string): string {
  return /\/(?:spaces|display)\/([^/?]+)/u.exec(url)?.[1] ?? "";
}

/** Excerpts and titles carry highlight marks, entities and at times tags. */
function plain(text: string): string {
  const bare = text.replace(/@@@(?:end)?hl@@@/gu, "").replace(/<[^<>]*>/gu, " ");
  return decodeHTML(bare).replace(/\s+/gu, " ").trim();
}

/** Data Center writes offsets (`2026-01-05T10:00:00.000+01:00`); they become UTC. */
export function isoTime(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toISOString();
}

export interface SpaceEntry {
  id: string;
  key: string;
  name: string;
  description?: { plain?: { value: string } | null | undefined } | null | undefined;
  _links?: { webui?: string | undefined } | undefined;
}

export const spaceEntry: z.ZodType<SpaceEntry> = z.object({
  id: z.coerce.string(),
  key: z.string(),
  name: z.string(),
  description: z.object({ plain: z.object({ value: z.string() }).nullish() }).nullish(),
  _links: z.object({ webui: z.string().optional() }).optional(),
});

export function spaceOf(entry: SpaceEntry, siteUrl: string): Space {
  return {
    key: entry.key,
    name: entry.name,
    description: entry.description?.plain?.value.trim() ?? "",
    pages: null,
    url: `${siteUrl}${entry._links?.webui ?? `/spaces/${entry.key}`}`,
  };
}
