import type { CardElement, Cell, ListElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import { count, grouped, oneLine } from "#src/base/text.ts";

import { fromObject } from "../generic/elements.ts";
import { createBudget, omittedNote } from "../generic/table.ts";
import { commentSections, searchedFor, type ViewResult } from "../parts.ts";
import { type Page, PAGE_KEYS, pageListSchema, pageSchema, type PageSummary } from "./shapes.ts";
import { hrefOf, humanDate, toTitle, unpackJson } from "../text.ts";

const MAX_CHILDREN = 100;

/** ConfluencePageView: one page with its place, last change, body, children and comments. */
export function confluencePageView(input: ViewInput): ViewResult {
  const data = unpackJson(input.data);
  const page = pageSchema.parse(data);
  const extras = Object.fromEntries(
    Object.entries(data as JsonObject).filter(([key]) => !PAGE_KEYS.includes(key)),
  );
  const { href } = hrefOf(page.url);
  return {
    card: {
      kind: "result",
      title: toTitle(page.space === null ? page.title : `${page.title} (${page.space.name})`),
      elements: [
        {
          type: "header",
          text: page.title,
          ...hrefOf(page.url),
          ...(page.space === null ? {} : { eyebrow: page.space.name }),
        },
        { type: "fields", items: fields(page) },
        page.body.trim() === ""
          ? { type: "text", text: "The page is empty." }
          : { type: "text", text: page.body, format: "markdown", folded: true },
        ...children(page),
        ...commentSections(page.comments),
        ...(Object.keys(extras).length === 0
          ? []
          : [
              {
                type: "section" as const,
                title: "Other fields",
                folded: true,
                elements: fromObject(extras, createBudget(), 1),
              },
            ]),
        ...(href === undefined
          ? []
          : [{ type: "links" as const, items: [{ label: "Open the page", href }] }]),
      ],
    },
  };
}

function fields(page: Page): { label: string; value: Cell }[] {
  const { space, parent, version } = page;
  const path = [space?.name, parent?.title, page.title].filter((part) => part !== undefined);
  const change = lastChange(page).replace(/^Changed /, "");
  const created = [
    page.created === null ? "" : humanDate(page.created),
    page.created_by === null ? "" : `by ${page.created_by.name}`,
  ].filter((part) => part !== "");
  const all: [label: string, value: Cell | undefined][] = [
    ["Space", space === null ? undefined : `${space.name} (${space.key})`],
    ["Path", path.length > 1 ? path.join(" › ") : undefined],
    ["Last change", change === "" ? undefined : change],
    ["Version", version ?? undefined],
    ["Created", created.length === 0 ? undefined : created.join(" ")],
    ["Labels", page.labels.length === 0 ? undefined : page.labels.join(", ")],
    ["Page ID", page.id],
  ];
  return all.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]));
}

function children(page: Page): CardElement[] {
  if (page.children.length === 0) return [];
  const items = page.children
    .slice(0, MAX_CHILDREN)
    .map((child) => ({ text: child.title, ...hrefOf(child.url) }));
  const more = page.children.length - items.length;
  return [
    {
      type: "section",
      title: `Pages below (${page.children.length})`,
      elements: [{ type: "list", items }, ...(more > 0 ? [omittedNote(count(more, "page"))] : [])],
    },
  ];
}

const MAX_ITEMS = 100;
const EXCERPT_CHARS = 300;

/** ConfluenceSearchView: pages as a list with space, excerpt and last change. */
export function confluenceSearchView(input: ViewInput): ViewResult {
  const { results, total, next_cursor: cursor } = pageListSchema.parse(unpackJson(input.data));
  const searched = searchedFor(input.args);
  const heading =
    results.length === 0
      ? "No pages found"
      : total !== null && total > results.length
        ? `${grouped(results.length)} of ${count(total, "page")}`
        : count(results.length, "page");

  const elements: CardElement[] = [
    { type: "header", text: heading, ...(searched === "" ? {} : { eyebrow: searched }) },
    results.length === 0
      ? { type: "text", text: searched === "" ? "No page matches." : `No page matches ${searched}.` }
      : { type: "list", items: results.slice(0, MAX_ITEMS).map(toItem) },
  ];
  if (results.length > MAX_ITEMS) elements.push(omittedNote(count(results.length - MAX_ITEMS, "page")));
  if (cursor !== null) {
    elements.push({
      type: "footer",
      text: `There are more; the next page has the cursor ${oneLine(cursor, 200)}`,
    });
  }
  return {
    card: {
      kind: "result",
      title: toTitle(searched === "" ? heading : `${heading} for ${searched}`),
      elements,
    },
    rows: results.length,
  };
}

function toItem(page: PageSummary): ListElement["items"][number] {
  // Confluence marks the words it found with @@@hl@@@.
  const excerpt = oneLine((page.excerpt ?? "").replaceAll(/@@@(?:end)?hl@@@/g, ""), EXCERPT_CHARS);
  const detail = [excerpt, lastChange(page)].filter((line) => line !== "").join("\n");
  return {
    text: page.title,
    ...hrefOf(page.url),
    ...(detail === "" ? {} : { detail }),
    ...(page.space === null ? {} : { badges: [{ text: page.space.name, tone: "neutral" as const }] }),
  };
}

/** "Changed 21 Nov 2026, 14:05 UTC by Ana Lindqvist", as far as it is known. */
function lastChange(page: Pick<PageSummary, "updated" | "updated_by">): string {
  const when = page.updated === null ? "" : ` ${humanDate(page.updated)}`;
  const who = page.updated_by === null ? "" : ` by ${page.updated_by.name}`;
  return when === "" && who === "" ? "" : `Changed${when}${who}`;
}
