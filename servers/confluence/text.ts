import { paragraphs, ToolFailure } from "../kit/tool.ts";
import type { PageFilter } from "./arguments.ts";
import type { Comment, Page, PageSummary, SearchAnswer, Space } from "./schemas.ts";
import { type PageChange, versionConflict } from "./wiki.ts";

/** The readable text beside structured content, in markdown. */

export function searchText({ query }: PageFilter, { results, total, next_cursor }: SearchAnswer): string {
  if (results.length === 0) {
    const what = query === undefined ? "fits" : `has "${query}"`;
    return `No page of the wiki ${what}. Try fewer or other conditions, or list_spaces.`;
  }
  const count = total === null || total === results.length ? results.length : `${results.length} of ${total}`;
  const lines = results.map(
    (page, index) =>
      `${index + 1}. **${page.title}** (id ${page.id}, ${page.space.name}, updated ${day(page.updated)}${by(page.updated_by)})\n` +
      `   ${page.excerpt}\n   ${page.url}`,
  );
  const more = next_cursor === null ? "" : `\n\nMore: the same search with cursor "${next_cursor}".`;
  return `${count} pages${query === undefined ? "" : ` for "${query}"`}:\n\n${lines.join("\n")}${more}`;
}

export function pageText(page: Page): string {
  const facts = [
    `Space: ${page.space.name} (${page.space.key})`,
    `Id: ${page.id}, version ${page.version}, updated ${day(page.updated)}${by(page.updated_by)}`,
    page.parent === null ? "" : `Under: ${page.parent.title} (id ${page.parent.id})`,
    page.labels.length === 0 ? "" : `Labels: ${page.labels.join(", ")}`,
    page.url,
  ].filter((fact) => fact !== "");
  const children = page.children.map(({ id, title }) => `- ${title} (id ${id})`);
  const comments = page.comments.map((comment) => commentText(comment));
  return paragraphs(
    `# ${page.title}`,
    facts.join("\n"),
    page.body,
    children.length === 0 ? "" : `## Pages below\n\n${children.join("\n")}`,
    comments.length === 0 ? "" : `## Comments\n\n${comments.join("\n\n")}`,
  );
}

export function spacesText(spaces: readonly Space[]): string {
  if (spaces.length === 0) return "The wiki has no space that this account may see.";
  return spaces
    .map(({ key, name, description, pages }) => {
      const count = pages === null ? "" : ` (${pages} pages)`;
      return `- **${key}** ${name}${count}${description === "" ? "" : `: ${description}`}`;
    })
    .join("\n");
}

export function changeText(
  what: "create" | "update" | "delete",
  dryRun: boolean,
  page: PageSummary | null,
  { before, after }: Effect,
): string {
  const name = page?.title ?? valueText((after ?? before)?.["title"]);
  const id = page === null ? "" : ` (id ${page.id})`;
  const verb = {
    create: ["would create", "created"],
    update: ["would update", "updated"],
    delete: ["would move to the trash", "moved to the trash"],
  }[what][dryRun ? 0 : 1];
  const lines = Object.keys(after ?? {}).flatMap((field) => {
    const [old, now] = [before?.[field], after?.[field]].map(valueText);
    return before === null ? [`- ${field}: ${now}`] : [`- ${field}: ${old} → ${now}`];
  });
  const link = page === null || what === "delete" ? "" : page.url;
  const note = dryRun ? "Dry run, nothing was changed: " : "";
  return paragraphs(`${note}${verb} the page "${name}"${id}`, lines.join("\n"), link);
}

export function commentText(comment: Comment): string {
  return `${comment.author?.name ?? "Someone"}, ${day(comment.created)}:\n${comment.body}`;
}

function valueText(value: unknown): string {
  if (typeof value === "string") return value.length > 300 ? `${value.slice(0, 300)} …` : value;
  return JSON.stringify(value) ?? "";
}

function day(time: string): string {
  return time.slice(0, 10);
}

function by(person: Comment["author"]): string {
  return person === null ? "" : ` by ${person.name}`;
}

/** What a change does: the fields that it touches, as they are and as they will be. */
export interface Effect {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
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

export function summaryOf(page: Page): PageSummary {
  const { id, title, space, updated, updated_by, url, excerpt } = page;
  return { id, title, space, updated, updated_by, url, excerpt };
}
