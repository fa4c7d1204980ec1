import { createHash } from "node:crypto";

import { openWiki } from "../../confluence/server.ts";
import { chooseBackend } from "../../jira/server.ts";
import type { Chunk, Document } from "../service/index-store.ts";
import { withoutSecrets } from "./secrets.ts";
import type { SourceDefinition } from "./sources.ts";
import { chunkMarkdown } from "./text-chunks.ts";

/** Pages of a search. */
const AT_ONCE = 50;
/** The latest comments of a ticket or page that are indexed. */
const MOST_COMMENTS = 50;

/** One ticket or page: what it is known by, and how it is read. */
export interface SiteItem {
  path: string;
  /** Changes with it. */
  stamp: string;
  load: (signal: AbortSignal) => Promise<{ document: Document; secrets: number }>;
}

/** The tickets of Jira, through the bundled server's backend: JIRA_URL, or the demo's. */
export async function listTickets(
  { jql }: SourceDefinition,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<SiteItem[]> {
  const jira = await chooseBackend(env);
  const call = { signal, progress: async () => {} };
  const items: SiteItem[] = [];
  let cursor: string | undefined;
  do {
    const request = jql === undefined ? { order_by: "key" as const } : { jql };
    const found = await jira.search({ ...request, limit: AT_ONCE, cursor }, call);
    for (const { key, updated } of found.issues) {
      items.push({
        path: key,
        stamp: stampOf("ticket", key, updated),
        async load(limit) {
          const issue = await jira.issue(key, { ...call, signal: limit });
          const comments = issue.comments
            .slice(-MOST_COMMENTS)
            .map((one) => `${one.author?.name ?? ""}: ${one.body}`);
          const body = [issue.description, ...comments].filter((part) => part.trim() !== "").join("\n\n");
          const metadata = {
            key,
            summary: issue.summary,
            project: issue.project.key,
            issue_type: issue.type,
            status: issue.status,
            priority: issue.priority,
            labels: issue.labels,
            created: issue.created,
            updated: issue.updated,
            url: issue.url,
          };
          const facets = [`project:${issue.project.key}`, `status:${issue.status}`];
          const title = `${key} ${issue.summary}`;
          return toDocument(
            { path: key, title, body, hash: stampOf("ticket", key, updated) },
            "jira",
            metadata,
            facets,
          );
        },
      });
    }
    cursor = found.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

/** The pages of Confluence, through the bundled server's backend: CONFLUENCE_URL, or the demo's. */
export async function listPages(
  { spaces }: SourceDefinition,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<SiteItem[]> {
  const wiki = openWiki(env);
  const items: SiteItem[] = [];
  const keys = spaces.length > 0 ? spaces : (await wiki.spaces(signal)).map(({ key }) => key);
  for (const space of keys) {
    let cursor: string | undefined;
    do {
      const found = await wiki.search({ space, order_by: "title", limit: AT_ONCE, cursor }, signal);
      for (const { id, updated } of found.results) {
        items.push({
          path: id,
          stamp: stampOf("page", id, updated),
          async load(limit) {
            const page = await wiki.page(id, limit);
            const comments = page.comments
              .slice(-MOST_COMMENTS)
              .map((one) => `${one.author?.name ?? ""}: ${one.body}`);
            const body = [page.body, ...comments].join("\n\n");
            const metadata = {
              page_id: id,
              page_title: page.title,
              space: page.space.key,
              labels: page.labels,
              version: page.version,
              last_modified: page.updated,
              url: page.url,
            };
            const facets = [`space:${page.space.key}`];
            const title = [page.title, page.labels.join(" ")].join(" ");
            return toDocument(
              { path: id, title, body, hash: stampOf("page", id, updated) },
              "confluence",
              metadata,
              facets,
            );
          },
        });
      }
      cursor = found.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
  return items;
}

/** Changes with the item, and when tickets and pages are read in another way. */
function stampOf(...parts: string[]): string {
  return createHash("sha256")
    .update(JSON.stringify([2, ...parts]))
    .digest("base64url");
}

function toDocument(
  { path, title, body, hash }: { path: string; title: string; body: string; hash: string },
  type: "jira" | "confluence",
  told: Record<string, unknown>,
  facets: string[],
): { document: Document; secrets: number } {
  // Whole, before it is cut: of a key in two pieces only one looks like it.
  const [text, name] = [withoutSecrets(body, "prose"), withoutSecrets(title, "prose")];
  const pieces = chunkMarkdown(text.text);
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean);
    return typeof value === "string" ? withoutSecrets(value, "prose").text : value;
  };
  const metadata = Object.fromEntries(Object.entries(told).map(([key, value]) => [key, clean(value)]));
  // A ticket without a description is still found by its title.
  const whole = pieces.length === 0 ? [{ headings: [], text: name.text }] : pieces;
  const chunks = whole.map(({ headings, text: content }, at): Chunk => ({
    type,
    source_id: path,
    title: [name.text, ...headings].join(" "),
    content,
    metadata: { ...metadata, chunk_index: at },
    facets,
  }));
  const secrets = text.found + name.found;
  return { secrets, document: { path, hash, chunks, definitions: [], relations: [] } };
}
