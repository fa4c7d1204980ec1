import { z } from "zod";

import { plainText } from "../kit/adf-document.ts";
import { toAdf } from "../kit/adf-from-markdown.ts";
import { fromAdf } from "../kit/adf-to-markdown.ts";
import { createRest } from "../kit/rest.ts";
import { ToolFailure } from "../kit/tool.ts";
import {
  isFailure,
  isoTime,
  parseAnswer,
  readAll,
  searchByCql,
  spaceEntry,
  type SpaceEntry,
  spaceOf,
  storedText,
} from "./remote.ts";
import {
  type Comment,
  findSpace,
  type NewPage,
  pageNotFound,
  type PageSummary,
  parentNotFound,
  type Person,
  titleTaken,
  versionConflict,
  type Wiki,
} from "./wiki.ts";
import { excerptOf } from "./words.ts";

export interface CloudOptions {
  /** The site, with or without `/wiki`: `https://acme.atlassian.net`. */
  url: string;
  email: string;
  apiToken: string;
}

type Signal = AbortSignal | undefined;

/** Confluence Cloud: REST version 2, and version 1 for the search, which 2 does not have. */
export function openCloudWiki(options: CloudOptions): Wiki {
  const rest = createRest({
    service: "Confluence",
    baseUrl: options.url.replace(/\/+$/u, "").replace(/\/wiki$/u, ""),
    auth: { kind: "basic", email: options.email, token: options.apiToken },
  });
  const siteUrl = `${rest.baseUrl}/wiki`;
  const v2 = "/wiki/api/v2";

  const allSpaces = (signal: Signal): Promise<SpaceEntry[]> =>
    readAll(rest, `${v2}/spaces`, {
      item: spaceEntry,
      query: { status: "current", "description-format": "plain" },
      limit: 250,
      signal,
    });

  /** By key in one request; by name among all. */
  async function spaceNamed(wanted: string, signal: Signal): Promise<SpaceEntry> {
    if (/^~?[A-Za-z0-9_-]+$/u.test(wanted)) {
      const query = { keys: wanted, "description-format": "plain" };
      const found = await readAll(rest, `${v2}/spaces`, { item: spaceEntry, query, signal });
      if (found[0] !== undefined) return found[0];
    }
    return findSpace(await allSpaces(signal), wanted);
  }

  const spaceById = async (id: string, signal: Signal): Promise<SpaceEntry> =>
    parseAnswer(spaceEntry, await rest.get(`${v2}/spaces/${encodeURIComponent(id)}`, { signal }), "a space");

  async function readPage(id: string, signal: Signal): Promise<CloudPage> {
    // Ids are numbers; anything else, such as "..", would change the path.
    if (!/^\d+$/u.test(id)) throw pageNotFound(id);
    const path = `${v2}/pages/${id}`;
    const query = { "body-format": "atlas_doc_format", "include-labels": true };
    try {
      return parseAnswer(cloudPage, await rest.get(path, { query, signal }), "the page");
    } catch (error) {
      throw isFailure(error, "not_found") ? pageNotFound(id) : error;
    }
  }

  /** Version 2 answers name people by account id only. Names are a nicety: without them ids are shown. */
  async function people(
    ids: readonly (string | null | undefined)[],
    signal: Signal,
  ): Promise<(id: string | null | undefined) => Person | null> {
    const accountIds = [...new Set(ids.filter((id) => typeof id === "string" && id !== ""))];
    const names = new Map<string, string>();
    for (let start = 0; start < accountIds.length; start += 100) {
      try {
        const body = { accountIds: accountIds.slice(start, start + 100) };
        const users = parseAnswer(
          cloudUsers,
          await rest.post(`${v2}/users-bulk`, body, { signal }),
          "people",
        );
        for (const { accountId, displayName, publicName } of users.results) {
          const name = displayName || publicName;
          if (name) names.set(accountId, name);
        }
      } catch (error) {
        if (signal?.aborted === true || !(error instanceof ToolFailure)) throw error;
      }
    }
    return (id) => (id ? { id, name: names.get(id) ?? id } : null);
  }

  /** After a write nothing may fail any more, lest the change be taken for undone. */
  async function written(page: CloudPage, space: SpaceEntry): Promise<PageSummary> {
    return summaryOf(page, space, await people([page.version.authorId], undefined));
  }

  function summaryOf(
    page: CloudPage,
    space: SpaceEntry,
    person: (id: string | null | undefined) => Person | null,
  ): PageSummary {
    return {
      id: page.id,
      title: page.title,
      space: { key: space.key, name: space.name },
      updated: isoTime(page.version.createdAt),
      updated_by: person(page.version.authorId),
      url: `${page._links?.base ?? siteUrl}${page._links?.webui ?? `/spaces/${space.key}/pages/${page.id}`}`,
      excerpt: excerptOf(plainText(documentOf(page.body))),
    };
  }

  async function titleHolder(spaceId: string, title: string, signal: Signal): Promise<CloudPage | undefined> {
    const query = { "space-id": spaceId, title, status: "current" };
    const found = await readAll(rest, `${v2}/pages`, { item: cloudPage, query, signal });
    return found[0];
  }

  return {
    async search(request, signal) {
      const space = request.space === undefined ? undefined : await spaceNamed(request.space, signal);
      return searchByCql(rest, { path: "/wiki/rest/api/search", request, space, siteUrl, signal });
    },

    async page(id, signal) {
      const page = await readPage(id, signal);
      const path = `${v2}/pages/${page.id}`;
      const hasParent = page.parentType === "page" && page.parentId;
      const [space, parent, children, comments] = await Promise.all([
        spaceById(page.spaceId, signal),
        hasParent ? readParent(page.parentId ?? "", signal) : null,
        readAll(rest, `${path}/direct-children`, { item: cloudChild, signal }),
        readAll(rest, `${path}/footer-comments`, {
          item: cloudComment,
          query: { "body-format": "atlas_doc_format" },
          signal,
        }),
      ]);
      const person = await people(
        [page.authorId, page.version.authorId, ...comments.map(({ version }) => version.authorId)],
        signal,
      );
      return {
        ...summaryOf(page, space, person),
        version: page.version.number,
        created: isoTime(page.createdAt),
        created_by: person(page.authorId),
        parent,
        children: children
          .filter(({ type }) => type === undefined || type === "page")
          .map((child) => ({
            id: child.id,
            title: child.title,
            url: `${siteUrl}/spaces/${space.key}/pages/${child.id}`,
          })),
        labels: (page.labels?.results ?? []).map(({ name }) => name),
        body: fromAdf(documentOf(page.body)),
        comments: comments.map((comment) => commentOf(comment, person)),
      };

      async function readParent(parentId: string, at: Signal): Promise<{ id: string; title: string } | null> {
        try {
          const { title } = parseAnswer(
            cloudPage,
            await rest.get(`${v2}/pages/${parentId}`, { signal: at }),
            "a page",
          );
          return { id: parentId, title };
        } catch (error) {
          // A parent may be hidden from this account while the page is not.
          if (isFailure(error, "not_found") || isFailure(error, "forbidden")) return null;
          throw error;
        }
      }
    },

    async spaces(signal) {
      return (await allSpaces(signal)).map((entry) => spaceOf(entry, siteUrl));
    },

    async prepare(draft, signal): Promise<NewPage> {
      const space = await spaceNamed(draft.space, signal);
      const { key, name } = space;
      const [taken, parent] = await Promise.all([
        titleHolder(space.id, draft.title, signal),
        draft.parent_id === undefined
          ? undefined
          : readPage(draft.parent_id, signal).catch((error: unknown) => {
              if (isFailure(error, "page_not_found")) return null;
              throw error;
            }),
      ]);
      if (taken !== undefined) throw titleTaken(draft.title, space, taken);
      if (draft.parent_id !== undefined && parent?.spaceId !== space.id) {
        throw parentNotFound(draft.parent_id, space, []);
      }
      return {
        space: { key, name },
        title: draft.title,
        body: draft.body,
        parent: parent ? { id: parent.id, title: parent.title } : null,
      };
    },

    async create(page, signal) {
      const space = await spaceNamed(page.space.key, signal);
      const made = await rest.post(
        `${v2}/pages`,
        {
          spaceId: space.id,
          status: "current",
          title: page.title,
          ...(page.parent === null ? {} : { parentId: page.parent.id }),
          body: bodyFor(page.body),
        },
        { signal },
      );
      return written(withText(parseAnswer(cloudPage, made, "the new page"), page.body), space);
    },

    async update(id, change, signal) {
      const page = await readPage(id, signal);
      const conflict = (current: number): ToolFailure => versionConflict(page, change.version, current);
      if (page.version.number !== change.version) throw conflict(page.version.number);
      const body =
        change.body === undefined
          ? { representation: "atlas_doc_format", value: storedText(page.body?.atlas_doc_format) }
          : bodyFor(change.body);
      const space = await spaceById(page.spaceId, signal);
      const next = {
        id: page.id,
        status: "current",
        title: change.title ?? page.title,
        body,
        version: { number: change.version + 1 },
      };
      try {
        const path = `${v2}/pages/${page.id}`;
        const changed = parseAnswer(cloudPage, await rest.put(path, next, { signal }), "the page");
        return await written({ ...changed, body: { atlas_doc_format: body } }, space);
      } catch (error) {
        if (!isFailure(error, "conflict")) throw error;
        // Somebody was faster between the read and the write.
        const now = await readPage(id, signal);
        throw now.version.number === change.version ? error : conflict(now.version.number);
      }
    },

    async comment(id, markdown, signal) {
      const page = await readPage(id, signal);
      const body = { pageId: page.id, body: bodyFor(markdown) };
      const made = parseAnswer(
        cloudComment,
        await rest.post(`${v2}/footer-comments`, body, { signal }),
        "the comment",
      );
      const person = await people([made.version.authorId], undefined);
      const link = made._links?.webui ?? `${page._links?.webui ?? ""}?focusedCommentId=${made.id}`;
      return {
        comment: { ...commentOf(made, person), body: markdown },
        url: `${made._links?.base ?? page._links?.base ?? siteUrl}${link}`,
      };
    },

    async remove(id, signal) {
      const page = await readPage(id, signal);
      await rest.delete(`${v2}/pages/${page.id}`, { signal });
    },
  };
}

