import { ToolFailure } from "../kit/failure.ts";
import type { PageRef, SpaceRef } from "./wiki.ts";

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

export function spaceNotFound(space: string, known: readonly SpaceRef[]): ToolFailure {
  const list = known.slice(0, 20).map(({ key, name }) => `${key} "${name}"`);
  return new ToolFailure(
    "space_not_found",
    `there is no space with the key or name "${space}". Spaces that exist: ${list.join(", ")}` +
      (known.length > list.length ? ` and ${known.length - list.length} more (list_spaces)` : ""),
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

export function titleTaken(title: string, space: SpaceRef, page: PageRef | undefined): ToolFailure {
  return new ToolFailure(
    "title_taken",
    `the space ${space.key} already has a page titled "${title}"` +
      (page === undefined ? "" : ` (id ${page.id})`) +
      ": choose another title, or change that page with update_page",
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
  const found =
    spaces.find(({ key }) => key.toLowerCase() === name) ??
    spaces.find((space) => space.name.toLowerCase() === name) ??
    onlyOne(spaces.filter((space) => words(space.name).includes(name)));
  if (found === undefined) throw spaceNotFound(wanted, spaces);
  return found;
}

/** "engineering" is enough for "Engineering Handbook" where no other space has that word. */
function words(name: string): string[] {
  return name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
}

function onlyOne<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}
