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