/** The document is sent and answered as JSON inside a text. */
function bodyFor(markdown: string): { representation: string; value: string } {
  return { representation: "atlas_doc_format", value: JSON.stringify(toAdf(markdown)) };
}

function documentOf(body: CloudPage["body"]): unknown {
  const value = body?.atlas_doc_format?.value;
  if (value === undefined) return null;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** The answer to a write has no body; the excerpt comes from what was sent. */
function withText(page: CloudPage, markdown: string): CloudPage {
  return { ...page, body: { atlas_doc_format: { value: bodyFor(markdown).value } } };
}

function commentOf(comment: CloudComment, person: (id: string | null | undefined) => Person | null): Comment {
  return {
    id: comment.id,
    author: person(comment.version.authorId),
    created: isoTime(comment.version.createdAt),
    body: fromAdf(documentOf(comment.body)),
  };
}

/**
 * The parts that are read of answers of the Confluence Cloud REST API, version 2.
 * https://developer.atlassian.com/cloud/confluence/rest/v2/
 */
interface Version {
  createdAt: string;
  number: number;
  authorId?: string | null | undefined;
}

interface Body {
  atlas_doc_format?: { value: string } | undefined;
}

interface Links {
  webui?: string | undefined;
  base?: string | undefined;
}

interface CloudPage {
  id: string;
  title: string;
  spaceId: string;
  parentId?: string | null | undefined;
  parentType?: string | null | undefined;
  authorId?: string | null | undefined;
  createdAt: string;
  version: Version;
  /** Without content unless `body-format` was asked for. */
  body?: Body | null | undefined;
  labels?: { results: { name: string }[] } | undefined;
  _links?: Links | undefined;
}

interface CloudChild {
  id: string;
  title: string;
  type?: string | undefined;
}

interface CloudComment {
  id: string;
  version: Version;
  body?: Body | null | undefined;
  _links?: Links | undefined;
}

interface CloudUsers {
  results: {
    accountId: string;
    displayName?: string | null | undefined;
    publicName?: string | null | undefined;
  }[];
}

const version = z.object({
  createdAt: z.string(),
  number: z.number(),
  authorId: z.string().nullish(),
});

const body = z.object({ atlas_doc_format: z.object({ value: z.string() }).optional() }).nullish();

const links = z.object({ webui: z.string().optional(), base: z.string().optional() }).optional();

const cloudPage: z.ZodType<CloudPage> = z.object({
  id: z.string(),
  title: z.string(),
  spaceId: z.string(),
  parentId: z.string().nullish(),
  parentType: z.string().nullish(),
  authorId: z.string().nullish(),
  createdAt: z.string(),
  version,
  body,
  labels: z.object({ results: z.array(z.object({ name: z.string() })) }).optional(),
  _links: links,
});

const cloudChild: z.ZodType<CloudChild> = z.object({
  id: z.string(),
  title: z.string(),
  type: z.string().optional(),
});

const cloudComment: z.ZodType<CloudComment> = z.object({
  id: z.string(),
  version,
  body,
  _links: links,
});

const cloudUsers: z.ZodType<CloudUsers> = z.object({
  results: z.array(
    z.object({
      accountId: z.string(),
      displayName: z.string().nullish(),
      publicName: z.string().nullish(),
    }),
  ),
});
