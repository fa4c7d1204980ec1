import { z } from "zod";

import { plainText } from "../kit/adf-document.ts";
import { toAdf } from "../kit/adf-from-markdown.ts";
import { fromAdf } from "../kit/adf-to-markdown.ts";
import type { Person } from "../kit/names.ts";
import { createRest } from "../kit/rest.ts";
import { isFailure, isoTime, ToolFailure } from "../kit/tool.ts";
import {
  findRemoteSpace,
  knownPerson,
  openRemoteWiki,
  parseAnswer,
  quote,
  readAll,
  spaceEntry,
  type SpaceEntry,
  storedText,
} from "./remote.ts";
import type { Comment, PageRef, PageSummary } from "./schemas.ts";
import { rowsIn, withRowsInAdf } from "./table-rows.ts";
import { withMoreInAdf, withMoreUnderInAdf, withTextInAdf } from "./stored-edits.ts";
import { checkEdited, type PageChange, type Wiki } from "./wiki.ts";
import { excerptOf } from "./words.ts";

interface CloudOptions {
  /** The site, with or without `/wiki`: `https://acme.atlassian.net`. */
  url: string;
  email: string;
  apiToken: string;
}

type Signal = AbortSignal | undefined;
type PersonOf = (id: string | null | undefined) => Person | null;

