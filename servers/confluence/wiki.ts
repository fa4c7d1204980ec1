import { createHash } from "node:crypto";

import { toAdf } from "../kit/adf-from-markdown.ts";
import { fromAdf } from "../kit/adf-to-markdown.ts";
import { foldName } from "../kit/names.ts";
import { decodeCursor, encodeCursor, isFailure, ToolFailure } from "../kit/tool.ts";
import type { PageFilter } from "./arguments.ts";
import { withMore, withMoreUnder, withText } from "./page-edits.ts";
import { rowsIn, withRows } from "./table-rows.ts";
import type { Comment, Page, PageRef, PageSummary, SearchAnswer, Space, SpaceRef } from "./schemas.ts";

/** What the tools need from a wiki. Three backends fill it: Cloud, Data Center and the demo store. */

export interface SearchRequest extends PageFilter {
  limit: number;
  /** As an earlier answer gave it. */
  cursor?: string | undefined;
}

/** A page that is to be made, checked against the wiki. */
export interface NewPage {
  space: SpaceRef;
  title: string;
  /** Markdown. */
  body: string;
  parent: PageRef | null;
}

/** A change of a page; what is left out stays as it is. */
export interface PageChange {
  title?: string | undefined;
  /** Markdown; the whole text. */
  body?: string | undefined;
  /** Markdown that comes below the text that is there; not together with `body`. */
  append?: string | undefined;
  /** The heading of the section that `append` is for; absent: the whole page. */
  under?: string | undefined;
  /** A text that stands on the page once, or a row of a table; not together with `body` or `append`. */
  passage?: string | undefined;
  /** What stands in its place; absent: nothing. */
  replacement?: string | undefined;
  /** The version that the change was made from; any other is a conflict. */
  version: number;
}

/**
 * The port to a wiki. Safe for concurrent use. Methods reject with a `ToolFailure` whose message
 * says what was expected, what came and what exists; nothing is changed when they reject, save that
 * a remote backend cannot tell after `network` and `timeout`.
 */
export interface Wiki {
  /** The id of the account that it works with, where that is known without asking. */
  readonly self?: string;
  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer>;
  /** Rejects with `page_not_found`. */
  page(id: string, signal?: AbortSignal): Promise<Page>;
  spaces(signal?: AbortSignal): Promise<Space[]>;
  /**
   * Resolves names to what they stand for and rejects when the page could not be made:
   * `space_not_found`, `parent_not_found`, `title_taken`.
   */
  prepare(
    draft: { space: string; title: string; body: string; parent_id?: string | undefined },
    signal?: AbortSignal,
  ): Promise<NewPage>;
  create(page: NewPage, signal?: AbortSignal): Promise<PageSummary>;
  /** Rejects with `version_conflict`, naming the current version, and with `title_taken`. */
  update(id: string, change: PageChange, signal?: AbortSignal): Promise<PageSummary>;
  comment(id: string, body: string, signal?: AbortSignal): Promise<{ comment: Comment; url: string }>;
  /** Moves the page to the trash. */
  remove(id: string, signal?: AbortSignal): Promise<void>;
}

/**
 * The Markdown of a page after a change. More that is nothing but rows of a table goes into the last one of as many
 * columns. Throws a `ToolFailure` where the text or the section is not on the page, or not once.
 */
export function changedBody(
  before: string,
  { body, append, under, passage, replacement }: PageChange,
): string {
  if (body !== undefined) return body;
  if (passage !== undefined) return withText(before, passage, replacement ?? "");
  if (append === undefined) return before;
  if (under !== undefined) return withMoreUnder(before, under, append);
  const rows = rowsIn(append);
  if (rows !== undefined) return withRows(before, rows);
  return withMore(before, append);
}

/**
 * Throws `unclear_place` where what is kept of a page would become something else than its Markdown, which is what was
 * approved: a text that people see may stand where none can be changed, and once more where nobody sees it.
 */
export function checkEdited(before: string, after: string, change: PageChange): void {
  if (change.passage === undefined && change.under === undefined) return;
  const plain = (markdown: string): string => fromAdf(toAdf(markdown));
  if (plain(after) === plain(changedBody(before, change))) return;
  throw new ToolFailure(
    "unclear_place",
    "expected to change just what the page shows, but its text is kept in a form in which that is not certain: change it in Confluence, or send the whole body",
  );
}

/** Failures that all backends report in the same words. */

export function pageNotFound(id: string, known: readonly PageRef[] = []): ToolFailure {
  const examples = known.map((page) => `${page.id} "${page.title}"`).join(", ");
  return new ToolFailure(
    "page_not_found",
    `there is no page with the id "${id}", or the account may not see it. ` +
      (examples === ""
        ? "Search the wiki for it"
        : `Pages that exist: ${examples}; search the wiki for more`),
  );
}

export function parentNotFound(id: string, space: SpaceRef, known: readonly PageRef[]): ToolFailure {
  const examples = known.map((page) => `${page.id} "${page.title}"`).join(", ");
  return new ToolFailure(
    "parent_not_found",
    `parent_id: there is no page "${id}" in the space ${space.key} "${space.name}"` +
      (examples === "" ? "" : `. Pages there: ${examples}`),
  );
}

