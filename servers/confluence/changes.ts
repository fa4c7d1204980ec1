import { ToolFailure } from "../kit/failure.ts";
import { versionConflict } from "./failures.ts";
import type { NewPage, Page, PageChange, PageSummary } from "./wiki.ts";

/** What a change does: the fields that it touches, as they are and as they will be. */
export interface Effect {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export function effectOfCreate({ space, title, body, parent }: NewPage): Effect {
  return {
    before: null,
    after: { space, title, body, ...(parent === null ? {} : { parent }) },
  };
}

/** Rejects a change of an old version, and one that changes nothing. */
export function effectOfUpdate(page: Page, change: PageChange): Effect {
  if (page.version !== change.version) throw versionConflict(page, change.version, page.version);
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  for (const field of ["title", "body"] as const) {
    const value = change[field];
    if (value === undefined || value === page[field]) continue;
    before[field] = page[field];
    after[field] = value;
  }
  if (Object.keys(after).length === 0) {
    throw new ToolFailure(
      "nothing_to_change",
      `page ${page.id} "${page.title}": expected a title or a body that differs from what the page has, got neither`,
    );
  }
  return {
    before: { ...before, version: page.version },
    after: { ...after, version: page.version + 1 },
  };
}

export function effectOfDelete(page: Page): Effect {
  return { before: { ...summaryOf(page) }, after: null };
}

export function summaryOf(page: Page): PageSummary {
  const { id, title, space, updated, updated_by, url, excerpt } = page;
  return { id, title, space, updated, updated_by, url, excerpt };
}
