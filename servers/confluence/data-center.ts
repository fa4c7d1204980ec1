import { z } from "zod";

import { plainText } from "../kit/adf-document.ts";
import { createRest } from "../kit/rest.ts";
import type { ToolFailure } from "../kit/tool.ts";
import {
  isFailure,
  isoTime,
  knownUser,
  parseAnswer,
  personOf,
  readAll,
  searchByCql,
  spaceEntry,
  type SpaceEntry,
  spaceOf,
  storedText,
} from "./remote.ts";
import { fromStorage, storageToAdf, toStorage } from "./storage.ts";
import {
  type Comment,
  findSpace,
  type NewPage,
  pageNotFound,
  type PageSummary,
  parentNotFound,
  titleTaken,
  versionConflict,
  type Wiki,
} from "./wiki.ts";
import { excerptOf } from "./words.ts";

export interface DataCenterOptions {
  /** With the context path if there is one: `https://wiki.acme.org/confluence`. */
  url: string;
  /** A personal access token. */
  token: string;
}

/**
 * The parts that are read of content.
 * https://developer.atlassian.com/server/confluence/confluence-server-rest-api/
 */
const content = z.object({
  id: z.coerce.string(),
  type: z.string().optional(),
  title: z.string(),
  space: z.object({ key: z.string(), name: z.string() }).optional(),
  version: z.object({ number: z.number(), when: z.string(), by: knownUser.nullish() }),
  history: z.object({ createdDate: z.string().optional(), createdBy: knownUser.nullish() }).optional(),
  ancestors: z.array(z.object({ id: z.coerce.string(), title: z.string() })).optional(),
  metadata: z
    .object({ labels: z.object({ results: z.array(z.object({ name: z.string() })) }).optional() })
    .optional(),
  body: z.object({ storage: z.object({ value: z.string() }).optional() }).optional(),
  _links: z.object({ webui: z.string().optional() }).optional(),
});

type Content = z.infer<typeof content>;

const childEntry = z.object({
  id: z.coerce.string(),
  title: z.string(),
  _links: z.object({ webui: z.string().optional() }).optional(),
});

type Signal = AbortSignal | undefined;

const CONTENT = "/rest/api/content";

const EXPAND = "space,version,history,ancestors,metadata.labels,body.storage";