/** Confluence Cloud: REST version 2, and version 1 for the search, which 2 does not have. */
export function openCloudWiki(options: CloudOptions): Wiki {
  const rest = createRest({
    service: "Confluence",
    baseUrl: options.url.replace(/\/+$/u, "").replace(/\/wiki$/u, ""),
    auth: { kind: "basic", email: options.email, token: options.apiToken },
  });
  const siteUrl = `${rest.baseUrl}/wiki`;
  const v2 = "/wiki/api/v2";
  const pagesPath = `${v2}/pages`;
  const spaceKey = /^~?[A-Za-z0-9_-]+$/u;

  const spaces = (key: string | undefined, signal: Signal): Promise<SpaceEntry[]> => {
    const query = {
      ...(key === undefined ? { status: "current" } : { keys: key }),
      "description-format": "plain",
    };
    const limit = key === undefined ? 250 : 100;
    return readAll(rest, `${v2}/spaces`, { item: spaceEntry, query, limit, signal });
  };

  const spaceById = async (id: string, signal: Signal): Promise<SpaceEntry> =>
    parseAnswer(spaceEntry, await rest.get(`${v2}/spaces/${encodeURIComponent(id)}`, { signal }), "a space");

  /** Version 2 answers name people by account id only. Names are a nicety: without them ids are shown. */
  async function people(ids: readonly (string | null | undefined)[], signal: Signal): Promise<PersonOf> {
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

  /**
   * After a write nothing may fail any more, lest the change be taken for undone. The answer has no
   * body: the excerpt comes from what was sent.
   */
  async function written(page: CloudPage, body: { value: string }, space: SpaceEntry): Promise<PageSummary> {
    const person = await people([page.version.authorId], undefined);
    return summaryOf({ ...page, body: { atlas_doc_format: body } }, space, person);
  }

  function summaryOf(page: CloudPage, space: SpaceEntry, person: PersonOf): PageSummary {
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

  async function readParent(id: string, signal: Signal): Promise<PageRef | null> {
    try {
      const { title } = parseAnswer(cloudPage, await rest.get(`${pagesPath}/${id}`, { signal }), "a page");
      return { id, title };
    } catch (error) {
      // A parent may be hidden from this account while the page is not.
      if (isFailure(error, "not_found") || isFailure(error, "forbidden")) return null;
      throw error;
    }
  }

  return openRemoteWiki({
    rest,
    siteUrl,
    searchPath: "/wiki/rest/api/search",
    pagesPath,
    pageQuery: { "body-format": "atlas_doc_format", "include-labels": true },
    pageSchema: cloudPage,
    spaceKey,
    spaces,
    isIn: (page, space) => page.spaceId === space.id,

    async people(text, signal) {
      if (accountId.test(text)) return [{ id: text, name: text }];
      const query = { cql: `user.fullname ~ ${quote(text)}`, limit: 25 };
      const answer = await rest.get("/wiki/rest/api/search/user", { query, signal });
      const { results } = parseAnswer(userHits, answer, "a search for people");
      return results.map(({ user }) => user).filter((user) => user !== null);
    },

    async pageTitled(title, { id }, signal) {
      const query = { "space-id": id, title, status: "current" };
      return (await readAll(rest, pagesPath, { item: cloudPage, query, signal }))[0];
    },

    async whole(page, signal) {
      const path = `${pagesPath}/${page.id}`;
      const query = { "body-format": "atlas_doc_format" };
      const [space, parent, children, comments] = await Promise.all([
        spaceById(page.spaceId, signal),
        page.parentType === "page" && page.parentId ? readParent(page.parentId, signal) : null,
        readAll(rest, `${path}/direct-children`, { item: cloudChild, signal }),
        readAll(rest, `${path}/footer-comments`, { item: cloudComment, query, signal }),
      ]);
      const authors = comments.map(({ version }) => version.authorId);
      const person = await people([page.authorId, page.version.authorId, ...authors], signal);
      return {
        ...summaryOf(page, space, person),
        version: page.version.number,
        created: isoTime(page.createdAt),
        created_by: person(page.authorId),
        parent,
        children: children
          .filter(({ type }) => type === undefined || type === "page")
          .map(({ id, title }) => ({ id, title, url: `${siteUrl}/spaces/${space.key}/pages/${id}` })),
        labels: (page.labels?.results ?? []).map(({ name }) => name),
        body: fromAdf(documentOf(page.body)),
        comments: comments.map((comment) => commentOf(comment, person)),
      };
    },

    async create({ space: { key }, title, body: markdown, parent }, signal) {
      const space = await findRemoteSpace({ spaceKey, spaces }, key, signal);
      const body = bodyFor(markdown);
      const parentId = parent === null ? {} : { parentId: parent.id };
      const page = { spaceId: space.id, status: "current", title, ...parentId, body };
      const made = parseAnswer(cloudPage, await rest.post(pagesPath, page, { signal }), "the new page");
      return written(made, body, space);
    },

    async update(page, change, signal) {
      const body = change.body === undefined ? storedBody(page.body, change) : bodyFor(change.body);
      const space = await spaceById(page.spaceId, signal);
      const next = {
        id: page.id,
        status: "current",
        title: change.title ?? page.title,
        body,
        version: { number: change.version + 1 },
      };
      const answer = await rest.put(`${pagesPath}/${page.id}`, next, { signal });
      return written(parseAnswer(cloudPage, answer, "the page"), body, space);
    },

    async comment(page, markdown, signal) {
      const body = { pageId: page.id, body: bodyFor(markdown) };
      const answer = await rest.post(`${v2}/footer-comments`, body, { signal });
      const made = parseAnswer(cloudComment, answer, "the comment");
      const person = await people([made.version.authorId], undefined);
      const link = made._links?.webui ?? `${page._links?.webui ?? ""}?focusedCommentId=${made.id}`;
      return {
        comment: { ...commentOf(made, person), body: markdown },
        url: `${made._links?.base ?? page._links?.base ?? siteUrl}${link}`,
      };
    },
  });
}

/** The document is sent and answered as JSON inside a text. */
function bodyFor(markdown: string): { representation: string; value: string } {
  return { representation: "atlas_doc_format", value: JSON.stringify(toAdf(markdown)) };
}

/** The text that is there, to the letter, with what changes of it: also what Markdown has no words for stays. */
function storedBody(body: CloudPage["body"], change: PageChange): ReturnType<typeof bodyFor> {
  const representation = "atlas_doc_format";
  const value = storedText(body?.atlas_doc_format);
  if (change.append === undefined && change.passage === undefined) return { representation, value };
  const stored = storedDocument.safeParse(documentOf(body));
  if (!stored.success)
    throw new ToolFailure(
      "invalid_answer",
      "Confluence answered the page's text in a form that nothing can be added to: send the whole body instead",
    );
  const content = edited(stored.data.content, change);
  checkEdited(fromAdf(stored.data), fromAdf({ ...stored.data, content }), change);
  return { representation, value: JSON.stringify({ ...stored.data, content }) };
}

function edited(
  blocks: readonly unknown[],
  { append = "", under, passage, replacement }: PageChange,
): readonly unknown[] {
  if (passage !== undefined) return withTextInAdf(blocks, passage, replacement ?? "");
  if (under !== undefined) return withMoreUnderInAdf(blocks, under, append);
  const rows = rowsIn(append);
  if (rows === undefined) return withMoreInAdf(blocks, append);
  return withRowsInAdf(blocks, fromAdf({ type: "doc", content: blocks }), rows);
}

const storedDocument = z.looseObject({ content: z.array(z.unknown()) });

function documentOf(body: CloudPage["body"]): unknown {
  const value = body?.atlas_doc_format?.value;
  if (value === undefined) return null;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function commentOf(comment: CloudComment, person: PersonOf): Comment {
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
const version = z.object({ createdAt: z.string(), number: z.number(), authorId: z.string().nullish() });

/** Without content unless `body-format` was asked for. */
const body = z.object({ atlas_doc_format: z.object({ value: z.string() }).optional() }).nullish();

const links = z.object({ webui: z.string().optional(), base: z.string().optional() }).optional();

const cloudPage = z.object({
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

type CloudPage = z.infer<typeof cloudPage>;

const cloudChild = z.object({ id: z.string(), title: z.string(), type: z.string().optional() });

const cloudComment = z.object({ id: z.string(), version, body, _links: links });

type CloudComment = z.infer<typeof cloudComment>;

/** 24 hexadecimal digits, or digits, a colon and more. */
const accountId = /^(?:[0-9a-f]{24}|\d+:[0-9a-f-]+)$/iu;

const userHits = z.object({ results: z.array(z.object({ user: knownPerson })) });

const cloudUsers = z.object({
  results: z.array(
    z.object({
      accountId: z.string(),
      displayName: z.string().nullish(),
      publicName: z.string().nullish(),
    }),
  ),
});
