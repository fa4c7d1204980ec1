import { decodeHTML } from "entities";
import { z } from "zod";

import { isMe, type Person, pickPerson } from "../kit/names.ts";
import type { Rest } from "../kit/rest.ts";
import { isFailure, isoTime, ToolFailure } from "../kit/tool.ts";
import type { Page, PageRef, PageSummary, SearchAnswer } from "./schemas.ts";
import {
  fromCursor,
  toCursor,
  findSpace,
  type NewPage,
  orderOf,
  pageNotFound,
  type PageChange,
  parentNotFound,
  type SearchRequest,
  titleTaken,
  versionConflict,
  type Wiki,
} from "./wiki.ts";
import { tokenize } from "./words.ts";

type Signal = AbortSignal | undefined;

interface RemotePage extends PageRef {
  version: { number: number };
}

/** What differs between Cloud and Data Center. */
export interface Service<Raw extends RemotePage> {
  rest: Rest;
  siteUrl: string;
  searchPath: string;
  /** Under it stand pages by their ids. */
  pagesPath: string;
  pageQuery: Record<string, string | boolean>;
  pageSchema: z.ZodType<Raw>;
  /** What keys of spaces look like. */
  spaceKey: RegExp;
  /** All spaces, or the one with this key. */
  spaces(key: string | undefined, signal: Signal): Promise<SpaceEntry[]>;
  isIn(page: Raw, space: SpaceEntry): boolean;
  /** Those who may be meant by an id, a name or a part of a name. */
  people(text: string, signal: Signal): Promise<Person[]>;
  pageTitled(title: string, space: SpaceEntry, signal: Signal): Promise<PageRef | undefined>;
  /** A page with all that belongs to it. */
  whole(page: Raw, signal: Signal): Promise<Page>;
  create(page: NewPage, signal: Signal): Promise<PageSummary>;
  /** Rejects with `conflict` where somebody was faster. */
  update(page: Raw, change: PageChange, signal: Signal): Promise<PageSummary>;
  comment(page: Raw, markdown: string, signal: Signal): ReturnType<Wiki["comment"]>;
}

export function openRemoteWiki<Raw extends RemotePage>(service: Service<Raw>): Wiki {
  const { rest, siteUrl, pagesPath } = service;
  const readPage = (id: string, signal: Signal): Promise<Raw> => readRemotePage(service, id, signal);

  return {
    async search(request, signal) {
      const [space, creator] = await Promise.all([
        request.space === undefined ? undefined : findRemoteSpace(service, request.space, signal),
        request.author === undefined ? undefined : creatorOf(service, request.author, signal),
      ]);
      return searchByCql(service, request, { space: space?.key, creator }, signal);
    },

    async page(id, signal) {
      return service.whole(await readPage(id, signal), signal);
    },

    async spaces(signal) {
      return (await service.spaces(undefined, signal)).map(({ key, name, description, _links }) => ({
        key,
        name,
        description: description?.plain?.value.trim() ?? "",
        pages: null,
        url: `${siteUrl}${_links?.webui ?? `/spaces/${key}`}`,
      }));
    },

    async prepare({ space: wanted, title, body, parent_id: parentId }, signal) {
      const space = await findRemoteSpace(service, wanted, signal);
      const [taken, parent] = await Promise.all([
        service.pageTitled(title, space, signal),
        parentId === undefined
          ? undefined
          : readPage(parentId, signal).catch((error: unknown) => {
              if (isFailure(error, "page_not_found")) return undefined;
              throw error;
            }),
      ]);
      if (taken !== undefined) throw titleTaken(title, space, taken);
      if (parentId !== undefined && (parent === undefined || !service.isIn(parent, space))) {
        throw parentNotFound(parentId, space, []);
      }
      const { key, name } = space;
      return {
        space: { key, name },
        title,
        body,
        parent: parent ? { id: parent.id, title: parent.title } : null,
      };
    },

    create: (page, signal) => service.create(page, signal),

    async update(id, change, signal) {
      const page = await readPage(id, signal);
      const conflict = (current: number): ToolFailure => versionConflict(page, change.version, current);
      if (page.version.number !== change.version) throw conflict(page.version.number);
      try {
        return await service.update(page, change, signal);
      } catch (error) {
        if (!isFailure(error, "conflict")) throw error;
        // Somebody was faster between the read and the write.
        const now = await readPage(id, signal);
        throw now.version.number === change.version ? error : conflict(now.version.number);
      }
    },

    async comment(id, markdown, signal) {
      return service.comment(await readPage(id, signal), markdown, signal);
    },

    async remove(id, signal) {
      const page = await readPage(id, signal);
      await rest.delete(`${pagesPath}/${page.id}`, { signal });
    },
  };
}

async function readRemotePage<Raw extends RemotePage>(
  { rest, pagesPath, pageQuery, pageSchema }: Service<Raw>,
  id: string,
  signal: Signal,
): Promise<Raw> {
  // Ids are numbers; anything else, such as "..", would change the path.
  if (!/^\d+$/u.test(id)) throw pageNotFound(id);
  try {
    return parseAnswer(
      pageSchema,
      await rest.get(`${pagesPath}/${id}`, { query: pageQuery, signal }),
      "the page",
    );
  } catch (error) {
    throw isFailure(error, "not_found") ? pageNotFound(id) : error;
  }
}