/** Confluence Data Center and Server: REST version 1 with the storage format. */
export function openDataCenterWiki(options: DataCenterOptions): Wiki {
  const rest = createRest({
    service: "Confluence",
    baseUrl: options.url,
    auth: { kind: "bearer", token: options.token },
  });
  const siteUrl = rest.baseUrl;

  const allSpaces = (signal: Signal): Promise<SpaceEntry[]> =>
    readAll(rest, "/rest/api/space", {
      item: spaceEntry,
      query: { expand: "description.plain", status: "current" },
      signal,
    });

  async function spaceNamed(wanted: string, signal: Signal): Promise<SpaceEntry> {
    if (/^~?[A-Za-z0-9._-]+$/u.test(wanted)) {
      const query = { spaceKey: wanted, expand: "description.plain" };
      const found = await readAll(rest, "/rest/api/space", { item: spaceEntry, query, signal });
      if (found[0] !== undefined) return found[0];
    }
    return findSpace(await allSpaces(signal), wanted);
  }

  async function readContent(id: string, signal: Signal): Promise<Content> {
    // Ids are numbers; anything else, such as "..", would change the path.
    if (!/^\d+$/u.test(id)) throw pageNotFound(id);
    try {
      const path = `${CONTENT}/${id}`;
      const query = { expand: EXPAND };
      return parseAnswer(content, await rest.get(path, { query, signal }), "the page");
    } catch (error) {
      throw isFailure(error, "not_found") ? pageNotFound(id) : error;
    }
  }

  function summaryOf(page: Content): PageSummary {
    return {
      id: page.id,
      title: page.title,
      space: page.space ?? { key: "", name: "" },
      updated: isoTime(page.version.when),
      updated_by: personOf(page.version.by),
      url: urlOf(page),
      excerpt: excerptOf(plainText(storageToAdf(page.body?.storage?.value ?? ""))),
    };
  }

  const urlOf = (page: { id: string; _links?: { webui?: string | undefined } | undefined }): string =>
    `${siteUrl}${page._links?.webui ?? `/pages/viewpage.action?pageId=${page.id}`}`;

  return {
    async search(request, signal) {
      const space = request.space === undefined ? undefined : await spaceNamed(request.space, signal);
      return searchByCql(rest, { path: "/rest/api/search", request, space, siteUrl, signal });
    },

    async page(id, signal) {
      const page = await readContent(id, signal);
      const path = `${CONTENT}/${page.id}/child`;
      const [children, comments] = await Promise.all([
        readAll(rest, `${path}/page`, { item: childEntry, signal }),
        readAll(rest, `${path}/comment`, {
          item: content,
          query: { expand: "body.storage,version,history", location: "footer" },
          signal,
        }),
      ]);
      const parent = page.ancestors?.at(-1);
      return {
        ...summaryOf(page),
        version: page.version.number,
        created: isoTime(page.history?.createdDate ?? page.version.when),
        created_by: personOf(page.history?.createdBy),
        parent: parent === undefined ? null : { id: parent.id, title: parent.title },
        children: children.map((child) => ({ id: child.id, title: child.title, url: urlOf(child) })),
        labels: (page.metadata?.labels?.results ?? []).map(({ name }) => name),
        body: fromStorage(page.body?.storage?.value ?? ""),
        comments: comments.map(commentOf),
      };
    },

    async spaces(signal) {
      return (await allSpaces(signal)).map((entry) => spaceOf(entry, siteUrl));
    },

    async prepare(draft, signal): Promise<NewPage> {
      const space = await spaceNamed(draft.space, signal);
      const query = { spaceKey: space.key, title: draft.title, type: "page" };
      const item = z.object({ id: z.coerce.string(), title: z.string() });
      const [taken] = await readAll(rest, CONTENT, { item, query, signal });
      if (taken !== undefined) throw titleTaken(draft.title, space, taken);
      const page = { space: { key: space.key, name: space.name }, title: draft.title, body: draft.body };
      if (draft.parent_id === undefined) return { ...page, parent: null };
      const parent = await readContent(draft.parent_id, signal).catch((error: unknown) => {
        if (isFailure(error, "page_not_found")) return undefined;
        throw error;
      });
      if (parent?.space?.key !== space.key) throw parentNotFound(draft.parent_id, space, []);
      return { ...page, parent: { id: parent.id, title: parent.title } };
    },

    async create(page, signal) {
      const body = {
        type: "page",
        title: page.title,
        space: { key: page.space.key },
        ...(page.parent === null ? {} : { ancestors: [{ id: page.parent.id }] }),
        body: bodyFor(toStorage(page.body)),
      };
      const made = await rest.post(CONTENT, body, { query: { expand: EXPAND }, signal });
      return { ...summaryOf(parseAnswer(content, made, "the new page")), space: page.space };
    },

    async update(id, change, signal) {
      const page = await readContent(id, signal);
      const conflict = (now: number): ToolFailure => versionConflict(page, change.version, now);
      if (page.version.number !== change.version) throw conflict(page.version.number);
      const next = {
        type: "page",
        title: change.title ?? page.title,
        body: bodyFor(change.body === undefined ? storedText(page.body?.storage) : toStorage(change.body)),
        version: { number: change.version + 1 },
      };
      try {
        const path = `${CONTENT}/${page.id}`;
        const changed = await rest.put(path, next, { query: { expand: EXPAND }, signal });
        return summaryOf(parseAnswer(content, changed, "the page"));
      } catch (error) {
        if (!isFailure(error, "conflict")) throw error;
        // Somebody was faster between the read and the write.
        const now = await readContent(id, signal);
        throw now.version.number === change.version ? error : conflict(now.version.number);
      }
    },

    async comment(id, markdown, signal) {
      const page = await readContent(id, signal);
      const made = parseAnswer(
        content,
        await rest.post(
          CONTENT,
          {
            type: "comment",
            container: { id: page.id, type: "page" },
            body: bodyFor(toStorage(markdown)),
          },
          { query: { expand: "version,history" }, signal },
        ),
        "the comment",
      );
      const link = made._links?.webui;
      return {
        comment: { ...commentOf(made), body: markdown },
        url: link === undefined ? `${urlOf(page)}#comment-${made.id}` : `${siteUrl}${link}`,
      };
    },

    async remove(id, signal) {
      const page = await readContent(id, signal);
      await rest.delete(`${CONTENT}/${page.id}`, { signal });
    },
  };
}

function bodyFor(value: string): object {
  return { storage: { value, representation: "storage" } };
}

function commentOf(comment: Content): Comment {
  return {
    id: comment.id,
    author: personOf(comment.history?.createdBy ?? comment.version.by),
    created: isoTime(comment.history?.createdDate ?? comment.version.when),
    body: fromStorage(comment.body?.storage?.value ?? ""),
  };
}
