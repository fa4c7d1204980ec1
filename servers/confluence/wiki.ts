import { createHash } from "node:crypto";

import { decodeCursor, encodeCursor, ToolFailure } from "../kit/tool.ts";

/** What the tools need from a wiki. Three backends fill it: Cloud, Data Center and the demo store. */

export interface Person {
  id: string;
  name: string;
}

export interface SpaceRef {
  key: string;
  name: string;
}

export interface Space extends SpaceRef {
  /** Plain text; "" where the space has none. */
  description: string;
  /** Number of pages, or null where the backend does not tell. */
  pages: number | null;
  url: string;
}

export interface PageRef {
  id: string;
  title: string;
}

export interface PageSummary extends PageRef {
  space: SpaceRef;
  /** ISO 8601. */
  updated: string;
  updated_by: Person | null;
  url: string;
  /** Plain text, at most some 300 characters. */
  excerpt: string;
}

export interface Comment {
  id: string;
  author: Person | null;
  /** ISO 8601. */
  created: string;
  /** Markdown. */
  body: string;
}

export interface Page extends PageSummary {
  version: number;
  /** ISO 8601. */
  created: string;
  created_by: Person | null;
  parent: PageRef | null;
  children: (PageRef & { url: string })[];
  labels: string[];
  /** Markdown. */
  body: string;
  comments: Comment[];
}

export interface SearchRequest {
  query: string;
  /** Key or name of a space. */
  space?: string | undefined;
  limit: number;
  /** As an earlier answer gave it. */
  cursor?: string | undefined;
}

export interface SearchAnswer {
  results: PageSummary[];
  total: number | null;
  next_cursor: string | null;
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
  /** Markdown. */
  body?: string | undefined;
  /** The version that the change was made from; any other is a conflict. */
  version: number;
}

/**
 * The port to a wiki. Safe for concurrent use. Methods reject with a `ToolFailure` whose message
 * says what was expected, what came and what exists; nothing is changed when they reject, save that
 * a remote backend cannot tell after `network` and `timeout`.
 */
export interface Wiki {
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

/** Failures that all backends report in the same words. */

export function pageNotFound(id: string, known: readonly PageRef[] = []): ToolFailure {
  const examples = known.map((page) => `${page.id} "${page.title}"`).join(", ");
  return new ToolFailure(
    "page_not_found",
    `there is no page with the id "${id}", or the account may not see it. ` +
      (examples === ""
        ? "Find page ids with search_confluence"
        : `Pages that exist: ${examples}; find more with search_confluence`),
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
    `cursor: expected the next_cursor of an earlier search with the same query and space, got "${cursor.slice(0, 60)}". Leave it out to start again`,
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

function searchDigest({ query, space }: SearchRequest): string {
  const search = JSON.stringify([query.trim(), (space ?? "").trim().toLowerCase()]);
  return createHash("sha256").update(search).digest("base64url").slice(0, 12);
}
