import { z } from "zod";

import { plainText } from "../kit/adf-document.ts";
import { createRest } from "../kit/rest.ts";
import { isFailure, isoTime } from "../kit/tool.ts";
import { knownPerson, openRemoteWiki, parseAnswer, readAll, spaceEntry, storedText } from "./remote.ts";
import { fromStorage, storageToAdf, toStorage } from "./storage.ts";
import type { Comment, PageSummary } from "./schemas.ts";
import { rowsIn, withRowsInStorage } from "./table-rows.ts";
import { withMoreInStorage, withMoreUnderInStorage, withTextInStorage } from "./stored-edits.ts";
import { checkEdited, type PageChange, type Wiki } from "./wiki.ts";
import { excerptOf } from "./words.ts";

interface DataCenterOptions {
  /** With the context path if there is one: `https://wiki.acme.org/confluence`. */
  url: string;
  /** A personal access token. */
  token: string;
}

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

  function summaryOf(page: Content): PageSummary {
    return {
      id: page.id,
      title: page.title,
      space: page.space ?? { key: "", name: "" },
      updated: isoTime(page.version.when),
      updated_by: page.version.by,
      url: urlOf(page),
      excerpt: excerptOf(plainText(storageToAdf(page.body?.storage?.value ?? ""))),
    };
  }

  const urlOf = (page: { id: string; _links?: { webui?: string | undefined } | undefined }): string =>
    `${siteUrl}${page._links?.webui ?? `/pages/viewpage.action?pageId=${page.id}`}`;

  return openRemoteWiki({
    rest,
    siteUrl,
    searchPath: "/rest/api/search",
    pagesPath: CONTENT,
    pageQuery: { expand: EXPAND },
    pageSchema: content,
    spaceKey: /^~?[A-Za-z0-9._-]+$/u,
    spaces(key, signal) {
      const wanted = key === undefined ? { status: "current" } : { spaceKey: key };
      const query = { expand: "description.plain", ...wanted };
      return readAll(rest, "/rest/api/space", { item: spaceEntry, query, signal });
    },
    isIn: (page, space) => page.space?.key === space.key,

    async people(text, signal) {
      const query = { username: text };
      const user = await rest.get("/rest/api/user", { query, signal }).catch((error: unknown) => {
        if (isFailure(error, "not_found")) return undefined;
        throw error;
      });
      const named = parseAnswer(knownPerson, user, "a person");
      if (named !== null) return [named];
      // There is no search for people by name: those who may use the wiki are read instead.
      const members = await readAll(rest, "/rest/api/group/confluence-users/member", {
        item: knownPerson,
        limit: 200,
        signal,
      });
      return members.filter((member) => member !== null);
    },

    async pageTitled(title, { key }, signal) {
      const query = { spaceKey: key, title, type: "page" };
      return (await readAll(rest, CONTENT, { item: pageRef, query, signal }))[0];
    },

    async whole(page, signal) {
      const path = `${CONTENT}/${page.id}/child`;
      const query = { expand: "body.storage,version,history", location: "footer" };
      const [children, comments] = await Promise.all([
        readAll(rest, `${path}/page`, { item: childEntry, signal }),
        readAll(rest, `${path}/comment`, { item: content, query, signal }),
      ]);
      const parent = page.ancestors?.at(-1);
      return {
        ...summaryOf(page),
        version: page.version.number,
        created: isoTime(page.history?.createdDate ?? page.version.when),
        created_by: page.history?.createdBy ?? null,
        parent: parent ?? null,
        children: children.map((child) => ({ id: child.id, title: child.title, url: urlOf(child) })),
        labels: (page.metadata?.labels?.results ?? []).map(({ name }) => name),
        body: fromStorage(page.body?.storage?.value ?? ""),
        comments: comments.map(commentOf),
      };
    },

    async create({ title, space, parent, body: markdown }, signal) {
      const ancestors = parent === null ? {} : { ancestors: [{ id: parent.id }] };
      const body = bodyFor(toStorage(markdown));
      const page = { type: "page", title, space: { key: space.key }, ...ancestors, body };
      const made = await rest.post(CONTENT, page, { query: { expand: EXPAND }, signal });
      return { ...summaryOf(parseAnswer(content, made, "the new page")), space };
    },

    async update(page, change, signal) {
      // What is there stays to the letter, with the macros that Markdown has no words for.
      const stored = change.body === undefined ? storedText(page.body?.storage) : toStorage(change.body);
      const after = edited(stored, change);
      checkEdited(fromStorage(stored), fromStorage(after), change);
      const next = {
        type: "page",
        title: change.title ?? page.title,
        body: bodyFor(after),
        version: { number: change.version + 1 },
      };
      const changed = await rest.put(`${CONTENT}/${page.id}`, next, { query: { expand: EXPAND }, signal });
      return summaryOf(parseAnswer(content, changed, "the page"));
    },

    async comment(page, markdown, signal) {
      const container = { id: page.id, type: "page" };
      const comment = { type: "comment", container, body: bodyFor(toStorage(markdown)) };
      const query = { expand: "version,history" };
      const made = parseAnswer(content, await rest.post(CONTENT, comment, { query, signal }), "the comment");
      const link = made._links?.webui;
      return {
        comment: { ...commentOf(made), body: markdown },
        url: link === undefined ? `${urlOf(page)}#comment-${made.id}` : `${siteUrl}${link}`,
      };
    },
  });
}

function edited(stored: string, { append, under, passage, replacement }: PageChange): string {
  if (passage !== undefined) return withTextInStorage(stored, passage, replacement ?? "");
  if (append === undefined) return stored;
  if (under !== undefined) return withMoreUnderInStorage(stored, under, append);
  const rows = rowsIn(append);
  return rows === undefined ? withMoreInStorage(stored, append) : withRowsInStorage(stored, rows);
}

function bodyFor(value: string): object {
  return { storage: { value, representation: "storage" } };
}

function commentOf({ id, version, history, body }: Content): Comment {
  return {
    id,
    author: history?.createdBy ?? version.by,
    created: isoTime(history?.createdDate ?? version.when),
    body: fromStorage(body?.storage?.value ?? ""),
  };
}

const pageRef = z.object({ id: z.coerce.string(), title: z.string() });

const links = z.object({ webui: z.string().optional() }).optional();

const childEntry = pageRef.extend({ _links: links });

/**
 * The parts that are read of content.
 * https://developer.atlassian.com/server/confluence/confluence-server-rest-api/
 */
const content = z.object({
  id: z.coerce.string(),
  type: z.string().optional(),
  title: z.string(),
  space: z.object({ key: z.string(), name: z.string() }).optional(),
  version: z.object({ number: z.number(), when: z.string(), by: knownPerson }),
  history: z.object({ createdDate: z.string().optional(), createdBy: knownPerson }).optional(),
  ancestors: z.array(pageRef).optional(),
  metadata: z
    .object({ labels: z.object({ results: z.array(z.object({ name: z.string() })) }).optional() })
    .optional(),
  body: z.object({ storage: z.object({ value: z.string() }).optional() }).optional(),
  _links: links,
});

type Content = z.infer<typeof content>;
