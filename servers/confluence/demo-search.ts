import MiniSearch, { type SearchResult } from "minisearch";
import { plainText } from "../kit/adf-document.ts";
import { toAdf } from "../kit/adf.ts";
import { excerptOf, termOf, tokenize } from "./words.ts";

export interface SearchDocument {
  id: string;
  title: string;
  labels: string[];
  /** Markdown. */
  body: string;
  space: string;
}

export interface PageIndex {
  /** The ids of the pages that fit, best first. */
  find(query: string, space?: string): string[];
  excerpt(id: string, query: string): string;
}

/**
 * Ranked search (BM25) over stems. A word of the title counts most. All words must occur; where no
 * page has them all, pages with some of them are found, and at last words with a typing error.
 */
export function indexPages(pages: readonly SearchDocument[]): PageIndex {
  const texts = new Map(pages.map((page) => [page.id, plainText(toAdf(page.body))]));
  const index = new MiniSearch<SearchDocument>({
    fields: ["title", "labels", "body"],
    storeFields: ["space"],
    extractField: (page, field) => {
      if (field === "body") return texts.get(page.id) ?? "";
      if (field === "labels") return page.labels.join(" ");
      return field === "title" ? page.title : field === "space" ? page.space : page.id;
    },
    tokenize,
    processTerm: (word) => termOf(word) ?? false,
    searchOptions: { boost: { title: 8, labels: 3 } },
  });
  index.addAll(pages);

  return {
    find(query, space) {
      const filter = (hit: SearchResult): boolean => space === undefined || hit["space"] === space;
      for (const options of [
        { combineWith: "AND" },
        { combineWith: "OR" },
        { combineWith: "OR", fuzzy: 0.2, prefix: true },
      ] as const) {
        const hits = index.search(query, { ...options, filter });
        if (hits.length > 0) return hits.map((hit) => String(hit.id));
      }
      return [];
    },
    excerpt: (id, query) => excerptOf(texts.get(id) ?? "", query),
  };
}