/** By key in one request; by name among all. */
export async function findRemoteSpace(
  { spaceKey, spaces }: Pick<Service<RemotePage>, "spaceKey" | "spaces">,
  wanted: string,
  signal: Signal,
): Promise<SpaceEntry> {
  const [found] = spaceKey.test(wanted) ? await spaces(wanted, signal) : [];
  return found ?? findSpace(await spaces(undefined, signal), wanted);
}

/** How CQL names a person. Rejects with `unknown_user` or `ambiguous_user`, which name who there is. */
async function creatorOf(
  { people }: Pick<Service<RemotePage>, "people">,
  text: string,
  signal: Signal,
): Promise<string> {
  return isMe(text) ? "currentUser()" : quote(pickPerson(text, await people(text, signal)).id);
}

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

/** People as both kinds name them in version 1 answers. */
export const knownPerson: z.ZodType<Person | null> = z
  .object({
    accountId: z.string().optional(),
    userKey: z.string().optional(),
    username: z.string().optional(),
    displayName: z.string().optional(),
    publicName: z.string().optional(),
  })
  .nullish()
  .transform((user) => {
    const id = user?.accountId ?? user?.username ?? user?.userKey;
    return id ? { id, name: user?.displayName || user?.publicName || id } : null;
  });

const searchHits = z.object({
  results: z.array(
    z.object({
      content: z
        .object({
          id: z.coerce.string(),
          title: z.string(),
          space: z.object({ key: z.string(), name: z.string() }).optional(),
          version: z.object({ when: z.string().optional(), by: knownPerson }).optional(),
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
async function searchByCql(
  { rest, searchPath, siteUrl }: Pick<Service<RemotePage>, "rest" | "searchPath" | "siteUrl">,
  request: SearchRequest,
  found: Found,
  signal: Signal,
): Promise<SearchAnswer> {
  const at = fromCursor(request);
  const ask = (field: string): Promise<unknown> =>
    rest.get(searchPath, {
      query: {
        cql: cqlOf(field, request, found),
        limit: request.limit,
        excerpt: "highlight",
        expand: "content.space,content.version",
        ...(at === undefined ? {} : queryOf(`/?${at}`)),
      },
      signal,
    });
  // `siteSearch` ranks as the search box does; a service that does not know it answers 400.
  const answer = await ask("siteSearch").catch(async (refused: unknown) => {
    if (!isFailure(refused, "bad_request") || request.query === undefined) throw refused;
    return ask("text").catch(() => {
      throw refused;
    });
  });
  const hits = parseAnswer(searchHits, answer, "the search");
  const base = hits._links?.base ?? siteUrl;
  const next = hits._links?.next;
  const results = hits.results.flatMap((hit): PageSummary[] => {
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
        updated_by: version?.by ?? null,
        url: `${base}${_links?.webui ?? hit.url ?? ""}`,
        excerpt: plain(hit.excerpt ?? ""),
      },
    ];
  });
  return {
    results,
    total: hits.totalSize ?? null,
    next_cursor: next === undefined ? null : toCursor(request, placeOf(next)),
  };
}

/** Of the link to the next results only where they begin; the rest is sent anew. */
function placeOf(link: string): string {
  const wanted = Object.entries(queryOf(link)).filter(([name]) => ["cursor", "start", "next"].includes(name));
  return new URLSearchParams(wanted).toString();
}

/** The words of a request that were looked up: a key, and how CQL names a person. */
interface Found {
  space: string | undefined;
  creator: string | undefined;
}

const sortFields = { updated: "lastmodified", created: "created", title: "title" } as const;

function cqlOf(field: string, request: SearchRequest, { space, creator }: Found): string {
  const { query, title, labels = [], created_after: created, updated_after: updated } = request;
  const order = orderOf(request);
  const conditions = [
    "type = page",
    query === undefined ? "" : `${field} ~ ${quote(query)}`,
    title === undefined ? "" : titleCondition(title),
    space === undefined ? "" : `space = ${quote(space)}`,
    ...labels.map((label) => `label = ${quote(label)}`),
    creator === undefined ? "" : `creator = ${creator}`,
    created === undefined ? "" : `created >= ${quote(created)}`,
    updated === undefined ? "" : `lastmodified >= ${quote(updated)}`,
  ].filter((condition) => condition !== "");
  const by = order && ` order by ${sortFields[order.by]} ${order.descending ? "desc" : "asc"}`;
  return `${conditions.join(" AND ")}${by ?? ""}`;
}

/** Signs such as "(" and ":" have a meaning among words that are looked for, but not in a whole title. */
function titleCondition(title: string): string {
  const words = tokenize(title).join(" ");
  const whole = `title = ${quote(title)}`;
  return words === "" ? whole : `(${whole} OR title ~ ${quote(words)})`;
}

/** A CQL string, where only `"` and `\` have a meaning. */
export function quote(text: string): string {
  return `"${text.replace(/[\\"]/gu, "\\$&")}"`;
}

/** The text of a page whose title alone changes; never "" in place of a text that did not come. */
export function storedText(body: { value: string } | undefined): string {
  if (body !== undefined) return body.value;
  throw new ToolFailure(
    "invalid_answer",
    "Confluence answered the page without its text, so that changing the title alone would empty it: send the body as well",
  );
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

export const spaceEntry = z.object({
  id: z.coerce.string(),
  key: z.string(),
  name: z.string(),
  description: z.object({ plain: z.object({ value: z.string() }).nullish() }).nullish(),
  _links: z.object({ webui: z.string().optional() }).optional(),
});

export type SpaceEntry = z.infer<typeof spaceEntry>;
