import { z } from "zod";

import type { ViewInput } from "#contract/core.ts";
import { oneLine } from "#src/base/text.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { omittedBeyond } from "../generic/table.ts";
import { markdown, resultView, searchView, sourceLink, type ViewResult } from "../parts.ts";
import { textSchema } from "../shapes.ts";
import { hrefOf, humanDate, unpackJson } from "../text.ts";

const pageSchema = z.object({
  url: z.string().min(1),
  title: z.string().min(1),
  text: z.string(),
  next_start: z.number().nullable().default(null),
});

const hitsSchema = z.object({
  results: z.array(
    z.object({ title: z.string().min(1), url: z.string(), excerpt: textSchema, published: textSchema }),
  ),
});

const MAX_ITEMS = 50;
const EXCERPT_CHARS = 300;

/** WebPageView: a page's text, with where it is from above and below it. */
export function webPageView(input: ViewInput): ViewResult {
  const say = wordsOf(input.language);
  const { url, title, text, next_start: next } = pageSchema.parse(unpackJson(input.data));
  return resultView(title, [
    { type: "header", text: title, ...hrefOf(url), eyebrow: hostOf(url) },
    ...markdown(text, [{ type: "text", text: say.views.emptyPage }]),
    ...(next === null ? [] : [{ type: "text" as const, text: say.views.partOfPage }]),
    ...sourceLink(say.views.openPage, url),
  ]);
}

/** WebSearchView: pages found, as a list of links with their host, date and excerpt. */
export function webSearchView(input: ViewInput): ViewResult {
  const say = wordsOf(input.language);
  const { results } = hitsSchema.parse(unpackJson(input.data));
  const found = results.length;
  const items = results.slice(0, MAX_ITEMS).map(({ title, url, excerpt, published }) => ({
    text: title,
    ...hrefOf(url),
    detail: [
      [hostOf(url), published === null ? "" : humanDate(published, say)]
        .filter((part) => part !== "")
        .join(", "),
      oneLine(excerpt ?? "", EXCERPT_CHARS),
    ]
      .filter((line) => line !== "")
      .join("\n"),
  }));
  return searchView(input, "page", { total: null, found }, [
    { type: "list", items },
    ...omittedBeyond(found, MAX_ITEMS, { of: "page", say }),
  ]);
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "";
}
