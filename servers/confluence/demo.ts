import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import MiniSearch, { type SearchResult } from "minisearch";
import { parse } from "yaml";
import { z } from "zod";

import { plainText } from "../kit/adf-document.ts";
import { toAdf } from "../kit/adf-from-markdown.ts";
import { openJsonStore } from "../kit/data.ts";
import { foldName, isMe, type Person, pickPerson } from "../kit/names.ts";
import { ToolFailure } from "../kit/tool.ts";
import type { PageFilter } from "./arguments.ts";
import type { Page, PageRef, PageSummary, SearchAnswer } from "./schemas.ts";
import {
  badCursor,
  changedBody,
  fromCursor,
  toCursor,
  findSpace,
  type NewPage,
  orderOf,
  pageNotFound,
  parentNotFound,
  titleTaken,
  versionConflict,
  type Wiki,
} from "./wiki.ts";
import { excerptOf, hasSearchWords, searchTermOf, tokenize } from "./words.ts";

export interface DemoOptions {
  /** Where changes are kept. Several processes may use it at once. */
  dataFolder: string;
  /** The id of the person who writes. */
  user: string;
  /** The present, for tests. */
  now?: () => Date;
}

const WIKI_URL = "https://wiki.example.com";

/** A wiki of its own, filled from the files in `demo/`. */
export function openDemoWiki(options: DemoOptions): Wiki {
  const now = options.now ?? (() => new Date());
  const store = openJsonStore<DemoState>(join(options.dataFolder, "confluence.json"), () =>
    readSeed(join(import.meta.dirname, "demo")),
  );
  let indexed: { state: DemoState; index: PageIndex } | undefined;

  function indexOf(state: DemoState): PageIndex {
    if (indexed?.state !== state) indexed = { state, index: indexPages(state.pages) };
    return indexed.index;
  }

  return {
    self: options.user,
    async search(request): Promise<SearchAnswer> {
      const state = store.read();
      const { query } = request;
      if (query !== undefined && !hasSearchWords(query)) {
        throw new ToolFailure(
          "nothing_to_search",
          `query: expected at least one word to look for, such as "deploy rollback", got "${query}"`,
        );
      }
      const index = indexOf(state);
      const fitting = pagesFor(request, state, options.user).map(({ id }) => id);
      const best = query === undefined ? fitting : index.find(query, new Set(fitting));
      const ids = orderOf(request) === undefined ? best : fitting.filter((id) => best.includes(id));
      const offset = offsetOf(fromCursor(request), request.cursor ?? "");
      const results = ids.slice(offset, offset + request.limit).map((id) => ({
        ...summary(state, pageOf(state, id)),
        excerpt: index.excerpt(id, query),
      }));
      const next = offset + request.limit;
      return {
        results,
        total: ids.length,
        next_cursor: next < ids.length ? toCursor(request, String(next)) : null,
      };
    },

    async page(id) {
      const state = store.read();
      return fullPage(state, pageOf(state, id));
    },

    async spaces() {
      const state = store.read();
      return state.spaces.map((space) => ({
        ...space,
        pages: state.pages.filter((page) => page.space === space.key).length,
        url: `${WIKI_URL}/spaces/${space.key}`,
      }));
    },

    async prepare(draft) {
      const state = store.read();
      const { key, name } = findSpace(state.spaces, draft.space);
      const page: NewPage = {
        space: { key, name },
        title: draft.title,
        body: draft.body,
        parent: parentOf(state, draft.parent_id, { key, name }),
      };
      refuseTakenTitle(state, page.space.key, page.title);
      return page;
    },

    async create(page) {
      return store.update((state) => {
        refuseTakenTitle(state, page.space.key, page.title);
        const parent = parentOf(state, page.parent?.id, page.space);
        const at = now().toISOString();
        const made: DemoPage = {
          id: String(state.nextId++),
          space: page.space.key,
          title: page.title,
          parent: parent?.id ?? null,
          labels: [],
          created: at,
          created_by: options.user,
          updated: at,
          updated_by: options.user,
          version: 1,
          body: page.body,
          comments: [],
          history: [],
        };
        state.pages.push(made);
        return summary(state, made);
      });
    },

    async update(id, change) {
      return store.update((state) => {
        const page = pageOf(state, id);
        if (page.version !== change.version) {
          throw versionConflict(page, change.version, page.version);
        }
        if (change.title !== undefined) refuseTakenTitle(state, page.space, change.title, page.id);
        const changed = changedBody(page.body, change);
        const { version, updated, updated_by, title, body } = page;
        page.history.push({ version, at: updated, by: updated_by, title, body });
        page.title = change.title ?? page.title;
        page.body = changed;
        page.version += 1;
        page.updated = now().toISOString();
        page.updated_by = options.user;
        return summary(state, page);
      });
    },

    async comment(id, body) {
      return store.update((state) => {
        const page = pageOf(state, id);
        const comment = {
          id: String(state.nextId++),
          author: options.user,
          created: now().toISOString(),
          body,
        };
        page.comments.push(comment);
        return {
          comment: { ...comment, author: person(state, options.user) },
          url: `${urlOf(page)}?focusedCommentId=${comment.id}`,
        };
      });
    },

    async remove(id) {
      store.update((state) => {
        const page = pageOf(state, id);
        state.pages = state.pages.filter((other) => other !== page);
        // As in Confluence: the children of a deleted page move up to its parent.
        for (const child of state.pages) if (child.parent === page.id) child.parent = page.parent;
      });
    },
  };
}

