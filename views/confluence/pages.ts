import { z } from "zod";

import type { CardElement, FieldsElement, ListElement } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import { oneLine } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { omittedBeyond } from "../generic/table.ts";
import {
  commentSections,
  foldedFields,
  knownFields,
  markdown,
  resultView,
  searchView,
  sourceLink,
  type ViewResult,
  withoutKeys,
} from "../parts.ts";
import { commentSchema, personSchema, textSchema } from "../shapes.ts";
import { hrefOf, humanDate, unpackJson } from "../text.ts";

/** Some servers count ids, others write them. */
const id = z.union([z.string(), z.number().transform(String)]);

/** A space as `{key, name}`, or by its key alone. */
const space = z.preprocess(
  (value) => (typeof value === "string" && value !== "" ? { key: value, name: value } : value),
  z.object({ key: z.string(), name: z.string() }).nullable().default(null),
);

const summarySchema = z.object({
  id,
  title: z.string().min(1),
  space,
  updated: textSchema,
  updated_by: personSchema,
  url: textSchema,
  excerpt: textSchema,
});

const pageSchema = summarySchema.extend({
  version: z.number().nullable().default(null),
  created: textSchema,
  created_by: personSchema,
  parent: z.object({ id, title: z.string() }).nullable().default(null),
  children: z.array(z.object({ id, title: z.string().min(1), url: textSchema })).default([]),
  labels: z.array(z.string()).default([]),
  body: z.string(),
  comments: z.array(commentSchema).default([]),
});

type PageSummary = z.infer<typeof summarySchema>;
type Page = z.infer<typeof pageSchema>;

/** A page of search results; a bare array counts as one. */
const pageListSchema = z.preprocess(
  (value) => (Array.isArray(value) ? { results: value as unknown[] } : value),
  z.object({
    results: z.array(summarySchema),
    total: z.number().nullable().default(null),
    next_cursor: textSchema,
  }),
);

/** Pages found, and pages below a page. */
const MAX_ITEMS = 100;
const EXCERPT_CHARS = 300;

/** ConfluencePageView: one page with its place, last change, body, children and comments. */
export function confluencePageView(input: ViewInput): ViewResult {
  const say = wordsOf(input.language);
  const data = unpackJson(input.data);
  const page = pageSchema.parse(data);
  const { space, title, url } = page;
  return resultView(space === null ? title : `${title} (${space.name})`, [
    { type: "header", text: title, ...hrefOf(url), ...(space === null ? {} : { eyebrow: space.name }) },
    pageFields(page, say),
    ...markdown(page.body, [{ type: "text", text: say.views.emptyPage }]),
    ...children(page, say),
    ...commentSections(page.comments, say),
    ...foldedFields(say.views.otherFields, withoutKeys(data, Object.keys(pageSchema.shape)), say),
    ...sourceLink(say.views.openPage, url),
  ]);
}

function pageFields({ space, parent, labels, ...page }: Page, say: Words): FieldsElement {
  const path = [space?.name, parent?.title, page.title].filter((part) => part !== undefined);
  return knownFields(
    {
      Space: space && `${space.name} (${space.key})`,
      Path: path.length > 1 ? path.join(" › ") : null,
      "Last change": whenAndWho(page.updated, page.updated_by, say) || null,
      Version: page.version,
      Created: whenAndWho(page.created, page.created_by, say) || null,
      Labels: labels.length === 0 ? null : labels.join(", "),
      "Page ID": page.id,
    },
    say,
  );
}

/** "21 Nov 2026, 14:05 UTC by Ana Lindqvist", as far as it is known. */
function whenAndWho(time: string | null, person: PageSummary["updated_by"], say: Words): string {
  const parts = [time === null ? "" : humanDate(time, say), person === null ? "" : say.views.by(person.name)];
  return parts.filter((part) => part !== "").join(" ");
}

function children(page: Page, say: Words): CardElement[] {
  const { length } = page.children;
  if (length === 0) return [];
  const items = page.children.slice(0, MAX_ITEMS).map(({ title, url }) => ({ text: title, ...hrefOf(url) }));
  const elements: CardElement[] = [
    { type: "list", items },
    ...omittedBeyond(length, MAX_ITEMS, { of: "page", say }),
  ];
  return [{ type: "section", title: say.views.pagesBelow(length), elements }];
}

/** ConfluenceSearchView: pages as a list with space, excerpt and last change. */
export function confluenceSearchView(input: ViewInput): ViewResult {
  const { results, total } = pageListSchema.parse(unpackJson(input.data));
  const found = results.length;
  const say = wordsOf(input.language);
  return searchView(input, "page", { total, found }, [
    { type: "list", items: results.slice(0, MAX_ITEMS).map((page) => toItem(page, say)) },
    ...omittedBeyond(found, MAX_ITEMS, { of: "page", say }),
  ]);
}

function toItem(page: PageSummary, say: Words): ListElement["items"][number] {
  // Confluence marks the words it found with @@@hl@@@.
  const excerpt = oneLine((page.excerpt ?? "").replaceAll(/@@@(?:end)?hl@@@/g, ""), EXCERPT_CHARS);
  const change = whenAndWho(page.updated, page.updated_by, say);
  const detail = [excerpt, change && say.views.changed(change)].filter((line) => line !== "").join("\n");
  return {
    text: page.title,
    ...hrefOf(page.url),
    ...(detail === "" ? {} : { detail }),
    ...(page.space === null ? {} : { badges: [{ text: page.space.name, tone: "neutral" as const }] }),
  };
}