export function titleTaken(title: string, space: SpaceRef, page: PageRef): ToolFailure {
  return new ToolFailure(
    "title_taken",
    `the space ${space.key} already has a page titled "${title}" (id ${page.id}): choose another title, or change that page with update_page`,
  );
}

export function versionConflict(page: PageRef, given: number, current: number): ToolFailure {
  return new ToolFailure(
    "version_conflict",
    `page ${page.id} "${page.title}" is at version ${current} now, the change was made from ` +
      `version ${given}. Read it with get_page, apply the change to what is there and send ` +
      `version ${current}`,
  );
}

export function badCursor(cursor: string): ToolFailure {
  return new ToolFailure(
    "bad_cursor",
    `cursor: expected the next_cursor of an earlier search with the same conditions, got "${cursor.slice(0, 60)}". Leave it out to start again`,
  );
}

/** Finds a space by key or name, without regard to case. */
export function findSpace<T extends SpaceRef>(spaces: readonly T[], wanted: string): T {
  const name = wanted.trim().toLowerCase();
  // "engineering" is enough for "Engineering Handbook" where no other space has that word.
  const withWord = spaces.filter((space) =>
    space.name
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .includes(name),
  );
  const found =
    spaces.find(({ key }) => key.toLowerCase() === name) ??
    spaces.find((space) => space.name.toLowerCase() === name) ??
    (withWord.length === 1 ? withWord[0] : undefined);
  if (found !== undefined) return found;
  const known = spaces.slice(0, 20).map((space) => `${space.key} "${space.name}"`);
  throw new ToolFailure(
    "space_not_found",
    `there is no space with the key or name "${wanted}". Spaces that exist: ${known.join(", ")}` +
      (spaces.length > known.length ? ` and ${spaces.length - known.length} more (list_spaces)` : ""),
  );
}

/**
 * An opaque cursor: where the next page of results begins (an offset, or what the service gave),
 * bound to the search it belongs to.
 */
export function toCursor(request: SearchRequest, at: string): string {
  return encodeCursor([at, searchDigest(request)]);
}

/** Rejects with `bad_cursor` what is damaged or belongs to another search. */
export function fromCursor(request: SearchRequest): string | undefined {
  const { cursor } = request;
  if (cursor === undefined || cursor === "") return undefined;
  const parts = decodeCursor(cursor);
  const [at, digest] = Array.isArray(parts) ? (parts as unknown[]) : [];
  if (typeof at !== "string" || digest !== searchDigest(request)) throw badCursor(cursor);
  return at;
}

function searchDigest({ limit: _limit, cursor: _cursor, ...filter }: SearchRequest): string {
  const conditions = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${[value].flat().join(" ").trim().toLowerCase()}`],
  );
  const search = JSON.stringify(conditions.toSorted());
  return createHash("sha256").update(search).digest("base64url").slice(0, 12);
}

/** What the pages are sorted by, and how; undefined for the best match first. */
export function orderOf({
  query,
  title,
  order_by,
  order,
}: PageFilter): { by: NonNullable<PageFilter["order_by"]>; descending: boolean } | undefined {
  const ranked = query !== undefined || title !== undefined;
  if (order_by === undefined && order === undefined && ranked) return undefined;
  const by = order_by ?? "updated";
  return { by, descending: order === undefined ? by !== "title" : order === "desc" };
}

/** The page of a title, whatever its case. Rejects with `page_not_found`, which names near titles, or `ambiguous_title`. */
export async function findByTitle(
  wiki: Wiki,
  title: string,
  space: string | undefined,
  signal: AbortSignal,
): Promise<PageRef> {
  const { results } = await wiki.search({ title, space, limit: 50 }, signal);
  const exact = results.filter((page) => foldName(page.title) === foldName(title));
  const [only] = exact;
  if (only !== undefined && exact.length === 1) return only;
  const named = (pages: readonly PageSummary[]): string =>
    pages.map((page) => `${page.id} "${page.title}" in ${page.space.key}`).join(", ");
  if (only !== undefined) {
    throw new ToolFailure(
      "ambiguous_title",
      `${exact.length} pages are titled "${title}": ${named(exact)}. Give the space as well, or the id of the page`,
    );
  }
  const near = results.length > 0 ? results : await withWords(wiki, title, space, signal);
  const where = space === undefined ? "" : ` in the space ${space}`;
  throw new ToolFailure(
    "page_not_found",
    `there is no page titled "${title}"${where}, or the account may not see it. ` +
      (near.length === 0 ? "Search the wiki for it" : `Near: ${named(near.slice(0, 5))}`),
  );
}

/** The pages that have the words of a title anywhere; none where it has no words to look for. */
async function withWords(
  wiki: Wiki,
  query: string,
  space: string | undefined,
  signal: AbortSignal,
): Promise<PageSummary[]> {
  return wiki.search({ query, space, limit: 5 }, signal).then(
    ({ results }) => results,
    (error: unknown) => {
      if (isFailure(error, "nothing_to_search")) return [];
      throw error;
    },
  );
}