/** The pages that meet all conditions but the query, sorted. */
function pagesFor(filter: PageFilter, state: DemoState, me: string): DemoPage[] {
  const { author, labels = [], created_after: created = "", updated_after: updated = "" } = filter;
  const space = filter.space === undefined ? undefined : findSpace(state.spaces, filter.space).key;
  const people = Object.keys(state.people).map((id) => person(state, id));
  const by = author === undefined ? undefined : isMe(author) ? me : pickPerson(author, people).id;
  const found = state.pages.filter(
    (page) =>
      (space === undefined || page.space === space) &&
      (filter.title === undefined || isTitled(page.title, filter.title)) &&
      labels.every((label) => page.labels.some((one) => one.toLowerCase() === label.toLowerCase())) &&
      (by === undefined || page.created_by === by) &&
      page.created >= created &&
      page.updated >= updated,
  );
  const order = orderOf(filter) ?? { by: "updated", descending: true };
  const up = found.toSorted((a, b) => a[order.by].localeCompare(b[order.by], "en"));
  return order.descending ? up.toReversed() : up;
}

/** Whether a title is the wanted one, or has all its words. */
function isTitled(title: string, wanted: string): boolean {
  const [own, words] = [title, wanted].map((text) => tokenize(text).map(searchTermOf));
  const telling = words?.filter((word) => word !== undefined) ?? [];
  const hasAll = telling.length > 0 && telling.every((word) => own?.includes(word));
  return hasAll || foldName(title) === foldName(wanted);
}

function offsetOf(at: string | undefined, cursor: string): number {
  if (at === undefined) return 0;
  if (!/^\d{1,9}$/u.test(at)) throw badCursor(cursor);
  return Number(at);
}

function pageOf(state: DemoState, id: string): DemoPage {
  const page = state.pages.find((candidate) => candidate.id === id);
  if (page === undefined) throw pageNotFound(id, state.pages.slice(0, 3));
  return page;
}

function parentOf(
  state: DemoState,
  id: string | undefined,
  space: { key: string; name: string },
): PageRef | null {
  if (id === undefined) return null;
  const inSpace = state.pages.filter((page) => page.space === space.key);
  const parent = inSpace.find((page) => page.id === id);
  if (parent === undefined) throw parentNotFound(id, space, inSpace.slice(0, 5));
  return { id: parent.id, title: parent.title };
}

/** Titles are unique within a space, without regard to case. */
function refuseTakenTitle(state: DemoState, space: string, title: string, except?: string): void {
  const taken = state.pages.find(
    (page) => page.space === space && page.id !== except && page.title.toLowerCase() === title.toLowerCase(),
  );
  if (taken !== undefined) throw titleTaken(title, spaceRef(state, space), taken);
}

function spaceRef(state: DemoState, key: string): { key: string; name: string } {
  return { key, name: state.spaces.find((space) => space.key === key)?.name ?? key };
}

function person(state: DemoState, id: string): Person {
  return { id, name: state.people[id] ?? id };
}

function urlOf(page: { id: string; space: string }): string {
  return `${WIKI_URL}/spaces/${page.space}/pages/${page.id}`;
}

function summary(state: DemoState, page: DemoPage): PageSummary {
  return {
    id: page.id,
    title: page.title,
    space: spaceRef(state, page.space),
    updated: page.updated,
    updated_by: person(state, page.updated_by),
    url: urlOf(page),
    excerpt: excerptOf(plainText(toAdf(page.body))),
  };
}

function fullPage(state: DemoState, page: DemoPage): Page {
  const parent = state.pages.find(({ id }) => id === page.parent);
  return {
    ...summary(state, page),
    version: page.version,
    created: page.created,
    created_by: person(state, page.created_by),
    parent: parent === undefined ? null : { id: parent.id, title: parent.title },
    children: state.pages
      .filter((child) => child.parent === page.id)
      .map((child) => ({ id: child.id, title: child.title, url: urlOf(child) })),
    labels: page.labels,
    body: page.body,
    comments: page.comments.map((comment) => ({
      ...comment,
      author: person(state, comment.author),
    })),
  };
}

interface PageIndex {
  /** The ids of those among `pages` that fit, best first. */
  find(query: string, pages: ReadonlySet<string>): string[];
  excerpt(id: string, query: string | undefined): string;
}

/**
 * Ranked search (BM25) over stems. A word of the title counts most. All words must occur; where no
 * page has them all, pages with some of them are found, and at last words with a typing error.
 */
function indexPages(pages: readonly DemoPage[]): PageIndex {
  const texts = new Map(pages.map((page) => [page.id, plainText(toAdf(page.body))]));
  const index = new MiniSearch({
    fields: ["title", "labels", "body"],
    tokenize,
    processTerm: (word) => searchTermOf(word) ?? false,
    searchOptions: { boost: { title: 8, labels: 3 } },
  });
  index.addAll(
    pages.map(({ id, title, labels }) => ({
      id,
      title,
      labels: labels.join(" "),
      body: texts.get(id),
    })),
  );
  const ways = [
    { combineWith: "AND" },
    { combineWith: "OR" },
    { combineWith: "OR", fuzzy: 0.2, prefix: true },
  ] as const;
  return {
    find(query, ids) {
      const filter = (hit: SearchResult): boolean => ids.has(String(hit.id));
      for (const way of ways) {
        const hits = index.search(query, { ...way, filter });
        if (hits.length > 0) return hits.map((hit) => String(hit.id));
      }
      return [];
    },
    excerpt: (id, query) => excerptOf(texts.get(id) ?? "", query),
  };
}

const frontSchema = z.strictObject({
  id: z.coerce.string(),
  title: z.string(),
  parent: z.coerce.string().optional(),
  labels: z.array(z.string()).default([]),
  created: z.iso.datetime(),
  created_by: z.string(),
  updated: z.iso.datetime(),
  updated_by: z.string(),
  version: z.int().min(1),
  comments: z
    .array(z.strictObject({ author: z.string(), created: z.iso.datetime(), body: z.string() }))
    .default([]),
});

const spacesSchema = z.strictObject({
  people: z.record(z.string(), z.string()),
  spaces: z.array(z.strictObject({ key: z.string(), name: z.string(), description: z.string() })),
});

/** A page as it is kept: people are ids. */
interface DemoPage extends Required<Omit<z.infer<typeof frontSchema>, "parent" | "comments">> {
  space: string;
  parent: string | null;
  body: string;
  comments: { id: string; author: string; created: string; body: string }[];
  /** What the page was before each change, oldest first. */
  history: { version: number; at: string; by: string; title: string; body: string }[];
}

/** The whole demo wiki, as it is kept in one JSON file; `people` has their names. */
interface DemoState extends z.infer<typeof spacesSchema> {
  pages: DemoPage[];
  nextId: number;
}

/** Reads the demo wiki: `spaces.yaml`, and a folder per space with a markdown file per page. */
function readSeed(folder: string): DemoState {
  const { people, spaces } = spacesSchema.parse(parse(readFileSync(join(folder, "spaces.yaml"), "utf8")));
  const pages = spaces.flatMap(({ key }) =>
    readdirSync(join(folder, key))
      .filter((name) => name.endsWith(".md"))
      .map((name) => readPage(join(folder, key, name), key)),
  );
  pages.sort((a, b) => Number(a.id) - Number(b.id));
  return { people, spaces, pages, nextId: 5000 };
}

function readPage(path: string, space: string): DemoPage {
  const text = readFileSync(path, "utf8");
  const [, front, body] = /^---\n(.*?)\n---\n(.*)$/su.exec(text) ?? [];
  if (front === undefined || body === undefined) {
    throw new Error(`${path}: expected YAML between two lines of "---", then the page in markdown`);
  }
  const parsed = frontSchema.safeParse(parse(front));
  if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
  const { comments, parent, ...rest } = parsed.data;
  return {
    ...rest,
    space,
    parent: parent ?? null,
    body: body.trim(),
    comments: comments.map((comment, index) => ({ id: `${rest.id}-${index + 1}`, ...comment })),
    history: [],
  };
}
